package ui

import (
	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query"
	"turns/ui/screen"
)

// forgetItems makes the items of a message anew; what they say stays.
func (l *list) forgetItems(id model.ID) { l.made.Drop(id) }

// isPromptItem reports whether an item folds a whole turn.
func (l *list) isPromptItem(it *item) bool {
	return it.kind == query.LineUser && it.depth == 0 && !l.view().On && l.h.Snap.HeadRow(it.key.Id).Flags&model.Prompt != 0 && it.key.Kind == screen.RowLine
}

func (l *list) isAgentItem(it *item) bool {
	return it.call != screen.NoCall && l.h.Snap.Call(it.call).Child != 0 && !l.view().On
}

// openCur opens the row of the cursor; an open one leads to its first row inside.
func (l *list) openCur() string {
	it, ok := l.curItem()
	if !ok {
		return "nothing here"
	}
	if l.isPromptItem(&it) {
		if closed, steps := l.turnClosed(it.key.Id); closed || steps {
			l.setTurn(it.key.Id, openShort)
			return ""
		}
		if l.stateOf(&it).state < openShort {
			l.setState(&it, openShort)
			return ""
		}
	}
	if l.stateOf(&it).state < openShort {
		if !l.hasBody(&it) {
			return "nothing to open"
		}
		l.setState(&it, openShort)
		return ""
	}
	if next, ok := l.nextItem(l.cur); ok && (l.isAgentItem(&it) || l.isPromptItem(&it) || it.key.Kind == screen.RowStep) {
		l.selectPlace(next)
		return ""
	}
	if l.stateOf(&it).state == openShort {
		l.setState(&it, openWhole)
		return ""
	}
	return "open already: h closes"
}

// closeCur closes the row of the cursor; a closed one leads to its parent.
func (l *list) closeCur() string {
	it, ok := l.curItem()
	if !ok {
		return "nothing here"
	}
	if l.isOpen(&it) {
		l.setState(&it, openClosed)
		return ""
	}
	if l.isPromptItem(&it) {
		if closed, _ := l.turnClosed(it.key.Id); !closed {
			l.setTurn(it.key.Id, openClosed)
			return ""
		}
		return "closed already: l opens"
	}
	if it.depth > 0 {
		items := l.itemsOf(l.cur.slot)
		for i := l.cur.item - 1; i >= 0; i-- {
			if items[i].depth < it.depth {
				l.selectPlace(place{slot: l.cur.slot, item: i})
				return ""
			}
		}
	}
	if p, ok := l.promptAbove(l.cur.slot); ok && before(p, l.cur) {
		l.selectPlace(p)
		return ""
	}
	return "no parent"
}

func (l *list) toggleCur() string {
	it, ok := l.curItem()
	if !ok {
		return "nothing here"
	}
	if l.isPromptItem(&it) {
		closed, steps := l.turnClosed(it.key.Id)
		if closed || steps {
			l.setTurn(it.key.Id, openShort)
		} else {
			l.setTurn(it.key.Id, openClosed)
		}
		return ""
	}
	if l.isOpen(&it) {
		l.setState(&it, openClosed)
	} else {
		l.setState(&it, openShort)
	}
	return ""
}

// setCur opens or closes the body of the row of the cursor.
func (l *list) setCur(s openState) string {
	it, ok := l.curItem()
	if !ok || !l.hasBody(&it) {
		return "nothing to open"
	}
	l.setState(&it, s)
	return ""
}

// setInside is setCur with everything inside: the rows of a subagent, of a turn.
func (l *list) setInside(s openState) string {
	it, ok := l.curItem()
	if !ok {
		return "nothing here"
	}
	if l.isPromptItem(&it) {
		state := openShort
		if s == openClosed {
			state = openClosed
		}
		l.setTurn(it.key.Id, state)
		p := l.cur
		for range 2000 {
			q, ok := l.nextItem(p)
			if !ok {
				break
			}
			o, _ := l.item(q)
			if l.isPromptItem(&o) {
				break
			}
			l.opened[o.key] = opening{s, l.opened[o.key].mode}
			p = q
		}
		l.made.Clear()
		return ""
	}
	l.setState(&it, s)
	if l.isAgentItem(&it) {
		items := l.itemsOf(l.cur.slot)
		for i := l.cur.item + 1; i < len(items) && items[i].depth > it.depth; i++ {
			l.opened[items[i].key] = opening{s, screen.BodyRendered}
		}
		l.forgetItems(l.slotID(l.cur.slot))
	}
	return ""
}

