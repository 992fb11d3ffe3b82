package timeline

import (
	"slices"
	"sort"
	"strconv"
	"time"

	"turns/model"
	"turns/query/describe"
	"turns/ui/config"
	"turns/ui/paint"
	"turns/ui/screen"
)

// place is a line of the timeline: slot, item in the slot, chunk of the item (0 is the row, then
// its body) and line of the chunk.
type place struct{ Slot, Item, Chunk, line int }

// Opening is the state of an item set by hand.
type Opening struct {
	State OpenState
	Mode  screen.BodyMode
}

// List is the timeline. It stores where the screen begins (Top) and the item of the cursor (Cur),
// and finds everything else by walking from there, so its cost is that of one screen. Slots are the
// rows of the snapshot, or the rows that pass the filter. A slot has any number of items, most of
// which it finds without reading texts.
type List struct {
	h          *screen.Host
	w, Rows    int // cells of the timeline, including the scroll bar
	Level      int
	whole      bool // bodies opened by the level are shown in full
	Events     eventMode
	wrap       bool
	timeMode   timeMode
	Opened     map[screen.RowKey]Opening
	turnOpen   map[model.ID]OpenState // by prompt
	made       *screen.Lru[model.ID, []item]
	threads    map[uint32][]model.ID
	drawn      *screen.Lru[drawnKey, drawnRow]
	docs       *screen.Lru[docKey, *paint.Doc]
	gen        int // generation of valid drawn rows
	Outline    *Outline
	branches   bool    // messages of other branches have rows as well
	chosen     *branch // the shown branch; nil: the live one
	anyBranch  bool
	branchesOf uint64   // snapshot version of anyBranch
	restarted  string   // why the file was read again: a rule at the top
	ReadMark   model.ID // first unread row; NoID for none
	readSince  int64    // when the user last left, in ms; 0: messages are in order of arrival
	Top        place
	topKey     screen.RowKey
	Cur        place // its chunk and line are 0
	CurKey     screen.RowKey
	Follow     bool
	takenFrom  *screen.RowKey      // fixed end of the selection made with v
	kept       map[string]savedRow // old marks not yet converted to labels
	Renders    int                 // rows and chunks drawn, for tests
	Col        columns
	find       search
	uncovered  map[model.ID]bool // rows with context that a jump went to

	past, future       []screen.RowKey // jumps
	Fresh, FreshErrors int             // rows and errors that arrived meanwhile
}

// timesOf returns the mode of a name of config.Times, the first mode for an unknown name.
func timesOf(name string) timeMode { return timeMode(max(slices.Index(config.Times(), name), 0)) }

// timeMode is the form of the time column; key T switches it.
type timeMode uint8

const (
	timeClock timeMode = iota
	timeSinceStart
	timeSinceRow
	timeModes
)

// New makes a timeline of the host's session; it is empty until the host has a snapshot.
func New(h *screen.Host) *List {
	return &List{
		h: h, Level: 3, wrap: true, timeMode: timesOf(h.Opts.Times), Opened: map[screen.RowKey]Opening{}, turnOpen: map[model.ID]OpenState{}, uncovered: map[model.ID]bool{},
		made: screen.NewLRU[model.ID, []item](8192), drawn: screen.NewLRU[drawnKey, drawnRow](4 << 20), docs: screen.NewLRU[docKey, *paint.Doc](24 << 20),
		ReadMark: model.NoID, Outline: &Outline{},
	}
}

// View returns the filter and its result.
func (l *List) View() *screen.View { return &l.h.View }

// Slots returns the number of slots, 0 before anything is read.
func (l *List) Slots() int {
	switch {
	case l.h.Snap == nil:
		return 0
	case l.View().On:
		return len(l.View().Ids)
	}
	return l.h.Snap.Rows()
}

// SlotID returns the message of a slot; the slot must be valid.
func (l *List) SlotID(slot int) model.ID {
	if l.View().On {
		return l.View().Ids[slot]
	}
	return l.h.Snap.Row(slot)
}

