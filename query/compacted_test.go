package query_test

import (
	"slices"
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/querytest"
)

// TestCompacted: a compaction replaces the live messages of its thread before it, except the last
// ones, whose first or number it records.
func TestCompacted(t *testing.T) {
	for _, c := range []struct {
		name  string
		event *model.Event
		want  []model.ID
	}{
		{"nothing recorded", nil, []model.ID{0, 2, 4}},
		{"another event", &model.Event{Op: model.Rewind, Kept: model.NoID, N: 2}, []model.ID{0, 2, 4}},
		{"keeps none", &model.Event{Op: model.Compact, Kept: model.NoID}, []model.ID{0, 2, 4}},
		{"keeps one", &model.Event{Op: model.Compact, Kept: model.NoID, N: 1}, []model.ID{0, 2}},
		{"keeps more than there are", &model.Event{Op: model.Compact, Kept: model.NoID, N: 9}, nil},
		{"replaces one", &model.Event{Op: model.Compact, Kept: model.NoID, N: -1}, []model.ID{0}},
		{"replaces more than there are", &model.Event{Op: model.Compact, Kept: model.NoID, N: -9}, []model.ID{0, 2, 4}},
		{"keeps from the second on", &model.Event{Op: model.Compact, Kept: 2}, []model.ID{0}},
	} {
		g := querytest.NewGrowing()
		for _, flags := range []model.Flags{0, model.Rewound, 0, model.OffBranch, 0} {
			g.Add(model.Head{Role: model.User, Flags: flags})
		}
		at := g.Add(model.Head{Op: model.Compact})
		g.Add(model.Head{Role: model.User})
		cleared := g.Add(model.Head{Role: model.Tool, Flags: model.Compacted})
		if c.event != nil {
			c.event.At = at
			g.Ix.Events = append(g.Ix.Events, *c.event)
		}
		set := query.Compacted(g.Snapshot())
		var got []model.ID
		for id := range cleared + 1 {
			if set.Has(id) {
				got = append(got, id)
			}
		}
		if want := append(c.want, cleared); !slices.Equal(got, want) {
			t.Errorf("%s: the messages %v are compacted, want %v", c.name, got, want)
		}
	}
}
