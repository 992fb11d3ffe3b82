package human

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Width returns the number of cells of a text, without sequences for colour and style. The whole
// program uses it, so that columns line up on the screen as in answers. A frame calls it some
// thousand times, mostly for plain texts; the library handles all others.
func Width(s string) int {
	if n, cells := plain(s, math.MaxInt); n == len(s) {
		return cells
	}
	return ansi.StringWidth(s)
}

// First returns the first w cells of s, and all sequences of the rest.
func First(s string, w int) string {
	n, cells := plain(s, max(w, 0))
	rest := s[n:]
	// the text after the last cell must be plain as well: it may belong to that cell
	if _, next := plain(rest, 1); cells == w && next == 1 {
		if !controls(rest) {
			return s[:n]
		}
		if m, _ := plain(rest, math.MaxInt); m == len(rest) {
			return s[:n] + colours(rest)
		}
	}
	return ansi.Truncate(s, w, "")
}

// After returns s without its first w cells, but with all their sequences.
func After(s string, w int) string {
	n, _ := plain(s, max(w, 0))
	if m, _ := plain(s[n:], math.MaxInt); n+m == len(s) {
		return colours(s[:n]) + s[n:]
	}
	return ansi.TruncateLeft(s, w, "")
}

func controls(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] == 0x7f {
			return true
		}
	}
	return false
}

// colours returns the colour sequences of a plain text.
func colours(s string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(s, 0x1b)
		if i < 0 {
			return b.String()
		}
		s = s[i:]
		n := ColourLen(s)
		b.WriteString(s[:n])
		s = s[n:]
	}
}

// singles are ranges of characters that always occupy one cell, whatever precedes them: Latin,
// dashes, arrows, symbols for control characters, lines, blocks, signs. They form clusters only
// with following characters outside these ranges.
var singles = [...]struct{ from, to rune }{
	{0xa1, 0xac}, {0xae, 0x2ff}, {0x2010, 0x2027}, {0x2030, 0x205e}, {0x2190, 0x2199}, {0x2400, 0x2426}, {0x2500, 0x25fc}, {0x2713, 0x2718},
	{0x27e8, 0x27e9}, {0x2800, 0x28ff},
}

// plain returns the number of bytes at the beginning of s that are single characters and colours,
// with at most most characters, and the number of these characters.
func plain(s string, most int) (n, cells int) {
	for n < len(s) && cells < most {
		switch c := s[n]; {
		case c >= ' ' && c < 0x7f:
			n++
			cells++
		case c == '\x1b':
			size := ColourLen(s[n:])
			if size == 0 {
				return n, cells
			}
			n += size
		case c < ' ' || c == 0x7f:
			return n, cells
		default:
			r, size := utf8.DecodeRuneInString(s[n:])
			if !single(r) {
				return n, cells
			}
			n += size
			cells++
		}
	}
	return n, cells
}

func single(r rune) bool {
	for i := range singles {
		if r <= singles[i].to {
			return r >= singles[i].from
		}
	}
	return false
}

// ColourLen returns the length of the sequence at the start of s if it sets colours (SGR),
// otherwise 0.
func ColourLen(s string) int {
	if !strings.HasPrefix(s, "\x1b[") {
		return 0
	}
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case c == 'm':
			return i + 1
		case c != ';' && c != ':' && (c < '0' || c > '9'):
			return 0
		}
	}
	return 0
}

// Wrap breaks lines of more than some columns between words, with the same indent. With 0 columns
// it breaks none.
func Wrap(text string, columns int) string {
	if columns == 0 {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if bare := strings.TrimSuffix(line, "\n"); Width(bare) > columns {
			words := strings.TrimLeft(bare, " ")
			indent := bare[:len(bare)-len(words)]
			words = ansi.Wrap(words, max(columns-len(indent), 1), " ")
			line = indent + strings.ReplaceAll(words, "\n", "\n"+indent) + line[len(bare):]
		}
		b.WriteString(line)
	}
	return b.String()
}