// slotOf returns the slot of a message, or where it would be.
func (l *List) slotOf(id model.ID) int {
	row := l.h.Snap.RowNumber(id)
	if !l.View().On {
		return max(row, 0)
	}
	ids := l.View().Ids
	return sort.Search(len(ids), func(i int) bool { return l.h.Snap.RowNumber(ids[i]) >= row })
}

// hostOf returns the message that shows the rows of id: itself, the caller of a result, or the
// message whose call started its subagent.
func (l *List) hostOf(id model.ID) model.ID {
	for range 16 {
		h := l.h.Snap.HeadRow(id)
		if l.View().On {
			return id
		}
		t := l.Thread(h.Thread)
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

// item returns the item at a place.
func (l *List) item(p place) (item, bool) {
	if p.Slot < 0 || p.Slot >= l.Slots() {
		return item{}, false
	}
	items := l.itemsOf(p.Slot)
	if p.Item < 0 || p.Item >= len(items) {
		return item{}, false
	}
	return items[p.Item], true
}

// Locate finds an item again, or its replacement: the nearest of its message, otherwise the next
// one.
func (l *List) Locate(key screen.RowKey) (place, bool) {
	if l.Slots() == 0 || int(key.ID) >= l.h.Snap.Rows() {
		return l.first()
	}
	slot := l.slotOf(l.hostOf(key.ID))
	if slot < l.Slots() {
		items := l.itemsOf(slot)
		best := -1
		for i := range items {
			k := items[i].Key
			if k == key {
				return place{Slot: slot, Item: i}, true
			}
			if k.ID == key.ID && (best < 0 || k.Kind == key.Kind && k.N <= key.N) {
				best = i
			}
		}
		if best >= 0 {
			return place{Slot: slot, Item: best}, true
		}
		if len(items) > 0 {
			return place{Slot: slot}, true
		}
	}
	if p, ok := l.promptAbove(slot); ok && l.foldedSlot(slot) {
		return p, true
	}
	if p, ok := l.nextItem(place{Slot: slot - 1, Item: 1 << 30}); ok {
		return p, true
	}
	return l.last()
}

func (l *List) first() (place, bool) { return l.nextItem(place{Slot: -1, Item: 0}) }

func (l *List) last() (place, bool) { return l.prevItem(place{Slot: l.Slots(), Item: 0}) }

// nextItem returns the row of the item after p.
func (l *List) nextItem(p place) (place, bool) {
	if p.Slot >= 0 && p.Slot < l.Slots() {
		if p.Item+1 < len(l.itemsOf(p.Slot)) {
			return place{Slot: p.Slot, Item: p.Item + 1}, true
		}
	}
	for slot := l.skipFolded(p.Slot+1, 1); slot < l.Slots(); slot = l.skipFolded(slot+1, 1) {
		if len(l.itemsOf(slot)) > 0 {
			return place{Slot: slot}, true
		}
	}
	return place{}, false
}

// prevItem returns the row of the item before p.
func (l *List) prevItem(p place) (place, bool) {
	if p.Item > 0 && p.Slot < l.Slots() {
		if n := len(l.itemsOf(p.Slot)); n > 0 {
			return place{Slot: p.Slot, Item: min(p.Item, n) - 1}, true
		}
	}
	for slot := l.skipFolded(p.Slot-1, -1); slot >= 0; slot = l.skipFolded(slot-1, -1) {
		if n := len(l.itemsOf(slot)); n > 0 {
			return place{Slot: slot, Item: n - 1}, true
		}
	}
	return place{}, false
}

// down returns the line after p, up the line before it.
func (l *List) down(p place) (place, bool) {
	if d := l.docAt(p); d != nil {
		q := p
		if q.Chunk == 0 {
			q.Chunk, q.line = 1, -1
		}
		for ; q.Chunk <= d.Len(); q.Chunk, q.line = q.Chunk+1, -1 {
			if q.line+1 < len(d.Lines(q.Chunk-1)) {
				q.line++
				return q, true
			}
		}
	}
	return l.nextItem(p)
}

func (l *List) up(p place) (place, bool) {
	if p.Chunk > 0 {
		d := l.docAt(p)
		if p.line > 0 {
			p.line--
			return p, true
		}
		q := p
		if d != nil {
			q.Chunk = min(q.Chunk, d.Len()+1) // its text may have become unread
		}
		for d != nil && q.Chunk > 1 {
			q.Chunk--
			if n := len(d.Lines(q.Chunk - 1)); n > 0 {
				q.line = n - 1
				return q, true
			}
		}
		return place{Slot: p.Slot, Item: p.Item}, true
	}
	q, ok := l.prevItem(p)
	if !ok {
		return q, false
	}
	return l.lastLine(q), true
}

// lastLine returns the last line of the item at p.
func (l *List) lastLine(p place) place {
	if d := l.docAt(p); d != nil {
		for c := d.Len(); c > 0; c-- {
			if n := len(d.Lines(c - 1)); n > 0 {
				return place{Slot: p.Slot, Item: p.Item, Chunk: c, line: n - 1}
			}
		}
	}
	return place{Slot: p.Slot, Item: p.Item}
}

func (l *List) docAt(p place) *paint.Doc {
	it, ok := l.item(p)
	if !ok {
		return nil
	}
	return l.docOf(&it)
}

// Changed discards the cached data of a message that a new snapshot amended or added. Rows from
// known on are new and have none.
func (l *List) Changed(id model.ID, known int) {
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
	if t := l.Thread(h.Thread); t != nil && !t.Main && uint32(t.Call) != model.NoRow {
		l.forget(l.hostOf(id))
	}
}

func (l *List) forget(id model.ID) {
	l.made.Drop(id)
	l.h.Described.Known.Drop(id)
	l.h.Bodies.Held.Drop(id)
	delete(l.h.Described.Asked, id)
}

// Invalidate discards drawn rows.
func (l *List) Invalidate() { l.gen++ }

// Resize sets the size of the timeline to w×h cells and fits the columns.
func (l *List) Resize(w, h int) {
	if l.w != w {
		l.Redraw()
	}
	l.w, l.Rows = w, h
	digits := 4
	if l.h.Snap != nil {
		digits = max(len(strconv.Itoa(max(l.h.Snap.Len()-1, 0))), 4)
	}
	if c := columnsFor(w, digits, l.longestNames()); c != l.Col {
		l.Col = c
		l.Redraw()
	}
}

// Reset discards the data of the rows and what the reader opened, because another session is shown.
func (l *List) Reset() {
	l.threads, l.anyBranch, l.branchesOf, l.chosen = nil, false, 0, nil
	l.Outline = &Outline{}
	clear(l.Opened)
	clear(l.turnOpen)
	clear(l.uncovered)
	l.Redraw()
}

// Redraw discards everything drawn, after a change of theme, width or level.
func (l *List) Redraw() {
	l.gen++
	l.made.Clear()
	l.drawn.Clear()
	l.docs.Clear()
}

// keepCursorAt finds the cursor and the top again after a change of the rows, with the cursor at a
// line of the screen.
func (l *List) keepCursorAt(row int) {
	l.Sync()
	l.Center(row)
	l.Reveal()
}

// day returns a number for the day of a time in the screen's zone.
func (l *List) day(ms int64) int {
	y, m, d := time.UnixMilli(ms).In(l.h.Zone).Date()
	return y*10000 + int(m)*100 + d
}

// lineOf returns the line of a message that an item shows; ok is false for other items.
func (l *List) lineOf(it *item) (*describe.Line, bool) {
	if it.Key.Kind != screen.RowLine {
		return nil, false
	}
	lines, _ := l.h.Described.Lines(it.Key.ID)
	if int(it.Key.N) >= len(lines) {
		return nil, false
	}
	return &lines[it.Key.N], true
}

// LineDownItems moves by n items, up if n is negative.
func (l *List) LineDownItems(n int) {
	for ; n > 0; n-- {
		if p, ok := l.nextItem(l.Cur); ok {
			l.SelectPlace(p)
		}
	}
	for ; n < 0; n++ {
		if p, ok := l.prevItem(l.Cur); ok {
			l.SelectPlace(p)
		}
	}
	l.Reveal()
}

// RowAfterRestart returns the line of the cursor after another session replaced the current one.
func (l *List) RowAfterRestart() int { return min(l.Rows/3, 8) }
