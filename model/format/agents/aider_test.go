package agents

import (
	"strings"
	"testing"

	"turns/model"
)

// TestLongAnswersOfAider: an answer is split at the first line more than 1 MiB after its beginning.
func TestLongAnswersOfAider(t *testing.T) {
	line := strings.Repeat("x", 1023) + "\n"
	if _, n := new(aiderSplitter).Split([]byte(strings.Repeat(line, 2000)), true); n != 1025*1024 {
		t.Errorf("the first part has %d bytes, want %d", n, 1025*1024)
	}
}

// TestLongRequestsOfAider: a request is split at the first line more than 8 MiB after its
// beginning.
func TestLongRequestsOfAider(t *testing.T) {
	line := "USER " + strings.Repeat("x", 1018) + "\n"
	if _, n := (aiderLogSplitter{}).Split([]byte(strings.Repeat(line, 9000)), true); n != 8<<20+1024 {
		t.Errorf("the first part has %d bytes, want %d", n, 8<<20+1024)
	}
}

// TestRemindersOfAider: a question loses the last lines of the system prompt, if these are 64
// bytes or more and not the whole question.
func TestRemindersOfAider(t *testing.T) {
	for name, c := range map[string]struct{ words, rules, want string }{
		"64 bytes":            {"Why?\n\n", strings.Repeat("x", 64), "Why?"},
		"63 bytes":            {"Why?\n\n", strings.Repeat("x", 63), "Why?\n\n" + strings.Repeat("x", 63)},
		"no question":         {"", strings.Repeat("x", 64), strings.Repeat("x", 64)},
		"a line that differs": {"Why?\nNo x", "x\n" + strings.Repeat("x", 64), "Why?\nNo xx"},
	} {
		if got := aiderWithoutReminder([]byte(c.words+c.rules), []byte("Be kind.\n"+c.rules)); string(got) != c.want {
			t.Errorf("%s: the question is %q, want %q", name, got, c.want)
		}
	}
}

// TestLogsOfAider: a log begins with a request, its time and a rule.
func TestLogsOfAider(t *testing.T) {
	for text, want := range map[string]bool{
		"TO LLM 2026-05-04T17:06:58\n-------\nUSER Why?\n": true,
		"TO LLM 2026-05-04T17:06:58\nUSER Why?\n":          false,
		"TO LLM: be kind\n-------\nUSER Why?\n":            false,
		"2026-05-04T17:06:58\n-------\nUSER Why?\n":        false,
	} {
		if got := aiderDetect(&model.Sample{Shape: model.Prose, Text: []byte(text)}).Score > 0; got != want {
			t.Errorf("%q is a log of aider: %t, want %t", text, got, want)
		}
	}
}
