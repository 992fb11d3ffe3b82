package ui

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"turns/query"
	"turns/query/filter"
	"turns/query/human"
	"turns/query/lang"
	"turns/ui/paint"
	"turns/ui/screen"
)

// filterBar is the line in which the filter is written. While it is edited the timeline follows
// every key; what does not parse leaves the last good filter in place and is explained under its
// column. Everything that has to look at the conversation, the filter itself and the counts of the
// completion, runs in commands.
type filterBar struct {
	// filters by what stands there; the error has a column (*lang.SyntaxError)
	filter func(text string) (tea.Cmd, error)
	h      *screen.Host
	field  screen.Field
	on     bool   // it is being edited
	was    string // what stood there before
	err    error  // of what stands there now

	list   lang.Completion
	term   int  // byte offset of the term that list completes
	open   bool // list is shown
	sel    int
	picked bool // the reader moved in the list
	gen    int
	cancel context.CancelFunc
	// values by key and the rest of the filter, for one version of the conversation
	known    map[string][]lang.Candidate
	knownFor uint64

	history  []string // applied filters, the newest last
	recalled bool     // those of earlier runs, with the state of the transcript
	at       int      // in history while the reader walks through it
	draft    string   // what was typed before that
	looking  bool     // list is the history

	shift    int  // cells of the text that are scrolled out at the left
	dropAt   rect // of what hangs under the bar, without its line, for the mouse
	dropFrom int  // first candidate in there
	dropOver int  // cell that the lines begin at; 0 where they take the whole width
}

// maxHistory is how many filters are remembered.
const maxHistory = 200

// candidatesMsg are the values of a key with their counts.
type candidatesMsg struct {
	gen     int
	name    string
	values  []lang.Candidate
	version uint64
}

func newFilterBar(h *screen.Host, filter func(text string) (tea.Cmd, error)) *filterBar {
	return &filterBar{h: h, filter: filter}
}

// set writes a text that was applied elsewhere.
func (b *filterBar) set(text string) {
	b.field.Set(text)
	b.err = nil
	b.remember(text)
}

// active reports whether the bar gets the keys.
func (b *filterBar) active() bool { return b.on }

// edit begins to edit.
func (b *filterBar) edit() tea.Cmd {
	b.on, b.was, b.err, b.looking, b.picked = true, b.field.Text, nil, false, false
	b.field.At = len(b.field.Text)
	b.at = len(b.history)
	b.open = false
	return b.complete(false)
}

func (b *filterBar) remember(text string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return
	}
	if i := slices.Index(b.history, text); i >= 0 {
		b.history = slices.Delete(b.history, i, i+1)
	}
	b.history = append(b.history, text)
	if n := len(b.history); n > maxHistory {
		b.history = slices.Clone(b.history[n-maxHistory:])
	}
}

// stop ends the counting of candidates; what it still tells comes to nobody.
func (b *filterBar) stop() {
	b.gen++
	if b.cancel != nil {
		b.cancel()
		b.cancel = nil
	}
}

// end stops editing.
func (b *filterBar) end() {
	b.on, b.open, b.looking = false, false, false
	b.stop()
}

// key edits, completes, walks through the history, applies or gives up.
func (b *filterBar) key(msg tea.KeyPressMsg) tea.Cmd {
	switch name := screen.KeyName(msg); name {
	case "enter":
		return b.enter()
	case "esc", "ctrl+c":
		if b.looking {
			b.looking, b.open = false, false
			return nil
		}
		b.field.Set(b.was)
		b.err = nil
		b.end()
		return b.apply()
	case "tab", "shift+tab":
		return b.tab()
	case "down", "ctrl+n":
		return b.move(1)
	case "up", "ctrl+p":
		return b.move(-1)
	case "ctrl+r":
		b.looking = true
		b.lookBack()
		return nil
	}
	before := b.field.Text
	at := b.field.At
	if !b.field.Key(msg) || b.field.Text == before && b.field.At == at {
		return nil
	}
	b.at, b.picked = len(b.history), false
	if b.looking {
		b.lookBack()
		return nil
	}
	if b.field.Text == before {
		return b.complete(false)
	}
	return tea.Batch(b.apply(), b.complete(false))
}

