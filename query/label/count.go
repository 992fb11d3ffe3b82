package label

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"turns/model"
)

// Count is the number of uses of a label, verdict, score or note.
type Count struct {
	Name string `json:"name"` // "#loop", "good", "quality", "notes"
	Kind Kind   `json:"kind"`
	N    int    `json:"count"`
}

// Counts counts the labels of some messages, their calls and their sessions, most frequent first.
func (h *Here) Counts(s *model.Snapshot, ids []model.ID) []Count {
	if h == nil || len(h.Placed) == 0 {
		return nil
	}
	wanted := make(map[model.ID]bool, len(ids))
	runs := map[uint32]bool{}
	for _, id := range ids {
		wanted[id] = true
		runs[s.Threads()[s.HeadRow(id).Thread].Session] = true
	}
	at := map[Count]int{}
	for i := range h.Placed {
		p := &h.Placed[i]
		if p.ID == model.NoID && runs[p.Session] || wanted[p.ID] {
			at[Count{Name: p.CountedAs(), Kind: p.Kind}]++
		}
	}
	out := make([]Count, 0, len(at))
	for c, n := range at {
		c.N = n
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b Count) int { return cmp.Or(b.N-a.N, strings.Compare(a.Name, b.Name)) })
	return out
}

// CountedAs returns the name under which marks of one kind count together.
func (m *Mark) CountedAs() string {
	switch m.Kind {
	case Note:
		return "notes"
	case Score:
		return m.Name + "="
	}
	return m.Words()
}

// CountLine returns the sum of counts and one line with all of them ("3 notes, 1 score").
func CountLine(counts []Count) (n int, line string) {
	var parts []string
	for _, c := range counts {
		n += c.N
		parts = append(parts, strconv.Itoa(c.N)+" "+c.Name)
	}
	return n, strings.Join(parts, ", ")
}
