package ui

import (
	"time"

	"turns/ui/paint"
)

// notice is the temporary text of the status line.
type notice struct {
	status    string
	statusInk paint.Ink
	statusGen int
	reasonGen int    // statusGen of the reason why the last key cannot act; the next key clears it
	noticed   string // latest of Options.Notices
}

// statusOverMsg ends the time of a text.
type statusOverMsg struct{ gen int }

// statusTime is how long a text stays in the status line.
const statusTime = 6 * time.Second

// showText shows a text for statusTime.
func (n *notice) showText(text string) { n.showStatusIn(paint.InkText, text) }

func (n *notice) showStatusIn(ink paint.Ink, text string) {
	n.status, n.statusInk = paint.OneLine(text), ink
	n.statusGen++
}

// hush clears the text.
func (n *notice) hush() { n.status = "" }

// expire clears a text whose time is over, unless another one has replaced it.
func (n *notice) expire(msg statusOverMsg) {
	if msg.gen == n.statusGen {
		n.hush()
	}
}

// nextKey clears the reason why the previous key could not act. It returns the generation of the
// text for keyDone.
func (n *notice) nextKey() (gen int) {
	if n.status != "" && n.statusGen == n.reasonGen {
		n.hush()
	}
	return n.statusGen
}

// keyDone records a warning shown since nextKey as the reason why this key could not act.
func (n *notice) keyDone(gen int) {
	if n.statusGen != gen && n.statusInk == paint.InkWarning {
		n.reasonGen = n.statusGen
	}
}
