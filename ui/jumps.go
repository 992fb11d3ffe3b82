package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query"
)

// jumped moves the cursor to a place that may be far away.
func (a *app) jumped(p place) {
	a.list.selectPlace(p)
	if !a.list.visible(p) {
		a.list.center(a.list.rows / 3)
	}
	a.list.reveal()
}

func (a *app) found(p place, ok bool, none string) string {
	if !ok {
		return none
	}
	a.jumped(p)
	return ""
}

func (a *app) toError(n, dir int) string {
	l := a.list
	if !l.errorsReady() {
		return "still looking for errors"
	}
	p, ok := l.seekRows(l.errorRows(), n, dir, l.isFailed)
	return a.found(p, ok, a.none("error", dir, l.errorRows()))
}

// none says why there is nothing further in a direction, and how much there is in the other.
func (a *app) none(what string, dir int, rows []int32) string {
	l := a.list
	way, other := "after", "before"
	if dir < 0 {
		way, other = other, way
	}
	text := fmt.Sprintf("no %s %s %s", what, way, a.here())
	at, _ := slices.BinarySearch(rows, int32(l.cur.slot))
	n := at
	if dir < 0 {
		n = len(rows) - at
	}
	if n > 0 {
		text += fmt.Sprintf(", %s %s", thousands(n), other)
	}
	return text
}

// here names the row of the cursor.
func (a *app) here() string {
	if it, ok := a.list.curItem(); ok && it.index >= 0 {
		return "#" + strconv.Itoa(int(it.index))
	}
	return "here"
}

func (a *app) toPrompt(n, dir int) string {
	l := a.list
	want := func(it *item) bool {
		return it.kind == query.LineUser && l.h.snap.HeadRow(it.key.id).Flags&model.Prompt != 0 && it.depth == 0
	}
	if l.view().on || !l.outline.ready {
		p, ok := l.seek(n, dir, func(h *model.Head) bool { return h.Flags&model.Prompt == 0 }, want)
		return a.found(p, ok, a.none("prompt", dir, nil))
	}
	p, ok := l.seekRows(l.outline.prompts, n, dir, want)
	return a.found(p, ok, a.none("prompt", dir, l.outline.prompts))
}

func (a *app) toCall(n, dir int) string {
	p, ok := a.list.seek(n, dir, func(h *model.Head) bool { return h.Flags&model.HasCalls == 0 }, func(it *item) bool { return it.kind == query.LineCall })
	return a.found(p, ok, a.none("call", dir, nil))
}

func (a *app) toSameTool(n, dir int) string {
	it, ok := a.list.curItem()
	if !ok || it.call == noCall {
		return "not on a call: c goes to the next one"
	}
	s := a.h.snap
	tool := s.Call(it.call).Tool
	p, ok := a.list.seek(n, dir, func(h *model.Head) bool { return h.Flags&model.HasCalls == 0 }, func(it *item) bool {
		return it.call != noCall && s.Call(it.call).Tool == tool
	})
	return a.found(p, ok, a.none(oneLine(s.Name(tool)), dir, nil))
}

func (a *app) toSameThing(n, dir int) string {
	l := a.list
	it, ok := l.curItem()
	if !ok {
		return "nothing here"
	}
	line, ok := l.lineOf(&it)
	if !ok {
		return "this row is about nothing"
	}
	key := thing(line)
	p, ok := l.seek(n, dir, func(h *model.Head) bool { return h.Flags&model.HasCalls == 0 && line.Call != noCall }, func(o *item) bool {
		ln, ok := l.lineOf(o)
		return ok && thing(ln) == key
	})
	return a.found(p, ok, a.none("other row about "+strconv.Quote(cut(key, 24)), dir, nil))
}

// thing is what a row is about, for rows about the same: the path, without the lines that were read, else all of it.
func thing(line *query.Line) string {
	if line.Path[1] > line.Path[0] && line.Path[1] <= len(line.About) {
		return line.About[line.Path[0]:line.Path[1]]
	}
	return line.About
}

func (a *app) toTurn(n, dir int) string { return a.toPrompt(n, dir) }

func (a *app) toStep(n, dir int) string {
	p, ok := a.list.seek(n, dir, func(h *model.Head) bool { return h.Role != model.Assistant }, func(it *item) bool {
		return it.first && it.depth == 0 && a.h.snap.HeadRow(it.key.id).Role == model.Assistant
	})
	return a.found(p, ok, a.none("step", dir, nil))
}

func (a *app) toMark(n, dir int) string {
	l := a.list
	if len(l.marks) == 0 {
		return "no marks: m and a letter sets one"
	}
	var places []place
	for _, k := range l.marks {
		if p, ok := l.locate(k); ok {
			places = append(places, p)
		}
	}
	slices.SortFunc(places, func(x, y place) int {
		switch {
		case x == y:
			return 0
		case before(x, y):
			return -1
		}
		return 1
	})
	if dir < 0 {
		slices.Reverse(places)
	}
	for _, p := range places {
		if dir > 0 && before(l.cur, p) || dir < 0 && before(p, l.cur) {
			if n--; n == 0 {
				a.jumped(p)
				return ""
			}
		}
	}
	return a.none("mark", dir, nil)
}

