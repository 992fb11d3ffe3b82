package ui

import (
	"fmt"
	"html"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// The size of a cell in the picture, in pixels, and the default colours.
const (
	cellWidth, cellHeight = 8, 17
	pictureFg, pictureBg  = "#d5d9e0", "#16181d"
)

// pen is the style of a run of cells.
type pen struct {
	fg, bg                   string
	bold, faint, italic, inv bool
}

// drawSVG draws a frame with its colours. Each run of cells of one style is a text element.
func drawSVG(frame string, w, h int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace" font-size="13">`,
		w*cellWidth+16, h*cellHeight+16)
	fmt.Fprintf(&b, "\n<rect width=\"100%%\" height=\"100%%\" rx=\"6\" fill=\"%s\"/>\n", pictureBg)
	for y, line := range strings.Split(frame, "\n") {
		drawLine(&b, line, y)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func drawLine(b *strings.Builder, line string, y int) {
	var p pen
	var run strings.Builder
	start, x := 0, 0
	flush := func() {
		drawRun(b, &p, run.String(), start, x, y)
		run.Reset()
		start = x
	}
	var state byte
	for len(line) > 0 {
		seq, width, n, next := ansi.DecodeSequence(line, state, nil)
		state, line = next, line[n:]
		if width > 0 {
			run.WriteString(seq)
			x += width
			continue
		}
		if strings.HasPrefix(seq, "\x1b[") && strings.HasSuffix(seq, "m") {
			flush()
			p.sgr(strings.Split(seq[2:len(seq)-1], ";"))
		}
	}
	flush()
}

func drawRun(b *strings.Builder, p *pen, text string, from, to, y int) {
	if to == from {
		return
	}
	fg, bg := p.fg, p.bg
	if p.inv {
		fg, bg = bg, fg
		if fg == "" {
			fg = pictureBg
		}
		if bg == "" {
			bg = pictureFg
		}
	}
	px, py := 8+from*cellWidth, 8+y*cellHeight
	if bg != "" {
		fmt.Fprintf(b, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>", px, py, (to-from)*cellWidth, cellHeight, bg)
	}
	if strings.TrimSpace(text) == "" {
		return
	}
	if fg == "" {
		fg = pictureFg
	}
	style := ""
	if p.bold {
		style += ` font-weight="bold"`
	}
	if p.italic {
		style += ` font-style="italic"`
	}
	if p.faint {
		style += ` opacity=".65"`
	}
	fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\" fill=\"%s\" textLength=\"%d\" xml:space=\"preserve\"%s>%s</text>\n",
		px, py+13, fg, (to-from)*cellWidth, style, html.EscapeString(text))
}

func (p *pen) sgr(codes []string) {
	for i := 0; i < len(codes); i++ {
		switch codes[i] {
		case "", "0":
			*p = pen{}
		case "1":
			p.bold = true
		case "2":
			p.faint = true
		case "3":
			p.italic = true
		case "7":
			p.inv = true
		case "22":
			p.bold, p.faint = false, false
		case "23":
			p.italic = false
		case "27":
			p.inv = false
		case "39":
			p.fg = ""
		case "49":
			p.bg = ""
		case "38", "48":
			if i+4 < len(codes) && codes[i+1] == "2" {
				var rgb [3]int
				for k := range rgb {
					rgb[k], _ = strconv.Atoi(codes[i+2+k])
				}
				colour := fmt.Sprintf("#%02x%02x%02x", rgb[0], rgb[1], rgb[2])
				if codes[i] == "38" {
					p.fg = colour
				} else {
					p.bg = colour
				}
				i += 4
			}
		}
	}
}
