package ui

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"turns/model"
	"turns/model/load"
	"turns/model/modeltest"
	"turns/query/session"
	"turns/ui/transcripts"
)

// pictures are the pictures of the README: files in .github, and the screens they show.
var pictures = []struct {
	name string
	w, h int
	show func(t *testing.T, w, h int) *bench
}{
	{"screen.svg", 150, 38, func(t *testing.T, w, h int) *bench { return demoBench(t, w, h, "e e l") }},
	{"sessions.svg", 130, 18, sessionsBench},
	{"diff.svg", 130, 30, func(t *testing.T, w, h int) *bench {
		b := startCompare(t, compareOptions(twoRuns()), "/r/before/fix.jsonl", "/r/after/fix.jsonl", w, h)
		b.press("n n")
		return b
	}},
	{"context.svg", 130, 34, func(t *testing.T, w, h int) *bench {
		const words = "Read the file before you edit it, and run its tests. "
		o := paneOptions()
		o.Encoding = "o200k"
		b := newBench(t, weighedOf(func(tokens int) string { return strings.Repeat(words, 4*tokens/len(words)) }), o, w, h)
		b.a.h.State.Path = "watch.jsonl"
		b.press(": 9 enter w Z")
		return b
	}},
	{"stats.svg", 130, 40, func(t *testing.T, w, h int) *bench { return demoBench(t, w, h, "s Z") }},
	{"export.svg", 110, 30, func(t *testing.T, w, h int) *bench {
		b := demoBench(t, w, h, "")
		b.a.h.Opts.Dir = "/home/ada"
		b.press("x")
		return b
	}},
}

// TestPictures checks that each picture of the README is the screen as the program draws it. go
// test ./ui -run Pictures -update draws them again.
func TestPictures(t *testing.T) {
	for _, p := range pictures {
		t.Run(p.name, func(t *testing.T) {
			b := p.show(t, p.w, p.h)
			checkFrame(t, b, p.name)
			got := drawSVG(b.frame(), p.w, p.h)
			path := filepath.Join("../.github", p.name)
			modeltest.Golden(t, path, got)
		})
	}
}

// demoBench opens testdata/demo.jsonl and presses keys.
func demoBench(t *testing.T, w, h int, keys string) *bench {
	t.Helper()
	c, err := load.Open(context.Background(), "../testdata/demo.jsonl", load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	snap, err := c.Load(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	o := testOptions()
	o.Home = "/home/ada"
	b := newBench(t, snap, o, w, h)
	b.a.h.State.Path, b.a.h.State.Bytes = "demo.jsonl", 34_916
	b.press(keys)
	return b
}

// sessionsBench shows a list with waiting, stuck, failed, running and finished sessions.
func sessionsBench(t *testing.T, w, h int) *bench {
	o := paneOptions()
	now := o.Time()
	fake(&o).list = func(_ context.Context, tell func(transcripts.Update)) error {
		tell(transcripts.Update{Sessions: pictureSessions(now), Listed: true})
		return nil
	}
	b := newBench(t, priced(), o, w, h)
	b.press("S g")
	return b
}

func pictureSessions(now time.Time) []session.Session {
	ago := func(d time.Duration) int64 { return now.Add(-d).UnixMilli() }
	calls := func(tool string, since time.Duration) model.Ending {
		return model.Ending{State: model.RunOpen, Due: model.DueResult, Running: tool, Tools: tool, Runs: 1, Since: ago(since)}
	}
	ended := func(o model.Outcome, state model.RunState, reason string) model.Ending {
		return model.Ending{Ended: true, Outcome: o, State: state, Reason: reason}
	}
	rows := []struct {
		quiet, took time.Duration
		cost        float64
		s           model.Summary
	}{
		{2 * time.Minute, 26 * time.Minute, 3.1, model.Summary{Agent: "Claude Code session", Project: "checkout", Title: "Move the payment retries into a queue", Messages: 183, Errors: 2, Tokens: 41_000, Ending: calls("AskUserQuestion", 2*time.Minute)}},
		{40 * time.Minute, 55 * time.Minute, 1.72, model.Summary{Agent: "Codex rollout", Project: "indexer", Title: "Find out why the nightly build is slow", Messages: 97, Errors: 11, Tokens: 28_000, Ending: calls("shell", 40*time.Minute)}},
		{3 * time.Hour, 12 * time.Minute, 0.44, model.Summary{Agent: "Gemini CLI session", Project: "docs", Title: "Translate the manual", Messages: 38, Errors: 3, Tokens: 9_300, Ending: ended(model.Failure, model.RunFailed, "rate limit")}},
		{31 * time.Second, 18 * time.Minute, 2.05, model.Summary{Agent: "Claude Code session", Project: "watch", Title: "Fix the flaky watcher test", Messages: 64, Errors: 1, Tokens: 17_500, Ending: calls("Bash", 31*time.Second)}},
		{4 * time.Second, 7 * time.Minute, 0.31, model.Summary{Agent: "OpenCode session", Project: "site", Title: "Make the header stick on small screens", Messages: 22, Tokens: 6_100, Ending: calls("edit", 4*time.Second)}},
		{5 * time.Hour, 33 * time.Minute, 1.18, model.Summary{Agent: "Codex rollout", Project: "indexer", Title: "Add a cache to the tokenizer", Messages: 71, Tokens: 19_000, Ending: ended(model.Success, model.RunFinished, "stop")}},
		{27 * time.Hour, 9 * time.Minute, 0.2, model.Summary{Agent: "Copilot CLI session", Project: "watch", Title: "Review the open pull requests", Messages: 31, Tokens: 7_700, Ending: ended(model.Success, model.RunFinished, "stop")}},
	}
	var list []session.Session
	for i, r := range rows {
		s := r.s
		s.Path = filepath.Join("/home/ada/.agents", s.Project, string(rune('a'+i))+".jsonl")
		s.Sessions, s.Last, s.Written = 1, ago(r.quiet), ago(r.quiet)
		s.Started = s.Last - r.took.Milliseconds()
		s.Pace = (20 * time.Second).Milliseconds()
		x := session.Of(s, now)
		x.Cost, x.Guessed = r.cost, i%2 == 1
		list = append(list, x)
	}
	return list
}
