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
	"turns/ui/paint"
	"turns/ui/screen"
)

// jump does a movement that back and forward remember; f says why it cannot be done.
func (l *list) jump(f func(l *list, n, dir int) string, n, dir int) tea.Cmd {
	from := l.curKey
	if why := f(l, n, dir); why != "" {
		return l.h.Complain(why)
	}
	l.remember(from)
	return l.moved()
}

// jumped moves the cursor to a place that may be far away.
func (l *list) jumped(p place) {
	l.selectPlace(p)
	if !l.visible(p) {
		l.center(l.rows / 3)
	}
	l.reveal()
}

func (l *list) found(p place, ok bool, none string) string {
	if !ok {
		return none
	}
	l.jumped(p)
	return ""
}

func (l *list) toError(n, dir int) string {
	if !l.errorsReady() {
		return "still looking for errors"
	}
	p, ok := l.seekRows(l.errorRows(), n, dir, l.isFailed)
	return l.found(p, ok, l.none("error", dir, l.errorRows()))
}

// none says why there is nothing further in a direction, and how much there is in the other.
func (l *list) none(what string, dir int, rows []int32) string {
	way, other := "after", "before"
	if dir < 0 {
		way, other = other, way
	}
	text := fmt.Sprintf("no %s %s %s", what, way, l.here())
	at, _ := slices.BinarySearch(rows, int32(l.cur.slot))
	n := at
	if dir < 0 {
		n = len(rows) - at
	}
	if n > 0 {
		text += fmt.Sprintf(", %s %s", paint.Thousands(n), other)
	}
	return text
}

// here names the row of the cursor.
func (l *list) here() string {
	if it, ok := l.curItem(); ok && it.index >= 0 {
		return "#" + strconv.Itoa(int(it.index))
	}
	return "here"
}

func (l *list) toPrompt(n, dir int) string {
	want := func(it *item) bool {
		return it.kind == query.LineUser && l.h.Snap.HeadRow(it.key.Id).Flags&model.Prompt != 0 && it.depth == 0
	}
	if l.view().On || !l.outline.ready {
		p, ok := l.seek(n, dir, func(h *model.Head) bool { return h.Flags&model.Prompt == 0 }, want)
		return l.found(p, ok, l.none("prompt", dir, nil))
	}
	p, ok := l.seekRows(l.outline.prompts, n, dir, want)
	return l.found(p, ok, l.none("prompt", dir, l.outline.prompts))
}

func (l *list) toCall(n, dir int) string {
	p, ok := l.seek(n, dir, func(h *model.Head) bool { return h.Flags&model.HasCalls == 0 }, func(it *item) bool { return it.kind == query.LineCall })
	return l.found(p, ok, l.none("call", dir, nil))
}

func (l *list) toSameTool(n, dir int) string {
	it, ok := l.curItem()
	if !ok || it.call == screen.NoCall {
		return "not on a call: c goes to the next one"
	}
	s := l.h.Snap
	tool := s.Call(it.call).Tool
	p, ok := l.seek(n, dir, func(h *model.Head) bool { return h.Flags&model.HasCalls == 0 }, func(it *item) bool {
		return it.call != screen.NoCall && s.Call(it.call).Tool == tool
	})
	return l.found(p, ok, l.none(paint.OneLine(s.Name(tool)), dir, nil))
}

func (l *list) toSameThing(n, dir int) string {
	it, ok := l.curItem()
	if !ok {
		return "nothing here"
	}
	line, ok := l.lineOf(&it)
	if !ok {
		return "this row is about nothing"
	}
	key := thing(line)
	p, ok := l.seek(n, dir, func(h *model.Head) bool { return h.Flags&model.HasCalls == 0 && line.Call != screen.NoCall }, func(o *item) bool {
		ln, ok := l.lineOf(o)
		return ok && thing(ln) == key
	})
	return l.found(p, ok, l.none("other row about "+strconv.Quote(paint.Cut(key, 24)), dir, nil))
}

// thing is what a row is about, for rows about the same: the path, without the lines that were read, else all of it.
func thing(line *query.Line) string {
	if line.Path[1] > line.Path[0] && line.Path[1] <= len(line.About) {
		return line.About[line.Path[0]:line.Path[1]]
	}
	return line.About
}

func (l *list) toTurn(n, dir int) string { return l.toPrompt(n, dir) }

func (l *list) toStep(n, dir int) string {
	p, ok := l.seek(n, dir, func(h *model.Head) bool { return h.Role != model.Assistant }, func(it *item) bool {
		return it.first && it.depth == 0 && l.h.Snap.HeadRow(it.key.Id).Role == model.Assistant
	})
	return l.found(p, ok, l.none("step", dir, nil))
}

