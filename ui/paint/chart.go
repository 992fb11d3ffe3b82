package paint

import (
	"strings"

	"turns/query/human"
)

// ChartLabel is what stands before a line of a chart of h lines whose height stands for top.
func ChartLabel(line, h int, top int64) string {
	switch {
	case line == 0:
		return human.Short(top)
	case line == h-1:
		return "0"
	case h >= 5 && h%2 == 1 && line == h/2:
		return human.Short(top / 2)
	}
	return ""
}

// Bar is part of whole as a bar of at most w cells. What is not nothing has at least its thinnest
// form.
func Bar(part, whole float64, w int) string {
	if part <= 0 || whole <= 0 || w <= 0 {
		return ""
	}
	eighths := int(part/whole*float64(w)*8 + 0.5)
	eighths = min(max(eighths, 1), w*8)
	out := strings.Repeat("█", eighths/8)
	if r := eighths % 8; r > 0 {
		out += string([]rune(barGlyphs)[r])
	}
	return out
}

// barGlyphs are eighths of a cell.
const barGlyphs = " ▏▎▍▌▋▊▉█"