// enter applies what stands there, with the candidate that was picked.
func (b *filterBar) enter() tea.Cmd {
	var cmd tea.Cmd
	if b.open && (b.picked || b.looking) && b.sel < len(b.list.Candidates) {
		looking := b.looking
		cmd = b.take()
		if looking {
			return cmd
		}
	}
	if _, b.err = lang.Parse(b.field.Text); b.err != nil {
		b.open = false
		return cmd
	}
	b.field.Set(strings.TrimSpace(b.field.Text))
	b.remember(b.field.Text)
	b.end()
	return cmd
}

// apply asks for the rows under what stands there; where it does not parse, what was shown stays. A
// key whose value is still to come is no mistake yet: the rest of the filter holds meanwhile.
func (b *filterBar) apply() tea.Cmd {
	cmd, err := b.filter(b.field.Text)
	b.err = err
	if head := b.field.Text[:b.field.At]; err != nil && b.on && (strings.HasSuffix(head, ":") || strings.HasSuffix(head, ",")) {
		rest, _ := restOf(b.field.Text, b.field.At)
		if cmd, err = b.filter(rest); err == nil {
			b.err = nil
		}
	}
	return cmd
}

// tab takes the candidate that is chosen, or opens the list.
func (b *filterBar) tab() tea.Cmd {
	if b.open && b.sel < len(b.list.Candidates) {
		return b.take()
	}
	return b.complete(true)
}

// take puts the chosen candidate into the text.
func (b *filterBar) take() tea.Cmd {
	c := b.list.Candidates[b.sel]
	b.picked = false
	if b.looking {
		b.field.Set(c.Text)
		b.looking, b.open = false, false
		return b.apply()
	}
	text := c.Text
	rest := b.field.Text[min(b.list.To, len(b.field.Text)):]
	if !strings.HasSuffix(text, ":") && rest == "" {
		text += " "
	}
	b.field.Replace(b.list.From, b.list.To, text)
	return tea.Batch(b.apply(), b.complete(false))
}

// move goes through the list, or the history where there is none.
func (b *filterBar) move(dir int) tea.Cmd {
	if b.open {
		if n := len(b.list.Candidates); n > 0 {
			b.sel, b.picked = (b.sel+dir+n)%n, true
		}
		return nil
	}
	at := b.at + dir
	if at < 0 || at > len(b.history) {
		return nil
	}
	if b.at == len(b.history) {
		b.draft = b.field.Text
	}
	b.at = at
	if at == len(b.history) {
		b.field.Set(b.draft)
	} else {
		b.field.Set(b.history[at])
	}
	return b.apply()
}

// lookBack lists the filters of the history that hold what is typed, the newest first.
func (b *filterBar) lookBack() {
	b.list, b.sel, b.term = lang.Completion{}, 0, 0
	for i := len(b.history) - 1; i >= 0; i-- {
		if strings.Contains(strings.ToLower(b.history[i]), strings.ToLower(b.field.Text)) {
			b.list.Candidates = append(b.list.Candidates, lang.Candidate{Text: b.history[i]})
		}
	}
	b.open = len(b.list.Candidates) > 0
}

