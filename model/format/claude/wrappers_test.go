package claude

import "testing"

// TestWrappersOfClaude lists the beginnings of texts that Claude Code adds under the user's name.
func TestWrappersOfClaude(t *testing.T) {
	for _, start := range []string{"<ide_opened_file>", "<system-reminder>", "<command-name>", "<command-message>", "<command-args>", "<local-command-stdout>",
		"<task-notification>", "<bash-input>", "<bash-stdout>", "<bash-stderr>", "<user-prompt-submit-hook>", "<teammate-message id=1>", "<user-memory-input>",
		"[Request interrupted by user]", "Caveat: The messages below were generated", "This session is being continued from a previous conversation"} {
		if tag, _ := ClaudeWrapper([]byte(" " + start + " x")); tag == nil {
			t.Errorf("%s wraps a text", start)
		}
		if tag, _ := ClaudeWrapper([]byte("see " + start)); tag != nil {
			t.Errorf("%s wraps nothing in the middle", start)
		}
	}
	for _, start := range []string{"<div>", "[ ] a list", "Come on", "Then", ""} {
		if tag, _ := ClaudeWrapper([]byte(start)); tag != nil {
			t.Errorf("%s is a person's", start)
		}
	}
}
