package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/query"
)

// detail is the pane that shows one item whole: what it is, everything that was recorded with it, its texts.
type detail struct {
	h    *host
	l    timeline
	row  row // that is shown
	body *doc
	made detailKey
	top  spot
	h0   int
	more bool
}

// timeline is what the detail needs of the list of rows.
type timeline interface {
	// Current is the row the cursor is on.
	Current() (row, bool)
	// SetMode chooses what the body of a row is shown as.
	SetMode(itemKey, bodyMode)
	// Highlight marks what the search found in a line.
	Highlight(line string, current bool) string
	// Wraps reports whether long lines are wrapped.
	Wraps() bool
}

// spot is a line of a doc.
type spot struct{ part, line int }

type detailKey struct {
	key     itemKey
	w, gen  int
	version uint64
	mode    bodyMode
	wrap    bool
	ready   bool
	fetched int
}

func newDetail(h *host, l timeline) *detail { return &detail{h: h, l: l} }

func (d *detail) Name() string     { return "detail" }
func (d *detail) Refresh() tea.Cmd { return nil }

// follow shows the item the cursor is on, from its beginning if it is another one; ok is false for none.
func (d *detail) follow() (ok bool) {
	r, ok := d.l.Current()
	if ok && r.key != d.row.key {
		d.top = spot{}
	}
	d.row = r
	return ok
}

func (d *detail) Hints() []hint {
	return append(hintsOf(d.keys()), hint{"J K", "item"}, hint{"%", "other end"}, hint{"y", "copy"}, hint{"x", "export"})
}

// Key scrolls; everything else is the timeline's.
func (d *detail) Key(key string, n int) (bool, tea.Cmd) { return pressed(d.keys(), key, n) }

// keys are those that only the detail takes.
func (d *detail) keys() []paneKey {
	page, half := max(d.h0-1, 1), max(d.h0/2, 1)
	scroll := func(lines int) func(int, string) tea.Cmd {
		return func(n int, _ string) tea.Cmd { d.scroll(max(n, 1) * lines); return nil }
	}
	return []paneKey{
		{keys: []string{"j", "down", "ctrl+e"}, label: "j k", hint: "scroll", help: "scroll one line", do: scroll(1)},
		{keys: []string{"k", "up", "ctrl+y"}, help: "scroll one line back", do: scroll(-1)},
		{keys: []string{"ctrl+d"}, help: "half a page on", do: scroll(half)},
		{keys: []string{"ctrl+u"}, help: "half a page back", do: scroll(-half)},
		{keys: []string{"space", "ctrl+f", "pgdown"}, help: "a page on", do: scroll(page)},
		{keys: []string{"b", "ctrl+b", "pgup"}, help: "a page back", do: scroll(-page)},
		{keys: []string{"g", "home"}, help: "the beginning", do: func(int, string) tea.Cmd { d.top = spot{}; return nil }},
		{keys: []string{"G", "end"}, help: "the end", do: func(int, string) tea.Cmd { d.toEnd(); return nil }},
		{keys: []string{"r"}, hint: "source", help: "as rendered, as source text, as raw record", do: func(int, string) tea.Cmd { d.nextMode(); return nil }},
		{keys: []string{"h", "left"}, help: "back to the timeline", do: func(int, string) tea.Cmd { d.h.ask(ClosePane{}); return nil }},
	}
}

// nextMode shows the texts in the next form.
func (d *detail) nextMode() {
	d.l.SetMode(d.row.key, (d.row.mode+1)%3)
	d.top = spot{}
}

func (d *detail) Click(x, y int, double bool) tea.Cmd { return nil }
func (d *detail) Wheel(n int)                         { d.scroll(n) }

func (d *detail) scroll(n int) {
	if d.body == nil {
		return
	}
	for ; n > 0; n-- {
		s, ok := d.next(d.top)
		if !ok || !d.fills(s) {
			return
		}
		d.top = s
	}
	for ; n < 0; n++ {
		s, ok := d.prev(d.top)
		if !ok {
			return
		}
		d.top = s
	}
}

// fills reports whether from a spot on there are lines for the whole pane.
func (d *detail) fills(s spot) bool {
	for range d.h0 - 1 {
		n, ok := d.next(s)
		if !ok {
			return false
		}
		s = n
	}
	return true
}

func (d *detail) next(s spot) (spot, bool) {
	s.line++
	for s.part < d.body.len() {
		if s.line < len(d.body.lines(s.part)) {
			return s, true
		}
		s.part, s.line = s.part+1, 0
	}
	return s, false
}

