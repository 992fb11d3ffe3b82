package timeline

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/filter"
	"turns/query/lang"
	"turns/ui/paint"
	"turns/ui/screen"
)

// search is a searched text, and the rows that contain it. It does not hide rows; the filter does.
// It runs in the background and reports hits in batches while it continues; another letter cancels
// it.
type search struct {
	screen.Field // the search line
	gen          int
	typing       bool
	hits         []hit // by place in the session
	done         bool
	err          string
	wrap         string // "wrapped" after n wrapped around
	start        screen.RowKey
	past         []string
	back         int   // index in past while typing
	nth          int   // number of the shown occurrence in the row of the cursor
	shown        place // its line in the open body, or the row itself
	cancel       context.CancelFunc
	pat          screen.Pattern
	form         form
	regex        bool       // the text is a regex
	wanted       bool       // Enter was pressed: unfold and show the first hit
	part         int        // searched percentage of the messages
	counted      *paint.Doc // the body whose occurrences were counted last
	times        int        // in it
}

// form is the interpretation of the search text.
type form uint8

const (
	formTyped form = iota // a regex if it looks like one
	formText
	formRegex
)

// source returns the text to search and whether it is a regex.
func (s *search) source() (src string, regex bool) {
	switch {
	case s.form == formText:
		return s.Text, false
	case s.form == formRegex && s.Text != "":
		return filter.AsRegex(s.Text), true
	}
	return filter.Typed(s.Text)
}

// OtherForm names the form that Ctrl-r switches to.
func (l *List) OtherForm() string {
	if _, regex := l.find.source(); regex {
		return "as text"
	}
	return "as regex"
}

// hit is a row that contains the text.
type hit struct {
	slot int
	id   model.ID
	call model.CallID
	kind describe.LineKind
	n    int // number of occurrences, including its body
}

// same reports whether two hits are in one row.
func (h hit) same(o hit) bool { return h.id == o.id && h.call == o.call && h.kind == o.kind }

// SearchedMsg carries rows found by a search; More delivers the next batch, until Done.
type SearchedMsg struct {
	Gen  int
	hits []hit
	Done bool
	Part int // searched percentage of the messages
	Err  error
	More chan SearchedMsg
}

// searchBatch is how long hits are collected before they are reported.
const searchBatch = 30 * time.Millisecond

// OpenSearch opens the search line.
func (l *List) OpenSearch() tea.Cmd {
	s := &l.find
	s.typing, s.start, s.form, s.wanted = true, l.CurKey, formTyped, false
	s.Set("")
	s.hits, s.back = nil, len(s.past)
	l.h.Ask(screen.Status{})
	l.Invalidate()
	return nil
}

// Arm searches a text as if it was typed, and shows its first hit after the cursor.
func (l *List) Arm(text string) tea.Cmd {
	if text == "" {
		return nil
	}
	l.OpenSearch()
	s := &l.find
	s.typing, s.wanted, s.past = false, true, append(s.past, text)
	s.Set(text)
	return l.startSearch()
}

// SearchKey edits the search line.
func (l *List) SearchKey(msg tea.KeyPressMsg) tea.Cmd {
	s := &l.find
	switch screen.KeyName(msg) {
	case "enter":
		s.typing = false
		if s.Text == "" && len(s.past) > 0 {
			s.Set(s.past[len(s.past)-1])
			return l.startSearch()
		}
		if s.Text != "" && (len(s.past) == 0 || s.past[len(s.past)-1] != s.Text) {
			s.past = append(s.past, s.Text)
		}
		l.remember(s.start)
		if s.wanted = len(s.hits) == 0 && !s.done; !s.wanted {
			l.toHitNumber(l.hitAt(), 0)
		}
		l.Moved()
		return nil
	case "esc", "ctrl+c":
		s.typing = false
		l.ClearSearch()
		if p, ok := l.Locate(s.start); ok {
			l.jumped(p)
		}
		l.Moved()
		return nil
	case "tab":
		s.typing = false
		text, _ := s.source()
		l.ClearSearch()
		if text == "" {
			return l.h.Ask(screen.EditFilter{})
		}
		if p, err := filter.NewPattern(text, true); err == nil {
			return l.h.Ask(screen.AddTerm{Term: p.Filter().Source(), Negate: false})
		}
		return l.h.Ask(screen.AddTerm{Term: lang.Quote(text), Negate: false})
	case "up", "ctrl+p":
		if s.back > 0 {
			s.back--
			s.Set(s.past[s.back])
		}
	case "down", "ctrl+n":
		if s.back < len(s.past) {
			s.back++
			s.Set("")
			if s.back < len(s.past) {
				s.Set(s.past[s.back])
			}
		}
	case "ctrl+r":
		_, regex := s.source()
		if s.form = formRegex; regex {
			s.form = formText
		}
	default:
		before := s.Text
		if name := screen.KeyName(msg); before == "" && (name == "backspace" || name == "ctrl+h") {
			s.typing = false
			return nil
		}
		if s.Key(msg); s.Text == before {
			return nil
		}
	}
	return l.startSearch()
}

