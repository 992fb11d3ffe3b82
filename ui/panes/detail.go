package panes

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"turns/query/describe"
	"turns/query/human"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/query"
	"turns/ui/paint"
	"turns/ui/screen"
)

// Detail is the pane that shows one item whole: what it is, everything that was recorded with it, its texts.
type Detail struct {
	h    *screen.Host
	l    timeline
	row  screen.Row // that is shown
	body *paint.Doc
	made detailKey
	top  spot
	h0   int
	more bool
}

// timeline is what the detail needs of the list of rows.
type timeline interface {
	// Current is the row the cursor is on.
	Current() (screen.Row, bool)
	// SetMode chooses what the body of a row is shown as.
	SetMode(screen.RowKey, screen.BodyMode)
	// Highlight marks what the search found in a line.
	Highlight(line string, current bool) string
	// Wraps reports whether long lines are wrapped.
	Wraps() bool
}

// spot is a line of a doc.
type spot struct{ part, line int }

type detailKey struct {
	key     screen.RowKey
	w, gen  int
	version uint64
	mode    screen.BodyMode
	wrap    bool
	ready   bool
	fetched int
}

func NewDetail(h *screen.Host, l timeline) *Detail { return &Detail{h: h, l: l} }

func (d *Detail) Name() string     { return "detail" }
func (d *Detail) Refresh() tea.Cmd { return nil }

// follow shows the item the cursor is on, from its beginning if it is another one; ok is false for none.
func (d *Detail) follow() (ok bool) {
	r, ok := d.l.Current()
	if ok && r.Key != d.row.Key {
		d.top = spot{}
	}
	d.row = r
	return ok
}

func (d *Detail) Hints() []screen.Hint {
	return append(screen.HintsOf(d.Keys()), screen.Hint{Key: "J K", Text: "item"}, screen.Hint{Key: "%", Text: "other end"}, screen.Hint{Key: "y", Text: "copy"}, screen.Hint{Key: "x", Text: "export"})
}

// Key scrolls; everything else is the timeline's.
func (d *Detail) Key(key string, n int) (bool, tea.Cmd) { return screen.Pressed(d.Keys(), key, n) }

// Keys are those that only the detail takes.
func (d *Detail) Keys() []screen.Key {
	page, half := max(d.h0-1, 1), max(d.h0/2, 1)
	scroll := func(lines int) func(int, string) tea.Cmd {
		return func(n int, _ string) tea.Cmd { d.scroll(max(n, 1) * lines); return nil }
	}
	return []screen.Key{
		{Keys: []string{"j", "down", "ctrl+e"}, Label: "j k", Hint: "scroll", Help: "scroll one line", Do: scroll(1)},
		{Keys: []string{"k", "up", "ctrl+y"}, Help: "scroll one line back", Do: scroll(-1)},
		{Keys: []string{"ctrl+d"}, Help: "half a page on", Do: scroll(half)},
		{Keys: []string{"ctrl+u"}, Help: "half a page back", Do: scroll(-half)},
		{Keys: []string{"space", "ctrl+f", "pgdown"}, Help: "a page on", Do: scroll(page)},
		{Keys: []string{"b", "ctrl+b", "pgup"}, Help: "a page back", Do: scroll(-page)},
		{Keys: []string{"g", "home"}, Help: "the beginning", Do: func(int, string) tea.Cmd { d.top = spot{}; return nil }},
		{Keys: []string{"G", "end"}, Help: "the end", Do: func(int, string) tea.Cmd { d.toEnd(); return nil }},
		{Keys: []string{"r"}, Hint: "source", Help: "as rendered, as source text, as raw record", Do: func(int, string) tea.Cmd { d.nextMode(); return nil }},
		{Keys: []string{"h", "left"}, Help: "back to the timeline", Do: func(int, string) tea.Cmd { d.h.Ask(screen.ClosePane{}); return nil }},
	}
}

// nextMode shows the texts in the next form.
func (d *Detail) nextMode() {
	d.l.SetMode(d.row.Key, (d.row.Mode+1)%3)
	d.top = spot{}
}

func (d *Detail) Click(x, y int, double bool) tea.Cmd { return nil }
func (d *Detail) Wheel(n int)                         { d.scroll(n) }

