package session

import (
	"testing"

	"turns/model"
)

// TestWordsOfTitles: AgentName drops the words of a format's title for the kind of file.
func TestWordsOfTitles(t *testing.T) {
	for _, kind := range []string{"session", "sessions", "rollout", "transcript", "trajectory", "thread", "threads", "events", "messages", "history", "conversation",
		"conversations", "export", "results", "items", "runs", "spans", "contents", "evaluation", "training", "stream-json", "--json", "--mode", "task", "or", "and",
		"session,", "(formerly"} {
		s := Session{Summary: model.Summary{Agent: "GitHub Some Agent " + kind + " more"}}
		if got := s.AgentName(); got != "Some Agent" {
			t.Errorf("%s: %q", kind, got)
		}
	}
	s := Session{Summary: model.Summary{Agent: "Session Viewer"}}
	if got := s.AgentName(); got != "Session Viewer" {
		t.Errorf("a title that begins with such a word is %q", got)
	}
}
