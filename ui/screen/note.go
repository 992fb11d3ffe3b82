package screen

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query/human"
	"turns/ui/paint"
)

var _ interface {
	MouseDialog
	ScrollingDialog
} = (*Note)(nil)

// Note is a box with a text to read: mistakes in the configuration, the output of a command, a
// question. It shows every line in full.
type Note struct {
	H     *Host
	Title string
	Text  []string       // lines, without terminal control codes
	Yes   func() tea.Cmd // makes it a question: y and Enter run it, the other closing keys do not
	lines []string       // Text wrapped to wide cells
	wide  int            // width of lines; 0: not drawn yet
	top   int            // first line on the screen
	room  int            // number of drawn lines
	gen   int            // of the styles in lines
}

// Hints returns the keys that answer, close and scroll it.
func (n *Note) Hints() []Hint {
	hints := []Hint{{"⏎", "close"}}
	if n.Yes != nil {
		hints = []Hint{{"y", "run"}, {"n", "cancel"}}
	}
	if len(n.lines) > n.room {
		hints = append(hints, Hint{"j k", "scroll"})
	}
	return hints
}

// Key scrolls, answers or closes it.
func (n *Note) Key(msg tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	switch name := KeyName(msg); name {
	case "j", "down", "ctrl+e":
		n.top++
	case "k", "up", "ctrl+y":
		n.top--
	case "pgdown", "ctrl+f", "ctrl+d":
		n.top += max(n.room-1, 1)
	case "pgup", "ctrl+b", "ctrl+u", "b":
		n.top -= max(n.room-1, 1)
	case "g", "home":
		n.top = 0
	case "G", "end":
		n.top = len(n.lines)
	case "esc", "q", "n", "ctrl+c":
		return true, nil
	case "y", "enter":
		if n.Yes != nil {
			return true, n.Yes()
		}
		return name == "enter", nil
	case "space":
		if n.top+n.room >= len(n.lines) && n.Yes == nil {
			return true, nil
		}
		n.top += max(n.room-1, 1)
	}
	return false, nil
}

// Click does nothing.
func (n *Note) Click(x, y int, double bool) (bool, tea.Cmd) { return false, nil }

// Wheel scrolls.
func (n *Note) Wheel(by int) { n.top += by }

// Render draws the box, as wide as the screen allows.
func (n *Note) Render(w, h int) []string {
	bw := min(w, 110)
	inner := bw - 4
	if inner < 12 || h < 5 {
		return nil
	}
	if n.wide != inner || n.gen != n.H.Styles.Gen {
		n.wide, n.gen, n.lines = inner, n.H.Styles.Gen, n.lines[:0]
		for _, text := range n.Text {
			for line := range strings.SplitSeq(ansi.Wrap(paint.Expand(model.Clean(text)), inner, "/-"), "\n") {
				n.lines = append(n.lines, n.H.Styles.Line(inner, paint.GroundNone, paint.Span{Text: line}))
			}
		}
	}
	n.room = min(h-3, len(n.lines))
	n.top = max(min(n.top, len(n.lines)-n.room), 0)
	foot := ""
	if len(n.lines) > n.room {
		foot = human.Percent(n.top+n.room, len(n.lines))
	}
	return paint.FrameBox(n.H.Styles, bw, n.Title, foot, n.lines[n.top:n.top+n.room])
}
