package ui

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query"
	"turns/ui/paint"
	"turns/ui/screen"
)

// search is a text that is looked for, and the rows where it was found. It does not hide anything; the filter does. It runs beside the screen
// and tells what it found in batches, so that hits come while it goes on and a new letter stops it.
type search struct {
	gen    int
	text   string
	typing bool
	hits   []hit // by place in the conversation
	done   bool
	err    string
	wrap   string // "wrapped" after n went around
	start  screen.RowKey
	past   []string
	at     int // in past while typing
	cancel context.CancelFunc
	pat    screen.Pattern
	part   int // of a hundred of the messages that were searched
}

// hit is a row in which the text occurs.
type hit struct {
	slot int
	id   model.ID
	call model.CallID
	kind query.LineKind
}

type searchedMsg struct {
	gen  int
	hits []hit
	done bool
	part int // of a hundred of the messages that were searched
	err  error
	more chan searchedMsg
}

// searchBatch is how long hits are gathered before they are told.
const searchBatch = 30 * time.Millisecond

// openSearch begins to type a search.
func (l *list) openSearch() tea.Cmd {
	s := l.findings
	if s == nil {
		s = &search{}
		l.findings = s
	}
	s.typing, s.start, s.text = true, l.curKey, ""
	s.hits, s.at = nil, len(s.past)
	l.h.Ask(screen.Said{})
	l.gen++
	return nil
}

// searchKey edits the search line.
func (l *list) searchKey(msg tea.KeyPressMsg) tea.Cmd {
	s := l.findings
	k := tea.Key(msg)
	switch name := screen.KeyName(msg); name {
	case "enter":
		s.typing = false
		if s.text == "" && len(s.past) > 0 {
			s.text = s.past[len(s.past)-1]
			return l.startSearch()
		}
		if s.text != "" && (len(s.past) == 0 || s.past[len(s.past)-1] != s.text) {
			s.past = append(s.past, s.text)
		}
		l.remember(s.start)
		return l.moved()
	case "esc", "ctrl+c":
		s.typing, s.text, s.hits = false, "", nil
		s.stop()
		l.gen++
		if p, ok := l.locate(s.start); ok {
			l.jumped(p)
		}
		return l.moved()
	case "tab":
		s.typing = false
		text := s.text
		s.text, s.hits = "", nil
		s.stop()
		l.gen++
		if text == "" {
			return l.h.Ask(screen.EditFilter{})
		}
		if p, err := query.NewPattern(text, true); err == nil {
			return l.h.Ask(screen.AddTerm{Term: p.Filter().Source(), Negate: false})
		}
		return l.h.Ask(screen.AddTerm{Term: query.Quote(text), Negate: false})
	case "up", "ctrl+p":
		if s.at > 0 {
			s.at--
			s.text = s.past[s.at]
		}
	case "down", "ctrl+n":
		if s.at < len(s.past) {
			s.at++
			s.text = ""
			if s.at < len(s.past) {
				s.text = s.past[s.at]
			}
		}
	case "backspace", "ctrl+h":
		if s.text == "" {
			s.typing = false
			return nil
		}
		_, n := utf8.DecodeLastRuneInString(s.text)
		s.text = s.text[:len(s.text)-n]
	case "ctrl+u":
		s.text = ""
	case "ctrl+w":
		t := strings.TrimRight(s.text, " ")
		s.text = t[:strings.LastIndexByte(t, ' ')+1]
	default:
		if k.Text == "" || k.Mod&tea.ModAlt != 0 {
			return nil
		}
		s.text += k.Text
	}
	return l.startSearch()
}

// startSearch looks for what is in the search line, everywhere or in what the filter lets through.
func (l *list) startSearch() tea.Cmd {
	s := l.findings
	s.stop()
	s.part = 0
	s.hits, s.done, s.err, s.wrap, s.pat = nil, false, "", "", screen.NewPattern(s.text)
	l.gen++
	if s.text == "" {
		return nil
	}
	p, err := query.NewPattern(s.text, true)
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
	more := make(chan searchedMsg)
	gen := s.gen
	go screen.Background(func() tea.Msg { lookFor(ctx, sel, p, gen, more); return nil })()
	return nextHits(ctx, more)
}

// stop ends a search that runs.
func (s *search) stop() {
	s.gen++
	if s.cancel != nil {
		s.cancel()
	}
}

// nextHits waits for the next batch.
func nextHits(ctx context.Context, more chan searchedMsg) tea.Cmd {
	return func() tea.Msg {
		select {
		case msg := <-more:
			return msg
		case <-ctx.Done():
			return nil
		}
	}
}

