package summary

import (
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/human"
)

// TestTurnsSayHowLongAHumanWasAsked: overlapping questions count once, and slow tools do not.
func TestTurnsSayHowLongAHumanWasAsked(t *testing.T) {
	call := func(id, tool string) model.Content {
		return model.Content{Kind: model.ToolCall, ID: id, Name: tool, JSON: true, Text: "{}"}
	}
	result := func(id string, at int64) model.Message {
		return model.Message{Role: model.Tool, Time: at, Blocks: []model.Content{{Kind: model.ToolResult, ID: id, Text: "ok"}}}
	}
	said := func(role model.Role, at int64, blocks ...model.Content) model.Message {
		return model.Message{Role: role, Time: at, Blocks: blocks}
	}
	words := model.Content{Kind: model.Words, Text: "go on"}
	const start = 1_770_800_000_000
	a := Timeline(query.Everything(model.FromMessages([]model.Message{
		said(model.User, start, words),
		said(model.Assistant, start+1000, call("a", "AskUserQuestion"), call("b", "AskUserQuestion"), call("c", "Bash")),
		result("a", start+31_000), result("b", start+61_000), result("c", start+91_000),
		said(model.User, start+100_000, words),
		said(model.Assistant, start+101_000, call("d", "Bash")),
		result("d", start+191_000),
	})))
	if len(a.Turns) != 2 || a.Turns[0].Asked != human.Millis(60_000) || a.Turns[1].Asked != 0 {
		t.Errorf("the turns are %+v", a.Turns)
	}
}
