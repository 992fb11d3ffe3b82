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
