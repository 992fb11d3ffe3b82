package ui

import (
	"context"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/query/session"
	"turns/ui/transcripts"
)

// Subagents are listed below their session: folded with their number, unfolded with their purpose.
func TestSubagentsHangBelowTheirSession(t *testing.T) {
	o := paneOptions()
	now := o.Time()
	row := func(path, id, starter, title string) session.Session {
		s := model.Summary{Path: path, Session: id, Starter: starter, Title: title, Sessions: 1, Format: "f", Messages: 4}
		s.Last, s.Written = now.UnixMilli()-1000*3600*30, now.UnixMilli()-1000*3600*30
		s.Ending = model.Ending{State: model.RunFinished, Ended: true, Outcome: model.Success}
		return session.Of(s, now)
	}
	rows := []session.Session{
		row("/s/a/agent-1.jsonl", "one", "one", "Look for callers"), row("/s/a/agent-2.jsonl", "one", "one", "Read the tests"),
		row("/s/a/agent-acompact-3.jsonl", "one", "one", "Your task is to create a detailed summary of the conversation so far"),
		row("/s/a/agent-4.jsonl", "one", "one", "Warmup"),
		row("/s/one.jsonl", "one", "", "Fix the watcher"), row("/s/two.jsonl", "two", "", "Another one"),
	}
	fake(&o).list = func(_ context.Context, tell func(transcripts.Update)) error {
		tell(transcripts.Update{Sessions: rows, Listed: true})
		return nil
	}
	b := newBench(t, priced(), o, 160, 30)
	b.press("S g")
	shows := func(what string, want ...string) {
		t.Helper()
		frame := ansi.Strip(b.frame())
		at := 0
		for _, w := range want {
			n := strings.Index(frame[at:], w)
			if n < 0 {
				t.Fatalf("%s: no %q behind the others of %q:\n%s", what, w, want, frame)
			}
			at += n
		}
	}
	hides := func(what string, hidden ...string) {
		t.Helper()
		for _, h := range hidden {
			if frame := ansi.Strip(b.frame()); strings.Contains(frame, h) {
				t.Errorf("%s: %q is listed:\n%s", what, h, frame)
			}
		}
	}
	shows("at first", "2 sessions, 4 subagents", "▸", "Fix the watcher", "2 agents, 1 compaction, 1 warm-up", "Another one")
	hides("at first", "Look for callers", "Your task", "of 6")
	b.press("/")
	typeIn(b, "watcher")
	b.press("enter h")
	shows("narrowed", "▾", "Fix the watcher")
	hides("narrowed", "Look for callers") // it does not match
	b.press("esc")
	shows("unfolded", "▾", "Fix the watcher", "└ Look for callers", "└ Read the tests", "└ compaction", "└ warm-up", "Another one")
	b.press("h")
	hides("folded again", "Look for callers")
	b.press("/")
	typeIn(b, "callers")
	shows("one that matches alone", "1 of 6", "Look for callers")
}
