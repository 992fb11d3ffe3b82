package summary

import (
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/answer"
	"turns/query/human"
	"turns/query/querytest"
)

// TestFiguresAreThoseOfTheTables compares the figures of each call with its row in the list of
// calls, and tests that a duration between two records is an upper bound.
func TestFiguresAreThoseOfTheTables(t *testing.T) {
	snap := model.FromMessages(querytest.Run())
	tokens, err := query.CountTokens(t.Context(), query.Everything(snap), querytest.WordCounter())
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]model.CallID, snap.CallCount())
	for i := range ids {
		ids[i] = model.CallID(i)
	}
	rows := CallRows(snap, tokens, ids)
	duration := answer.Pick(CallColumns(nil), "duration")[0]
	derived := 0
	for i := range rows {
		r := &rows[i]
		figures := map[string]answer.Line{}
		for _, l := range Figures(snap, tokens, r.Place(), r.ID) {
			figures[l.Label] = l
		}
		want := duration.Cell(r).Text
		if c := snap.Call(r.ID); c.Flags&model.TookDerived != 0 {
			derived++
			want = "≤ " + want
		}
		if got := figures["duration"].Number; got != want && (got != "" || want != answer.Unknown.Text) {
			t.Errorf("call %d took %q, want %q", i, got, want)
		}
		if n, ok := tokens.Call(r.ID); !ok || figures["tokens"].Number != human.Short(int64(n.Args))+answer.Both+human.Short(int64(n.Result)) {
			t.Errorf("call %d has tokens %q", i, figures["tokens"].Number)
		}
	}
	if derived == 0 {
		t.Error("no duration is the distance of two records")
	}
}

// TestFiguresOfARequest describes the usage of a response.
func TestFiguresOfARequest(t *testing.T) {
	m := querytest.Message(model.Assistant, "done")
	m.Usage = &model.Usage{Input: 500, CacheRead: 1500, CacheWrite: -1, Output: 20, Reasoning: -1}
	want := []answer.Line{{Label: "context", Number: "2.0k, 75 % cached"}, {Label: "usage", Note: "input 500, cache read 1.5k, output 20"}}
	got := Figures(model.FromMessages([]model.Message{m}), nil, 0, model.CallID(model.NoRow))
	if len(got) != 2 || got[0].Number != want[0].Number || got[1].Note != want[1].Note {
		t.Errorf("%+v, want %+v", got, want)
	}
}
