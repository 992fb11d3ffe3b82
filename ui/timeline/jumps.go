package timeline

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/label"
	"turns/ui/paint"
	"turns/ui/screen"
)

// Jump makes a movement that the back and forward keys remember; f returns why it is impossible.
func (l *List) Jump(f func(l *List, n, dir int) string, n, dir int) tea.Cmd {
	from := l.CurKey
	if why := f(l, n, dir); why != "" {
		return l.h.Complain(why)
	}
	l.remember(from)
	l.Moved()
	return nil
}

// jumped moves the cursor to a place that may be off the screen.
func (l *List) jumped(p place) {
	l.SelectPlace(p)
	if !l.visible(p) {
		l.Center(l.Rows / 3)
	}
	l.Reveal()
}

// jumpTo is jumped, and records the jump.
func (l *List) jumpTo(p place) {
	from := l.CurKey
	l.jumped(p)
	l.remember(from)
}

func (l *List) found(p place, ok bool, none string) string {
	if !ok {
		return none
	}
	l.jumped(p)
	return ""
}

// ToError goes to the n-th error in a direction (1 or -1). Like all jumps, it returns why it did
// not move, "" if it did.
func (l *List) ToError(n, dir int) string {
	if !l.errorsReady() {
		return "still looking for errors"
	}
	p, ok := l.seekRows(l.errorRows(), n, dir, l.isFailed)
	return l.found(p, ok, l.none("error", dir, l.errorRows()))
}

// none explains that there are no more in a direction, and how many there are in the other.
func (l *List) none(what string, dir int, rows []int32) string {
	way, other := "after", "before"
	if dir < 0 {
		way, other = other, way
	}
	text := fmt.Sprintf("no %s %s %s", what, way, l.here())
	at, _ := slices.BinarySearch(rows, int32(l.Cur.Slot))
	n := at
	if dir < 0 {
		n = len(rows) - at
	}
	if n > 0 {
		text += fmt.Sprintf(", %s %s", human.Count(n), other)
	}
	return text
}

// here names the row of the cursor.
func (l *List) here() string {
	if it, ok := l.CurItem(); ok && it.Index >= 0 {
		return human.Place(int(it.Index))
	}
	return "here"
}

// ToPrompt goes to the n-th prompt of the main thread.
func (l *List) ToPrompt(n, dir int) string {
	want := func(it *item) bool {
		return it.Kind == describe.LineUser && l.h.Snap.HeadRow(it.Key.ID).Flags&model.Prompt != 0 && it.Depth == 0
	}
	if l.View().On || !l.Outline.Ready {
		p, ok := l.seek(n, dir, func(h *model.Head) bool { return h.Flags&model.Prompt == 0 }, want)
		return l.found(p, ok, l.none("prompt", dir, nil))
	}
	p, ok := l.seekRows(l.Outline.prompts, n, dir, want)
	return l.found(p, ok, l.none("prompt", dir, l.Outline.prompts))
}

func noCalls(h *model.Head) bool { return h.Flags&model.HasCalls == 0 }

// ToCall goes to the n-th call.
func (l *List) ToCall(n, dir int) string {
	p, ok := l.seek(n, dir, noCalls, func(it *item) bool { return it.Kind == describe.LineCall })
	return l.found(p, ok, l.none("call", dir, nil))
}

// ToSameTool goes to the n-th call of the same tool as the cursor's call.
func (l *List) ToSameTool(n, dir int) string {
	it, ok := l.CurItem()
	if !ok || it.Call == screen.NoCall {
		return "not on a call: " + l.h.Key("c") + " goes to the next one"
	}
	s := l.h.Snap
	tool := s.Call(it.Call).Tool
	p, ok := l.seek(n, dir, noCalls, func(it *item) bool {
		return it.Call != screen.NoCall && s.Call(it.Call).Tool == tool
	})
	return l.found(p, ok, l.none(paint.OneLine(s.Name(tool)), dir, nil))
}

