package screen

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"turns/query/human"
	"turns/query/reading"
	"turns/ui/paint"
)

// ReadingWidth is the greatest width of running text in the reading mode: longer lines are hard to
// read.
const ReadingWidth = 100

// ReadingParts draws a passage: speaker and time, then the text. The work in between is one line,
// or with steps one line per step. w is the width, clock formats a time of day, and next is the
// following passage, nil for none.
func ReadingParts(p, next *reading.Passage, w int, steps bool, clock func(ms int64) string) []paint.Part {
	rows := func(lines ...[]paint.Span) paint.Part { return paint.Part{Kind: paint.PartRows, Rows: lines} }
	blank := rows([]paint.Span{})
	at := ""
	if p.Time != 0 {
		at = " · " + clock(p.Time)
	}
	var out []paint.Part
	switch p.Kind {
	case reading.Prompt:
		if p.Opens && p.Turn > 0 {
			rule := "── turn " + strconv.Itoa(p.Turn) + at + " "
			out = append(out, rows([]paint.Span{{Text: rule + strings.Repeat("─", max(w-paint.Width(rule), 0)), Ink: paint.InkFaint}}), blank)
		}
		out = append(out, rows([]paint.Span{{Text: "You", Ink: paint.InkUser}, {Text: at, Ink: paint.InkDim}}))
		out = append(out, paint.MarkdownParts(p.Text)...)
	case reading.Answer:
		name := cmp.Or(ShortModel(paint.OneLine(p.Model)), "Assistant")
		out = append(out, rows([]paint.Span{{Text: name, Ink: paint.InkAssistant}, {Text: at, Ink: paint.InkDim}}))
		out = append(out, paint.MarkdownParts(p.Text)...)
	case reading.Work:
		out = append(out, rows([]paint.Span{{Text: "  " + p.Text, Ink: paint.InkDim}}))
		for _, step := range p.Steps {
			if steps {
				out = append(out, rows([]paint.Span{{Text: "    " + step, Ink: paint.InkDim}}))
			}
		}
	case reading.Failure:
		text := p.Text
		if !strings.HasPrefix(text, "✗") {
			text = "✗ " + text
		}
		out = append(out, rows([]paint.Span{{Text: "  " + paint.Cut(text, max(w-2, 1)), Ink: paint.InkError}}))
	}
	if next != nil && next.Kind == reading.Failure {
		return out // it belongs to the passage above
	}
	return append(out, blank)
}

// ClockIn returns a function that formats times of day in a zone, with the day whenever it changes.
func ClockIn(zone *time.Location) func(ms int64) string {
	day := ""
	return func(ms int64) string {
		t := time.UnixMilli(ms).In(zone)
		text := t.Format("15:04")
		if d := t.Format("Mon 2 Jan 2006"); d != day {
			day, text = d, d+" "+text
		}
		return human.OneLine(text, 40)
	}
}
