package panes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/query/answer"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/summary"
	"turns/ui/paint"
	"turns/ui/screen"
)

// content is the content of a row: the arguments or the text, the result, and the recorded fields.
type content struct {
	given, rest     []paint.Part
	notable, fields []model.KeyValue
	answered        bool   // the call has a result: cut long arguments
	result          [2]int // parts of rest with the text of the result, from and before
	ready           bool   // false: something is still being read
}

func (d *Detail) content(w int) content {
	r := &d.row
	m := d.h.Bodies.Get(r.Key.ID)
	if m == nil {
		return content{given: []paint.Part{screen.NoteRow("reading …")}}
	}
	if r.Line != nil && r.Line.Call != screen.NoCall && r.Mode != screen.BodyRaw {
		return d.callContent(r.Line, m, w)
	}
	c := content{}
	c.given, c.ready = d.h.BodyParts(*r, false)
	c.notable, c.fields = d.notable(m), d.facts(m)
	switch {
	case r.Mode == screen.BodyRaw:
	case r.Key.Kind != screen.RowLine: // the facts contain the short fields
		c.given = d.h.NoteParts(m, longOnes(m.Fields()))
	default:
		c.fields = append(c.fields, longOnes(m.Fields())...)
	}
	c.rest = d.figures(m)
	return c
}

// callContent returns the content of a call: its arguments, its result, the model's next words,
// then everything else recorded.
func (d *Detail) callContent(line *describe.Line, m *model.Message, w int) content {
	result, ready := d.h.ResultOf(line, m)
	c := content{given: []paint.Part{headRow("arguments", d.h.Key("y *")+"c copies", w)}, answered: result != nil}
	if call := screen.BlockOfCall(m, line); call != nil {
		c.given = append(c.given, d.h.ArgumentParts(call, line.Call, m, d.row.Mode, result)...)
	}
	then, read := d.then(line, w)
	c.ready = ready && read
	returned := d.resultParts(line, m, result, ready, w)
	c.result = [2]int{min(2, 1+len(returned)), 1 + len(returned)} // after a blank row and the head
	c.rest = append(append([]paint.Part{blankRow()}, returned...), then...)
	c.rest = append(c.rest, d.figures(m)...)
	c.notable, c.fields = d.notable(m), append(d.facts(m), longOnes(m.Fields())...)
	if id := d.h.Snap.Call(line.Call).Result; result != nil && id != m.ID {
		answer := d.h.Bodies.Get(id)
		if answer == nil { // drawing the result took the time of the frame
			c.ready = false
			return c
		}
		for _, kv := range answer.Fields() {
			if !slices.Contains(m.Fields(), kv) {
				c.fields = append(c.fields, kv)
			}
		}
	}
	return c
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
	text := fmt.Sprintf("result, %s, %s", human.Plural(paint.LineCount(result.Text), "line", "lines"), model.SizeOf(max(int64(len(result.Text)), result.Size)))
	head := headRow(text, d.h.Key("y *")+"r copies", w-2)
	glyph, ink := screen.OutcomeGlyph(d.h.StateOf(line))
	head.Rows[0] = append([]paint.Span{{Text: glyph + " ", Ink: ink}}, head.Rows[0]...)
	parts := []paint.Part{head}
	if note != "" {
		parts = append(parts, paint.PlainParts(note, paint.PartPlain, paint.InkDim, false)...)
	}
	if d.row.Mode == screen.BodySource {
		return append(parts, paint.TextParts(result.Text, model.Printed, paint.PartPlain, true)...)
	}
	return append(append(parts, screen.ResultParts(result, line.Family)...), d.h.ResultMedia(line.Call, result.ID)...)
}

// thenLook is how many messages are searched for the model's next words.
const thenLook = 64

// then returns the model's first line of text and first call after the result of a call. read is
// false while they are not read yet.
func (d *Detail) then(line *describe.Line, w int) (parts []paint.Part, read bool) {
	s := d.h.Snap
	c := s.Call(line.Call)
	from, thread := s.Pos(d.row.Key.ID), s.HeadRow(d.row.Key.ID).Thread
	if c.Result != model.NoID {
		from = max(from, s.Pos(c.Result))
	}
	for at := from + 1; from >= 0 && at < min(from+thenLook, s.Len()); at++ {
		id := s.At(at)
		h := s.HeadRow(id)
		if h.Thread != thread || h.Op != model.Say || h.Role == model.Tool || h.Flags&model.Injected != 0 {
			continue
		}
		lines, settled := d.h.Described.Lines(id)
		if !settled {
			return nil, false
		}
		rows := d.thenRows(lines, at, w)
		if len(rows) == 0 {
			continue
		}
		return []paint.Part{blankRow(), {Kind: paint.PartRows, Rows: rows}}, true
	}
	return nil, true
}