// startSearch searches the text of the search line, in the rows that pass the filter.
func (l *List) startSearch() tea.Cmd {
	s := &l.find
	s.stop()
	s.part = 0
	src, regex := s.source()
	s.hits, s.done, s.err, s.wrap, s.nth, s.pat, s.regex, s.counted = nil, false, "", "", 0, screen.NewPattern(src), regex, nil
	l.Invalidate()
	if s.Text == "" {
		return nil
	}
	p, err := filter.NewPattern(src, true)
	if err != nil {
		s.done, s.err = true, paint.OneLine(err.Error())
		return nil
	}
	sel := query.Everything(l.h.Snap)
	if v := l.h.View; v.On && v.Result != nil {
		sel.IDs = v.Result.IDs
	}
	ctx, cancel := context.WithCancel(l.h.Ctx)
	s.cancel = cancel
	more := make(chan SearchedMsg)
	gen := s.gen
	go screen.Background(func() tea.Msg { LookFor(ctx, sel, p, gen, more); return nil })()
	return nextHits(ctx, more)
}

// Searching reports whether the search line is open.
func (l *List) Searching() bool { return l.find.typing }

// SearchText returns the searched text, "" for none.
func (l *List) SearchText() string { return l.find.Text }

// Hits returns the number of rows found so far.
func (l *List) Hits() int { return len(l.find.hits) }

// SearchLine draws the search line in w cells; cursor is the cell of its cursor.
func (l *List) SearchLine(w int) (line []paint.Span, cursor int) {
	return l.find.Spans(w, paint.InkText, false)
}

// ClearSearch ends the search and discards its hits.
func (l *List) ClearSearch() {
	l.find.Set("")
	l.find.hits = nil
	l.find.stop()
	l.Invalidate()
}

// StopSearch stops a running search and returns its progress; "" if none is running.
func (l *List) StopSearch() string {
	s := &l.find
	if s.Text == "" || s.done {
		return ""
	}
	s.stop()
	s.done, s.err = true, fmt.Sprintf("stopped at %d %%", s.part)
	return s.err
}

// stop cancels a running search.
func (s *search) stop() {
	s.gen++
	if s.cancel != nil {
		s.cancel()
	}
}

// nextHits waits for the next batch.
func nextHits(ctx context.Context, more chan SearchedMsg) tea.Cmd {
	return func() tea.Msg {
		select {
		case msg := <-more:
			return msg
		case <-ctx.Done():
			return nil
		}
	}
}

// LookFor sends the rows of a selection that contain a pattern, in batches. A result belongs to the
// row of its call.
func LookFor(ctx context.Context, sel query.Selection, p *filter.Pattern, gen int, more chan SearchedMsg) {
	batch := SearchedMsg{Gen: gen, More: more}
	report := func() bool {
		select {
		case more <- batch:
			batch.hits = nil
			return true
		case <-ctx.Done():
			return false
		}
	}
	defer func() {
		if r := recover(); r != nil { // no caller would restore the terminal
			batch.Err, batch.Done = screen.FaultOf(r), true
			report()
		}
	}()
	began := time.Now()
	progress := func(done, total int) {
		part := done * 100 / max(total, 1)
		if part == batch.Part || time.Since(began) <= searchBatch {
			return
		}
		if batch.Part = part; report() {
			began = time.Now()
		}
	}
	for h, err := range filter.Find(ctx, sel, p, progress) {
		if err != nil {
			batch.Err = err
			break
		}
		row := hit{id: h.ID, call: screen.NoCall, kind: describe.LineAssistant, n: max(len(h.Ranges), 1)}
		switch h.Kind {
		case model.ToolCall, model.ToolResult:
			row.call, row.kind = h.Call, describe.LineCall
			if h.Call != screen.NoCall {
				if msg := sel.Snap.Call(h.Call).Msg; msg != model.NoID {
					row.id = msg
				}
			}
		case model.Reasoning:
			row.kind = describe.LineReasoning
		}
		if n := len(batch.hits); n > 0 && row.same(batch.hits[n-1]) {
			batch.hits[n-1].n += row.n
		} else {
			batch.hits = append(batch.hits, row)
		}
		if time.Since(began) > searchBatch {
			if !report() {
				return
			}
			began = time.Now()
		}
	}
	batch.Done = true
	report()
}

