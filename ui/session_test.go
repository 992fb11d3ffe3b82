package ui

import (
	"errors"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"turns/model"
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

// Keys that need a session wait for its first messages, in their order; others act at once, and
// nothing waits for a session that cannot be read.
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
	if b.press("j"); len(b.a.early) > 0 || !strings.Contains(b.a.said, "no transcript is open") {
		t.Errorf("after an error %d keys wait, and it says %q", len(b.a.early), b.a.said)
	}
}
