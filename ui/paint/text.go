package paint

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/query/human"
)

// Width returns the width of s in cells.
func Width(s string) int { return human.Width(s) }

// Fit makes s exactly w cells wide: cut with … or filled with spaces. s must not contain escape
// sequences.
func Fit(s string, w int) string {
	s, rest := fitted(s, w)
	return s + rest
}

// FitRight is Fit with the text aligned right.
func FitRight(s string, w int) string {
	s, rest := fitted(s, w)
	return rest + s
}

// fitted cuts s to w cells; rest are the remaining blanks.
func fitted(s string, w int) (cut, rest string) {
	if w <= 0 {
		return "", ""
	}
	n := Width(s)
	if n > w {
		s = Cut(s, w)
		n = Width(s)
	}
	return s, Blanks(w - n)
}

// Cut shortens s to at most w cells, with … for the missing part.
func Cut(s string, w int) string { return human.Clip(s, w) }

// BreakLine splits s into a line of at most w cells and the rest, between words if possible.
func BreakLine(s string, w int) (line, rest string) {
	line = human.First(s, w)
	if line == s || !strings.HasPrefix(s, line) {
		return line, ""
	}
	if i := strings.LastIndexByte(line+s[len(line):len(line)+1], ' '); i > len(line)/2 {
		return s[:i], s[i+1:]
	}
	return line, s[len(line):]
}

// CutMiddle cuts a name in its middle: tool names with a common beginning differ at their ends.
func CutMiddle(s string, w int) string { return human.CutMiddle(s, w) }

// PartOfLine makes a part of a line safe to draw; unlike OneLine it keeps the outer spaces.
func PartOfLine(s string) string { return strings.ReplaceAll(model.Clean(s), "\t", " ") }

const spaces = "                                                                                                                                "

// Blanks returns n blanks, none if n is negative.
func Blanks(n int) string {
	switch {
	case n <= 0:
		return ""
	case n <= len(spaces):
		return spaces[:n]
	}
	return strings.Repeat(" ", n)
}

// maxLine is the most bytes of a text for a row: more does not fit on any screen.
const maxLine = 4096

// OneLine prepares text from a transcript for a row.
func OneLine(s string) string {
	return model.CleanLine(human.CutBytes(s, maxLine))
}

// Expand replaces tabs by spaces up to the next multiple of four cells.
func Expand(s string) string {
	s, _ = expandFrom(s, 0)
	return s
}

// expandFrom is Expand for a text that starts at a cell of its line. It also returns the next cell.
func expandFrom(s string, col int) (string, int) {
	if !strings.Contains(s, "\t") {
		return s, col + Width(s)
	}
	var b strings.Builder
	for i, part := range strings.Split(s, "\t") {
		if i > 0 {
			n := 4 - col%4
			b.WriteString(Blanks(n))
			col += n
		}
		b.WriteString(part)
		col += Width(part)
	}
	return b.String(), col
}

// FitCount aligns a count right in w cells. If there is no room, it abbreviates the number instead
// of cutting it: 62,123+, 62.1k+, 62k+.
func FitCount(text string, w int) string {
	digits, more := strings.CutSuffix(text, "+")
	n, err := strconv.ParseInt(strings.ReplaceAll(digits, ",", ""), 10, 64)
	if Width(text) <= w || err != nil {
		return FitRight(text, w)
	}
	plus := ""
	if more {
		plus = "+"
	}
	if text = human.Short(n) + plus; Width(text) > w {
		text = shorter(n) + plus
	}
	return FitRight(text, w)
}

// shorter abbreviates a number without decimals.
func shorter(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10)
	case n < 999_500:
		return strconv.FormatInt((n+500)/1e3, 10) + "k"
	case n < 999_500_000:
		return strconv.FormatInt((n+500_000)/1e6, 10) + "M"
	}
	return strconv.FormatInt((n+500_000_000)/1e9, 10) + "G"
}

// Fill extends or cuts lines to exactly h lines of w cells.
func Fill(lines []string, w, h int) []string {
	for len(lines) < h {
		lines = append(lines, Blanks(w))
	}
	return lines[:h]
}

// Pad makes a styled line exactly w cells wide.
func Pad(s string, w int) string {
	n := Width(s)
	if n > w {
		s = human.First(s, w)
		n = Width(s)
	}
	return s + Blanks(w-n)
}

// Stripped removes escape sequences.
func Stripped(s string) string { return ansi.Strip(s) }

// ShortName returns the file name of a transcript; of a UUID only the first group, which people use
// to distinguish sessions.
func ShortName(path string) string {
	name := OneLine(filepath.Base(path))
	ext := filepath.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	if len(stem) == 36 && stem[8] == '-' && stem[13] == '-' && stem[18] == '-' && stem[23] == '-' {
		return stem[:8] + ext
	}
	if Width(name) > 40 {
		return Cut(stem, 36-Width(ext)) + ext
	}
	return name
}

// Tilde replaces home at the start of a path with ~.
func Tilde(path, home string) string {
	if home != "" && strings.HasPrefix(path, home) {
		return "~" + path[len(home):]
	}
	return path
}

// FirstRunes returns the first n runes of a text, or all of it if it is shorter.
func FirstRunes(s string, n int) string {
	for i := range s {
		if n <= 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// AsciiOnly replaces the symbols of the screen with ASCII characters.
func AsciiOnly(s string) string { return asciiSigns.Replace(s) }

var asciiSigns = strings.NewReplacer(
	"❯", ">", "●", "*", "▪", "#", "▣", "#", "▀", "#", "◦", "-", "·", ".", "✓", "+", "✗", "x", "⊘", "/", "■", "!", "◌", "o", "≡", "=", "≤", "<", "▸", ">", "▾", "v",
	"┌", ",", "├", "|", "└", "`", "─", "-", "━", "=", "│", "|", "█", "#", "›", ">", "…", "~", "–", "-", "»", ">", "⏎", "^", "→", ">", "←", "<",
	"↑", "^", "↓", "v", "×", "x", "┄", "-", "▁", "_", "▂", "_", "▃", "-", "▄", "-", "▅", "=", "▆", "=", "▇", "#", "▏", ".", "▎", ":", "▍", ":",
	"▌", "|", "▋", "|", "▊", "#", "▉", "#", "▒", ":", "░", ".", "┐", ".", "┘", "'", "┤", "|", "┬", "-", "┴", "-", "┼", "+", "•", "*", "−", "-",
	"‹", "<", "⋯", "~", "±", "+", "▲", "^", "▼", "v", "€", "E", "○", "o", "▴", "^",
)

// BoolInt returns 1 for true, so that booleans can be sorted and summed.
func BoolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
