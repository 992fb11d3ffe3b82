package ui

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/model/load"
	"turns/model/modeltest"
	"turns/ui/transcripts"
)

func TestWalkThrough(t *testing.T) {
	d := drive(t, sample(), 100, 30)
	d.WaitFor("Fix the flaky watcher tes").Selected("You are a careful")
	d.Press("e").Selected("mix test")
	d.Press("l").WaitFor("Assertion with != failed")
	d.Press("h").WaitGone("Assertion with != failed")
	d.Press("e").Selected("npx vitest run").Press("e").Selected("rm -rf testdata/old")
	d.Press("e").WaitFor("no error after #")
	d.Press("[").Selected("npx vitest run")
	d.Press("]").Selected("rm -rf")
	d.Press("p").WaitFor("no prompt after").Press("P").Selected("go on, and now")
	d.Press("g").Selected("You are a careful").Press("G").Selected("go test -race")
	d.Press(": 9 enter").Selected("The subagent fixture test failed")
	d.Press("m a g ' a").Selected("The subagent fixture test failed")
	d.Press("?").WaitFor("Most used").Press("esc").WaitGone("Most used")
	d.Resize(60, 20).Selected("The subagent fixture")
}

func TestSearch(t *testing.T) {
	d := drive(t, sample(), 100, 30)
	d.WaitFor("Fix the flaky")
	d.Press("/").Type("debounce").WaitFor("1 of 2")
	d.Press("enter").Press("n").WaitFor("/debounce  2 of 2")
	d.Press("esc esc").WaitGone("/debounce")
	d.Press("/").Type("zzz").WaitFor("no match").Press("esc").WaitGone("no match")
}

func TestFilter(t *testing.T) {
	d := drive(t, sample(), 100, 30)
	d.WaitFor("Fix the flaky")
	d.Press("f").Type("is:error").WaitFor("3 rows").Press("enter")
	d.WaitGone("Fix the flaky").WaitFor("npx vitest run")
	d.Press("&").WaitFor("Fix the flaky").Press("&").WaitGone("Fix the flaky")
	d.Press("e").Press("+").WaitFor("tool:")
}

func TestTurnsFold(t *testing.T) {
	d := drive(t, sample(), 100, 30)
	d.WaitFor("Fix the flaky").Press("z M").WaitGone("mix test").WaitFor("go on, and now")
	d.Press("p").Selected("Fix the flaky").Press("l").WaitFor("mix test")
	d.Press("z R").WaitFor("on a loaded")
}

// Keys that need a session wait, in order, for its first messages; other keys act immediately, and
// keys do not wait for an unreadable session.
func TestKeysBeforeTheFirstMessagesWait(t *testing.T) {
	b := newBench(t, nil, paneOptions(), 100, 24)
	b.press("q")
	b.press("G 0 z M / B r o k e n")
	if text := ansi.Strip(b.frame()); strings.Contains(text, "no transcript") {
		t.Errorf("the keys are refused:\n%s", text)
	}
	snap := model.FromMessages([]model.Message{
		say(model.User, 0, words("first")), say(model.Assistant, 1, words("a Broken pipe")), say(model.User, 2, words("second")),
	})
	b.send(updateMsg{b.a.feed, transcripts.State{Snap: snap, Indexed: 1, Path: "/tmp/a.jsonl"}, nil})
	if !b.a.list.Searching() || b.a.list.SearchText() != "Broken" || b.a.list.Hits() != 1 {
		t.Errorf("it looks for %q, %d hits:\n%s", b.a.list.SearchText(), b.a.list.Hits(), ansi.Strip(b.frame()))
	}
	b = newBench(t, nil, paneOptions(), 100, 24)
	if b.press("?"); len(b.a.dialogs) != 1 {
		t.Error("the help waits for the session")
	}
	b = newBench(t, nil, paneOptions(), 100, 24)
	b.press("G")
	b.send(updateMsg{b.a.feed, transcripts.State{}, errors.New("no such file")})
	if b.press("j"); len(b.a.early) > 0 || !strings.Contains(b.a.status, "no transcript is open") {
		t.Errorf("after an error %d keys wait, and it says %q", len(b.a.early), b.a.status)
	}
}

// Jumps to calls, errors, steps and rows about the same file unfold the turn of their target.
func TestJumpsOpenFoldedTurns(t *testing.T) {
	for _, c := range []struct{ keys, want string }{
		{"c", "Read"}, {"p %", "assistant"}, {"e", "mix test"}, {")", "reasoning"}, {"e o", "Bash"}, {"G C", "Edit"},
	} {
		b := newBench(t, sample(), testOptions(), 100, 30)
		b.press("z M g " + c.keys)
		if line := frameWith(b, "›"); !strings.Contains(line, c.want) {
			t.Errorf("%s selects %q, and it says %q", c.keys, line, b.a.status)
		}
	}
}

// zo and zc act on the fold that za shows: the turn of a prompt, then the text of the prompt.
func TestFoldKeysAgreeOnTurns(t *testing.T) {
	b := newBench(t, sample(), testOptions(), 100, 30)
	b.press("p")
	for _, c := range []struct{ keys, sign string }{{"z a", "▸"}, {"z o", "▾"}, {"z c", "▸"}, {"z a", "▾"}, {"z o", "▾"}, {"z c", "▾"}, {"z c", "▸"}} {
		b.press(c.keys)
		if line := frameWith(b, "›"); !strings.Contains(line, c.sign+"❯") {
			t.Errorf("after %s the prompt is %q", c.keys, line)
		}
	}
}

// The transcript of a subagent that no call started is marked as separate, though its first
// messages are not shown, and its rows are not events.
func TestSubagentWithoutACallIsSetApart(t *testing.T) {
	path := filepath.Join(modeltest.Corpus(t), "agents/claude_code/spotter/8463c716-a2ea-4c14-9efa-87158ebd9f20.jsonl")
	b := newBench(t, runOf(t, path, load.Options{}), testOptions(), 120, 40)
	b.press("G")
	frame := ansi.Strip(b.frame())
	if !strings.Contains(frame, "subagent in a separate file, started by no call") {
		t.Errorf("nothing sets the compaction apart:\n%s", frame)
	}
	if line := frameLine(b, -2); !strings.Contains(line, "subagent") || strings.Contains(line, " event ") {
		t.Errorf("the status line is %q", line)
	}
}
