package summary

import (
	"testing"

	"turns/model"
)

// TestOnlyModels: a session has a model if all responses that name one agree.
func TestOnlyModels(t *testing.T) {
	said := func(name string) model.Message {
		return model.Message{Role: model.Assistant, Model: name, Blocks: []model.Content{{Kind: model.Words, Text: "x"}}}
	}
	for want, msgs := range map[string][]model.Message{
		"gpt-4o": {said(""), said("gpt-4o"), said("gpt-4o"), said("")},
		"":       {said("gpt-4o"), said("o3")},
	} {
		s := model.FromMessages(msgs)
		if got := s.Name(onlyModels(s)[0]); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
