package session_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"turns/model"
	"turns/query/label"
	"turns/query/lang"
	"turns/query/session"
)

var listedAt = time.Date(2026, 2, 12, 12, 0, 0, 0, time.UTC)

func listed() []session.Session {
	ms := func(ago time.Duration) int64 { return listedAt.Add(-ago).UnixMilli() }
	rows := []session.Session{
		session.Of(model.Summary{
			Path: "/w/claude/8463c716.jsonl", Format: "claude-code", Agent: "Claude Code session", Project: "/home/ana/shop", Title: "Fix the flaky test", Session: "8463c716",
			Model: "claude-opus-4-6", Started: ms(26 * time.Hour), Last: ms(25 * time.Hour), Messages: 120, Calls: 40, Errors: 3, Tokens: 45_000, Sessions: 1,
			Ending: model.Ending{Ended: true, Outcome: model.Success, State: model.RunFinished},
		}, listedAt),
		session.Of(model.Summary{
			Path: "/w/codex/rollout-1.jsonl", Format: "codex", Agent: "Codex rollout", Project: "/home/ana/Blog", Title: "", Session: "r1",
			Model: "gpt-5", Started: ms(time.Minute), Last: ms(2 * time.Second), Written: ms(2 * time.Second), Messages: 4, Pending: 1, Partial: true, Estimate: 300, Sessions: 1,
			Ending: model.Ending{State: model.RunOpen, Due: model.DueResult, Running: "shell", Runs: 1},
		}, listedAt),
		session.Of(model.Summary{
			Path: "/w/eval.json", Agent: "Inspect AI evaluation log", Title: "math", Sessions: 5, Judged: 4, Passed: 3, Messages: 50, Errors: 0,
		}, listedAt),
		session.Of(model.Summary{Path: "/w/empty.jsonl", Partial: true, Sessions: 1}, listedAt),
	}
	rows[0].Cost, rows[0].Guessed, rows[0].Bytes = 0.32, true, 90_000
	loop := label.Mark{Kind: label.Label, Name: "loop"}
	rows[0].Labels = []label.Mark{loop, {Kind: label.Score, Name: "quality", Value: "2"}, loop, {Kind: label.Note, Text: "wrong file"}}
	return rows
}

// TestFilterOfSessions: the terms that a list entry can decide, and those that need the messages.
func TestFilterOfSessions(t *testing.T) {
	rows := listed()
	ref := lang.TimeRef{Now: listedAt, Loc: time.UTC}
	for _, c := range []struct {
		query, want string // a letter for each session; ? if its messages decide
	}{
		{"", "yyyy"},
		{"title:flaky", "ynnn"},
		{"title:FLAKY", "ynnn"},
		{"title:/Fix .* test/", "ynnn"},
		{"title:/fix/", "nnnn"},
		{"project:shop", "ynnn"},
		{"project:/home/ana/blog", "nynn"},
		{"model:claude-*", "ynnn"},
		{"model:gpt-5,claude-opus-4-6", "yynn"},
		{"session:8463c716", "ynnn"},
		{"id:8463c716", "ynnn"},
		{"file:eval.json", "nnyn"},
		{"agent:codex", "nynn"},
		{"end:finished", "ynnn"},
		{"is:error", "ynnn"},
		{"is:pending", "nynn"},
		{"is:live", "nynn"},
		{"is:error,live", "yynn"},
		{"is:labelled", "ynnn"},
		{"label:loop", "ynnn"},
		{"note:wrong", "ynnn"},
		{"score:>1", "ynnn"},
		{"score:>2", "nnnn"},
		{"tokens:>40k", "ynnn"},
		{"cost:>0.1", "ynnn"},
		{"cost:<0.1", "nnnn"},
		{"size:>1kB", "ynnn"},
		{"size:<1MB", "ynnn"},
		{"dur:>=1h", "ynnn"},
		{"dur:<1m", "nynn"},
		{"after:2026-02-12", "nynn"},
		{"before:2026-02-12", "ynnn"},
		{"flaky", "y???"},
		{"-flaky", "n???"},
		{"tool:Bash", "????"},
		{"tool:Bash is:error", "?nnn"},
		{"tool:Bash | is:error", "y???"},
		{"is:error,invalidated", "????"}, // the second term is about messages
	} {
		f, err := lang.Parse(c.query)
		if err != nil {
			t.Fatalf("%q: %v", c.query, err)
		}
		x := session.NewFilter(f, ref)
		var got strings.Builder
		for i := range rows {
			v := x.Holds(&rows[i], func(*lang.Term, *session.Session) session.Verdict { return session.Unsure })
			got.WriteByte("n?y"[v])
			if alone := x.Holds(&rows[i], nil); v != session.Unsure && alone != v {
				t.Errorf("%q: session %d is %d, and %d where messages are not known", c.query, i, v, alone)
			}
		}
		if got.String() != c.want {
			t.Errorf("%q lets through %s, want %s", c.query, &got, c.want)
		}
		if asks := len(x.Unanswered()) > 0; asks != strings.Contains(c.want, "?") {
			t.Errorf("%q: asks messages: %v", c.query, asks)
		}
	}
}

