package runs

import (
	"context"
	"fmt"
	"io"
	"strings"

	"turns/query"
	"turns/query/changes"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/summary"
)

// WriteJSON writes the answer.
func (d *DiffAnswer) WriteJSON(_ context.Context, w io.Writer) error { return query.WriteJSON(w, d) }

// summary is a table of what differs in numbers.
func (d *DiffAnswer) summary() *human.Table {
	t := human.NewTable("", ">a", ">b", ">difference?")
	row := func(name string, x, y int64) { t.Add(name, human.Count(x), human.Count(y), signed(y-x, human.Count)) }
	a, b := d.A.Outcome.String(), d.B.Outcome.String()
	t.Add("outcome", a, b, changed(a, b))
	if d.A.Score != nil || d.B.Score != nil {
		t.Add("score", scoreText(d.A.Score), scoreText(d.B.Score), "")
	}
	t.Add("model", human.OneLine(string(d.A.Model), 30), human.OneLine(string(d.B.Model), 30), changed(string(d.A.Model), string(d.B.Model)))
	row("messages", int64(d.A.Messages), int64(d.B.Messages))
	row("turns", int64(d.A.Turns), int64(d.B.Turns))
	row("calls", int64(d.A.Calls), int64(d.B.Calls))
	row("errors", int64(d.A.Errors), int64(d.B.Errors))
	row("tokens", d.A.Tokens, d.B.Tokens)
	if d.A.Measured > 0 || d.B.Measured > 0 {
		row("usage", d.A.Measured, d.B.Measured)
	}
	t.Add("time", d.A.Took.String(), d.B.Took.String(), signed(int64(d.B.Took-d.A.Took), func(n int64) string { return human.Millis(n).String() }))
	if a, b := d.A.WhatItCost(), d.B.WhatItCost(); a.Known() || b.Known() {
		t.Add("cost", a.String(), b.String(), "")
	}
	return t
}

// counts is a line of how many items differ in what.
func (d *DiffAnswer) counts() string {
	return fmt.Sprintf("%s equal; calls: %d added, %d removed, %d with changed arguments, %d with a changed outcome; %s",
		human.Plural(d.Same, "item"), d.Added, d.Missing, d.Args, d.Flips, human.Plural(d.Texts, "text")+" changed")
}

// parting names the messages of the first difference.
func (d *DiffAnswer) parting() string {
	r := &d.Rows[d.Part]
	at := func(s *DiffSide) string {
		if s == nil {
			return human.NotSaid
		}
		return summary.Place(int(s.Index))
	}
	return fmt.Sprintf("first difference at %s of a, %s of b", at(r.A), at(r.B))
}

func changed(a, b string) string {
	if a == b {
		return ""
	}
	return "changed"
}

func scoreText(s *float64) string {
	return human.OrNotSaid(s, func(x float64) string { return fmt.Sprintf("%.3g", x) })
}

func signed(n int64, say func(int64) string) string {
	switch {
	case n == 0:
		return human.Zero
	case n > 0:
		return "+" + say(n)
	}
	return "-" + strings.TrimPrefix(say(-n), "-")
}

// diffSameShown is how many items that are the same are shown around those that
// differ.
const diffSameShown = 1

// String is what Print writes where lines are as long as they are.
func (d *DiffAnswer) String() string { return human.Text(d) }

// Print writes the summary, then what differs, side by side in lines: - of the first
// run, + of the second.
func (d *DiffAnswer) Print(b *human.Page) {
	d.summary().Write(b)
	b.WriteString("\n" + d.counts() + "\n")
	d.PrintFiles(b, filesShown)
	if d.Part < 0 {
		b.WriteString("no differences\n")
		return
	}
	b.WriteString(d.parting() + "\n\n")
	last := -1
	for i := range d.Rows {
		if !d.near(i) {
			continue
		}
		if last >= 0 && i > last+1 {
			fmt.Fprintf(b, "  … %s the same\n", human.Plural(i-last-1, "item"))
		}
		last = i
		d.Rows[i].write(b)
	}
}

// filesShown is how many files an answer about all lists.
const filesShown = 20

