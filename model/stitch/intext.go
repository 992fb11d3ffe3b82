package stitch

import (
	"slices"

	"turns/model"
)

// If no fact reports the calls of a script, the builder reads them from its text. It does so at
// the end of the script: then it adds them to the script's message. Facts that arrive later
// replace them.

// textCalls are calls that the text of a script makes.
type textCalls struct {
	ref   model.Ref
	part  uint32 // of the message, skipped while the calls are not in it
	tools []uint16
	made  []gistBlock
	rows  []model.CallID // nil: the calls are not in the message
}

// holdInText stores the calls in the text of a script until the script has ended.
func (b *Builder) holdInText(batch *Batch, g *gist) {
	if g.blocks == 0 {
		return
	}
	blocks := batch.blocks[g.block : g.block+g.blocks]
	row, ok := b.maker(blocks[0].within)
	at := slices.IndexFunc(b.nest.scripts, func(s script) bool { return s.row == row })
	if !ok || at < 0 || b.nest.scripts[at].text != nil {
		return // a repeated record
	}
	s := &b.nest.scripts[at]
	t := &textCalls{ref: g.ref, made: slices.Clone(blocks)}
	for i := range blocks {
		t.tools = append(t.tools, b.name(batch, blocks[i].name))
	}
	h := b.amend(s.msg)
	t.part = uint32(b.ix.Parts.Append(model.NewPart(g.ref, h.LastPart, s.msg, true)))
	h.LastPart, s.text = t.part, t
}

// addText adds the calls in the text of an ended script to its message. A failed script may not
// have reached all of them, so addText then adds only a single call, if that call failed.
func (b *Builder) addText(s *script, outcome model.Outcome, itself bool) {
	t := s.text
	if t == nil || s.items || t.rows != nil {
		return
	}
	failed := outcome == model.Failure || outcome == model.Denied || outcome == model.TimedOut
	if outcome != model.Success && !(failed && len(t.made) == 1 && !itself) {
		return
	}
	if h := b.amend(s.msg); h.Flags&model.HasResults == 0 {
		h.Flags |= model.Continued
		b.ix.Continued = true
	} else {
		return // no room for calls in its chain
	}
	for i := range t.made {
		block := &t.made[i]
		c := model.Call{
			Msg: s.msg, Result: model.NoID, PrevResult: model.NoRow, ArgsSize: block.size,
			Took: model.NoTook, Tool: t.tools[i], Outcome: block.outcome, Same: uint32(block.args),
		}
		if failed {
			c.Outcome = outcome
		}
		t.rows = append(t.rows, model.CallID(b.ix.Calls.Append(c)))
	}
	b.placeText(s, t.rows, false)
	for _, row := range t.rows {
		b.inText(row, s.row)
	}
}

// placeText inserts the calls of a script's text after the script's own call, or removes them if
// out is true, and renumbers the calls of the message.
func (b *Builder) placeText(s *script, of []model.CallID, out bool) {
	t := s.text
	*b.ix.Parts.Amend(int(t.part)) = model.NewPart(t.ref, b.ix.Parts.Row(int(t.part)).Prev(), s.msg, out)
	h := b.ix.Heads.Amend(int(s.msg))
	var rows []model.CallID
	for row := h.LastCall; row != model.NoRow; row = b.ix.Calls.Row(int(row)).Prev {
		if !slices.Contains(of, model.CallID(row)) {
			rows = append(rows, model.CallID(row))
		}
	}
	slices.Reverse(rows)
	first, n := b.ix.Calls.Row(int(s.row)).Block, uint32(len(of))
	h.LastCall = model.NoRow
	link := func(row model.CallID, number uint32) {
		c := b.ix.Calls.Amend(int(row))
		c.Prev, c.Block, h.LastCall = h.LastCall, number, uint32(row)
	}
	for _, row := range rows {
		number := b.ix.Calls.Row(int(row)).Block
		switch {
		case number <= first:
		case out:
			number -= n
		default:
			number += n
		}
		if link(row, number); row != s.row || out {
			continue
		}
		for i, row := range of {
			link(row, first+1+uint32(i))
		}
	}
	b.nth = callNumber{msg: model.NoID}
}

// inText marks a call as known only from the text of a script.
func (b *Builder) inText(row, maker model.CallID) {
	b.inside(row, maker)
	if c := b.ix.Calls.Amend(int(row)); c.Inside == uint32(maker)+1 { // false for a cycle
		c.MadeInText(maker)
	}
}

// dropText removes the calls of a script's text from its message, because facts report the
// calls.
func (b *Builder) dropText(s *script) {
	s.items = true
	t := s.text
	if t == nil || t.rows == nil {
		return
	}
	b.amend(s.msg)
	b.placeText(s, t.rows, true)
	for _, row := range t.rows {
		*b.ix.Calls.Amend(int(row)) = model.Call{Msg: model.NoID, Result: model.NoID, Prev: model.NoRow, PrevResult: model.NoRow, Took: model.NoTook}
	}
	b.ix.Calls.Amend(int(s.row)).Flags &^= model.HasNested | model.Carries
	t.rows = nil
}

// settleText applies a span's outcome to a call known only from its script's text: the call gets no
// result and need not wait for one.
func (b *Builder) settleText(row model.CallID, block *gistBlock) {
	if block.nesting != model.OfText {
		return
	}
	c := b.ix.Calls.Amend(int(row))
	c.Outcome = block.outcome
	b.open.forget([]model.CallID{row})
	b.amendEnds(c)
}
