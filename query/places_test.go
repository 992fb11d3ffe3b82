package query

import (
	"testing"

	"turns/model"
)

// TestNthCall: a message may have call blocks without a row before, between and after those with
// one.
func TestNthCall(t *testing.T) {
	row := func(id, block int) model.CallRow {
		return model.CallRow{ID: model.CallID(id), Call: model.Call{Block: uint32(block)}}
	}
	rows := []model.CallRow{row(7, 1), row(8, 2), row(9, 4)}
	for n, want := range []int{-1, 7, 8, -1, 9, -1} {
		got := -1
		if r := NthCall(rows, n); r != nil {
			got = int(r.ID)
		}
		if got != want {
			t.Errorf("call %d is row %d, want %d", n, got, want)
		}
	}
	if NthCall(nil, 0) != nil {
		t.Error("a message without calls has one")
	}
}

// TestDistantOrphans: results without a call are up to 63 rows of other messages away, and among
// the next 4,095 rows.
func TestDistantOrphans(t *testing.T) {
	for _, c := range []struct{ others, own, want int }{{0, 4095, 4095}, {0, 4096, 4095}, {63, 1, 1}, {64, 1, 0}} {
		var ix model.Index
		add := func(msg, result model.ID) {
			ix.Calls.Append(model.Call{Msg: msg, Result: result, Prev: model.NoRow, PrevResult: model.NoRow})
		}
		ix.Heads.Append(model.Head{Flags: model.HasCalls | model.HasOrphan})
		add(0, model.NoID)
		for range c.others {
			add(1, 1)
		}
		for range c.own {
			add(model.NoID, 0)
		}
		if got := len(OrphansAmong(model.NewSnapshot(ix, nil), 0)); got != c.want {
			t.Errorf("%d rows of other messages, then %d results without a call: %d found, want %d", c.others, c.own, got, c.want)
		}
	}
}
