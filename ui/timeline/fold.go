package timeline

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query/describe"
	"turns/ui/config"
	"turns/ui/paint"
	"turns/ui/screen"
)

// forgetItems discards the items of a message; their texts stay cached.
func (l *List) forgetItems(id model.ID) { l.made.Drop(id) }

// isPromptItem reports whether an item folds a turn.
func (l *List) isPromptItem(it *item) bool {
	return it.Kind == describe.LineUser && it.Depth == 0 && !l.View().On && l.h.Snap.HeadRow(it.Key.ID).Flags&model.Prompt != 0 && it.Key.Kind == screen.RowLine
}

func (l *List) isAgentItem(it *item) bool {
	return it.Call != screen.NoCall && l.h.Snap.Call(it.Call).Child != 0 && !l.View().On
}

// OpenCur opens the row of the cursor; if it is open, it moves the cursor to its first inner row.
func (l *List) OpenCur() string {
	it, ok := l.CurItem()
	if !ok {
		return "no row here"
	}
	if l.isPromptItem(&it) {
		if closed, steps := l.turnClosed(it.Key.ID); closed || steps {
			l.setTurn(it.Key.ID, openShort)
			return ""
		}
		if l.stateOf(&it).State < openShort {
			l.setState(&it, openShort)
			return ""
		}
	}
	if l.isScript(&it) && l.Opened[it.Key].State == OpenClosed {
		l.foldScript(&it, false)
		return ""
	}
	if l.stateOf(&it).State < openShort {
		if !l.hasBody(&it) {
			return "nothing to open"
		}
		l.setState(&it, openShort)
		return ""
	}
	if next, ok := l.nextItem(l.Cur); ok && (l.isAgentItem(&it) || l.isPromptItem(&it) || it.Key.Kind == screen.RowStep) {
		l.SelectPlace(next)
		return ""
	}
	if l.stateOf(&it).State == openShort {
		l.setState(&it, OpenWhole)
		return ""
	}
	return "open already: " + l.h.Key("h") + " closes"
}

// CloseCur closes the row of the cursor; if it is closed, it moves the cursor to its parent.
func (l *List) CloseCur() string {
	it, ok := l.CurItem()
	if !ok {
		return "no row here"
	}
	if l.IsOpen(&it) {
		l.setState(&it, OpenClosed)
		return ""
	}
	if l.isScript(&it) && l.Opened[it.Key].State != OpenClosed {
		l.foldScript(&it, true)
		return ""
	}
	if l.isPromptItem(&it) {
		if closed, _ := l.turnClosed(it.Key.ID); !closed {
			l.setTurn(it.Key.ID, OpenClosed)
			return ""
		}
		return "closed already: " + l.h.Key("l") + " opens"
	}
	if it.Depth > 0 {
		if p, ok := l.parentOf(l.Cur, it.Depth); ok {
			l.SelectPlace(p)
			return ""
		}
	}
	if p, ok := l.promptAbove(l.Cur.Slot); ok && before(p, l.Cur) {
		l.SelectPlace(p)
		return ""
	}
	return "no parent"
}

// foldScript hides or shows the rows of the calls made by a script. By default they are shown.
func (l *List) foldScript(it *item, closed bool) {
	delete(l.Opened, it.Key)
	if closed {
		l.Opened[it.Key] = Opening{State: OpenClosed}
	}
	l.forgetItems(l.SlotID(int(it.slot)))
}

// parentOf returns the row of a slot that an inner row belongs to.
func (l *List) parentOf(p place, depth uint8) (place, bool) {
	return l.seekIn(p.Slot, p.Item-1, -1, func(it *item) bool { return it.Depth < depth })
}

// ToggleCur opens or closes the row of the cursor: for a prompt its turn, otherwise its body. It
// returns why it could not, "" otherwise.
func (l *List) ToggleCur() string {
	it, ok := l.CurItem()
	if !ok {
		return "no row here"
	}
	if l.isPromptItem(&it) {
		closed, steps := l.turnClosed(it.Key.ID)
		if closed || steps {
			l.setTurn(it.Key.ID, openShort)
		} else {
			l.setTurn(it.Key.ID, OpenClosed)
		}
		return ""
	}
	if l.IsOpen(&it) {
		l.setState(&it, OpenClosed)
	} else {
		l.setState(&it, openShort)
	}
	return ""
}

// SetCur opens or closes the body of the row of the cursor. It opens a folded turn first, and folds
// the turn of a prompt whose body is closed.
func (l *List) SetCur(s OpenState) string {
	it, ok := l.CurItem()
	if !ok || !l.hasBody(&it) {
		return "nothing to open"
	}
	if l.isPromptItem(&it) {
		switch folded, _ := l.turnClosed(it.Key.ID); {
		case s != OpenClosed && folded:
			l.setTurn(it.Key.ID, openShort)
			return ""
		case s == OpenClosed && !folded && !l.IsOpen(&it):
			l.setTurn(it.Key.ID, OpenClosed)
			return ""
		}
	}
	l.setState(&it, s)
	return ""
}

// SetInside is SetCur including everything inside: the rows of a subagent or a turn.
func (l *List) SetInside(s OpenState) string {
	it, ok := l.CurItem()
	if !ok {
		return "no row here"
	}
	if l.isPromptItem(&it) {
		state := openShort
		if s == OpenClosed {
			state = OpenClosed
		}
		l.setTurn(it.Key.ID, state)
		p := l.Cur
		for range 2000 {
			q, ok := l.nextItem(p)
			if !ok {
				break
			}
			o, _ := l.item(q)
			if l.isPromptItem(&o) {
				break
			}
			l.Opened[o.Key] = Opening{s, l.Opened[o.Key].Mode}
			p = q
		}
		l.made.Clear()
		return ""
	}
	l.setState(&it, s)
	if l.isAgentItem(&it) {
		items := l.itemsOf(l.Cur.Slot)
		for i := l.Cur.Item + 1; i < len(items) && items[i].Depth > it.Depth; i++ {
			l.Opened[items[i].Key] = Opening{s, screen.BodyRendered}
		}
		l.forgetItems(l.SlotID(l.Cur.Slot))
	}
	return ""
}

