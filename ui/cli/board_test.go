package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"turns/model"
	"turns/query/session"
	"turns/ui/board"
	"turns/ui/transcripts"
)

// What there was when a list began is no news; what changes later is told, as a line and to the
// terminal.
func TestWatchTells(t *testing.T) {
	var tty, out bytes.Buffer
	triggers, err := board.ParseTriggers("waiting")
	if err != nil {
		t.Fatal(err)
	}
	now := time.UnixMilli(1_700_000_000_000)
	run := func(path string, e model.Ending) session.Session {
		return session.Of(model.Summary{Path: path, Agent: "Codex rollout", Title: "Fix it", Last: now.UnixMilli(), Written: now.UnixMilli(), Sessions: 1, Messages: 2, Ending: e}, now)
	}
	asks := model.Ending{State: model.RunOpen, Runs: 1, Running: "AskUserQuestion", Tools: "AskUserQuestion"}
	works := model.Ending{State: model.RunOpen, Due: model.DueAnswer}
	a := newApp(IO{Env: func(string) string { return "" }})
	a.utc = true
	x := &watch{app: a, flags: &boardFlags{}, board: board.New(func(*session.Session) bool { return true }), tty: &tty}
	x.alerts = board.NewAlerts(triggers, x.board.At, board.Costs{})
	x.take(transcripts.Update{Sessions: []session.Session{run("/old", asks), run("/new", works)}, Listed: true}, now)
	if tty.Len() > 0 {
		t.Errorf("what there was is told: %q", tty.String())
	}
	changes := x.board.Take([]session.Session{run("/new", asks)}, nil, now)
	x.alert(changes, now)
	if got, want := tty.String(), "\x1b]9;Codex: asks you · Fix it\a\a"; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
	if err := x.write(&out, changes, now); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "22:13:20  waiting   asks you  Codex  Fix it  /new\n"; got != want {
		t.Errorf("wrote %q, want %q", got, want)
	}
	out.Reset()
	a.json = true
	if err := x.write(&out, x.board.Take(nil, []string{"/new"}, now), now); err != nil || !strings.HasPrefix(out.String(), `{"op":"remove","path":"/new"`) {
		t.Errorf("wrote %q, %v", out.String(), err)
	}
	out.Reset()
	x.flags.status = true
	for range 2 { // once, as long as it stays
		if err := x.write(&out, nil, now); err != nil {
			t.Fatal(err)
		}
	}
	if got := out.String(); got != "? 1 waiting\n" {
		t.Errorf("the status is %q", got)
	}
}

// A command gets what is told on its standard input; what it complains of is told, and so is one
// that hangs.
func TestRunWith(t *testing.T) {
	for _, c := range []struct{ argv, want string }{
		{"grep -q waiting", ""},
		{"grep -q stuck", "exit status 1"},
		{"no-such-command-anywhere", "not found"},
		{"", "--exec is empty"},
	} {
		err := runWith(strings.Fields(c.argv))(t.Context(), []byte(`{"on":"waiting"}`))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.argv, err, c.want)
		}
	}
}
