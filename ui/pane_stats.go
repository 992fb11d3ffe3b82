package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query"
)

// statsPane shows the numbers of the view or of everything: in the side column a short form, over the timeline and on the whole screen all
// of them. What was recorded and what was counted never share a line.
type statsPane struct {
	h       *host
	tracker contextTracker
	cur     int // target that the cursor is on
	targets []statTarget
	lines   []statLine
	top     int
	page    int
	full    bool
	moved   bool
	w       int
}

// statTarget is a place that a line leads to.
type statTarget struct {
	id    model.ID
	call  model.CallID
	line  int
	right bool // in the right one of two lists
}

// statLine is a line of the pane; the halves of a line with two lists lie on grounds of their own.
type statLine struct {
	spans []span
	half  int // cells of the left list; 0: one list
}

func newStatsPane(h *host) pane {
	return &statsPane{h: h, tracker: contextTracker{h: h, wanted: true}}
}

// Name is the word of the pane.
func (p *statsPane) Name() string { return "stats" }

// Refresh asks for the context window over the run when the conversation has changed.
func (p *statsPane) Refresh() tea.Cmd { return p.tracker.refresh() }

// Message takes it.
func (p *statsPane) Message(msg tea.Msg) tea.Cmd { return p.tracker.message(msg) }

// Render draws the form that fits.
func (p *statsPane) Render(w, h int, full, focus bool) []string {
	p.w, p.full = w, w >= 60
	a := p.h.stats
	if a == nil {
		return []string{paneTitle(p.h, w, focus, "Stats", ""), p.h.styles.line(w, groundNone, span{text: " counting …", ink: inkDim})}
	}
	p.lines, p.targets = p.lines[:0], p.targets[:0]
	var title string
	if p.full {
		title = p.fullTitle(a, w, focus)
		p.fullForm(a, w)
	} else {
		enc := p.encoding(a)
		scope := ""
		if p.h.view.on && !p.h.whole {
			scope = p.h.scopeWord()
		}
		title = paneTitle(p.h, w, focus, "Stats", scope, enc)
		p.sideForm(a, w, h)
	}
	p.cur = max(min(p.cur, len(p.targets)-1), 0)
	return append([]string{title}, p.window(w, h-1, focus)...)
}

// window draws the lines that fit, with the cursor among them.
func (p *statsPane) window(w, h int, focus bool) []string {
	p.page = h
	if focus && p.moved && len(p.targets) > 0 {
		line := p.targets[p.cur].line
		p.top = max(min(p.top, line), line-h+1)
	}
	p.moved = false
	p.top = max(min(p.top, len(p.lines)-h), 0)
	if !focus && !p.full {
		p.top = 0
	}
	var out []string
	for i := p.top; i < len(p.lines) && len(out) < h; i++ {
		out = append(out, p.drawLine(i, w, focus))
	}
	return out
}

func (p *statsPane) drawLine(i, w int, focus bool) string {
	st, ln := p.h.styles, &p.lines[i]
	if !focus || len(p.targets) == 0 || p.targets[p.cur].line != i {
		return st.line(w, groundNone, ln.spans...)
	}
	spans := slices.Clone(ln.spans)
	if !p.targets[p.cur].right {
		if len(spans) > 0 && strings.HasPrefix(spans[0].text, " ") {
			spans[0] = span{text: spans[0].text[1:], ink: spans[0].ink}
		}
		spans = append([]span{{text: "›", ink: inkAccent}}, spans...)
		if ln.half == 0 {
			return st.line(w, groundCursor, spans...)
		}
		return st.line(ln.half, groundCursor, cutSpans(spans, 0, ln.half)...) + st.line(w-ln.half, groundNone, cutSpans(spans, ln.half, w)...)
	}
	right := cutSpans(spans, ln.half, w)
	if len(right) > 0 && strings.HasPrefix(right[0].text, " ") {
		right[0].text = "›" + right[0].text[1:]
		right[0].ink = inkAccent
	}
	return st.line(ln.half, groundNone, cutSpans(spans, 0, ln.half)...) + st.line(w-ln.half, groundCursor, right...)
}

