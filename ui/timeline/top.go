package timeline

import "cmp"

// shifted moves p by n lines, as far as there are any; moved is by how many.
func (l *List) shifted(p place, n int) (q place, moved int) {
	for ; n > 0; n-- {
		q, ok := l.down(p)
		if !ok {
			return p, moved
		}
		p = q
		moved++
	}
	for ; n < 0; n++ {
		q, ok := l.up(p)
		if !ok {
			return p, moved
		}
		p = q
		moved++
	}
	return p, moved
}

// hasLine reports whether the item of p has the line p. It counts the lines of an unread body, so
// that the screen stays in place until the body is read.
func (l *List) hasLine(it *item, p place) bool {
	if p.Chunk == 0 {
		return true
	}
	d := l.docOf(it)
	if d == nil || p.Chunk < 0 || p.line < 0 {
		return false
	}
	return d.Waits || p.Chunk <= d.Len() && p.line < len(d.Lines(p.Chunk-1))
}

// OnScreen returns the places of the lines from Top on. It moves Top up if the end of the session
// would leave empty lines below.
func (l *List) OnScreen() []place {
	if l.Rows <= 0 || l.h.Snap == nil || l.Slots() == 0 {
		return nil
	}
	it, ok := l.item(l.Top)
	if ok && !l.hasLine(&it, l.Top) {
		l.Top.Chunk, l.Top.line = 0, 0
	}
	places := l.walk(l.Top)
	waits := ok && l.Top.Chunk > 0 && l.docOf(&it).Waits
	if missing := l.Rows - len(places); missing > 0 && !waits {
		if top, moved := l.shifted(l.Top, -missing); moved > 0 {
			l.Top = top
			places = l.walk(top)
		}
	}
	return places
}

func (l *List) walk(p place) []place {
	places := make([]place, 0, l.Rows)
	if _, ok := l.item(p); !ok {
		return places
	}
	for {
		places = append(places, p)
		if len(places) == l.Rows {
			return places
		}
		q, ok := l.down(p)
		if !ok {
			return places
		}
		p = q
	}
}

// Sync finds the cursor and the top again after a change: a new snapshot, another filter, another
// outline level.
func (l *List) Sync() {
	if l.h.Snap == nil || l.Slots() == 0 {
		l.Top, l.Cur = place{}, place{}
		return
	}
	keep := l.Top
	cur, ok := l.Locate(l.CurKey)
	if !ok {
		cur, _ = l.first()
	}
	top, ok := l.Locate(l.topKey)
	if !ok {
		top, _ = l.first()
	}
	if it, ok := l.item(top); ok && it.Key == l.topKey {
		top.Chunk, top.line = keep.Chunk, keep.line
		if !l.hasLine(&it, top) {
			top.Chunk, top.line = 0, 0
		}
	}
	l.Top = top
	l.SelectPlace(cur)
}

// SelectPlace moves the cursor to the item of p.
func (l *List) SelectPlace(p place) {
	p.Chunk, p.line = 0, 0
	if it, ok := l.item(p); ok {
		l.Cur, l.CurKey = p, it.Key
	}
}

// setTop makes p the first line.
func (l *List) setTop(p place) {
	if it, ok := l.item(p); ok {
		l.Top, l.topKey = p, it.Key
	}
}

// Sticky returns the number of lines at the top covered by the prompt of the rows below.
func (l *List) Sticky() int {
	return len(l.StickyPlaces())
}

// Reveal moves the top as little as possible to show the cursor's row, with its body if that fits.
func (l *List) Reveal() {
	places := l.OnScreen()
	cover := l.Sticky()
	if l.Rows < 4 {
		cover = 0
	}
	at := -1
	for i, p := range places {
		if p.Slot == l.Cur.Slot && p.Item == l.Cur.Item && (p.Chunk == 0 || i == 0) {
			at = i
			break
		}
	}
	inside := at >= 0 && places[at].Chunk > 0 // its row is above the screen, its body is visible
	if at >= cover || inside && at >= 0 {
		l.keepTop()
		return
	}
	if at >= 0 || before(l.Cur, l.Top) {
		top, _ := l.shifted(l.Cur, 0)
		l.setTop(top)
		if n := l.Sticky(); n > 0 && l.Rows > n {
			top, _ = l.shifted(l.Cur, -n)
			l.setTop(top)
		}
		l.OnScreen()
		l.keepTop()
		return
	}
	l.RevealBody()
}

// RevealBody moves the top to show the cursor's row with its body, as far as it fits.
func (l *List) RevealBody() {
	end, n := l.Cur, 1
	for n < l.Rows-1-l.Sticky() {
		q, ok := l.down(end)
		if !ok || q.Slot != l.Cur.Slot || q.Item != l.Cur.Item {
			break
		}
		end = q
		n++
	}
	if places := l.OnScreen(); len(places) > 0 && !before(places[len(places)-1], end) && !before(l.Cur, l.Top) {
		return // all of it is visible
	}
	top, _ := l.shifted(end, -(l.Rows - 1))
	l.setTop(top)
	l.keepTop()
}

// keepTop records the item at the top after OnScreen may have moved it.
func (l *List) keepTop() {
	if it, ok := l.item(l.Top); ok {
		l.topKey = it.Key
	}
}

// Center scrolls the cursor's row to line n.
func (l *List) Center(n int) {
	top, _ := l.shifted(l.Cur, -max(n, 0))
	l.setTop(top)
	l.OnScreen()
	l.keepTop()
}

// before reports whether line a is above b.
func before(a, b place) bool {
	return compared(a, b) < 0
}

// compared compares places by their order from top to bottom.
func compared(a, b place) int {
	return cmp.Or(a.Slot-b.Slot, a.Item-b.Item, a.Chunk-b.Chunk, a.line-b.line)
}

// atEnd reports whether the last line is on the screen.
func (l *List) atEnd() bool {
	places := l.OnScreen()
	if len(places) == 0 {
		return true
	}
	_, more := l.down(places[len(places)-1])
	return !more
}

// ToEnd scrolls to the last line and moves the cursor to the last row.
func (l *List) ToEnd() {
	p, ok := l.last()
	if !ok {
		return
	}
	l.SelectPlace(p)
	top, _ := l.shifted(l.lastLine(p), -(l.Rows - 1))
	l.setTop(top)
	l.keepTop()
}
