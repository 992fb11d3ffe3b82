package board

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"turns/model"
	"turns/query/session"
)

var began = time.UnixMilli(1_700_000_000_000)

// run returns a session written some time after the beginning.
func run(path string, after time.Duration, e model.Ending) session.Session {
	at := began.Add(after)
	s := model.Summary{Path: path, Session: path, Agent: "Claude Code session", Project: "/w/spotter", Title: "Fix it", Last: at.UnixMilli(), Written: at.UnixMilli(), Sessions: 1, Messages: 3, Ending: e}
	return session.Of(s, at)
}

var (
	thinks  = model.Ending{State: model.RunOpen, Due: model.DueAnswer}
	bash    = model.Ending{State: model.RunOpen, Due: model.DueResult, Running: "Bash", Tools: "Bash", Runs: 1}
	asks    = model.Ending{State: model.RunOpen, Due: model.DueResult, Running: "AskUserQuestion", Tools: "AskUserQuestion", Runs: 1}
	turned  = model.Ending{State: model.RunFinished}
	circles = model.Ending{State: model.RunOpen, Due: model.DueAnswer, Again: 9, Same: "Bash"}
	broken  = model.Ending{State: model.RunFailed, Reason: "API error"}
)

// below returns a subagent of a session.
func below(parent, path string, after time.Duration, e model.Ending) session.Session {
	s := run(path, after, e)
	s.Starter = parent
	return s
}

func all(*session.Session) bool { return true }

// told describes changes briefly.
func told(changes []Change) string {
	var out []string
	for _, c := range changes {
		out = append(out, fmt.Sprintf("%s %s %v %s", c.Op, c.Path, c.Stage, c.For))
	}
	return strings.Join(out, "; ")
}