// cutSpans is the part of spans from cell from up to cell to; no span lies across a border but one of spaces.
func cutSpans(spans []span, from, to int) []span {
	var out []span
	at := 0
	for _, sp := range spans {
		n := width(sp.text)
		if at+n > from && at < to {
			if at < from && strings.TrimSpace(sp.text) == "" {
				sp.text = blanks(at + n - from)
			}
			out = append(out, sp)
		}
		at += n
	}
	return out
}

func (p *statsPane) add(spans ...span) { p.lines = append(p.lines, statLine{spans: spans}) }

func (p *statsPane) encoding(a *query.StatsAnswer) string {
	if a.TotalTokens == nil {
		return p.h.counts
	}
	enc := a.Encoding
	if enc == "" && p.h.tokens != nil {
		enc = p.h.tokens.Encoding()
	}
	return strings.TrimSuffix(enc, "_base")
}

func (p *statsPane) windowSize(a *query.StatsAnswer) int64 {
	if a.Context != nil {
		return a.Context.Window
	}
	return 0
}

// sideForm is the short form for the side column.
func (p *statsPane) sideForm(a *query.StatsAnswer, w, h int) {
	d := func(text string) span { return span{text: text, ink: inkDim} }
	label := func(text string) span { return span{text: " " + fit(text, 9), ink: inkDim} }
	calls, failed := a.ToolCalls, a.ToolErrors
	errors := fmt.Sprintf("%s, %s", plural(failed, "error", "errors"), query.Percent(failed, calls))
	k := inkDim
	if failed > 0 {
		k = inkError
	}
	more, gap := p.h.more(), "   "
	number := func(n int) string { return count(n) + more }
	assistant, apart, pending := " assistant", "counted apart", gap+thousands(a.PendingCalls)+" pending"
	if w < 48 { // the words that are cut first must not be numbers
		gap, assistant, apart, pending = " ", " asst", "apart", ""
		number = func(n int) string { return strings.TrimLeft(fitCount(count(n)+more, 5), " ") }
		if a.PendingCalls > 0 {
			pending = gap + thousands(a.PendingCalls) + " open"
		}
	}
	p.add(label("messages"), span{text: fitCount(count(a.MessagesByRole["user"])+more, 4)}, d(" user"+gap), span{text: number(a.MessagesByRole["assistant"])},
		d(assistant+gap), span{text: number(a.MessagesByRole["tool"])}, d(" tool"))
	p.add(label("calls"), span{text: fitCount(count(calls)+more, 4)}, d(gap), span{text: errors, ink: k}, d(pending))
	if a.Agents.Count+a.Agents.Calls > 0 {
		said := gap + plural(a.Agents.Calls, "call", "calls") + ", " + plural(a.Agents.Errors, "error", "errors")
		if width(said+", "+apart)+14 <= w {
			said += ", " + apart
		}
		p.add(label("agents"), span{text: fitRight(count(a.Agents.Count), 4)}, d(said))
	}
	p.add()
	p.sideTokens(a, w)
	run := p.tracker.run
	if run != nil && len(run.points) > 0 {
		p.add()
		p.add(label("context"), span{text: run.told(p.windowSize(a))})
		for _, spans := range run.chart(p.h, w-1, 4, p.windowSize(a)) {
			p.add(spans...)
		}
	}
	p.add()
	if t := a.Time; t.Tools+t.Model+t.User+t.Idle == 0 {
		p.add(label("time"), span{text: query.NotSaid, ink: inkDim})
		return
	}
	p.add(label("time"), span{text: about(a.Time.Tools) + " "}, d("tools   "), span{text: about(a.Time.Model) + " "}, d("model   "), span{text: about(a.Time.User) + " "}, d("user"))
	for i, s := range a.Slowest {
		name := "slowest"
		if i > 0 {
			name = ""
		}
		place := placeOf(s.Index)
		text := oneLine(s.Name)
		if s.Kind != "call" {
			text = "model"
		} else if s.About != "" {
			text += " " + oneLine(s.About)
		}
		p.targets = append(p.targets, statTarget{id: s.ID, call: s.Call, line: len(p.lines)})
		p.add(label(name), span{text: fitRight(took(s.Duration.Duration()), 6)}, span{text: "  " + fit(text, max(w-19-width(place)-1, 4)) + " "}, d(place))
	}
}

