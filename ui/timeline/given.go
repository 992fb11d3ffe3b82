package timeline

import (
	"turns/model"
	"turns/query"
	"turns/ui/screen"
)

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
	if l.TakenFrom == nil {
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