func (d *detail) prev(s spot) (spot, bool) {
	if s.line > 0 {
		s.line--
		return s, true
	}
	for s.part > 0 {
		s.part--
		if n := len(d.body.lines(s.part)); n > 0 {
			s.line = n - 1
			return s, true
		}
	}
	return s, false
}

func (d *detail) toEnd() {
	if d.body == nil || d.body.len() == 0 {
		return
	}
	s := spot{d.body.len() - 1, max(len(d.body.lines(d.body.len()-1))-1, 0)}
	for range d.h0 - 1 {
		p, ok := d.prev(s)
		if !ok {
			break
		}
		s = p
	}
	d.top = s
}

// Render draws the pane: where the item stands, a rule, its texts.
func (d *detail) Render(w, h int, full, focus bool) []string {
	if ok := d.follow(); !ok || h < 3 {
		return nil
	}
	st := d.h.styles
	i := inkBorder
	if focus {
		i = inkBorderFocus
	}
	title := d.title(true)
	if restWidth(title) > w {
		title = d.title(false)
	}
	lines := []string{st.line(w, groundNone, title...), st.paint(i, strings.Repeat("─", w))}
	d.h0 = h - 2
	d.prepare(w - 2)
	s := d.top
	if s.part < d.body.len() && s.line >= len(d.body.lines(s.part)) {
		s, _ = d.next(s)
	}
	for range d.h0 {
		if s.part >= d.body.len() {
			break
		}
		part := d.body.lines(s.part)
		if s.line < len(part) {
			lines = append(lines, " "+d.l.Highlight(part[s.line], false))
		}
		n, ok := d.next(s)
		d.more = ok
		if !ok {
			break
		}
		s = n
	}
	return lines
}

// title says where the item stands, from the file on or, where that has no room, within it.
func (d *detail) title(file bool) []span {
	r := &d.row
	s := d.h.snap
	var out []span
	add := func(text string, i ink) {
		if len(out) > 0 {
			out = append(out, span{text: " › ", ink: inkFaint}, span{text: text, ink: i})
		} else {
			out = append(out, span{text: " " + text, ink: i})
		}
	}
	if file {
		add(cut(shortName(d.h.state.Path), 24), inkDim)
	}
	if d.h.turns != nil {
		if t := d.h.turns.Turn(r.key.id); t >= 0 {
			add(fmt.Sprintf("turn %d", t), inkDim)
		}
	}
	if n := s.Pos(r.key.id); n >= 0 {
		add(fmt.Sprintf("#%d", n), inkText)
	}
	if line := r.line; line != nil {
		add(line.Word, inkBold)
		if line.Call != noCall {
			if calls := s.Calls(r.key.id); len(calls) > 1 {
				for n := range calls {
					if calls[n].ID == line.Call {
						out = append(out, span{text: fmt.Sprintf("   call %d of %d in its message", n+1, len(calls)), ink: inkDim})
					}
				}
			}
		}
	}
	return out
}

// prepare makes the body of the item, unless it is there already.
func (d *detail) prepare(w int) {
	r := &d.row
	key := detailKey{r.key, w, d.h.styles.gen, d.h.snap.Version(), r.mode, d.l.Wraps(), true, d.h.fetches.gen}
	if d.body != nil && d.made == key {
		return
	}
	parts, ready := d.parts(w)
	d.body = &doc{parts: parts, w: max(w, 8), st: d.h.styles, wrap: d.l.Wraps(), md: d.h.markdown}
	key.ready = ready
	d.made = key
}

func (d *detail) parts(w int) ([]part, bool) {
	r := &d.row
	m := d.h.bodies.get(r.key.id)
	if m == nil {
		return []part{noteRow("reading …")}, false
	}
	parts := []part{d.facts(m, w)}
	if r.line != nil && r.line.Call != noCall && r.mode != bodyRaw {
		return d.callDetail(parts, r.line, m, w)
	}
	body, ready := d.h.bodyParts(*r, false)
	if r.key.kind != rowLine && r.mode != bodyRaw {
		body = d.h.noteParts(m, slices.DeleteFunc(slices.Clone(m.Extra), isFact))
	}
	parts = append(append(parts, blankRow()), body...)
	if r.key.kind == rowLine && r.mode != bodyRaw {
		parts = append(parts, longFields(m.Extra)...)
	}
	return parts, ready
}

// isFact reports whether a field stands among the facts of an item: it is short.
func isFact(kv model.KeyValue) bool { return width(kv.Value) < 200 }

// longFields are the fields that have no room among the facts, each below its name.
func longFields(extra []model.KeyValue) []part {
	var parts []part
	for _, kv := range extra {
		if isFact(kv) {
			continue
		}
		text := cleaned(prettyJSON(kv.Value[:min(len(kv.Value), 1<<16)]))
		parts = append(parts, blankRow(), part{kind: partRows, rows: [][]span{{{text: oneLine(kv.Name) + "  ", ink: inkDim}, {text: model.SizeOf(int64(len(kv.Value)))}}}})
		parts = append(parts, plainParts(text, partJSON, inkText, true)...)
	}
	return parts
}