// thenRows draws the first line of text and the first call of a message.
func (d *Detail) thenRows(lines []describe.Line, at, w int) [][]paint.Span {
	var rows [][]paint.Span
	words, calls := false, false
	for i := range lines {
		l := &lines[i]
		call := l.Call != screen.NoCall
		if l.About == "" && !call || call && calls || !call && (words || calls) {
			continue
		}
		words, calls = words || !call, calls || call
		glyph, ink := l.Glyph(), paint.InkDim
		if call {
			glyph, ink = screen.OutcomeGlyph(d.h.StateOf(l))
		}
		lead, place := "then  ", "  "+human.Place(at)
		if len(rows) > 0 {
			lead = "      "
		}
		text := paint.OneLine(l.About)
		if call {
			text = paint.OneLine(l.Word) + "  " + text
		}
		room := max(w-len(lead)-2-paint.Width(place), 8)
		rows = append(rows, []paint.Span{{Text: lead, Ink: paint.InkDim}, {Text: glyph + " ", Ink: ink}, {Text: paint.Fit(text, room)}, {Text: place, Ink: paint.InkDim}})
	}
	return rows
}

// figures shows the tokens, cost and time of a row in one line.
func (d *Detail) figures(m *model.Message) []paint.Part {
	var words []string
	add := func(text string, ok bool) {
		if ok && text != "" {
			words = append(words, text)
		}
	}
	at := d.h.Snap.HeadRow(d.row.Key.ID).Time
	add(d.h.Clock(at), at != 0)
	for _, l := range d.described() {
		add(l.Label+" "+l.Number, l.Number != "")
	}
	add(screen.ShortModel(m.Model), m.Model != "")
	if len(words) == 0 {
		return nil
	}
	parts := append([]paint.Part{blankRow()}, paint.PlainParts(strings.Join(words, "   "), paint.PartPlain, paint.InkDim, true)...)
	return append(parts, d.money()...)
}

// described returns the figures of the row, as they are described for every drawing.
func (d *Detail) described() []answer.Line {
	call := screen.NoCall
	if d.row.Line != nil {
		call = d.row.Line.Call
	}
	return summary.Figures(d.h.Snap, d.h.Tokens, d.row.Key.ID, call)
}

// money returns the cost of an item's request, the reason for a cache miss, and the cost of the
// item in later requests.
func (d *Detail) money() (parts []paint.Part) {
	r := &d.row
	call := screen.NoCall
	if r.Line != nil {
		call = r.Line.Call
	}
	if d.h.Split != nil && int(r.Key.ID) < d.h.Snap.Rows() {
		if lines := d.h.Split.Lines(r.Key.ID, call); len(lines) > 0 {
			parts = append(parts, paint.PlainParts(strings.Join(lines, "   "), paint.PartPlain, paint.InkDim, true)...)
		}
	}
	if text := d.h.Cached.Miss(r.Key.ID); text != "" {
		parts = append(parts, paint.PlainParts(text, paint.PartPlain, paint.InkWarning, true)...)
	}
	return parts
}

// fieldParts draws the fields of a row: their names on a line, or all of them.
func (d *Detail) fieldParts(fields []model.KeyValue, whole bool, w int) []paint.Part {
	if len(fields) == 0 {
		return nil
	}
	text := human.Plural(len(fields), "field", "fields")
	if !whole {
		names := make([]string, len(fields))
		for i := range fields {
			names[i] = paint.OneLine(fields[i].Name)
		}
		return []paint.Part{foldRow(paint.Cut("▸ "+text+": "+strings.Join(names, ", "), max(w-9, 12)), "⏎ all", w)}
	}
	keys := ""
	if d.whole {
		keys = "⏎ less"
	}
	short := slices.DeleteFunc(slices.Clone(fields), func(kv model.KeyValue) bool { return !isFact(kv) })
	parts := append([]paint.Part{foldRow("▾ "+text, keys, w)}, d.fieldRows(short, w)...)
	return append(parts, longFields(longOnes(fields))...)
}

