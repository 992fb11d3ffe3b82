package ui

import (
	"sort"
	"time"

	"turns/model"
	"turns/query"
	"turns/ui/paint"
	"turns/ui/screen"
)

// place is a line of the timeline: slot, item within it, chunk of the item (0 is the row, then those of its body) and line of the chunk.
type place struct{ slot, item, chunk, line int }

// opening is what the reader did to an item by hand.
type opening struct {
	state openState
	mode  screen.BodyMode
}

// list is the timeline. It knows where the screen begins (top) and which item the cursor is on (cur); everything else is found by walking from
// there, so that its cost is that of the screen. Slots are the rows of the snapshot, or what the filter lets through; a slot has any number of
// items, most of which are found without reading texts.
type list struct {
	h          *screen.Host
	w, rows    int // cells of the timeline, the scroll bar among them
	level      int
	events     eventMode
	wrap       bool
	timeMode   timeMode
	opened     map[screen.RowKey]opening
	turnOpen   map[model.ID]openState // by prompt
	made       *screen.Lru[model.ID, []item]
	threads    map[uint32][]model.ID
	drawn      *screen.Lru[drawnKey, drawnRow]
	docs       *screen.Lru[docKey, *paint.Doc]
	gen        int // what is drawn with it is valid
	outline    *outline
	branches   bool    // what is on other branches has rows too
	chosen     *branch // the branch that is shown; nil: the live one
	anyBranch  bool
	branchesOf uint64   // version of the snapshot that anyBranch was found for
	restarted  string   // what happened to the file that was read before: a rule at the top
	readMark   model.ID // first row that was not read before; NoID for none
	top        place
	topKey     screen.RowKey
	cur        place // its chunk and line are 0
	curKey     screen.RowKey
	follow     bool
	taken      *screen.RowKey // other end of the selection made with v
	marks      map[rune]screen.RowKey
	renders    int // rows and chunks drawn anew, counted for tests
	col        columns
	findings   *search

	past, future       []screen.RowKey // jumps
	fresh, freshErrors int             // rows and errors that came while the reader was elsewhere
}

// timeMode is what the time column shows; key T goes through them.
type timeMode uint8

const (
	timeClock timeMode = iota
	timeSinceStart
	timeSinceRow
	timeModes
)

func newList(h *screen.Host) *list {
	return &list{
		h: h, level: 3, wrap: true, opened: map[screen.RowKey]opening{}, turnOpen: map[model.ID]openState{},
		made: screen.NewLRU[model.ID, []item](8192), drawn: screen.NewLRU[drawnKey, drawnRow](4 << 20), docs: screen.NewLRU[docKey, *paint.Doc](24 << 20),
		readMark: model.NoID, marks: map[rune]screen.RowKey{}, outline: &outline{},
	}
}

// Selected is the row the cursor is on; NoID and noCall for none.
func (l *list) Selected() (id model.ID, call model.CallID) {
	if it, ok := l.curItem(); ok {
		return it.key.Id, it.call
	}
	return model.NoID, screen.NoCall
}

// Block is the block of its message that the row of the cursor is about; -1: the whole message.
func (l *list) Block() int {
	if it, ok := l.curItem(); ok {
		if ln, ok := l.lineOf(&it); ok {
			return ln.Block
		}
	}
	return -1
}

// Taken are the messages of the rows taken with v; empty for none.
func (l *list) Taken() query.Selection {
	return query.Selection{Snap: l.h.Snap, IDs: l.takenMessages()}
}

func (l *list) view() *screen.View { return &l.h.View }

// slots is the number of slots; none while nothing has been read.
func (l *list) slots() int {
	switch {
	case l.h.Snap == nil:
		return 0
	case l.view().On:
		return len(l.view().Ids)
	}
	return l.h.Snap.Rows()
}

func (l *list) slotID(slot int) model.ID {
	if l.view().On {
		return l.view().Ids[slot]
	}
	return l.h.Snap.Row(slot)
}

// slotOf is the slot of a row of the snapshot, or where it would be.
func (l *list) slotOf(id model.ID) int {
	row := l.h.Snap.RowNumber(id)
	if !l.view().On {
		return max(row, 0)
	}
	ids := l.view().Ids
	return sort.Search(len(ids), func(i int) bool { return l.h.Snap.RowNumber(ids[i]) >= row })
}