func blankRow() part { return part{kind: partRows, rows: [][]span{{{text: " "}}}} }

func headRow(text, keys string, w int) part {
	row := []span{{text: text, ink: inkHeading}}
	if gap := w - width(text) - width(keys); keys != "" && gap > 2 {
		row = append(row, span{text: blanks(gap)}, span{text: keys, ink: inkDim})
	}
	return part{kind: partRows, rows: [][]span{row}}
}

// callDetail is a call with its arguments and its result, whole.
func (d *detail) callDetail(parts []part, line *query.Line, m *model.Message, w int) ([]part, bool) {
	s, r := d.h.snap, &d.row
	c := s.Call(line.Call)
	call := blockOfCall(m, line)
	parts = append(parts, blankRow(), headRow("arguments", "yc copies", w))
	if call != nil {
		parts = append(parts, argumentParts(call, line.Family, r.mode, m, nil)...)
		if line.Family == query.FamilyShell && r.mode == bodyRendered {
			parts = append(parts, otherArguments(call)...)
		}
	}
	parts = append(parts, longFields(m.Extra)...)
	if c.Result == model.NoID && d.h.kept(call) {
		return append(append(parts, blankRow()), d.h.keptParts(call, line.Family)...), true
	}
	if c.Result == model.NoID {
		return append(parts, blankRow(), noteRow("no result yet")), true
	}
	rm := m
	if c.Result != m.ID {
		if rm = d.h.bodies.get(c.Result); rm == nil {
			return append(parts, blankRow(), noteRow("reading the result …")), false
		}
	}
	result := firstResult(rm)
	if call != nil {
		result = resultFor(rm, call.ID)
	}
	if result == nil {
		return parts, true
	}
	result, note := d.h.fullBlock(result)
	text := fmt.Sprintf("result, %s, %s", plural(lineCount(result.Text), "line", "lines"), model.SizeOf(max(int64(len(result.Text)), result.Size)))
	parts = append(parts, blankRow(), headRow(text, "yr copies", w))
	if note != "" {
		parts = append(parts, plainParts(note, partPlain, inkDim, false)...)
	}
	if r.mode == bodySource {
		parts = append(parts, textParts(result.Text, model.Printed, partPlain, true)...)
	} else {
		parts = append(parts, resultParts(result, line.Family)...)
	}
	own := slices.DeleteFunc(slices.Clone(rm.Extra), func(kv model.KeyValue) bool { return slices.Contains(m.Extra, kv) })
	for n, kv := range slices.DeleteFunc(slices.Clone(own), func(kv model.KeyValue) bool { return !isFact(kv) }) {
		if n == 0 {
			parts = append(parts, blankRow())
		}
		parts = append(parts, fieldRow(kv))
	}
	return append(parts, longFields(own)...), true
}

func fieldRow(kv model.KeyValue) part {
	return part{kind: partRows, rows: [][]span{{{text: fit(oneLine(kv.Name), max(width(kv.Name), 10)) + "  ", ink: inkDim}, {text: oneLine(kv.Value)}}}}
}

// otherArguments are those of a shell call besides its command.
func otherArguments(call *model.Content) []part {
	var parts []part
	for _, kv := range jsonFields(call.Text) {
		switch kv.Name {
		case "command", "cmd", "script", "code":
			continue
		}
		parts = append(parts, fieldRow(kv))
	}
	return parts
}

