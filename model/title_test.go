package model_test

import (
	"context"
	"testing"

	"turns/model"
)

// A conversation's title is the first prompt that states a task.
func TestTitlesThatPeopleRecognise(t *testing.T) {
	prompt := func(text string) model.Message {
		return model.Message{Role: model.User, Blocks: []model.Content{{Kind: model.Words, Text: text}}}
	}
	runs := func(command string) model.Message {
		return model.Message{Role: model.Assistant, Blocks: []model.Content{{Kind: model.ToolCall, ID: "c", Name: "Bash", JSON: true, Text: `{"command":"` + command + `"}`}}}
	}
	task := func(args string) model.Message {
		return model.Message{Role: model.Assistant, Blocks: []model.Content{{Kind: model.ToolCall, ID: "t", Name: "Task", JSON: true, Text: args}}}
	}
	for _, c := range []struct {
		name     string
		messages []model.Message
		want     string
	}{
		{"a prompt", []model.Message{prompt("Fix the flaky test")}, "Fix the flaky test"},
		{"a command first", []model.Message{prompt("/mode"), prompt("Fix the flaky test")}, "Fix the flaky test"},
		{"a number first", []model.Message{prompt("1"), prompt("hi"), prompt("ls"), prompt("Why is it slow?")}, "Why is it slow?"},
		{"a command with words", []model.Message{prompt("/review the last commit"), prompt("go on please")}, "/review the last commit"},
		{"a path", []model.Message{prompt("/home/ada/notes.md")}, "/home/ada/notes.md"},
		{"one word", []model.Message{prompt("Continue"), prompt("Fix it, then test")}, "Continue"},
		{"another script", []model.Message{prompt("1"), prompt("修正して")}, "修正して"},
		{"only little", []model.Message{prompt("ls"), prompt("y")}, "ls"},
		{"a commit", []model.Message{prompt("1"), runs(`git add -A && git commit -m \"Close the watcher in its test\"`)}, "Close the watcher in its test"},
		{"a commit of a here document", []model.Message{prompt("1"), runs(`git commit -m \"$(cat <<'EOF'\nClose the watcher\n\nBody\nEOF\n)\"`)}, "Close the watcher"},
		{"a task", []model.Message{prompt("1"), task(`{"description":"Find the \"flaky\" test","prompt":"look"}`)}, `Find the "flaky" test`},
		{"a task and a commit", []model.Message{prompt("1"), task(`{"description":"Find the test","prompt":"look"}`), runs(`git commit -m \"Close the watcher\"`)}, "Close the watcher"},
		{"no task", []model.Message{prompt("1"), task(`{"description":"List all files","command":"ls"}`)}, "1"},
	} {
		snap := model.FromMessages(c.messages)
		if got := model.NewTitles(snap, nil).Of(context.Background(), 0); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
