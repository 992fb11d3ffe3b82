package stitch

import (
	"cmp"
	"slices"

	"turns/model"
)

// Models run tools from scripts, and tools call other tools. The builder links a call to the call
// that it names as its maker. Codex names none: its records show only when a call began and what it
// was, so the builder searches for a script that fits.

// nests has the scripts that may own calls, and the calls whose maker has not arrived yet.
type nests struct {
	scripts []script
	// calls by the id of the call that made them
	early map[model.Key][]model.CallID
	// row plus one of the script whose calls are being added; 0: the model makes them
	host uint32
}

// script is a recent script.
type script struct {
	row      model.CallID
	msg      model.ID
	thread   uint32
	from, to int64        // Unix ms; to is 0 while it runs
	poll     model.CallID // the last call that waits for it, if polled
	polled   bool
	calls    []model.Key // calls in its text that no fact reported
	text     *textCalls  // calls that its text makes for certain
	items    bool        // a fact reported one of its calls
}

// scriptsKept is the number of recent scripts that a record may refer to. earlyMost limits the
// calls that wait for their maker at a time.
const (
	scriptsKept = 64
	earlyMost   = 1 << 16
)

// nested links a new call to its maker, and the calls that it made to it.
func (b *Builder) nested(batch *Batch, g *gist, block *gistBlock, row model.CallID, thread uint32) {
	n := &b.nest
	switch {
	case block.nesting == model.Script:
		if len(n.scripts) == scriptsKept {
			n.scripts = slices.Delete(n.scripts, 0, 1)
		}
		n.scripts = append(n.scripts, script{row: row, msg: b.ix.Calls.Row(int(row)).Msg, thread: thread, from: g.time, calls: slices.Clone(batch.made[g.call : g.call+g.calls])})
	case block.nesting == model.Poll:
		b.poll(row, thread)
	case n.host != 0:
		b.inside(row, model.CallID(n.host-1))
	case block.nesting == model.OfText:
		if maker, ok := b.maker(block.within); ok {
			b.inText(row, maker)
		}
	case block.within != 0:
		if maker, ok := b.maker(block.within); ok {
			b.inside(row, maker)
		} else if len(n.early) < earlyMost {
			if n.early == nil {
				n.early = map[model.Key][]model.CallID{}
			}
			n.early[block.within] = append(n.early[block.within], row)
		}
	}
	if len(n.early) > 0 {
		b.adoptInside(block.id, row)
	}
}

// adoptInside links the calls that wait for a call with this key to it.
func (b *Builder) adoptInside(key model.Key, row model.CallID) {
	if key == 0 {
		return
	}
	for _, made := range b.nest.early[key] {
		b.inside(made, row)
	}
	delete(b.nest.early, key)
}

// maker returns the call with an id, or the call of a span.
func (b *Builder) maker(key model.Key) (model.CallID, bool) {
	if b.spans != nil {
		if s := b.spans.bySpan[key]; s != nil {
			return s.row, true
		}
	}
	return b.target(key)
}

// inside records that one call made another; a script then counts separately. It ignores cycles.
func (b *Builder) inside(row, maker model.CallID) {
	for at, ok := maker, true; ok; at, ok = b.ix.Calls.Row(int(at)).Parent() {
		if at == row {
			return
		}
	}
	c := b.ix.Calls.Amend(int(row))
	c.Inside = uint32(maker) + 1
	b.amendEnds(c)
	if m := b.ix.Calls.Row(int(maker)); m.Flags&model.HasNested == 0 {
		m = b.ix.Calls.Amend(int(maker))
		m.Flags |= model.HasNested
		if slices.ContainsFunc(b.nest.scripts, func(s script) bool { return s.row == maker }) {
			m.Flags |= model.Carries
		}
		b.amendEnds(m)
	}
}

// poll assigns a call that waits for a script to the last running script of its thread.
func (b *Builder) poll(row model.CallID, thread uint32) {
	b.ix.Calls.Amend(int(row)).Flags |= model.Carries
	for i := len(b.nest.scripts) - 1; i >= 0; i-- {
		if s := &b.nest.scripts[i]; s.thread == thread && s.to == 0 {
			s.poll, s.polled = row, true
			return
		}
	}
}

// ended records the end of a script, or of a wait for it, with its outcome. itself means that the
// script failed, not one of its calls.
func (b *Builder) ended(row model.CallID, outcome model.Outcome, at int64, itself bool) {
	if outcome == model.Background || outcome == model.Running {
		return
	}
	for i := range b.nest.scripts {
		s := &b.nest.scripts[i]
		if s.row == row {
			s.to = max(at, 1)
			b.addText(s, outcome, itself)
		}
		if s.polled && s.poll == row {
			s.to = max(at, 1)
			c := b.ix.Calls.Amend(int(s.row))
			c.Outcome = outcome
			b.amendEnds(c)
			b.addText(s, outcome, itself)
		}
	}
}

// addNested adds a call that ran in a script to the script's message. A fact about a call that the
// model made itself, or that no script made, becomes a note on that call.
func (b *Builder) addNested(batch *Batch, g *gist, thread uint32) {
	kind := b.name(batch, g.name)
	g.name = 0
	if g.blocks == 0 {
		b.note(batch, g, kind)
		return
	}
	blocks := batch.blocks[g.block : g.block+g.blocks]
	var host *script
	if _, known := b.target(blocks[0].id); !known {
		host = b.hostOf(g, thread)
	}
	if host == nil {
		g.target = blocks[0].id
		for i := range blocks {
			if blocks[i].kind == model.ToolResult {
				g.outcome = blocks[i].outcome
			}
		}
		b.note(batch, g, kind)
		return
	}
	b.dropText(host)
	h := b.addPart(batch, g, host.msg)
	h.Flags, b.ix.Continued = h.Flags|model.Continued, true // its texts differ from recorded ones
	b.nest.host = uint32(host.row) + 1
	b.addBlocks(batch, g, host.msg, thread)
	b.nest.host = 0
}

// hostOf returns the script that a call ran in, or nil if the thread has none. Of the scripts
// running when it began, it selects one whose text has the call, or the last one.
func (b *Builder) hostOf(g *gist, thread uint32) *script {
	began := cmp.Or(g.n, g.time)
	var best *script
	fits := -1
	for i := len(b.nest.scripts) - 1; i >= 0; i-- {
		s := &b.nest.scripts[i]
		if s.thread != thread {
			continue
		}
		fit := 0
		if s.from <= began && (s.to == 0 || began <= s.to) {
			fit += 2
		}
		if slices.Contains(s.calls, g.echo) {
			fit++
		}
		if fit > fits {
			best, fits = s, fit
		}
	}
	if best == nil {
		return nil
	}
	if i := slices.Index(best.calls, g.echo); i >= 0 {
		best.calls = slices.Delete(best.calls, i, i+1)
	}
	return best
}
