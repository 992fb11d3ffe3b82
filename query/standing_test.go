package query

import (
	"testing"

	"turns/model"
)

// TestStandingOfResults: further results of a call are marked, equal ones as repeats.
func TestStandingOfResults(t *testing.T) {
	text := func(s string) *model.Content { return &model.Content{Kind: model.ToolResult, Text: s} }
	again := &model.Call{Flags: model.Again}
	for want, c := range map[string]CallOf{
		"":                      {Row: &model.Call{}, Call: &model.Content{}, Result: text("ok")},
		"result without a call": {Row: &model.Call{}, Result: text("ok")},
		"another result":        {Row: again, First: text("ok"), Result: text("failed")},
		"the same result again": {Row: again, First: text("ok"), Result: text("ok")},
	} {
		if got := c.Standing(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
