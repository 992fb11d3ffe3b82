package screen

import (
	"fmt"
	"path/filepath"
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query"
	"turns/query/human"
	"turns/query/runs"
	"turns/query/session"
	"turns/ui/paint"
)

// A part passes its requests and reports to the screen as values of these types: to Host.Ask, which
// acts before the next key, or as the message of a command.
type (
	// Status is a text for the status line, shown for some seconds.
	Status struct {
		Text string
		Ink  paint.Ink
	}
	// SetLetter toggles a one-letter mark on the row of the cursor.
	SetLetter struct{ Letter string }
	// LabelRun asks the reader for a label for a session of a list.
	LabelRun struct {
		Session session.Session
		Done    func() // called once it is labelled
	}
	// UndoLabel removes the last label.
	UndoLabel struct{ Done func() }
	// GoTo selects a row of the timeline and remembers the jump; Call may be NoCall.
	GoTo struct {
		ID   model.ID
		Call model.CallID
	}
	// MoveTo is GoTo for a pane that keeps the focus and stays over the timeline.
	MoveTo struct {
		ID   model.ID
		Call model.CallID
	}
	// SetFilter replaces the filter, also in the bar, and applies it.
	SetFilter struct{ Text string }
	// AddTerm adds a term to the filter; Negate excludes its matches.
	AddTerm struct {
		Term   string
		Negate bool
	}
	// EditFilter focuses the filter bar.
	EditFilter struct{}
	// FilterOff turns the filter off, because it hides a wanted row.
	FilterOff struct{}
	// ClosePane closes the focused pane and focuses the timeline.
	ClosePane struct{}
	// FillMiddle extends the focused pane over the middle of the screen, or restores it.
	FillMiddle struct{ On bool }
	// Show opens a dialog in front of the others.
	Show struct{ Dialog Dialog }
	// Palette opens the palette for the front view.
	Palette struct{}
	// TakeView shows the view with a key.
	TakeView struct{ Key string }
	// Help shows the keys.
	Help struct{}
	// OpenSession shows another session; with Follow, at its end.
	OpenSession struct {
		Path   string
		Follow bool
	}
	// OpenNewest follows a session of the list, then newer ones.
	OpenNewest struct{ Path string }
	// OpenPast returns to the previous session, if any.
	OpenPast struct{}
	// OpenPlace shows a place of a session; n continues the search. Leaving the session returns to
	// the open dialogs.
	OpenPlace struct{ Path, At, Search string }
	// Threads shows the unfinished work of the sessions in the folder of one, or in all folders.
	Threads struct {
		Path string
		All  bool
	}
	// Compare compares two sessions; with Apart it starts at their first substantial difference.
	Compare struct {
		A, B  string
		Apart bool
	}
	// CompareParts compares two parts of the open session.
	CompareParts struct {
		Names [2]string
		Runs  [2]runs.DiffRun
	}
	// Copied is a text for the clipboard.
	Copied struct {
		Text    string
		What    string // description: "the result"
		Secrets int    // number of replaced secrets
		Over    string // usual size limit that the text exceeds; "" for none
		AsIs    bool   // keep control characters: the reader chose to paste them into a terminal
	}
	// Export is a text, or a value to write as JSON, for an export file under the next free name.
	Export struct {
		Name, Ext, What string
		Text            string
		Value           any // instead of Text
	}
	// Wrote reports the end of writing a file.
	Wrote struct {
		Text string
		Err  error
	}
)

// selecting reports the selected rows; the timeline implements it.
type selecting interface {
	// Selected returns the row of the cursor; NoID and NoCall for none.
	Selected() (id model.ID, call model.CallID)
	// Block returns the message block of the cursor's row; -1: the entire message.
	Block() int
	// Taken returns the messages of the rows selected with v; empty for none.
	Taken() query.Selection
	// LabelRows returns the rows selected with v, otherwise that of the cursor.
	LabelRows() []Row
}

// Complain reports why an action was not possible.
func (h *Host) Complain(text string) tea.Cmd { return h.Ask(Status{text, paint.InkWarning}) }

// ShowStatus shows a text in the status line.
func (h *Host) ShowStatus(text string) { h.Ask(Status{text, paint.InkText}) }

// After returns a command that sends a message after a delay.
func (h *Host) After(d time.Duration, msg tea.Msg) tea.Cmd {
	if h.Timer != nil {
		return h.Timer(d, msg)
	}
	ctx := h.Ctx
	return func() tea.Msg {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-t.C:
			return msg
		case <-ctx.Done(): // a timer must not outlive its screen
			return nil
		}
	}
}

// ExportDir returns the folder for exports.
func (h *Host) ExportDir() string {
	if h.Opts.Dir != "" {
		return h.Opts.Dir
	}
	return "."
}

// RedactedNote describes how many secrets were replaced in a copied text.
func RedactedNote(secrets int) string {
	if secrets == 0 {
		return ""
	}
	return ", " + human.Plural(secrets, "secret") + " redacted"
}

// ShownPath returns a path for the screen: relative with ./ if inside dir.
func ShownPath(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return paint.OneLine("./" + rel)
	}
	return paint.OneLine(path)
}

// CopyWord copies a path quoted for a shell, where most paths are pasted.
func CopyWord(path, what string) any {
	word, err := model.ShellWord(path)
	if err != nil {
		return Wrote{Err: fmt.Errorf("copying %s: %w", what, err)}
	}
	return Copied{Text: word, What: what}
}
