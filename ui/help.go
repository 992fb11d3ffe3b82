package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// help is the overlay with the key table. Typing searches it.
type help struct {
	h    *host
	keys *keymap
	text string
	top  int
	rows int
	all  int
}

func newHelp(h *host, keys *keymap) *help { return &help{h: h, keys: keys} }

func (p *help) Hints() []hint {
	return []hint{{"type", "search"}, {"↑ ↓", "scroll"}, {"esc", "close"}}
}

func (p *help) Key(msg tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	k := tea.Key(msg)
	switch keyName(msg) {
	case "esc", "enter", "f1":
		return true, nil
	case "?", "q":
		if p.text == "" {
			return true, nil
		}
		p.text += k.Text
	case "down", "ctrl+n", "ctrl+e":
		p.scroll(1)
	case "up", "ctrl+p", "ctrl+y":
		p.scroll(-1)
	case "pgdown", "ctrl+f", "ctrl+d", "space":
		p.scroll(p.rows - 1)
	case "pgup", "ctrl+b", "ctrl+u":
		p.scroll(1 - p.rows)
	case "home":
		p.top = 0
	case "backspace":
		if p.text != "" {
			r := []rune(p.text)
			p.text = string(r[:len(r)-1])
		}
	default:
		if k.Text != "" {
			p.text += k.Text
			p.top = 0
		}
	}
	return false, nil
}

// Click does nothing; what the help shows cannot be done from here.
func (p *help) Click(x, y int, double bool) (bool, tea.Cmd) { return false, nil }

// Wheel scrolls.
func (p *help) Wheel(n int) { p.scroll(n) }

func (p *help) scroll(n int) { p.top = max(min(p.top+n, p.all-p.rows), 0) }

// lines are the rows of the table that match what was typed.
func (p *help) lines(w int) [][]span {
	var out [][]span
	group := ""
	want := strings.ToLower(p.text)
	const keyWidth = 22
	for i := range p.keys.table {
		c := &p.keys.table[i]
		var keys []string
		for _, k := range c.keys {
			keys = append(keys, keyLabel(k))
		}
		label := strings.Join(keys, " ")
		if want != "" && !strings.Contains(strings.ToLower(label+" "+c.help+" "+c.name+" "+c.group), want) {
			continue
		}
		if c.group != group {
			group = c.group
			if len(out) > 0 {
				out = append(out, nil)
			}
			out = append(out, []span{{text: group, ink: inkHeading}})
		}
		row := []span{{text: fit(label, keyWidth), ink: inkKey}, {text: " " + c.help}}
		if c.habit != "" && w >= 90 {
			row = append(row, span{text: "   " + c.habit, ink: inkFaint})
		}
		out = append(out, row)
	}
	if len(out) == 0 {
		out = append(out, []span{{text: "nothing matches " + p.text, ink: inkDim}})
	}
	return out
}

// Render draws the box.
func (p *help) Render(w, h int) []string {
	bw := min(w, 110)
	inner := bw - 4
	if inner < 12 || h < 5 {
		return nil
	}
	lines := p.lines(inner)
	p.all = len(lines)
	p.rows = min(h-3, max(len(lines), 3))
	p.top = max(min(p.top, p.all-p.rows), 0)
	title := "Keys"
	if p.text != "" {
		title += "  /" + p.text
	}
	var body []string
	for i := p.top; i < min(p.top+p.rows, len(lines)); i++ {
		body = append(body, p.h.styles.line(inner, groundNone, lines[i]...))
	}
	foot := ""
	if p.all > p.rows {
		foot = percent(p.top+p.rows, p.all)
	}
	return frameBox(p.h.styles, bw, title, foot, body)
}

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