func (l *list) setState(it *item, s openState) {
	o := l.opened[it.key]
	o.state = s
	if s == openClosed {
		o.mode = screen.BodyRendered
		if l.level < 4 {
			o.state = openDefault
		}
	}
	l.opened[it.key] = o
	if o == (opening{}) {
		delete(l.opened, it.key)
	}
	if l.isAgentItem(it) || it.key.Kind == screen.RowStep {
		l.forgetItems(l.slotID(int(it.slot)))
	}
}

func (l *list) setTurn(prompt model.ID, s openState) {
	l.turnOpen[prompt] = s
	l.made.Clear()
	l.gen++
}

// toggleKind opens or closes, around the screen, all rows of the kind of the cursor's row: reasoning, calls of the same tool, events.
func (l *list) toggleKind() string {
	it, ok := l.curItem()
	if !ok {
		return "nothing here"
	}
	same := func(o *item) bool {
		if o.kind != it.kind || o.key.Kind != it.key.Kind {
			return false
		}
		if it.call != screen.NoCall && o.call != screen.NoCall {
			return l.h.Snap.Call(it.call).Tool == l.h.Snap.Call(o.call).Tool
		}
		return (it.call == screen.NoCall) == (o.call == screen.NoCall)
	}
	state := openShort
	if l.isOpen(&it) {
		state = openClosed
	}
	l.setState(&it, state)
	for _, dir := range [...]int{1, -1} {
		p := l.cur
		for range 1000 {
			q, ok := l.nextItem(p)
			if dir < 0 {
				q, ok = l.prevItem(p)
			}
			if !ok {
				break
			}
			p = q
			if o, ok := l.item(p); ok && same(&o) {
				l.setState(&o, state)
			}
		}
	}
	l.cur, _ = l.locate(l.curKey)
	return ""
}

// nextMode shows the body as rendered, as source, as raw record; a closed row opens with its raw record.
func (l *list) nextMode() string {
	it, ok := l.curItem()
	if !ok || !l.hasBody(&it) {
		return "nothing to show"
	}
	o := l.opened[it.key]
	if !l.isOpen(&it) {
		o.mode = screen.BodyRaw
		o.state = openWhole
	} else {
		o.mode = (o.mode + 1) % 3
		if o.state == openDefault {
			o.state = openShort
		}
	}
	l.opened[it.key] = o
	return ""
}

// setLevel changes the outline level; the cursor's row stays where it is on the screen. all forgets what was opened and closed by hand.
func (l *list) setLevel(level int, all bool) tea.Cmd {
	if level < 1 {
		return l.h.Complain("turns already: > shows more")
	}
	if level > 4 {
		return l.h.Complain("everything is open: < shows less")
	}
	row := l.rowOnScreen()
	l.level = level
	if all {
		clear(l.opened)
		clear(l.turnOpen)
	}
	l.redraw()
	l.sync()
	l.center(row)
	l.reveal()
	l.h.Level = level
	l.h.Say("outline: " + [...]string{"", "turns", "steps", "rows", "bodies"}[level])
	return l.moved()
}

func (l *list) toggleWrap() tea.Cmd {
	l.wrap = !l.wrap
	l.sync()
	l.reveal()
	if l.wrap {
		l.h.Say("long lines are wrapped")
	} else {
		l.h.Say("long lines are cut")
	}
	return l.moved()
}

func (l *list) nextEvents() tea.Cmd {
	row := l.rowOnScreen()
	l.events = (l.events + 1) % eventModes
	l.redraw()
	l.sync()
	l.center(row)
	l.reveal()
	l.h.Say([...]string{"events are counted in the status line", "events are folded into rows", "events have a row each", "events and injected text are hidden"}[l.events])
	return l.moved()
}

func (l *list) nextTime() tea.Cmd {
	l.timeMode = (l.timeMode + 1) % timeModes
	l.gen++
	text := "time: " + [...]string{"of day", "since the start", "since the row before"}[l.timeMode]
	if !l.col.time {
		return l.h.Complain(text + "; the column shows where there is room for it")
	}
	l.h.Say(text)
	return nil
}
