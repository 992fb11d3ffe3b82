package summary

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/describe"
)

// TestPositionsHaveNoSeparators expects the numbers of messages, turns and steps in the form of
// --at and of filters: without the commas of counts.
func TestPositionsHaveNoSeparators(t *testing.T) {
	var messages []model.Message
	for range 1200 {
		messages = append(messages, model.Message{Role: model.User, Blocks: []model.Content{{Kind: model.Words, Text: "do"}}})
	}
	messages = append(messages,
		model.Message{Role: model.Assistant, Blocks: []model.Content{{Kind: model.ToolCall, ID: "a", Name: "Bash", Text: "{}"}}},
		model.Message{Role: model.Tool, Blocks: []model.Content{{Kind: model.ToolResult, ID: "a", Text: "no", Outcome: model.Failure}}})
	snap := model.FromMessages(messages)
	sel, turns := query.Everything(snap), query.NewTurnIndex(snap)
	log, err := WorkLog(t.Context(), describe.NewView(sel, nil), turns, WorkLogOptions{})
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{"log": log.Doc().String()}
	for d, err := range ToolSummary(sel, nil).Docs(t.Context(), false) {
		if err != nil {
			t.Fatal(err)
		}
		texts["tools"] += d.String()
	}
	separated := regexp.MustCompile(`#\d+,\d|turn \d+,\d`)
	for name, text := range texts {
		if found := separated.FindString(text); found != "" || !strings.Contains(text, "#120") {
			t.Errorf("%s has %q, want #1200 or #1201:\n%s", name, found, text)
		}
	}
	if got := ordinal(1199); got != "1199" {
		t.Errorf("turn 1199 is written %q", got)
	}
}

// TestRolesHaveTheirOrder: the usual roles come first, in the order of a conversation.
func TestRolesHaveTheirOrder(t *testing.T) {
	got := roles(map[string]int{"tool": 1, "narrator": 2, "user": 3, "developer": 4, "assistant": 5, "critic": 6, "system": 7})
	want := []string{"system", "developer", "user", "assistant", "tool", "critic", "narrator"}
	if !slices.Equal(got, want) {
		t.Errorf("roles in the order %q, want %q", got, want)
	}
}
