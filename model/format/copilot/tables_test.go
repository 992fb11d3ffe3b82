package copilot

import (
	"strings"
	"testing"

	"turns/model/jsonspan"
)

// TestKindsOfEvents: an event of Copilot's log begins with one of these words and a dot.
func TestKindsOfEvents(t *testing.T) {
	for _, name := range []string{"session", "user", "assistant", "tool", "system", "subagent", "hook", "permission", "model", "skill", "command",
		"external_tool", "elicitation", "mcp", "exit_plan_mode", "pending_messages", "capabilities"} {
		if !copilotKind([]byte(name + ".started")) {
			t.Errorf("%s.started is an event", name)
		}
		if copilotKind([]byte(name)) || copilotKind([]byte("x"+name+".started")) {
			t.Errorf("%s alone is not an event", name)
		}
	}
}

// TestEditsBehindTheEnd: an edit may be after the end of its list, by at most 65,536 places.
func TestEditsBehindTheEnd(t *testing.T) {
	n := &vscodeNode{kind: jsonspan.Array}
	for step, want := range map[string]bool{"0": true, "65536": true, "65537": false, "-1": false, "x": false} {
		if _, err := n.child([]byte(step), false); (err == nil) != want {
			t.Errorf("at %s: %v", step, err)
		}
	}
	if at, err := n.child([]byte("2"), true); err != nil || at != 2 || len(n.items) != 3 || strings.Contains(string(n.items[0].raw), "x") {
		t.Errorf("%d, %v, %d items", at, err, len(n.items))
	}
}