// otherEnd goes from a prompt to the final answer of its turn and back, from an agent's task to its report, and round a chain of messages that took the
// place of one another.
func (a *app) otherEnd(n int) tea.Cmd {
	l := a.list
	if l.slots() == 0 {
		return a.complain("nothing here")
	}
	if n > 0 { // 50%
		from := l.curKey
		slots := l.slots()
		if p, ok := l.locate(itemKey{id: l.slotID(min(slots-1, max(slots*min(n, 100)/100, 0)))}); ok {
			a.jumped(p)
			a.remember(from)
		}
		return a.moved()
	}
	it, ok := l.curItem()
	if !ok {
		return a.complain("nothing here")
	}
	from := l.curKey
	h := a.h.snap.HeadRow(it.key.id)
	if next := a.h.chains.Next(it.key.id); next != model.NoID {
		return a.goTo(next, noCall)
	}
	switch {
	case it.kind == query.LineUser && h.Flags&model.Prompt != 0 && it.depth == 0:
		end := l.slots()
		if l.outline.ready && !l.view().on {
			end = l.nextPrompt(l.cur.slot)
		}
		p, ok := l.prevItem(place{slot: end})
		if !ok || !before(l.cur, p) {
			return a.complain("this turn has no answer")
		}
		q := p
		for range 64 {
			o, ok := l.item(q)
			if !ok || !before(l.cur, q) {
				break
			}
			if o.kind == query.LineAssistant {
				p = q
				break
			}
			if q, ok = l.prevItem(q); !ok {
				break
			}
		}
		a.jumped(p)
		a.remember(from)
	case it.call != noCall && a.h.snap.Call(it.call).Child != 0:
		if _, open := l.openThread(&it); !open {
			l.opened[it.key] = opening{state: openShort}
			l.made.clear()
		}
		items := l.itemsOf(l.cur.slot)
		last := l.cur.item
		for i := l.cur.item + 1; i < len(items) && items[i].depth > it.depth; i++ {
			last = i
		}
		a.jumped(place{slot: l.cur.slot, item: last})
		a.remember(from)
	default:
		p, ok := l.promptAbove(l.cur.slot)
		if !ok {
			return a.complain("no other end")
		}
		a.jumped(p)
		a.remember(from)
	}
	return a.moved()
}

// goTop goes to the first row, or to message n-… as it was typed.
func (a *app) goTop(n int) tea.Cmd {
	if n > 0 {
		return a.goIndex(n)
	}
	from := a.list.curKey
	if p, ok := a.list.first(); ok {
		a.list.selectPlace(p)
		a.list.reveal()
		a.remember(from)
	}
	return a.moved()
}

func (a *app) goBottom(n int) tea.Cmd {
	if n > 0 || a.zeroTyped {
		return a.goIndex(n)
	}
	if newer := a.h.state.Newer; newer != "" && a.h.opts.Open != nil {
		return a.openNewest(newer)
	}
	from := a.list.curKey
	a.list.toEnd()
	a.remember(from)
	if a.h.live || a.h.state.Indexed < 1 { // the end moves on as the index does
		a.list.follow = true
	}
	if a.h.state.Indexed < 1 {
		a.say("the end of what is indexed so far; the end of the file when all is")
	}
	return a.moved()
}

// goIndex goes to the message that people call #n.
func (a *app) goIndex(n int) tea.Cmd {
	s := a.h.snap
	if s.Len() == 0 {
		return a.complain("no messages")
	}
	if n >= s.Len() {
		return a.complain(fmt.Sprintf("no #%d: the last message is #%d", n, s.Len()-1))
	}
	return a.goTo(s.At(n), noCall)
}

// goTo selects the row of a message or of one of its calls and remembers the jump. A result is the row of its call.
func (a *app) goTo(id model.ID, call model.CallID) tea.Cmd {
	l := a.list
	s := a.h.snap
	if id == model.NoID || int(id) >= s.Rows() {
		return a.complain("this is not in the conversation any more")
	}
	if call == noCall && s.HeadRow(id).Flags&model.HasResults != 0 {
		if rows := s.Answers(id); len(rows) > 0 && rows[0].Msg != model.NoID {
			call, id = rows[0].ID, rows[0].Msg
		}
	}
	if l.view().on {
		ids := l.view().ids
		i := l.slotOf(id)
		if i >= len(ids) || ids[i] != id {
			a.switchFilter(false)
			a.say("the filter is off: it hides this row; & switches it on")
		}
	}
	from := l.curKey
	a.openHosts(id)
	p, ok := l.locate(itemKey{id: id, kind: rowLine})
	if !ok {
		return a.complain("no rows")
	}
	if call != noCall {
		items := l.itemsOf(p.slot)
		for i := range items {
			if items[i].call == call {
				p = place{slot: p.slot, item: i}
				break
			}
		}
	}
	a.jumped(p)
	a.remember(from)
	return a.moved()
}