// complete finds what could stand at the cursor: at once without counts, and with them when the
// command that looks at the conversation has come back. always opens the list where nothing was
// typed yet.
func (b *filterBar) complete(always bool) tea.Cmd {
	text, at := b.field.Text, b.field.At
	b.stop()
	if snap := b.h.Snap; snap != nil && (b.known == nil || b.knownFor != snap.Version()) {
		b.known, b.knownFor = map[string][]lang.Candidate{}, snap.Version()
	}
	rest, term := restOf(text, at)
	var asked lang.Key
	missing := false
	b.list = lang.Complete(text, at, func(key lang.Key, _ string) []lang.Candidate {
		values, ok := b.known[key.String()+" "+rest]
		asked, missing = key, !ok
		return values
	})
	b.term = term
	b.sel = min(b.sel, max(len(b.list.Candidates)-1, 0))
	if !b.picked {
		b.sel = 0
	}
	b.open = b.worth(text, always)
	if !missing || b.h.Snap == nil || !b.list.Values {
		return nil
	}
	return b.count(asked, rest)
}

// worth reports whether the list says more than what is typed.
func (b *filterBar) worth(text string, always bool) bool {
	c := &b.list
	if len(c.Candidates) == 0 {
		return false
	}
	typed := text[min(c.From, len(text)):min(max(c.To, c.From), len(text))]
	if !c.Values && typed == "" && !always {
		return false
	}
	return len(c.Candidates) > 1 || !strings.EqualFold(c.Candidates[0].Text, typed)
}

// count is the command that counts the values of a key under the rest of the filter.
func (b *filterBar) count(key lang.Key, rest string) tea.Cmd {
	f, err := lang.Parse(rest)
	if err != nil {
		f, _ = lang.Parse("")
	}
	ctx, cancel := context.WithCancel(b.h.Ctx)
	b.cancel = cancel
	gen, name, snap := b.gen, key.String()+" "+rest, b.h.Snap
	env := b.h.FilterEnv()
	return func() tea.Msg {
		defer cancel()
		values, err := filter.Values(ctx, query.Everything(snap), key, f, env)
		if err != nil {
			return nil
		}
		return candidatesMsg{gen, name, values, snap.Version()}
	}
}

// Message takes the counts of the values.
func (b *filterBar) Message(msg tea.Msg) tea.Cmd {
	m, ok := msg.(candidatesMsg)
	if !ok || b.known == nil || m.version != b.knownFor {
		return nil
	}
	b.known[m.name] = m.values
	if m.gen == b.gen && b.on && !b.looking {
		was := ""
		if b.picked && b.sel < len(b.list.Candidates) {
			was = b.list.Candidates[b.sel].Text
		}
		open := b.open
		cmd := b.complete(open)
		for i, c := range b.list.Candidates {
			if was != "" && c.Text == was {
				b.sel = i
			}
		}
		return cmd
	}
	return nil
}

// restOf is a filter without the term around a place, and where that term begins.
func restOf(text string, at int) (rest string, term int) {
	quoted := false
	from, to := 0, len(text)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == ' ' || c == '(' || c == '|':
			if i < at {
				from = i + 1
			} else if to == len(text) {
				to = i
			}
		case c == ')' && i >= at && to == len(text):
			to = i
		}
	}
	for from < at && (text[from] == '-' || text[from] == '!') {
		from++
	}
	left := strings.TrimRight(text[:from], "-! ")
	rest = strings.TrimSpace(left + " " + strings.TrimSpace(text[to:]))
	if _, err := lang.Parse(rest); err != nil {
		rest = strings.TrimRight(left, " |(")
		if _, err := lang.Parse(rest); err != nil {
			rest = ""
		}
	}
	return rest, from
}

// render draws the bar into w cells; drop is what hangs under it, from the cell dropOver on; cx is
// the cell of the cursor.
func (b *filterBar) render(w, full int) (line string, drop []string, cx int) {
	st := b.h.Styles
	if !b.on {
		return st.Line(w, paint.GroundNone, b.still()...), nil, -1
	}
	cells, cursor := b.field.Spans(max(w-paint.Width(screen.FilterLabel)-1, 4), paint.InkText, false)
	line = st.Line(w, paint.GroundNone, append([]paint.Span{{Text: screen.FilterLabel, Ink: paint.InkAccent}}, cells...)...)
	shift := cursor - paint.Width(b.field.Text[:b.field.At])
	b.shift = -shift
	cx = min(paint.Width(screen.FilterLabel)+cursor, w-1)
	switch {
	case b.open:
		drop = b.dropDown(full, paint.Width(screen.FilterLabel)+shift)
	case b.err != nil:
		b.dropOver = 0
		drop = b.mistake(full, paint.Width(screen.FilterLabel)+shift)
	}
	return line, drop, cx
}

