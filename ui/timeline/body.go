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
	fetched int // the state of what is kept elsewhere
	rows    int // of the screen: how many lines are shown before the reader asks for all
}

// stateOf is how an item is shown: what the reader did to it, else what the outline level has for
// its kind.
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

// IsOpen reports whether the body of an item is shown.
func (l *List) IsOpen(it *item) bool { return l.stateOf(it).State >= openShort && l.hasBody(it) }

// hasBody reports whether an item can be opened.
func (l *List) hasBody(it *item) bool {
	switch it.Key.Kind {
	case screen.RowLine, screen.RowNote, screen.RowRule, screen.RowStep:
		return true
	}
	return false
}

// docOf is the body of an item, nil while it is closed.
func (l *List) docOf(it *item) *paint.Doc {
	o := l.stateOf(it)
	if o.State < openShort || !l.hasBody(it) {
		return nil
	}
	if it.Key.Kind == screen.RowStep && o.Mode == screen.BodyRendered {
		return nil // its rows are shown instead
	}
	if it.Call != screen.NoCall && o.Mode == screen.BodyRendered && l.h.Snap.Call(it.Call).Child != 0 && !l.View().On {
		return nil // its rows are shown instead
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
			// its lines were chosen already; only long ones that wrap are cut
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

// bodyIndent is how far an open body begins from the left edge: texts get the width, not the
// columns of the row above.
const bodyIndent = 4

// bodyAt is the cell in which the body of an item begins.
func (l *List) bodyAt(it *item) int { return bodyIndent + l.Indent(it) }

// keptBlocks are the blocks of an item that keep a text elsewhere.
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

// FetchCur fetches what the item of the cursor keeps elsewhere, again if that was tried before, and
// opens it.
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
	return tea.Batch(append(cmds, l.Moved())...)
}