// ToSameThing goes to the n-th row about the same file or subject, wrapping around.
func (l *List) ToSameThing(n, dir int) string {
	it, ok := l.CurItem()
	if !ok {
		return "no row here"
	}
	line, ok := l.lineOf(&it)
	if !ok || thing(line) == "" {
		return "this row names no file"
	}
	key, call := thing(line), line.Call != screen.NoCall
	p, wrapped, ok := l.seekAround(n, dir, func(h *model.Head) bool { return call && h.Flags&model.HasCalls == 0 }, func(o *item) bool {
		ln, ok := l.lineOf(o)
		return ok && (ln.Call != screen.NoCall) == call && thing(ln) == key
	})
	if ok && wrapped {
		l.h.ShowStatus("around the " + map[bool]string{true: "end", false: "beginning"}[dir > 0] + " of the session")
	}
	return l.found(p, ok, "no other row about "+strconv.Quote(paint.Cut(key, 24)))
}

// thing returns the subject of a row: its path without line ranges, otherwise all of its text.
func thing(line *describe.Line) string {
	if line.Path[1] > line.Path[0] && line.Path[1] <= len(line.About) {
		return line.About[line.Path[0]:line.Path[1]]
	}
	return line.About
}

// ToTurn goes to the beginning of the n-th turn, which is its prompt.
func (l *List) ToTurn(n, dir int) string { return l.ToPrompt(n, dir) }

// ToStep goes to the n-th response of the model in the main thread.
func (l *List) ToStep(n, dir int) string {
	p, ok := l.seek(n, dir, func(h *model.Head) bool { return h.Role != model.Assistant }, func(it *item) bool {
		return it.first && it.Depth == 0 && l.h.Snap.HeadRow(it.Key.ID).Role == model.Assistant
	})
	return l.found(p, ok, l.none("step", dir, nil))
}

// ToLabel goes to the next row with a label.
func (l *List) ToLabel(n, dir int) string {
	all := l.h.Labelled.Here.All()
	if !slices.ContainsFunc(all, func(p label.Placed) bool { return p.ID != model.NoID }) {
		return "no labels: " + l.h.Key(".") + " sets one, " + l.h.Key("m *") + " and a letter a mark"
	}
	var places []place
	for i := range all {
		if all[i].ID != model.NoID {
			if p, ok := l.labelPlace(&all[i]); ok {
				places = append(places, p)
			}
		}
	}
	slices.SortFunc(places, compared)
	places = slices.Compact(places)
	if dir < 0 {
		slices.Reverse(places)
	}
	for _, p := range places {
		if dir > 0 && before(l.Cur, p) || dir < 0 && before(p, l.Cur) {
			if n--; n == 0 {
				l.jumped(p)
				return ""
			}
		}
	}
	return l.none("label", dir, nil)
}

// labelPlace returns the place of a label: its call, otherwise its line.
func (l *List) labelPlace(p *label.Placed) (place, bool) {
	at, ok := l.Locate(screen.KeyOf(p))
	if !ok || p.Call == screen.NoCall {
		return at, ok
	}
	if of, ok := l.seekInto(at.Slot, 1, func(it *item) bool { return it.Call == p.Call }); ok {
		return of, true
	}
	return at, true
}

