package cli

import (
	"bytes"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"turns/model"
	"turns/query/session"
	"turns/ui/board"
	"turns/ui/transcripts"
)

// The sessions at the start of a list are not news; later changes are reported as a line and to the
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
		t.Errorf("old states are reported: %q", tty.String())
	}
	changes := x.board.Take([]session.Session{run("/new", asks)}, nil, now)
	x.alert(changes, now)
	if got, want := tty.String(), "\x1b]9;Codex: asks you · Fix it\a\a"; got != want {
		t.Errorf("got %q, want %q", got, want)
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
	for range 2 { // once while it stays waiting
		if err := x.write(&out, nil, now); err != nil {
			t.Fatal(err)
		}
	}
	if got := out.String(); got != "? 1 waiting\n" {
		t.Errorf("the status is %q", got)
	}
}

// TestCostOfTheDay: the sum counts a recorded cost once, although it includes listed subagents. For
// a session that began the day before, it counts only the new part.
func TestCostOfTheDay(t *testing.T) {
	dir := t.TempDir()
	writeSubagents(t, dir) // $1 on 11 February
	answer := func(id, at string) string {
		return `{"type":"assistant","uuid":"` + id + `","sessionId":"old","cwd":"/src","version":"2.1.0","timestamp":"2026-02-` + at + `Z","message":{"id":"` + id +
			`","type":"message","role":"assistant","model":"claude-sonnet-4-5","usage":{"input_tokens":1000,"output_tokens":1000},"content":[{"type":"text","text":"ok"}]}}` + "\n"
	}
	for name, text := range map[string]string{
		"goes-on.jsonl": answer("g1", "10T23:00:00") + answer("g2", "11T01:00:00") + answer("g3", "11T02:00:00"), // 2 of 3 responses
		"over.jsonl":    answer("o1", "10T09:00:00"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a := newApp(IO{Env: func(string) string { return "" }, Err: io.Discard})
	a.utc = true
	lib, err := a.library(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer lib.Close()
	list, err := lib.Sessions(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	var rows []session.Session
	for s, err := range list.Rows {
		if err == nil {
			rows = append(rows, s)
		}
	}
	if len(rows) != 6 {
		t.Fatalf("%d sessions", len(rows))
	}
	prices, err := a.prices()
	if err != nil {
		t.Fatal(err)
	}
	ofDay := a.costOfDay(t.Context(), prices, func(yield func(*session.Session) bool) {
		for i := range rows {
			if !yield(&rows[i]) {
				return
			}
		}
	})
	for _, c := range []struct {
		at  string
		day string
		usd float64
	}{
		{"2026-02-11T23:30:00Z", "2026-02-11", 1.036}, {"2026-02-11T23:30:05Z", "2026-02-11", 1.036}, {"2026-02-12T00:00:00Z", "2026-02-12", 0},
	} {
		now, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		if usd, day := ofDay(now.UTC()); math.Abs(usd-c.usd) > 1e-9 || day != c.day {
			t.Errorf("at %s: $%f on %s, want $%f on %s", c.at, usd, day, c.usd, c.day)
		}
	}
}

// A command gets the alert on standard input; its error output is reported, and so is a hanging
// command.
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