// TestColumns: the cells and the sort order of each column.
func TestColumns(t *testing.T) {
	rows := listed()
	v := &session.View{Now: listedAt, Zone: time.UTC, Layout: "Jan 2 15:04"}
	asked := []struct{ column, cells, order string }{
		{"when", "Feb 11 11:00 | Feb 12 11:59 |  | ", "2301"},
		{"agent", "Claude Code | Codex | Inspect AI | ", "3012"},
		{"project", "shop | Blog |  | ", "2310"},
		{"title", "Fix the flaky test | r1 | math, 5 conversations | empty.jsonl", "3021"},
		{"messages", "120 | ~300 | 50 | –", "3201"},
		{"tokens", "45.0k | – | – | –", "1230"},
		{"errors", "3 | – | · | –", "1230"},
		{"duration", "1h00m | 58.0s | – | –", "2310"},
		{"cost", "~$0.32 | – | – | –", "1230"},
		{"labels", `#loop  quality 2  "wrong file" |  |  | `, "1230"},
		{"end", "✓ finished | shell running | 3 of 4 passed | –", "0132"},
	}
	for _, c := range asked {
		col := session.Columns(true, c.column)
		if len(col) != 1 || col[0].Name != c.column {
			t.Fatalf("no column %s", c.column)
		}
		var cells []string
		order := []int{0, 1, 2, 3}
		for i := range rows {
			cell := col[0].Cell(session.Shown{Session: &rows[i], View: v})
			cells = append(cells, cell.Text+cell.More)
		}
		slices.SortStableFunc(order, func(a, b int) int {
			return col[0].Order(session.Shown{Session: &rows[a], View: v}, session.Shown{Session: &rows[b], View: v})
		})
		if got := strings.Join(cells, " | "); got != c.cells {
			t.Errorf("%s says\n%s, want\n%s", c.column, got, c.cells)
		}
		if got := strings.Trim(strings.ReplaceAll(fmt.Sprint(order), " ", ""), "[]"); got != c.order {
			t.Errorf("%s orders %s, want %s", c.column, got, c.order)
		}
	}
	if n := len(session.ColumnNames()); n != len(asked) {
		t.Errorf("%d columns, of which %d are asked", n, len(asked))
	}
	if n := len(session.Columns(false)); n != len(session.ColumnNames())-1 {
		t.Errorf("without labels there are %d columns", n)
	}
}

// TestNarrowEnd: a narrow column still shows the pending call and its time.
func TestNarrowEnd(t *testing.T) {
	v := &session.View{Now: listedAt}
	row := func(e model.Ending) session.Session {
		at := listedAt.Add(-705 * time.Second).UnixMilli()
		e.State, e.Due, e.Since, e.Pace = model.RunOpen, model.DueResult, at, 3_600_000
		return session.Of(model.Summary{Last: at, Written: at, Sessions: 1, Messages: 2, Ending: e}, listedAt)
	}
	calls := func(tool string, leave int) model.Ending {
		return model.Ending{Running: tool, Tools: tool, Runs: 1, Leave: leave}
	}
	loop := calls("Bash", 0)
	loop.Again, loop.Same = 9, "Bash"
	for _, c := range []struct {
		ending model.Ending
		wants  map[int]string // by the width
	}{
		{calls("exec_command", 1), map[int]string{27: "exec_command to allow 11:45", 20: "exec… to allow 11:45", 14: "to allow 11:45", 12: "allow 11:45"}},
		{calls("exec_command", 0), map[int]string{20: "exec_… running 11:45", 18: "exe… running 11:45", 17: "exec_comma… 11:45", 14: "exec_co… 11:45"}},
		{calls("AskUserQuestion", 0), map[int]string{14: "asks you 11:45", 12: "asks 11:45"}},
		{calls("ExitPlanMode", 0), map[int]string{18: "plan for you 11:45", 14: "plan 11:45"}},
		{loop, map[int]string{20: "Bash ×9 11:45", 14: "Bash ×9 11:45"}},
	} {
		s := row(c.ending)
		cell := session.Columns(false, "end")[0].Cell(session.Shown{Session: &s, View: v})
		for room, want := range c.wants {
			if got := cell.Short(room); got != want {
				t.Errorf("%q in %d cells is %q, want %q", cell.Text+cell.More, room, got, want)
			}
		}
	}
}

// TestEndOfSeveralSessionsFits: a narrow cell shows the outcome of the last session.
func TestEndOfSeveralSessionsFits(t *testing.T) {
	e := model.Ending{State: model.RunFailed, Reason: "1 finished, 1 failed"}
	s := session.Of(model.Summary{Sessions: 2, Ending: e}, listedAt)
	cell := session.Columns(false, "end")[0].Cell(session.Shown{Session: &s, View: &session.View{Now: listedAt}})
	if cell.Text != "✗ 2 sessions, last failed" || cell.Short == nil || cell.Short(18) != "✗ last failed" {
		t.Errorf("the cell is %+v", cell)
	}
}

// TestNewsOfASession: At reports a change only if the state of the row differs.
func TestNewsOfASession(t *testing.T) {
	rows := listed()
	live := rows[1]
	if live.At(listedAt.Add(time.Second)) {
		t.Error("a second later nothing is new")
	}
	if !live.At(listedAt.Add(24*time.Hour)) || live.Live {
		t.Error("a day later it still lives")
	}
	if rows[0].Passes() || rows[0].Folder() != "shop" || rows[3].Folder() != "" {
		t.Errorf("%+v", rows[0])
	}
	many := session.Of(model.Summary{Path: "/w/eval.json", Sessions: 7, Partial: true}, listedAt)
	if got := many.Name(); got != "7+ conversations in eval.json" {
		t.Errorf("it is called %q", got)
	}
	if !many.When().IsZero() || many.Took() != 0 {
		t.Errorf("it came %v and took %v", many.When(), many.Took())
	}
}
