package screen

import tea "charm.land/bubbletea/v2"

// Pane is a part of the screen beside or over the timeline. Its methods are called from Update and
// View only, never at the same time.
type Pane interface {
	// Name is the word of the pane on tabs and in the status line: "tools".
	Name() string
	// Render draws the pane into w×h cells. Fewer lines are filled up, more are cut; no line may be
	// wider than w. full says that the pane has the whole screen; focus that it gets the keys.
	Render(w, h int, full, focus bool) []string
	// Key acts on a key as keys.go spells it ("j", "enter", "ctrl+d"); handled is false for a key
	// that is none of the pane's.
	Key(key string, count int) (handled bool, cmd tea.Cmd)
	// Hints are the keys for the key line while the pane has the focus, the most important first.
	Hints() []Hint
	// Click and Wheel are the mouse in cells of the pane; Wheel's n is positive downwards.
	Click(x, y int, double bool) tea.Cmd
	Wheel(n int)
	// Refresh is called when what the host shows has changed: a new snapshot, another view, an
	// answer that arrived. It may return a command.
	Refresh() tea.Cmd
}

// Dialog is what lies over everything and gets every key until it is closed: help, palette, export.
// A dialog with a text field takes letters.
type Dialog interface {
	// Render draws the dialog into at most w×h cells; it is shown in the middle of the screen, or
	// over its top if it asks for the whole width.
	Render(w, h int) []string
	// Key acts on a key; done closes the dialog.
	Key(msg tea.KeyPressMsg) (done bool, cmd tea.Cmd)
	// Hints are the keys for the key line.
	Hints() []Hint
}

// MouseDialog is a dialog that the mouse reaches; cells are counted from its own corner. done
// closes it.
type MouseDialog interface {
	Click(x, y int, double bool) (done bool, cmd tea.Cmd)
}

// ScrollingDialog is a dialog that the wheel scrolls, by n rows, upwards where n is below 0.
type ScrollingDialog interface {
	Wheel(n int)
}

// ChoosingDialog is a dialog of several choices: the wheel goes through the one under the pointer.
type ChoosingDialog interface {
	WheelAt(x, y, n int) tea.Cmd
}

// Messenger is a pane, dialog or bar that gets answers of its own commands: every message that the
// app does not know is offered to it.
type Messenger interface {
	Message(msg tea.Msg) tea.Cmd
}

// Hint is a key and what it does, for the key line.
type Hint struct{ Key, Text string }

// PaneKind is the word of a pane of the side column.
type PaneKind string

// The panes that others than themselves know.
const (
	PaneNone    PaneKind = ""
	PaneTools   PaneKind = "tools"
	PaneStats   PaneKind = "stats"
	PaneTurns   PaneKind = "turns"
	PaneContext PaneKind = "context"
	PaneDetail  PaneKind = "detail"
)

// What a pane or dialog may do besides.
type (
	// Beginner is a dialog that computes something from the moment on that it is shown.
	Beginner interface{ Begin() tea.Cmd }
	// Ender is a dialog that has something to stop when it is closed.
	Ender interface{ End() }
	// Opener is a pane that wants to know that it was opened.
	Opener interface{ Opened() }
	// Teller is a dialog that says something of the row under its cursor in the status line.
	Teller interface{ Status() string }
	// Grouped is a dialog with keys that are told under a name.
	Grouped interface{ Group() string }
	// Lasting is a dialog from which a session can be opened, and that is shown again when the
	// reader has seen enough of it.
	Lasting interface {
		Dialog
		// MoveTo gives the dialog to the screen of the session.
		MoveTo(h *Host)
	}
	// FullScreen is a lasting dialog that has all that one over the whole screen needs.
	FullScreen interface {
		Lasting
		Grouped
		Messenger
		MouseDialog
		ScrollingDialog
	}
)

// KeyGroup is the keys of a pane or list under its name.
type KeyGroup struct {
	Name  string
	Kinds []PaneKind // panes that take them
	Keys  []Key
}
