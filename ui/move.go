package ui

import (
	"slices"
	"sort"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query"
	"turns/ui/screen"
)

// lineDown goes to the next row. While that is not on the screen, the screen scrolls line by line, so that no body is skipped.
func (l *list) lineDown(n int) {
	for range n {
		next, ok := l.nextItem(l.cur)
		if !ok {
			if !l.atEnd() {
				l.scroll(1, false)
			}
			return
		}
		if l.curVisible() && !l.visible(next) && l.bodyBelow() {
			l.scroll(1, false)
			if !l.visible(next) {
				continue
			}
		}
		l.selectPlace(next)
		l.reveal()
	}
}

func (l *list) lineUp(n int) {
	for range n {
		prev, ok := l.prevItem(l.cur)
		if l.curAbove() {
			l.scroll(-1, false)
			continue
		}
		if !ok {
			l.reveal()
			return
		}
		if l.curVisible() && !l.visible(prev) && l.docAt(prev) != nil {
			l.scroll(-1, false)
			if !l.visible(prev) {
				continue
			}
		}
		l.selectPlace(prev)
		l.reveal()
	}
}

// visible reports whether the row of an item is on the screen and not covered.
func (l *list) visible(p place) bool {
	cover := l.sticky()
	for i, q := range l.onScreen() {
		if i >= cover && q == p {
			return true
		}
	}
	return false
}

// curVisible reports whether the cursor's row or a line of its body is on the screen.
func (l *list) curVisible() bool {
	for _, q := range l.onScreen() {
		if q.slot == l.cur.slot && q.item == l.cur.item {
			return true
		}
	}
	return false
}

// curAbove: the cursor's row is above the screen while its body is on it.
func (l *list) curAbove() bool {
	places := l.onScreen()
	cover := l.sticky()
	return len(places) > cover && before(l.cur, places[cover]) && l.curVisible()
}

// bodyBelow: the body of the cursor's row goes on under the screen.
func (l *list) bodyBelow() bool {
	places := l.onScreen()
	if len(places) == 0 {
		return false
	}
	q, ok := l.down(places[len(places)-1])
	return ok && q.chunk > 0 && q.slot == l.cur.slot && q.item == l.cur.item
}

// scroll moves the screen by n lines. With drag the cursor stays on the screen.
func (l *list) scroll(n int, drag bool) {
	l.onScreen()
	top, _ := l.shifted(l.top, n)
	l.setTop(top)
	places := l.onScreen()
	l.keepTop()
	if !drag || len(places) == 0 || l.curVisible() {
		return
	}
	if before(l.cur, places[0]) {
		l.onScreenRow(l.sticky())
	} else {
		l.onScreenRow(len(places) - 1)
	}
}

// page moves the screen by n lines and the cursor with it; at an end the cursor goes to the first or last row.
func (l *list) page(n int) {
	row := l.rowOnScreen()
	was := l.top
	top, moved := l.shifted(l.top, n)
	l.setTop(top)
	places := l.onScreen()
	l.keepTop()
	switch {
	case len(places) == 0:
	case l.top == was && n > 0:
		l.onScreenRow(len(places) - 1)
	case l.top == was && n < 0, moved == 0:
		l.onScreenRow(0)
	default:
		l.onScreenRow(min(max(row, l.sticky()), len(places)-1))
	}
}

// rowOnScreen is the line of the screen that the cursor's row is on, 0 if it is on none.
func (l *list) rowOnScreen() int {
	for i, q := range l.onScreen() {
		if q.slot == l.cur.slot && q.item == l.cur.item {
			return i
		}
	}
	return 0
}

// onScreenRow puts the cursor on the item at a line of the screen.
func (l *list) onScreenRow(n int) {
	places := l.onScreen()
	if len(places) == 0 {
		return
	}
	p := places[min(max(n, 0), len(places)-1)]
	l.selectPlace(p)
	if p.chunk > 0 && !l.curVisible() {
		l.reveal()
	}
}

// seek goes from the cursor in a direction to the n-th item that is what is looked for. want judges an item; skip says of a slot, by its head,
// that it cannot hold one.
func (l *list) seek(n, dir int, skip func(h *model.Head) bool, want func(it *item) bool) (place, bool) {
	p, found := l.cur, false
	for range n {
		q, ok := l.seekOne(p, dir, skip, want)
		if !ok {
			break
		}
		p, found = q, true
	}
	return p, found
}

