package query

import (
	"context"
	"slices"
	"testing"

	"turns/model"
)

func TestSupersededChain(t *testing.T) {
	g := newGrowing()
	texts := indexTexts{}
	for i, by := range []string{"m1", "m2", "", "a tool"} {
		h := model.Head{Role: model.Assistant, Flags: model.HasWords, Key: model.HashString([]string{"m0", "m1", "m2", "m3"}[i])}
		if by != "" {
			h.Flags |= model.Superseded
		}
		texts[g.add(h)] = model.Message{By: by}
	}
	g.ix.Version++
	s := model.NewSnapshot(g.ix, texts)
	r, err := NewReplaced(context.Background(), s)
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
	for id, want := range []model.ID{1, 2, 0, model.NoID} { // round the chain
		if got := r.Next(model.ID(id)); got != want {
			t.Errorf("after %d comes %d, want %d", id, got, want)
		}
	}
	var none *Replaced
	if none.By(0) != model.NoID || none.Of(0) != nil || none.Next(0) != model.NoID {
		t.Error("none knows of something")
	}
}

// TestSupersededInACircle: a chain that bites its tail ends.
func TestSupersededInACircle(t *testing.T) {
	r := &Replaced{by: map[model.ID]model.ID{}, of: map[model.ID][]model.ID{2: {1}, 1: {0}, 0: {1}}}
	if got := r.Next(2); got != 0 {
		t.Errorf("after the last comes %d, want 0", got)
	}
}