func TestBoard(t *testing.T) {
	b := New(all)
	one := []session.Session{run("/a.jsonl", 0, bash), run("/b.jsonl", 0, thinks)}
	for _, c := range []struct {
		name string
		got  []Change
		want string
	}{
		{"two begin", b.Take(one, nil, began), "upsert /a.jsonl running tool; upsert /b.jsonl running model"},
		{"nothing yet", b.Tick(began.Add(time.Minute)), ""},
		{"one asks", b.Take([]session.Session{run("/a.jsonl", time.Minute, asks)}, nil, began.Add(time.Minute)), "upsert /a.jsonl waiting question"},
		{"the other is silent", b.Tick(began.Add(6 * time.Minute)), "upsert /b.jsonl stuck silence"},
		{"told once", b.Tick(began.Add(7 * time.Minute)), ""},
		{"a subagent is told of with its run", b.Take([]session.Session{below("/b.jsonl", "/b/1", 8*time.Minute, bash)}, nil, began.Add(8*time.Minute)),
			"upsert /b.jsonl running model"},
		{"it asks", b.Take([]session.Session{below("/b.jsonl", "/b/1", 8*time.Minute, asks)}, nil, began.Add(8*time.Minute)),
			"upsert /b.jsonl waiting question"},
		{"a subagent of a run that is not known", b.Take([]session.Session{below("/c.jsonl", "/c/1", 8*time.Minute, asks)}, nil, began.Add(8*time.Minute)),
			"upsert /c/1 waiting question"},
		{"that comes later", b.Take([]session.Session{run("/c.jsonl", 8*time.Minute, bash)}, nil, began.Add(8*time.Minute)), "upsert /c.jsonl waiting question"},
		{"its line is enough", b.Tick(began.Add(8 * time.Minute)), "remove /c/1 waiting question"},
		{"the subagents are gone", b.Take(nil, []string{"/c/1", "/b/1"}, began.Add(8*time.Minute)), "upsert /b.jsonl stuck silence; upsert /c.jsonl running tool"},
		{"the run is gone", b.Take(nil, []string{"/c.jsonl"}, began.Add(8*time.Minute)), "remove /c.jsonl running tool"},
		{"one is gone", b.Take(nil, []string{"/a.jsonl", "/nowhere"}, began.Add(9*time.Minute)), "remove /a.jsonl waiting question"},
	} {
		if got := told(c.got); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got := b.Status(began.Add(9 * time.Minute)); got != "! 1 stuck" {
		t.Errorf("the status is %q", got)
	}
	narrow := New(func(s *session.Session) bool { return s.Stage.Needs() })
	got := told(narrow.Take(one, nil, began)) + "|" + told(narrow.Tick(began.Add(6*time.Minute))) + "|" +
		told(narrow.Take([]session.Session{run("/a.jsonl", 7*time.Minute, bash)}, nil, began.Add(7*time.Minute)))
	if want := "|upsert /a.jsonl stuck silence; upsert /b.jsonl stuck silence|remove /a.jsonl running tool"; got != want {
		t.Errorf("of those that need somebody: %q, want %q", got, want)
	}
}

func TestStatusCountsByStage(t *testing.T) {
	b := New(all)
	b.Take([]session.Session{run("/works", 0, bash), run("/failed", 0, broken), run("/asks", 0, asks), run("/loops", 0, circles), run("/turned", 0, turned)}, nil, began)
	if got, want := b.Status(began), "? 1 waiting  ! 1 stuck  ✗ 1 failed  ● 1 running"; got != want {
		t.Errorf("the status is %q, want %q", got, want)
	}
	b.shown["/works"].Quotas[0] = model.Quota{Used: 72, Minutes: 300, At: began.UnixMilli(), Resets: began.Add(time.Hour).UnixMilli()}
	b.shown["/works"].Live, b.shown["/works"].Asked = true, [2]model.CacheUse{{Total: 21_000}, {Write: 20_000, Total: 20_000}}
	if got, want := b.Status(began), "? 1 waiting  ! 1 stuck  ✗ 1 failed  ● 1 running  1 missed the cache  "+b.shown["/works"].AgentName()+" plan 72 % of 5 h, resets "+began.Add(time.Hour).Format("15:04"); got != want {
		t.Errorf("the status is %q, want %q", got, want)
	}
}

func TestAlerts(t *testing.T) {
	cost := func(s *session.Session) (float64, bool) { return float64(s.Messages), true }
	failing := bash
	worse := run("/r", 0, failing)
	worse.Errors = 2
	rich := run("/r", 0, bash)
	rich.Messages = 7
	missing := run("/r", 0, bash)
	missing.Live, missing.Asked = true, [2]model.CacheUse{{Read: 0, Write: 21_000, Total: 21_000}, {Read: 15_000, Write: 5_000, Total: 20_000}}
	for _, c := range []struct {
		name string
		was  *session.Session
		now  session.Session
		want string
	}{
		{"asks", new(run("/r", 0, bash)), run("/r", 0, asks), "waiting"},
		{"asks still", new(run("/r", 0, asks)), run("/r", 0, asks), ""},
		{"is new and asks", nil, run("/r", 0, asks), "waiting"},
		{"the turn ends", new(run("/r", 0, bash)), run("/r", 0, turned), "idle"},
		{"goes round", new(run("/r", 0, bash)), run("/r", 0, circles), "stuck loop"},
		{"fails", new(run("/r", 0, bash)), run("/r", 0, broken), "error ended"},
		{"a call failed", new(run("/r", 0, bash)), worse, "error"},
		{"costs", new(run("/r", 0, bash)), rich, "cost"},
		{"misses the cache", new(run("/r", 0, bash)), missing, "cache-miss"},
		{"missed before", new(missing), missing, ""},
	} {
		triggers, err := ParseTriggers("waiting,idle,error,ended,stuck,loop,cost:>5,cache-miss")
		if err != nil {
			t.Fatal(err)
		}
		a := NewAlerts(triggers, func(string) *session.Session { return &c.now }, Costs{Session: cost})
		change := []Change{{Op: "upsert", Session: c.now, was: c.was}}
		var got []string
		for _, alert := range a.Of(change, began) {
			got = append(got, alert.On)
		}
		slices.SortFunc(got, func(x, y string) int {
			return slices.IndexFunc(triggers, func(t Trigger) bool { return t.Name == x }) - slices.IndexFunc(triggers, func(t Trigger) bool { return t.Name == y })
		})
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: told %v, want %q", c.name, got, c.want)
		}
		if again := a.Of(change, began.Add(time.Second)); len(again) > 0 {
			t.Errorf("%s: told again at once: %v", c.name, again[0].On)
		}
		a.Of(change, began.Add(2*time.Second))
		late := a.Of(nil, began.Add(again))
		for _, alert := range late {
			if alert.Times != 2 || !strings.Contains(alert.Words(), "2 times") {
				t.Errorf("%s: %q is told for %d times; want 2", c.name, alert.Words(), alert.Times)
			}
		}
		// costs are reported once
		if want := len(got) - strings.Count(c.want, "cost"); len(late) != want {
			t.Errorf("%s: %d were told later, want %d", c.name, len(late), want)
		}
		if more := a.Of(nil, began.Add(3*again)); len(more)+len(a.reported) > 0 && c.want != "cost" {
			t.Errorf("%s: told once more: %v, %d kept", c.name, more, len(a.reported))
		}
	}
	for _, bad := range []string{"", "waitin", "cost:>", "cost:>x", "cost", "cost/day", "cost/day:>", "cost/week:>5", "quota:>", "quota:>x%", "quota"} {
		if _, err := ParseTriggers(bad); err == nil {
			t.Errorf("%q is taken for triggers", bad)
		}
	}
}

