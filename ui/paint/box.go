package paint

import (
	"strings"

	"turns/query/human"
)

// FrameBox draws a frame with a title around lines that are w-4 cells wide.
func FrameBox(st *Styles, w int, title, foot string, body []string) []string {
	side := st.Paint(InkBorderFocus, "│")
	title = Cut(title, max(w-6, 0))
	out := []string{st.Line(w, GroundNone, Span{Text: "┌ ", Ink: InkBorderFocus}, Span{Text: title, Ink: InkHeading},
		Span{Text: " " + strings.Repeat("─", max(w-4-Width(title), 0)) + "┐", Ink: InkBorderFocus})}
	for _, s := range body {
		out = append(out, side+" "+Pad(s, w-4)+" "+side)
	}
	end := ""
	if foot != "" {
		end = " " + foot + " ─"
	}
	return append(out, st.Line(w, GroundNone, Span{Text: "└" + strings.Repeat("─", max(w-2-Width(end), 0)) + end + "┘", Ink: InkBorderFocus}))
}

// Flow arranges parts one after another in lines of w cells, separated by three cells.
func Flow(w int, parts [][]Span) [][]Span {
	var out [][]Span
	room := 0
	for _, part := range parts {
		n := RestWidth(part)
		if len(out) > 0 && n+3 <= room {
			out[len(out)-1] = append(append(out[len(out)-1], Span{Text: "   "}), part...)
			room -= n + 3
			continue
		}
		out = append(out, append([]Span{{Text: " "}}, part...))
		room = w - 2 - n
	}
	return out
}

// FitSpans makes spans exactly w cells wide: it cuts or fills them.
func FitSpans(spans []Span, w int) []Span {
	out := make([]Span, 0, len(spans)+1)
	for i, sp := range spans {
		n := Width(sp.Text)
		if n > w || n == w && i+1 < len(spans) && RestWidth(spans[i+1:]) > 0 {
			if w > 0 {
				if n > w {
					sp.Text = Cut(sp.Text, w)
				} else {
					sp.Text = Cut(sp.Text+"  ", w)
				}
				w -= Width(sp.Text)
				out = append(out, sp)
			}
			break
		}
		w -= n
		out = append(out, sp)
	}
	return append(out, Span{Text: Blanks(w)})
}

// LaidOver returns the line under, of w cells, with bw cells of s over it from x on.
func LaidOver(under, s string, x, bw, w int) string {
	left := Pad(human.First(under, x), x)
	right := human.After(under, x+bw)
	return left + "\x1b[m" + Pad(s, bw) + "\x1b[m" + Pad(right, w-x-bw)
}

// ChartLabel returns the label of a line of a chart with h lines; the full height represents top.
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

// Bar draws part of whole as a bar of at most w cells. A positive part is at least one eighth of a
// cell wide.
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
