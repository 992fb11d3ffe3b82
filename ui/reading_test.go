package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/ui/screen"
)

// readable returns a session with a long answer, folded work and an error.
func readable() *model.Snapshot {
	long := strings.TrimSpace(strings.Repeat("the watcher waits for events and forgets none of them ", 12))
	return model.FromMessages([]model.Message{
		say(model.User, 0, words("Fix the flaky test.\n\nKeep the public API.")),
		say(model.Assistant, 5, reasoning("secret thoughts"), call("a", "Read", `{"file_path":"/w/a.go"}`), call("b", "Bash", `{"command":"go test ./..."}`)),
		say(model.Tool, 6, result("a", "package a"), failed("b", "boom", model.Failure)),
		say(model.Assistant, 10, words("# Results\n\n"+long+"\n\nIt ends here.")),
		say(model.User, 20, words("go on")),
		say(model.Assistant, 25, words("Gladly.")),
	})
}

// One key shows prompts and answers in full and one line for the work between them; the same key
// returns to the same frame.
func TestReadingMode(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}} {
		b := newBench(t, readable(), paneOptions(), size[0], size[1])
		b.press("g")
		before := seen(b)
		b.press("Y")
		frame := seen(b)
		for _, want := range []string{"You", "Keep the public API.", "thought · read 1 file · ran 1 command · 1 failed", "✗ Bash go test ./...: boom", "Results"} {
			if !strings.Contains(frame, want) {
				t.Errorf("%v: no %q in\n%s", size, want, frame)
			}
		}
		if strings.Contains(frame, "secret thoughts") || strings.Contains(frame, "# Results") {
			t.Errorf("%v: reasoning or a sign of Markdown is shown:\n%s", size, frame)
		}
		lines := strings.Split(frame, "\n")
		for _, line := range lines[4 : len(lines)-2] {
			if w := ansi.StringWidth(strings.TrimRight(line, " ")); w > 3+screen.ReadingWidth {
				t.Errorf("%v: %q is %d cells wide", size, line, w)
			}
		}
		b.press("l")
		if frame := seen(b); !strings.Contains(frame, "secret thoughts") {
			t.Errorf("%v: the steps do not open:\n%s", size, frame)
		}
		b.press("Y")
		if got := seen(b); got != before {
			t.Errorf("%v: back at\n%s\nbefore it was\n%s", size, got, before)
		}
	}
}

// The reading mode starts at the message of the cursor, goes from prompt to prompt and to errors,
// finds texts, and leads to the place in the timeline.
func TestReadingModeMoves(t *testing.T) {
	b := newBench(t, readable(), paneOptions(), 80, 14)
	b.press("G Y")
	if frame := seen(b); !strings.Contains(frame, "passage 6 of 6") || !strings.Contains(frame, "Gladly.") {
		t.Errorf("it begins at\n%s", frame)
	}
	b.press("P")
	if frame := seen(b); !strings.Contains(frame, "passage 5 of 6") || !strings.Contains(frame, "go on") {
		t.Errorf("P goes to\n%s", frame)
	}
	b.press("E")
	if frame := seen(b); !strings.Contains(frame, "boom") {
		t.Errorf("E goes to\n%s", frame)
	}
	b.press("/")
	b.typed("ends here")
	b.press("enter")
	if frame := seen(b); !strings.Contains(frame, "It ends here.") {
		t.Errorf("/ goes to\n%s", frame)
	}
	b.press("g p enter")
	if id, _ := b.a.list.Selected(); b.a.h.Focus != screen.PaneNone || b.a.h.Snap.Pos(id) != 4 {
		t.Errorf("enter leads to #%d, the focus is on %q", b.a.h.Snap.Pos(id), b.a.h.Focus)
	}
}