// Searched adds the hits of a batch.
func (l *List) Searched(msg SearchedMsg) tea.Cmd {
	s := &l.find
	if msg.Gen != s.gen {
		return nil
	}
	first := len(s.hits) == 0
	for _, h := range msg.hits {
		h.slot = l.slotOf(l.hostOf(h.id))
		at := sort.Search(len(s.hits), func(i int) bool { return !s.hits[i].less(h) })
		if at == len(s.hits) || !s.hits[at].same(h) {
			s.hits = slices.Insert(s.hits, at, h)
		} else {
			s.hits[at].n += h.n
		}
	}
	s.done, s.part = msg.Done, msg.Part
	s.wanted = s.wanted && !(s.done && len(s.hits) == 0)
	if msg.Err != nil {
		s.err = paint.OneLine(msg.Err.Error())
	}
	if (s.typing || s.wanted) && len(s.hits) > 0 {
		if start, ok := l.Locate(s.start); ok && (first || before(l.Cur, start) || l.CurKey == s.start) {
			l.toNearest(start)
			s.wanted = false
		}
	}
	if !s.done {
		cmd := nextHits(l.h.Ctx, msg.More)
		l.Moved()
		return cmd
	}
	l.Moved()
	return nil
}

func (h hit) less(o hit) bool {
	return cmp.Or(h.slot-o.slot, cmp.Compare(h.id, o.id), cmp.Compare(h.call, o.call), cmp.Compare(h.kind, o.kind)) < 0
}

// toNearest selects the first hit at or after a place, otherwise the first of all.
func (l *List) toNearest(from place) {
	s := &l.find
	at := sort.Search(len(s.hits), func(i int) bool { return s.hits[i].slot >= from.Slot })
	l.toHitNumber(at%max(len(s.hits), 1), 0)
}

// placeOf returns the row of a hit.
func (l *List) placeOf(h hit) (place, bool) {
	l.openHosts(h.id)
	p, ok := l.Locate(screen.RowKey{ID: h.id, Kind: screen.RowLine})
	if !ok {
		return p, false
	}
	of, ok := l.seekInto(p.Slot, 1, func(it *item) bool {
		switch {
		case it.Key.ID != h.id:
			return false
		case h.call != screen.NoCall:
			return it.Call == h.call
		case h.kind == describe.LineReasoning:
			return it.Kind == describe.LineReasoning
		}
		return it.Call == screen.NoCall && it.Kind != describe.LineReasoning && it.Key.Kind == screen.RowLine
	})
	if ok {
		p = of
	}
	return p, true
}

// toHitNumber shows the nth occurrence in the row of a hit, and opens the rows that hide it.
func (l *List) toHitNumber(at, nth int) {
	s := &l.find
	if at < 0 || at >= len(s.hits) {
		return
	}
	p, ok := l.placeOf(s.hits[at])
	if !ok {
		return
	}
	if it, ok := l.item(p); !ok || it.Key != l.CurKey || nth == 0 {
		l.jumped(p)
	}
	s.nth, s.shown = nth, l.Cur
	it, ok := l.CurItem()
	if !ok || s.typing || !l.hasBody(&it) || nth == 0 && !l.IsOpen(&it) && l.rowShows(&it, s.pat) {
		return
	}
	if l.stateOf(&it).State != OpenWhole {
		l.setState(&it, OpenWhole)
	}
	if n := l.shownTimes(&it, s.pat); n >= 0 { // the body may show a text twice, or in other words
		s.hits[at].n = max(n, 1)
		s.nth = min(nth, s.hits[at].n-1)
	}
	l.scrollToHit(&it, s.pat, s.nth)
}

// countedParts is the most parts of a body whose occurrences are counted as displayed.
const countedParts = 64

// shownTimes counts the occurrences in the open body of an item, -1 if the body is too long.
func (l *List) shownTimes(it *item, p screen.Pattern) (n int) {
	l.Cur, _ = l.Locate(it.Key)
	d := l.docOf(it)
	if d == nil || d.Len() > countedParts {
		return -1
	}
	s := &l.find
	if s.counted == d {
		return s.times
	}
	for c := range d.Len() {
		if d.Lacks(c, p.InLines) {
			continue
		}
		for _, line := range d.Lines(c) {
			n += p.Times(paint.Stripped(line))
		}
	}
	s.counted, s.times = d, n
	return n
}

