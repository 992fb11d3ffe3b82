package cli

import (
	"testing"

	"turns/model"
	"turns/query"
)

// TestOutcomesAreCountedAlike checks the common rule for counting calls: a tool's failure, a denial
// and an interruption are errors; a user's answer to the model's question is not, nor is a waiting
// call.
func TestOutcomesAreCountedAlike(t *testing.T) {
	for _, tt := range []struct {
		name, tool      string
		outcome         model.Outcome
		none            bool // without a result
		errors, pending int
	}{
		{name: "success", tool: "Bash", outcome: model.Success},
		{name: "nothing said", tool: "Bash"},
		{name: "a tool's failure", tool: "Bash", outcome: model.Failure, errors: 1},
		{name: "denied", tool: "Bash", outcome: model.Denied, errors: 1},
		{name: "interrupted", tool: "Bash", outcome: model.Stopped, errors: 1},
		{name: "cancelled", tool: "Bash", outcome: model.Cancelled, errors: 1},
		{name: "timed out", tool: "Bash", outcome: model.TimedOut, errors: 1},
		{name: "partly", tool: "Bash", outcome: model.Half},
		{name: "in the background", tool: "Bash", outcome: model.Background},
		{name: "waits", tool: "Bash", none: true, pending: 1},
		{name: "a human's answer", tool: "AskUserQuestion", outcome: model.Success},
		{name: "a human's refusal to answer", tool: "AskUserQuestion", outcome: model.Denied, errors: 1},
		{name: "a question that waits", tool: "AskUserQuestion", none: true, pending: 1},
	} {
		msgs := []model.Message{
			{Role: model.User, Blocks: []model.Content{{Kind: model.Words, Text: "do"}}},
			{Role: model.Assistant, Blocks: []model.Content{{Kind: model.ToolCall, ID: "a", Name: tt.tool, Text: "{}"}}},
		}
		if !tt.none {
			msgs = append(msgs, model.Message{Role: model.Tool, Blocks: []model.Content{{Kind: model.ToolResult, ID: "a", Text: "out", Outcome: tt.outcome}}})
		}
		snap, a := model.FromMessages(msgs), answered{}
		a.calls("the rule", 1, tt.errors, tt.pending)
		coverage := query.NewCoverage(query.Everything(snap))
		header := coverage.Count()
		a.calls("screen", header.Calls, header.Errors, header.Pending)
		var row model.Summary
		row.Count(snap.Call(0))
		a.calls("list", row.Calls, row.Errors, row.Pending)
		askAnswers(t.Context(), t, a, snap)
		a.differ(t, tt.name)
	}
}