// hostOf is the message that shows the rows of id: itself, the caller of a result, or the message whose call started its subagent.
func (l *list) hostOf(id model.ID) model.ID {
	for range 16 {
		h := l.h.Snap.HeadRow(id)
		if l.view().On {
			return id
		}
		t := l.thread(h.Thread)
		if t == nil || t.Main || uint32(t.Call) == model.NoRow {
			return id
		}
		msg := l.h.Snap.Call(t.Call).Msg
		if msg == model.NoID || msg == id {
			return id
		}
		id = msg
	}
	return id
}

// item gives the item of a place.
func (l *list) item(p place) (item, bool) {
	if p.slot < 0 || p.slot >= l.slots() {
		return item{}, false
	}
	items := l.itemsOf(p.slot)
	if p.item < 0 || p.item >= len(items) {
		return item{}, false
	}
	return items[p.item], true
}

// locate finds an item again, or the one that took its place: the nearest of its message, else what follows.
func (l *list) locate(key screen.RowKey) (place, bool) {
	if l.slots() == 0 || int(key.Id) >= l.h.Snap.Rows() {
		return l.first()
	}
	slot := l.slotOf(l.hostOf(key.Id))
	if slot < l.slots() {
		items := l.itemsOf(slot)
		best := -1
		for i := range items {
			k := items[i].key
			if k == key {
				return place{slot: slot, item: i}, true
			}
			if k.Id == key.Id && (best < 0 || k.Kind == key.Kind && k.N <= key.N) {
				best = i
			}
		}
		if best >= 0 {
			return place{slot: slot, item: best}, true
		}
		if len(items) > 0 {
			return place{slot: slot}, true
		}
	}
	if p, ok := l.promptAbove(slot); ok && l.foldedSlot(slot) {
		return p, true
	}
	if p, ok := l.nextItem(place{slot: slot - 1, item: 1 << 30}); ok {
		return p, true
	}
	return l.last()
}

func (l *list) first() (place, bool) { return l.nextItem(place{slot: -1, item: 0}) }

func (l *list) last() (place, bool) { return l.prevItem(place{slot: l.slots(), item: 0}) }

// nextItem is the row of the item after p.
func (l *list) nextItem(p place) (place, bool) {
	if p.slot >= 0 && p.slot < l.slots() {
		if p.item+1 < len(l.itemsOf(p.slot)) {
			return place{slot: p.slot, item: p.item + 1}, true
		}
	}
	for slot := l.skipFolded(p.slot+1, 1); slot < l.slots(); slot = l.skipFolded(slot+1, 1) {
		if len(l.itemsOf(slot)) > 0 {
			return place{slot: slot}, true
		}
	}
	return place{}, false
}

// prevItem is the row of the item before p.
func (l *list) prevItem(p place) (place, bool) {
	if p.item > 0 && p.slot < l.slots() {
		if n := len(l.itemsOf(p.slot)); n > 0 {
			return place{slot: p.slot, item: min(p.item, n) - 1}, true
		}
	}
	for slot := l.skipFolded(p.slot-1, -1); slot >= 0; slot = l.skipFolded(slot-1, -1) {
		if n := len(l.itemsOf(slot)); n > 0 {
			return place{slot: slot, item: n - 1}, true
		}
	}
	return place{}, false
}

// down is the line after p, up the one before it.
func (l *list) down(p place) (place, bool) {
	if d := l.docAt(p); d != nil {
		q := p
		if q.chunk == 0 {
			q.chunk, q.line = 1, -1
		}
		for ; q.chunk <= d.Len(); q.chunk, q.line = q.chunk+1, -1 {
			if q.line+1 < len(d.Lines(q.chunk-1)) {
				q.line++
				return q, true
			}
		}
	}
	return l.nextItem(p)
}

func (l *list) up(p place) (place, bool) {
	if p.chunk > 0 {
		d := l.docAt(p)
		if p.line > 0 {
			p.line--
			return p, true
		}
		for q := p; d != nil && q.chunk > 1; {
			q.chunk--
			if n := len(d.Lines(q.chunk - 1)); n > 0 {
				q.line = n - 1
				return q, true
			}
		}
		return place{slot: p.slot, item: p.item}, true
	}
	q, ok := l.prevItem(p)
	if !ok {
		return q, false
	}
	return l.lastLine(q), true
}

