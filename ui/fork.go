package ui

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"turns/export/fork"
	"turns/query/human"
	"turns/ui/paint"
	"turns/ui/screen"
	"turns/ui/transcripts"
)

// forkBox offers to write a new session that ends at the cursor's message, and shows the command
// that resumes it.
type forkBox struct {
	h       *screen.Host
	at      int
	begin   tea.Cmd
	plan    *fork.Plan
	err     error
	writing bool
	done    bool // the fork exists
}

type forkPlannedMsg struct {
	of   *forkBox
	plan *fork.Plan
	err  error
}

type forkWrittenMsg struct {
	of  *forkBox
	err error
}

// whyNoFork returns why the session cannot be forked, "" if it can.
func (a *app) whyNoFork() string {
	if a.h.Snap == nil || a.h.State.Path == "" || a.h.State.Preview {
		return "no session file here"
	}
	return ""
}

// forkHere opens the fork dialog for the message of the cursor.
func (a *app) forkHere() tea.Cmd {
	rows := a.list.LabelRows()
	if why := a.whyNoFork(); why != "" || len(rows) == 0 {
		return a.complain("no message to fork at")
	}
	snap, path, ctx := a.h.Snap, a.h.State.Path, a.h.Ctx
	row := rows[len(rows)-1]
	at := snap.Pos(row.Key.ID)
	if at < 0 {
		return a.complain("select a message to fork at: this row is not one")
	}
	d := &forkBox{h: a.h, at: at}
	d.begin = screen.Background(func() tea.Msg {
		plan, err := transcripts.Fork(ctx, snap, path, at, "")
		return forkPlannedMsg{d, plan, err}
	})
	return a.opened(d)
}

// Begin plans the fork.
func (d *forkBox) Begin() tea.Cmd { return d.begin }

// Message receives the plan, and later the result of writing it.
func (d *forkBox) Message(msg tea.Msg) tea.Cmd {
	switch m := msg.(type) {
	case forkPlannedMsg:
		if m.of == d {
			d.plan, d.err = m.plan, m.err
		}
	case forkWrittenMsg:
		if m.of == d {
			d.writing, d.err, d.done = false, m.err, m.err == nil
		}
	}
	return nil
}

// text returns the lines of the box.
func (d *forkBox) text() (lines []string) {
	switch p := d.plan; {
	case d.err != nil:
		lines = []string{d.err.Error()}
		if no, ok := d.err.(*fork.Refusal); ok && no.Hint != "" {
			lines = append(lines, "", no.Hint)
		}
	case p == nil:
		lines = []string{"reading the session…"}
	case d.done:
		lines = []string{"Written: " + paint.Tilde(p.Path, d.h.Opts.Home), "", transcripts.ForkCommand(p)}
	default:
		lines = []string{
			"Write a new " + p.Agent + " with messages 0 to " + strconv.Itoa(d.at) + "? This session does not change.", "",
			paint.Tilde(p.Path, d.h.Opts.Home),
		}
		if n := len(p.Closed); n > 0 {
			lines = append(lines, human.Plural(n, "call")+" without a result there, closed as interrupted")
		}
	}
	return lines
}

// Render draws the box.
func (d *forkBox) Render(w, _ int) []string {
	if w = min(w, 78); w < 12 {
		return nil
	}
	var body []string
	for _, text := range d.text() {
		for line := range strings.SplitSeq(ansi.Wrap(paint.OneLine(text), w-4, "/"), "\n") {
			body = append(body, d.h.Styles.Line(w-4, paint.GroundNone, paint.Span{Text: line, Ink: paint.InkText}))
		}
	}
	return paint.FrameBox(d.h.Styles, w, "Fork at message "+strconv.Itoa(d.at), "", body)
}

// Key writes the fork, copies the command that resumes it, or closes the box.
func (d *forkBox) Key(msg tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	switch name := screen.KeyName(msg); {
	case name == "esc" || name == "q" || name == "ctrl+c" || name == "n" && !d.done:
		return !d.writing, nil
	case d.plan == nil || d.err != nil || d.writing:
		return false, nil
	case d.done && (name == "enter" || name == "y"):
		return true, d.h.Ask(screen.Copied{Text: transcripts.ForkCommand(d.plan), What: "the command"})
	case name == "enter" || name == "y":
		d.writing = true
		return false, screen.Background(func() tea.Msg { return forkWrittenMsg{d, d.plan.Write(false)} })
	}
	return false, nil
}

// Hints are its keys.
func (d *forkBox) Hints() []screen.Hint {
	switch {
	case d.done:
		return []screen.Hint{{Key: "⏎", Text: "copy the command"}, {Key: "esc", Text: "close"}}
	case d.plan == nil || d.err != nil:
		return []screen.Hint{{Key: "esc", Text: "close"}}
	}
	return []screen.Hint{{Key: "⏎", Text: "write"}, {Key: "esc", Text: "cancel"}}
}
