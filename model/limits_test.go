package model_test

import (
	"fmt"
	"strings"
	"testing"

	"turns/model"
)

// TestFactsOfOneRecord: a record has up to 65,535 facts.
func TestFactsOfOneRecord(t *testing.T) {
	var fs model.Facts
	for range 1<<16 - 1 {
		fs.Add(model.Note)
	}
	defer func() {
		if recover() == nil {
			t.Error("a record has more facts than can be distinguished")
		}
	}()
	fs.Add(model.Note)
}

// calls returns a message with calls of these tools without results.
func calls(tools ...string) model.Message {
	m := model.Message{Role: model.Assistant}
	for _, tool := range tools {
		m.Blocks = append(m.Blocks, model.Content{Kind: model.ToolCall, ID: "call " + tool, Name: tool, JSON: true, Text: "{}"})
	}
	return m
}

func says(role model.Role, text string) model.Message {
	return model.Message{Role: role, Blocks: []model.Content{{Kind: model.Words, Text: text}}}
}

// TestTitlesAreShort: a title has at most 400 bytes of a prompt.
func TestTitlesAreShort(t *testing.T) {
	for size, want := range map[int]int{400: 400, 401: 400, 300: 300} {
		snap := model.FromMessages([]model.Message{says(model.User, "Fix it "+strings.Repeat("x", size-7))})
		if got := strings.TrimSuffix(model.NewTitles(snap, nil).Of(t.Context(), 0), "…"); len(got) > want || len(got) < want-400 || size == 400 && len(got) != 400 {
			t.Errorf("a prompt of %d bytes has a title of %d", size, len(got))
		}
	}
}

// TestTitlesOfCommits: the title of a session without a task is its commit, if that is among the
// first 200 messages.
func TestTitlesOfCommits(t *testing.T) {
	commit := model.Message{Role: model.Assistant, Blocks: []model.Content{{Kind: model.ToolCall, ID: "c", Name: "Bash", JSON: true, Text: `{"command":"git commit -m \"Close the watcher\""}`}}}
	for at, want := range map[int]string{199: "Close the watcher", 200: "1"} {
		messages := []model.Message{says(model.User, "1")}
		for len(messages) < at {
			messages = append(messages, says(model.Assistant, "ok"))
		}
		snap := model.FromMessages(append(messages, commit))
		if got := model.NewTitles(snap, nil).Of(t.Context(), 0); got != want {
			t.Errorf("a commit in message %d: the title is %q", at, got)
		}
	}
}

// TestRunningCalls: calls of the last turn without a result are running if they are among the last
// 64 messages. The ending names at most 16 tools.
func TestRunningCalls(t *testing.T) {
	for after, want := range map[int]int{0: 1, 63: 1, 64: 0} {
		messages := []model.Message{says(model.User, "go"), calls("Bash")}
		for range after {
			messages = append(messages, says(model.Assistant, "on it"))
		}
		snap := model.FromMessages(messages)
		if got := snap.Ending(0, 0); got.Runs != want {
			t.Errorf("%d messages after a call: %d run", after, got.Runs)
		}
	}
	var tools []string
	for i := range 17 {
		tools = append(tools, fmt.Sprintf("tool%02d", i))
	}
	got := model.FromMessages([]model.Message{says(model.User, "go"), calls(tools...)}).Ending(0, 0)
	if got.Runs != 17 || strings.Count(got.Tools, "\n") != 15 {
		t.Errorf("%d calls run, with the tools %q", got.Runs, got.Tools)
	}
}

// TestModelOfTheEnd: Model returns the model of the last response among the last 64 messages.
func TestModelOfTheEnd(t *testing.T) {
	for after, want := range map[int]string{63: "gpt-5", 64: ""} {
		said := says(model.Assistant, "hi")
		said.Model = "gpt-5"
		messages := []model.Message{said}
		for range after {
			messages = append(messages, says(model.User, "go on"))
		}
		if got := model.FromMessages(messages).Model(0); got != want {
			t.Errorf("%d messages after the response: the model is %q", after, got)
		}
	}
}
