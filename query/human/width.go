package human

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Width is the number of cells that a text takes; sequences of colour and style take none. It is
// the one measure of the program: what lines up in an answer lines up on the screen.
func Width(s string) int {
	if n, ok := plainWidth(s); ok {
		return n
	}
	return ansi.StringWidth(s)
}

// plainWidth measures printable ASCII between sequences of style: most of what a frame asks for,
// and a frame asks some thousand times.
func plainWidth(s string) (int, bool) {
	n := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c < 0x7f {
			n++
			continue
		}
		if c != '\x1b' || i+1 >= len(s) || s[i+1] != '[' {
			return 0, false
		}
		for i += 2; i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == ';' || s[i] == ':'); i++ {
		}
		if i >= len(s) || s[i] != 'm' {
			return 0, false
		}
	}
	return n, true
}

// CutText is s, or as much of it as fits into room cells with an ellipsis.
func CutText(s string, room int) string {
	switch {
	case room <= 0:
		return ""
	case len(s) <= room || Width(s) <= room:
		return s
	}
	return strings.TrimRight(ansi.Truncate(s, room-1, ""), " ") + "…"
}