// sideTokens are what was recorded and what was counted, in the short form.
func (p *statsPane) sideTokens(a *query.StatsAnswer, w int) {
	d := func(text string) span { return span{text: text, ink: inkDim} }
	u := &a.Usage
	if u.Input == nil && u.Output == nil && u.CacheRead == nil {
		p.add(d(" no usage recorded"))
	} else {
		p.add(d(" recorded, each of " + plural(a.Responses, "response", "responses") + " once"))
		gap := "     "
		if w < 48 {
			gap = " "
		}
		p.add(d("   input   "), span{text: fitRight(known(u.Input), 6)}, d(gap+"cache read  "), span{text: fitRight(known(u.CacheRead), 6)})
		p.add(d("   output  "), span{text: fitRight(known(u.Output), 6)}, d(gap+"cache write "), span{text: fitRight(known(u.CacheWrite), 6)})
	}
	if a.TokensByKind == nil {
		p.add(d(" counted    "), span{text: p.h.counts, ink: inkDim})
		return
	}
	p.add(d(" counted"))
	bw := max(w-32, 6)
	for _, k := range kindTokens(a) {
		p.add(d("   "+fit(k.name, 10)), span{text: fitRight(short(k.n), 5) + " "}, span{text: fit(bar(float64(k.n), float64(max(*a.TotalTokens, 1)), bw), bw), ink: k.ink},
			d(fitRight(percent(int(k.n), int(*a.TotalTokens)), 9)))
	}
}

// kindToken is one kind of text and its counted tokens.
type kindToken struct {
	name string
	n    int64
	ink  ink
}

// kindTokens are the kinds that occur, the largest first.
func kindTokens(a *query.StatsAnswer) []kindToken {
	k := a.TokensByKind
	all := []kindToken{
		{"results", k.Results, inkBarTools}, {"arguments", k.Arguments, inkBarInput}, {"reasoning", k.Reasoning, inkBarReasoning},
		{"user", k.User, inkBarUser}, {"assistant", k.Assistant, inkBarOutput}, {"system", k.System, inkBarCacheRead}, {"other", k.Other, inkBar},
	}
	all = slices.DeleteFunc(all, func(k kindToken) bool { return k.n == 0 })
	slices.SortStableFunc(all, func(a, b kindToken) int { return cmp.Compare(b.n, a.n) })
	return all
}

// known is a recorded number, – where it was not recorded.
func known(n *int64) string {
	switch {
	case n == nil:
		return query.NotSaid
	case *n == 0:
		return query.Zero
	}
	return short(*n)
}

// about is a duration without what does not matter: 40m, 1h12m, 23s.
func about(m query.Millis) string {
	d := m.Duration()
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%.0fs", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()+0.5))
	}
	return took(d)
}

// Key moves among the places, or goes to one.
func (p *statsPane) Key(key string, n int) (bool, tea.Cmd) {
	return pressed(p.keys(), key, n)
}

// export asks for a file with the statistics.
func (p *statsPane) export() tea.Cmd {
	if p.h.stats == nil {
		return nil
	}
	return p.h.ask(Export{Name: "stats", Ext: ".json", What: "the statistics", Value: p.h.stats})
}