// lastLine is the last line of the item at p.
func (l *list) lastLine(p place) place {
	if d := l.docAt(p); d != nil {
		for c := d.Len(); c > 0; c-- {
			if n := len(d.Lines(c - 1)); n > 0 {
				return place{slot: p.slot, item: p.item, chunk: c, line: n - 1}
			}
		}
	}
	return place{slot: p.slot, item: p.item}
}

func (l *list) docAt(p place) *paint.Doc {
	it, ok := l.item(p)
	if !ok {
		return nil
	}
	return l.docOf(&it)
}

// shifted is p moved by n lines, as far as there are any; moved says by how many.
func (l *list) shifted(p place, n int) (q place, moved int) {
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

// onScreen are the places of the lines from top on, and moves top up where the end of the conversation would leave room under it.
func (l *list) onScreen() []place {
	if l.rows <= 0 || l.h.Snap == nil || l.slots() == 0 {
		return nil
	}
	places := l.walk(l.top)
	if missing := l.rows - len(places); missing > 0 {
		if top, moved := l.shifted(l.top, -missing); moved > 0 {
			l.top = top
			places = l.walk(top)
		}
	}
	return places
}

func (l *list) walk(p place) []place {
	places := make([]place, 0, l.rows)
	if _, ok := l.item(p); !ok {
		return places
	}
	for {
		places = append(places, p)
		if len(places) == l.rows {
			return places
		}
		q, ok := l.down(p)
		if !ok {
			return places
		}
		p = q
	}
}

// sync finds the cursor and the top again after something changed: a new snapshot, another filter, another outline level.
func (l *list) sync() {
	if l.h.Snap == nil || l.slots() == 0 {
		l.top, l.cur = place{}, place{}
		return
	}
	keep := l.top
	cur, ok := l.locate(l.curKey)
	if !ok {
		cur, _ = l.first()
	}
	top, ok := l.locate(l.topKey)
	if !ok {
		top, _ = l.first()
	}
	if it, ok := l.item(top); ok && it.key == l.topKey {
		top.chunk, top.line = keep.chunk, keep.line
		if d := l.docOf(&it); top.chunk > 0 && (d == nil || top.chunk > d.Len() || top.line >= len(d.Lines(top.chunk-1))) {
			top.chunk, top.line = 0, 0
		}
	}
	l.top = top
	l.selectPlace(cur)
}

// selectPlace puts the cursor on the item of p.
func (l *list) selectPlace(p place) {
	p.chunk, p.line = 0, 0
	if it, ok := l.item(p); ok {
		l.cur, l.curKey = p, it.key
	}
}

// setTop makes p the first line.
func (l *list) setTop(p place) {
	if it, ok := l.item(p); ok {
		l.top, l.topKey = p, it.key
	}
}

// sticky is the number of lines at the top that are covered by the prompt of what stands under them.
func (l *list) sticky() int {
	return len(l.stickyPlaces())
}

// reveal moves the top as little as possible so that the cursor's row is on the screen, with its body if that fits.
func (l *list) reveal() {
	places := l.onScreen()
	cover := l.sticky()
	if l.rows < 4 {
		cover = 0
	}
	at := -1
	for i, p := range places {
		if p.slot == l.cur.slot && p.item == l.cur.item && (p.chunk == 0 || i == 0) {
			at = i
			break
		}
	}
	inside := at >= 0 && places[at].chunk > 0 // its row is above the screen, its body is on it
	if at >= cover || inside && at >= 0 {
		l.keepTop()
		return
	}
	if at >= 0 || before(l.cur, l.top) {
		top, _ := l.shifted(l.cur, 0)
		l.setTop(top)
		if n := l.sticky(); n > 0 && l.rows > n {
			top, _ = l.shifted(l.cur, -n)
			l.setTop(top)
		}
		l.onScreen()
		l.keepTop()
		return
	}
	l.revealBody()
}

// revealBody moves the top so that the cursor's row is on the screen with its body, as far as that fits.
func (l *list) revealBody() {
	end, n := l.cur, 1
	for n < l.rows-1-l.sticky() {
		q, ok := l.down(end)
		if !ok || q.slot != l.cur.slot || q.item != l.cur.item {
			break
		}
		end = q
		n++
	}
	if places := l.onScreen(); len(places) > 0 && !before(places[len(places)-1], end) && !before(l.cur, l.top) {
		return // all of it is there
	}
	top, _ := l.shifted(end, -(l.rows - 1))
	l.setTop(top)
	l.keepTop()
}

// keepTop remembers what stands at the top, after onScreen may have moved it.
func (l *list) keepTop() {
	if it, ok := l.item(l.top); ok {
		l.topKey = it.key
	}
}

// center puts the cursor's row n lines under the top.
func (l *list) center(n int) {
	top, _ := l.shifted(l.cur, -max(n, 0))
	l.setTop(top)
	l.onScreen()
	l.keepTop()
}

// before reports whether line a stands above b.
func before(a, b place) bool {
	switch {
	case a.slot != b.slot:
		return a.slot < b.slot
	case a.item != b.item:
		return a.item < b.item
	case a.chunk != b.chunk:
		return a.chunk < b.chunk
	}
	return a.line < b.line
}

// atEnd reports whether the last line is on the screen.
func (l *list) atEnd() bool {
	places := l.onScreen()
	if len(places) == 0 {
		return true
	}
	_, more := l.down(places[len(places)-1])
	return !more
}

// toEnd puts the last line on the last line of the screen and the cursor on the last row.
func (l *list) toEnd() {
	p, ok := l.last()
	if !ok {
		return
	}
	l.selectPlace(p)
	top, _ := l.shifted(l.lastLine(p), -(l.rows - 1))
	l.setTop(top)
	l.keepTop()
}

// changed forgets what is known of a row that a new snapshot amended or added; of those from known on nothing is known yet.
func (l *list) changed(id model.ID, known int) {
	h := l.h.Snap.HeadRow(id)
	if int(id) < known {
		l.forget(id)
	}
	for _, c := range l.h.Snap.Answers(id) {
		if c.Msg != model.NoID && int(c.Msg) < known {
			l.forget(c.Msg)
		}
	}
	delete(l.threads, h.Thread)
	if t := l.thread(h.Thread); t != nil && !t.Main && uint32(t.Call) != model.NoRow {
		l.forget(l.hostOf(id))
	}
}

func (l *list) forget(id model.ID) {
	l.made.Drop(id)
	l.h.Described.Known.Drop(id)
	l.h.Bodies.Held.Drop(id)
	delete(l.h.Described.Asked, id)
}

// redraw forgets everything that was drawn: another theme, width or level.
func (l *list) redraw() {
	l.gen++
	l.made.Clear()
	l.drawn.Clear()
	l.docs.Clear()
}

// day is the number of a day in the zone of the screen.
func (l *list) day(ms int64) int {
	y, m, d := time.UnixMilli(ms).In(l.h.Zone).Date()
	return y*10000 + int(m)*100 + d
}

// line of a message that an item stands for; ok is false for items that are none.
func (l *list) lineOf(it *item) (*query.Line, bool) {
	if it.key.Kind != screen.RowLine {
		return nil, false
	}
	lines, _ := l.h.Described.Lines(it.key.Id)
	if int(it.key.N) >= len(lines) {
		return nil, false
	}
	return &lines[it.key.N], true
}

// lineDownItems moves by whole items, forwards or backwards.
func (l *list) lineDownItems(n int) {
	for ; n > 0; n-- {
		if p, ok := l.nextItem(l.cur); ok {
			l.selectPlace(p)
		}
	}
	for ; n < 0; n++ {
		if p, ok := l.prevItem(l.cur); ok {
			l.selectPlace(p)
		}
	}
	l.reveal()
}

// rowOnScreenOf is the line of the screen that the cursor was on before a new snapshot came.
func (l *list) rowOnScreenOf(old *model.Snapshot, another bool) int {
	if !another {
		return 0
	}
	return min(l.rows/3, 8)
}

// row is an item for other parts.
func (l *list) row(it *item) screen.Row {
	line, _ := l.lineOf(it)
	return screen.Row{Key: it.key, Call: it.call, Line: line, Mode: l.opened[it.key].mode}
}

// Current is the row the cursor is on.
func (l *list) Current() (r screen.Row, ok bool) {
	it, ok := l.curItem()
	if !ok {
		return r, false
	}
	return l.row(&it), true
}

// SetMode chooses what the body of a row is shown as.
func (l *list) SetMode(key screen.RowKey, mode screen.BodyMode) {
	o := l.opened[key]
	o.mode = mode
	l.opened[key] = o
}

// Wraps reports whether long lines of bodies are wrapped.
func (l *list) Wraps() bool { return l.wrap }
