package panes

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query/answer"
	"turns/query/human"
	"turns/query/label"
	"turns/query/summary"
	"turns/ui/paint"
	"turns/ui/screen"
)

var _ screen.Messenger = (*Stats)(nil)

// Stats shows statistics of the view or of everything: a short form in the side column, all of them
// over the timeline and on the full screen. Recorded and counted numbers never share a line.
type Stats struct {
	h       *screen.Host
	tracker contextTracker
	Cur     int // index in Targets of the cursor
	Targets []statTarget
	lines   []statLine
	top     int
	page    int
	full    bool
	moved   bool
	counts  struct { // label counts
		of   *summary.StatsAnswer
		here *label.Here
		all  []label.Count
	}
}

// statTarget is a place that Enter on a line goes to.
type statTarget struct {
	ID    model.ID
	call  model.CallID
	line  int
	Right bool // in the right one of two lists
}

// statLine is a line of the pane; in a line with two lists, each half has its own background.
type statLine struct {
	spans []paint.Span
	half  int // width of the left list; 0: one list
}

func newStats(h *screen.Host) screen.Pane {
	return &Stats{h: h, tracker: contextTracker{h: h, wanted: true}}
}

// Name returns the name of the pane.
func (p *Stats) Name() string { return "stats" }

// Refresh requests the context window over the session after it has changed.
func (p *Stats) Refresh() tea.Cmd { return p.tracker.refresh() }

// Message stores the context window.
func (p *Stats) Message(msg tea.Msg) tea.Cmd { return p.tracker.message(msg) }

// Render draws the form that fits.
func (p *Stats) Render(w, h int, full, focus bool) []string {
	p.full = w >= 60
	a := p.h.Stats
	if a == nil {
		return []string{paneTitle(p.h, w, focus, "Stats", ""), p.h.Styles.Line(w, paint.GroundNone, paint.Span{Text: " counting …", Ink: paint.InkDim})}
	}
	p.lines, p.Targets = p.lines[:0], p.Targets[:0]
	var title string
	if p.full {
		title = p.fullTitle(a, w, focus)
		p.fullForm(a, w)
	} else {
		enc := p.encoding(a)
		scope := ""
		if p.h.Narrowed() {
			scope = p.h.ScopeWord()
		}
		title = paneTitle(p.h, w, focus, "Stats", scope, enc)
		p.sideForm(a, w)
	}
	p.Cur = max(min(p.Cur, len(p.Targets)-1), 0)
	return append([]string{title}, p.window(w, h-1, focus)...)
}

