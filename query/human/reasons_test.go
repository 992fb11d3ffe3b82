package human

import "testing"

// A verdict is read by people: no name of an event, no identifier.
func TestReasonsAreForPeople(t *testing.T) {
	for _, c := range []struct{ recorded, want string }{
		{"routine", ""}, {"turn.completed", ""}, {"task_complete", ""}, {"end_turn", ""}, {"finish", ""}, {"success", ""}, {"end of turn", ""},
		{"", ""}, {"error_max_turns", "turn limit reached"}, {"Submitted", "submitted"}, {"aborted", "interrupted"}, {"exit_cost", "cost limit reached"},
		{"tool_use_denied", "tool use denied"}, {"rate_limit on /v1/x", "rate_limit on /v1/x"}, {"API Error: 529", "API Error: 529"},
	} {
		if got := Reason(c.recorded); got != c.want {
			t.Errorf("%q: %q, want %q", c.recorded, got, c.want)
		}
	}
}