// keys are those of the statistics.
func (p *statsPane) keys() []paneKey {
	page := max(p.page-1, 1)
	scroll := func(lines int) func(int, string) tea.Cmd {
		return func(n int, _ string) tea.Cmd { p.top += max(n, 1) * lines; return nil }
	}
	return []paneKey{
		{keys: []string{"enter"}, hint: "goes there", help: "go to the call, message or turn of the line", do: p.enter},
		{keys: []string{"j", "down"}, label: "j k", hint: "move", help: "next line that leads somewhere", do: func(n int, _ string) tea.Cmd { p.move(max(n, 1)); return nil }},
		{keys: []string{"k", "up"}, help: "previous one", do: func(n int, _ string) tea.Cmd { p.move(-max(n, 1)); return nil }},
		{keys: []string{"l", "right", "h", "left"}, label: "h l", hint: "lists", help: "the other one of two lists", do: p.across},
		{keys: []string{"space", "ctrl+f", "pgdown", "ctrl+d"}, help: "a page on", do: scroll(page)},
		{keys: []string{"b", "ctrl+b", "pgup", "ctrl+u"}, help: "a page back", do: scroll(-page)},
		{keys: []string{"ctrl+e"}, help: "scroll one line", do: scroll(1)},
		{keys: []string{"ctrl+y"}, help: "scroll one line back", do: scroll(-1)},
		{keys: []string{"g", "home"}, help: "the beginning", do: func(int, string) tea.Cmd { p.top, p.cur = 0, 0; return nil }},
		{keys: []string{"G", "end"}, help: "the last line that leads somewhere", do: func(int, string) tea.Cmd {
			p.cur, p.moved = max(len(p.targets)-1, 0), true
			return nil
		}},
		{keys: []string{"x"}, hint: "export as JSON", help: "export the statistics as JSON", do: func(int, string) tea.Cmd { return p.export() }},
	}
}

func (p *statsPane) enter(int, string) tea.Cmd {
	if p.cur >= len(p.targets) {
		p.h.complain("nothing here leads anywhere")
		return nil
	}
	t := p.targets[p.cur]
	if t.line < p.top || t.line >= p.top+p.page { // nobody goes to what cannot be seen
		p.moved = true
		p.h.complain("these are the places: ⏎ goes to the one of the cursor")
		return nil
	}
	p.h.ask(GoTo{t.id, t.call})
	return nil
}

// move goes on within the list that the cursor is in.
func (p *statsPane) move(n int) {
	if len(p.targets) == 0 {
		p.top += n
		return
	}
	line := p.targets[p.cur].line
	switch { // what lies between the screen and the place is read first
	case n > 0 && line >= p.top+p.page, n < 0 && line < p.top, n < 0 && p.cur == 0:
		p.top += n
		return
	}
	p.moved = true
	p.cur = max(min(p.cur+n, len(p.targets)-1), 0)
}

// across goes to the other one of two lists, to the same line.
func (p *statsPane) across(_ int, key string) tea.Cmd {
	right := key == "l" || key == "right"
	if p.cur >= len(p.targets) || p.targets[p.cur].right == right {
		p.h.complain("there is no list on that side")
		return nil
	}
	best := -1
	for i, t := range p.targets {
		if t.right == right && (best < 0 || abs(t.line-p.targets[p.cur].line) < abs(p.targets[best].line-p.targets[p.cur].line)) {
			best = i
		}
	}
	if best < 0 {
		p.h.complain("there is no list on that side")
		return nil
	}
	p.cur, p.moved = best, true
	return nil
}

func abs(n int) int { return max(n, -n) }

// Hints are the keys of the pane.
func (p *statsPane) Hints() []hint {
	keys := hintsOf(p.keys())
	if len(p.targets) == 0 {
		keys = []hint{{"j k", "scroll"}, keys[len(keys)-1]}
	} else if !slices.ContainsFunc(p.targets, func(t statTarget) bool { return t.right }) {
		keys = slices.DeleteFunc(keys, func(k hint) bool { return k.key == "h l" })
	}
	return append(keys, hint{"=", "scope"})
}

// Click selects a place; a double click goes there.
func (p *statsPane) Click(x, y int, double bool) tea.Cmd {
	line := y - 1 + p.top
	for i, t := range p.targets {
		if t.line == line && t.right == (line < len(p.lines) && p.lines[line].half > 0 && x >= p.lines[line].half) {
			p.cur = i
			if double {
				_, cmd := p.Key("enter", 0)
				return cmd
			}
		}
	}
	return nil
}

// Wheel scrolls.
func (p *statsPane) Wheel(n int) { p.top += n }