// lookFor gives the rows of a selection that hold a pattern, in batches. A result belongs to the row of its call.
func lookFor(ctx context.Context, sel query.Selection, p *query.Pattern, gen int, more chan searchedMsg) {
	batch := searchedMsg{gen: gen, more: more}
	tell := func() bool {
		select {
		case more <- batch:
			batch.hits = nil
			return true
		case <-ctx.Done():
			return false
		}
	}
	defer func() {
		if r := recover(); r != nil { // nobody above would give the terminal back
			batch.err, batch.done = screen.FaultOf(r), true
			tell()
		}
	}()
	began := time.Now()
	var last hit
	progress := func(done, total int) {
		part := done * 100 / max(total, 1)
		if part == batch.part || time.Since(began) <= searchBatch {
			return
		}
		if batch.part = part; tell() {
			began = time.Now()
		}
	}
	for h, err := range query.FindTelling(ctx, sel, p, progress) {
		if err != nil {
			batch.err = err
			break
		}
		row := hit{id: h.ID, call: screen.NoCall, kind: query.LineAssistant}
		switch h.Kind {
		case model.ToolCall, model.ToolResult:
			row.call, row.kind = h.Call, query.LineCall
			if h.Call != screen.NoCall {
				if msg := sel.Snap.Call(h.Call).Msg; msg != model.NoID {
					row.id = msg
				}
			}
		case model.Reasoning:
			row.kind = query.LineReasoning
		}
		if row == last {
			continue
		}
		last = row
		batch.hits = append(batch.hits, row)
		if time.Since(began) > searchBatch {
			if !tell() {
				return
			}
			began = time.Now()
		}
	}
	batch.done = true
	tell()
}

// searched takes what a slice found.
func (l *list) searched(msg searchedMsg) tea.Cmd {
	s := l.findings
	if s == nil || msg.gen != s.gen {
		return nil
	}
	first := len(s.hits) == 0
	for _, h := range msg.hits {
		h.slot = l.slotOf(l.hostOf(h.id))
		at := sort.Search(len(s.hits), func(i int) bool { return !s.hits[i].less(h) })
		if at == len(s.hits) || s.hits[at] != h {
			s.hits = slices.Insert(s.hits, at, h)
		}
	}
	s.done, s.part = msg.done, msg.part
	if msg.err != nil {
		s.err = paint.OneLine(msg.err.Error())
	}
	if s.typing && len(s.hits) > 0 {
		if start, ok := l.locate(s.start); ok && (first || before(l.cur, start) || l.curKey == s.start) {
			l.toNearest(start)
		}
	}
	if !s.done {
		return tea.Batch(nextHits(l.h.Ctx, msg.more), l.moved())
	}
	return l.moved()
}

func (h hit) less(o hit) bool {
	switch {
	case h.slot != o.slot:
		return h.slot < o.slot
	case h.id != o.id:
		return h.id < o.id
	case h.call != o.call:
		return h.call < o.call
	}
	return h.kind < o.kind
}

// toNearest selects the first hit at or after a place, else the first.
func (l *list) toNearest(from place) {
	s := l.findings
	at := sort.Search(len(s.hits), func(i int) bool { return s.hits[i].slot >= from.slot })
	if at == len(s.hits) {
		at = 0
	}
	l.toHitNumber(at)
}

// placeOf is the row of a hit.
func (l *list) placeOf(h hit) (place, bool) {
	l.openHosts(h.id)
	p, ok := l.locate(screen.RowKey{Id: h.id, Kind: screen.RowLine})
	if !ok {
		return p, false
	}
	items := l.itemsOf(p.slot)
	for i := range items {
		it := &items[i]
		if it.key.Id != h.id {
			continue
		}
		switch {
		case h.call != screen.NoCall:
			if it.call == h.call {
				return place{slot: p.slot, item: i}, true
			}
		case h.kind == query.LineReasoning:
			if it.kind == query.LineReasoning {
				return place{slot: p.slot, item: i}, true
			}
		case it.call == screen.NoCall && it.kind != query.LineReasoning && it.key.Kind == screen.RowLine:
			return place{slot: p.slot, item: i}, true
		}
	}
	return p, true
}

func (l *list) toHitNumber(n int) {
	s := l.findings
	if n < 0 || n >= len(s.hits) {
		return
	}
	if p, ok := l.placeOf(s.hits[n]); ok {
		l.jumped(p)
		// What is folded around a hit is opened, where the row itself does not show it.
		if it, ok := l.curItem(); ok && !s.typing && !l.isOpen(&it) && !l.rowShows(&it, s.pat) && l.hasBody(&it) {
			l.setState(&it, openWhole)
			l.scrollToHit(&it, s.pat)
		}
	}
}

