package ui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// matchSpans cuts a text of a row into what the search found and the rest.
func (l *list) matchSpans(text string, i ink, current bool) []span {
	if l.findings == nil || l.findings.text == "" {
		return []span{{text: text, ink: i}}
	}
	p := l.findings.pat
	g := groundMatch
	if current {
		g = groundMatchCurrent
	}
	var spans []span
	at := 0
	for {
		from, to := p.in(text, at)
		if from < 0 || to == from {
			break
		}
		if from > at {
			spans = append(spans, span{text: text[at:from], ink: i})
		}
		spans = append(spans, span{text: text[from:to], ink: i, ground: g})
		at = to
	}
	return append(spans, span{text: text[at:], ink: i})
}

// Highlight marks what the search found in a line of a body that is styled already.
func (l *list) Highlight(line string, current bool) string {
	if l.findings == nil || l.findings.text == "" {
		return line
	}
	p := l.findings.pat
	plain := stripped(line)
	from, to := p.in(plain, 0)
	if from < 0 {
		return line
	}
	g := groundMatch
	if current {
		g = groundMatchCurrent
	}
	var b strings.Builder
	at := 0
	for from >= 0 && to > from {
		a, z := width(plain[:from]), width(plain[:to])
		b.WriteString(ansi.Cut(line, at, a))
		b.WriteString("\x1b[m")
		l.h.styles.put(&b, span{text: plain[from:to]}, g)
		at = z
		from, to = p.in(plain, to)
	}
	b.WriteString(ansi.Cut(line, at, width(plain)))
	b.WriteString("\x1b[m")
	return b.String()
}
