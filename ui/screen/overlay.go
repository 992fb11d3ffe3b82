package screen

import (
	tea "charm.land/bubbletea/v2"

	"turns/ui/paint"
)

// Overlay is what dialogs over the whole screen with a table have in common.
type Overlay struct {
	H      *Host
	Quits  bool  // q ends the program: nothing was open before
	Closed bool  // a key closed it
	Err    error // why there is nothing to show
	Above  int   // lines over the table
	count  int   // typed before a key
}

// MoveTo gives the page to the screen of another session.
func (p *Overlay) MoveTo(h *Host) { p.H = h }

// Back closes the page, or the program where nothing was open before.
func (p *Overlay) Back() tea.Cmd {
	if p.Quits {
		return tea.Quit
	}
	p.Closed = true
	return nil
}

// BackWord is what the key line calls that.
func (p *Overlay) BackWord() string {
	if p.Quits {
		return "quit"
	}
	return "back"
}

// Press gives a key to the keys of the page, then to its table, nil where that is not there yet.
func (p *Overlay) Press(msg tea.KeyPressMsg, own []Key, t *Table) (done bool, cmd tea.Cmd) {
	name, typed := KeyName(msg), p.count
	if n, ok := AddDigit(typed, name); ok && n > 0 {
		p.count = n
		return p.Closed, nil
	}
	p.count = 0
	handled, cmd := Pressed(own, name, typed)
	if !handled && t != nil {
		if handled, cmd = t.Key(p.H, name, typed); !handled {
			p.H.Complain(p.H.Key(name) + " does nothing here: " + p.H.Key("?") + " lists the keys")
		}
	}
	return p.Closed, cmd
}

// Waiting fills the screen below some lines with what is being done, or why nothing came of it.
func (p *Overlay) Waiting(above []string, doing string, w, h int) []string {
	said := paint.Span{Text: doing, Ink: paint.InkDim}
	if p.Err != nil {
		said = paint.Span{Text: " " + paint.OneLine(p.Err.Error()), Ink: paint.InkError}
	}
	return paint.Fill(append(above, p.H.Styles.Line(w, paint.GroundNone, said)), w, h)
}

// OverlayHints are the keys of a page with a table; the first of its own needs a row.
func OverlayHints(t *Table, own []Key) []Hint {
	hints := HintsOf(own[1:])
	if t.N > 0 {
		hints = TableHints(t, own)
	}
	return append(hints, Hint{"?", "help"})
}
