package query_test

import (
	"context"
	"slices"
	"testing"

	"turns/query"

	"turns/model"
	"turns/query/querytest"
)

func TestSupersededChain(t *testing.T) {
	g := querytest.NewGrowing()
	texts := querytest.Texts{}
	for i, by := range []string{"m1", "m2", "", "a tool"} {
		h := model.Head{Role: model.Assistant, Flags: model.HasWords, Key: model.HashString([]string{"m0", "m1", "m2", "m3"}[i])}
		if by != "" {
			h.Flags |= model.Superseded
		}
		texts[g.Add(h)] = model.Message{By: by}
	}
	g.Ix.Version++
	s := model.NewSnapshot(g.Ix, texts)
	r, err := query.NewReplaced(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range []model.ID{1, 2, model.NoID, model.NoID} {
		if got := r.By(model.ID(id)); got != want {
			t.Errorf("%d: superseded by %d, want %d", id, got, want)
		}
	}
	if got := r.Of(1); !slices.Equal(got, []model.ID{0}) {
		t.Errorf("1 supersedes %v", got)
	}
	for id, want := range []model.ID{1, 2, 0, model.NoID} { // around the chain
		if got := r.Next(model.ID(id)); got != want {
			t.Errorf("after %d comes %d, want %d", id, got, want)
		}
	}
	var none *query.Replaced
	if none.By(0) != model.NoID || none.Of(0) != nil || none.Next(0) != model.NoID {
		t.Error("none knows of something")
	}
}
