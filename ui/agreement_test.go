package ui

import (
	"context"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"turns/model"
	"turns/model/load"
	"turns/model/modeltest"
	"turns/query"
	"turns/query/human"
	"turns/query/session"
	"turns/query/summary"
	"turns/ui/screen"
)

// TestFramesSayWhatAnswersSay draws every sample: unfiltered, filtered, and with the filter turned
// off again. The header, tools, stats and turns must agree with the answers about the same
// selection, and name its number of messages.
func TestFramesSayWhatAnswersSay(t *testing.T) {
	n := 0
	err := filepath.WalkDir("../testdata/formats", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Ext(path) == ".golden" {
			return err
		}
		if n++; !modeltest.Some(n, 12) {
			return nil
		}
		c, err := load.Open(t.Context(), path, load.Options{Workers: 1})
		if err != nil {
			return nil // not a transcript
		}
		defer c.Close()
		if snap, err := c.Load(t.Context()); err == nil && snap.Len() > 0 {
			framesAgree(t, path, snap)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func framesAgree(t *testing.T, path string, snap *model.Snapshot) {
	o := testOptions()
	o.NoColor = true
	b := newBench(t, snap, o, 90, 60)
	whole := query.Everything(snap)
	look := func(what string, over query.Selection) {
		t.Helper()
		stats, err := summary.Stats(context.Background(), over, nil)
		if err != nil {
			t.Fatal(err)
		}
		calls, errors, _ := summary.ToolSummary(over, nil).Counted()
		if calls != stats.ToolCalls || errors != stats.ToolErrors {
			t.Errorf("%s, %s: %d calls and %d errors in tools, %d and %d in stats", path, what, calls, errors, stats.ToolCalls, stats.ToolErrors)
		}
		says := func(pane, text string) {
			t.Helper()
			b.press(pane)
			if frame := plainFrame(b); !strings.Contains(frame, text) {
				t.Errorf("%s, %s: %s does not say %q:\n%s", path, what, pane, text, frame)
			}
			b.press("esc")
		}
		says("t", over.Scope())
		if calls > 0 {
			says("t", human.Plural(calls, "call")+" of ")
		}
		says("s", over.Scope())
		number := human.OrDot(stats.ToolCalls, human.Count[int])
		says("s", "calls"+strings.Repeat(" ", 23-utf8.RuneCountInString(number))+number)
	}
	look("whole session", whole)
	about := snap.Standing(model.Summary{}, 0)
	if state := session.StateOf(&about, time.Time{}); state.Words() != "" && !strings.Contains(plainFrame(b), state.String()) {
		t.Errorf("%s: the header does not say %q:\n%s", path, state.String(), plainFrame(b))
	}
	b.a.filtering.set("role:assistant")
	b.send(screen.AddTerm{Term: "role:assistant"})
	look("filtered", b.a.h.View.Result.Selection(snap))
	b.press("&")
	look("switched off", whole)
	bar := strings.Split(plainFrame(b), "\n")[1]
	stats, err := summary.Stats(context.Background(), whole, nil)
	if err != nil {
		t.Fatal(err)
	}
	for noun, n := range map[string]int{"error": stats.ToolErrors, "model error": stats.ModelErrors} {
		if strings.Contains(bar, "   "+human.Plural(n, noun)) != (n > 0) {
			t.Errorf("%s: the bar says %q, want the number of %ss, %d", path, bar, noun, n)
		}
	}
}

// plainFrame returns the View without colours.
func plainFrame(b *bench) string {
	term := newTerminal(90, 60)
	term.Write([]byte(b.frame()))
	return term.String()
}
