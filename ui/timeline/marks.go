package timeline

import (
	"strings"
	"turns/ui/paint"

	"github.com/charmbracelet/x/ansi"
)

// matchSpans cuts a text of a row into what the search found and the rest.
func (l *List) matchSpans(text string, i paint.Ink, current bool) []paint.Span {
	if l.Findings == nil || l.Findings.Text == "" {
		return []paint.Span{{Text: text, Ink: i}}
	}
	p := l.Findings.pat
	g := paint.GroundMatch
	if current {
		g = paint.GroundMatchCurrent
	}
	var spans []paint.Span
	at := 0
	for {
		from, to := p.In(text, at)
		if from < 0 || to == from {
			break
		}
		if from > at {
			spans = append(spans, paint.Span{Text: text[at:from], Ink: i})
		}
		spans = append(spans, paint.Span{Text: text[from:to], Ink: i, Ground: g})
		at = to
	}
	return append(spans, paint.Span{Text: text[at:], Ink: i})
}

// Highlight marks what the search found in a line of a body that is styled already.
func (l *List) Highlight(line string, current bool) string {
	if l.Findings == nil || l.Findings.Text == "" {
		return line
	}
	p := l.Findings.pat
	plain := paint.Stripped(line)
	from, to := p.In(plain, 0)
	if from < 0 {
		return line
	}
	g := paint.GroundMatch
	if current {
		g = paint.GroundMatchCurrent
	}
	var b strings.Builder
	at := 0
	for from >= 0 && to > from {
		a, z := paint.Width(plain[:from]), paint.Width(plain[:to])
		b.WriteString(ansi.Cut(line, at, a))
		b.WriteString("\x1b[m")
		l.h.Styles.Put(&b, paint.Span{Text: plain[from:to]}, g)
		at = z
		from, to = p.In(plain, to)
	}
	b.WriteString(ansi.Cut(line, at, paint.Width(plain)))
	b.WriteString("\x1b[m")
	return b.String()
}
