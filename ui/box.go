package ui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// frameBox draws a frame with a title around lines that are w-4 cells wide.
func frameBox(st *styles, w int, title, foot string, body []string) []string {
	side := st.paint(inkBorderFocus, "│")
	title = cut(title, max(w-6, 0))
	out := []string{st.line(w, groundNone, span{text: "┌ ", ink: inkBorderFocus}, span{text: title, ink: inkHeading},
		span{text: " " + strings.Repeat("─", max(w-4-width(title), 0)) + "┐", ink: inkBorderFocus})}
	for _, s := range body {
		out = append(out, side+" "+pad(s, w-4)+" "+side)
	}
	end := ""
	if foot != "" {
		end = " " + foot + " ─"
	}
	return append(out, st.line(w, groundNone, span{text: "└" + strings.Repeat("─", max(w-2-width(end), 0)) + end + "┘", ink: inkBorderFocus}))
}

// flow lays parts one behind another into lines of w cells, three cells between them.
func flow(w int, parts [][]span) [][]span {
	var out [][]span
	room := 0
	for _, part := range parts {
		n := restWidth(part)
		if len(out) > 0 && n+3 <= room {
			out[len(out)-1] = append(append(out[len(out)-1], span{text: "   "}), part...)
			room -= n + 3
			continue
		}
		out = append(out, append([]span{{text: " "}}, part...))
		room = w - 2 - n
	}
	return out
}

// fitSpans makes spans exactly w cells wide: what is too much is cut, the rest filled.
func fitSpans(spans []span, w int) []span {
	out := make([]span, 0, len(spans)+1)
	for i, sp := range spans {
		n := width(sp.text)
		if n > w || n == w && i+1 < len(spans) && restWidth(spans[i+1:]) > 0 {
			if w > 0 {
				if n > w {
					sp.text = cut(sp.text, w)
				} else {
					sp.text = cut(sp.text+"  ", w)
				}
				w -= width(sp.text)
				out = append(out, sp)
			}
			break
		}
		w -= n
		out = append(out, sp)
	}
	return append(out, span{text: blanks(w)})
}

// laidOver is a line of w cells with bw cells of another one over it, from x on.
func laidOver(under, s string, x, bw, w int) string {
	left := pad(ansi.Truncate(under, x, ""), x)
	right := ansi.TruncateLeft(under, x+bw, "")
	return left + "\x1b[m" + pad(s, bw) + "\x1b[m" + pad(right, w-x-bw)
}
