package timeline

import (
	"time"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/ui/screen"
)

// Take starts a selection at the cursor, unless there is one.
func (l *List) Take() {
	if l.takenFrom == nil {
		k := l.CurKey
		l.takenFrom = &k
	}
}

// Taking reports whether rows are selected.
func (l *List) Taking() bool { return l.takenFrom != nil }

// Untake clears the selection; false if there was none.
func (l *List) Untake() bool {
	was := l.Taking()
	l.takenFrom = nil
	return was
}

// SetOutline adopts an outline of the current session.
func (l *List) SetOutline(msg OutlineMsg) bool {
	s := l.h.Snap
	if s == nil || msg.Outline.Version > s.Version() || msg.Outline.Rows > s.Rows() {
		return false
	}
	l.Outline = msg.Outline
	l.Sync()
	return true
}

// FollowEnd goes to the end and follows it.
func (l *List) FollowEnd() {
	l.Follow = true
	l.ToEnd()
}

// Restart adds a rule with the reason why the file was read again.
func (l *List) Restart(why string, at time.Time) {
	l.restarted = why + " " + l.h.Clock(at.UnixMilli()) + ", read again"
}

// Described redraws messages whose texts have been read. The rows on the screen stay in place.
func (l *List) Described(lines map[model.ID][]describe.Line) {
	seen := l.CurVisible()
	for id := range lines {
		l.made.Drop(id)
		l.made.Drop(l.hostOf(id))
	}
	l.Sync()
	if l.Follow {
		l.ToEnd()
	} else if seen {
		l.Reveal()
	}
}

// Filtered redraws after a change of the filter; the cursor stays on its row, or goes to the
// nearest remaining one, at a line of the screen.
func (l *List) Filtered(line int) {
	l.made.Clear()
	l.Invalidate()
	l.Untake()
	l.keepCursorAt(line)
}

// FilteredMore shows the end after the filter's rows have grown.
func (l *List) FilteredMore() {
	l.made.Clear()
	l.Sync()
	l.ToEnd()
}

// News counts a message that arrived while the reader was elsewhere, and marks the first of them.
func (l *List) News(id model.ID, bad bool) {
	if l.Follow {
		return
	}
	if l.Fresh == 0 {
		l.forgetItems(l.ReadMark)
		l.ReadMark, l.readSince = id, 0
	}
	l.Fresh++
	if bad {
		l.FreshErrors++
	}
}

// keysLookedAt is how far from the cursor FindAgain searches.
const keysLookedAt = 200_000

// FindAgain finds the message of the cursor in a session that replaced another. It searches
// outwards from the old place, where the message usually is.
func (l *List) FindAgain(key model.Key) {
	s, at := l.h.Snap, int(l.CurKey.ID)
	for d := 0; key != 0 && d < s.Rows() && d <= keysLookedAt; d++ {
		for _, n := range [...]int{at - d, at + d} {
			if n >= 0 && n < s.Rows() && s.HeadRow(model.ID(n)).Key == key {
				l.CurKey.ID = model.ID(n)
				l.topKey = l.CurKey
				l.Sync()
				return
			}
		}
	}
	l.Sync()
}

// ForgetJumps clears the jumps to go back to.
func (l *List) ForgetJumps() { l.past = nil }

// Begin moves the cursor to the first row.
func (l *List) Begin() {
	l.Cur, _ = l.first()
	l.SelectPlace(l.Cur)
	l.setTop(l.Cur)
}

// Selected returns the row of the cursor; NoID and NoCall for none.
func (l *List) Selected() (id model.ID, call model.CallID) {
	if it, ok := l.CurItem(); ok {
		return it.Key.ID, it.Call
	}
	return model.NoID, screen.NoCall
}

// Block returns the message block of the cursor's row; -1: the entire message.
func (l *List) Block() int {
	if it, ok := l.CurItem(); ok {
		if ln, ok := l.lineOf(&it); ok {
			return ln.Block
		}
	}
	return -1
}

// Taken returns the messages of the rows selected with v; empty for none.
func (l *List) Taken() query.Selection {
	return query.Selection{Snap: l.h.Snap, IDs: l.TakenMessages()}
}

// LabelRows returns the rows to label: those selected with v, otherwise that of the cursor.
func (l *List) LabelRows() (rows []screen.Row) {
	add := func(p place) {
		if it, ok := l.item(p); ok && it.Key.ID != model.NoID {
			rows = append(rows, l.row(&it))
		}
	}
	if l.takenFrom == nil {
		add(l.Cur)
		return rows
	}
	a, b := l.takenRange()
	for p, ok := a, true; ok && !before(b, p); p, ok = l.nextItem(p) {
		add(p)
	}
	return rows
}

// row presents an item to other parts.
func (l *List) row(it *item) screen.Row {
	line, _ := l.lineOf(it)
	return screen.Row{Key: it.Key, Call: it.Call, Line: line, Mode: l.Opened[it.Key].Mode}
}

// Current returns the row of the cursor.
func (l *List) Current() (r screen.Row, ok bool) {
	it, ok := l.CurItem()
	if !ok {
		return r, false
	}
	return l.row(&it), true
}

// SetMode sets the form of a row's body.
func (l *List) SetMode(key screen.RowKey, mode screen.BodyMode) {
	o := l.Opened[key]
	o.Mode = mode
	l.Opened[key] = o
}

// Wraps reports whether long lines of bodies are wrapped.
func (l *List) Wraps() bool { return l.wrap }
