package summary

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/filter"
	"turns/query/human"
	"turns/query/querytest"
)

func statsOf(t *testing.T, s *model.Snapshot) *StatsAnswer {
	t.Helper()
	a, err := Stats(context.Background(), query.Everything(s), nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestUsageOfSessions: a session's own total has priority over the sum of its responses, counters
// add to it, and rewound usage is separate.
func TestUsageOfSessions(t *testing.T) {
	g := querytest.NewGrowing()
	g.Ix.Threads = append(g.Ix.Threads, model.Thread{Main: true, Session: 1, Call: model.CallID(model.NoRow)}, model.Thread{Main: true, Session: 2, Call: model.CallID(model.NoRow)})
	g.Ix.Sessions = append(g.Ix.Sessions, model.Session{}, model.Session{})
	for thread := range uint32(3) {
		id := g.Add(model.Head{Role: model.Assistant, Flags: model.HasWords, Thread: thread})
		g.Ix.Heads.Amend(int(id)).Usage = uint32(g.Ix.Tokens.Append(model.Tokens{Input: 10, CacheRead: 5, CacheWrite: model.NoTokens, Output: 2, Reasoning: model.NoTokens}))
	}
	gone := model.ID(g.Ix.Heads.Append(model.Head{Role: model.Assistant, Flags: model.Rewound, Parent: model.NoID, LastPart: model.NoRow, LastCall: model.NoRow}))
	g.Ix.Heads.Amend(int(gone)).Usage = uint32(g.Ix.Tokens.Append(model.Tokens{Input: 1000, CacheRead: 0, CacheWrite: 0, Output: 7, Reasoning: 0}))
	g.Ix.Calls.Append(model.Call{Msg: gone, Result: model.NoID, Prev: model.NoRow, PrevResult: model.NoRow, Took: model.NoTook, Outcome: model.Failure})
	g.Ix.Totals = []model.SessionUsage{
		{Session: 1, Usage: model.Usage{Scope: model.Total, Input: 1, CacheRead: -1, CacheWrite: -1, Output: 1, Reasoning: -1}},
		{Session: 1, Usage: model.Usage{Scope: model.Total, Input: 100, CacheRead: -1, CacheWrite: -1, Output: 20, Reasoning: -1, Cost: 1.5, HasCost: true}},
		{Session: 2, Usage: model.Usage{Scope: model.Counter, Input: 3, CacheRead: -1, CacheWrite: -1, Output: 4, Reasoning: 4}},
	}
	a := statsOf(t, g.Snapshot())
	js, err := json.Marshal([]any{a.Usage, a.Cost, a.Rewound, a.ToolCalls, a.Sessions})
	want := `[{"input_tokens":123,"cache_read_tokens":15,"cache_write_tokens":null,"output_tokens":28,"reasoning_tokens":4,"total_tokens":166},1.5,` +
		`{"rewound_messages":1,"rewound_tool_calls":1,"rewound_tool_errors":1,"rewound_usage":{"input_tokens":1000,"cache_read_tokens":0,"cache_write_tokens":0,"output_tokens":7,"reasoning_tokens":0,"total_tokens":1007}},0,3]`
	if err != nil || string(js) != want {
		t.Errorf("got  %s\nwant %s", js, want)
	}
}

// TestWholeConversationOfMany: the answer about one of several conversations covers all of it, and
// none of the others.
func TestWholeConversationOfMany(t *testing.T) {
	g := querytest.NewGrowing()
	g.Ix.Threads = append(g.Ix.Threads, model.Thread{Main: true, Session: 1, Call: model.CallID(model.NoRow)})
	g.Ix.Sessions = append(g.Ix.Sessions, model.Session{})
	for thread := range uint32(2) {
		for range 2 {
			g.Add(model.Head{Role: model.Assistant, Flags: model.HasWords, Thread: thread})
		}
		g.Add(model.Head{Op: model.Note, Name: 1, Thread: thread})
		off := g.Add(model.Head{Role: model.Assistant, Flags: model.HasCalls | model.OffBranch, Thread: thread})
		g.Ix.Live = slices.DeleteFunc(g.Ix.Live, func(id model.ID) bool { return id == off })
		g.Ix.Calls.Append(model.Call{Msg: off, Result: model.NoID, Prev: model.NoRow, PrevResult: model.NoRow, Took: model.NoTook, Outcome: model.Failure})
		g.Ix.Totals = append(g.Ix.Totals, model.SessionUsage{Session: thread, Usage: model.Usage{Scope: model.Total, Input: 100 + int64(thread), CacheRead: -1, CacheWrite: -1, Output: -1, Reasoning: -1}})
	}
	s := g.Snapshot()
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
		sel := query.Selection{Snap: s, IDs: tt.ids}
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
		if input != tt.input || events != tt.events || a.Branches.Errors != tt.failed || a.ToolErrors+ToolSummary(sel, nil).All.Errors != 0 {
			t.Errorf("%s: input %d, %d events, %d errors on other branches (%d elsewhere), want %d, %d, %d, 0", tt.name, input, events,
				a.Branches.Errors, a.ToolErrors, tt.input, tt.events, tt.failed)
		}
	}
}

func TestEventsAndUnreadable(t *testing.T) {
	g := querytest.NewGrowing()
	g.Add(model.Head{Op: model.Note, Name: 1, Time: querytest.T0})
	g.Add(model.Head{Op: model.Note, Name: 1})
	g.Add(model.Head{Op: model.Compact, Name: 1})
	g.Add(model.Head{Op: model.Unreadable})
	g.Add(model.Head{Role: model.Assistant, Flags: model.APIError | model.HasWords, Time: querytest.T0 + 5000})
	g.Ix.Unreadable, g.Ix.Notes = 1, 3
	a := statsOf(t, g.Snapshot())
	js, _ := json.Marshal([]any{a.Events, a.UnreadableRecords, a.Compactions, a.ModelErrors, a.FirstTime, a.Outcome})
	want := `[[{"kind":"note","count":2},{"kind":"compaction","count":1}],1,1,1,"2026-02-11T20:41:40.000Z",{"state":"failed","reason":"API error","score":null}]`
	if string(js) != want {
		t.Errorf("got  %s\nwant %s", js, want)
	}
}

func TestAnswersAreClean(t *testing.T) {
	evil := "a\x1b]0;x\x07\u202e\x00b\r\nc"
	m := querytest.Message(model.Assistant, evil, querytest.Call("1", evil, `{"command":"x"}`))
	m.Model = evil
	sel := query.Everything(model.FromMessages([]model.Message{querytest.Message(model.User, evil), m, querytest.Tool(querytest.Result("1", evil))}))
	stats, err := Stats(context.Background(), sel, nil)
	if err != nil {
		t.Fatal(err)
	}
	line := Timeline(sel)
	if err := line.Describe(context.Background()); err != nil {
		t.Fatal(err)
	}
	found := filter.SearchMatch{Role: evil, Tool: human.TextOrNull(evil), Line: evil}
	for _, s := range []string{stats.Doc().String(), ToolSummary(sel, nil).Doc().String(), line.Doc().String(), found.String()} {
		if strings.ContainsAny(s, "\x1b\x00\r\u202e\x07") {
			t.Errorf("not clean: %q", s)
		}
	}
}

func TestTurnsOfAgents(t *testing.T) {
	g := querytest.NewGrowing()
	prompt := g.Add(model.Head{Role: model.User, Flags: model.Prompt | model.HasWords})
	call := model.CallID(g.Ix.Calls.Append(model.Call{Msg: 1, Result: model.NoID, Prev: model.NoRow, PrevResult: model.NoRow, Tool: 2, Took: model.NoTook}))
	asks := g.Add(model.Head{Role: model.Assistant, Flags: model.HasCalls, LastCall: uint32(call)})
	g.Ix.Threads = append(g.Ix.Threads, model.Thread{Call: call, Name: "Explore"})
	next := g.Add(model.Head{Role: model.User, Flags: model.Prompt | model.HasWords})
	sub := g.Add(model.Head{Role: model.User, Flags: model.Prompt | model.HasWords, Thread: 1})
	subCall := g.Ix.Calls.Append(model.Call{Msg: 4, Result: model.NoID, Prev: model.NoRow, PrevResult: model.NoRow, Tool: 2, Took: 5, Outcome: model.Failure})
	g.Add(model.Head{Role: model.Assistant, Flags: model.HasCalls, Thread: 1, LastCall: uint32(subCall)})
	s := g.Snapshot()
	x := query.NewTurnIndex(s)
	if x.Len() != 2 || x.Turn(prompt) != 0 || x.Turn(asks) != 0 || x.Turn(next) != 1 || x.Turn(sub) != 0 || x.Turn(4) != 0 {
		t.Errorf("turns %d %d %d %d of %d", x.Turn(prompt), x.Turn(asks), x.Turn(next), x.Turn(sub), x.Len())
	}
	a := Timeline(query.Everything(s))
	if got := a.Turns[0]; got.Calls != 1 || got.AgentCalls != 1 || got.AgentErrs != 1 || len(got.Steps) != 1 || len(got.Messages) != 4 {
		t.Errorf("first turn is %+v", got)
	}
	tools := ToolSummary(query.Everything(s), nil)
	if len(tools.Tools) != 1 || len(tools.InAgents) != 1 || tools.Agents.Errors != 1 || tools.All.Calls != 1 {
		t.Errorf("tools are %+v", tools)
	}
}

func TestOutcomeOfManySessions(t *testing.T) {
	g := querytest.NewGrowing()
	g.Ix.Sessions = []model.Session{{Ended: true, Outcome: model.Success, Score: 1, Scored: true}, {Ended: true, Outcome: model.Failure, Score: 0, Scored: true}}
	g.Ix.Threads = append(g.Ix.Threads, model.Thread{Main: true, Session: 1, Call: model.CallID(model.NoRow)})
	g.Add(model.Head{Role: model.User})
	g.Add(model.Head{Role: model.User, Thread: 1})
	a := statsOf(t, g.Snapshot())
	if a.Outcome.State != model.RunFailed || a.Outcome.Reason != "1 finished, 1 failed" || *a.Outcome.Score != 0.5 || a.Sessions != 2 {
		t.Errorf("got %+v", a.Outcome)
	}
}
