package shape

import (
	"cmp"
	"context"

	"turns/model"
	"turns/query"
	"turns/query/human"
)

// callers finds the calls that the results of an item answer. It reads the calls once, because a
// message may have tens of thousands.
type callers struct {
	known bool
	// by the number of the result if the calls are in another item, otherwise by that of the call
	rows  []model.CallRow
	calls []int          // blocks of the calls, if the item has them
	byID  map[string]int // number of the first call with an id
	// number of the call by the number of a result, for results without an id
	bare []int
}

// read reads the calls of an item.
func (c *callers) read(s *model.Snapshot, it *Item) {
	c.known = true
	if it.head.Flags&model.HasCalls == 0 || it.head.Flags&model.HasResults != 0 {
		c.rows = s.Answers(it.id)
		return
	}
	c.byID, c.rows = map[string]int{}, s.Calls(it.id)
	for i := range it.Blocks {
		if b := &it.Blocks[i]; b.Kind == model.ToolCall {
			id := b.ID.String()
			if _, ok := c.byID[id]; !ok {
				c.byID[id] = len(c.calls)
			}
			c.calls = append(c.calls, i)
		}
	}
	c.pairBare(it)
}

// pairBare pairs results without an id with the calls without one, in order; if every call has an
// id, with the call of the same number.
func (c *callers) pairBare(it *Item) {
	var free []int
	for k, i := range c.calls {
		if it.Blocks[i].ID.Empty() {
			free = append(free, k)
		}
	}
	named := len(free) == 0
	for i := range it.Blocks {
		b := &it.Blocks[i]
		if b.Kind != model.ToolResult {
			continue
		}
		n, k := len(c.bare), -1
		switch {
		case !b.ID.Empty():
		case named:
			k = n
		case len(free) > 0:
			k, free = free[0], free[1:]
		}
		c.bare = append(c.bare, k)
	}
}

// answeredBy returns the number of the call in the same item that a result answers, by the id of
// the result, otherwise by its number.
func (c *callers) answeredBy(id string, n int) (k int, ok bool) {
	if id == "" && n < len(c.bare) {
		k = c.bare[n]
		return k, k >= 0 && k < len(c.calls)
	}
	k, ok = c.byID[id]
	return k, ok
}

// called returns the id and the tool of the call that a result answers; n is its number among the
// results of the item.
func (s *shaper) called(ctx context.Context, it *Item, b *model.Block, n int) (id, name string, err error) {
	id, name = b.ID.String(), b.Name.String()
	if id != "" && name != "" {
		return id, name, nil
	}
	c := &s.callers
	if !c.known {
		c.read(s.snap, it)
	}
	if c.byID != nil { // call and result are in one message
		if k, ok := c.answeredBy(id, n); ok {
			call := &it.Blocks[c.calls[k]]
			id, name = cmp.Or(id, cmp.Or(call.ID.String(), callID(it.pos, k))), cmp.Or(name, call.Name.String())
		}
		return id, name, nil
	}
	if n >= len(c.rows) {
		return id, name, nil
	}
	row := &c.rows[n]
	name = cmp.Or(name, s.snap.Name(row.Tool))
	if id != "" || row.Msg == model.NoID {
		return id, name, nil
	}
	if s.read == nil {
		s.read = query.NewPairs(s.snap)
	}
	made, err := s.read.Call(ctx, row.ID)
	if err != nil {
		return "", "", err
	}
	if made != nil && made.ID != "" {
		return made.ID, name, nil
	}
	return callID(s.snap.Pos(row.Msg), int(row.Block)), name, nil
}

// outcomeOf returns the outcome of the call that a result answers, which may be in another record
// than the result. n is the number of the result among those of the item.
func (s *shaper) outcomeOf(it *Item, b *model.Block, n int) model.Outcome {
	if row := s.answered(it, b, n); row != nil {
		return cmp.Or(row.Outcome, b.Outcome)
	}
	return b.Outcome
}

// took adds the duration of the call that a result answers: exact, or at most, if it is the time
// between other records than the messages, or that the times of the messages do not show it. n is
// the number of the result among those of the item.
func (s *shaper) took(it *Item, b *model.Block, n int, back *Extra) {
	row := s.answered(it, b, n)
	if row == nil {
		return
	}
	between, shown := s.between(row)
	took := human.Millis(row.Took)
	switch {
	case row.Took == model.NoTook:
		back.Untimed = shown
	case row.Flags&model.TookDerived == 0:
		back.Took = &took
	case !shown || between != int64(row.Took):
		back.AtMost = &took
	}
}

// between returns the time between the messages of a call and of its result, and whether a reader
// assumes that it is the duration of the call.
func (s *shaper) between(row *model.CallRow) (ms int64, shown bool) {
	if row.Msg == model.NoID || row.Result == model.NoID || row.Msg == row.Result {
		return 0, false
	}
	from, to := s.snap.HeadRow(row.Msg).Time, s.snap.HeadRow(row.Result).Time
	return to - from, from != 0 && to >= from
}

// answered is the call that a result answers, nil if it is not known.
func (s *shaper) answered(it *Item, b *model.Block, n int) *model.CallRow {
	c := &s.callers
	if !c.known {
		c.read(s.snap, it)
	}
	k, ok := n, n < len(c.rows)
	if c.byID != nil {
		k, ok = c.answeredBy(b.ID.String(), n)
		ok = ok && len(c.rows) == len(c.calls)
	}
	if !ok {
		return nil
	}
	return &c.rows[k]
}

// answeredAgain reports whether a further result follows that of a running call. It can only be
// read back as one if the first reports the call as running.
func (s *shaper) answeredAgain(it *Item) bool {
	for pos := it.pos + 1; pos < s.snap.Len() && pos <= it.pos+furtherWithin; pos++ {
		id := s.snap.At(pos)
		switch h := s.snap.HeadRow(id); {
		case h.Role != model.Tool:
			return false
		case h.Flags&model.HasResults != 0 && len(s.snap.Answers(id)) == 0:
			return true
		}
	}
	return false
}

// furtherWithin is the maximum distance of a further result from the first, in messages.
const furtherWithin = 64
