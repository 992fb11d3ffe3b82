package screen

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"turns/query/human"
	"turns/query/lang"
	"turns/ui/paint"
)

// FilterBar is the line to edit a filter. While the user types, the rows follow every key. A filter
// with a mistake leaves the last valid one in place, and the bar explains the mistake under its
// column. Commands do all work that reads the filtered messages.
type FilterBar struct {
	Field    Field
	History  []string // applied filters, the newest last
	Recalled bool     // the saved history was added
	// error of the current text; it has a column (*lang.SyntaxError)
	Err error

	List     lang.Completion
	Open     bool // List is visible
	Sel      int
	DropOver int // first cell of the lines under the bar; 0: they use the full width

	h      *Host
	of     Filtered
	on     bool   // it is being edited
	was    string // the text before editing
	term   int    // byte offset of the term that List completes
	picked bool   // the reader moved in the list
	gen    int
	cancel context.CancelFunc
	// values by key and the rest of the filter, for one version of the messages
	known    map[string][]lang.Candidate
	knownFor uint64

	at      int    // place in History while the reader goes through it
	draft   string // the text typed before
	looking bool   // List shows the history

	shift    int   // cells of the text scrolled out at the left
	dropAt   lines // of the lines under the bar, for the mouse
	dropFrom int   // first candidate shown there
}

// lines is the place of the drawn candidates: their first cell, width and number of lines.
type lines struct{ x, w, h int }

// Filtered is the list that a filter applies to.
type Filtered struct {
	// Apply filters by a text. It fails if the text is not a valid filter.
	Apply func(text string) (tea.Cmd, error)
	// Version changes with the list's content; false while the list is empty.
	Version func() (uint64, bool)
	// Values returns a function that counts the values of a key under the rest of the filter. It
	// returns nil for a key without values.
	Values func(key lang.Key, rest *lang.Filter) func(context.Context) ([]lang.Candidate, error)
	Cursor bool // draw the cursor, because the terminal has none there
	// Still draws the line while it is not edited.
	Still func() []paint.Span
}

// maxHistory is the most filters in the history.
const maxHistory = 200

// candidatesMsg carries the values of a key with their counts.
type candidatesMsg struct {
	gen     int
	name    string
	values  []lang.Candidate
	version uint64
}

// NewFilterBar returns the bar of a list.
func NewFilterBar(h *Host, of Filtered) *FilterBar { return &FilterBar{h: h, of: of} }

// MoveTo moves the bar to another screen.
func (b *FilterBar) MoveTo(h *Host) { b.h = h }

// Set writes a filter applied elsewhere.
func (b *FilterBar) Set(text string) {
	b.Field.Set(text)
	b.Err = nil
	b.remember(text)
}

// Active reports whether the bar receives the keys.
func (b *FilterBar) Active() bool { return b.on }

// Edit starts editing.
func (b *FilterBar) Edit() tea.Cmd {
	b.on, b.was, b.Err, b.looking, b.picked = true, b.Field.Text, nil, false, false
	b.Field.At = len(b.Field.Text)
	b.at = len(b.History)
	b.Open = false
	return b.complete(false)
}

func (b *FilterBar) remember(text string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return
	}
	if i := slices.Index(b.History, text); i >= 0 {
		b.History = slices.Delete(b.History, i, i+1)
	}
	b.History = append(b.History, text)
	if n := len(b.History); n > maxHistory {
		b.History = slices.Clone(b.History[n-maxHistory:])
	}
}

// stop cancels the counting of candidates and drops late counts.
func (b *FilterBar) stop() {
	b.gen++
	if b.cancel != nil {
		b.cancel()
		b.cancel = nil
	}
}

// End stops editing.
func (b *FilterBar) End() {
	b.on, b.Open, b.looking = false, false, false
	b.stop()
}