func (l *list) seekOne(p place, dir int, skip func(h *model.Head) bool, want func(it *item) bool) (place, bool) {
	items := l.itemsOf(p.slot)
	for i := p.item + dir; i >= 0 && i < len(items); i += dir {
		if want(&items[i]) {
			return place{slot: p.slot, item: i}, true
		}
	}
	for slot := l.skipFolded(p.slot+dir, dir); slot >= 0 && slot < l.slots(); slot = l.skipFolded(slot+dir, dir) {
		if skip != nil && skip(l.h.Snap.HeadRow(l.slotID(slot))) {
			continue
		}
		items := l.itemsOf(slot)
		for k := range items {
			i := k
			if dir < 0 {
				i = len(items) - 1 - k
			}
			if want(&items[i]) {
				return place{slot: slot, item: i}, true
			}
		}
	}
	return place{}, false
}

// seekRows is seek over rows that the outline knows, so that it costs the same however far away they are.
func (l *list) seekRows(rows []int32, n, dir int, want func(it *item) bool) (place, bool) {
	p, found := l.cur, false
	for range n {
		q, ok := l.seekRow(rows, p, dir, want)
		if !ok {
			break
		}
		p, found = q, true
	}
	return p, found
}

func (l *list) seekRow(rows []int32, p place, dir int, want func(it *item) bool) (place, bool) {
	items := l.itemsOf(p.slot)
	for i := p.item + dir; i >= 0 && i < len(items); i += dir {
		if want(&items[i]) {
			return place{slot: p.slot, item: i}, true
		}
	}
	at := sort.Search(len(rows), func(i int) bool { return int(rows[i]) > p.slot })
	if dir < 0 {
		at = sort.Search(len(rows), func(i int) bool { return int(rows[i]) >= p.slot }) - 1
	}
	for ; at >= 0 && at < len(rows); at += dir {
		slot := int(rows[at])
		if host := l.hostOf(l.slotID(slot)); host != l.slotID(slot) {
			slot = l.slotOf(host)
			if slot == p.slot || (slot < p.slot) == (dir > 0) {
				continue
			}
		}
		items := l.itemsOf(slot)
		for k := range items {
			i := k
			if dir < 0 {
				i = len(items) - 1 - k
			}
			if want(&items[i]) {
				return place{slot: slot, item: i}, true
			}
		}
	}
	return place{}, false
}

// curItem is the item the cursor is on.
func (l *list) curItem() (item, bool) { return l.item(l.cur) }

// isFailed reports whether a row is an error.
func (l *list) isFailed(it *item) bool {
	if it.kind == query.LineUnreadable {
		return true
	}
	if it.key.Kind == screen.RowStep {
		return screen.HasFailedCall(l.h.Snap, it.key.Id)
	}
	line, ok := l.lineOf(it)
	return ok && line.State.Failed() && (line.Kind == query.LineCall || line.Kind == query.LineOrphan || line.State == model.Failure)
}

// taking.

// isTaken reports whether v has taken an item.
func (l *list) isTaken(it *item) bool {
	if l.taken == nil {
		return false
	}
	a, b := l.takenRange()
	p := place{slot: int(it.slot), item: l.itemNumber(it)}
	return !before(p, a) && !before(b, p)
}

func (l *list) itemNumber(it *item) int {
	items := l.itemsOf(int(it.slot))
	return max(slices.IndexFunc(items, func(o item) bool { return o.key == it.key }), 0)
}

func (l *list) takenRange() (a, b place) {
	a, ok := l.locate(*l.taken)
	if !ok {
		return l.cur, l.cur
	}
	b = l.cur
	if before(b, a) {
		a, b = b, a
	}
	return a, b
}

// takenMessages are the messages of the rows taken with v, those of results among them, in order.
func (l *list) takenMessages() []model.ID {
	if l.taken == nil {
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
	for p := a; !before(b, p); {
		if it, ok := l.item(p); ok {
			add(it.key.Id)
			if it.call != screen.NoCall {
				add(l.h.Snap.Call(it.call).Result)
			}
		}
		q, ok := l.nextItem(p)
		if !ok {
			break
		}
		p = q
	}
	slices.SortFunc(ids, func(x, y model.ID) int { return l.h.Snap.Pos(x) - l.h.Snap.Pos(y) })
	return ids
}

func (l *list) markOf(key screen.RowKey) rune {
	for r, k := range l.marks {
		if k == key {
			return r
		}
	}
	return 0
}

// moved looks, after everything that may have moved the cursor, whether it follows the end.
func (l *list) moved() tea.Cmd {
	if l.h.Snap != nil && (l.follow || l.h.Live) {
		_, more := l.nextItem(l.cur) // the cursor on the last row follows; one step up does not, although the end is still on the screen
		l.follow = !more && l.atEnd()
	}
	if l.follow {
		l.fresh, l.freshErrors = 0, 0
	}
	return nil
}