// facts are what is known of an item in two columns.
func (d *detail) facts(m *model.Message, w int) part {
	r := &d.row
	s := d.h.snap
	var fields []model.KeyValue
	add := func(name, value string) {
		if value != "" {
			fields = append(fields, model.KeyValue{Name: name, Value: value})
		}
	}
	h := s.HeadRow(r.key.id)
	line, isLine := r.line, r.line != nil
	if isLine && line.Call != noCall {
		c := s.Call(line.Call)
		if call := blockOfCall(m, line); call != nil {
			add("call", oneLine(call.ID))
		}
		if c.Result != model.NoID {
			rh := s.HeadRow(c.Result)
			text := "#" + strconv.Itoa(s.Pos(c.Result))
			if rh.Time != 0 {
				text += "  " + d.h.clock(rh.Time)
			}
			add("result", text)
		}
		if dur, ok := c.Duration(); ok {
			text := took(dur)
			if c.Flags&model.TookDerived != 0 {
				text = "≤ " + text + ", from the records' times"
			}
			add("duration", text)
		}
		outcome := line.Outcome
		if outcome == "" {
			outcome = c.Outcome.String()
		}
		glyph, _ := outcomeGlyph(d.h.stateOf(line))
		add("outcome", glyph+" "+outcome)
		if t := d.h.tokens; t != nil {
			if n, ok := t.Call(line.Call); ok {
				add("tokens", fmt.Sprintf("%s in, %s out, counted %s", short(int64(n.Args)), short(int64(n.Result)), strings.TrimSuffix(d.h.opts.Encoding, "_base")))
			}
		}
	}
	if h.Time != 0 {
		add("time", time.UnixMilli(h.Time).In(d.h.zone).Format("15:04:05, Mon 2 Jan 2006"))
	}
	if h.Role != model.NoRole {
		add("role", h.Role.String())
	}
	add("model", oneLine(m.Model))
	if n, ok := query.ContextOf(s, r.key.id); ok {
		add("context", short(n)+" tokens")
	}
	if u, ok := s.Tokens(r.key.id); ok {
		add("usage", usageText(u))
	}
	add("flags", flagText(h.Flags))
	if isLine && line.Call != noCall {
		if c := s.Call(line.Call); c.Result != model.NoID && c.Result != r.key.id {
			add("result is", flagText(s.HeadRow(c.Result).Flags))
		}
	}
	if by := d.h.chains.By(r.key.id); by != model.NoID {
		add("replaced by", placeOf(s.Pos(by))+"  % goes there")
	} else {
		add("by", oneLine(m.By))
	}
	if old := d.h.chains.Of(r.key.id); len(old) > 0 {
		places := make([]string, 0, len(old))
		for _, id := range old[:min(len(old), 8)] {
			places = append(places, placeOf(s.Pos(id)))
		}
		add("replaces", strings.Join(places, " ")+"  % goes there")
	}
	for _, kv := range m.Extra {
		if isFact(kv) {
			add(oneLine(kv.Name), oneLine(kv.Value))
		}
	}
	return part{kind: partRows, rows: twoColumns(fields, w)}
}

// twoColumns lays fields out side by side where there is room. What is longer than the pane is wide goes on in the next line.
func twoColumns(fields []model.KeyValue, w int) [][]span {
	name := 0
	for _, f := range fields {
		name = max(name, min(width(f.Name), 12))
	}
	cell := func(f model.KeyValue, w int) []span {
		return []span{{text: fit(f.Name, name) + "  ", ink: inkDim}, {text: fit(f.Value, max(w-name-2, 1))}}
	}
	var rows [][]span
	for i := 0; i < len(fields); i++ {
		half := w / 2
		if w >= 70 && i+1 < len(fields) && name+2+width(fields[i].Value) < half && name+2+width(fields[i+1].Value) < half {
			rows = append(rows, append(cell(fields[i], half), cell(fields[i+1], half)...))
			i++
			continue
		}
		for n, value := range strings.Split(ansi.Wrap(fields[i].Value, max(w-name-2, 8), "/-"), "\n") {
			f := model.KeyValue{Value: value}
			if n == 0 {
				f.Name = fields[i].Name
			}
			rows = append(rows, cell(f, w))
		}
	}
	return rows
}

func usageText(u model.Tokens) string {
	var parts []string
	add := func(name string, n uint32) {
		if n != model.NoTokens {
			parts = append(parts, name+" "+short(int64(n)))
		}
	}
	add("input", u.Input)
	add("cache read", u.CacheRead)
	add("cache write", u.CacheWrite)
	add("output", u.Output)
	add("reasoning", u.Reasoning)
	if u.Flags&model.HasCost != 0 {
		parts = append(parts, query.Money(u.Cost))
	}
	return strings.Join(parts, ", ")
}

func flagText(f model.Flags) string {
	var out []string
	for _, x := range [...]struct {
		flag model.Flags
		name string
	}{
		{model.Injected, "injected"}, {model.Synthetic, "synthetic"}, {model.Partial, "partial"}, {model.Sidechain, "subagent"}, {model.Truncated, "cut at the limit"},
		{model.Refused, "refused"}, {model.Interrupted, "interrupted"}, {model.APIError, "API error"}, {model.Invalidated, "invalidated"},
		{model.Superseded, "superseded"}, {model.Archived, "archived"}, {model.Redacted, "redacted"}, {model.Compacted, "compacted"},
		{model.Summary, "summary"}, {model.Queued, "queued"}, {model.Hidden, "hidden"}, {model.Parallel, "parallel"},
		{model.Inherited, "inherited"},
	} {
		if f&x.flag != 0 {
			out = append(out, x.name)
		}
	}
	return strings.Join(out, ", ")
}