// still is the bar while it is not edited.
func (b *filterBar) still() []paint.Span {
	v := &b.h.View
	spans := []paint.Span{{Text: screen.FilterLabel, Ink: paint.InkDim}}
	if b.field.Text == "" {
		return []paint.Span{{Text: " " + b.h.Key("f"), Ink: paint.InkKey}, {Text: " to filter", Ink: paint.InkDim}}
	}
	k := paint.InkText
	if !v.On {
		k = paint.InkDim
	}
	spans = append(spans, paint.Span{Text: paint.OneLine(b.field.Text), Ink: k})
	if !v.On && v.Filter != nil && !v.Filter.Empty() {
		spans = append(spans, paint.Span{Text: "  (off)", Ink: paint.InkWarning})
	}
	if v.On && v.Around > 0 {
		spans = append(spans, paint.Span{Text: "   ±" + strconv.Itoa(v.Around), Ink: paint.InkDim})
	}
	return spans
}

// mistake says under the bar what is wrong, with a caret under the place, and under that what to
// write instead where both have no room in a line.
func (b *filterBar) mistake(w, left int) []string {
	st := b.h.Styles
	text, hint, col := paint.OneLine(b.err.Error()), "", paint.Width(b.field.Text)
	var e *lang.SyntaxError
	if errors.As(b.err, &e) {
		text, hint = paint.OneLine(e.Msg), paint.OneLine(e.Hint)
		col = paint.Width(paint.FirstRunes(b.field.Text, e.Col-1))
	}
	at := max(min(left+col, w-2), 1)
	room := max(w-at-2, at-1)
	if hint != "" && paint.Width(text)+2+paint.Width(hint) <= room {
		text, hint = text+"; "+hint, ""
	}
	caret, said := paint.Span{Text: "^ ", Ink: paint.InkError}, paint.Span{Text: text, Ink: paint.InkError}
	var out []string
	switch {
	case at+2+paint.Width(text) <= w:
		out = append(out, st.Line(w, paint.GroundNone, paint.Span{Text: paint.Blanks(at)}, caret, said))
	case paint.Width(text) <= at-2: // no room at the right: the text ends before the caret
		said.Text += " "
		out = append(out, st.Line(w, paint.GroundNone, paint.Span{Text: paint.Blanks(at - paint.Width(said.Text))}, said, caret))
	default:
		out = append(out, st.Line(w, paint.GroundNone, paint.Span{Text: paint.Blanks(at)}, caret), st.Line(w, paint.GroundNone, paint.Span{Text: " "}, said))
	}
	if hint != "" {
		out = append(out, st.Line(w, paint.GroundNone, paint.Span{Text: paint.Blanks(max(min(at+2, w-paint.Width(hint)-1), 1))}, paint.Span{Text: hint, Ink: paint.InkDim}))
	}
	return out
}

// dropLines is how many candidates are shown at once.
const dropLines = 8

