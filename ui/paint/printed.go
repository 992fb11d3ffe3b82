package paint

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/query/human"
	"turns/themes"
)

// marker is the first of the runes that replace colour changes while tool output is cleaned and
// cut: cleaning and wrapping leave them in place.
const marker, markers = '\U000F0000', 4096

// look is the style that a program set for its text.
type look struct {
	// "#rrggbb", a number from 0 to 15, or "" for the terminal's default
	colour                          string
	bold, under, italic, rev, faint bool
}

// PrintedParts returns the parts of tool output, in its colours. It removes all other terminal
// sequences.
func PrintedParts(text string) []Part {
	const most = 1 << 20
	if !strings.Contains(text, "\x1b[") || len(text) > most || strings.ContainsFunc(text, isMarker) {
		return PlainParts(strings.TrimRight(model.Printed(text), "\n "), PartPlain, InkText, true)
	}
	var b strings.Builder
	var looks []look
	var now look
	for rest := text; rest != ""; {
		i := strings.Index(rest, "\x1b[")
		if i < 0 {
			b.WriteString(rest)
			break
		}
		b.WriteString(rest[:i])
		n := human.ColourLen(rest[i:])
		if n == 0 {
			b.WriteString(rest[i : i+2])
			rest = rest[i+2:]
			continue
		}
		if now = now.after(rest[i+2 : i+n-1]); len(looks) < markers {
			b.WriteRune(marker + rune(len(looks)))
			looks = append(looks, now)
		}
		rest = rest[i+n:]
	}
	parts := PlainParts(strings.TrimRight(model.Printed(b.String()), "\n "), PartPrinted, InkText, true)
	open := look{}
	for i := range parts {
		parts[i].looks, parts[i].open = looks, open
		for _, r := range parts[i].Text {
			if isMarker(r) {
				open = looks[r-marker]
			}
		}
	}
	return parts
}

func isMarker(r rune) bool { return r >= marker && r < marker+markers }

// after returns the look after an SGR sequence with params.
func (l look) after(params string) look {
	f := strings.FieldsFunc(params, func(r rune) bool { return r == ';' || r == ':' })
	if len(f) == 0 {
		return look{}
	}
	number := func(i int) int {
		if i >= len(f) {
			return 0
		}
		n, _ := strconv.Atoi(f[i])
		return min(n, 255)
	}
	for i := 0; i < len(f); i++ {
		switch n := number(i); {
		case n == 0:
			l = look{}
		case n == 1, n == 22:
			l.bold = n == 1
		case n == 3, n == 23:
			l.italic = n == 3
		case n == 4, n == 24:
			l.under = n == 4
		case n == 7, n == 27:
			l.rev = n == 7
		case n >= 30 && n < 38:
			l.colour = strconv.Itoa(n - 30)
		case n >= 90 && n < 98:
			l.colour = strconv.Itoa(n - 90 + 8)
		case n == 39:
			l.colour = ""
		case n == 38 || n == 48:
			colour := strconv.Itoa(number(i + 2))
			step := 2
			if number(i+1) == 2 {
				colour, step = fmt.Sprintf("#%02x%02x%02x", number(i+2), number(i+3), number(i+4)), 4
			}
			if i += step; n == 38 {
				l.colour = colour
			}
		}
	}
	return l
}

// printed draws program output in its colours, as far as they are readable on the theme's
// background.
func (d *Doc) printed(p *Part) []string {
	var out []string
	now := p.open
	for line := range strings.SplitSeq(strings.TrimSuffix(p.Text, "\n"), "\n") {
		var b strings.Builder
		b.WriteString(d.St.lookOf(now))
		for _, r := range Expand(line) {
			if isMarker(r) {
				now = p.looks[r-marker]
				b.WriteString("\x1b[m" + d.St.lookOf(now))
				continue
			}
			b.WriteRune(r)
		}
		b.WriteString("\x1b[m")
		out = append(out, d.fit(b.String(), d.W)...)
	}
	return balance(out)
}

// fit wraps or cuts a styled line.
func (d *Doc) fit(line string, w int) []string {
	if Width(line) <= w {
		return []string{line}
	}
	if !d.Wrap {
		return []string{ansi.Truncate(line, w, "…")}
	}
	var out []string
	for part := range strings.SplitSeq(ansi.Wrap(line, w, "/-"), "\n") {
		if Width(part) > w { // ansi.Wrap leaves lines of hyphens and spaces too long
			out = append(out, strings.Split(ansi.Hardwrap(part, w, true), "\n")...)
			continue
		}
		out = append(out, part)
	}
	return out
}

// lookOf returns the escape sequence of a program's look, in colours of the theme.
func (s *Styles) lookOf(l look) string {
	switch {
	case s.NoColor:
		return l.escape("", "")
	case l.colour != "":
		return l.escape(s.shown(l.colour), "")
	}
	return l.escape(s.Theme.Fg, "")
}

// shown maps a program's colour to the theme: the first sixteen always, others unless they are
// readable on the theme's background.
func (s *Styles) shown(colour string) string {
	t := &s.Theme
	own := [...]string{t.Dim, t.Error, t.OK, t.Warning, t.Link, t.Accent, t.SyntaxType, t.Fg}
	if n, err := strconv.Atoi(colour); err == nil && n < 16 {
		return own[n%8]
	}
	if t.ANSI || t.Bg == "" || themes.Contrast(colour, t.Bg) < TextContrast {
		c, ok := themes.RGBA(colour)
		if !ok {
			return t.Fg
		}
		n := 0
		for bit, v := range [...]uint8{c.R, c.G, c.B} {
			if most := max(c.R, c.G, c.B); most > 60 && int(v)*3 > int(most)*2 {
				n |= 1 << bit
			}
		}
		return own[n]
	}
	return colour
}
