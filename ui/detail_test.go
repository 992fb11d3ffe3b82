package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/ui/screen"
)

// The detail begins with the arguments and the result, even on a small screen, then shows the
// model's next step; other fields stay on a line until they are unfolded.
func TestDetailBeginsWithContent(t *testing.T) {
	script := "cat <<'EOF'\n" + strings.Repeat("a line of a long script\n", 60) + "EOF"
	m := say(model.Assistant, 1, call("c1", "Bash", fmt.Sprintf(`{"command":%q}`, script)))
	for i := range 30 {
		m.Extra = append(m.Extra, model.KeyValue{Name: fmt.Sprintf("field%d", i), Value: "x"})
	}
	m.Extra = append(m.Extra, model.KeyValue{Name: "blob", Value: strings.Repeat("KBxNP1TH ", 200)})
	b := newBench(t, model.FromMessages([]model.Message{
		say(model.User, 0, words("Run it")), m,
		say(model.Tool, 2, failed("c1", "Exit code 3\nno such thing", model.Failure)),
		say(model.Assistant, 3, words("That did not work."), call("c2", "Bash", `{"command":"ls -la"}`)),
	}), testOptions(), 80, 24)
	b.press("e enter")
	frame := ansi.Strip(b.frame())
	at := -1
	for _, want := range []string{"$ cat <<'EOF'", "lines, ⏎ shows all", "✗ result, 2 lines", "no such thing", "then  ● That did not work.", "◌ Bash  ls -la"} {
		i := strings.Index(frame, want)
		if i <= at {
			t.Fatalf("%q is missing or out of order:\n%s", want, frame)
		}
		at = i
	}
	b.press("G")
	if frame = ansi.Strip(b.frame()); !strings.Contains(frame, "▸ 3") || strings.Contains(frame, "KBxNP1TH") {
		t.Errorf("the fields are not folded:\n%s", frame)
	}
	b.press("g enter")
	if frame = ansi.Strip(b.frame()); !strings.Contains(frame, "a line of a long script") || strings.Contains(frame, "shows all") {
		t.Errorf("the arguments are not whole:\n%s", frame)
	}
	b.press("G")
	if frame = ansi.Strip(b.frame()); !strings.Contains(frame, "KBxNP1TH") {
		t.Errorf("the fields are not there:\n%s", frame)
	}
}

// The pane shows as much as fits when its fields are folded again.
func TestDetailFoldsBackToTheTop(t *testing.T) {
	m := say(model.Assistant, 1, call("c1", "Bash", `{"command":"ls"}`))
	for i := range 30 {
		m.Extra = append(m.Extra, model.KeyValue{Name: fmt.Sprintf("field%d", i), Value: "x"})
	}
	b := newBench(t, model.FromMessages([]model.Message{say(model.User, 0, words("Run it")), m, say(model.Tool, 2, result("c1", "a.go"))}), testOptions(), 80, 24)
	b.press("c enter")
	folded := seen(b)
	b.press("enter")
	if frame := seen(b); strings.Contains(frame, "arguments") || !strings.Contains(frame, "field24") {
		t.Fatalf("the fields are not unfolded:\n%s", frame)
	}
	b.press("enter")
	if frame := seen(b); frame != folded {
		t.Errorf("folded again:\n%s\nbefore:\n%s", frame, folded)
	}
}

// If there is room, all texts are unfolded and use the width of the screen.
func TestDetailTakesTheRoom(t *testing.T) {
	b := newBench(t, sample(), testOptions(), 200, 60)
	b.press("e enter")
	if frame := ansi.Strip(b.frame()); strings.Contains(frame, "▸ ") || !strings.Contains(frame, "duration") {
		t.Errorf("fields are folded on an empty screen:\n%s", frame)
	}
	for _, c := range []struct{ w, tables, texts int }{{100, 0, 0}, {120, 40, 43}, {149, 44, 59}, {150, 45, 50}, {160, 48, 59}, {200, 59, 80}, {300, 59, 120}} {
		if tables, texts := sideWidth(c.w, false), sideWidth(c.w, true); tables != c.tables || texts != c.texts {
			t.Errorf("at %d columns the side has %d for tables, %d for texts", c.w, tables, texts)
		}
	}
	if b.a.h.Focus != screen.PaneDetail {
		t.Error("the detail has no focus")
	}
}

// Lines of a result are numbered as recorded, even if long ones wrap: the position, NG and the
// place after zw count recorded lines, and y copies them unwrapped.
func TestLinesOfALongResult(t *testing.T) {
	var lines []string
	for i := range 900 {
		lines = append(lines, fmt.Sprintf("%04d %s end", i+1, strings.Repeat("wide ", 30)))
	}
	b := newBench(t, model.FromMessages([]model.Message{
		say(model.User, 0, words("Run it")), say(model.Assistant, 1, call("c1", "Bash", `{"command":"cat log"}`)),
		say(model.Tool, 2, result("c1", strings.Join(lines, "\n"))),
	}), testOptions(), 80, 24)
	b.press("c enter")
	for _, c := range []struct{ keys, place, top string }{
		{"", "line 1 of 900", "arguments"},
		{"3 1 2 G", "line 312 of 900", "0312 wide"},
		{"z w", "line 312 of 900", "0312 wide"},
		{"j", "line 313 of 900", "0313 wide"},
		{"z w", "line 313 of 900", "0313 wide"},
		{"9 0 0 G", "line 900 of 900", ""},
		{"g", "line 1 of 900", "arguments"},
		{"/ 0 4 1 1 enter", "line 411 of 900", ""},
		{"z w z w", "line 411 of 900", ""},
	} {
		b.press(c.keys)
		frame := strings.Split(seen(b), "\n")
		if !strings.Contains(frame[2], c.place) || !strings.Contains(frame[4], c.top) {
			t.Errorf("after %q the pane is at\n%s", c.keys, strings.Join(frame[2:8], "\n"))
		}
	}
	var copied string
	ask := b.a.h.Ask
	b.a.h.Ask = func(msg tea.Msg) tea.Cmd {
		if c, ok := msg.(screen.Copied); ok {
			copied = c.Text
		}
		return ask(msg)
	}
	b.press("8 8 0 G v 9 0 0 G y")
	if want := strings.Join(lines[879:], "\n"); copied != want {
		t.Errorf("copied\n%s\nwant\n%s", copied, want)
	}
}

// A result that is slow to draw is read again by a command, for its other fields.
func TestDetailOutlivesTheTimeOfAFrame(t *testing.T) {
	body := strings.Repeat("\x1b[31ma line of a long result\x1b[0m\n", 6000)
	snap := model.FromMessages([]model.Message{
		say(model.User, 0, words("go")), say(model.Assistant, 1, call("c1", "Bash", `{"command":"cat a"}`)), say(model.Tool, 2, result("c1", body)),
	})
	for budget := 100 * time.Microsecond; budget < 20*time.Millisecond; budget += budget / 4 {
		b := newBench(t, snap, paneOptions(), 140, 42)
		b.press("c")
		b.a.h.Bodies.Budget = budget
		b.press("enter")
		if b.a.broken != nil {
			t.Fatalf("with %v for a frame: %v", budget, b.a.broken)
		}
		if text := ansi.Strip(b.frame()); !strings.Contains(text, "a line of a long result") {
			t.Errorf("with %v for a frame the detail shows:\n%s", budget, text)
		}
	}
}
