package ui

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"turns/query"
)

// filterBar is the line in which the filter is written. While it is edited the timeline follows every key; what does not parse leaves the last good
// filter in place and is explained under its column. Everything that has to look at the conversation, the filter itself and the counts
// of the completion, runs in commands.
type filterBar struct {
	filter func(text string) (tea.Cmd, error) // filters by what stands there; the error has a column (*query.SyntaxError)
	h      *host
	field  field
	on     bool   // it is being edited
	was    string // what stood there before
	err    error  // of what stands there now

	list     query.Completion
	term     int  // byte offset of the term that list completes
	open     bool // list is shown
	sel      int
	picked   bool // the reader moved in the list
	gen      int
	cancel   context.CancelFunc
	known    map[string][]query.Candidate // values by key and the rest of the filter, for one version of the conversation
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
	values  []query.Candidate
	version uint64
}

func newFilterBar(h *host, filter func(text string) (tea.Cmd, error)) *filterBar {
	return &filterBar{h: h, filter: filter}
}

// set writes a text that was applied elsewhere.
func (b *filterBar) set(text string) {
	b.field.set(text)
	b.err = nil
	b.remember(text)
}

// active reports whether the bar gets the keys.
func (b *filterBar) active() bool { return b.on }

// edit begins to edit.
func (b *filterBar) edit() tea.Cmd {
	b.on, b.was, b.err, b.looking, b.picked = true, b.field.text, nil, false, false
	b.field.at = len(b.field.text)
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

// end stops editing.
func (b *filterBar) end() {
	b.on, b.open, b.looking = false, false, false
	b.gen++
	if b.cancel != nil {
		b.cancel()
		b.cancel = nil
	}
}

// key edits, completes, walks through the history, applies or gives up.
func (b *filterBar) key(msg tea.KeyPressMsg) tea.Cmd {
	switch name := keyName(msg); name {
	case "enter":
		return b.enter()
	case "esc", "ctrl+c":
		if b.looking {
			b.looking, b.open = false, false
			return nil
		}
		b.field.set(b.was)
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
	before := b.field.text
	at := b.field.at
	if !b.field.key(msg) || b.field.text == before && b.field.at == at {
		return nil
	}
	b.at, b.picked = len(b.history), false
	if b.looking {
		b.lookBack()
		return nil
	}
	if b.field.text == before {
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
	if _, b.err = query.Parse(b.field.text); b.err != nil {
		b.open = false
		return cmd
	}
	b.field.set(strings.TrimSpace(b.field.text))
	b.remember(b.field.text)
	b.end()
	return cmd
}

// apply asks for the rows under what stands there; where it does not parse, what was shown stays. A key whose value is still to come is no mistake
// yet: the rest of the filter holds meanwhile.
func (b *filterBar) apply() tea.Cmd {
	cmd, err := b.filter(b.field.text)
	b.err = err
	if head := b.field.text[:b.field.at]; err != nil && b.on && (strings.HasSuffix(head, ":") || strings.HasSuffix(head, ",")) {
		rest, _ := restOf(b.field.text, b.field.at)
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
		b.field.set(c.Text)
		b.looking, b.open = false, false
		return b.apply()
	}
	text := c.Text
	rest := b.field.text[min(b.list.To, len(b.field.text)):]
	if !strings.HasSuffix(text, ":") && rest == "" {
		text += " "
	}
	b.field.replace(b.list.From, b.list.To, text)
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
		b.draft = b.field.text
	}
	b.at = at
	if at == len(b.history) {
		b.field.set(b.draft)
	} else {
		b.field.set(b.history[at])
	}
	return b.apply()
}

// lookBack lists the filters of the history that hold what is typed, the newest first.
func (b *filterBar) lookBack() {
	b.list, b.sel, b.term = query.Completion{}, 0, 0
	for i := len(b.history) - 1; i >= 0; i-- {
		if strings.Contains(strings.ToLower(b.history[i]), strings.ToLower(b.field.text)) {
			b.list.Candidates = append(b.list.Candidates, query.Candidate{Text: b.history[i]})
		}
	}
	b.open = len(b.list.Candidates) > 0
}

// complete finds what could stand at the cursor: at once without counts, and with them when the command that looks at the conversation has
// come back. always opens the list where nothing was typed yet.
func (b *filterBar) complete(always bool) tea.Cmd {
	text, at := b.field.text, b.field.at
	b.gen++
	if b.cancel != nil {
		b.cancel()
		b.cancel = nil
	}
	if snap := b.h.snap; snap != nil && (b.known == nil || b.knownFor != snap.Version()) {
		b.known, b.knownFor = map[string][]query.Candidate{}, snap.Version()
	}
	rest, term := restOf(text, at)
	var asked query.Key
	missing := false
	b.list = query.Complete(text, at, func(key query.Key, _ string) []query.Candidate {
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
	if !missing || b.h.snap == nil || !b.list.Values {
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
func (b *filterBar) count(key query.Key, rest string) tea.Cmd {
	f, err := query.Parse(rest)
	if err != nil {
		f, _ = query.Parse("")
	}
	ctx, cancel := context.WithCancel(b.h.ctx)
	b.cancel = cancel
	gen, name, snap := b.gen, key.String()+" "+rest, b.h.snap
	env := query.Env{Now: b.h.opts.now(), Loc: b.h.zone, Turns: b.h.turns}
	if b.h.tokens != nil {
		env.Tokens = b.h.tokens
	}
	return func() tea.Msg {
		defer cancel()
		values, err := query.Values(ctx, query.Everything(snap), key, f, env)
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
	if _, err := query.Parse(rest); err != nil {
		rest = strings.TrimRight(left, " |(")
		if _, err := query.Parse(rest); err != nil {
			rest = ""
		}
	}
	return rest, from
}

// render draws the bar into w cells; drop is what hangs under it, from the cell dropOver on; cx is the cell of the cursor.
func (b *filterBar) render(w, full int) (line string, drop []string, cx int) {
	st := b.h.styles
	if !b.on {
		return st.line(w, groundNone, b.still()...), nil, -1
	}
	cells, cursor := b.field.spans(max(w-width(filterLabel)-1, 4), inkText, false)
	line = st.line(w, groundNone, append([]span{{text: filterLabel, ink: inkAccent}}, cells...)...)
	shift := cursor - width(b.field.text[:b.field.at])
	b.shift = -shift
	cx = min(width(filterLabel)+cursor, w-1)
	switch {
	case b.open:
		drop = b.dropDown(full, width(filterLabel)+shift)
	case b.err != nil:
		b.dropOver = 0
		drop = b.mistake(full, width(filterLabel)+shift)
	}
	return line, drop, cx
}

// still is the bar while it is not edited.
func (b *filterBar) still() []span {
	v := &b.h.view
	spans := []span{{text: filterLabel, ink: inkDim}}
	if b.field.text == "" {
		return append(spans, span{text: "f", ink: inkKey})
	}
	k := inkText
	if !v.on {
		k = inkDim
	}
	spans = append(spans, span{text: oneLine(b.field.text), ink: k})
	if !v.on && v.filter != nil && !v.filter.Empty() {
		spans = append(spans, span{text: "  (off)", ink: inkWarning})
	}
	if v.on && v.around > 0 {
		spans = append(spans, span{text: "   ±" + strconv.Itoa(v.around), ink: inkDim})
	}
	return spans
}

// mistake says under the bar what is wrong, with a caret under the place, and under that what to write instead where both have no room in a line.
func (b *filterBar) mistake(w, left int) []string {
	st := b.h.styles
	text, hint, col := oneLine(b.err.Error()), "", width(b.field.text)
	var e *query.SyntaxError
	if errors.As(b.err, &e) {
		text, hint = oneLine(e.Msg), oneLine(e.Hint)
		col = width(firstRunes(b.field.text, e.Col-1))
	}
	at := max(min(left+col, w-2), 1)
	room := max(w-at-2, at-1)
	if hint != "" && width(text)+2+width(hint) <= room {
		text, hint = text+"; "+hint, ""
	}
	caret, said := span{text: "^ ", ink: inkError}, span{text: text, ink: inkError}
	var out []string
	switch {
	case at+2+width(text) <= w:
		out = append(out, st.line(w, groundNone, span{text: blanks(at)}, caret, said))
	case width(text) <= at-2: // no room at the right: the text ends before the caret
		said.text += " "
		out = append(out, st.line(w, groundNone, span{text: blanks(at - width(said.text))}, said, caret))
	default:
		out = append(out, st.line(w, groundNone, span{text: blanks(at)}, caret), st.line(w, groundNone, span{text: " "}, said))
	}
	if hint != "" {
		out = append(out, st.line(w, groundNone, span{text: blanks(max(min(at+2, w-width(hint)-1), 1))}, span{text: hint, ink: inkDim}))
	}
	return out
}

// dropLines is how many candidates are shown at once.
const dropLines = 8

// dropDown draws the list of candidates that stands under the term that they complete.
func (b *filterBar) dropDown(w, left int) []string {
	st := b.h.styles
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
			num = max(num, width(thousands(k.Count)))
		}
	}
	counted := b.list.Values && num > 0
	at := left + width(b.field.text[:min(b.term, len(b.field.text))]) - 2
	if b.looking {
		at, name = left-2, w-left
	}
	at = max(min(at, w-name-num-24), 0)
	rows, box := make([][]span, 0, len(shown)), 0
	for i, k := range shown {
		lead := span{text: "  "}
		if from+i == b.sel {
			lead = span{text: "› ", ink: inkAccent}
		}
		spans := []span{lead, {text: fit(oneLine(k.Text), name)}}
		if counted {
			n := span{text: fitRight(query.Zero, num+2), ink: inkDim}
			if k.Count > 0 {
				n = span{text: fitRight(thousands(k.Count), num+2), ink: inkAccent}
			} else if k.Text == "*" {
				n.text = blanks(num + 2)
			}
			spans = append(spans, n)
		}
		spans = append(spans, span{text: "  " + oneLine(k.Note), ink: inkDim})
		if i == len(shown)-1 && from+len(shown) < len(c) {
			spans = append(spans, span{text: "   " + thousands(len(c)-from-len(shown)) + " more", ink: inkDim})
		}
		rows, box = append(rows, spans), max(box, restWidth(spans)+1)
	}
	b.dropAt, b.dropFrom, b.dropOver = rect{x: at, w: min(box, w-at), h: len(rows)}, from, at
	before := ""
	if st.noColor || st.theme.StatusBg == "" { // nothing but empty cells tells the list from the rows
		b.dropOver, before, box = 0, st.line(at, groundNone), w
	}
	var out []string
	for i, spans := range rows {
		base := groundStatus
		if from+i == b.sel {
			base = groundCursor
		}
		out = append(out, before+st.line(min(box, w-at), base, spans...))
	}
	return out
}

// hints are the keys while it is edited.
func (b *filterBar) hints() []hint {
	if b.open {
		return []hint{{"tab", "take"}, {"↑ ↓", "choose"}, {"⏎", "apply"}, {"^r", "history"}, {"esc", "back"}}
	}
	return []hint{{"⏎", "apply"}, {"tab", "complete"}, {"↑ ↓", "history"}, {"^r", "search history"}, {"esc", "back"}}
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
