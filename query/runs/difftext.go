package runs

import (
	"context"
	"fmt"
	"io"
	"strings"

	"turns/query"
	"turns/query/answer"
	"turns/query/changes"
	"turns/query/describe"
	"turns/query/human"
)

// WriteJSON writes the answer.
func (d *DiffAnswer) WriteJSON(_ context.Context, w io.Writer) error { return query.WriteJSON(w, d) }

// Summary returns a table of the numbers and their differences.
func (d *DiffAnswer) Summary() *answer.Table {
	t := answer.NewTable("", ">a", ">b", ">difference?")
	add := func(name string, a, b, difference answer.Cell) {
		t.Rows = append(t.Rows, answer.Row{Cells: []answer.Cell{{Text: name, Tone: answer.Dim}, a, b, difference}})
	}
	text := func(name string, a, b answer.Cell) {
		difference := answer.Cell{}
		if a.Text != b.Text || a.Long != b.Long {
			difference = answer.Cell{Text: "changed", Tone: answer.Warn}
		}
		add(name, a, b, difference)
	}
	number := func(name string, a, b int64, cell func(int64) answer.Cell, more, less answer.Tone) {
		difference := answer.Count(0, answer.Dim)
		switch {
		case b > a:
			difference = signed("+", cell(b-a), more)
		case b < a:
			difference = signed("-", cell(a-b), less)
		}
		add(name, cell(a), cell(b), difference)
	}
	count := func(n int64) answer.Cell { return answer.Cell{Text: human.Count(n)} }
	tokens := func(n int64) answer.Cell { return answer.Cell{Text: human.Short(n), Long: human.Count(n)} }
	took := func(n int64) answer.Cell { return answer.Cell{Text: human.Millis(n).String()} }

	a, b := &d.A, &d.B
	text("outcome", answer.Cell{Text: a.Outcome.String()}, answer.Cell{Text: b.Outcome.String()})
	if a.Score != nil || b.Score != nil {
		text("score", answer.Cell{Text: scoreText(a.Score)}, answer.Cell{Text: scoreText(b.Score)})
	}
	text("model", modelCell(a.Model), modelCell(b.Model))
	number("messages", int64(a.Messages), int64(b.Messages), count, answer.Warn, answer.Warn)
	number("turns", int64(a.Turns), int64(b.Turns), count, answer.Warn, answer.Warn)
	number("calls", int64(a.Calls), int64(b.Calls), count, answer.Warn, answer.Warn)
	number("errors", int64(a.Errors), int64(b.Errors), count, answer.Bad, answer.Good)
	number("tokens", a.Tokens, b.Tokens, tokens, answer.Warn, answer.Warn)
	if a.Measured > 0 || b.Measured > 0 {
		number("usage", a.Measured, b.Measured, tokens, answer.Warn, answer.Warn)
	}
	number("time", int64(a.Took), int64(b.Took), took, answer.Warn, answer.Warn)
	if a, b := a.TotalCost(), b.TotalCost(); a.Known() || b.Known() {
		difference, more := answer.Cell{}, b.Dollars-a.Dollars
		switch {
		case a.String() == b.String():
		case !a.Known() || !b.Known():
			difference = answer.Cell{Text: "changed", Tone: answer.Warn}
		case more > 0:
			difference = signed("+", answer.Cell{Text: human.Money(more)}, answer.Warn)
		default:
			difference = signed("-", answer.Cell{Text: human.Money(-more)}, answer.Warn)
		}
		add("cost", answer.Cell{Text: a.String()}, answer.Cell{Text: b.String()}, difference)
	}
	return t
}

func modelCell(name human.TextOrNull) answer.Cell {
	if name == "" {
		return answer.Unknown
	}
	line := human.OneLine(string(name), 30)
	return answer.Cell{Text: describe.ShortModel(line), Long: line}
}

// signed returns the cell of a difference.
func signed(sign string, c answer.Cell, tone answer.Tone) answer.Cell {
	if c.Tone, c.Text = tone, sign+c.Text; c.Long != "" {
		c.Long = sign + c.Long
	}
	return c
}

// Counts returns the numbers of equal and different items, and the first difference.
func (d *DiffAnswer) Counts() []answer.Line {
	count := func(n int, tone answer.Tone, one, many string) answer.Line {
		note, _ := strings.CutPrefix(human.Plural(n, one, many), human.Count(n)+" ")
		return answer.Line{Number: human.Count(n), Tone: tone, Note: note}
	}
	lines := append([]answer.Line{count(d.Same, answer.Plain, "the same", "the same")}, answer.Counted(
		count(d.Added, answer.Added, "call added", "calls added"), count(d.Missing, answer.Removed, "call removed", "calls removed"),
		count(d.Args, answer.Warn, "with other arguments", "with other arguments"), count(d.Flips, answer.Warn, "with another outcome", "with another outcome"),
		count(d.Texts, answer.Warn, "text changed", "texts changed"))...)
	if d.Part < 0 {
		return lines
	}
	at := func(s *DiffSide) string {
		if s == nil {
			return human.NotSaid
		}
		return answer.At(s.Index).Text
	}
	r := &d.Rows[d.Part]
	return append(lines, answer.Line{Label: "first difference at", Number: at(r.A) + " / " + at(r.B)})
}