// openHosts opens what a message is folded into: its turn, the calls of the subagents it belongs to.
func (a *app) openHosts(id model.ID) {
	l, s := a.list, a.h.snap
	for range 8 {
		t := l.thread(s.HeadRow(id).Thread)
		if t == nil || t.Main || uint32(t.Call) == model.NoRow || s.Call(t.Call).Msg == model.NoID || l.view().on {
			break
		}
		host := s.Call(t.Call).Msg
		lines, _ := l.h.described.lines(host)
		for n := range lines {
			if lines[n].Call == t.Call {
				l.opened[itemKey{host, rowLine, uint16(n)}] = opening{state: openShort}
			}
		}
		l.forgetItems(host)
		id = host
	}
	slot := l.slotOf(id)
	if l.foldedSlot(slot) {
		if n, ok := l.promptSlot(slot); ok {
			l.turnOpen[l.slotID(n)] = openShort
			l.made.clear()
		}
	}
}

// goTime goes to the first message at or after a time of day or a date with one.
func (a *app) goTime(text string) tea.Cmd {
	s := a.h.snap
	if s.Len() == 0 {
		return a.complain("no messages")
	}
	var first int64
	for pos := 0; pos < s.Len() && first == 0; pos++ {
		first = s.HeadRow(s.At(pos)).Time
	}
	if first == 0 {
		return a.complain("no time in this format")
	}
	day := time.UnixMilli(first).In(a.h.zone)
	for _, layout := range [...]string{"15:04:05", "15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02"} {
		t, err := time.ParseInLocation(layout, strings.TrimSpace(text), a.h.zone)
		if err != nil {
			continue
		}
		if !strings.HasPrefix(layout, "2006") {
			t = time.Date(day.Year(), day.Month(), day.Day(), t.Hour(), t.Minute(), t.Second(), 0, a.h.zone)
			if t.Before(day.Truncate(time.Minute)) {
				t = t.AddDate(0, 0, 1)
			}
		}
		for pos := range s.Len() {
			if ms := s.HeadRow(s.At(pos)).Time; ms >= t.UnixMilli() {
				return a.goTo(s.At(pos), noCall)
			}
		}
		return a.complain("nothing at or after " + text)
	}
	return a.complain(fmt.Sprintf("cannot read %q as a time: write 22:41 or 2026-02-11 22:41", text))
}

// jumpLimit is how many jumps are remembered.
const jumpLimit = 100

// remember puts the place that was left on the way back.
func (a *app) remember(from itemKey) {
	if from == a.list.curKey {
		return
	}
	a.past = append(a.past, from)
	if len(a.past) > jumpLimit {
		a.past = a.past[1:]
	}
	a.future = nil
}

func (a *app) back() tea.Cmd {
	if n := len(a.pastSessions); len(a.past) == 0 && n > 0 {
		return a.openPast()
	}
	if len(a.past) == 0 {
		return a.complain("no jump to go back")
	}
	to := a.past[len(a.past)-1]
	a.past = a.past[:len(a.past)-1]
	a.future = append(a.future, a.list.curKey)
	return a.revisit(to)
}

func (a *app) forward() tea.Cmd {
	if len(a.future) == 0 {
		return a.complain("no jump to go forward")
	}
	to := a.future[len(a.future)-1]
	a.future = a.future[:len(a.future)-1]
	a.past = append(a.past, a.list.curKey)
	return a.revisit(to)
}

func (a *app) revisit(key itemKey) tea.Cmd {
	if p, ok := a.list.locate(key); ok {
		a.jumped(p)
	}
	return a.moved()
}

func (a *app) setMark(key string) tea.Cmd {
	r := []rune(key)
	if len(r) != 1 || r[0] <= ' ' {
		return a.complain("a mark is one letter")
	}
	if a.list.marks[r[0]] == a.list.curKey {
		delete(a.list.marks, r[0])
		a.say("mark " + key + " taken away")
	} else {
		a.list.marks[r[0]] = a.list.curKey
		a.say("mark " + key + " set")
	}
	return a.saveSoon()
}

func (a *app) goMark(key string) tea.Cmd {
	if key == "'" {
		return a.back()
	}
	r := []rune(key)
	if len(r) != 1 {
		return a.complain("a mark is one letter")
	}
	k, ok := a.list.marks[r[0]]
	if !ok {
		return a.complain("no mark " + key)
	}
	from := a.list.curKey
	a.openHosts(k.id)
	if p, ok := a.list.locate(k); ok {
		a.jumped(p)
		a.remember(from)
	}
	return a.moved()
}
