package screen

import (
	tea "charm.land/bubbletea/v2"

	"turns/ui/paint"
)

// Overlay is the common part of dialogs that cover the screen with a table.
type Overlay struct {
	H      *Host
	Quits  bool  // q ends the program, because no other view is open
	Closed bool  // a key closed it
	Err    error // why the page is empty
	Above  int   // lines over the table
	count  int   // typed before a key
}

// MoveTo moves the page to the screen of another session.
func (p *Overlay) MoveTo(h *Host) { p.H = h }

// Back closes the page, or the program if no other view is open.
func (p *Overlay) Back() tea.Cmd {
	if p.Quits {
		return tea.Quit
	}
	p.Closed = true
	return nil
}

// BackWord is the key line's word for Back.
func (p *Overlay) BackWord() string {
	if p.Quits {
		return "quit"
	}
	return "back"
}

// Press passes a key to the page's own keys, then to its table; t is nil before the table exists.
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

// Waiting shows the work in progress, or its error, below some lines.
func (p *Overlay) Waiting(above []string, doing string, w, h int) []string {
	text := paint.Span{Text: doing, Ink: paint.InkDim}
	if p.Err != nil {
		text = paint.Span{Text: " " + paint.OneLine(p.Err.Error()), Ink: paint.InkError}
	}
	return paint.Fill(append(above, p.H.Styles.Line(w, paint.GroundNone, text)), w, h)
}

// OverlayHints returns the key hints of a page with a table; its first own key needs a row.
func OverlayHints(t *Table, own []Key) []Hint {
	hints := HintsOf(own[1:])
	if t.N > 0 {
		hints = TableHints(t, own)
	}
	return append(hints, Hint{"?", "help"})
}
