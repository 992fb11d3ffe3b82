package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

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
	room int // lines for rows in the last frame
	all  int
}

// mostUsed are the commands a newcomer needs, by name, with short descriptions.
var mostUsed = [...]struct{ name, help string }{
	{"down", "next row"}, {"up", "previous row"}, {"open", "open the row"}, {"close", "close it"}, {"detail", "detail of the row"},
	{"next-error", "next error"}, {"next-prompt", "next prompt"}, {"verdict", "why the session ended"},
	{"search", "search"}, {"filter", "filter"},
	{"tools", "tools"}, {"stats", "statistics"}, {"context", "context window"}, {"files", "files"}, {"sessions", "session list"},
	{"label", "label the row"}, {"copy", "copy"}, {"export", "export"}, {"palette", "all commands by name"}, {"quit", "back, quit"},
}

// signs explains the symbols in the margins.
var signs = [...]KeyRow{
	{groupSigns, "❯ ● ~", "user, assistant, reasoning", ""},
	{groupSigns, "◦ ▪ ▣", "injected text, system prompt, image", ""},
	{groupSigns, "✓ ✗ ⊘", "call succeeded, failed, not allowed", ""},
	{groupSigns, "◌ ■ ?", "call without a result, stopped; ? an unreadable record", ""},
	{groupSigns, "┌ ├ └", "calls of one response, made in parallel", ""},
	{groupSigns, "▸ ▾", "closed, open", ""},
	{groupSigns, "a … z", "a mark or label of the row; \" a note", ""},
	{groupSigns, "│ █", "scroll bar: ❯ prompts, ✗ errors, ◦ search hits, \" notes", ""},
	{groupSigns, "~ + –", "in numbers: an estimate, at least, not recorded", ""},
}

const groupSigns = "Signs"

// newHelp lists the keys of the front pane or list, the most used keys, all others, and the signs.
func newHelp(h *screen.Host, front func(*screen.KeyGroup) bool) *help {
	p := &help{h: h}
	var rest []KeyRow
	of := map[string]bool{}
	for _, g := range paneGroups() {
		of[g.Name] = front(&g)
	}
	for _, r := range Keys(h.Opts.Keys) {
		if of[r.Group] {
			p.rows = append(p.rows, r)
		} else {
			rest = append(rest, r)
		}
	}
	p.rows = slices.Concat(p.rows, mostUsedRows(h), ownRows(h), rest, signs[:])
	if h.Opts.ASCII {
		for i := range p.rows {
			p.rows[i].Keys = screen.InLetters(p.rows[i].Keys)
		}
	}
	return p
}

// mostUsedRows returns the most used commands with the user's keys for them.
func mostUsedRows(h *screen.Host) (rows []KeyRow) {
	m := newKeymap()
	for _, u := range mostUsed {
		if c := m.named(u.name); c != nil {
			if keys := screen.Labels(c.keys[:1], h.Opts.Keys); keys != "" {
				rows = append(rows, KeyRow{"Most used", keys, u.help, ""})
			}
		}
	}
	return rows
}

func (p *help) Hints() []screen.Hint {
	return []screen.Hint{{Key: "type", Text: "to search"}, {Key: "↑ ↓", Text: "scroll"}, {Key: "esc", Text: "close"}}
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

// Click does nothing: the help does not run commands.
func (p *help) Click(x, y int, double bool) (bool, tea.Cmd) { return false, nil }

func (p *help) Wheel(n int) { p.scroll(n) }

func (p *help) scroll(n int) { p.top = max(min(p.top+n, p.all-p.room), 0) }

// keyWidth is the width of the keys in a row of the help.
const keyWidth = 22

// lines returns the rows of the table that match the typed text.
func (p *help) lines(w int) [][]paint.Span {
	var out [][]paint.Span
	group := ""
	want := strings.ToLower(p.text)
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
		out = append(out, p.row(r, w)...)
	}
	if len(out) == 0 {
		out = append(out, []paint.Span{{Text: "no key matches " + p.text, Ink: paint.InkDim}})
	}
	return out
}

// row draws a row on as many lines as its text needs.
func (p *help) row(r *KeyRow, w int) (out [][]paint.Span) {
	keys := min(keyWidth, w/3)
	habit := ""
	if r.Habit != "" && r.Habit != "all" && w >= 90 {
		habit = "as in " + r.Habit
	}
	room := max(w-keys-1-paint.Width(habit)-min(len(habit), 2), 8)
	key := strings.Split(ansi.Wrap(r.Keys, keys, ""), "\n")
	text := strings.Split(ansi.Wrap(r.Help, room, ""), "\n")
	for i := range max(len(key), len(text)) {
		var line []paint.Span
		if i < len(key) {
			line = append(line, paint.Span{Text: paint.Fit(key[i], keys) + " ", Ink: paint.InkKey})
		} else {
			line = append(line, paint.Span{Text: paint.Blanks(keys + 1)})
		}
		if i < len(text) {
			line = append(line, paint.Span{Text: text[i]})
		}
		if i == 0 && habit != "" && len(text) > 0 {
			line = append(line, paint.Span{Text: paint.Blanks(room-paint.Width(text[0])+2) + habit, Ink: paint.InkFaint})
		}
		out = append(out, line)
	}
	return out
}

// Render draws the box. Its size stays the same while the reader types.
func (p *help) Render(w, h int) []string {
	bw := min(w, 110)
	inner := bw - 4
	if inner < 12 || h < 5 {
		return nil
	}
	lines := p.lines(inner)
	p.all = len(lines)
	p.room = h - 3
	p.top = max(min(p.top, p.all-p.room), 0)
	title := "Keys"
	if p.text != "" {
		title += "  /" + p.text
	}
	var body []string
	for i := range p.room {
		var spans []paint.Span
		if p.top+i < len(lines) {
			spans = lines[p.top+i]
		}
		body = append(body, p.h.Styles.Line(inner, paint.GroundNone, spans...))
	}
	foot := ""
	if p.all > p.room {
		foot = human.Percent(p.top+p.room, p.all)
	}
	return paint.FrameBox(p.h.Styles, bw, title, foot, body)
}
