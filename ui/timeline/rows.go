package timeline

import (
	"slices"
	"strings"

	"turns/model"
	"turns/query/describe"
	"turns/query/human"
	"turns/ui/screen"
)

// item is a row of the timeline. Items are made on demand and cached for a short time.
type item struct {
	Key     screen.RowKey
	Call    model.CallID // NoCall: not about a call
	Kind    describe.LineKind
	Depth   uint8 // nesting in subagents
	bracket uint8 // 0 none, 1 ┌, 2 ├, 3 └
	first   bool  // shows the index and the time of its message
	// continues a row of the same kind in its message; that row shows the tokens of both
	goesOn bool
	Index  int32 // displayed number; -1: none
	run    int32 // number of notes in a run, or of rows left out by a "skipped" rule
	slot   int32 // its slot
	Thread uint32
}

const (
	bracketNone = iota
	bracketTop
	bracketMiddle
	bracketBottom
)

// OpenState is how far an item is open, as set by hand.
type OpenState uint8

const (
	OpenDefault OpenState = iota // by the outline level
	OpenClosed
	openShort // shortened, at least screen.ShortBody lines
	OpenWhole
)

// eventMode is how bookkeeping events are shown; key i switches it.
type eventMode uint8

const (
	eventsCounted eventMode = iota // not shown, nor context sent with results: the status line counts
	eventsFolded                   // neighbouring ones in one row
	eventsEach                     // one row each
	eventsHidden                   // like eventsCounted, and injected text is hidden as well
	eventModes
)

// isRule reports whether a note changes what follows and is drawn across the timeline.
func isRule(op model.Op) bool {
	switch op {
	case model.Compact, model.Rewind, model.Reset, model.End:
		return true
	}
	return false
}

// hiddenByHead reports whether the head of a row already shows that it has no items.
func (l *List) hiddenByHead(id model.ID, h *model.Head) bool {
	switch {
	case h.Op == model.Say:
		if l.offBranch(id, h) {
			return true
		}
		if l.View().On {
			return false
		}
		if t := l.Thread(h.Thread); t != nil && !t.Main && uint32(t.Call) != model.NoRow && l.h.Snap.Call(t.Call).Msg != model.NoID {
			return true // the call that started it shows it
		}
		if addsContext(h) && !l.uncovered[id] && (l.Events == eventsCounted || l.Events == eventsHidden) {
			return true
		}
		if h.Flags&model.HasResults != 0 && h.Flags&(model.HasWords|model.HasOrphan|model.HasReasoning|model.HasCalls) == 0 {
			return true
		}
		return l.Events == eventsHidden && h.Flags&model.Injected != 0
	case isRule(h.Op), h.Op == model.Unreadable:
		return false
	case h.Op == model.Note:
		return !l.View().On && (l.Events == eventsCounted || l.Events == eventsHidden)
	}
	return true
}

// addsContext reports whether a row has results, which the rows of their calls show, and context
// that the program sent to the model with them.
func addsContext(h *model.Head) bool {
	return h.Role == model.Tool && h.Flags&model.HasResults != 0 && h.Flags&model.HasWords != 0 &&
		h.Flags&(model.HasOrphan|model.HasReasoning|model.HasCalls) == 0
}

