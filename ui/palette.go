package ui

import (
	"strconv"
	"strings"
	"turns/ui/paint"
	"turns/ui/screen"

	tea "charm.land/bubbletea/v2"
)

// palette finds a command by its name, a message by its number, a place by its time.
type palette struct {
	a    *app
	text string
	at   int
	top  int // first command that was drawn, and how many were, for the mouse
	rows int
}

func newPalette(a *app) *palette { return &palette{a: a} }

func (p *palette) Hints() []screen.Hint {
	return []screen.Hint{{Key: "⏎", Text: "do it"}, {Key: "↑ ↓", Text: "choose"}, {Key: "231", Text: "message"}, {Key: "@22:41", Text: "time"}, {Key: "esc", Text: "close"}}
}

// found are the commands that match, those whose name begins with the text first.
func (p *palette) found() []*command {
	var first, rest []*command
	want := strings.ToLower(strings.TrimSpace(p.text))
	for i := range p.a.keys.table {
		c := &p.a.keys.table[i]
		switch {
		case strings.HasSuffix(c.keys[0], " *") || c.name == "palette" || c.name == "escape":
		case strings.HasPrefix(c.name, want):
			first = append(first, c)
		case strings.Contains(c.name+" "+strings.ToLower(c.help), want):
			rest = append(rest, c)
		}
	}
	return append(first, rest...)
}

func (p *palette) Key(msg tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	k := tea.Key(msg)
	switch screen.KeyName(msg) {
	case "esc", "ctrl+c":
		return true, nil
	case "enter":
		return true, p.run()
	case "down", "ctrl+n", "tab":
		p.at++
	case "up", "ctrl+p", "shift+tab":
		p.at--
	case "backspace":
		if p.text == "" {
			return true, nil
		}
		r := []rune(p.text)
		p.text, p.at = string(r[:len(r)-1]), 0
	case "ctrl+u":
		p.text, p.at = "", 0
	default:
		if k.Text != "" {
			p.text += k.Text
			p.at = 0
		}
	}
	return false, nil
}

func (p *palette) run() tea.Cmd {
	text := strings.TrimSpace(p.text)
	if text == "" && p.at == 0 {
		return nil
	}
	if p.a.h.Snap != nil {
		if n, err := strconv.Atoi(strings.TrimPrefix(text, "#")); err == nil && n >= 0 {
			return p.a.list.GoIndex(n)
		}
		if strings.HasPrefix(text, "@") && len(text) > 1 {
			return p.a.list.GoTime(text[1:])
		}
	}
	if name, rest, ok := strings.Cut(text, " "); ok && name == "filter" && p.a.h.Snap != nil { // not a name: what to filter by
		return p.a.setFilter(strings.TrimSpace(rest))
	}
	return p.runChosen()
}

// runChosen does the command under the cursor.
func (p *palette) runChosen() tea.Cmd {
	found := p.found()
	if len(found) == 0 {
		return p.a.complain("no command " + strconv.Quote(strings.TrimSpace(p.text)))
	}
	n := len(found)
	return p.a.run(found[(p.at%n+n)%n], 0, "")
}

// Render draws the box with the commands that match.
func (p *palette) Render(w, h int) []string {
	bw := min(w, 80)
	inner := bw - 4
	if inner < 12 || h < 5 {
		return nil
	}
	st := p.a.h.Styles
	found := p.found()
	rows := min(h-4, 14)
	body := []string{st.Line(inner, paint.GroundNone, paint.Span{Text: ":", Ink: paint.InkKey}, paint.Span{Text: p.text}, paint.Span{Text: "▏", Ink: paint.InkAccent})}
	if n := len(found); n > 0 {
		p.at = (p.at%n + n) % n
	}
	p.top, p.rows = max(min(p.at-rows/2, len(found)-rows), 0), rows
	for i := p.top; i < min(p.top+rows, len(found)); i++ {
		c := found[i]
		g, lead := paint.GroundNone, "  "
		if i == p.at {
			g, lead = paint.GroundCursor, "› "
		}
		spans := []paint.Span{{Text: lead, Ink: paint.InkAccent}, {Text: paint.Fit(c.name, 22) + " "}, {Text: paint.Fit(screen.Labels(c.keys[:1], p.a.h.Opts.Keys), 8), Ink: paint.InkKey}}
		help := c.help
		if c.why != nil && p.a.h.Snap != nil {
			if why := c.why(p.a); why != "" {
				help = why
			}
		}
		body = append(body, st.Line(inner, g, append(spans, paint.Span{Text: help, Ink: paint.InkDim})...))
	}
	for len(body) < rows+1 {
		body = append(body, paint.Blanks(inner))
	}
	return paint.FrameBox(st, bw, "Commands", "", body)
}
