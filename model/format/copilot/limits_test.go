package copilot

import (
	"strings"
	"testing"

	"turns/model"
	"turns/model/jsonspan"
)

// TestDeepestTree: turns reads a rendered prompt to a depth of 200.
func TestDeepestTree(t *testing.T) {
	for depth, want := range map[int]string{200: "x", 201: ""} {
		c := jsonspan.New([]byte(strings.Repeat(`{"children":[`, depth) + `{"text":"x"}` + strings.Repeat(`]}`, depth)))
		if got := string(vscodeTree(nil, &c, 0)); got != want {
			t.Errorf("at depth %d: %q", depth, got)
		}
	}
}

// TestConfirmations: a call that the user refuses is denied, one that the user skips cancelled.
func TestConfirmations(t *testing.T) {
	for confirmed, want := range map[string]model.Outcome{
		"0": model.Denied, "false": model.Denied, `{"type":0}`: model.Denied, "5": model.Cancelled, `{"type":5}`: model.Cancelled,
		"1": model.Success, "4": model.Success, "6": model.Success, "true": model.Success,
	} {
		call := vscodeInvocation{confirmed: []byte(confirmed), complete: []byte("true")}
		if got := call.outcome(); got != want {
			t.Errorf("confirmed %s: %s, want %s", confirmed, got, want)
		}
	}
}