// rowShows reports whether a closed row shows the pattern.
func (l *List) rowShows(it *item, p screen.Pattern) bool {
	ln, ok := l.lineOf(it)
	return ok && (p.Holds(ln.About) || p.Holds(ln.Outcome) || p.Holds(ln.Word))
}

// lookedInto is the most parts of an open body that are searched for an occurrence.
const lookedInto = 4000

// scrollToHit scrolls to the line of an open body with the nth occurrence of the pattern, or the
// last one if the body shows fewer than the transcript contains.
func (l *List) scrollToHit(it *item, p screen.Pattern, nth int) {
	l.Cur, _ = l.Locate(it.Key)
	d := l.docOf(it)
	if d == nil {
		return
	}
	found := place{Chunk: -1}
	for c := range min(d.Len(), lookedInto) {
		if d.Lacks(c, p.InLines) {
			continue
		}
		for n, line := range d.Lines(c) {
			times := p.Times(paint.Stripped(line))
			if times == 0 {
				continue
			}
			found = place{Slot: l.Cur.Slot, Item: l.Cur.Item, Chunk: c + 1, line: n}
			if nth -= times; nth < 0 {
				l.bring(found)
				return
			}
		}
	}
	if found.Chunk > 0 {
		l.bring(found)
	}
}

// bring scrolls to a line of the body of the cursor's row, with the row if there is room for both.
func (l *List) bring(at place) {
	l.find.shown = at
	top, _ := l.shifted(at, -l.Rows/2)
	if before(top, l.Cur) {
		top = l.Cur
		top, _ = l.shifted(top, -min(2, l.Rows/4))
	}
	l.setTop(top)
	l.OnScreen()
	l.keepTop()
}

// ToHit goes to the n-th hit in a direction, for keys n and N.
func (l *List) ToHit(n, dir int) string {
	s := &l.find
	switch {
	case s.Text == "":
		return "no search: " + l.h.Key("/") + " begins one"
	case len(s.hits) == 0 && s.done:
		return "no match for " + s.Text
	case len(s.hits) == 0:
		return "no match so far"
	}
	at, nth := l.hitAt(), 0
	if at < len(s.hits) && l.isAt(s.hits[at]) {
		nth = s.nth + dir*n
	} else if dir > 0 {
		nth = n - 1
	} else {
		nth = -n
	}
	s.wrap = ""
	for nth < 0 || at >= len(s.hits) || nth >= s.hits[at].n {
		switch {
		case at >= len(s.hits):
			at, s.wrap = 0, ", wrapped"
			if nth < 0 {
				at, s.wrap = len(s.hits)-1, ""
				nth += s.hits[at].n
			}
		case nth >= s.hits[at].n:
			nth -= s.hits[at].n
			if at++; at == len(s.hits) {
				at, s.wrap = 0, ", wrapped"
			}
		default:
			if at--; at < 0 {
				at, s.wrap = len(s.hits)-1, ", wrapped"
			}
			nth += s.hits[at].n
		}
	}
	l.h.Ask(screen.Status{}) // the hit number is shown there
	l.toHitNumber(at, nth)
	return ""
}

// hitAt returns the number of the hit at the cursor, or of the next one after it.
func (l *List) hitAt() int {
	s := &l.find
	it, _ := l.CurItem()
	return sort.Search(len(s.hits), func(i int) bool {
		h := s.hits[i]
		if h.slot != l.Cur.Slot {
			return h.slot > l.Cur.Slot
		}
		p, _ := l.placeOfQuick(h)
		return p >= l.Cur.Item || h.id == it.Key.ID && h.call == it.Call && it.Call != screen.NoCall
	})
}

// placeOfQuick returns the item number of a hit in its slot.
func (l *List) placeOfQuick(h hit) (int, bool) {
	items := l.itemsOf(h.slot)
	for i := range items {
		it := &items[i]
		if it.Key.ID == h.id && it.Key.Kind == screen.RowLine && it.Call == h.call && (h.call != screen.NoCall || (it.Kind == describe.LineReasoning) == (h.kind == describe.LineReasoning)) {
			return i, true
		}
	}
	return 0, false
}

func (l *List) isAt(h hit) bool {
	i, ok := l.placeOfQuick(h)
	return ok && h.slot == l.Cur.Slot && i == l.Cur.Item
}

// SearchStatus describes the search: "3 of 17", "0 so far, 62 %", "4 so far, up to #231".
func (l *List) SearchStatus() string {
	s := &l.find
	switch {
	case s.Text == "":
		return ""
	case s.regex:
		return "regex, " + l.howMuch()
	}
	return l.howMuch()
}
