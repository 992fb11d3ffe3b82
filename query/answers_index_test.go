package query

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"turns/model"
)

// indexTexts reads messages of a growing index from a list.
type indexTexts map[model.ID]model.Message

func (t indexTexts) Body(_ context.Context, _ *model.Snapshot, id model.ID) (*model.Message, error) {
	m := t[id]
	m.ID = id
	return &m, nil
}

func statsOf(t *testing.T, s *model.Snapshot) *StatsAnswer {
	t.Helper()
	a, err := Stats(context.Background(), Everything(s), nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestUsageOfSessions: a session's own total beats the sum of its responses, the
// rises of a counter add to it, and what a rewind erased is beside.
func TestUsageOfSessions(t *testing.T) {
	g := newGrowing()
	g.ix.Threads = append(g.ix.Threads, model.Thread{Main: true, Session: 1, Call: model.CallID(model.NoRow)}, model.Thread{Main: true, Session: 2, Call: model.CallID(model.NoRow)})
	g.ix.Sessions = append(g.ix.Sessions, model.Session{}, model.Session{})
	for thread := range uint32(3) {
		id := g.add(model.Head{Role: model.Assistant, Flags: model.HasWords, Thread: thread})
		g.ix.Heads.Amend(int(id)).Usage = uint32(g.ix.Tokens.Append(model.Tokens{Input: 10, CacheRead: 5, CacheWrite: model.NoTokens, Output: 2, Reasoning: model.NoTokens}))
	}
	gone := model.ID(g.ix.Heads.Append(model.Head{Role: model.Assistant, Flags: model.Rewound, Parent: model.NoID, LastPart: model.NoRow, LastCall: model.NoRow}))
	g.ix.Heads.Amend(int(gone)).Usage = uint32(g.ix.Tokens.Append(model.Tokens{Input: 1000, CacheRead: 0, CacheWrite: 0, Output: 7, Reasoning: 0}))
	g.ix.Calls.Append(model.Call{Msg: gone, Result: model.NoID, Prev: model.NoRow, PrevResult: model.NoRow, Took: model.NoTook, Outcome: model.Failure})
	g.ix.Totals = []model.SessionUsage{
		{Session: 1, Usage: model.Usage{Scope: model.Total, Input: 1, CacheRead: -1, CacheWrite: -1, Output: 1, Reasoning: -1}},
		{Session: 1, Usage: model.Usage{Scope: model.Total, Input: 100, CacheRead: -1, CacheWrite: -1, Output: 20, Reasoning: -1, Cost: 1.5, HasCost: true}},
		{Session: 2, Usage: model.Usage{Scope: model.Counter, Input: 3, CacheRead: -1, CacheWrite: -1, Output: 4, Reasoning: 4}},
	}
	a := statsOf(t, g.snapshot())
	js, err := json.Marshal([]any{a.Usage, a.Cost, a.Rewound, a.ToolCalls, a.Sessions})
	want := `[{"input_tokens":123,"cache_read_tokens":15,"cache_write_tokens":null,"output_tokens":28,"reasoning_tokens":4,"total_tokens":166},1.5,` +
		`{"rewound_messages":1,"rewound_tool_calls":1,"rewound_tool_errors":1,"rewound_usage":{"input_tokens":1000,"cache_read_tokens":0,"cache_write_tokens":0,"output_tokens":7,"reasoning_tokens":0,"total_tokens":1007}},0,3]`
	if err != nil || string(js) != want {
		t.Errorf("got  %s\nwant %s", js, want)
	}
}

// TestWholeConversationOfMany: the answer about one conversation of many holds
// what covers all of it, and nothing of the others.
func TestWholeConversationOfMany(t *testing.T) {
	g := newGrowing()
	g.ix.Threads = append(g.ix.Threads, model.Thread{Main: true, Session: 1, Call: model.CallID(model.NoRow)})
	g.ix.Sessions = append(g.ix.Sessions, model.Session{})
	for thread := range uint32(2) {
		for range 2 {
			g.add(model.Head{Role: model.Assistant, Flags: model.HasWords, Thread: thread})
		}
		g.add(model.Head{Op: model.Note, Name: 1, Thread: thread})
		off := g.add(model.Head{Role: model.Assistant, Flags: model.HasCalls | model.OffBranch, Thread: thread})
		g.ix.Live = slices.DeleteFunc(g.ix.Live, func(id model.ID) bool { return id == off })
		g.ix.Calls.Append(model.Call{Msg: off, Result: model.NoID, Prev: model.NoRow, PrevResult: model.NoRow, Took: model.NoTook, Outcome: model.Failure})
		g.ix.Totals = append(g.ix.Totals, model.SessionUsage{Session: thread, Usage: model.Usage{Scope: model.Total, Input: 100 + int64(thread), CacheRead: -1, CacheWrite: -1, Output: -1, Reasoning: -1}})
	}
	s := g.snapshot()
	live := s.LiveIDs()
	for _, tt := range []struct {
		name           string
		ids            []model.ID
		input          int64
		events, failed int
	}{
		{"both", live, 201, 2, 2},
		{"the first", live[:2], 100, 1, 1},
		{"the second", live[2:], 101, 1, 1},
		{"a part of the first", live[:1], 0, 0, 0},
		{"the first and a part of the second", live[:3], 100, 1, 1},
		{"none", nil, 0, 0, 0},
	} {
		sel := Selection{s, tt.ids}
		a, err := Stats(context.Background(), sel, nil)
		if err != nil {
			t.Fatal(err)
		}
		input, events := int64(0), 0
		if a.Usage.Input != nil {
			input = *a.Usage.Input
		}
		for _, e := range a.Events {
			events += e.Count
		}
		if input != tt.input || events != tt.events || a.ToolErrors != tt.failed || ToolSummary(sel, nil).All.Errors != tt.failed {
			t.Errorf("%s: input %d, %d events, %d errors (tools: %d), want %d, %d, %d", tt.name, input, events, a.ToolErrors,
				ToolSummary(sel, nil).All.Errors, tt.input, tt.events, tt.failed)
		}
	}
}

func TestEventsAndUnreadable(t *testing.T) {
	g := newGrowing()
	g.add(model.Head{Op: model.Note, Name: 1, Time: t0})
	g.add(model.Head{Op: model.Note, Name: 1})
	g.add(model.Head{Op: model.Compact})
	g.add(model.Head{Op: model.Unreadable})
	g.add(model.Head{Role: model.Assistant, Flags: model.APIError | model.HasWords, Time: t0 + 5000})
	g.ix.Unreadable, g.ix.Notes = 1, 3
	a := statsOf(t, g.snapshot())
	js, _ := json.Marshal([]any{a.Events, a.UnreadableRecords, a.Compactions, a.ModelErrors, a.FirstTime, a.Outcome})
	want := `[[{"kind":"note","count":2},{"kind":"compaction","count":1}],1,1,1,"2026-02-11T20:41:40.000Z",{"state":"failed","reason":"API error","score":null}]`
	if string(js) != want {
		t.Errorf("got  %s\nwant %s", js, want)
	}
}

func TestOutcome(t *testing.T) {
	user, words := model.Head{Role: model.User, Flags: model.Prompt | model.HasWords}, model.Head{Role: model.Assistant, Flags: model.HasWords}
	score := 0.5
	for _, c := range []struct {
		name    string
		session model.Session
		heads   []model.Head
		want    RunOutcome
	}{
		{"nothing", model.Session{}, nil, RunOutcome{State: RunUnknown}},
		{"the format's end", model.Session{Ended: true, Outcome: model.Failure, Reason: "max iterations (50)", Score: 0.5, Scored: true}, []model.Head{words}, RunOutcome{RunFailed, "max iterations (50)", &score}},
		{"finished", model.Session{Ended: true, Outcome: model.Success, Reason: "success"}, nil, RunOutcome{State: RunFinished, Reason: "success"}},
		{"stopped", model.Session{Ended: true, Outcome: model.Stopped}, nil, RunOutcome{State: RunInterrupted}},
		{"end of turn", model.Session{Stop: model.StopEnd}, []model.Head{user, words}, RunOutcome{State: RunFinished, Reason: "end of turn"}},
		{"output limit", model.Session{Stop: model.StopLength}, []model.Head{user, words}, RunOutcome{State: RunFailed, Reason: "output limit"}},
		{"no answer", model.Session{Stop: model.StopEnd}, []model.Head{words, user}, RunOutcome{State: RunOpen, Reason: "the model has not answered"}},
		{"interrupted", model.Session{}, []model.Head{user, {Role: model.Assistant, Flags: model.Interrupted}}, RunOutcome{State: RunInterrupted, Reason: "interrupted"}},
		{"open call", model.Session{}, []model.Head{user, {Role: model.Assistant, Flags: model.HasOpenCall}}, RunOutcome{State: RunOpen, Reason: "a call has no result"}},
		{"the file just stops", model.Session{}, []model.Head{user, words}, RunOutcome{State: RunUnknown}},
	} {
		g := newGrowing()
		g.ix.Sessions[0] = c.session
		for _, h := range c.heads {
			g.add(h)
		}
		s := g.snapshot()
		got := Outcome(s, 0)
		if got.State != c.want.State || got.Reason != c.want.Reason || (got.Score == nil) != (c.want.Score == nil) {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
		if all := sessionEnds(s, []bool{true, false}[:1]); all[0].State != got.State {
			t.Errorf("%s: among all sessions %+v", c.name, all[0])
		}
	}
	if got := Outcome(newGrowing().snapshot(), 7); got.State != RunUnknown {
		t.Errorf("a session that is not there: %+v", got)
	}
}

func TestOutcomeOfManySessions(t *testing.T) {
	g := newGrowing()
	g.ix.Sessions = []model.Session{{Ended: true, Outcome: model.Success, Score: 1, Scored: true}, {Ended: true, Outcome: model.Failure, Score: 0, Scored: true}}
	g.ix.Threads = append(g.ix.Threads, model.Thread{Main: true, Session: 1, Call: model.CallID(model.NoRow)})
	g.add(model.Head{Role: model.User})
	g.add(model.Head{Role: model.User, Thread: 1})
	a := statsOf(t, g.snapshot())
	if a.Outcome.State != RunFailed || a.Outcome.Reason != "1 finished, 1 failed" || *a.Outcome.Score != 0.5 || a.Sessions != 2 {
		t.Errorf("got %+v", a.Outcome)
	}
}

// TestTokensExtend: what changed is counted again, and nothing else is read.
func TestTokensExtend(t *testing.T) {
	ctx := context.Background()
	g := newGrowing()
	bodies := indexTexts{}
	write := func(text string) model.ID {
		id := g.add(model.Head{Role: model.Assistant, Flags: model.HasWords, Size: uint32(len(text))})
		bodies[id] = say(model.Assistant, text)
		return id
	}
	shot := func() *model.Snapshot {
		s := g.snapshot()
		ix := g.ix
		ix.Heads, ix.Calls = g.ix.Heads.Snapshot(), g.ix.Calls.Snapshot()
		_ = s
		return model.NewSnapshot(ix, bodies)
	}
	a, b := write("one"), write("one two")
	first, err := CountTokens(ctx, Everything(shot()), wordCounter())
	if err != nil {
		t.Fatal(err)
	}
	bodies[a] = say(model.Assistant, "nobody reads this again")
	g.amend(b, model.HasReasoning)
	bodies[b] = say(model.Assistant, "one two three")
	c := write("x")
	next := wordCounter()
	next.Column = first
	second, err := CountTokens(ctx, Everything(shot()), next)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		col  *TokenColumn
		id   model.ID
		want uint32
	}{{first, a, 1}, {first, b, 2}, {second, a, 1}, {second, b, 3}, {second, c, 1}} {
		if n, ok := x.col.Message(x.id); !ok || n.Content != x.want {
			t.Errorf("message %d has %+v, want %d", x.id, n, x.want)
		}
	}
	if _, ok := first.Message(c); ok {
		t.Error("the column before knows a later message")
	}
}

func TestAnswersAreClean(t *testing.T) {
	evil := "a\x1b]0;x\x07\u202e\x00b\r\nc"
	m := say(model.Assistant, evil, call("1", evil, `{"command":"x"}`))
	m.Model = evil
	sel := Everything(model.FromMessages([]model.Message{say(model.User, evil), m, tool(result("1", evil))}))
	stats, err := Stats(context.Background(), sel, nil)
	if err != nil {
		t.Fatal(err)
	}
	line := Timeline(sel)
	if err := line.Describe(context.Background()); err != nil {
		t.Fatal(err)
	}
	found := &SearchAnswer{Matches: []SearchMatch{{Role: evil, Tool: evil, Line: evil}}}
	for _, s := range []string{stats.String(), ToolSummary(sel, nil).String(), line.String(), found.String()} {
		if strings.ContainsAny(s, "\x1b\x00\r\u202e\x07") {
			t.Errorf("not clean: %q", s)
		}
	}
}

func TestAgentRuns(t *testing.T) {
	sel := Everything(model.FromMessages(runMessages()))
	runs := AgentRuns(sel.Snap)
	if len(runs) != 1 || runs[0].String() != "opus-4-6 · 3 calls · 1 error" || runs[0].Messages != 10 || runs[0].Pending != 1 {
		t.Errorf("got %+v", runs)
	}
}
