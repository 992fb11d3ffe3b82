package summary

import (
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/querytest"
)

// TestThoughtsWithoutText: the log shows why reasoning has no text.
func TestThoughtsWithoutText(t *testing.T) {
	for name, want := range map[string]string{
		"redacted_thinking": "[thinking] redacted",
		"encrypted":         "[thinking] encrypted",
		"":                  "[thinking] not recorded",
	} {
		hidden := model.Content{Kind: model.Reasoning, Name: name, Null: true}
		s := model.FromMessages([]model.Message{querytest.Message(model.User, "q"), querytest.Message(model.Assistant, "a", hidden)})
		a, err := WorkLog(t.Context(), describe.NewView(query.Everything(s), nil), query.NewTurnIndex(s), WorkLogOptions{Thoughts: true})
		if err != nil {
			t.Fatal(err)
		}
		thoughts := a.Interactions[0].Thoughts
		if len(thoughts) != 1 || thoughts[0].Line() != want {
			t.Errorf("%q: %+v, want %s", name, thoughts, want)
		}
	}
}
