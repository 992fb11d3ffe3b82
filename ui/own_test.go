package ui

import (
	"fmt"
	"os"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"turns/model/modeltest"
	"turns/ui/config"
	"turns/ui/screen"
	"turns/ui/sessions"
)

// ownOptions are the options of a user with own commands.
func ownOptions(t *testing.T) screen.Options {
	t.Helper()
	modeltest.Program(t, "sh")
	o := paneOptions()
	o.Env = os.Environ()
	o.Commands = []config.OwnCommand{
		{Name: "shout", Key: "alt+s", Context: config.OnRow, Output: config.ToPane, Script: `printf '\033[31m%s\033[0m at %s\n' "$TURNS_ID" "$TURNS_INDEX"`, Run: "shout {id}"},
		{Name: "count", Key: "z x", Context: config.OnSelection, Output: config.ToStatus, Script: "wc -l", Run: "wc -l"},
		{Name: "fails", Key: "alt+f", Context: config.OnSession, Output: config.ToStatus, Argv: []string{"sh", "-c", "echo no such gist >&2; exit 7"}, Run: "sh"},
		{Name: "ask", Context: config.OnRow, Output: config.ToNone, Confirm: true, Script: `touch "$TURNS_FOLDER/x"`, Run: "touch"},
		{Name: "listed", Key: "alt+l", Context: config.OnList, Output: config.ToStatus, Script: "wc -l", Run: "wc -l"},
	}
	return o
}

// TestOwnCommands presses the keys of commands in the timeline.
func TestOwnCommands(t *testing.T) {
	b := newBench(t, priced(), ownOptions(t), 120, 40)
	b.press("c")
	id, call := b.a.list.Selected()
	if call == screen.NoCall {
		t.Fatal("the row is not a call")
	}
	b.press("alt+s")
	if len(b.a.dialogs) == 0 {
		t.Fatalf("no pane, but %q", b.a.status)
	}
	note := b.a.dialogs[0].(*screen.Note)
	if got, want := strings.Join(note.Text, "\n"), fmt.Sprintf(" at %d", b.a.h.Snap.Pos(id)); strings.Contains(got, "\x1b") || strings.Contains(got, "[31m") || !strings.HasSuffix(got, want) {
		t.Errorf("the output is %q, want an id%s", got, want)
	}
	b.press("esc z x")
	if !strings.Contains(b.a.status, "no rows are selected") {
		t.Errorf("without a selection it says %q", b.a.status)
	}
	b.press("v j j z x")
	if got := strings.TrimSpace(b.a.status); got == "" || got[0] < '1' || got[0] > '9' {
		t.Errorf("with one it says %q", b.a.status)
	}
	b.press("esc alt+f")
	if want := "fails: exit 7: no such gist"; b.a.status != want {
		t.Errorf("it says %q, want %q", b.a.status, want)
	}
	b.press("alt+l")
	if !strings.Contains(b.a.status, "does nothing here") {
		t.Errorf("a command of the list says %q", b.a.status)
	}
	b.press("?")
	if !strings.Contains(frameWith(b, "shout (row)"), "alt+s") {
		t.Errorf("the help has %q", frameWith(b, "shout (row)"))
	}
	b.press("esc : s h o u t")
	if !strings.Contains(frameWith(b, "own command: shout"), "alt+s") {
		t.Errorf("the palette has %q", frameWith(b, "shout"))
	}
}

// TestOwnCommandAsks: the command only runs after y; n cancels it.
func TestOwnCommandAsks(t *testing.T) {
	o := ownOptions(t)
	dir := t.TempDir()
	o.Commands[3].Script = `touch ` + dir + `/x`
	b := newBench(t, priced(), o, 80, 24)
	for _, answer := range []string{"n", "esc", "q"} {
		b.press(": a s k enter")
		if !strings.Contains(b.frame(), "Run ask?") {
			t.Fatalf("it does not ask:\n%s", b.frame())
		}
		b.press(answer)
		if left, _ := os.ReadDir(dir); len(left) > 0 || len(b.a.dialogs) > 0 {
			t.Fatalf("it ran after %s", answer)
		}
	}
	b.press(": a s k enter y")
	if left, _ := os.ReadDir(dir); len(left) != 1 || b.a.status != "ask is done" {
		t.Errorf("after y there are %d files, and it says %q", len(left), b.a.status)
	}
}

// TestMistakesLieOverTheList: turns shows mistakes in full over the session list, once.
func TestMistakesLieOverTheList(t *testing.T) {
	o := testOptions()
	o.Store = &fakeStore{}
	o.Sessions = true
	o.Problems = []string{"/c.toml:3:1: " + strings.Repeat("first ", 40) + "end", "/c.toml:9:1: second"}
	b := newBench(t, priced(), o, 80, 24)
	b.run(b.a.Init())
	b.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	frame := b.frame()
	if !strings.Contains(frame, "2 mistakes in the configuration") || !strings.Contains(frame, "end") || !strings.Contains(frame, "second") {
		t.Errorf("the mistakes are not there in full:\n%s", frame)
	}
	b.press("enter")
	if _, ok := b.a.dialogs[len(b.a.dialogs)-1].(*sessions.List); !ok {
		t.Errorf("no list below:\n%s", b.frame())
	}
}
