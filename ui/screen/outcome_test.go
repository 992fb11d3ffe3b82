package screen

import (
	"testing"

	"turns/model"
	"turns/query/describe"
	"turns/query/querytest"
)

// TestSignsOfOutcomes draws the signs that commands print.
func TestSignsOfOutcomes(t *testing.T) {
	for o := model.Success; o <= model.Background; o++ {
		line := describe.Line{Kind: describe.LineCall, State: o}
		if got, _ := OutcomeGlyph(o); got != line.Glyph() {
			t.Errorf("the screen draws %s for %v, commands print %s", got, o, line.Glyph())
		}
	}
}

// TestRecordedSuccessIsNotRunning draws a call with a recorded outcome and no result as commands
// do.
func TestRecordedSuccessIsNotRunning(t *testing.T) {
	call := querytest.Call("a", "Bash", `{"command":"ls"}`)
	call.Outcome = model.Success
	h := Host{Snap: model.FromMessages([]model.Message{querytest.Null(model.Assistant, call, querytest.Call("b", "Bash", "{}"))})}
	for id, want := range []model.Outcome{model.Success, model.Running} {
		line := describe.Line{Kind: describe.LineCall, Call: model.CallID(id), State: h.Snap.Call(model.CallID(id)).Outcome}
		if got := h.StateOf(&line); got != want {
			t.Errorf("call %d is drawn as %v, want %v", id, got, want)
		}
	}
}
