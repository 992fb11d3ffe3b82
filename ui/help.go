package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/query/human"
	"turns/ui/paint"
	"turns/ui/screen"
)

var _ interface {
	screen.MouseDialog
	screen.ScrollingDialog
} = (*help)(nil)

// help is the overlay with the key table. Typing searches it.
type help struct {
	h    *screen.Host
	rows []KeyRow
	text string
	top  int
	room int // lines for rows, last time
	all  int
}

// newHelp shows the keys, first those of what was in front of the reader: a pane, the session list.
func newHelp(h *screen.Host, front func(*screen.KeyGroup) bool) *help {
	p := &help{h: h}
	var rest []KeyRow
	of := map[string]bool{}
	for _, g := range paneGroups() {
		of[g.Name] = front(&g)
	}
	for _, r := range Keys(h.Opts.Keys) {
		if h.Opts.ASCII {
			r.Keys = screen.InLetters(r.Keys)
		}
		if of[r.Group] {
			p.rows = append(p.rows, r)
		} else {
			rest = append(rest, r)
		}
	}
	p.rows = append(p.rows, rest...)
	return p
}

func (p *help) Hints() []screen.Hint {
	return []screen.Hint{{Key: "type", Text: "search"}, {Key: "↑ ↓", Text: "scroll"}, {Key: "esc", Text: "close"}}
}

func (p *help) Key(msg tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	k := tea.Key(msg)
	switch screen.KeyName(msg) {
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
		p.scroll(p.room - 1)
	case "pgup", "ctrl+b", "ctrl+u":
		p.scroll(1 - p.room)
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

func (p *help) Wheel(n int) { p.scroll(n) }

func (p *help) scroll(n int) { p.top = max(min(p.top+n, p.all-p.room), 0) }

// lines are the rows of the table that match what was typed.
func (p *help) lines(w int) [][]paint.Span {
	var out [][]paint.Span
	group := ""
	want := strings.ToLower(p.text)
	const keyWidth = 22
	for i := range p.rows {
		r := &p.rows[i]
		if want != "" && !strings.Contains(strings.ToLower(r.Keys+" "+r.Help+" "+r.Group), want) {
			continue
		}
		if r.Group != group {
			group = r.Group
			if len(out) > 0 {
				out = append(out, nil)
			}
			out = append(out, []paint.Span{{Text: group, Ink: paint.InkHeading}})
		}
		row := []paint.Span{{Text: paint.Fit(r.Keys, keyWidth), Ink: paint.InkKey}, {Text: " " + r.Help}}
		if r.Habit != "" && w >= 90 {
			row = append(row, paint.Span{Text: "   " + r.Habit, Ink: paint.InkFaint})
		}
		out = append(out, row)
	}
	if len(out) == 0 {
		out = append(out, []paint.Span{{Text: "nothing matches " + p.text, Ink: paint.InkDim}})
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
	p.room = min(h-3, max(len(lines), 3))
	p.top = max(min(p.top, p.all-p.room), 0)
	title := "Keys"
	if p.text != "" {
		title += "  /" + p.text
	}
	var body []string
	for i := p.top; i < min(p.top+p.room, len(lines)); i++ {
		body = append(body, p.h.Styles.Line(inner, paint.GroundNone, lines[i]...))
	}
	foot := ""
	if p.all > p.room {
		foot = human.Percent(p.top+p.room, p.all)
	}
	return paint.FrameBox(p.h.Styles, bw, title, foot, body)
}
