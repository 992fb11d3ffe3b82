package ui

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/ui/screen"
)

// edited returns a session of two turns. It writes a file and edits it twice, far apart and with a
// long line, and edits another file of unknown content.
func edited() *model.Snapshot {
	var lines strings.Builder
	for i := range 40 {
		lines.WriteString("line " + string(rune('a'+i%26)) + strings.Repeat(" and more", i%3) + "\\n")
	}
	long := strings.Repeat("word ", 60)
	edit := func(file, old, text string) string {
		return `{"file_path":"` + file + `","old_string":"` + old + `","new_string":"` + text + `"}`
	}
	return model.FromMessages([]model.Message{
		say(model.User, 0, words("write it")),
		say(model.Assistant, 1, call("1", "Write", `{"file_path":"/w/src/a.go","content":"first\n`+lines.String()+`last\n"}`)), say(model.Tool, 2, result("1", "File created successfully")),
		say(model.User, 3, words("now edit it")),
		say(model.Assistant, 4, call("2", "Edit", edit("/w/src/a.go", "first", "the first line"))), say(model.Tool, 5, result("2", "ok")),
		say(model.Assistant, 6, call("3", "Edit", edit("/w/src/a.go", "last", long))), say(model.Tool, 7, result("3", "ok")),
		say(model.Assistant, 8, call("4", "Edit", edit("/w/lib/b.go", "x", "y"))), say(model.Tool, 9, result("4", "ok")),
	})
}

// The tree of changed files leads to the diff of one file in full width. Its keys step through the
// versions, select the version to compare with, and lead to the calls.
func TestFileDiff(t *testing.T) {
	o := testOptions()
	o.Dir = t.TempDir()
	b := newBench(t, edited(), o, 120, 40)
	shows := func(keys string, want ...string) {
		t.Helper()
		b.press(keys)
		frame := ansi.Strip(b.frame())
		for _, w := range want {
			if !strings.Contains(frame, w) {
				t.Fatalf("after %s, %q is not in\n%s", keys, w, frame)
			}
		}
	}
	shows(",", "Changes   2 files  +43 −1", "/w/lib/   +1 −1", "b.go", "M hunks", "/w/src/   +42 −0", "A exact")
	if line := frameWith(b, "edit it"); !strings.Contains(line, "2 calls") && !strings.Contains(line, "3 calls") {
		t.Errorf("the turn is %q", line)
	}
	shows("j enter", "Changes › /w/src/a.go", "start → #6 (version 3 of 3)", "›#1, #4, #6 · Edit · turn 1 · \"now edit it\"", "+42 −0")
	if line := frameWith(b, "Changes ›"); strings.Contains(line, "│") {
		t.Errorf("the diff is next to the timeline: %q", line)
	}
	shows("{", "start → #4 (version 2 of 3)", "#1, #4 · Edit")
	shows("o", "version before → #4 (version 2 of 3)", "›#4 · Edit", "- first", "+ the first line", "+1 −1")
	shows("}", "version before → #6", "+ word word")
	shows("o { {", "start → #1 (version 1 of 3)", "#1 · Write · turn 0 · \"write it\"")
	shows("{", "this is the first version")
	shows("} } x", "wrote ./")
	if found, _ := filepath.Glob(filepath.Join(o.Dir, "*.patch")); len(found) != 1 {
		t.Errorf("%d patches are exported", len(found))
	} else if text, _ := os.ReadFile(found[0]); !strings.Contains(string(text), "+the first line\n") || !strings.HasPrefix(string(text), "diff --git a/w/src/a.go b/w/src/a.go\n") {
		t.Errorf("the patch is\n%s", text)
	}
	shows("y x", "yp copies the patch")
	shows("y p", "copied the patch")
	b.press("enter")
	if id, _ := b.a.h.Rows.Selected(); b.a.h.Snap.Pos(id) != 6 || b.a.h.Focus != screen.PaneNone {
		t.Errorf("Enter goes to #%d", b.a.h.Snap.Pos(id))
	}
	// from a row with an edit, z d shows all changes of its file; on other rows it reports that
	// they have none
	b.press("esc")
	shows("z d", "Changes › /w/src/a.go", "version 3 of 3")
	b.press("h , g")
	shows("z d", "no row here that edits a file")
}