// ToolCounts returns the tools with different numbers of calls or errors.
func (d *DiffAnswer) ToolCounts() (lines []answer.Line) {
	both := func(a, b int) string { return human.OrDot(a, human.Count) + answer.Both + human.OrDot(b, human.Count) }
	for i := range d.Tools {
		x := &d.Tools[i]
		name := human.OneLine(string(x.Tool), 60)
		if x.CallsA != x.CallsB {
			lines = append(lines, answer.Line{Label: name, Number: both(x.CallsA, x.CallsB)})
		}
		if x.ErrorsA != x.ErrorsB {
			lines = append(lines, answer.Line{Label: name + " errors", Number: both(x.ErrorsA, x.ErrorsB)})
		}
	}
	return lines
}

func scoreText(s *float64) string {
	return human.OrDash(s, func(x float64) string { return fmt.Sprintf("%.3g", x) })
}

// diffSameShown is the number of equal items shown around different ones.
const diffSameShown = 1

// filesShown is the maximum number of files in a text about all aspects.
const filesShown = 20

// Doc describes the differences: the summary, then in text the items with their signs, - of the
// first session, + of the second, and in Markdown side by side. Both names are those of sessions.
func (d *DiffAnswer) Doc(nameA, nameB string) *answer.Doc {
	doc := &answer.Doc{Title: twoNames(nameA, nameB)}
	doc.AddTable("", d.Summary())
	doc.AddText(answer.Facts(d.Counts()...))
	if tools := d.ToolCounts(); len(tools) > 0 {
		doc.Add(answer.Section{Head: "tools", Lead: true, Text: []string{answer.Facts(tools...)}})
	}
	d.tellFiles(doc, filesShown)
	if d.Part < 0 {
		doc.AddText("no differences")
		return doc
	}
	lines, sides := d.differences()
	doc.Add(answer.Section{Text: lines, Only: answer.InText})
	doc.Add(answer.Section{Head: "Differences", Table: sides, Only: answer.InMarkdown})
	return doc
}

// twoNames returns the title of a comparison of two sessions or folders.
func twoNames(a, b string) string {
	return human.OneLine(a, describe.LineMax) + " → " + human.OneLine(b, describe.LineMax)
}

// FilesDoc describes the files that the sessions changed.
func (d *DiffAnswer) FilesDoc() *answer.Doc {
	doc := &answer.Doc{}
	d.tellFiles(doc, 0)
	return doc
}

// tellFiles adds the number of files that both sessions changed, and the first most of those that
// they changed in different ways; all if most is 0.
func (d *DiffAnswer) tellFiles(doc *answer.Doc, most int) {
	t, left := changes.PairedTable(d.Files, most)
	doc.AddText(changes.PairedHeadline(d.Files))
	if doc.AddTable("", t); left > 0 {
		doc.Note(human.Plural(left, "file") + " more: --files lists all")
	}
}

// differences returns the different items with their neighbours: as lines, and side by side.
func (d *DiffAnswer) differences() (lines []string, sides *answer.Table) {
	sides = answer.NewTable("", ">#", "a", ">#", "b")
	last := -1
	for i := range d.Rows {
		if !d.near(i) {
			continue
		}
		if last >= 0 && i > last+1 {
			same := "… " + SameItems(i-last-1)
			lines = append(lines, "  "+same)
			sides.Add("", "", same, "", "")
		}
		last = i
		r := &d.Rows[i]
		lines = append(lines, r.lines()...)
		cells := []string{r.How, "", "", "", ""}
		for k, s := range [...]*DiffSide{r.A, r.B} {
			if s != nil {
				cells[2*k+1], cells[2*k+2] = answer.At(s.Index).Text, s.line()
			}
		}
		sides.Add(cells...)
	}
	return lines, sides
}

// SameItems describes items that are equal in both sessions.
func SameItems(n int) string { return human.Plural(n, "item") + " the same" }

// near reports whether a row, or one next to it, is different.
func (d *DiffAnswer) near(i int) bool {
	for k := max(i-diffSameShown, 0); k <= min(i+diffSameShown, len(d.Rows)-1); k++ {
		if d.Rows[k].How != DiffSame {
			return true
		}
	}
	return false
}

// line returns the item in one line.
func (s *DiffSide) line() string {
	text := s.Text
	if s.Kind != DiffCall {
		text = s.Kind + "  " + text
	}
	if s.Outcome != "" {
		text += "  · " + string(s.Outcome)
	}
	return human.OneLine(text, 120)
}

// lines returns the item with its sign, twice if both sessions have one.
func (r *DiffRow) lines() (lines []string) {
	for _, side := range [...]struct {
		sign string
		of   *DiffSide
	}{{"-", r.A}, {"+", r.B}} {
		switch {
		case side.of == nil || side.sign == "+" && r.How == DiffSame:
			continue
		case r.How == DiffSame:
			side.sign = " "
		}
		lines = append(lines, fmt.Sprintf("%s %6s  %s", side.sign, answer.At(side.of.Index).Text, side.of.line()))
	}
	return lines
}