// rowShows reports whether a row shows the pattern without being opened.
func (l *list) rowShows(it *item, p screen.Pattern) bool {
	ln, ok := l.lineOf(it)
	return ok && (p.Holds(ln.About) || p.Holds(ln.Outcome) || p.Holds(ln.Word))
}

// scrollToHit brings the first line of an open body with the pattern onto the screen.
func (l *list) scrollToHit(it *item, p screen.Pattern) {
	l.cur, _ = l.locate(it.key)
	d := l.docOf(it)
	if d == nil {
		return
	}
	for c := range d.Len() {
		for n, line := range d.Lines(c) {
			if p.Holds(paint.Stripped(line)) {
				top, _ := l.shifted(place{slot: l.cur.slot, item: l.cur.item, chunk: c + 1, line: n}, -l.rows/2)
				if before(top, l.cur) {
					top = l.cur
					top, _ = l.shifted(top, -min(2, l.rows/4))
				}
				l.setTop(top)
				l.onScreen()
				l.keepTop()
				return
			}
		}
		if c > 400 {
			return
		}
	}
}

// toHit is n and N.
func (l *list) toHit(n, dir int) string {
	s := l.findings
	switch {
	case s == nil || s.text == "":
		return "no search: / begins one"
	case len(s.hits) == 0 && s.done:
		return "no match for " + s.text
	case len(s.hits) == 0:
		return "no match so far"
	}
	at := l.hitAt()
	exact := at < len(s.hits) && l.isAt(s.hits[at])
	next := at
	if dir > 0 {
		next = at + n
		if !exact {
			next = at + n - 1
		}
	} else {
		next = at - n
	}
	s.wrap = ""
	if next < 0 || next >= len(s.hits) {
		s.wrap = ", wrapped"
		next = (next%len(s.hits) + len(s.hits)) % len(s.hits)
	}
	l.h.Ask(screen.Said{}) // which hit it is stands there
	l.toHitNumber(next)
	return ""
}

// hitAt is the number of the hit at the cursor, or of the next one after it.
func (l *list) hitAt() int {
	s := l.findings
	it, _ := l.curItem()
	return sort.Search(len(s.hits), func(i int) bool {
		h := s.hits[i]
		if h.slot != l.cur.slot {
			return h.slot > l.cur.slot
		}
		p, _ := l.placeOfQuick(h)
		return p >= l.cur.item || h.id == it.key.Id && h.call == it.call && it.call != screen.NoCall
	})
}

// placeOfQuick is the number of the item of a hit in its slot.
func (l *list) placeOfQuick(h hit) (int, bool) {
	items := l.itemsOf(h.slot)
	for i := range items {
		it := &items[i]
		if it.key.Id == h.id && it.key.Kind == screen.RowLine && it.call == h.call && (h.call != screen.NoCall || (it.kind == query.LineReasoning) == (h.kind == query.LineReasoning)) {
			return i, true
		}
	}
	return 0, false
}

func (l *list) isAt(h hit) bool {
	i, ok := l.placeOfQuick(h)
	return ok && h.slot == l.cur.slot && i == l.cur.item
}

// status is what the search line says: "3 of 17", "0 so far, 62 %", "4 so far, up to #231".
func (l *list) searchStatus() string {
	s := l.findings
	switch {
	case s.text == "":
		return ""
	case s.err != "":
		return s.err
	case !s.done:
		if n := len(s.hits); n > 0 { // they come in order
			text := paint.Thousands(n) + " so far"
			if place := paint.PlaceOf(l.h.Snap.Pos(s.hits[n-1].id)); place != "" {
				text += ", up to " + place
			}
			return text
		}
		return fmt.Sprintf("0 so far, %d %%", s.part)
	case len(s.hits) == 0:
		return "no match"
	}
	at := l.hitAt()
	if at < len(s.hits) && l.isAt(s.hits[at]) {
		return fmt.Sprintf("%s of %s%s", paint.Thousands(at+1), paint.Thousands(len(s.hits)), s.wrap)
	}
	return paint.Plural(len(s.hits), "hit", "hits")
}

// hitSlots are where hits stand, at most one for each line of the scroll bar.
func (l *list) hitSlots(lines, n int) []int {
	if l.findings == nil || l.findings.text == "" {
		return nil
	}
	var out []int
	hits := l.findings.hits
	for i := 0; i < lines; i++ {
		lo, hi := (i*n+lines-1)/lines, ((i+1)*n+lines-1)/lines
		k := sort.Search(len(hits), func(k int) bool { return hits[k].slot >= lo })
		if k < len(hits) && hits[k].slot < hi {
			out = append(out, hits[k].slot)
		}
	}
	return out
}
