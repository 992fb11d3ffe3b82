package gptme

import (
	"testing"

	"turns/model"
)

// TestToolsOfGptme: a fenced block with one of these tools is a call, one with a language is text.
func TestToolsOfGptme(t *testing.T) {
	for _, tool := range []string{"shell", "ipython", "save", "append", "patch", "patch_many", "morph", "read", "tmux", "browser", "gh", "vision", "screenshot",
		"chats", "subagent", "computer", "rag", "todo", "todoread", "todowrite", "choice", "form", "complete", "restart", "memory", "mcp", "lessons", "youtube", "elicit"} {
		if !gptmeTools[tool] {
			t.Errorf("blocks of %s are run", tool)
		}
	}
	for _, language := range []string{"python", "bash", "go", ""} {
		if gptmeTools[language] {
			t.Errorf("blocks of %q are shown", language)
		}
	}
	for _, start := range []string{"Ran command", "Ran allowlisted command", "Ran `ls`", "Executed code block", "Saved to ", "Saved file", "Appended to ", "Patch ",
		"No output", "Error", "Aborted", "Promoted to background", "**Job #", "Shell command timed out", "Command timed out", "Interrupted", "```stdout",
		"```stderr", "Execution declined", "Declined"} {
		if !gptmeIsResult(model.StringText("\n"+start+"x")) || gptmeIsResult(model.StringText("see: "+start)) {
			t.Errorf("%q begins a result", start)
		}
	}
}
