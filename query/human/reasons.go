package human

import "strings"

// reasons maps the recorded words for an end to words for people: "" for words that only mean that
// the session has ended.
var reasons = map[string]string{
	"end_turn": "", "end of turn": "", "endturn": "", "completed": "", "complete": "", "success": "", "stop": "", "finish": "", "finished": "",
	"task_complete": "", "task_completed": "", "turn_complete": "", "turn.completed": "", "turn.complete": "", "routine": "", "result": "", "done": "", "ok": "",
	"agent_stop": "", "user_stop": "", "stop_sequence": "",
	"error": "", "failed": "", "failure": "", "turn.failed": "", "turn_failed": "", "task_failed": "", "error_during_execution": "",
	"aborted": "interrupted", "abort": "interrupted", "cancelled": "interrupted", "canceled": "interrupted", "user_interrupt": "interrupted",
	"turn_aborted": "interrupted", "turn.aborted": "interrupted",
	"userinterruption": "interrupted", "max_turns": "turn limit reached", "error_max_turns": "turn limit reached", "max_steps": "step limit reached",
	"max_iterations": "step limit reached", "max_tokens": "output limit reached", "length": "output limit reached",
	"error_max_budget_usd": "cost limit reached", "exit_cost": "cost limit reached", "exit_context": "context window full",
	"exit_format": "answers in a wrong format", "exit_error": "error", "limitsexceeded": "limit reached", "submitted": "submitted",
	"submitted (exit_cost)": "submitted at the cost limit", "submitted (exit_context)": "submitted with a full context window",
	"too_many_errors": "too many errors", "agent_error": "error of the agent", "user_error": "error of the simulated user",
	"infrastructure_error": "error of the infrastructure", "timeout": "timed out", "refusal": "refused",
}

// Reason returns readable words for a recorded reason of an end, "" if they would only repeat
// the state. Identifiers lose their underscores.
func Reason(recorded string) string {
	recorded = strings.TrimSpace(recorded)
	if words, known := reasons[strings.ToLower(recorded)]; known {
		return words
	}
	if !strings.ContainsAny(recorded, " /") {
		return strings.ReplaceAll(recorded, "_", " ")
	}
	return recorded
}