// Key handles a key: it edits, completes, walks through the history, applies or cancels.
func (b *FilterBar) Key(msg tea.KeyPressMsg) tea.Cmd {
	switch name := KeyName(msg); name {
	case "enter":
		return b.enter()
	case "esc", "ctrl+c":
		if b.looking {
			b.looking, b.Open = false, false
			return nil
		}
		b.Field.Set(b.was)
		b.Err = nil
		b.End()
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
	before := b.Field.Text
	at := b.Field.At
	if !b.Field.Key(msg) || b.Field.Text == before && b.Field.At == at {
		return nil
	}
	b.at, b.picked = len(b.History), false
	if b.looking {
		b.lookBack()
		return nil
	}
	if b.Field.Text == before {
		return b.complete(false)
	}
	return tea.Batch(b.apply(), b.complete(false))
}

// enter applies the text, with the picked candidate.
func (b *FilterBar) enter() tea.Cmd {
	var cmd tea.Cmd
	if b.Open && (b.picked || b.looking) && b.Sel < len(b.List.Candidates) {
		looking := b.looking
		cmd = b.take()
		if looking {
			return cmd
		}
	}
	if _, b.Err = lang.Parse(b.Field.Text); b.Err != nil {
		b.Open = false
		return cmd
	}
	b.Field.Set(strings.TrimSpace(b.Field.Text))
	b.remember(b.Field.Text)
	b.End()
	return cmd
}

// apply filters the rows by the current text. A text with a mistake leaves the rows unchanged. A
// key still without a value is not a mistake yet: meanwhile the rest of the filter applies.
func (b *FilterBar) apply() tea.Cmd {
	cmd, err := b.of.Apply(b.Field.Text)
	b.Err = err
	if head := b.Field.Text[:b.Field.At]; err != nil && b.on && (strings.HasSuffix(head, ":") || strings.HasSuffix(head, ",")) {
		rest, _ := restOf(b.Field.Text, b.Field.At)
		if cmd, err = b.of.Apply(rest); err == nil {
			b.Err = nil
		}
	}
	return cmd
}

// tab inserts the selected candidate, or opens the list.
func (b *FilterBar) tab() tea.Cmd {
	if b.Open && b.Sel < len(b.List.Candidates) {
		return b.take()
	}
	return b.complete(true)
}

// take inserts the selected candidate into the text.
func (b *FilterBar) take() tea.Cmd {
	c := b.List.Candidates[b.Sel]
	b.picked = false
	if b.looking {
		b.Field.Set(c.Text)
		b.looking, b.Open = false, false
		return b.apply()
	}
	text := c.Text
	rest := b.Field.Text[min(b.List.To, len(b.Field.Text)):]
	if !strings.HasSuffix(text, ":") && rest == "" {
		text += " "
	}
	b.Field.Replace(b.List.From, b.List.To, text)
	return tea.Batch(b.apply(), b.complete(false))
}

// move moves the cursor in the list, or goes through the history if the list is closed.
func (b *FilterBar) move(dir int) tea.Cmd {
	if b.Open {
		if n := len(b.List.Candidates); n > 0 {
			b.Sel, b.picked = (b.Sel+dir+n)%n, true
		}
		return nil
	}
	at := b.at + dir
	if at < 0 || at > len(b.History) {
		return nil
	}
	if b.at == len(b.History) {
		b.draft = b.Field.Text
	}
	b.at = at
	if at == len(b.History) {
		b.Field.Set(b.draft)
	} else {
		b.Field.Set(b.History[at])
	}
	return b.apply()
}

// lookBack lists the filters of the history that contain the typed text, the newest first.
func (b *FilterBar) lookBack() {
	b.List, b.Sel, b.term = lang.Completion{}, 0, 0
	for i := len(b.History) - 1; i >= 0; i-- {
		if strings.Contains(strings.ToLower(b.History[i]), strings.ToLower(b.Field.Text)) {
			b.List.Candidates = append(b.List.Candidates, lang.Candidate{Text: b.History[i]})
		}
	}
	b.Open = len(b.List.Candidates) > 0
}

// complete lists the candidates at the cursor, first without counts, then with the counts of a
// command that reads the messages. always opens the list even before the first letter.
func (b *FilterBar) complete(always bool) tea.Cmd {
	text, at := b.Field.Text, b.Field.At
	b.stop()
	version, there := b.of.Version()
	if b.known == nil || b.knownFor != version {
		b.known, b.knownFor = map[string][]lang.Candidate{}, version
	}
	rest, term := restOf(text, at)
	var asked lang.Key
	missing := false
	b.List = lang.Complete(text, at, func(key lang.Key, _ string) []lang.Candidate {
		values, ok := b.known[key.String()+" "+rest]
		asked, missing = key, !ok
		return values
	})
	b.term = term
	b.Sel = min(b.Sel, max(len(b.List.Candidates)-1, 0))
	if !b.picked {
		b.Sel = 0
	}
	b.Open = b.worth(text, always)
	if !missing || !there || !b.List.Values {
		return nil
	}
	return b.count(asked, rest)
}

// worth reports whether the list offers more than the typed text.
func (b *FilterBar) worth(text string, always bool) bool {
	c := &b.List
	if len(c.Candidates) == 0 {
		return false
	}
	typed := text[min(c.From, len(text)):min(max(c.To, c.From), len(text))]
	if !c.Values && typed == "" && !always {
		return false
	}
	return len(c.Candidates) > 1 || !strings.EqualFold(c.Candidates[0].Text, typed)
}

// count returns the command that counts the values of a key under the rest of the filter.
func (b *FilterBar) count(key lang.Key, rest string) tea.Cmd {
	f, err := lang.Parse(rest)
	if err != nil {
		f, _ = lang.Parse("")
	}
	values := b.of.Values(key, f)
	if values == nil {
		return nil
	}
	ctx, cancel := context.WithCancel(b.h.Ctx)
	b.cancel = cancel
	gen, name, version := b.gen, key.String()+" "+rest, b.knownFor
	return func() tea.Msg {
		defer cancel()
		found, err := values(ctx)
		if err != nil {
			return nil
		}
		return candidatesMsg{gen, name, found, version}
	}
}

// Message receives the counts of the values.
func (b *FilterBar) Message(msg tea.Msg) tea.Cmd {
	m, ok := msg.(candidatesMsg)
	if !ok || b.known == nil || m.version != b.knownFor {
		return nil
	}
	b.known[m.name] = m.values
	if m.gen == b.gen && b.on && !b.looking {
		was := ""
		if b.picked && b.Sel < len(b.List.Candidates) {
			was = b.List.Candidates[b.Sel].Text
		}
		open := b.Open
		cmd := b.complete(open)
		for i, c := range b.List.Candidates {
			if was != "" && c.Text == was {
				b.Sel = i
			}
		}
		return cmd
	}
	return nil
}

// restOf returns a filter without the term at an offset, and the offset of that term.
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

// Render draws the bar in w cells. drop is the lines under it, from the cell DropOver on; cx is
// the cell of the cursor.
func (b *FilterBar) Render(w, full int) (line string, drop []string, cx int) {
	st := b.h.Styles
	if !b.on {
		return st.Line(w, paint.GroundNone, b.of.Still()...), nil, -1
	}
	cells, cursor := b.Field.Spans(max(w-paint.Width(FilterLabel)-1, 4), paint.InkText, b.of.Cursor)
	line = st.Line(w, paint.GroundNone, append([]paint.Span{{Text: FilterLabel, Ink: paint.InkAccent}}, cells...)...)
	shift := cursor - paint.Width(b.Field.Text[:b.Field.At])
	b.shift = -shift
	cx = min(paint.Width(FilterLabel)+cursor, w-1)
	switch {
	case b.Open:
		drop = b.dropDown(full, paint.Width(FilterLabel)+shift)
	case b.Err != nil:
		b.DropOver = 0
		drop = b.mistake(full, paint.Width(FilterLabel)+shift)
	}
	return line, drop, cx
}

// mistake returns the lines under the bar: a caret and the mistake, then the correction, on a
// second line if both do not fit on one.
func (b *FilterBar) mistake(w, left int) []string {
	st := b.h.Styles
	text, hint, col := paint.OneLine(b.Err.Error()), "", paint.Width(b.Field.Text)
	if e, ok := errors.AsType[*lang.SyntaxError](b.Err); ok {
		text, hint = paint.OneLine(e.Msg), paint.OneLine(e.Hint)
		col = paint.Width(paint.FirstRunes(b.Field.Text, e.Col-1))
	}
	at := max(min(left+col, w-2), 1)
	room := max(w-at-2, at-1)
	if hint != "" && paint.Width(text)+2+paint.Width(hint) <= room {
		text, hint = text+"; "+hint, ""
	}
	caret, words := paint.Span{Text: "^ ", Ink: paint.InkError}, paint.Span{Text: text, Ink: paint.InkError}
	var out []string
	switch {
	case at+2+paint.Width(text) <= w:
		out = append(out, st.Line(w, paint.GroundNone, paint.Span{Text: paint.Blanks(at)}, caret, words))
	case paint.Width(text) <= at-2: // no room at the right: the text ends before the caret
		words.Text += " "
		out = append(out, st.Line(w, paint.GroundNone, paint.Span{Text: paint.Blanks(at - paint.Width(words.Text))}, words, caret))
	default:
		out = append(out, st.Line(w, paint.GroundNone, paint.Span{Text: paint.Blanks(at)}, caret), st.Line(w, paint.GroundNone, paint.Span{Text: " "}, words))
	}
	if hint != "" {
		out = append(out, st.Line(w, paint.GroundNone, paint.Span{Text: paint.Blanks(max(min(at+2, w-paint.Width(hint)-1), 1))}, paint.Span{Text: hint, Ink: paint.InkDim}))
	}
	return out
}

// dropLines is the most candidates shown.
const dropLines = 8

// dropDown draws the list of candidates under the term they complete.
func (b *FilterBar) dropDown(w, left int) []string {
	st := b.h.Styles
	c := b.List.Candidates
	from := 0
	if b.Sel >= dropLines {
		from = b.Sel - dropLines + 1
	}
	shown := c[from:min(from+dropLines, len(c))]
	name, num := 12, 0
	for _, k := range shown {
		name = max(name, min(utf8.RuneCountInString(k.Text), 36))
		if k.Count > 0 {
			num = max(num, paint.Width(human.Count(k.Count)))
		}
	}
	counted := b.List.Values && num > 0
	at := left + paint.Width(b.Field.Text[:min(b.term, len(b.Field.Text))]) - 2
	if b.looking {
		at, name = left-2, w-left
	}
	at = max(min(at, w-name-num-24), 0)
	rows, box := make([][]paint.Span, 0, len(shown)), 0
	for i, k := range shown {
		lead := paint.Span{Text: "  "}
		if from+i == b.Sel {
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
	b.dropAt, b.dropFrom, b.DropOver = lines{x: at, w: min(box, w-at), h: len(rows)}, from, at
	before := ""
	// without a background, empty cells separate the list from the rows
	if st.NoColor || st.Theme.StatusBg == "" {
		b.DropOver, before, box = 0, st.Line(at, paint.GroundNone), w
	}
	var out []string
	for i, spans := range rows {
		base := paint.GroundStatus
		if from+i == b.Sel {
			base = paint.GroundCursor
		}
		out = append(out, before+st.Line(min(box, w-at), base, spans...))
	}
	return out
}

// Hints returns the keys during editing.
func (b *FilterBar) Hints() []Hint {
	if b.Open {
		return []Hint{{Key: "tab", Text: "accept"}, {Key: "↑ ↓", Text: "choose"}, {Key: "⏎", Text: "apply"}, {Key: "^r", Text: "history"}, {Key: "esc", Text: "back"}}
	}
	return []Hint{{Key: "⏎", Text: "apply"}, {Key: "tab", Text: "complete"}, {Key: "↑ ↓", Text: "history"}, {Key: "^r", Text: "search history"}, {Key: "esc", Text: "back"}}
}

// Recall adds the filters of earlier program runs to the history.
func (b *FilterBar) Recall(history []string) {
	now := b.History
	b.History = nil
	for _, text := range append(slices.Clone(history), now...) {
		b.remember(text)
	}
	b.at = len(b.History)
}

// ClickField puts the cursor of the filter at the clicked cell.
func (b *FilterBar) ClickField(x int) {
	b.Field.At = len(ansi.Truncate(b.Field.Text, max(x-paint.Width(FilterLabel)+b.shift, 0), ""))
	b.Open = false
}

// ClickDrop inserts the clicked candidate; it returns false if there is none at the cell.
func (b *FilterBar) ClickDrop(x, y int) (bool, tea.Cmd) {
	n, ok := b.Dropped(x, y)
	if !ok {
		return false, nil
	}
	b.Sel = n
	return true, b.take()
}

// Dropped returns the candidate at a cell of the lines under the bar.
func (b *FilterBar) Dropped(x, y int) (int, bool) {
	if !b.on || !b.Open || y < 0 || y >= b.dropAt.h || x < b.dropAt.x || x >= b.dropAt.x+b.dropAt.w {
		return 0, false
	}
	n := b.dropFrom + y
	return n, n < len(b.List.Candidates)
}

// Wheel moves the cursor in the list.
func (b *FilterBar) Wheel(n int) {
	b.Sel, b.picked = max(min(b.Sel+n, len(b.List.Candidates)-1), 0), true
}