// TestLimits: a daily budget and a quota fire once, when they are exceeded.
func TestLimits(t *testing.T) {
	triggers, err := ParseTriggers("cost/day:>$50, quota:>80%")
	if err != nil {
		t.Fatal(err)
	}
	spent := 49.0
	a := NewAlerts(triggers, func(string) *session.Session { return nil }, Costs{Day: func(now time.Time) (float64, string) { return spent, now.Format(time.DateOnly) }})
	look := func(used float64, now time.Time) (on []string) {
		s := run("/r", 0, bash)
		s.Live = true
		s.Quotas[0] = model.Quota{Used: used, Minutes: 300, Resets: began.Add(100 * time.Minute).UnixMilli(), At: began.UnixMilli()}
		for _, alert := range a.Of([]Change{{Op: "upsert", Session: s, was: new(s)}}, now) {
			on = append(on, alert.On)
			if text := alert.Words(); alert.On == "quota" && !strings.Contains(text, "81 % of 5 h, resets") {
				t.Errorf("the quota alert is %q", text)
			}
		}
		return on
	}
	if got := look(80, began); len(got) > 0 {
		t.Errorf("below the limits: %v", got)
	}
	spent = 51
	if got := look(81, began.Add(time.Second)); !slices.Equal(got, []string{"cost/day", "quota"}) {
		t.Errorf("above the limits: %v", got)
	}
	if got := look(90, began.Add(2*time.Second)); len(got) > 0 {
		t.Errorf("again: %v", got)
	}
	if got := look(90, began.Add(24*time.Hour)); !slices.Equal(got, []string{"cost/day"}) {
		t.Errorf("on the next day, after the reset: %v", got)
	}
}

