package timeline

import (
	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query/describe"
	"turns/ui/paint"
	"turns/ui/screen"
)

type docKey struct {
	key     screen.RowKey
	state   OpenState
	mode    screen.BodyMode
	w, gen  int
	noWrap  bool
	pending bool
	fetched int // generation of the texts stored elsewhere
	rows    int // height of the screen, which limits a shortened body
}

// stateOf returns how an item is shown: as set by hand, otherwise by the outline level.
func (l *List) stateOf(it *item) Opening {
	o := l.Opened[it.Key]
	if o.State == OpenDefault && l.Level >= 4 && l.hasBody(it) {
		o.State = openShort
		if l.whole {
			o.State = OpenWhole
		}
	}
	return o
}

// IsOpen reports whether the body of an item is visible.
func (l *List) IsOpen(it *item) bool { return l.stateOf(it).State >= openShort && l.hasBody(it) }

// hasBody reports whether an item can be opened.
func (l *List) hasBody(it *item) bool {
	switch it.Key.Kind {
	case screen.RowLine, screen.RowNote, screen.RowRule, screen.RowStep:
		return true
	}
	return false
}

// docOf returns the body of an item, nil if it is closed.
func (l *List) docOf(it *item) *paint.Doc {
	o := l.stateOf(it)
	if o.State < openShort || !l.hasBody(it) {
		return nil
	}
	if it.Key.Kind == screen.RowStep && o.Mode == screen.BodyRendered {
		return nil // rows replace its body
	}
	if it.Call != screen.NoCall && o.Mode == screen.BodyRendered && l.h.Snap.Call(it.Call).Child != 0 && !l.View().On {
		return nil // rows replace its body
	}
	if it.Kind == describe.LineUser && o.Mode == screen.BodyRendered && o.State == OpenDefault {
		return nil
	}
	w := max(l.w-1-l.bodyAt(it)-1, 8)
	key := docKey{it.Key, o.State, o.Mode, w, l.gen, !l.wrap, it.Call != screen.NoCall && l.h.Pending(it.Call), l.h.Fetches.Gen, l.Rows}
	if d, ok := l.docs.Get(key); ok {
		return d
	}
	parts, ok := l.h.BodyParts(l.row(it), o.State == openShort)
	d := &paint.Doc{Parts: parts, W: w, St: l.h.Styles, Wrap: l.wrap, Md: l.h.Markdown, Count: &l.Renders, Waits: !ok}
	if o.State == openShort && o.Mode != screen.BodyRaw {
		most := max(screen.ShortBody, l.Rows/2)
		if line, ok := l.lineOf(it); ok && line.State.Failed() {
			// its lines are a selection already; only long wrapped ones are cut
			most = 2 * screen.ShortBody
		}
		d.Shorten(most, max(most+paint.Slack, l.Rows-1), l.h.Key("z o"))
	}
	size := int64(512)
	for i := range d.Parts {
		size += int64(len(d.Parts[i].Text))*3 + 128
	}
	if ok {
		l.docs.PutSized(key, d, size)
	}
	return d
}

// bodyIndent is the distance of an open body from the left edge: texts get the width, regardless of
// the columns of the row above.
const bodyIndent = 4

// bodyAt returns the first cell of an item's body.
func (l *List) bodyAt(it *item) int { return bodyIndent + l.Indent(it) }

// keptBlocks returns the blocks of an item with texts stored elsewhere.
func (l *List) keptBlocks(it *item) []*model.Content {
	var out []*model.Content
	m := l.h.Bodies.Get(it.Key.ID)
	if m == nil {
		return nil
	}
	add := func(b *model.Content) {
		if l.h.Kept(b) {
			out = append(out, b)
		}
	}
	line, ok := l.lineOf(it)
	switch {
	case ok && line.Call != screen.NoCall:
		if call := screen.BlockOfCall(m, line); call != nil {
			add(call)
		}
		if result, _ := l.h.ResultOf(line, m); result != nil {
			add(result)
		}
	case ok && line.Block >= 0 && line.Block < len(m.Blocks):
		add(&m.Blocks[line.Block])
	case !ok:
		for i := range m.Blocks {
			add(&m.Blocks[i])
		}
	}
	return out
}

// FetchCur fetches the texts that the cursor's item stores elsewhere, also after an earlier
// attempt, and opens the item.
func (l *List) FetchCur() tea.Cmd {
	it, ok := l.CurItem()
	if !ok {
		return l.h.Complain("no row here")
	}
	var cmds []tea.Cmd
	for _, b := range l.keptBlocks(&it) {
		cmds = append(cmds, l.h.Fetch(b))
	}
	if len(cmds) == 0 {
		return l.h.Complain("this row has no text in another file")
	}
	if l.h.Focus != screen.PaneDetail && !l.IsOpen(&it) {
		l.setState(&it, OpenWhole)
		l.Reveal()
	}
	l.Moved()
	return tea.Batch(cmds...)
}
