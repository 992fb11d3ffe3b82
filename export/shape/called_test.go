package shape

import (
	"slices"
	"testing"

	"turns/model"
)

// A further result of a running call is at most 64 messages after the first, among messages of
// tools.
func TestFurtherResults(t *testing.T) {
	call := model.Message{Role: model.Assistant, Blocks: []model.Content{{Kind: model.ToolCall, ID: "a", Name: "run", Text: "{}", JSON: true}}}
	first := model.Message{Role: model.Tool, Blocks: []model.Content{{Kind: model.ToolResult, ID: "a", Text: "started", Outcome: model.Running}}}
	note := model.Message{Role: model.Tool, Blocks: []model.Content{{Kind: model.Words, Text: "note"}}}
	further := model.Message{Role: model.Tool, Blocks: []model.Content{{Kind: model.ToolResult, ID: "a", Text: "done"}}}
	user := model.Message{Role: model.User, Blocks: []model.Content{{Kind: model.Words, Text: "go on"}}}
	for _, test := range []struct {
		between []model.Message
		want    bool
	}{
		{nil, true}, {[]model.Message{user}, false},
		{slices.Repeat([]model.Message{note}, 63), true}, {slices.Repeat([]model.Message{note}, 64), false},
	} {
		msgs := slices.Concat([]model.Message{call, first}, test.between, []model.Message{further})
		s := shaper{snap: model.FromMessages(msgs)}
		if got := s.answeredAgain(&Item{pos: 1}); got != test.want {
			t.Errorf("%d messages between: %v, want %v", len(test.between), got, test.want)
		}
	}
}
