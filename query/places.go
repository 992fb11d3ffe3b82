package query

import (
	"cmp"
	"slices"

	"turns/model"
)

// For speed only: fewBlocks is the number of calls or results up to which a linear search is used
// instead of a table.
const fewBlocks = 8

// places are the positions of a message's calls and results among its blocks. Lookups take constant
// time, because a message may have tens of thousands.
type places struct {
	snap           *model.Snapshot
	id             model.ID
	calls, Results []int32 // blocks
	idOf           func(block int) model.Text

	same map[string]sameID // results, by the id of their call as recorded
	// number of the result by its call in this message, if both have no id
	nameless map[model.CallID]int32
	answers  map[model.CallID]int32 // number of the result, by its call in the index
}

// sameID is the first result with an id, and the number of such results.
type sameID struct{ first, n int32 }

// newPlaces indexes the n blocks of a message.
func newPlaces(s *model.Snapshot, id model.ID, n int, kind func(block int) model.BlockKind, idOf func(block int) model.Text) *places {
	p := &places{snap: s, id: id, idOf: idOf}
	for i := range n {
		switch kind(i) {
		case model.ToolCall:
			p.calls = append(p.calls, int32(i))
		case model.ToolResult:
			p.Results = append(p.Results, int32(i))
		}
	}
	return p
}

// Call returns the block of a call that the message made, -1 if there is none.
func (p *places) Call(id model.CallID) int {
	if n := int(p.snap.Call(id).Block); n < len(p.calls) {
		return int(p.calls[n])
	}
	return -1
}

// Result returns the block with the result of a call, -1 if there is none. callID is the call's id
// in the transcript, "" if it has none.
func (p *places) Result(id model.CallID, callID string) int {
	if n := p.Rank(id, callID); n >= 0 {
		return int(p.Results[n])
	}
	return -1
}

// Rank returns the number of a call's result among the results of the message, -1 if it is not
// found.
func (p *places) Rank(id model.CallID, callID string) int {
	c, n := p.snap.Call(id), len(p.Results)
	if n == 0 {
		return -1
	}
	if c.Msg == model.NoID { // a result without a call
		return max(p.answer(id), 0)
	}
	same := p.withID(callID)
	switch {
	case same.n == 1:
		return int(same.first)
	case n == 1:
		return 0
	}
	if c.Result != c.Msg {
		if k := p.answer(id); k >= 0 {
			return k
		}
	}
	switch {
	case same.n > 0:
		return int(same.first)
	case c.Result == c.Msg:
		return p.sideBySide(id)
	}
	return -1
}

// sideBySide returns the number of the result of a call in the same message, both without ids: the
// first such result belongs to the first such call that has a result.
func (p *places) sideBySide(id model.CallID) int {
	if p.nameless == nil {
		p.nameless = map[model.CallID]int32{}
		var free []int32
		for n, block := range p.Results {
			if p.idOf(int(block)).String() == "" {
				free = append(free, int32(n))
			}
		}
		rows := p.snap.Calls(p.id)
		for n, block := range p.calls {
			if row := NthCall(rows, n); row != nil && row.Result == p.id && p.idOf(int(block)).String() == "" && len(free) > 0 {
				p.nameless[row.ID], free = free[0], free[1:]
			}
		}
	}
	if n, ok := p.nameless[id]; ok {
		return int(n)
	}
	if n := int(p.snap.Call(id).Block); n < len(p.Results) {
		return n
	}
	return -1
}

// withID returns the results with an id.
func (p *places) withID(id string) (same sameID) {
	if id == "" {
		return same
	}
	if len(p.Results) <= fewBlocks {
		for n, block := range p.Results {
			if isID(p.idOf(int(block)), id) {
				if same.n++; same.n == 1 {
					same.first = int32(n)
				}
			}
		}
		return same
	}
	if p.same == nil {
		p.same = make(map[string]sameID, len(p.Results))
		for n, block := range p.Results {
			id := p.idOf(int(block)).String()
			same := p.same[id]
			if same.n++; same.n == 1 {
				same.first = int32(n)
			}
			p.same[id] = same
		}
	}
	return p.same[id]
}

// isID reports whether a recorded id is id.
func isID(t model.Text, id string) bool {
	if t.Contains(`\`) {
		return t.String() == id
	}
	return t.Is(id)
}

// answer returns the number of the result that answers a call of another message, according to the
// index; -1 if there is none.
func (p *places) answer(id model.CallID) int {
	if p.answers == nil {
		rows := p.snap.Answers(p.id)
		p.answers = make(map[model.CallID]int32, len(rows))
		for k := range rows {
			p.answers[rows[k].ID] = int32(k)
		}
		if len(rows) == 0 {
			p.assignOrphans()
		}
	}
	if k, ok := p.answers[id]; ok && int(k) < len(p.Results) {
		return int(k)
	}
	return -1
}

// assignOrphans assigns the results without a call, in a message that makes calls itself, to those
// of its results that answer none of these calls, in order.
func (p *places) assignOrphans() {
	rows := OrphansAmong(p.snap, p.id)
	if len(rows) == 0 {
		return
	}
	own := make(map[string]bool, len(p.calls))
	for _, block := range p.calls {
		own[p.idOf(int(block)).String()] = true
	}
	for k, block := range p.Results {
		if len(rows) > 0 && !own[p.idOf(int(block)).String()] {
			p.answers[rows[0]] = int32(k)
			rows = rows[1:]
		}
	}
}

// The rows of results without a call are near those of the message's calls. The search ends after
// orphanGap rows of other messages, and at a distance of orphanReach.
const (
	orphanReach = 4096
	orphanGap   = 64
)

// OrphansAmong returns the results without a call in a message that makes calls itself; the index
// chains only its calls.
func OrphansAmong(s *model.Snapshot, id model.ID) (rows []model.CallID) {
	if s.HeadRow(id).Flags&(model.HasOrphan|model.HasResults) != model.HasOrphan {
		return nil
	}
	calls := s.Calls(id)
	if len(calls) == 0 {
		return nil
	}
	first, last := int(calls[0].ID), int(calls[len(calls)-1].ID)
	look := func(from, to, step int) {
		for n, gap := from, 0; n != to && gap < orphanGap; n += step {
			c := s.Call(model.CallID(n))
			if gap++; c.Msg == id || c.Result == id || n > first && n < last {
				gap = 0
			}
			if c.Msg == model.NoID && c.Result == id {
				rows = append(rows, model.CallID(n))
			}
		}
	}
	look(first, max(first-orphanReach, -1), -1)
	slices.Reverse(rows)
	look(first+1, min(last+orphanReach, s.CallCount()), 1)
	return rows
}

// NthCall returns the n-th call of a message; rows are the rows of its calls. It returns nil if
// an earlier message made the call, because the index then has no row for it.
func NthCall(rows []model.CallRow, n int) *model.CallRow {
	i, ok := n, n < len(rows) && int(rows[n].Block) == n
	if !ok {
		i, ok = slices.BinarySearchFunc(rows, n, func(r model.CallRow, n int) int { return cmp.Compare(int(r.Block), n) })
	}
	if !ok {
		return nil
	}
	return &rows[i]
}
