package kit

import (
	"testing"

	"turns/model"
)

// TestKnownCalls: a repeated call may have other white space between the tokens of its arguments,
// but not inside of a string.
func TestKnownCalls(t *testing.T) {
	key := func(args string) model.Key {
		f := model.Fact{Role: model.Assistant}
		b := f.Add(model.ToolCall)
		b.Name, b.Text = model.StringText("sh"), model.StringText(args)
		Know(&f, 1, 2)
		return f.Key
	}
	first := key(`{"c":"rm a b"}`)
	for args, same := range map[string]bool{
		`{ "c": "rm a b" }`: true, `{"c":"rm ab"}`: false, `{"c":"rm  a b"}`: false, `{"d":"rm a b"}`: false, "rm a b": false,
	} {
		if got := key(args) == first; got != same {
			t.Errorf("%s is the same call: %v, want %v", args, got, same)
		}
	}
}
