package ui

import (
	"fmt"
	"strings"
	"testing"

	"turns/model"
)

// longRun is a session of n messages with calls, results and some failures.
func longRun(n int) *model.Snapshot {
	var msgs []model.Message
	for i := 0; len(msgs) < n; i++ {
		id := fmt.Sprintf("c%d", i)
		o := model.Success
		if i%50 == 0 {
			o = model.Failure
			msgs = append(msgs, say(model.User, i, words(fmt.Sprintf("prompt %d", i))))
		}
		msgs = append(msgs, say(model.Assistant, i, words(fmt.Sprintf("step %d of the work, in which much happens", i)), call(id, "Bash", fmt.Sprintf(`{"command":"make step-%d"}`, i))),
			say(model.Tool, i, failed(id, fmt.Sprintf("output of step %d\nok", i), o)))
	}
	return model.FromMessages(msgs)
}

func BenchmarkKeys(b *testing.B) {
	for _, n := range [...]int{1000, 100_000} {
		snap := longRun(n)
		for _, keys := range [...]string{"j", "ctrl+d", "G", "g", "e", "p", "z z"} {
			b.Run(fmt.Sprintf("%d/%s", n, keys), func(b *testing.B) {
				t := newBench(b, snap, testOptions(), 160, 48)
				b.ReportAllocs()
				for b.Loop() {
					t.press(keys)
				}
			})
		}
	}
}

// BenchmarkOpenLong opens the first screen of a message of a megabyte of Markdown.
func BenchmarkOpenLong(b *testing.B) {
	var text strings.Builder
	for i := 0; text.Len() < 1<<20; i++ {
		fmt.Fprintf(&text, "## Part %d\n\nSome *words* about `code` and more, so that a paragraph has a few lines to wrap on any screen there is.\n\n```go\nfunc f%d() int { return %d }\n```\n\n", i, i, i)
	}
	snap := model.FromMessages([]model.Message{say(model.User, 0, words("go")), say(model.Assistant, 1, words(text.String()))})
	t := newBench(b, snap, testOptions(), 120, 40)
	t.press("j")
	b.ReportAllocs()
	for b.Loop() {
		t.press("z o z c")
		t.a.list.Redraw()
	}
}
