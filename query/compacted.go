package query

import (
	"sort"

	"turns/model"
)

// Compacted returns the messages that the model no longer sees: those that a compaction replaced
// by a summary, and those with cleared texts.
func Compacted(s *model.Snapshot) RowSet {
	set, events := NewRowSet(s, nil), Compactions(s)
	live := make([][]model.ID, len(s.Threads()))
	for n := range s.Rows() {
		id := s.Row(n)
		h := s.HeadRow(id)
		switch {
		case h.Flags&(model.Rewound|model.OffBranch) != 0:
		case h.Op == model.Compact:
			seen := live[h.Thread]
			for _, id := range seen[:len(seen)-KeptBy(s, seen, events[id])] {
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

// Compactions returns the compactions of a transcript by their rows.
func Compactions(s *model.Snapshot) map[model.ID]*model.Event {
	events := make(map[model.ID]*model.Event)
	for i := range s.Events() {
		if e := &s.Events()[i]; e.Op == model.Compact {
			events[e.At] = e
		}
	}
	return events
}

// KeptBy returns how many of the last messages remain after a compaction.
func KeptBy(s *model.Snapshot, seen []model.ID, e *model.Event) int {
	n := len(seen)
	switch {
	case e == nil:
		return 0
	case e.Kept != model.NoID:
		row := s.RowNumber(e.Kept)
		return n - sort.Search(n, func(i int) bool { return s.RowNumber(seen[i]) >= row })
	case e.N < 0: // the count of replaced messages
		return int(max(int64(n)+e.N, 0))
	}
	return int(min(e.N, int64(n)))
}