// dropDown draws the list of candidates that stands under the term that they complete.
func (b *filterBar) dropDown(w, left int) []string {
	st := b.h.Styles
	c := b.list.Candidates
	from := 0
	if b.sel >= dropLines {
		from = b.sel - dropLines + 1
	}
	shown := c[from:min(from+dropLines, len(c))]
	name, num := 12, 0
	for _, k := range shown {
		name = max(name, min(utf8.RuneCountInString(k.Text), 36))
		if k.Count > 0 {
			num = max(num, paint.Width(human.Count(k.Count)))
		}
	}
	counted := b.list.Values && num > 0
	at := left + paint.Width(b.field.Text[:min(b.term, len(b.field.Text))]) - 2
	if b.looking {
		at, name = left-2, w-left
	}
	at = max(min(at, w-name-num-24), 0)
	rows, box := make([][]paint.Span, 0, len(shown)), 0
	for i, k := range shown {
		lead := paint.Span{Text: "  "}
		if from+i == b.sel {
			lead = paint.Span{Text: "› ", Ink: paint.InkAccent}
		}
		spans := []paint.Span{lead, {Text: paint.Fit(paint.OneLine(k.Text), name)}}
		if counted {
			n := paint.Span{Text: paint.FitRight(human.Zero, num+2), Ink: paint.InkDim}
			if k.Count > 0 {
				n = paint.Span{Text: paint.FitRight(human.Count(k.Count), num+2), Ink: paint.InkAccent}
			} else if k.Text == "*" {
				n.Text = paint.Blanks(num + 2)
			}
			spans = append(spans, n)
		}
		spans = append(spans, paint.Span{Text: "  " + paint.OneLine(k.Note), Ink: paint.InkDim})
		if i == len(shown)-1 && from+len(shown) < len(c) {
			spans = append(spans, paint.Span{Text: "   " + human.Count(len(c)-from-len(shown)) + " more", Ink: paint.InkDim})
		}
		rows, box = append(rows, spans), max(box, paint.RestWidth(spans)+1)
	}
	b.dropAt, b.dropFrom, b.dropOver = rect{x: at, w: min(box, w-at), h: len(rows)}, from, at
	before := ""
	// nothing but empty cells tells the list from the rows
	if st.NoColor || st.Theme.StatusBg == "" {
		b.dropOver, before, box = 0, st.Line(at, paint.GroundNone), w
	}
	var out []string
	for i, spans := range rows {
		base := paint.GroundStatus
		if from+i == b.sel {
			base = paint.GroundCursor
		}
		out = append(out, before+st.Line(min(box, w-at), base, spans...))
	}
	return out
}

// hints are the keys while it is edited.
func (b *filterBar) hints() []screen.Hint {
	if b.open {
		return []screen.Hint{{Key: "tab", Text: "accept"}, {Key: "↑ ↓", Text: "choose"}, {Key: "⏎", Text: "apply"}, {Key: "^r", Text: "history"}, {Key: "esc", Text: "back"}}
	}
	return []screen.Hint{{Key: "⏎", Text: "apply"}, {Key: "tab", Text: "complete"}, {Key: "↑ ↓", Text: "history"}, {Key: "^r", Text: "search history"}, {Key: "esc", Text: "back"}}
}

// recall takes over the filters of earlier runs.
func (b *filterBar) recall(history []string) {
	now := b.history
	b.history = nil
	for _, text := range append(slices.Clone(history), now...) {
		b.remember(text)
	}
	b.at = len(b.history)
}

// clickField puts the cursor of the filter where it was clicked.
func (b *filterBar) clickField(x int) {
	b.field.At = len(ansi.Truncate(b.field.Text, max(x-paint.Width(screen.FilterLabel)+b.shift, 0), ""))
	b.open = false
}

// clickDrop takes the candidate that was clicked; false where there is none.
func (b *filterBar) clickDrop(x, y int) (bool, tea.Cmd) {
	n, ok := b.dropped(x, y)
	if !ok {
		return false, nil
	}
	b.sel = n
	return true, b.take()
}

// dropped is the candidate at a cell of the lines under the bar.
func (b *filterBar) dropped(x, y int) (int, bool) {
	if !b.on || !b.open || y < 0 || y >= b.dropAt.h || x < b.dropAt.x || x >= b.dropAt.x+b.dropAt.w {
		return 0, false
	}
	n := b.dropFrom + y
	return n, n < len(b.list.Candidates)
}

// wheel goes through the candidates.
func (b *filterBar) wheel(n int) {
	b.sel, b.picked = max(min(b.sel+n, len(b.list.Candidates)-1), 0), true
}
