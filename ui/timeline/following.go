package timeline

import (
	"time"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/ui/screen"
)

// Take begins a selection at the cursor; where there is one it goes on.
func (l *List) Take() {
	if l.takenFrom == nil {
		k := l.CurKey
		l.takenFrom = &k
	}
}

// Taking reports whether rows are selected.
func (l *List) Taking() bool { return l.takenFrom != nil }

// Untake gives the selection up; false where there was none.
func (l *List) Untake() bool {
	was := l.Taking()
	l.takenFrom = nil
	return was
}

// SetOutline takes an outline over that was made of what is shown.
func (l *List) SetOutline(msg OutlineMsg) bool {
	s := l.h.Snap
	if s == nil || msg.Outline.Version > s.Version() || msg.Outline.Rows > s.Rows() {
		return false
	}
	l.Outline = msg.Outline
	l.Sync()
	return true
}

// FollowEnd goes to the end and stays there.
func (l *List) FollowEnd() {
	l.Follow = true
	l.ToEnd()
}

// Restart says between the rows that the file was read again, and why.
func (l *List) Restart(why string, at time.Time) {
	l.restarted = why + " " + l.h.Clock(at.UnixMilli()) + ", read again"
}

// Described shows messages whose texts have been read. The rows on the screen stay.
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

// Filtered shows other rows; the cursor stays on its row, or goes to the nearest that is left, and
// comes to a line of the screen.
func (l *List) Filtered(line int) {
	l.made.Clear()
	l.Invalidate()
	l.Untake()
	l.keepCursorAt(line)
}

// FilteredMore shows the end of rows that grew.
func (l *List) FilteredMore() {
	l.made.Clear()
	l.Sync()
	l.ToEnd()
}

// News counts a message that came while the reader was elsewhere, and marks where they begin.
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

// keysLookedAt is how far around the cursor a message is looked for.
const keysLookedAt = 200_000

// FindAgain finds, in a conversation that took the place of another, the message that the cursor
// was on: it is mostly where it was, or near.
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

// ForgetJumps leaves no jump to go back to.
func (l *List) ForgetJumps() { l.past = nil }

// Begin puts the cursor on the first row.
func (l *List) Begin() {
	l.Cur, _ = l.first()
	l.SelectPlace(l.Cur)
	l.setTop(l.Cur)
}

// Selected is the row the cursor is on; NoID and NoCall for none.
func (l *List) Selected() (id model.ID, call model.CallID) {
	if it, ok := l.CurItem(); ok {
		return it.Key.ID, it.Call
	}
	return model.NoID, screen.NoCall
}

// Block is the block of its message that the row of the cursor is about; -1: the whole message.
func (l *List) Block() int {
	if it, ok := l.CurItem(); ok {
		if ln, ok := l.lineOf(&it); ok {
			return ln.Block
		}
	}
	return -1
}

// Taken are the messages of the rows taken with v; empty for none.
func (l *List) Taken() query.Selection {
	return query.Selection{Snap: l.h.Snap, IDs: l.TakenMessages()}
}

// LabelRows are the rows that a label is set on: those taken with v, else that of the cursor.
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

// row is an item for other parts.
func (l *List) row(it *item) screen.Row {
	line, _ := l.lineOf(it)
	return screen.Row{Key: it.Key, Call: it.Call, Line: line, Mode: l.Opened[it.Key].Mode}
}

// Current is the row the cursor is on.
func (l *List) Current() (r screen.Row, ok bool) {
	it, ok := l.CurItem()
	if !ok {
		return r, false
	}
	return l.row(&it), true
}

// SetMode chooses what the body of a row is shown as.
func (l *List) SetMode(key screen.RowKey, mode screen.BodyMode) {
	o := l.Opened[key]
	o.Mode = mode
	l.Opened[key] = o
}

// Wraps reports whether long lines of bodies are wrapped.
func (l *List) Wraps() bool { return l.wrap }
