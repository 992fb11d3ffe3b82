package ui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	tea "charm.land/bubbletea/v2"

	"turns/query/human"
	"turns/ui/paint"
	"turns/ui/screen"
)

// noteBox is a box with a text that the reader has to know before anything else: each mistake of the
// configuration. It shows every line in full.
type noteBox struct {
	h     *screen.Host
	title string
	text  []string
	top   int
	room  int // lines that were drawn, and how many there are
	all   int
}

// problemsNote lists what is wrong with the configuration.
func problemsNote(h *screen.Host) *noteBox {
	n := &noteBox{h: h, title: human.Plural(len(h.Opts.Problems), "mistake") + " in the configuration"}
	for _, p := range h.Opts.Problems {
		n.text = append(n.text, paint.Tilde(p, h.Opts.Home))
	}
	n.text = append(n.text, "", "The rest of the file applies. turns config prints every setting.")
	return n
}

// Hints are the keys that close it.
func (n *noteBox) Hints() []screen.Hint {
	hints := []screen.Hint{{Key: "⏎", Text: "close"}}
	if n.all > n.room {
		hints = append(hints, screen.Hint{Key: "j k", Text: "scroll"})
	}
	return hints
}

// Key scrolls or closes it.
func (n *noteBox) Key(msg tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	switch screen.KeyName(msg) {
	case "j", "down":
		n.top++
	case "k", "up":
		n.top--
	case "enter", "esc", "q", "space", "ctrl+c":
		return true, nil
	}
	return false, nil
}

// Render draws the box, as wide as the screen allows.
func (n *noteBox) Render(w, h int) []string {
	bw := min(w, 110)
	inner := bw - 4
	if inner < 12 || h < 5 {
		return nil
	}
	var lines []string
	for _, text := range n.text {
		for line := range strings.SplitSeq(ansi.Wrap(paint.OneLine(text), inner, "/-"), "\n") {
			lines = append(lines, n.h.Styles.Line(inner, paint.GroundNone, paint.Span{Text: line}))
		}
	}
	n.all, n.room = len(lines), min(h-3, len(lines))
	n.top = max(min(n.top, n.all-n.room), 0)
	return paint.FrameBox(n.h.Styles, bw, n.title, "", lines[n.top:n.top+n.room])
}