// OtherEnd goes from a prompt to the final answer of its turn and back, from an agent's task to its
// report, and through the versions of a replaced message. With n, it goes to n percent.
func (l *List) OtherEnd(n int) tea.Cmd {
	if l.Slots() == 0 {
		return l.h.Complain("no row here")
	}
	if n > 0 { // percent
		slots := l.Slots()
		if p, ok := l.Locate(screen.RowKey{ID: l.SlotID(min(slots-1, max(slots*min(n, 100)/100, 0)))}); ok {
			l.jumpTo(p)
		}
		l.Moved()
		return nil
	}
	it, ok := l.CurItem()
	if !ok {
		return l.h.Complain("no row here")
	}
	h := l.h.Snap.HeadRow(it.Key.ID)
	if next := l.h.Chains.Next(it.Key.ID); next != model.NoID {
		return l.GoTo(next, screen.NoCall)
	}
	switch {
	case it.Kind == describe.LineUser && h.Flags&model.Prompt != 0 && it.Depth == 0:
		end := l.Slots()
		if l.Outline.Ready && !l.View().On {
			end = l.nextPrompt(l.Cur.Slot)
		}
		if closed, _ := l.turnClosed(it.Key.ID); closed && !l.View().On {
			l.setTurn(it.Key.ID, openShort)
		}
		p, ok := l.prevItem(place{Slot: end})
		if !ok || !before(l.Cur, p) {
			return l.h.Complain("this turn has no answer")
		}
		q := p
		for range 64 {
			o, ok := l.item(q)
			if !ok || !before(l.Cur, q) {
				break
			}
			if o.Kind == describe.LineAssistant {
				p = q
				break
			}
			if q, ok = l.prevItem(q); !ok {
				break
			}
		}
		l.jumpTo(p)
	case it.Call != screen.NoCall && l.h.Snap.Call(it.Call).Child != 0:
		if _, open := l.openThread(&it); !open {
			l.Opened[it.Key] = Opening{State: openShort}
			l.made.Clear()
		}
		items := l.itemsOf(l.Cur.Slot)
		last := l.Cur.Item
		for i := l.Cur.Item + 1; i < len(items) && items[i].Depth > it.Depth; i++ {
			last = i
		}
		l.jumpTo(place{Slot: l.Cur.Slot, Item: last})
	default:
		p, ok := l.promptAbove(l.Cur.Slot)
		if !ok {
			return l.h.Complain("no other end")
		}
		l.jumpTo(p)
	}
	l.Moved()
	return nil
}

// GoTop goes to the first row, or to message n if n > 0.
func (l *List) GoTop(n int) tea.Cmd {
	if n > 0 {
		return l.GoIndex(n)
	}
	from := l.CurKey
	if p, ok := l.first(); ok {
		l.SelectPlace(p)
		l.Reveal()
		l.remember(from)
	}
	l.Moved()
	return nil
}

// GoBottom goes to the last row, or to message n if a number was typed.
func (l *List) GoBottom(n int, typed bool) tea.Cmd {
	if typed {
		return l.GoIndex(n)
	}
	if newer := l.h.State.Newer; newer != "" && l.h.Opts.Store != nil {
		return l.h.Ask(screen.OpenNewest{Path: newer})
	}
	from := l.CurKey
	l.ToEnd()
	l.remember(from)
	if l.h.Live || l.h.State.Indexed < 1 { // keep following the growing end
		l.Follow = true
	}
	if l.h.State.Indexed < 1 {
		l.h.ShowStatus("the end of the indexed part; turns is still reading the file")
	}
	l.Moved()
	return nil
}

// GoIndex goes to message #n.
func (l *List) GoIndex(n int) tea.Cmd {
	s := l.h.Snap
	if s.Len() == 0 {
		return l.h.Complain("no messages")
	}
	if n >= s.Len() {
		return l.h.Complain(fmt.Sprintf("no #%d: the last message is #%d", n, s.Len()-1))
	}
	return l.GoTo(s.At(n), screen.NoCall)
}

// GoTo selects the row of a message or of one of its calls and records the jump. A result has the
// row of its call.
func (l *List) GoTo(id model.ID, call model.CallID) tea.Cmd {
	s := l.h.Snap
	if id == model.NoID || int(id) >= s.Rows() {
		return l.h.Complain("this is not in the conversation any more")
	}
	if call == screen.NoCall && s.HeadRow(id).Flags&model.HasResults != 0 {
		if rows := s.Answers(id); len(rows) > 0 && rows[0].Msg != model.NoID {
			call, id = rows[0].ID, rows[0].Msg
		}
	}
	if l.View().On {
		ids := l.View().Ids
		i := l.slotOf(id)
		if i >= len(ids) || ids[i] != id {
			l.h.Ask(screen.FilterOff{})
			l.h.ShowStatus("the filter is off: it hides this row; & switches it on")
		}
	}
	l.openHosts(id)
	p, ok := l.Locate(screen.RowKey{ID: id, Kind: screen.RowLine})
	if !ok {
		return l.h.Complain("no rows")
	}
	if call != screen.NoCall {
		if of, ok := l.seekInto(p.Slot, 1, func(it *item) bool { return it.Call == call }); ok {
			p = of
		}
	}
	l.jumpTo(p)
	l.Moved()
	return nil
}

