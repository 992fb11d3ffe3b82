package source

import "testing"

// TestTablesThatMayTalk: a table of messages has a column with text, and another with the speaker.
func TestTablesThatMayTalk(t *testing.T) {
	for _, said := range []string{"content", "text", "message", "body", "msg", "prompt", "question", "response", "answer", "reply", "output", "query", "input"} {
		if !mayTalk([]string{"id", "the_" + said, "role"}) || mayTalk([]string{"id", "the_" + said, "size"}) {
			t.Errorf("a column %s", said)
		}
	}
	for _, who := range []string{"role", "sender", "author", "speaker", "from", "user", "bot", "assistant", "ai", "human", "type", "response", "answer", "reply", "output",
		"direction", "completion"} {
		if !mayTalk([]string{"body", who + "_x"}) || mayTalk([]string{"size", who + "_x"}) {
			t.Errorf("a column %s", who)
		}
	}
}
