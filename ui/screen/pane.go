package screen

import (
	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query/describe"
)

// Pane is a part of the screen next to or over the timeline. Update and View call its methods,
// never concurrently.
type Pane interface {
	// Name returns the pane's name on tabs and in the status line: "tools".
	Name() string
	// Render draws the pane into w×h cells. Missing lines are filled up, extra ones cut; no line
	// may be wider than w. full: the pane has the full screen; focus: it receives the keys.
	Render(w, h int, full, focus bool) []string
	// Key acts on a key as keys.go spells it ("j", "enter", "ctrl+d"); handled is false for other
	// keys.
	Key(key string, count int) (handled bool, cmd tea.Cmd)
	// Hints returns the keys for the key line of the focused pane, the most important first.
	Hints() []Hint
	// Click and Wheel handle the mouse in cells of the pane; Wheel's n is positive downwards.
	Click(x, y int, double bool) tea.Cmd
	Wheel(n int)
	// Refresh is called after a change of the host: a new snapshot, another view, new answers. It
	// may return a command.
	Refresh() tea.Cmd
}

// Dialog covers everything and receives every key until it is closed: help, palette, export. A
// dialog with a text field accepts letters.
type Dialog interface {
	// Render draws the dialog into at most w×h cells, in the middle of the screen, or at its top if
	// it uses the full width.
	Render(w, h int) []string
	// Key acts on a key; done closes the dialog.
	Key(msg tea.KeyPressMsg) (done bool, cmd tea.Cmd)
	// Hints returns the keys for the key line.
	Hints() []Hint
}

// MouseDialog is a dialog that accepts clicks, in cells from its own corner. done closes it.
type MouseDialog interface {
	Click(x, y int, double bool) (done bool, cmd tea.Cmd)
}

// ScrollingDialog is a dialog that the wheel scrolls by n rows, upwards if n is negative.
type ScrollingDialog interface {
	Wheel(n int)
}

// ChoosingDialog is a dialog with several lists; the wheel scrolls the one under the pointer.
type ChoosingDialog interface {
	WheelAt(x, y, n int) tea.Cmd
}

// Messenger is a pane, dialog or bar that receives the answers of its own commands: the app offers
// it every message it does not know.
type Messenger interface {
	Message(msg tea.Msg) tea.Cmd
}

// Hint is a key and its effect, for the key line.
type Hint struct{ Key, Text string }

// PaneKind is the name of a pane.
type PaneKind string

// Panes used outside of their own package.
const (
	PaneNone    PaneKind = ""
	PaneTools   PaneKind = "tools"
	PaneStats   PaneKind = "stats"
	PaneTurns   PaneKind = "turns"
	PaneFiles   PaneKind = "files"
	PaneContext PaneKind = "context"
	PaneDetail  PaneKind = "detail"
	PaneReading PaneKind = "reading"
)

// Optional interfaces of panes and dialogs.
type (
	// Beginner is a dialog that starts a computation when it is shown.
	Beginner interface{ Begin() tea.Cmd }
	// Ender is a dialog that stops work when it is closed.
	Ender interface{ End() }
	// ZeroKeyed is a pane that uses the key 0, except after a digit.
	ZeroKeyed interface{ TakesZero() bool }
	// Opener is a pane that is notified when it is opened.
	Opener interface{ Opened() }
	// Sorted is a pane with a sortable table.
	Sorted interface{ Sorted() *Table }
	// Teller is a dialog that describes the row under its cursor in the status line.
	Teller interface{ Status() string }
	// Grouped is a dialog with a named group of keys.
	Grouped interface{ Group() string }
	// Lasting is a dialog from which a session can be opened; it returns when the reader leaves the
	// session.
	Lasting interface {
		Dialog
		// MoveTo moves the dialog to the screen of the session.
		MoveTo(h *Host)
	}
	// FullScreen is a lasting dialog over the full screen.
	FullScreen interface {
		Lasting
		Grouped
		Messenger
		MouseDialog
		ScrollingDialog
	}
)

// KeyGroup is the named group of keys of a pane or list.
type KeyGroup struct {
	Name  string
	Kinds []PaneKind // panes with these keys
	Keys  []Key
}

// RowKey identifies a row; it is stable while the session exists.
type RowKey struct {
	ID   model.ID
	Kind RowKind
	N    uint16 // number of the line in its message
}

// RowKind is the kind of a row.
type RowKind uint8

const (
	// a line of a message: text, reasoning, a call, a result without one, media
	RowLine    RowKind = iota
	RowNote            // a note, or several from the row's message on
	RowRule            // a note drawn as a rule: compaction, rewind, end
	RowModel           // a rule: the model changes here
	RowGap             // a rule: a long pause, another day
	RowRead            // a rule: read up to here
	RowSkipped         // between neighbours of matches: how many rows are left out
	RowStep            // outline level 2: a response of the model
	RowSession         // a rule: another session of the file begins
	// a rule: the file was truncated or replaced, and read again
	RowRestart
	RowBranch // a rule: another branch of the session begins
	RowAgent  // a rule: a subagent begins that no call started
)

// BodyMode is the form of an open body.
type BodyMode uint8

// The forms of a body, in the order of key s.
const (
	BodyRendered BodyMode = iota // by its content: Markdown, a diff, a table
	BodySource                   // the recorded text
	BodyRaw                      // the record in the transcript
)

// Row is a row of the timeline for other parts.
type Row struct {
	Key  RowKey
	Call model.CallID   // NoCall: not about a call
	Line *describe.Line // nil: not a line of a message
	Mode BodyMode       // form of its body
}