// PrintFiles writes how many files both sessions changed, and the first most of those that they
// changed in different ways; all if most is 0.
func (d *DiffAnswer) PrintFiles(b *human.Page, most int) {
	if len(d.Files) == 0 {
		return
	}
	b.WriteString(changes.PairedHeadline(d.Files) + "\n")
	if most == 0 {
		most = len(d.Files)
	}
	t, left := changes.PairedTable(d.Files, most)
	if len(t.Rows) <= 1 {
		return
	}
	b.WriteString("\n")
	t.Write(b)
	if left > 0 {
		fmt.Fprintf(b, "%s more: --files lists all\n", human.Plural(left, "file"))
	}
	b.WriteString("\n")
}

// WriteMarkdown writes the summary and what differs, side by side in tables. The
// names are those of the runs.
func (d *DiffAnswer) WriteMarkdown(w io.Writer, nameA, nameB string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s → %s\n\n", human.MarkdownLine(human.OneLine(nameA, describe.LineMax)), human.MarkdownLine(human.OneLine(nameB, describe.LineMax)))
	d.summary().WriteMarkdown(&b)
	fmt.Fprintf(&b, "\n%s.\n", d.counts())
	if tools := d.toolTable(); len(tools.Rows) > 1 {
		b.WriteString("\n## Tools with other numbers of calls or errors\n\n")
		tools.WriteMarkdown(&b)
	}
	if files, left := changes.PairedTable(d.Files, len(d.Files)); len(files.Rows) > 1 && left == 0 {
		fmt.Fprintf(&b, "\n## Changed files\n\n%s.\n\n", changes.PairedHeadline(d.Files))
		files.WriteMarkdown(&b)
	}
	if d.Part < 0 {
		b.WriteString("\nNo differences.\n")
		_, err := io.WriteString(w, b.String())
		return err
	}
	fmt.Fprintf(&b, "\n## Differences\n\nThe %s.\n\n", d.parting())
	t := human.NewTable("", ">#", "a", ">#", "b")
	side := func(s *DiffSide) (at, text string) {
		if s == nil {
			return "", ""
		}
		return summary.Place(int(s.Index)), s.line()
	}
	last := -1
	for i := range d.Rows {
		if !d.near(i) {
			continue
		}
		if last >= 0 && i > last+1 {
			t.Add("", "", "… "+human.Plural(i-last-1, "item")+" the same", "", "")
		}
		last = i
		r := &d.Rows[i]
		atA, textA := side(r.A)
		atB, textB := side(r.B)
		t.Add(r.How, atA, textA, atB, textB)
	}
	t.WriteMarkdown(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// toolTable are the tools with other numbers.
func (d *DiffAnswer) toolTable() *human.Table {
	t := human.NewTable("tool", ">calls a", ">calls b", ">errors a", ">errors b")
	for i := range d.Tools {
		if x := &d.Tools[i]; x.CallsA != x.CallsB || x.ErrorsA != x.ErrorsB {
			t.Add(human.OneLine(string(x.Tool), 60), human.Count(x.CallsA), human.Count(x.CallsB), human.OrDot(x.ErrorsA, human.Count[int]), human.OrDot(x.ErrorsB, human.Count[int]))
		}
	}
	return t
}

// near reports whether a row differs or stands beside one that does.
func (d *DiffAnswer) near(i int) bool {
	for k := max(i-diffSameShown, 0); k <= min(i+diffSameShown, len(d.Rows)-1); k++ {
		if d.Rows[k].How != DiffSame {
			return true
		}
	}
	return false
}

// line is the item in a line.
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

func (r *DiffRow) write(b *human.Page) {
	side := func(sign string, s *DiffSide) {
		fmt.Fprintf(b, "%s %6s  %s\n", sign, summary.Place(int(s.Index)), s.line())
	}
	switch r.How {
	case DiffSame:
		side(" ", r.A)
	case DiffMissing:
		side("-", r.A)
	case DiffAdded:
		side("+", r.B)
	default:
		side("-", r.A)
		side("+", r.B)
	}
}
