package content

import (
	"strings"
	"testing"

	"turns/model"
	"turns/query/querytest"
	"turns/query/window"
)

// TestPhasesOfCalls: the phase of the work of each call's content.
func TestPhasesOfCalls(t *testing.T) {
	for _, c := range []struct{ tool, args, phase string }{
		{"Read", `{"file_path":"a.go"}`, "explore"}, {"Grep", `{"pattern":"x"}`, "explore"}, {"WebFetch", `{"url":"https://x.y"}`, "explore"},
		{"Write", `{"file_path":"a.go","content":"x"}`, "edit"}, {"Bash", `{"command":"make"}`, "run"}, {"Task", `{"prompt":"Look"}`, "delegate"},
		{"TodoWrite", `{"todos":[{"content":"a"}]}`, "plan"}, {"AskUserQuestion", `{"question":"Keep it?"}`, "plan"}, {"unheard", `{}`, "other"},
	} {
		s := model.FromMessages([]model.Message{querytest.Null(model.Assistant, querytest.Call("c", c.tool, c.args))})
		if phases, err := newByPhase(&window.Index{Snap: s}).call(t.Context(), 0); err != nil || strings.Join(phases, " ") != c.phase {
			t.Errorf("%s counts to %q, want %q, %v", c.tool, phases, c.phase, err)
		}
	}
}

// TestPhasesOfKinds: the phase of content outside of calls.
func TestPhasesOfKinds(t *testing.T) {
	for kind, phase := range map[string]string{
		hidden: "setup", system: "setup", injected: "setup", prompts: "talk", answers: "talk", summaries: "compact",
	} {
		if got := phaseOfKind[kind]; got != phase {
			t.Errorf("%s counts to %q, want %q", kind, got, phase)
		}
	}
	if got := strings.Join(Names(), " "); got != "tool file subagent phase" {
		t.Errorf("content is grouped by %s", got)
	}
}