// fieldRows draws short fields in two columns.
func (d *Detail) fieldRows(fields []model.KeyValue, w int) []paint.Part {
	if len(fields) == 0 {
		return nil
	}
	return []paint.Part{{Kind: paint.PartRows, Rows: twoColumns(fields, w)}}
}

func foldRow(text, keys string, w int) paint.Part {
	p := headRow(text, keys, w)
	p.Rows[0][0].Ink = paint.InkDim
	return p
}

// isFact reports whether a field is short enough for the columns.
func isFact(kv model.KeyValue) bool { return paint.Width(kv.Value) < 200 }

// longOnes returns the fields too long for the columns.
func longOnes(fields []model.KeyValue) []model.KeyValue {
	return slices.DeleteFunc(slices.Clone(fields), isFact)
}

// longFields draws long fields, each below its name.
func longFields(fields []model.KeyValue) []paint.Part {
	var parts []paint.Part
	for _, kv := range fields {
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

// notable returns the unusual facts about a row, which are never folded.
func (d *Detail) notable(m *model.Message) []model.KeyValue {
	r, s := &d.row, d.h.Snap
	h := s.HeadRow(r.Key.ID)
	var fields []model.KeyValue
	add := named(&fields)
	for _, p := range d.h.Labels(r.Key, r.Call) {
		by := p.By
		if !p.Time.IsZero() {
			by = strings.TrimSpace(by + " " + p.Time.In(d.h.Zone).Format("2 Jan 15:04"))
		}
		add("label", paint.OneLine(p.Words()+"  "+by))
	}
	add("flags", flagText(h.Flags))
	if r.Line != nil && r.Line.Call != screen.NoCall {
		if c := s.Call(r.Line.Call); c.Result != model.NoID && c.Result != r.Key.ID {
			add("result is", flagText(s.HeadRow(c.Result).Flags))
		}
	}
	if by := d.h.Chains.By(r.Key.ID); by != model.NoID {
		add("replaced by", human.Place(s.Pos(by))+"  "+d.h.Key("%")+" jumps")
	} else {
		add("by", paint.OneLine(m.By))
	}
	if old := d.h.Chains.Of(r.Key.ID); len(old) > 0 {
		places := make([]string, 0, len(old))
		for _, id := range old[:min(len(old), 8)] {
			places = append(places, human.Place(s.Pos(id)))
		}
		add("replaces", strings.Join(places, " ")+"  "+d.h.Key("%")+" jumps")
	}
	return fields
}

// named returns a function that adds a field unless its value is empty.
func named(fields *[]model.KeyValue) func(name, value string) {
	return func(name, value string) {
		if value != "" {
			*fields = append(*fields, model.KeyValue{Name: name, Value: value})
		}
	}
}

// facts returns the short fields of a row, the most wanted first.
func (d *Detail) facts(m *model.Message) []model.KeyValue {
	r := &d.row
	s := d.h.Snap
	var fields []model.KeyValue
	add := named(&fields)
	h := s.HeadRow(r.Key.ID)
	line, isLine := r.Line, r.Line != nil
	if isLine && line.Call != screen.NoCall {
		c := s.Call(line.Call)
		if call := screen.BlockOfCall(m, line); call != nil {
			add("call", paint.OneLine(call.ID))
		}
		if c.Result != model.NoID {
			rh := s.HeadRow(c.Result)
			text := human.Place(s.Pos(c.Result))
			if rh.Time != 0 {
				text += "  " + d.h.Clock(rh.Time)
			}
			add("result", text)
		}
		glyph, _ := screen.OutcomeGlyph(d.h.StateOf(line))
		add("outcome", glyph+" "+cmp.Or(line.Outcome, c.Outcome.String()))
	}
	for _, l := range d.described() {
		add(l.Label, strings.TrimSpace(l.Number+"  "+l.Note))
	}
	if h.Time != 0 {
		add("time", time.UnixMilli(h.Time).In(d.h.Zone).Format("15:04:05, Mon 2 Jan 2006"))
	}
	if h.Role != model.NoRole {
		add("role", h.Role.String())
	}
	add("model", paint.OneLine(m.Model))
	for _, kv := range m.Fields() {
		if isFact(kv) {
			add(paint.OneLine(kv.Name), paint.OneLine(kv.Value))
		}
	}
	return fields
}

// twoColumns draws fields in two columns where they fit; values wider than the pane are wrapped.
func twoColumns(fields []model.KeyValue, w int) [][]paint.Span {
	name := 0
	for _, f := range fields {
		name = max(name, min(paint.Width(f.Name), max(12, w/3)))
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
