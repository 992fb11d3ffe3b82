package ui

import "turns/query"

type docKey struct {
	key     itemKey
	state   openState
	mode    bodyMode
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
	switch it.key.kind {
	case rowLine, rowNote, rowRule, rowStep:
		return true
	}
	return false
}

// docOf is the body of an item, nil while it is closed.
func (l *list) docOf(it *item) *doc {
	o := l.stateOf(it)
	if o.state < openShort || !l.hasBody(it) {
		return nil
	}
	if it.key.kind == rowStep && o.mode == bodyRendered {
		return nil // its rows are shown instead
	}
	if it.call != noCall && o.mode == bodyRendered && l.h.snap.Call(it.call).Child != 0 && !l.view().on {
		return nil // its rows are shown instead
	}
	if it.kind == query.LineUser && o.mode == bodyRendered && o.state == openDefault {
		return nil
	}
	w := max(l.w-1-l.col.about-l.indent(it)-1, 8)
	key := docKey{it.key, o.state, o.mode, w, l.gen, !l.wrap, it.call != noCall && l.h.pending(it.call), l.h.fetches.gen}
	if d, ok := l.docs.get(key); ok {
		return d
	}
	parts, ok := l.h.bodyParts(l.row(it), o.state == openShort)
	d := &doc{parts: parts, w: w, st: l.h.styles, wrap: l.wrap, md: l.h.markdown, count: &l.renders}
	if o.state == openShort && o.mode != bodyRaw {
		most := shortBody
		if line, ok := l.lineOf(it); ok && line.State.Failed() {
			most = 2 * shortBody // its lines were chosen already; only long ones that wrap are cut
		}
		d.shorten(most)
	}
	size := int64(512)
	for i := range d.parts {
		size += int64(len(d.parts[i].text))*3 + 128
	}
	if ok {
		l.docs.putSized(key, d, size)
	}
	return d
}
