package query

import (
	"slices"

	"turns/model"
)

// Compacted are the messages that the model does not see any more where they stand: those
// that a compaction replaced by a summary, and those whose texts were cleared.
func Compacted(s *model.Snapshot) RowSet {
	set := NewRowSet(s, nil)
	events := make(map[model.ID]*model.Event)
	for i := range s.Events() {
		if e := &s.Events()[i]; e.Op == model.Compact {
			events[e.At] = e
		}
	}
	live := make([][]model.ID, len(s.Threads()))
	for n := range s.Rows() {
		id := s.Row(n)
		h := s.HeadRow(id)
		switch {
		case h.Flags&(model.Rewound|model.OffBranch) != 0:
		case h.Op == model.Compact:
			seen := live[h.Thread]
			for _, id := range seen[:len(seen)-keptBy(s, seen, events[id])] {
				set.Add(id)
			}
		case h.Op == model.Say:
			if live[h.Thread] = append(live[h.Thread], id); h.Flags&model.Compacted != 0 {
				set.Add(id)
			}
		}
	}
	return set
}

// keptBy is how many of the last messages a compaction keeps.
func keptBy(s *model.Snapshot, seen []model.ID, e *model.Event) int {
	n := len(seen)
	switch {
	case e == nil:
		return 0
	case e.Kept != model.NoID:
		row := s.RowNumber(e.Kept)
		if i := slices.IndexFunc(seen, func(id model.ID) bool { return s.RowNumber(id) >= row }); i >= 0 {
			return n - i
		}
		return 0
	case e.N < 0: // it names how many it replaced
		return int(max(int64(n)+e.N, 0))
	}
	return int(min(e.N, int64(n)))
}