func (l *list) toMark(n, dir int) string {
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
				l.jumped(p)
				return ""
			}
		}
	}
	return l.none("mark", dir, nil)
}

// otherEnd goes from a prompt to the final answer of its turn and back, from an agent's task to its report, and round a chain of messages that took the
// place of one another.
func (l *list) otherEnd(n int) tea.Cmd {
	if l.slots() == 0 {
		return l.h.Complain("nothing here")
	}
	if n > 0 { // 50%
		from := l.curKey
		slots := l.slots()
		if p, ok := l.locate(screen.RowKey{Id: l.slotID(min(slots-1, max(slots*min(n, 100)/100, 0)))}); ok {
			l.jumped(p)
			l.remember(from)
		}
		return l.moved()
	}
	it, ok := l.curItem()
	if !ok {
		return l.h.Complain("nothing here")
	}
	from := l.curKey
	h := l.h.Snap.HeadRow(it.key.Id)
	if next := l.h.Chains.Next(it.key.Id); next != model.NoID {
		return l.goTo(next, screen.NoCall)
	}
	switch {
	case it.kind == query.LineUser && h.Flags&model.Prompt != 0 && it.depth == 0:
		end := l.slots()
		if l.outline.ready && !l.view().On {
			end = l.nextPrompt(l.cur.slot)
		}
		p, ok := l.prevItem(place{slot: end})
		if !ok || !before(l.cur, p) {
			return l.h.Complain("this turn has no answer")
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
		l.jumped(p)
		l.remember(from)
	case it.call != screen.NoCall && l.h.Snap.Call(it.call).Child != 0:
		if _, open := l.openThread(&it); !open {
			l.opened[it.key] = opening{state: openShort}
			l.made.Clear()
		}
		items := l.itemsOf(l.cur.slot)
		last := l.cur.item
		for i := l.cur.item + 1; i < len(items) && items[i].depth > it.depth; i++ {
			last = i
		}
		l.jumped(place{slot: l.cur.slot, item: last})
		l.remember(from)
	default:
		p, ok := l.promptAbove(l.cur.slot)
		if !ok {
			return l.h.Complain("no other end")
		}
		l.jumped(p)
		l.remember(from)
	}
	return l.moved()
}

// goTop goes to the first row, or to message n-… as it was typed.
func (l *list) goTop(n int) tea.Cmd {
	if n > 0 {
		return l.goIndex(n)
	}
	from := l.curKey
	if p, ok := l.first(); ok {
		l.selectPlace(p)
		l.reveal()
		l.remember(from)
	}
	return l.moved()
}

// goBottom goes to the last row, or to message n where one was typed.
func (l *list) goBottom(n int, typed bool) tea.Cmd {
	if typed {
		return l.goIndex(n)
	}
	if newer := l.h.State.Newer; newer != "" && l.h.Opts.Open != nil {
		return l.h.Ask(screen.OpenNewest{Path: newer})
	}
	from := l.curKey
	l.toEnd()
	l.remember(from)
	if l.h.Live || l.h.State.Indexed < 1 { // the end moves on as the index does
		l.follow = true
	}
	if l.h.State.Indexed < 1 {
		l.h.Say("the end of what is indexed so far; the end of the file when all is")
	}
	return l.moved()
}

// goIndex goes to the message that people call #n.
func (l *list) goIndex(n int) tea.Cmd {
	s := l.h.Snap
	if s.Len() == 0 {
		return l.h.Complain("no messages")
	}
	if n >= s.Len() {
		return l.h.Complain(fmt.Sprintf("no #%d: the last message is #%d", n, s.Len()-1))
	}
	return l.goTo(s.At(n), screen.NoCall)
}

// goTo selects the row of a message or of one of its calls and remembers the jump. A result is the row of its call.
func (l *list) goTo(id model.ID, call model.CallID) tea.Cmd {
	s := l.h.Snap
	if id == model.NoID || int(id) >= s.Rows() {
		return l.h.Complain("this is not in the conversation any more")
	}
	if call == screen.NoCall && s.HeadRow(id).Flags&model.HasResults != 0 {
		if rows := s.Answers(id); len(rows) > 0 && rows[0].Msg != model.NoID {
			call, id = rows[0].ID, rows[0].Msg
		}
	}
	if l.view().On {
		ids := l.view().Ids
		i := l.slotOf(id)
		if i >= len(ids) || ids[i] != id {
			l.h.Ask(screen.FilterOff{})
			l.h.Say("the filter is off: it hides this row; & switches it on")
		}
	}
	from := l.curKey
	l.openHosts(id)
	p, ok := l.locate(screen.RowKey{Id: id, Kind: screen.RowLine})
	if !ok {
		return l.h.Complain("no rows")
	}
	if call != screen.NoCall {
		items := l.itemsOf(p.slot)
		for i := range items {
			if items[i].call == call {
				p = place{slot: p.slot, item: i}
				break
			}
		}
	}
	l.jumped(p)
	l.remember(from)
	return l.moved()
}

// openHosts opens what a message is folded into: its turn, the calls of the subagents it belongs to.
func (l *list) openHosts(id model.ID) {
	s := l.h.Snap
	for range 8 {
		t := l.thread(s.HeadRow(id).Thread)
		if t == nil || t.Main || uint32(t.Call) == model.NoRow || s.Call(t.Call).Msg == model.NoID || l.view().On {
			break
		}
		host := s.Call(t.Call).Msg
		lines, _ := l.h.Described.Lines(host)
		for n := range lines {
			if lines[n].Call == t.Call {
				l.opened[screen.RowKey{Id: host, Kind: screen.RowLine, N: uint16(n)}] = opening{state: openShort}
			}
		}
		l.forgetItems(host)
		id = host
	}
	slot := l.slotOf(id)
	if l.foldedSlot(slot) {
		if n, ok := l.promptSlot(slot); ok {
			l.turnOpen[l.slotID(n)] = openShort
			l.made.Clear()
		}
	}
}

// goTime goes to the first message at or after a time of day or a date with one.
func (l *list) goTime(text string) tea.Cmd {
	s := l.h.Snap
	if s.Len() == 0 {
		return l.h.Complain("no messages")
	}
	var first int64
	for pos := 0; pos < s.Len() && first == 0; pos++ {
		first = s.HeadRow(s.At(pos)).Time
	}
	if first == 0 {
		return l.h.Complain("no time in this format")
	}
	day := time.UnixMilli(first).In(l.h.Zone)
	for _, layout := range [...]string{"15:04:05", "15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02"} {
		t, err := time.ParseInLocation(layout, strings.TrimSpace(text), l.h.Zone)
		if err != nil {
			continue
		}
		if !strings.HasPrefix(layout, "2006") {
			t = time.Date(day.Year(), day.Month(), day.Day(), t.Hour(), t.Minute(), t.Second(), 0, l.h.Zone)
			if t.Before(day.Truncate(time.Minute)) {
				t = t.AddDate(0, 0, 1)
			}
		}
		for pos := range s.Len() {
			if ms := s.HeadRow(s.At(pos)).Time; ms >= t.UnixMilli() {
				return l.goTo(s.At(pos), screen.NoCall)
			}
		}
		return l.h.Complain("nothing at or after " + text)
	}
	return l.h.Complain(fmt.Sprintf("cannot read %q as a time: write 22:41 or 2026-02-11 22:41", text))
}

// jumpLimit is how many jumps are remembered.
const jumpLimit = 100

// remember puts the place that was left on the way back.
func (l *list) remember(from screen.RowKey) {
	if from == l.curKey {
		return
	}
	l.past = append(l.past, from)
	if len(l.past) > jumpLimit {
		l.past = l.past[1:]
	}
	l.future = nil
}

func (l *list) back() tea.Cmd {
	if len(l.past) == 0 {
		return l.h.Ask(screen.OpenPast{})
	}
	to := l.past[len(l.past)-1]
	l.past = l.past[:len(l.past)-1]
	l.future = append(l.future, l.curKey)
	return l.revisit(to)
}

func (l *list) forward() tea.Cmd {
	if len(l.future) == 0 {
		return l.h.Complain("no jump to go forward")
	}
	to := l.future[len(l.future)-1]
	l.future = l.future[:len(l.future)-1]
	l.past = append(l.past, l.curKey)
	return l.revisit(to)
}

func (l *list) revisit(key screen.RowKey) tea.Cmd {
	if p, ok := l.locate(key); ok {
		l.jumped(p)
	}
	return l.moved()
}

func (l *list) setMark(key string) tea.Cmd {
	r := []rune(key)
	if len(r) != 1 || r[0] <= ' ' {
		return l.h.Complain("a mark is one letter")
	}
	if l.marks[r[0]] == l.curKey {
		delete(l.marks, r[0])
		l.h.Say("mark " + key + " taken away")
	} else {
		l.marks[r[0]] = l.curKey
		l.h.Say("mark " + key + " set")
	}
	return l.h.Ask(screen.Marked{})
}

func (l *list) goMark(key string) tea.Cmd {
	if key == "'" {
		return l.back()
	}
	r := []rune(key)
	if len(r) != 1 {
		return l.h.Complain("a mark is one letter")
	}
	k, ok := l.marks[r[0]]
	if !ok {
		return l.h.Complain("no mark " + key)
	}
	from := l.curKey
	l.openHosts(k.Id)
	if p, ok := l.locate(k); ok {
		l.jumped(p)
		l.remember(from)
	}
	return l.moved()
}
