package ui

import (
	"turns/query"
	"turns/ui/paint"
	"turns/ui/screen"
)

type docKey struct {
	key     screen.RowKey
	state   openState
	mode    screen.BodyMode
	w, gen  int
	noWrap  bool
	pending bool
	fetched int // the state of what is kept elsewhere
}

// stateOf is how an item is shown: what the reader did to it, else what the outline level has for its kind.
func (l *list) stateOf(it *item) opening {
	o := l.opened[it.key]
	if o.state == openDefault && l.level >= 4 && l.hasBody(it) {
		o.state = openShort
	}
	return o
}

func (l *list) isOpen(it *item) bool { return l.stateOf(it).state >= openShort && l.hasBody(it) }

// hasBody reports whether an item can be opened.
func (l *list) hasBody(it *item) bool {
	switch it.key.Kind {
	case screen.RowLine, screen.RowNote, screen.RowRule, screen.RowStep:
		return true
	}
	return false
}

// docOf is the body of an item, nil while it is closed.
func (l *list) docOf(it *item) *paint.Doc {
	o := l.stateOf(it)
	if o.state < openShort || !l.hasBody(it) {
		return nil
	}
	if it.key.Kind == screen.RowStep && o.mode == screen.BodyRendered {
		return nil // its rows are shown instead
	}
	if it.call != screen.NoCall && o.mode == screen.BodyRendered && l.h.Snap.Call(it.call).Child != 0 && !l.view().On {
		return nil // its rows are shown instead
	}
	if it.kind == query.LineUser && o.mode == screen.BodyRendered && o.state == openDefault {
		return nil
	}
	w := max(l.w-1-l.col.about-l.indent(it)-1, 8)
	key := docKey{it.key, o.state, o.mode, w, l.gen, !l.wrap, it.call != screen.NoCall && l.h.Pending(it.call), l.h.Fetches.Gen}
	if d, ok := l.docs.Get(key); ok {
		return d
	}
	parts, ok := l.h.BodyParts(l.row(it), o.state == openShort)
	d := &paint.Doc{Parts: parts, W: w, St: l.h.Styles, Wrap: l.wrap, Md: l.h.Markdown, Count: &l.renders}
	if o.state == openShort && o.mode != screen.BodyRaw {
		most := screen.ShortBody
		if line, ok := l.lineOf(it); ok && line.State.Failed() {
			most = 2 * screen.ShortBody // its lines were chosen already; only long ones that wrap are cut
		}
		d.Shorten(most)
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
