package ui

import (
	"regexp"
	"testing"

	"turns/model"
)

// TestFurtherResultsAreRows: a second result of a call has a row with its own outcome, and a detail
// with its text; an equal one is marked as a repeat. The row of the call shows the first.
func TestFurtherResultsAreRows(t *testing.T) {
	b := newBench(t, model.FromMessages([]model.Message{
		say(model.User, 0, words("go")),
		say(model.Assistant, 1, call("X", "Bash", `{"command":"make"}`)),
		say(model.Tool, 2, result("X", "FIRST ok")),
		say(model.Tool, 3, failed("X", "SECOND exploded", model.Failure)),
		say(model.Tool, 4, result("X", "FIRST ok")),
		say(model.Assistant, 5, words("done")),
	}), paneOptions(), 120, 30)
	holds := func(where string, patterns ...string) {
		t.Helper()
		frame := seen(b)
		for _, p := range patterns {
			if !regexp.MustCompile(p).MatchString(frame) {
				t.Errorf("%s has no %q:\n%s", where, p, frame)
			}
		}
	}
	holds("the timeline", `✓ Bash +make`, `✗ Bash +another result`, `✓ Bash +the same result again`)
	b.press("e")
	holds("after a jump to the error", `› .*✗ Bash +another result`)
	b.press("enter")
	holds("the detail", `SECOND exploded`)
}
