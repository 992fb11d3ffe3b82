package label

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"turns/model"
)

// Count is how often something was said.
type Count struct {
	Name string `json:"name"` // "#loop", "good", "quality", "notes"
	Kind Kind   `json:"kind"`
	N    int    `json:"count"`
}

// Counts is how often what was said of some messages, their calls and their runs: what was
// said most first.
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

// CountedAs is the name under which marks of a kind are counted together.
func (m *Mark) CountedAs() string {
	switch m.Kind {
	case Note:
		return "notes"
	case Score:
		return m.Name + "="
	}
	return m.Words()
}

// CountLine gives the sum of counts, and a line with each ("3 notes, 1 score").
func CountLine(counts []Count) (n int, line string) {
	var parts []string
	for _, c := range counts {
		n += c.N
		parts = append(parts, strconv.Itoa(c.N)+" "+c.Name)
	}
	return n, strings.Join(parts, ", ")
}
