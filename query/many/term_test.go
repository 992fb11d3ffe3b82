package many

import "testing"

// TestTermsOfGroups: the filter that finds the sessions of a group, for each way of grouping.
func TestTermsOfGroups(t *testing.T) {
	for by, want := range map[string]string{"tool": "tool:x", "mcp-server": "tool:*x*", "model": "model:x", "agent": "agent:x", "project": "project:x", "outcome": "end:x",
		"day": "on:x", "session": "file:x", "cause": "cache:x", "task": "", "branch": "", "commit": "", "pr": ""} {
		a := &Answer{By: By{Name: by}}
		if got := a.Term(&Group{Key: "x"}); got != want {
			t.Errorf("%s: %q, want %q", by, got, want)
		}
	}
}