func (d *Detail) scroll(n int) {
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
func (d *Detail) fills(s spot) bool {
	for range d.h0 - 1 {
		n, ok := d.next(s)
		if !ok {
			return false
		}
		s = n
	}
	return true
}

func (d *Detail) next(s spot) (spot, bool) {
	s.line++
	for s.part < d.body.Len() {
		if s.line < len(d.body.Lines(s.part)) {
			return s, true
		}
		s.part, s.line = s.part+1, 0
	}
	return s, false
}

func (d *Detail) prev(s spot) (spot, bool) {
	if s.line > 0 {
		s.line--
		return s, true
	}
	for s.part > 0 {
		s.part--
		if n := len(d.body.Lines(s.part)); n > 0 {
			s.line = n - 1
			return s, true
		}
	}
	return s, false
}

func (d *Detail) toEnd() {
	if d.body == nil || d.body.Len() == 0 {
		return
	}
	s := spot{d.body.Len() - 1, max(len(d.body.Lines(d.body.Len()-1))-1, 0)}
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
func (d *Detail) Render(w, h int, full, focus bool) []string {
	if ok := d.follow(); !ok || h < 3 {
		return nil
	}
	st := d.h.Styles
	i := paint.InkBorder
	if focus {
		i = paint.InkBorderFocus
	}
	title := d.title(true)
	if paint.RestWidth(title) > w {
		title = d.title(false)
	}
	lines := []string{st.Line(w, paint.GroundNone, title...), st.Paint(i, strings.Repeat("─", w))}
	d.h0 = h - 2
	d.prepare(w - 2)
	s := d.top
	if s.part < d.body.Len() && s.line >= len(d.body.Lines(s.part)) {
		s, _ = d.next(s)
	}
	for range d.h0 {
		if s.part >= d.body.Len() {
			break
		}
		part := d.body.Lines(s.part)
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
func (d *Detail) title(file bool) []paint.Span {
	r := &d.row
	s := d.h.Snap
	var out []paint.Span
	add := func(text string, i paint.Ink) {
		if len(out) > 0 {
			out = append(out, paint.Span{Text: " › ", Ink: paint.InkFaint}, paint.Span{Text: text, Ink: i})
		} else {
			out = append(out, paint.Span{Text: " " + text, Ink: i})
		}
	}
	if file {
		add(paint.Cut(paint.ShortName(d.h.State.Path), 24), paint.InkDim)
	}
	if d.h.Turns != nil {
		if t := d.h.Turns.Turn(r.Key.ID); t >= 0 {
			add(fmt.Sprintf("turn %d", t), paint.InkDim)
		}
	}
	if n := s.Pos(r.Key.ID); n >= 0 {
		add(fmt.Sprintf("#%d", n), paint.InkText)
	}
	if line := r.Line; line != nil {
		add(line.Word, paint.InkBold)
		if line.Call != screen.NoCall {
			if calls := s.Calls(r.Key.ID); len(calls) > 1 {
				for n := range calls {
					if calls[n].ID == line.Call {
						out = append(out, paint.Span{Text: fmt.Sprintf("   call %d of %d in its message", n+1, len(calls)), Ink: paint.InkDim})
					}
				}
			}
		}
	}
	return out
}

// prepare makes the body of the item, unless it is there already.
func (d *Detail) prepare(w int) {
	r := &d.row
	key := detailKey{r.Key, w, d.h.Styles.Gen, d.h.Snap.Version(), r.Mode, d.l.Wraps(), true, d.h.Fetches.Gen}
	if d.body != nil && d.made == key {
		return
	}
	parts, ready := d.parts(w)
	d.body = &paint.Doc{Parts: parts, W: max(w, 8), St: d.h.Styles, Wrap: d.l.Wraps(), Md: d.h.Markdown}
	key.ready = ready
	d.made = key
}

func (d *Detail) parts(w int) ([]paint.Part, bool) {
	r := &d.row
	m := d.h.Bodies.Get(r.Key.ID)
	if m == nil {
		return []paint.Part{screen.NoteRow("reading …")}, false
	}
	if r.Line != nil && r.Line.Call != screen.NoCall && r.Mode != screen.BodyRaw {
		return d.callDetail(r.Line, m, w)
	}
	body, ready := d.h.BodyParts(*r, false)
	if r.Key.Kind != screen.RowLine && r.Mode != screen.BodyRaw {
		body = d.h.NoteParts(m, slices.DeleteFunc(slices.Clone(m.Extra), isFact))
	}
	parts := append(slices.Clone(body), blankRow(), d.facts(m, w))
	if r.Key.Kind == screen.RowLine && r.Mode != screen.BodyRaw {
		parts = append(parts, longFields(m.Extra)...)
	}
	return parts, ready
}

// isFact reports whether a field stands among the facts of an item: it is short.
func isFact(kv model.KeyValue) bool { return paint.Width(kv.Value) < 200 }

// longFields are the fields that have no room among the facts, each below its name.
func longFields(extra []model.KeyValue) []paint.Part {
	var parts []paint.Part
	for _, kv := range extra {
		if isFact(kv) {
			continue
		}
		text := paint.Cleaned(screen.PrettyJSON(kv.Value[:min(len(kv.Value), 1<<16)]))
		parts = append(parts, blankRow(), paint.Part{Kind: paint.PartRows, Rows: [][]paint.Span{{{Text: paint.OneLine(kv.Name) + "  ", Ink: paint.InkDim}, {Text: model.SizeOf(int64(len(kv.Value)))}}}})
		parts = append(parts, paint.PlainParts(text, paint.PartJSON, paint.InkText, true)...)
	}
	return parts
}

func blankRow() paint.Part {
	return paint.Part{Kind: paint.PartRows, Rows: [][]paint.Span{{{Text: " "}}}}
}

func headRow(text, keys string, w int) paint.Part {
	row := []paint.Span{{Text: text, Ink: paint.InkHeading}}
	if gap := w - paint.Width(text) - paint.Width(keys); keys != "" && gap > 2 {
		row = append(row, paint.Span{Text: paint.Blanks(gap)}, paint.Span{Text: keys, Ink: paint.InkDim})
	}
	return paint.Part{Kind: paint.PartRows, Rows: [][]paint.Span{row}}
}

// callDetail is a call: its arguments and its result, whole, then everything else that was recorded.
func (d *Detail) callDetail(line *describe.Line, m *model.Message, w int) ([]paint.Part, bool) {
	parts := []paint.Part{headRow("arguments", "yc copies", w)}
	result, ready := d.resultOf(line, m)
	if call := screen.BlockOfCall(m, line); call != nil {
		parts = append(parts, screen.ArgumentParts(call, d.row.Mode, result)...)
	}
	parts = append(append(parts, blankRow()), d.resultParts(line, m, result, ready, w)...)
	parts = append(append(parts, blankRow(), d.facts(m, w)), longFields(m.Extra)...)
	if result == nil {
		return parts, ready
	}
	var own []model.KeyValue
	if id := d.h.Snap.Call(line.Call).Result; id != m.ID {
		own = slices.DeleteFunc(slices.Clone(d.h.Bodies.Get(id).Extra), func(kv model.KeyValue) bool { return slices.Contains(m.Extra, kv) })
	}
	for n, kv := range slices.DeleteFunc(slices.Clone(own), func(kv model.KeyValue) bool { return !isFact(kv) }) {
		if n == 0 {
			parts = append(parts, blankRow())
		}
		parts = append(parts, fieldRow(kv))
	}
	return append(parts, longFields(own)...), ready
}

// resultOf is the result of a call, nil for none; ready is false while it is read.
func (d *Detail) resultOf(line *describe.Line, m *model.Message) (result *model.Content, ready bool) {
	id, rm := d.h.Snap.Call(line.Call).Result, m
	if id == model.NoID {
		return nil, true
	}
	if id != m.ID {
		if rm = d.h.Bodies.Get(id); rm == nil {
			return nil, false
		}
	}
	if call := screen.BlockOfCall(m, line); call != nil {
		return screen.ResultFor(rm, call.ID), true
	}
	return screen.FirstResult(rm), true
}

func (d *Detail) resultParts(line *describe.Line, m *model.Message, result *model.Content, ready bool, w int) []paint.Part {
	call := screen.BlockOfCall(m, line)
	switch {
	case !ready:
		return []paint.Part{screen.NoteRow("reading the result …")}
	case result == nil && d.h.Snap.Call(line.Call).Result != model.NoID:
		return nil
	case result == nil && d.h.Kept(call):
		return d.h.KeptParts(call, line.Family)
	case result == nil:
		return []paint.Part{screen.NoteRow("no result yet")}
	}
	result, note := d.h.FullBlock(result)
	text := fmt.Sprintf("result, %s, %s", paint.Plural(paint.LineCount(result.Text), "line", "lines"), model.SizeOf(max(int64(len(result.Text)), result.Size)))
	parts := []paint.Part{headRow(text, "yr copies", w)}
	if note != "" {
		parts = append(parts, paint.PlainParts(note, paint.PartPlain, paint.InkDim, false)...)
	}
	if d.row.Mode == screen.BodySource {
		return append(parts, paint.TextParts(result.Text, model.Printed, paint.PartPlain, true)...)
	}
	return append(parts, screen.ResultParts(result, line.Family)...)
}

func fieldRow(kv model.KeyValue) paint.Part {
	return paint.Part{Kind: paint.PartRows, Rows: [][]paint.Span{{{Text: paint.Fit(paint.OneLine(kv.Name), max(paint.Width(kv.Name), 10)) + "  ", Ink: paint.InkDim}, {Text: paint.OneLine(kv.Value)}}}}
}

// facts are what is known of an item in two columns.
func (d *Detail) facts(m *model.Message, w int) paint.Part {
	r := &d.row
	s := d.h.Snap
	var fields []model.KeyValue
	add := func(name, value string) {
		if value != "" {
			fields = append(fields, model.KeyValue{Name: name, Value: value})
		}
	}
	h := s.HeadRow(r.Key.ID)
	line, isLine := r.Line, r.Line != nil
	if isLine && line.Call != screen.NoCall {
		c := s.Call(line.Call)
		if call := screen.BlockOfCall(m, line); call != nil {
			add("call", paint.OneLine(call.ID))
		}
		if c.Result != model.NoID {
			rh := s.HeadRow(c.Result)
			text := "#" + strconv.Itoa(s.Pos(c.Result))
			if rh.Time != 0 {
				text += "  " + d.h.Clock(rh.Time)
			}
			add("result", text)
		}
		if dur, ok := c.Duration(); ok {
			text := paint.Took(dur)
			if c.Flags&model.TookDerived != 0 {
				text = "≤ " + text + ", from the records' times"
			}
			add("duration", text)
		}
		outcome := line.Outcome
		if outcome == "" {
			outcome = c.Outcome.String()
		}
		glyph, _ := screen.OutcomeGlyph(d.h.StateOf(line))
		add("outcome", glyph+" "+outcome)
		if t := d.h.Tokens; t != nil {
			if n, ok := t.Call(line.Call); ok {
				add("tokens", fmt.Sprintf("%s in, %s out, counted %s", paint.Short(int64(n.Args)), paint.Short(int64(n.Result)), strings.TrimSuffix(d.h.Opts.Encoding, "_base")))
			}
		}
	}
	if h.Time != 0 {
		add("time", time.UnixMilli(h.Time).In(d.h.Zone).Format("15:04:05, Mon 2 Jan 2006"))
	}
	if h.Role != model.NoRole {
		add("role", h.Role.String())
	}
	add("model", paint.OneLine(m.Model))
	if n, ok := query.ContextOf(s, r.Key.ID); ok {
		add("context", paint.Short(n)+" tokens")
	}
	if u, ok := s.Tokens(r.Key.ID); ok {
		add("usage", usageText(u))
	}
	add("flags", flagText(h.Flags))
	if isLine && line.Call != screen.NoCall {
		if c := s.Call(line.Call); c.Result != model.NoID && c.Result != r.Key.ID {
			add("result is", flagText(s.HeadRow(c.Result).Flags))
		}
	}
	if by := d.h.Chains.By(r.Key.ID); by != model.NoID {
		add("replaced by", paint.PlaceOf(s.Pos(by))+"  % goes there")
	} else {
		add("by", paint.OneLine(m.By))
	}
	if old := d.h.Chains.Of(r.Key.ID); len(old) > 0 {
		places := make([]string, 0, len(old))
		for _, id := range old[:min(len(old), 8)] {
			places = append(places, paint.PlaceOf(s.Pos(id)))
		}
		add("replaces", strings.Join(places, " ")+"  % goes there")
	}
	for _, kv := range m.Extra {
		if isFact(kv) {
			add(paint.OneLine(kv.Name), paint.OneLine(kv.Value))
		}
	}
	return paint.Part{Kind: paint.PartRows, Rows: twoColumns(fields, w)}
}

// twoColumns lays fields out side by side where there is room. What is longer than the pane is wide goes on in the next line.
func twoColumns(fields []model.KeyValue, w int) [][]paint.Span {
	name := 0
	for _, f := range fields {
		name = max(name, min(paint.Width(f.Name), 12))
	}
	cell := func(f model.KeyValue, w int) []paint.Span {
		return []paint.Span{{Text: paint.Fit(f.Name, name) + "  ", Ink: paint.InkDim}, {Text: paint.Fit(f.Value, max(w-name-2, 1))}}
	}
	var rows [][]paint.Span
	for i := 0; i < len(fields); i++ {
		half := w / 2
		if w >= 70 && i+1 < len(fields) && name+2+paint.Width(fields[i].Value) < half && name+2+paint.Width(fields[i+1].Value) < half {
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
			parts = append(parts, name+" "+paint.Short(int64(n)))
		}
	}
	add("input", u.Input)
	add("cache read", u.CacheRead)
	add("cache write", u.CacheWrite)
	add("output", u.Output)
	add("reasoning", u.Reasoning)
	if u.Flags&model.HasCost != 0 {
		parts = append(parts, human.Money(u.Cost))
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
		{model.Recap, "summary"}, {model.Queued, "queued"}, {model.Hidden, "hidden"}, {model.Parallel, "parallel"},
		{model.Inherited, "inherited"},
	} {
		if f&x.flag != 0 {
			out = append(out, x.name)
		}
	}
	return strings.Join(out, ", ")
}