// Hidden describes the display of events and injected text; "" if the session has neither.
func (l *List) Hidden() string {
	var parts []string
	if n := l.h.Snap.Notes(); n > 0 {
		parts = append(parts, human.Plural(n, "event"))
	}
	if n := len(l.Outline.context); n > 0 && l.Events == eventsCounted {
		parts = append(parts, human.Plural(n, "injected text"))
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + [...]string{" hidden", " in groups", " shown", " and injected text hidden"}[l.Events]
}

// Thread returns a thread of the snapshot by number, nil for none.
func (l *List) Thread(n uint32) *model.Thread {
	if t := l.h.Snap.Threads(); int(n) < len(t) {
		return &t[n]
	}
	return nil
}

// itemsOf returns the items of a slot, in order. They are cached; do not modify the slice.
func (l *List) itemsOf(slot int) []item {
	if slot < 0 || slot >= l.Slots() {
		return nil
	}
	id := l.SlotID(slot)
	h := l.h.Snap.HeadRow(id)
	if l.hiddenByHead(id, h) || l.folded(h, slot) {
		return nil
	}
	if items, ok := l.made.Get(id); ok && (len(items) == 0 || int(items[0].slot) == slot) {
		return items
	}
	items, settled := l.makeItems(slot, id, h)
	if settled {
		l.made.Put(id, items)
	}
	return items
}

func (l *List) makeItems(slot int, id model.ID, h *model.Head) (items []item, settled bool) {
	items = l.rulesBefore(items, slot, id, h)
	settled = true
	switch {
	// the log's own start record
	case h.Op == model.Reset && !l.anythingBefore(slot):
	// some logs record an end after each turn
	case h.Op == model.End && l.endsTurnOnly(slot, id):
	case isRule(h.Op):
		items = append(items, item{Key: screen.RowKey{ID: id, Kind: screen.RowRule, N: 0}, Call: screen.NoCall, Kind: describe.LineRule, Index: -1})
	case h.Op == model.Unreadable:
		items = append(items, item{Key: screen.RowKey{ID: id, Kind: screen.RowNote, N: 0}, Call: screen.NoCall, Kind: describe.LineUnreadable, Index: -1, first: true, run: 1})
	case h.Op == model.Note:
		if it, ok := l.noteItem(slot, id); ok {
			items = append(items, it)
		}
	case l.isStep(h, slot):
		key := screen.RowKey{ID: id, Kind: screen.RowStep, N: 0}
		items = append(items[:0], item{Key: key, Call: screen.NoCall, Kind: describe.LineAssistant, Index: int32(l.h.Snap.Pos(id)), first: true})
		if l.Opened[key].State >= openShort {
			items, settled = l.messageItems(items, id, h, 1)
			for i := 1; i < len(items); i++ {
				items[i].first = false
			}
		} else {
			_, settled = l.h.Described.Lines(id)
		}
	default:
		items, settled = l.messageItems(items, id, h, 0)
	}
	for i := range items {
		items[i].slot = int32(slot)
	}
	return items, settled
}

// isStep reports whether a response is shown as one row, at outline level 2.
func (l *List) isStep(h *model.Head, slot int) bool {
	if l.Level != 2 || h.Role != model.Assistant || l.View().On {
		return false
	}
	prompt, ok := l.promptSlot(slot)
	if !ok {
		return false
	}
	_, steps := l.turnClosed(l.SlotID(prompt))
	return steps
}

// messageItems adds the rows of a message, and those of subagents opened in it.
func (l *List) messageItems(items []item, id model.ID, h *model.Head, depth uint8) ([]item, bool) {
	lines, settled := l.h.Described.Lines(id)
	index := int32(l.h.Snap.Pos(id))
	if depth > 0 {
		index = l.indexInThread(id, h)
	}
	first := true
	var calls []int
	kinds := make([]describe.LineKind, 0, 8)
	for n := range lines {
		ln := &lines[n]
		if !l.shows(id, ln) || l.inClosed(id, lines, ln.Call) {
			continue
		}
		it := item{Key: screen.RowKey{ID: id, Kind: screen.RowLine, N: uint16(n)}, Call: ln.Call, Kind: ln.Kind, Depth: depth, first: first, Index: index, Thread: h.Thread}
		first = false
		if made := describe.Depth(l.h.Snap, ln.Call); made > 0 {
			it.Depth += uint8(min(made, 8))
		} else if ln.Kind == describe.LineCall {
			calls = append(calls, len(items))
		}
		it.goesOn = ln.Call == screen.NoCall && slices.Contains(kinds, ln.Kind)
		kinds = append(kinds, ln.Kind)
		items = append(items, it)
		if t, open := l.openThread(&it); open {
			var ok bool
			items, ok = l.threadItems(items, t, depth+1)
			settled = settled && ok
		}
	}
	if len(calls) > 1 {
		for i, at := range calls {
			switch i {
			case 0:
				items[at].bracket = bracketTop
			case len(calls) - 1:
				items[at].bracket = bracketBottom
			default:
				items[at].bracket = bracketMiddle
			}
		}
	}
	return items, settled
}

// inClosed reports whether a call is inside a script whose row is closed.
func (l *List) inClosed(id model.ID, lines []describe.Line, call model.CallID) bool {
	if call == screen.NoCall || l.View().On {
		return false
	}
	for maker, ok := l.h.Snap.Call(call).Parent(); ok; maker, ok = l.h.Snap.Call(maker).Parent() {
		n := slices.IndexFunc(lines, func(ln describe.Line) bool { return ln.Call == maker })
		if n >= 0 && l.Opened[screen.RowKey{ID: id, Kind: screen.RowLine, N: uint16(n)}].State == OpenClosed {
			return true
		}
	}
	return false
}

// isScript reports whether a row is a call that made the calls of the rows below.
func (l *List) isScript(it *item) bool {
	return it.Call != screen.NoCall && it.Kind == describe.LineCall && l.h.Snap.Call(it.Call).Flags&model.HasNested != 0 && !l.View().On
}

// madeBy counts the calls made by the script of a row.
func (l *List) madeBy(it *item) (n int) {
	for _, c := range l.h.Snap.Calls(it.Key.ID) {
		if maker, ok := c.Parent(); ok && maker == it.Call {
			n++
		}
	}
	return n
}

// shows reports whether a line of a message passes the filter.
func (l *List) shows(id model.ID, ln *describe.Line) bool {
	v := l.View()
	return !v.On || v.Shows(id, ln)
}

// threadItems adds the rows of a subagent.
func (l *List) threadItems(items []item, thread uint32, depth uint8) ([]item, bool) {
	settled := true
	if depth > 8 {
		return items, true
	}
	for _, id := range l.threadIDs(thread) {
		h := l.h.Snap.HeadRow(id)
		if h.Op != model.Say || h.Flags&model.HasResults != 0 && h.Flags&(model.HasWords|model.HasOrphan) == 0 {
			continue
		}
		var ok bool
		items, ok = l.messageItems(items, id, h, depth)
		settled = settled && ok
	}
	return items, settled
}

// threadIDs returns the messages of a subagent, in order.
func (l *List) threadIDs(thread uint32) []model.ID {
	if ids, ok := l.threads[thread]; ok {
		return ids
	}
	t := l.Thread(thread)
	if t == nil {
		return nil
	}
	var ids []model.ID
	for n, rows := int(t.First), l.h.Snap.Rows(); n < rows && len(ids) < t.Count; n++ {
		h := l.h.Snap.HeadRow(model.ID(n))
		if h.Thread == thread && h.Op == model.Say {
			ids = append(ids, model.ID(n))
		}
	}
	if l.threads == nil {
		l.threads = map[uint32][]model.ID{}
	}
	l.threads[thread] = ids
	return ids
}

func (l *List) indexInThread(id model.ID, h *model.Head) int32 {
	return int32(slices.Index(l.threadIDs(h.Thread), id))
}

// openThread returns the subagent started by a call, and whether its rows are shown below the call.
func (l *List) openThread(it *item) (uint32, bool) {
	if it.Call == screen.NoCall || l.View().On {
		return 0, false
	}
	c := l.h.Snap.Call(it.Call)
	if c.Child == 0 || l.Opened[it.Key].State < openShort {
		return c.Child, false
	}
	return c.Child, true
}

// noteItem returns the row of a note, or of the run of notes that it begins; ok is false for a note
// within a run.
func (l *List) noteItem(slot int, id model.ID) (item, bool) {
	it := item{Key: screen.RowKey{ID: id, Kind: screen.RowNote, N: 0}, Call: screen.NoCall, Kind: describe.LineEvent, Index: -1, first: true, run: 1}
	if l.Events == eventsEach || l.View().On {
		return it, true
	}
	if slot > 0 && l.plainNote(slot-1) {
		return it, false
	}
	for n := slot + 1; n < l.Slots() && l.plainNote(n); n++ {
		it.run++
	}
	return it, true
}

// plainNote reports whether a slot is a note, which may be part of a run.
func (l *List) plainNote(slot int) bool {
	h := l.h.Snap.HeadRow(l.SlotID(slot))
	return h.Op == model.Note
}

// rulesBefore adds the rules that turns draws before a message: another model, a long pause,
// another day, read up to here.
func (l *List) rulesBefore(items []item, slot int, id model.ID, h *model.Head) []item {
	rule := func(kind screen.RowKind) {
		items = append(items, item{Key: screen.RowKey{ID: id, Kind: kind, N: 0}, Call: screen.NoCall, Kind: describe.LineRule, Index: -1})
	}
	v := l.View()
	if l.restarted != "" && !v.On && !l.anySlotBefore(slot) {
		rule(screen.RowRestart)
	}
	if l.beginsUnread(slot) {
		rule(screen.RowRead)
	}
	if v.On {
		if v.Around > 0 && slot > 0 && l.rowsBetween(slot) > 0 {
			rule(screen.RowSkipped)
		}
		return items
	}
	if h.Op != model.Say || l.Level < 3 {
		return items
	}
	if l.beginsSession(slot, h) {
		rule(screen.RowSession)
	}
	if l.beginsAgent(id, h) {
		rule(screen.RowAgent)
	}
	if l.beginsBranch(id, h) {
		rule(screen.RowBranch)
	}
	before, ok := l.messageBefore(slot)
	if !ok {
		return items
	}
	b := l.h.Snap.HeadRow(before)
	if h.Time != 0 && b.Time != 0 && (h.Time-b.Time >= gapMs || l.day(h.Time) != l.day(b.Time)) {
		rule(screen.RowGap)
	}
	if h.Role == model.Assistant && h.Name != 0 && h.Flags&model.Synthetic == 0 {
		if m, ok := l.modelBefore(slot); ok && m != h.Name {
			rule(screen.RowModel)
		}
	}
	return items
}

// beginsUnread reports whether a slot is the first one with rows after the read mark. If the mark
// is on a result, that is a later slot.
func (l *List) beginsUnread(slot int) bool {
	if l.ReadMark == model.NoID || l.View().On || int(l.ReadMark) >= l.h.Snap.Rows() {
		return false
	}
	from := l.h.Snap.RowNumber(l.ReadMark)
	if slot < from || slot-from > lookBack {
		return false
	}
	for n := from; n < slot; n++ {
		id := l.SlotID(n)
		if !l.hiddenByHead(id, l.h.Snap.HeadRow(id)) {
			return false
		}
	}
	return true
}

const gapMs = 30 * 60 * 1000

// lookBack is how many earlier slots are examined for a rule.
const lookBack = 512

func (l *List) messageBefore(slot int) (model.ID, bool) {
	thread := l.h.Snap.HeadRow(l.SlotID(slot)).Thread
	for n := slot - 1; n >= 0 && n > slot-lookBack; n-- {
		id := l.SlotID(n)
		if h := l.h.Snap.HeadRow(id); h.Op == model.Say && h.Thread == thread {
			return id, true
		}
	}
	return 0, false
}

func (l *List) anythingBefore(slot int) bool {
	_, ok := l.messageBefore(slot)
	return ok || slot >= lookBack
}

func (l *List) modelBefore(slot int) (uint16, bool) {
	thread := l.h.Snap.HeadRow(l.SlotID(slot)).Thread
	for n := slot - 1; n >= 0 && n > slot-lookBack; n-- {
		h := l.h.Snap.HeadRow(l.SlotID(n))
		if h.Op == model.Say && h.Role == model.Assistant && h.Name != 0 && h.Flags&model.Synthetic == 0 && h.Thread == thread {
			return h.Name, true
		}
	}
	return 0, false
}

// rowsBetween returns the number of messages that the view omits before a slot.
func (l *List) rowsBetween(slot int) int {
	a, b := l.h.Snap.Pos(l.SlotID(slot-1)), l.h.Snap.Pos(l.SlotID(slot))
	if a < 0 || b < 0 {
		return 0
	}
	return b - a - 1
}
