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

// What a part asks of the screen or tells it is a value of one of these types. It is given to
// host.ask, which acts before the next key, or comes as the message of a command.
type (
	// Said is a line for the status line, which shows it for some seconds.
	Said struct {
		Text string
		Ink  paint.Ink
	}
	// SetLetter sets a mark of one letter on the row of the cursor, or takes it away there.
	SetLetter struct{ Letter string }
	// LabelRun asks what is to be said of a run of a list.
	LabelRun struct {
		Session session.Session
		Done    func() // when it is said
	}
	// UndoLabel takes back what was said last.
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
	// SetFilter replaces the filter, in the bar too, and applies it.
	SetFilter struct{ Text string }
	// AddTerm narrows the filter by a term; Negate takes out what it matches.
	AddTerm struct {
		Term   string
		Negate bool
	}
	// EditFilter gives the keys to the filter bar.
	EditFilter struct{}
	// FilterOff switches the filter off, because it hides what is wanted.
	FilterOff struct{}
	// ClosePane closes the pane that has the keys, which gives them back to the timeline.
	ClosePane struct{}
	// FillMiddle extends the focused pane over the full middle of the screen, or ends that.
	FillMiddle struct{ On bool }
	// Show puts a dialog in front of all that is shown.
	Show struct{ Dialog Dialog }
	// Palette shows the commands of what is in front.
	Palette struct{}
	// TakeView shows the view behind a key.
	TakeView struct{ Key string }
	// Help shows the keys.
	Help struct{}
	// OpenSession shows another session, at its end with Follow.
	OpenSession struct {
		Path   string
		Follow bool
	}
	// OpenNewest follows a session of the list, and newer ones after it.
	OpenNewest struct{ Path string }
	// OpenPast goes back to the session before, where there is one.
	OpenPast struct{}
	// OpenPlace shows a place of a session, with a search that n goes on with; leaving it leads
	// back to the dialogs that are open.
	OpenPlace struct{ Path, At, Search string }
	// Threads shows what the sessions left open that lie in the folder of one, or first those of
	// all folders.
	Threads struct {
		Path string
		All  bool
	}
	// Compare compares two sessions; with Apart the cursor is where they first differ in substance.
	Compare struct {
		A, B  string
		Apart bool
	}
	// CompareParts compares two parts of the open run.
	CompareParts struct {
		Names [2]string
		Runs  [2]runs.DiffRun
	}
	// Copied is a text for the clipboard.
	Copied struct {
		Text    string
		What    string // "the result"
		Secrets int    // that were replaced
		Over    string // limit of a usual target that the text passes; "" for none
		AsIs    bool   // control characters stay: whoever pastes it into a terminal asked for them
	}
	// Export is a text, or a value to be written as JSON, for a file of exports under the next free
	// name.
	Export struct {
		Name, Ext, What string
		Text            string
		Value           any // in place of Text
	}
	// Wrote is the end of writing a file.
	Wrote struct {
		Text string
		Err  error
	}
)

// selecting is who knows which rows are selected: the timeline.
type selecting interface {
	// Selected is the row the cursor is on; NoID and NoCall for none.
	Selected() (id model.ID, call model.CallID)
	// Block is the block of its message that the row of the cursor is about; -1: the whole message.
	Block() int
	// Taken are the messages of the rows taken with v; empty for none.
	Taken() query.Selection
	// LabelRows are the rows taken with v, else that of the cursor.
	LabelRows() []Row
}

// Complain says what could not be done.
func (h *Host) Complain(text string) tea.Cmd { return h.Ask(Said{text, paint.InkWarning}) }

// Say says something in the status line.
func (h *Host) Say(text string) { h.Ask(Said{text, paint.InkText}) }

// After is a command that sends a message after a while.
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

// ExportDir is where exports go.
func (h *Host) ExportDir() string {
	if h.Opts.Dir != "" {
		return h.Opts.Dir
	}
	return "."
}

// RedactedNote says behind what was taken how many secrets were replaced in it.
func RedactedNote(secrets int) string {
	if secrets == 0 {
		return ""
	}
	return ", " + human.Plural(secrets, "secret") + " redacted"
}

// ShownPath is a path as the screen says it: ./ and its name within the folder of exports.
func ShownPath(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return paint.OneLine("./" + rel)
	}
	return paint.OneLine(path)
}

// CopyWord copies a path as a shell takes it: that is where most are pasted.
func CopyWord(path, what string) any {
	word, err := model.ShellWord(path)
	if err != nil {
		return Wrote{Err: fmt.Errorf("copying %s: %w", what, err)}
	}
	return Copied{Text: word, What: what}
}