func (l *List) setState(it *item, s OpenState) {
	o := l.Opened[it.Key]
	o.State = s
	if s == OpenClosed {
		o.Mode = screen.BodyRendered
		if l.Level < 4 {
			o.State = OpenDefault
		}
	}
	l.Opened[it.Key] = o
	if o == (Opening{}) {
		delete(l.Opened, it.Key)
	}
	if l.isAgentItem(it) || l.isScript(it) || it.Key.Kind == screen.RowStep {
		l.forgetItems(l.SlotID(int(it.slot)))
	}
}

func (l *List) setTurn(prompt model.ID, s OpenState) {
	l.turnOpen[prompt] = s
	l.made.Clear()
	l.Invalidate()
}

// ToggleKind opens or closes all rows near the screen that are of the same kind as the cursor's
// row: reasoning, calls of the same tool, events.
func (l *List) ToggleKind() string {
	it, ok := l.CurItem()
	if !ok {
		return "no row here"
	}
	same := func(o *item) bool {
		if o.Kind != it.Kind || o.Key.Kind != it.Key.Kind {
			return false
		}
		if it.Call != screen.NoCall && o.Call != screen.NoCall {
			return l.h.Snap.Call(it.Call).Tool == l.h.Snap.Call(o.Call).Tool
		}
		return (it.Call == screen.NoCall) == (o.Call == screen.NoCall)
	}
	state := openShort
	if l.IsOpen(&it) {
		state = OpenClosed
	}
	l.setState(&it, state)
	for _, dir := range [...]int{1, -1} {
		p := l.Cur
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
	l.Cur, _ = l.Locate(l.CurKey)
	return ""
}

// NextMode switches the body between rendered, source text and raw record; a closed row opens with
// its raw record.
func (l *List) NextMode() string {
	it, ok := l.CurItem()
	if !ok || !l.hasBody(&it) {
		return "nothing to show"
	}
	o := l.Opened[it.Key]
	if !l.IsOpen(&it) {
		o.Mode = screen.BodyRaw
		o.State = OpenWhole
	} else {
		o.Mode = (o.Mode + 1) % 3
		o.State = l.stateOf(&it).State
	}
	l.Opened[it.Key] = o
	return ""
}

// SetLevel changes the outline level; the cursor's row stays in place. all resets what was opened
// and closed by hand, and shows bodies in full.
func (l *List) SetLevel(level int, all bool) tea.Cmd {
	if level < 1 {
		return l.h.Complain("turns already: > shows more")
	}
	if level > 4 {
		return l.h.Complain("everything is open: < shows less")
	}
	row := l.RowOnScreen()
	l.Level, l.whole = level, all && level == 4
	if all {
		clear(l.Opened)
		clear(l.turnOpen)
	}
	l.Redraw()
	l.keepCursorAt(row)
	l.h.ShowStatus("outline: " + [...]string{"", "turns", "steps", "rows", "bodies"}[level])
	l.Moved()
	return nil
}

// ToggleWrap wraps long lines, or cuts them.
func (l *List) ToggleWrap() tea.Cmd {
	l.wrap = !l.wrap
	l.Sync()
	l.Reveal()
	if l.wrap {
		l.h.ShowStatus("long lines are wrapped")
	} else {
		l.h.ShowStatus("long lines are cut")
	}
	l.Moved()
	return nil
}

// NextEvents switches to the next display of bookkeeping events; the cursor's row stays in place.
func (l *List) NextEvents() tea.Cmd {
	row := l.RowOnScreen()
	l.Events = (l.Events + 1) % eventModes
	l.Redraw()
	l.keepCursorAt(row)
	l.h.ShowStatus([...]string{"events: only a number in the status line", "events are folded into rows", "events: one row for each", "events and injected text are hidden"}[l.Events])
	l.Moved()
	return nil
}

// SetTime sets the form of the time column, one of config.Times.
func (l *List) SetTime(name string) tea.Cmd {
	if !slices.Contains(config.Times(), name) {
		return l.h.Complain("the time column shows " + strings.Join(config.Times(), ", ") + ", not " + paint.OneLine(name))
	}
	l.timeMode = (timesOf(name) + timeModes - 1) % timeModes
	return l.NextTime()
}

// TimeName returns the current form of the time column: one of config.Times.
func (l *List) TimeName() string { return config.Times()[l.timeMode] }

// NextTime switches to the next form of the time column.
func (l *List) NextTime() tea.Cmd {
	l.timeMode = (l.timeMode + 1) % timeModes
	l.Invalidate()
	text := "time: " + [...]string{"of day", "since the start", "since the row before"}[l.timeMode]
	if !l.Col.time {
		return l.h.Complain(text + "; the column needs a wider screen")
	}
	l.h.ShowStatus(text)
	return nil
}

// recordsOpened is how many records are opened if none is a message.
const recordsOpened = 20

// OpenRecords gives each record a row and opens the first ones, for a file without a recognised
// session.
func (l *List) OpenRecords() {
	l.Events = eventsEach
	for slot := range min(l.Slots(), recordsOpened) {
		key := screen.RowKey{ID: l.SlotID(slot), Kind: screen.RowNote}
		if _, known := l.Opened[key]; !known {
			l.Opened[key] = Opening{State: openShort}
		}
	}
	l.made.Clear()
	l.Invalidate()
}