// openHosts opens the rows that contain a message: its turn, the calls of its subagents, and its
// own ones if it adds context to results.
func (l *List) openHosts(id model.ID) {
	s := l.h.Snap
	if addsContext(s.HeadRow(id)) {
		l.uncovered[id] = true
	}
	for range 8 {
		t := l.Thread(s.HeadRow(id).Thread)
		if t == nil || t.Main || uint32(t.Call) == model.NoRow || s.Call(t.Call).Msg == model.NoID || l.View().On {
			break
		}
		host := s.Call(t.Call).Msg
		lines, _ := l.h.Described.Lines(host)
		for n := range lines {
			if lines[n].Call == t.Call {
				l.Opened[screen.RowKey{ID: host, Kind: screen.RowLine, N: uint16(n)}] = Opening{State: openShort}
			}
		}
		l.forgetItems(host)
		id = host
	}
	l.openScripts(id)
	slot := l.slotOf(id)
	if l.foldedSlot(slot) {
		if n, ok := l.promptSlot(slot); ok {
			l.turnOpen[l.SlotID(n)] = openShort
			l.made.Clear()
		}
	}
}

// openScripts shows the calls made by the scripts of a message.
func (l *List) openScripts(id model.ID) {
	lines, _ := l.h.Described.Lines(id)
	for n := range lines {
		key := screen.RowKey{ID: id, Kind: screen.RowLine, N: uint16(n)}
		if call := lines[n].Call; call != screen.NoCall && l.h.Snap.Call(call).Flags&model.HasNested != 0 && l.Opened[key].State == OpenClosed {
			delete(l.Opened, key)
			l.forgetItems(id)
		}
	}
}

// GoTime goes to the first message at or after a time of day or a date with one.
func (l *List) GoTime(text string) tea.Cmd {
	id, err := query.AtTime(query.Everything(l.h.Snap), text, l.h.Zone)
	if err != nil {
		return l.h.Complain(err.Error())
	}
	return l.GoTo(id, screen.NoCall)
}

// jumpLimit is the most remembered jumps.
const jumpLimit = 100

// remember records the place that a jump left.
func (l *List) remember(from screen.RowKey) {
	if from == l.CurKey {
		return
	}
	l.past = append(l.past, from)
	if len(l.past) > jumpLimit {
		l.past = l.past[1:]
	}
	l.future = nil
}

// Back goes to the place before the last jump; without jumps, to the previous session.
func (l *List) Back() tea.Cmd {
	if len(l.past) == 0 {
		return l.h.Ask(screen.OpenPast{})
	}
	to := l.past[len(l.past)-1]
	l.past = l.past[:len(l.past)-1]
	l.future = append(l.future, l.CurKey)
	return l.revisit(to)
}

// Forward undoes Back.
func (l *List) Forward() tea.Cmd {
	if len(l.future) == 0 {
		return l.h.Complain("no jump to go forward")
	}
	to := l.future[len(l.future)-1]
	l.future = l.future[:len(l.future)-1]
	l.past = append(l.past, l.CurKey)
	return l.revisit(to)
}

func (l *List) revisit(key screen.RowKey) tea.Cmd {
	if p, ok := l.Locate(key); ok {
		l.jumped(p)
	}
	l.Moved()
	return nil
}

// SetMark requests a mark with a letter at the cursor.
func (l *List) SetMark(key string) tea.Cmd {
	r := []rune(key)
	if len(r) != 1 || r[0] <= ' ' || strings.ContainsRune(`"#=,`, r[0]) {
		return l.h.Complain("a mark is one letter")
	}
	return l.h.Ask(screen.SetLetter{Letter: key})
}

// GoMark goes to the mark of a letter; ' goes back.
func (l *List) GoMark(key string) tea.Cmd {
	if key == "'" {
		return l.Back()
	}
	r := []rune(key)
	if len(r) != 1 {
		return l.h.Complain("a mark is one letter")
	}
	k, ok := l.h.Letters()[r[0]]
	if !ok {
		return l.h.Complain("no mark " + key)
	}
	l.openHosts(k.ID)
	if p, ok := l.labelPlace(k); ok {
		l.jumpTo(p)
	}
	l.Moved()
	return nil
}
