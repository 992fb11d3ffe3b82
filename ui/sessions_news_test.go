package ui

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"turns/model"
	"turns/query/lang"
	"turns/query/session"
	"turns/ui/transcripts"
)

// newsOf returns a list that passes on the updates of a channel.
func newsOf(news chan transcripts.Update) func(context.Context, func(transcripts.Update)) error {
	return func(ctx context.Context, tell func(transcripts.Update)) error {
		for {
			select {
			case n := <-news:
				tell(n)
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}

// sessionNo returns session i of a list, the newest first.
func sessionNo(i int) session.Session {
	return session.Session{Summary: model.Summary{Path: fmt.Sprintf("/s/%d", i), Title: fmt.Sprintf("title %d", i), Messages: 900, Last: sampleStart.Add(-time.Duration(i) * time.Minute).UnixMilli()}}
}

// Partly read sessions get exact counts in place, filters apply to them, and the list shows the
// progress.
func TestSessionsAreCounted(t *testing.T) {
	o := paneOptions()
	news := make(chan transcripts.Update)
	fake(&o).list = newsOf(news)
	d := driveFeed(t, transcripts.StaticFeed("/tmp/8463c716.jsonl", sample()), o, 120, 30)
	d.WaitFor("Fix the flaky").Press("S")
	var all []session.Session
	for i := range 4 {
		s := sessionNo(i)
		if s.Partial = i%2 == 1; s.Partial {
			s.Estimate = 900
		}
		all = append(all, s)
	}
	news <- transcripts.Update{Sessions: all, Listed: true, Counting: 2}
	d.WaitFor("4 sessions   counting 0 %").WaitFor("~900").Press("j").Selected("title 1")
	exact := func(i int) []session.Session {
		s := sessionNo(i)
		s.Messages, s.Tokens = 987, 50_000
		return []session.Session{s}
	}
	news <- transcripts.Update{Sessions: exact(1), Counting: 2, Counted: 1}
	d.WaitFor("counting 50 %").WaitFor("987").Selected("title 1")
	d.Press("f").Type("tokens:>40k").Press("enter").WaitFor("987").WaitGone("title 0").WaitGone("title 3")
	news <- transcripts.Update{Sessions: exact(3), Counting: 2, Counted: 2}
	d.WaitGone("counting").WaitFor("title 3").WaitGone("~900").WaitGone("title 2")
}

// The open list is live: new sessions appear, written ones move up, deleted ones disappear, and the
// cursor stays on its session.
func TestSessionListGoesOn(t *testing.T) {
	o := paneOptions()
	news := make(chan transcripts.Update)
	fake(&o).list = newsOf(news)
	d := driveFeed(t, transcripts.StaticFeed("/tmp/8463c716.jsonl", sample()), o, 120, 30)
	d.WaitFor("Fix the flaky").Press("S")
	news <- transcripts.Update{Sessions: []session.Session{sessionNo(1), sessionNo(2), sessionNo(3)}, Listed: true}
	d.WaitFor("3 sessions").WaitGone("so far").Press("j").Selected("title 2")
	live := sessionNo(3)
	live.Last, live.Live = sampleStart.Add(time.Minute).UnixMilli(), true
	live.Running, live.Runs, live.Since = "Bash", 1, o.Time().Add(-31*time.Second).UnixMilli()
	live.Written = o.Time().UnixMilli()
	news <- transcripts.Update{Sessions: []session.Session{sessionNo(0), live}}
	d.WaitFor("4 sessions   1 running").WaitFor("Bash running 0:31").Selected("title 2").Press("g").Selected("title 3").Press("j").Selected("title 0")
	news <- transcripts.Update{Gone: []string{"/s/2", "/s/1", "/nowhere"}}
	d.WaitFor("2 sessions").WaitGone("title 2").WaitGone("title 1").Selected("title 0")
}

// A search continues while the list changes: afterwards it searches the added and changed sessions,
// and none twice.
func TestSearchTakesUpWhatComes(t *testing.T) {
	o := paneOptions()
	news := make(chan transcripts.Update)
	fake(&o).list = newsOf(news)
	asked, goOn := make(chan []string, 9), make(chan bool)
	fake(&o).search = func(_ context.Context, paths []string, filters []*lang.Filter, found func(transcripts.Found)) {
		if filters[0].String() != "text:x" {
			return // typing continues
		}
		asked <- slices.Sorted(slices.Values(paths))
		<-goOn
		for _, path := range paths {
			found(transcripts.Found{Path: path, Hits: []transcripts.Hit{{Found: true, Line: "found in " + path}}})
		}
	}
	d := driveFeed(t, transcripts.StaticFeed("/tmp/8463c716.jsonl", sample()), o, 120, 30)
	d.WaitFor("Fix the flaky").Press("S")
	news <- transcripts.Update{Sessions: []session.Session{sessionNo(1), sessionNo(2)}, Listed: true}
	d.WaitFor("2 sessions").Press("f").Type("text:x").Press("enter")
	want := func(paths ...string) {
		t.Helper()
		if got := <-asked; !slices.Equal(got, paths) {
			t.Errorf("looked into %q, want %q", got, paths)
		}
	}
	want("/s/1", "/s/2")
	news <- transcripts.Update{Sessions: []session.Session{sessionNo(0)}}
	d.WaitFor("0 of 3")
	goOn <- true
	want("/s/0")
	d.WaitFor("found in /s/1").WaitFor("found in /s/2")
	goOn <- true
	d.WaitFor("found in /s/0")
	changed := sessionNo(2)
	changed.Messages++
	news <- transcripts.Update{Sessions: []session.Session{sessionNo(0), sessionNo(1), changed}}
	want("/s/2")
	goOn <- true
	d.WaitFor("found in /s/2")
	if len(asked) > 0 {
		t.Errorf("looked into %q again", <-asked)
	}
}

// The row of a session shows its subagent's question, once, and Enter goes to the question.
func TestASubagentAsksInTheLineOfItsRun(t *testing.T) {
	o := paneOptions()
	news := make(chan transcripts.Update)
	fake(&o).list = newsOf(news)
	d := driveFeed(t, transcripts.StaticFeed("/tmp/8463c716.jsonl", sample()), o, 120, 30)
	d.WaitFor("Fix the flaky").Press("S")
	now := o.Time()
	row := func(path, starter, tool string) session.Session {
		s := sessionNo(1).Summary
		s.Path, s.Session, s.Starter, s.Title, s.Sessions, s.Format = path, "one", starter, path, 1, "f"
		s.Last, s.Written = now.UnixMilli(), now.UnixMilli()
		s.Ending = model.Ending{State: model.RunOpen, Due: model.DueResult, Running: tool, Tools: tool, Runs: 1, Since: now.UnixMilli()}
		return session.Of(s, now)
	}
	news <- transcripts.Update{Sessions: []session.Session{row("/s/agent-1", "one", "Bash")}, Listed: true}
	d.WaitFor("1 session   1 running")
	news <- transcripts.Update{Sessions: []session.Session{row("/s/run", "", "Task")}}
	d.WaitFor("1 session, 1 subagent   1 running").WaitFor("Task running")
	news <- transcripts.Update{Sessions: []session.Session{row("/s/agent-1", "one", "AskUserQuestion")}}
	d.WaitFor("1 waiting").WaitFor("agent: asks").Press("g").Selected("/s/run")
	news <- transcripts.Update{Sessions: []session.Session{row("/s/agent-1", "one", "Bash")}}
	d.WaitGone("for you").WaitFor("Task running")
	news <- transcripts.Update{Sessions: []session.Session{row("/s/agent-1", "one", "AskUserQuestion")}}
	d.WaitFor("1 waiting").Press("enter").WaitFor("/s/agent-1")
}