// window draws the lines that fit, including that of the cursor.
func (p *Stats) window(w, h int, focus bool) []string {
	p.page = h
	if focus && p.moved && len(p.Targets) > 0 {
		line := p.Targets[p.Cur].line
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

func (p *Stats) drawLine(i, w int, focus bool) string {
	st, ln := p.h.Styles, &p.lines[i]
	if !focus || len(p.Targets) == 0 || p.Targets[p.Cur].line != i {
		return st.Line(w, paint.GroundNone, ln.spans...)
	}
	spans := slices.Clone(ln.spans)
	if !p.Targets[p.Cur].Right {
		if len(spans) > 0 && strings.HasPrefix(spans[0].Text, " ") {
			spans[0] = paint.Span{Text: spans[0].Text[1:], Ink: spans[0].Ink}
		}
		spans = append([]paint.Span{{Text: "›", Ink: paint.InkAccent}}, spans...)
		if ln.half == 0 {
			return st.Line(w, paint.GroundCursor, spans...)
		}
		return st.Line(ln.half, paint.GroundCursor, cutSpans(spans, 0, ln.half)...) + st.Line(w-ln.half, paint.GroundNone, cutSpans(spans, ln.half, w)...)
	}
	right := cutSpans(spans, ln.half, w)
	if len(right) > 0 && strings.HasPrefix(right[0].Text, " ") {
		right[0].Text = "›" + right[0].Text[1:]
		right[0].Ink = paint.InkAccent
	}
	return st.Line(ln.half, paint.GroundNone, cutSpans(spans, 0, ln.half)...) + st.Line(w-ln.half, paint.GroundCursor, right...)
}

// cutSpans returns the spans in the cells [from, to); only blank spans may cross a border.
func cutSpans(spans []paint.Span, from, to int) []paint.Span {
	var out []paint.Span
	at := 0
	for _, sp := range spans {
		n := paint.Width(sp.Text)
		if at+n > from && at < to {
			if at < from && strings.TrimSpace(sp.Text) == "" {
				sp.Text = paint.Blanks(at + n - from)
			}
			out = append(out, sp)
		}
		at += n
	}
	return out
}

func (p *Stats) add(spans ...paint.Span) { p.lines = append(p.lines, statLine{spans: spans}) }

// labels counts the labels in scope, once per answer.
func (p *Stats) labels(a *summary.StatsAnswer) []label.Count {
	if here := p.h.Labelled.Here; p.counts.of != a || p.counts.here != here {
		p.counts.of, p.counts.here = a, here
		p.counts.all = here.Counts(p.h.Snap, p.h.Scope().IDs)
	}
	return p.counts.all
}

func (p *Stats) encoding(a *summary.StatsAnswer) string {
	if a.TotalTokens == nil {
		return p.h.Counts
	}
	enc := a.Encoding
	if enc == "" && p.h.Tokens != nil {
		enc = human.TextOrNull(p.h.Tokens.Encoding())
	}
	return strings.TrimSuffix(string(enc), "_base")
}

func (p *Stats) windowSize(a *summary.StatsAnswer) int64 {
	if a.Context != nil {
		return int64(a.Context.Window)
	}
	return 0
}

// sideRoles are the roles that the side form counts.
var sideRoles = [...]string{"user", "assistant", "tool"}

// sideForm draws the short form for the side column.
func (p *Stats) sideForm(a *summary.StatsAnswer, w int) {
	word := func(text string) paint.Span { return paint.Span{Text: " " + paint.Fit(text, 9), Ink: paint.InkDim} }
	calls := a.CallLines()
	errors, _, _ := strings.Cut(calls[0].Note, " of ")
	more, gap, pending := p.h.More(), "   ", calls[2].Number+" pending"
	if w < 48 { // the end of the line is cut first and must not be a number
		gap, pending = " ", ""
		if a.PendingCalls > 0 {
			pending = calls[2].Number + " open"
		}
	}
	roles := []paint.Span{word("messages")}
	for _, l := range a.RoleLines() {
		if !slices.Contains(sideRoles[:], l.Label) {
			continue
		}
		name, number := l.Label, l.Number+more
		if w < 48 {
			name, number = strings.Replace(name, "assistant", "asst", 1), strings.TrimLeft(paint.FitCount(number, 5), " ")
		}
		if len(roles) == 1 {
			number = paint.FitCount(number, 4)
		}
		roles = append(roles, paint.Span{Text: number}, dim(" "+name+gap))
	}
	p.add(roles...)
	p.add(word("calls"), paint.Span{Text: paint.FitCount(calls[0].Number+more, 4)}, dim(gap), paint.Span{Text: errors, Ink: paint.InkError}, dim(gap+pending))
	if a.Agents.Count+a.Agents.Calls > 0 {
		text := gap + a.Agents.Words()
		if paint.Width(text)+14 > w {
			text = strings.ReplaceAll(text, "counted ", "")
		}
		p.add(word("agents"), paint.Span{Text: paint.FitRight(human.OrDot(a.Agents.Count, human.Count), 4)}, dim(text))
	}
	if n, text := label.CountLine(p.labels(a)); n > 0 {
		p.add(word("labels"), paint.Span{Text: paint.FitRight(human.Count(n), 4)}, dim(gap+paint.OneLine(text)))
	}
	p.add()
	p.sideTokens(a, w)
	run := p.tracker.run
	if run != nil && len(run.Points) > 0 {
		p.add()
		fill := a.WindowLine().Number
		if label := word("context"); paint.Width(label.Text+fill) > w && a.Context.Fill() != "" {
			fill = a.Context.Fill() // the chart shows the peak
		}
		p.add(word("context"), paint.Span{Text: fill})
		for _, spans := range run.Chart(p.h, w-1, 4, p.windowSize(a)) {
			p.add(spans...)
		}
	}
	p.add()
	t := &a.Time
	if t.Whole() == 0 {
		p.add(word("time"), dim(human.NotSaid))
		return
	}
	parts := [][]paint.Span{{dim(paint.Fit("time", 8)), {Text: t.Whole().String()}}}
	for _, part := range t.Parts() {
		parts = append(parts, []paint.Span{dim(part.Kind.String() + " "), {Text: part.Took.String()}})
	}
	for _, spans := range paint.Flow(w, parts) {
		p.add(spans...)
	}
	slow := a.SlowLines()
	for i := range slow {
		l, name := &slow[i], ""
		if i == 0 {
			name = "slowest"
		}
		place, text := human.Place(l.Place.Index), paint.OneLine(l.Label)
		if l.Label != "model" && l.Note != "" {
			text += " " + paint.OneLine(l.Note)
		}
		p.target(l, len(p.lines), false)
		p.add(word(name), paint.Span{Text: paint.FitRight(l.Number, 6)}, paint.Span{Text: "  " + paint.Fit(text, max(w-19-paint.Width(place)-1, 4)) + " "}, dim(place))
	}
}

// sideTokens draws the recorded and the counted tokens in the short form, two numbers per line.
func (p *Stats) sideTokens(a *summary.StatsAnswer, w int) {
	lines := slices.DeleteFunc(a.UsageLines(), func(l answer.Line) bool { return l.Number == human.NotSaid })
	head := a.UsageHead()
	if len(lines) == 0 {
		head = "no usage recorded"
	}
	p.add(dim(" " + head))
	for i := range lines {
		l := &lines[i]
		name, _, _ := strings.Cut(l.Label, ",")
		cell := []paint.Span{dim("  " + paint.Fit(name, 11)), {Text: paint.FitRight(l.Number, 6), Ink: screen.ToneInks[l.Tone]}}
		if last := len(p.lines) - 1; i%2 == 1 && (i < len(lines)-1 || l.Note == "") {
			p.lines[last].spans = append(p.lines[last].spans, cell...)
			continue
		}
		note := ""
		if i == len(lines)-1 { // the source of the cost
			note = "  " + l.Note
		}
		p.add(dim(" "), cell[0], cell[1], dim(note))
	}
	if a.TokensByKind == nil {
		p.add(dim(" tokens     " + p.h.Counts))
		return
	}
	p.add(dim(" " + summary.TokensHead))
	for _, spans := range kindLines(a.TokenLines()[1:], w) {
		p.add(spans...)
	}
}

// kindInks are the colours of summary.TokenKinds.
var kindInks = [len(summary.TokenKinds)]paint.Ink{paint.InkBarTools, paint.InkBarInput, paint.InkBarReasoning, paint.InkBarOutput, paint.InkBarUser, paint.InkBarCacheRead, paint.InkBar}

// kindLines draws the counted tokens of each kind in w cells.
func kindLines(lines []answer.Line, w int) [][]paint.Span {
	const name = len("system, injected")
	bar, out := max(w-name-18, 6), make([][]paint.Span, len(lines))
	for i := range lines {
		l := &lines[i]
		ink := kindInks[slices.Index(summary.TokenKinds[:], l.Label)]
		out[i] = []paint.Span{dim("   " + paint.Fit(l.Label, name)), {Text: paint.FitRight(l.Number, 6) + " "},
			{Text: paint.Fit(paint.Bar(l.Part, 1, bar), bar), Ink: ink}, dim(paint.FitRight(l.Note, 6))}
	}
	return out
}

// Key moves between the targets, or goes to one.
func (p *Stats) Key(key string, n int) (bool, tea.Cmd) {
	return screen.Pressed(p.Keys(), key, n)
}

// export requests an export of the statistics.
func (p *Stats) export() tea.Cmd {
	if p.h.Stats == nil {
		return nil
	}
	return p.h.Ask(screen.Export{Name: "stats", Ext: ".json", What: "the statistics", Value: p.h.Stats})
}

// Keys returns the keys of the statistics.
func (p *Stats) Keys() []screen.Key {
	page := max(p.page-1, 1)
	scroll := func(lines int) func(int, string) tea.Cmd {
		return func(n int, _ string) tea.Cmd { p.top += max(n, 1) * lines; return nil }
	}
	return []screen.Key{
		{Keys: []string{"enter"}, Hint: "jump", Help: "go to the call, message or turn of the line", Do: p.enter},
		{Keys: []string{"j", "down"}, Label: "j k", Hint: "move", Help: "next line that leads somewhere", Do: func(n int, _ string) tea.Cmd { p.move(max(n, 1)); return nil }},
		{Keys: []string{"k", "up"}, Help: "previous one", Do: func(n int, _ string) tea.Cmd { p.move(-max(n, 1)); return nil }},
		{Keys: []string{"l", "right", "h", "left"}, Label: "h l", Hint: "lists", Help: "the other one of two lists", Do: p.across},
		{Keys: []string{"space", "ctrl+f", "pgdown", "ctrl+d"}, Help: "a page on", Do: scroll(page)},
		{Keys: []string{"b", "ctrl+b", "pgup", "ctrl+u"}, Help: "a page back", Do: scroll(-page)},
		{Keys: []string{"ctrl+e"}, Help: "scroll one line", Do: scroll(1)},
		{Keys: []string{"ctrl+y"}, Help: "scroll one line back", Do: scroll(-1)},
		{Keys: []string{"g", "home"}, Help: "the beginning", Do: func(int, string) tea.Cmd { p.top, p.Cur = 0, 0; return nil }},
		{Keys: []string{"G", "end"}, Help: "the last line that leads somewhere", Do: func(int, string) tea.Cmd {
			p.Cur, p.moved = max(len(p.Targets)-1, 0), true
			return nil
		}},
		{Keys: []string{"x"}, Hint: "export as JSON", Help: "export the statistics as JSON", Do: func(int, string) tea.Cmd { return p.export() }},
	}
}

func (p *Stats) enter(int, string) tea.Cmd {
	if p.Cur >= len(p.Targets) {
		return p.h.Complain("no line here leads to a message")
	}
	t := p.Targets[p.Cur]
	if t.line < p.top || t.line >= p.top+p.page { // do not go to an invisible target
		p.moved = true
		return p.h.Complain("these are the places: " + p.h.Key("enter") + " goes to the one of the cursor")
	}
	p.h.Ask(screen.GoTo{ID: t.ID, Call: t.call})
	return nil
}

// move moves within the list of the cursor.
func (p *Stats) move(n int) {
	if len(p.Targets) == 0 {
		p.top += n
		return
	}
	line := p.Targets[p.Cur].line
	switch { // first scroll over the lines before the next target
	case n > 0 && line >= p.top+p.page, n < 0 && line < p.top, n < 0 && p.Cur == 0:
		p.top += n
		return
	}
	p.moved = true
	p.Cur = max(min(p.Cur+n, len(p.Targets)-1), 0)
}

// across moves to the nearest line of the other list.
func (p *Stats) across(_ int, key string) tea.Cmd {
	right := key == "l" || key == "right"
	if p.Cur >= len(p.Targets) || p.Targets[p.Cur].Right == right {
		return p.h.Complain("no list on that side")
	}
	best := -1
	for i, t := range p.Targets {
		if t.Right == right && (best < 0 || abs(t.line-p.Targets[p.Cur].line) < abs(p.Targets[best].line-p.Targets[p.Cur].line)) {
			best = i
		}
	}
	if best < 0 {
		return p.h.Complain("no list on that side")
	}
	p.Cur, p.moved = best, true
	return nil
}

func abs(n int) int { return max(n, -n) }

// Hints returns the keys of the pane.
func (p *Stats) Hints() []screen.Hint {
	keys := screen.HintsOf(p.Keys())
	if len(p.Targets) == 0 {
		keys = []screen.Hint{{Key: "j k", Text: "scroll"}, keys[len(keys)-1]}
	} else if !slices.ContainsFunc(p.Targets, func(t statTarget) bool { return t.Right }) {
		keys = slices.DeleteFunc(keys, func(k screen.Hint) bool { return k.Key == "h l" })
	}
	return append(keys, screen.Hint{Key: "=", Text: "scope"})
}

// Click selects a target; a double click goes there.
func (p *Stats) Click(x, y int, double bool) tea.Cmd {
	line := y - 1 + p.top
	for i, t := range p.Targets {
		if t.line == line && t.Right == (line < len(p.lines) && p.lines[line].half > 0 && x >= p.lines[line].half) {
			p.Cur = i
			if double {
				_, cmd := p.Key("enter", 0)
				return cmd
			}
		}
	}
	return nil
}

// Wheel scrolls by n rows.
func (p *Stats) Wheel(n int) { p.top += n }

// dim returns a less important text.
func dim(text string) paint.Span { return paint.Span{Text: text, Ink: paint.InkDim} }
