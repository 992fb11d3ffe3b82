package timeline

import (
	"slices"
	"sort"

	"turns/model"
	"turns/query/describe"
	"turns/ui/screen"
)

// LineDown goes to the next row. If it is not on the screen, the screen scrolls line by line, so
// that no body is skipped.
func (l *List) LineDown(n int) {
	for range n {
		next, ok := l.nextItem(l.Cur)
		if !ok {
			if !l.atEnd() {
				l.Scroll(1, false)
			}
			return
		}
		if l.CurVisible() && !l.visible(next) && l.bodyBelow() {
			l.Scroll(1, false)
			if !l.visible(next) {
				continue
			}
		}
		l.SelectPlace(next)
		l.Reveal()
	}
}

// LineUp moves up by n rows; it scrolls through a body taller than the screen.
func (l *List) LineUp(n int) {
	for range n {
		prev, ok := l.prevItem(l.Cur)
		if l.curAbove() {
			l.Scroll(-1, false)
			continue
		}
		if !ok {
			l.Reveal()
			return
		}
		if l.CurVisible() && !l.visible(prev) && l.docAt(prev) != nil {
			l.Scroll(-1, false)
			if !l.visible(prev) {
				continue
			}
		}
		l.SelectPlace(prev)
		l.Reveal()
	}
}

// visible reports whether the row of an item is on the screen and not covered.
func (l *List) visible(p place) bool {
	cover := l.Sticky()
	return slices.Index(l.OnScreen(), p) >= cover
}

// CursorLine returns the screen line of the cursor's row, -1 if it is off the screen.
func (l *List) CursorLine() int {
	return slices.IndexFunc(l.OnScreen(), func(q place) bool { return q.Slot == l.Cur.Slot && q.Item == l.Cur.Item && q.Chunk == 0 })
}

// CurVisible reports whether the cursor's row or a line of its body is on the screen.
func (l *List) CurVisible() bool {
	return slices.ContainsFunc(l.OnScreen(), func(q place) bool { return q.Slot == l.Cur.Slot && q.Item == l.Cur.Item })
}

// curAbove reports whether the cursor's row is above the screen while its body is visible.
func (l *List) curAbove() bool {
	places := l.OnScreen()
	cover := l.Sticky()
	return len(places) > cover && before(l.Cur, places[cover]) && l.CurVisible()
}

// bodyBelow reports whether the body of the cursor's row continues below the screen.
func (l *List) bodyBelow() bool {
	places := l.OnScreen()
	if len(places) == 0 {
		return false
	}
	q, ok := l.down(places[len(places)-1])
	return ok && q.Chunk > 0 && q.Slot == l.Cur.Slot && q.Item == l.Cur.Item
}

// Scroll moves the screen by n lines. With drag the cursor stays on the screen.
func (l *List) Scroll(n int, drag bool) {
	l.OnScreen()
	top, _ := l.shifted(l.Top, n)
	l.setTop(top)
	places := l.OnScreen()
	l.keepTop()
	if !drag || len(places) == 0 || l.CurVisible() {
		return
	}
	if before(l.Cur, places[0]) {
		l.OnScreenRow(l.Sticky())
	} else {
		l.OnScreenRow(len(places) - 1)
	}
}

// Page moves the screen and the cursor by n lines; at an end the cursor goes to the first or last
// row.
func (l *List) Page(n int) {
	row := l.RowOnScreen()
	was := l.Top
	top, moved := l.shifted(l.Top, n)
	l.setTop(top)
	places := l.OnScreen()
	l.keepTop()
	switch {
	case len(places) == 0:
	case l.Top == was && n > 0:
		l.OnScreenRow(len(places) - 1)
	case l.Top == was && n < 0, moved == 0:
		l.OnScreenRow(0)
	default:
		l.OnScreenRow(min(max(row, l.Sticky()), len(places)-1))
	}
}

// RowOnScreen returns the first screen line of the cursor's row or body, 0 if it is off the screen.
func (l *List) RowOnScreen() int {
	return max(slices.IndexFunc(l.OnScreen(), func(q place) bool { return q.Slot == l.Cur.Slot && q.Item == l.Cur.Item }), 0)
}

// OnScreenRow moves the cursor to the item at a screen line.
func (l *List) OnScreenRow(n int) {
	places := l.OnScreen()
	if len(places) == 0 {
		return
	}
	p := places[min(max(n, 0), len(places)-1)]
	l.SelectPlace(p)
	if p.Chunk > 0 && !l.CurVisible() {
		l.Reveal()
	}
}

// seek goes from the cursor to the n-th item in a direction that want accepts. skip reports by the
// head of a slot that it has no such item.
func (l *List) seek(n, dir int, skip func(h *model.Head) bool, want func(it *item) bool) (place, bool) {
	return l.nth(n, func(p place) (place, bool) { return l.seekOne(p, dir, skip, want) })
}

// nth takes up to n steps from the cursor.
func (l *List) nth(n int, step func(place) (place, bool)) (p place, found bool) {
	p = l.Cur
	for range n {
		q, ok := step(p)
		if !ok {
			break
		}
		p, found = q, true
	}
	return p, found
}

// seekAround is seek with wrapping around; ok is false if there is no other row.
func (l *List) seekAround(n, dir int, skip func(h *model.Head) bool, want func(it *item) bool) (p place, wrapped, ok bool) {
	p = l.Cur
	for range n {
		q, found := l.seekOne(p, dir, skip, want)
		if !found {
			q, found = l.first()
			if dir < 0 {
				q, found = l.last()
			}
			if it, ok := l.item(q); found && ok && !want(&it) {
				q, found = l.seekOne(q, dir, skip, want)
			}
			wrapped = true
		}
		if !found || q == l.Cur {
			break
		}
		p, ok = q, true
	}
	return p, wrapped, ok
}

