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
	ctx := context.Background()
	for id, want := range []model.ID{1, 2, model.NoID, model.NoID} {
		if got, err := SupersededBy(ctx, s, model.ID(id)); got != want || err != nil {
			t.Errorf("%d: superseded by %d, want %d (%v)", id, got, want, err)
		}
	}
	if got, err := Supersedes(ctx, s, 1); !slices.Equal(got, []model.ID{0}) || err != nil {
		t.Errorf("1 supersedes %v, %v", got, err)
	}
}
