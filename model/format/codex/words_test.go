package codex

import (
	"testing"

	"turns/model"
)

// TestTextsOfCodex lists the beginnings of texts that Codex adds under the user's name.
func TestTextsOfCodex(t *testing.T) {
	for _, start := range []string{"<environment_context", "<user_instructions", "# AGENTS.md instructions", "<permissions instructions>", "<collaboration_mode>",
		"<skills_instructions>", "<turn_aborted>", "<subagent_notification>", "<hook_prompt", "<user_shell_command>", "<apps_instructions>", "<plugins_instructions>",
		"<personality_spec>", "<model_switch>", "<multi_agent_mode>", "<skill>", "<recommended_plugins>"} {
		if !codexInjected(model.StringText(" "+start+" x")) || codexInjected(model.StringText("see "+start)) {
			t.Errorf("%s is injected at the beginning only", start)
		}
	}
}

// TestFailuresOfCodex: a line that Codex itself adds to the output of a call shows its outcome.
func TestFailuresOfCodex(t *testing.T) {
	want := map[string]model.Outcome{"Script failed": model.Failure, "Script terminated": model.Stopped, "Script running": model.Background,
		"exec_command failed": model.Failure, "apply_patch verification failed": model.Failure, "failed in sandbox": model.Failure, "execution error": model.Failure,
		"unsupported call": model.Failure, "unsupported custom tool call": model.Failure, "failed to parse function arguments": model.Failure,
		"tool call error": model.Failure, "write_stdin failed": model.Failure, "err: ": model.Failure, "rejected by user": model.Denied,
		"exec command rejected": model.Denied, "patch rejected": model.Denied, "user rejected": model.Denied, "aborted by user": model.Stopped, "aborted": model.Stopped,
		"command timed out": model.TimedOut, "user cancelled": model.Cancelled}
	for phrase, outcome := range want {
		if got, _ := CodexJudge(model.StringText(phrase + ": x")); got != outcome {
			t.Errorf("%q is %v, want %v", phrase, got, outcome)
		}
	}
}