func TestSequence(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"", "", "\x1b]9;a b\a\a"},
		{"KITTY_WINDOW_ID", "1", "\x1b]99;;a b\x1b\\\a"},
		{"VTE_VERSION", "7000", "\x1b]777;notify;turns;a b\a\a"},
		{"TMUX", "x", "\x1bPtmux;\x1b\x1b]9;a b\a\x1b\\\a"},
	} {
		env := func(name string) string {
			if name == c.name {
				return c.value
			}
			return ""
		}
		if got := Sequence("a\x1b]0;evil\a b", env); strings.Count(got, "\x1b") != strings.Count(c.want, "\x1b") || strings.Contains(got, "\x1b]0") {
			t.Errorf("%s: %q gets out", c.name, got)
		}
		if got := Sequence("a b", env); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Commands run with the alert, and failures are reported.
func TestCommands(t *testing.T) {
	var mu sync.Mutex
	var ran, failed []string
	c := NewCommands(t.Context(), time.Minute, func(_ context.Context, in []byte) error {
		var a struct {
			On, Path string
			State    struct{ State string }
		}
		if err := json.Unmarshal(in, &a); err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		ran = append(ran, a.On+" "+a.Path+" "+a.State.State)
		if a.Path == "/bad" {
			return errors.New("exit status 1")
		}
		return nil
	}, func(err error) { failed = append(failed, err.Error()) })
	for _, path := range []string{"/good", "/bad"} {
		c.Queue(alertOf(path))
	}
	c.Close()
	slices.Sort(ran)
	if got, want := strings.Join(ran, "; "), "waiting /bad waiting; waiting /good waiting"; got != want {
		t.Errorf("ran %q, want %q", got, want)
	}
	if got, want := strings.Join(failed, "; "), `running the command for "waiting" of "/bad": exit status 1`; got != want {
		t.Errorf("failed: %q, want %q", got, want)
	}
}

func alertOf(path string) Alert {
	return Alert{On: "waiting", Change: Change{Op: "upsert", Session: run(path, 0, asks)}}
}

// A hanging command does not block others, and if all hang, the caller does not wait for them.
func TestCommandsThatHang(t *testing.T) {
	var failed []string
	hung, good := make(chan context.CancelCauseFunc, atOnce), make(chan bool)
	c := NewCommands(t.Context(), time.Hour, func(ctx context.Context, in []byte) error {
		if bytes.Contains(in, []byte("/hangs")) {
			ctx, over := context.WithCancelCause(ctx)
			hung <- over
			<-ctx.Done()
			return context.Cause(ctx)
		}
		good <- true
		return nil
	}, func(err error) { failed = append(failed, err.Error()) })
	for range atOnce - 1 {
		c.Queue(alertOf("/hangs"))
	}
	ends := make([]context.CancelCauseFunc, 0, atOnce)
	for range atOnce - 1 {
		ends = append(ends, <-hung)
	}
	c.Queue(alertOf("/good"))
	<-good // while all others hang
	c.Queue(alertOf("/good"))
	<-good
	c.Queue(alertOf("/hangs")) // from now on alerts wait in the queue
	ends = append(ends, <-hung)
	for range waiting + 3 {
		c.Queue(alertOf("/good"))
	}
	go func() {
		for range waiting {
			<-good
		}
	}()
	for _, over := range ends {
		over(errors.New("it was stopped"))
	}
	c.Close()
	if len(failed) == 0 || failed[0] != `running the command for "waiting" of "/good": 64 others wait for it` {
		t.Errorf("failed: %q", failed)
	}
}

// Failures for the same reason are reported once, and their number at the end.
func TestCommandsSayOnceWhatGoesWrong(t *testing.T) {
	var failed []string
	c := NewCommands(t.Context(), 0, func(ctx context.Context, _ []byte) error {
		<-ctx.Done() // its time limit ends immediately
		return ctx.Err()
	}, func(err error) { failed = append(failed, err.Error()) })
	for range 5 {
		c.Queue(alertOf("/hangs"))
	}
	c.Close()
	want := `running the command for "waiting" of "/hangs": it was stopped after 0s; ` +
		`running the command: 4 more alerts went wrong for the same reason: it was stopped after 0s`
	if got := strings.Join(failed, "; "); got != want {
		t.Errorf("failed: %q, want %q", got, want)
	}
}

// TestBoardWarnsOfUnreadRecords: a session with unread records shows that in its line and in the
// status, even if it needs no attention.
func TestBoardWarnsOfUnreadRecords(t *testing.T) {
	known, odd := run("/a.jsonl", 0, turned), run("/b.jsonl", 0, turned)
	odd.Unread = "record type x: 2 records"
	b := New(all)
	changes := b.Take([]session.Session{known, odd}, nil, known.When())
	if len(changes) != 2 || strings.Contains(changes[0].Warned(), "unread") || !strings.HasPrefix(changes[1].Warned(), "unread record type x: 2 records · ") {
		t.Errorf("the lines are %q and %q", changes[0].Warned(), changes[1].Warned())
	}
	if row := changes[1].Row(); row.Unread == nil || *row.Unread != odd.Unread {
		t.Errorf("the row says %v", row.Unread)
	}
	if got := b.Status(known.When()); got != "idle  1 unread in part" {
		t.Errorf("the status is %q", got)
	}
}
