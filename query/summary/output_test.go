package summary

import (
	"testing"

	"turns/query"
	"turns/query/human"
)

// TestOutputText: output has a "~" and an estimate only if a placeholder was recorded.
func TestOutputText(t *testing.T) {
	three, none := int64(3), int64(0)
	for _, c := range []struct {
		output     *int64
		more       int64
		text, from string
	}{
		{nil, 0, human.NotSaid, "not recorded"}, {&none, 0, "·", ""}, {&three, 0, "3", ""}, {&three, 38, "~41", "estimated; 3 recorded"},
	} {
		a := StatsAnswer{Usage: query.UsageSum{Output: c.output}, UnrecordedOutput: c.more}
		if text, from := a.OutputText(); text != c.text || from != c.from {
			t.Errorf("%v and %d more: %q, %q", c.output, c.more, text, from)
		}
	}
}
