package many

import (
	"context"
	"fmt"
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/lang"
	"turns/query/session"
)

// TestViolationsAreNamedUpToANumber: at most twenty violating messages are named; the others are
// counted.
func TestViolationsAreNamedUpToANumber(t *testing.T) {
	f, err := lang.Parse("role:user")
	if err != nil {
		t.Fatal(err)
	}
	none := 0
	for n, want := range map[int]int{20: 20, 21: 21, 25: 21} {
		msgs := make([]model.Message, n)
		for i := range msgs {
			msgs[i] = model.Message{Role: model.User, Blocks: []model.Content{{Kind: model.Words, Text: "hi"}}}
		}
		c := Checker{Rules: []Rule{{Messages: []Demand{{Filter: f}}}, {Secrets: &none}}}
		c.Secrets = func(context.Context, query.Selection) ([]SecretAt, error) { return make([]SecretAt, n), nil }
		checked, err := c.Check(t.Context(), query.Everything(model.FromMessages(msgs)), &session.Session{})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(checked.Violations); got != want+20 {
			t.Errorf("%d messages give %d violations, want %d and 20 secrets", n, got, want)
		}
		if n > 20 && checked.Violations[20].Message != fmt.Sprintf("there are %d more role:user", n-20) {
			t.Errorf("the rest is %q", checked.Violations[20].Message)
		}
	}
}
