package query

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// WriteJSON writes the answer.
func (d *DiffAnswer) WriteJSON(_ context.Context, w io.Writer) error { return writeJSON(w, d) }

// Summary is what differs in numbers.
func (d *DiffAnswer) Summary() string {
	var b strings.Builder
	t := newTable("", ">a", ">b", ">difference")
	row := func(name string, x, y int64) { t.add(name, Count(x), Count(y), signed(y-x, Count)) }
	t.add("outcome", d.A.Outcome, d.B.Outcome, changed(d.A.Outcome, d.B.Outcome))
	if d.A.Score != nil || d.B.Score != nil {
		t.add("score", scoreText(d.A.Score), scoreText(d.B.Score), "")
	}
	t.add("model", oneLine(d.A.Model, 30), oneLine(d.B.Model, 30), changed(d.A.Model, d.B.Model))
	row("messages", int64(d.A.Messages), int64(d.B.Messages))
	row("turns", int64(d.A.Turns), int64(d.B.Turns))
	row("calls", int64(d.A.Calls), int64(d.B.Calls))
	row("errors", int64(d.A.Errors), int64(d.B.Errors))
	row("tokens", d.A.Tokens, d.B.Tokens)
	if d.A.Measured > 0 || d.B.Measured > 0 {
		row("usage", d.A.Measured, d.B.Measured)
	}
	t.add("time", d.A.Took.String(), d.B.Took.String(), signed(int64(d.B.Took-d.A.Took), func(n int64) string { return Millis(n).String() }))
	if d.A.Cost != nil && d.B.Cost != nil {
		t.add("cost", Money(*d.A.Cost), Money(*d.B.Cost), "")
	}
	t.write(&b)
	fmt.Fprintf(&b, "\n%s the same; calls: %d added, %d missing, %d with other arguments, %d with another outcome; %s\n",
		Plural(d.Same, "item"), d.Added, d.Missing, d.Args, d.Flips, Plural(d.Texts, "other text"))
	return b.String()
}

func changed(a, b string) string {
	if a == b {
		return ""
	}
	return "changed"
}

func scoreText(s *float64) string {
	if s == nil {
		return NotSaid
	}
	return fmt.Sprintf("%.3g", *s)
}

func signed(n int64, say func(int64) string) string {
	switch {
	case n == 0:
		return Zero
	case n > 0:
		return "+" + say(n)
	}
	return "-" + strings.TrimPrefix(say(-n), "-")
}

// diffSameShown is how many items that are the same are shown around those that
// differ.
const diffSameShown = 1

// String is the summary, then what differs, side by side in lines: - of the first
// run, + of the second.
func (d *DiffAnswer) String() string {
	var b strings.Builder
	b.WriteString(d.Summary())
	if d.Part < 0 {
		b.WriteString("the runs are the same\n")
		return b.String()
	}
	r := &d.Rows[d.Part]
	at := func(s *DiffSide) string {
		if s == nil {
			return NotSaid
		}
		return fmt.Sprint(s.Index)
	}
	fmt.Fprintf(&b, "they part at message %s of a, %s of b\n\n", at(r.A), at(r.B))
	last := -1
	for i := range d.Rows {
		if !d.near(i) {
			continue
		}
		if last >= 0 && i > last+1 {
			fmt.Fprintf(&b, "  … %s the same\n", Plural(i-last-1, "item"))
		}
		last = i
		d.Rows[i].write(&b)
	}
	return b.String()
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

func (r *DiffRow) write(b *strings.Builder) {
	side := func(sign string, s *DiffSide) {
		text := s.Text
		if s.Kind != DiffCall {
			text = s.Kind + "  " + text
		}
		if s.Outcome != "" {
			text += "  · " + s.Outcome
		}
		fmt.Fprintf(b, "%s %6s  %s\n", sign, place(s.Index), oneLine(text, 120))
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