// The key line names what Enter does with the file or the call under the cursor.
func TestEnterOfFilesIsNamed(t *testing.T) {
	s := model.FromMessages([]model.Message{
		say(model.User, 0, words("read and write")),
		say(model.Assistant, 1, call("1", "Read", `{"file_path":"/w/only.go"}`)), say(model.Tool, 2, result("1", "text")),
		say(model.Assistant, 3, call("2", "Read", `{"file_path":"/w/a.go"}`)), say(model.Tool, 4, result("2", "text")),
		say(model.Assistant, 5, call("3", "Write", `{"file_path":"/w/a.go","content":"other"}`)), say(model.Tool, 6, result("3", "ok")),
	})
	b := newBench(t, s, testOptions(), 120, 40)
	for _, c := range []struct{ keys, want string }{{",", "⏎ diff   c calls"}, {"j", "⏎ calls   +"}, {"k c", "⏎ jump"}, {"j", "⏎ diff"}} {
		b.press(c.keys)
		if got := frameLine(b, -1); !strings.Contains(got, c.want) {
			t.Errorf("after %q the key line is %q, want %q", c.keys, got, c.want)
		}
	}
}

// The diff fits its pane, and its title contains the file on screens of any size.
func TestFileDiffFits(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}, {200, 60}} {
		b := newBench(t, edited(), testOptions(), size[0], size[1])
		b.press(", j enter } o G")
		frame := b.frame()
		for line := range strings.Lines(frame) {
			if w := ansi.StringWidth(strings.TrimRight(line, "\n")); w > size[0] {
				t.Errorf("%d columns: a line has %d: %q", size[0], w, ansi.Strip(line))
			}
		}
		if frame = ansi.Strip(frame); !strings.Contains(frame, "word") || !strings.Contains(frame, "a.go") {
			t.Errorf("%d columns:\n%s", size[0], frame)
		}
	}
}

// The head of a turn has its net change, not the sum of its edits.
func TestTurnsHaveTheirNetChange(t *testing.T) {
	b := newBench(t, edited(), testOptions(), 120, 30)
	b.press("g")
	if line := frameWith(b, "write it"); !strings.Contains(line, "+42 −0") {
		t.Errorf("the first turn is %q", line)
	}
	if line := frameWith(b, "now edit it"); !strings.Contains(line, "+3 −3") {
		t.Errorf("the second turn is %q", line)
	}
}

// The head of a turn with unknown changes has no net change.
func TestTurnsWithUnknownChanges(t *testing.T) {
	b := newBench(t, model.FromMessages([]model.Message{
		say(model.User, 0, words("write it")),
		say(model.Assistant, 1, call("1", "Bash", `{"command":"echo x > a.txt"}`)), say(model.Tool, 2, result("1", "")),
	}), testOptions(), 120, 30)
	if _, ok := b.a.h.TurnNets[0]; !ok {
		t.Fatal("the turn changes no file")
	}
	if line := frameWith(b, "write it"); !strings.Contains(line, "1 call") || strings.Contains(line, "+0") {
		t.Errorf("the turn is %q", line)
	}
}

// Net changes need the texts of all changes: they are computed only if a row has room for them, and
// wait while the user presses keys or another job runs.
func TestNetChangesWaitForARest(t *testing.T) {
	if narrow := newBench(t, edited(), testOptions(), 80, 24); narrow.a.h.TurnNets != nil {
		t.Error("net changes are computed for rows without room for them")
	}
	b := newBench(t, edited(), testOptions(), 120, 30)
	n := &b.a.answers
	for _, busy := range []*bool{&n.pressed, &n.counting, &n.busy} {
		b.a.h.TurnNets, n.netted, n.netting = nil, 0, true
		*busy = true
		ran := b.run(n.netDue())
		if *busy = false; len(ran) != 1 || ran[0] != (netDueMsg{}) {
			t.Errorf("the reader or another job is busy, and %v is computed", ran)
		}
	}
	stopped := n.netDue()
	n.input()
	if ran := b.run(stopped); len(ran) != 1 || !errors.Is(ran[0].(netMsg).err, context.Canceled) {
		t.Errorf("a key does not stop the job: %+v", ran)
	} else if b.run(n.turnsNetted(ran[0].(netMsg))); n.netted != 0 || !n.netting {
		t.Error("the stopped job is not done again")
	}
	n.pressed = false
	if ran := b.run(n.netDue()); len(ran) != 1 {
		t.Errorf("after a rest %v is computed", ran)
	} else if msg, ok := ran[0].(netMsg); !ok || len(msg.nets) != 2 {
		t.Errorf("after a rest it is %+v", ran[0])
	}
}

// The summary of a turn fits its row: narrow rows omit parts, and no part is cut in the middle.
func TestTurnsFitTheirRows(t *testing.T) {
	for w := 92; w <= 160; w++ {
		b := newBench(t, edited(), testOptions(), w, 30)
		b.press("g")
		for _, prompt := range []string{"write it", "now edit it"} {
			line, _, _ := strings.Cut(frameWith(b, prompt), "│")
			if strings.Contains(line, "…") || !strings.Contains(line, "call") {
				t.Errorf("%d columns: %q", w, line)
			}
		}
	}
}
