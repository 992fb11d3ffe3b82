package human

import (
	"strings"
	"testing"
)

// TestReasonsAreForPeople: reasons contain no event names and no identifiers.
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

// TestReasonWords: the formats' reasons, grouped by the text shown for them.
func TestReasonWords(t *testing.T) {
	for want, words := range map[string]string{
		"": "end_turn|end of turn|endturn|completed|complete|success|stop|finish|finished|task_complete|task_completed|turn_complete|turn.completed|" +
			"turn.complete|routine|result|done|ok|agent_stop|user_stop|stop_sequence|error|failed|failure|turn.failed|turn_failed|task_failed|error_during_execution",
		"interrupted":                          "aborted|abort|cancelled|canceled|user_interrupt|turn_aborted|turn.aborted|userinterruption",
		"turn limit reached":                   "max_turns|error_max_turns",
		"step limit reached":                   "max_steps|max_iterations",
		"output limit reached":                 "max_tokens|length",
		"cost limit reached":                   "error_max_budget_usd|exit_cost",
		"context window full":                  "exit_context",
		"answers in a wrong format":            "exit_format",
		"error":                                "exit_error",
		"limit reached":                        "limitsexceeded",
		"submitted":                            "submitted",
		"submitted at the cost limit":          "submitted (exit_cost)",
		"submitted with a full context window": "submitted (exit_context)",
		"too many errors":                      "too_many_errors",
		"error of the agent":                   "agent_error",
		"error of the simulated user":          "user_error",
		"error of the infrastructure":          "infrastructure_error",
		"timed out":                            "timeout",
		"refused":                              "refusal",
	} {
		for word := range strings.SplitSeq(words, "|") {
			if got := Reason(" " + strings.ToUpper(word)); got != want {
				t.Errorf("%q: %q, want %q", word, got, want)
			}
		}
	}
}
