package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"turns/model"
)

// Without recorded durations there is no column for them, and no time is shown as zero.
func TestNoTimesNoColumns(t *testing.T) {
	msgs := sampleMessages()
	for i := range msgs {
		msgs[i].Time = 0
	}
	for _, w := range []int{80, 120, 160} {
		b := newBench(t, model.FromMessages(msgs), paneOptions(), w, 40)
		b.press("t")
		text := ansi.Strip(b.frame())
		if strings.Contains(text, "p95") || strings.Contains(text, "total") || !strings.Contains(text, "calls ▾") {
			t.Errorf("at %d columns:\n%s", w, text)
		}
		b.press("s")
		if text := ansi.Strip(b.frame()); strings.Contains(text, " 0s") {
			t.Errorf("the statistics show a time of nothing at %d columns:\n%s", w, text)
		}
		b = newBench(t, sample(), paneOptions(), w, 40)
		b.press("t")
		if text := ansi.Strip(b.frame()); !strings.Contains(text, "total time ▾") {
			t.Errorf("with times, at %d columns:\n%s", w, text)
		}
	}
}