// seekIn searches one slot, starting at an item.
func (l *List) seekIn(slot, from, dir int, want func(it *item) bool) (place, bool) {
	items := l.itemsOf(slot)
	for i := from; i >= 0 && i < len(items); i += dir {
		if want(&items[i]) {
			return place{Slot: slot, Item: i}, true
		}
	}
	return place{}, false
}

// seekInto is seekIn from the first item of a slot in the direction. It unfolds the turn of the
// item that it finds.
func (l *List) seekInto(slot, dir int, want func(it *item) bool) (place, bool) {
	if l.foldedSlot(slot) {
		l.unfoldFor(slot, want)
	}
	from := 0
	if dir < 0 {
		from = len(l.itemsOf(slot)) - 1
	}
	return l.seekIn(slot, from, dir, want)
}

// unfoldFor opens the folded turn of a slot if the slot has an item that want accepts.
func (l *List) unfoldFor(slot int, want func(it *item) bool) {
	id := l.SlotID(slot)
	h := l.h.Snap.HeadRow(id)
	if l.hiddenByHead(id, h) {
		return
	}
	items, _ := l.makeItems(slot, id, h)
	if slices.ContainsFunc(items, func(it item) bool { return want(&it) }) {
		l.openHosts(id)
		l.Invalidate()
	}
}

func (l *List) seekOne(p place, dir int, skip func(h *model.Head) bool, want func(it *item) bool) (place, bool) {
	if q, ok := l.seekIn(p.Slot, p.Item+dir, dir, want); ok {
		return q, true
	}
	for slot := p.Slot + dir; slot >= 0 && slot < l.Slots(); slot += dir {
		if skip != nil && skip(l.h.Snap.HeadRow(l.SlotID(slot))) {
			continue
		}
		if q, ok := l.seekInto(slot, dir, want); ok {
			return q, true
		}
	}
	return place{}, false
}

// seekRows is seek over the rows in the outline, so its cost does not depend on the distance.
func (l *List) seekRows(rows []int32, n, dir int, want func(it *item) bool) (place, bool) {
	return l.nth(n, func(p place) (place, bool) { return l.seekRow(rows, p, dir, want) })
}

func (l *List) seekRow(rows []int32, p place, dir int, want func(it *item) bool) (place, bool) {
	if q, ok := l.seekIn(p.Slot, p.Item+dir, dir, want); ok {
		return q, true
	}
	at := sort.Search(len(rows), func(i int) bool { return int(rows[i]) > p.Slot })
	if dir < 0 {
		at = sort.Search(len(rows), func(i int) bool { return int(rows[i]) >= p.Slot }) - 1
	}
	for ; at >= 0 && at < len(rows); at += dir {
		slot := int(rows[at])
		if host := l.hostOf(l.SlotID(slot)); host != l.SlotID(slot) {
			slot = l.slotOf(host)
			if slot == p.Slot || (slot < p.Slot) == (dir > 0) {
				continue
			}
		}
		if q, ok := l.seekInto(slot, dir, want); ok {
			return q, true
		}
	}
	return place{}, false
}

// CurItem returns the item of the cursor.
func (l *List) CurItem() (item, bool) { return l.item(l.Cur) }

// isFailed reports whether a row is an error.
func (l *List) isFailed(it *item) bool {
	if it.Kind == describe.LineUnreadable {
		return true
	}
	if it.Key.Kind == screen.RowStep {
		return screen.HasFailedCall(l.h.Snap, it.Key.ID)
	}
	line, ok := l.lineOf(it)
	return ok && line.State.Failed() && (line.Kind == describe.LineCall || line.Kind == describe.LineOrphan || line.State == model.Failure)
}

// isTaken reports whether an item is selected.
func (l *List) isTaken(it *item) bool {
	if l.takenFrom == nil {
		return false
	}
	a, b := l.takenRange()
	p := place{Slot: int(it.slot), Item: l.itemNumber(it)}
	return !before(p, a) && !before(b, p)
}

func (l *List) itemNumber(it *item) int {
	items := l.itemsOf(int(it.slot))
	return max(slices.IndexFunc(items, func(o item) bool { return o.Key == it.Key }), 0)
}

func (l *List) takenRange() (a, b place) {
	a, ok := l.Locate(*l.takenFrom)
	if !ok {
		return l.Cur, l.Cur
	}
	b = l.Cur
	if before(b, a) {
		a, b = b, a
	}
	return a, b
}

// TakenMessages returns the messages of the selected rows and their results, in order.
func (l *List) TakenMessages() []model.ID {
	if l.takenFrom == nil {
		return nil
	}
	a, b := l.takenRange()
	seen := map[model.ID]bool{}
	var ids []model.ID
	add := func(id model.ID) {
		if id != model.NoID && !seen[id] && l.h.Snap.Pos(id) >= 0 {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	for p, more := a, true; more && !before(b, p); p, more = l.nextItem(p) {
		if it, ok := l.item(p); ok {
			add(it.Key.ID)
			if it.Call != screen.NoCall {
				add(l.h.Snap.Call(it.Call).Result)
			}
		}
	}
	slices.SortFunc(ids, func(x, y model.ID) int { return l.h.Snap.Pos(x) - l.h.Snap.Pos(y) })
	return ids
}

// Moved updates whether the cursor follows the end, after anything that may have moved it.
func (l *List) Moved() {
	if l.h.Snap != nil && (l.Follow || l.h.Live) {
		// a cursor on the last row follows; one row higher it does not, even with the end on the
		// screen
		_, more := l.nextItem(l.Cur)
		l.Follow = !more && l.atEnd()
	}
	if l.Follow {
		l.Fresh, l.FreshErrors = 0, 0
	}
}
