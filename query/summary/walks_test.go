package summary

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"turns/model"
	"turns/query"
	"turns/query/cache"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/querytest"
)

// response returns a message of a model with its usage.
func response(name, text string, u model.Usage, blocks ...model.Content) model.Message {
	m := querytest.Message(model.Assistant, text, blocks...)
	m.Model, m.Usage = name, &u
	return m
}

// TestWhyTheCacheMissed: each cause in words, with its evidence.
func TestWhyTheCacheMissed(t *testing.T) {
	a, b := response("one", "a", model.Usage{}), response("two", "b", model.Usage{})
	unnamed := response("", "c", model.Usage{})
	names := namesOf(model.FromMessages([]model.Message{a, b, unnamed}), nil)
	for _, c := range []struct {
		r    cache.Request
		want string
	}{
		{cache.Request{ID: 1, Prev: 0, Cause: cache.TTL, Gap: 10 * time.Minute, Life: 5 * time.Minute}, cache.TTL.Words() + ": 10m00s since #0, 5m00s"},
		{cache.Request{ID: 1, Prev: 0, Cause: cache.TTL, Recorded: "too\nlate"}, "too late (recorded)"},
		{cache.Request{ID: 1, Prev: 0, Cause: cache.Edited, Start: true, Read: 1500}, cache.Edited.Words() + ": only the first 1.5k tokens were still cached"},
		{cache.Request{ID: 1, Prev: 0, Cause: cache.Edited, Read: 1500}, cache.Edited.Words()},
		{cache.Request{ID: 1, Prev: 0, Cause: cache.First, Start: true, Read: 1500}, cache.First.Words()},
		{cache.Request{ID: 1, Prev: 0, Cause: cache.Model}, cache.Model.Words() + ": one → two"},
		{cache.Request{ID: 2, Prev: 1, Cause: cache.Model}, cache.Model.Words() + ": two → –"},
		{cache.Request{ID: 1, Prev: model.NoID, Cause: cache.Model}, cache.Model.Words()},
		{cache.Request{ID: 1, Prev: 0, Cause: cache.Model, Recorded: "switched"}, "switched (recorded): one → two"},
	} {
		if got := names.why(&c.r); got != c.want {
			t.Errorf("%+v: %q, want %q", c.r, got, c.want)
		}
	}
}

// TestRowsOfTheCache: the row of a request, and the price of the tokens that it wrote again.
func TestRowsOfTheCache(t *testing.T) {
	s := model.FromMessages([]model.Message{
		response("m", "a", model.Usage{Input: 10, CacheRead: 0, CacheWrite: 5, Output: 1, Reasoning: -1}),
		response("m", "b", model.Usage{Input: 10, CacheRead: 0, CacheWrite: 0, Output: 1, Reasoning: -1}),
		response("m", "c", model.Usage{Input: 10, CacheRead: 0, CacheWrite: -1, Output: 1, Reasoning: -1}),
		response("m", "d", model.Usage{Input: 10, CacheRead: 0, CacheWrite: 5, Output: 1, Reasoning: -1, HourCache: true}),
		response("x", "e", model.Usage{Input: 10, CacheRead: 0, CacheWrite: 5, Output: 1, Reasoning: -1}),
	})
	prices := PriceTable{"m": {Input: 1, CacheWrite: 2, HasCacheWrite: true, CacheHour: 3, HasCacheHour: true, Long: []LongPrice{{Above: 99, Price: Price{Input: 10, CacheWrite: 20, HasCacheWrite: true}}}}}
	names, turns := namesOf(s, prices), query.NewTurnIndex(s)
	for _, c := range []struct {
		name string
		r    cache.Request
		usd  *float64
		row  string // share, again, cause, miss
	}{
		{"written", cache.Request{ID: 0, Total: 99, Again: 7, Cause: cache.TTL}, new(14.0), "0 7 true true"},
		{"written, a long prompt", cache.Request{ID: 0, Total: 100, Again: 7, Cause: cache.TTL}, new(140.0), "0 7 true true"},
		{"written for an hour", cache.Request{ID: 3, Total: 99, Again: 7, Cause: cache.TTL}, new(21.0), "0 7 true true"},
		{"sent", cache.Request{ID: 1, Total: 99, Again: 7, Cause: cache.TTL}, new(7.0), "0 7 true true"},
		{"writes not recorded", cache.Request{ID: 2, Total: 99, Again: 7, Cause: cache.TTL}, new(7.0), "0 7 true true"},
		{"unknown price", cache.Request{ID: 4, Total: 99, Again: 7, Cause: cache.TTL}, nil, "0 7 true true"},
		{"no cause", cache.Request{ID: 0, Total: 100, Read: 50, Again: 7, Cause: cache.None}, nil, "0.5 0 false false"},
		{"no miss", cache.Request{ID: 0, Total: 100, Read: 50, Again: 7, Cause: cache.First}, nil, "0.5 0 true false"},
		{"not recorded", cache.Request{ID: 0, Read: -1, Total: 100, Again: 7, Cause: cache.First}, nil, "unknown 0 false false"},
	} {
		r := names.row(&c.r, turns)
		share := "unknown"
		if r.Share != nil {
			share = fmt.Sprint(*r.Share)
		}
		if got := fmt.Sprint(share, " ", r.Again, " ", r.Cause != nil, " ", r.Miss); got != c.row || !reflect.DeepEqual(r.USD, c.usd) {
			t.Errorf("%s: %s for %v, want %s for %v", c.name, got, r.USD, c.row, c.usd)
		}
	}
}

// TestCacheOfASelection: the requests of the selected messages, and the cost of the selection.
func TestCacheOfASelection(t *testing.T) {
	u := model.Usage{Input: 10, CacheRead: 5, CacheWrite: 5, Output: 1, Reasoning: -1, Cost: 0.5, HasCost: true}
	s := model.FromMessages([]model.Message{querytest.Message(model.User, "q"), response("m", "a", u), querytest.Message(model.User, "r"), response("m", "b", u)})
	turns := query.NewTurnIndex(s)
	for _, c := range []struct {
		ids  []model.ID
		want string // places of requests, dollars
	}{{s.LiveIDs(), "[1 3] 1"}, {[]model.ID{2, 3}, "[3] 0.5"}, {[]model.ID{0}, "[] 0"}} {
		a, err := Cache(t.Context(), query.Selection{Snap: s, IDs: c.ids}, turns, nil)
		if err != nil {
			t.Fatal(err)
		}
		places := []int{}
		for _, r := range a.Requests {
			places = append(places, int(r.Index))
		}
		if got := fmt.Sprint(places, " ", a.whole.Dollars); got != c.want || (a.USD != nil) != a.Known() {
			t.Errorf("messages %v: %s, price %v; want %s", c.ids, got, a.USD, c.want)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Stats(ctx, query.Everything(s), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped stats return %v", err)
	}
}

// TestCostsByPart: the cost by model, tool, agent, session and turn adds up, and a response without
// a model has that of its session.
func TestCostsByPart(t *testing.T) {
	g := querytest.NewGrowing()
	g.Ix.Names = append(g.Ix.Names, "m", "Read") // 3, 4
	call := func(c model.Call) uint32 {
		c.Result, c.Prev, c.PrevResult, c.Took = model.NoID, model.NoRow, model.NoRow, model.NoTook
		return uint32(g.Ix.Calls.Append(c))
	}
	add := func(h model.Head, dollars float64) model.ID {
		h.Role = model.Assistant
		id := g.Add(h)
		g.Ix.Heads.Amend(int(id)).Usage = uint32(g.Ix.Tokens.Append(model.Tokens{Cost: dollars, Flags: model.HasCost}))
		return id
	}
	g.Ix.Sessions = []model.Session{{Fields: []model.KeyValue{{Name: "title", Value: "first"}}}, {}, {}}
	g.Ix.Threads = []model.Thread{{Main: true, Call: model.CallID(model.NoRow)}, {Name: "Explore", Call: 0}, {Main: true, Session: 1, Call: model.CallID(model.NoRow)},
		{Session: 1, Call: 1}, {Session: 1, Call: model.CallID(model.NoRow)}, {Name: "silent", Call: 0}}
	g.Add(model.Head{Role: model.User, Flags: model.Prompt | model.HasWords})
	script := call(model.Call{Msg: 1, Tool: 2, Flags: model.Carries})
	call(model.Call{Msg: model.NoID, Tool: 2})
	add(model.Head{Name: 3}, 8)
	g.Ix.Heads.Amend(1).LastCall = script
	g.Ix.Heads.Amend(1).Flags |= model.HasCalls
	add(model.Head{}, 4)                              // without a model
	add(model.Head{Thread: 1, Name: 3}, 2)            // of Explore
	add(model.Head{Thread: 2, Name: 3}, 1)            // of the other session
	add(model.Head{Thread: 3, Name: 3}, 0.5)          // of an agent whose call has no message
	add(model.Head{Thread: 4, Name: 3}, 0.25)         // of an agent without a call
	g.Add(model.Head{Role: model.Assistant, Name: 3}) // without usage
	g.Add(model.Head{Role: model.User, Flags: model.Prompt | model.HasWords})
	s := g.Snapshot()
	a := Costs(query.Everything(s), query.NewTurnIndex(s), CostOptions{Messages: true})
	for _, c := range a.Turns {
		if c.Responses == 0 {
			t.Errorf("turn %d has no responses and is in the list", c.Turn)
		}
	}
	written := func(list []NamedCost) (out []string) {
		for _, c := range list {
			out = append(out, fmt.Sprint(c.Name, " ", c.Dollars, " ", c.Responses))
		}
		return out
	}
	if got, want := written(a.Models), []string{"m 15.75 6"}; !slices.Equal(got, want) {
		t.Errorf("models %q, want %q", got, want)
	}
	if got, want := written(a.Sessions), []string{"first 14 3", "session 1 1.75 3"}; !slices.Equal(got, want) {
		t.Errorf("sessions %q, want %q", got, want)
	}
	if got, want := written(a.Tools), []string{"Bash 8 1", "(no tool) 7.75 5"}; !slices.Equal(got, want) {
		t.Errorf("tools %q, want %q", got, want)
	}
	var agents []string
	for _, c := range a.Agents {
		agents = append(agents, fmt.Sprint(c.Name, " ", int(c.Index), " ", c.Dollars))
	}
	want := []string{"main of session 0 -1 12", "Explore 1 2", "main of session 1 -1 1", "subagent 3 -1 0.5", "subagent 4 -1 0.25"}
	if !slices.Equal(agents, want) {
		t.Errorf("agents %q, want %q", agents, want)
	}
	if len(a.Messages) != 6 || a.Total.Dollars != 15.75 || a.Rewound.Responses != 0 || a.Rewound.Dollars != 0 {
		t.Errorf("%d responses, %+v, rewound %+v; want 6, 15.75 and none", len(a.Messages), a.Total, a.Rewound)
	}
}

// TestCostOfScripts: the cost of a response goes to the calls inside its script, or to a script
// without calls.
func TestCostOfScripts(t *testing.T) {
	for name, flags := range map[string][]model.CallFlags{"Bash 1": {0}, "Bash 0.5 Read 0.5": {0, 0}, "Read 1": {model.Carries, 0}} {
		g := querytest.NewGrowing()
		g.Ix.Names = append(g.Ix.Names, "Read")
		last := model.NoRow
		for i, f := range flags {
			last = uint32(g.Ix.Calls.Append(model.Call{Msg: 0, Result: model.NoID, Prev: last, PrevResult: model.NoRow, Tool: uint16(2 + i), Flags: f}))
		}
		id := g.Add(model.Head{Role: model.Assistant, Flags: model.HasCalls})
		g.Ix.Heads.Amend(int(id)).LastCall = last
		g.Ix.Heads.Amend(int(id)).Usage = uint32(g.Ix.Tokens.Append(model.Tokens{Cost: 1, Flags: model.HasCost}))
		s := g.Snapshot()
		var got []string
		for _, c := range Costs(query.Everything(s), query.NewTurnIndex(s), CostOptions{}).Tools {
			got = append(got, fmt.Sprint(c.Name, " ", c.Dollars))
		}
		if slices.Sort(got); strings.Join(got, " ") != name {
			t.Errorf("tools %q, want %q", got, name)
		}
	}
}

// TestCostSinceATime: a response at the time counts, an earlier one and one without a time do not.
func TestCostSinceATime(t *testing.T) {
	u := model.Usage{Input: 1, CacheRead: -1, CacheWrite: -1, Output: 1, Reasoning: -1, Cost: 1, HasCost: true}
	msgs := querytest.At([]model.Message{response("m", "a", u), response("m", "b", u), response("m", "c", u), response("m", "d", u)}, 10, 20, 30)
	for seconds, want := range map[int64]float64{10: 3, 11: 2, 30: 1, 31: 0} {
		if got := CostSince(model.FromMessages(msgs), nil, time.UnixMilli(querytest.T0+1000*seconds)); got.Dollars != want {
			t.Errorf("since %d s: %v, want %v", seconds, got.Dollars, want)
		}
	}
}

// TestPlacesOfTurns: the start and duration of a turn, its requests and its misses of the cache.
func TestPlacesOfTurns(t *testing.T) {
	use := func(read, wrote int64) model.Usage {
		return model.Usage{Input: 10, CacheRead: read, CacheWrite: wrote, Output: 3, Reasoning: -1}
	}
	turn := func(u model.Usage) []model.Message {
		return []model.Message{querytest.Message(model.User, "q"), response("m", "a", u)}
	}
	for _, c := range []struct {
		name string
		uses []model.Usage
		want []bool // whether each turn missed the cache
	}{
		{"a cache that was written", []model.Usage{use(0, 5), use(0, 5)}, []bool{false, true}},
		{"a cache that was read", []model.Usage{use(5, 0), use(0, 0)}, []bool{false, true}},
		{"writes not recorded", []model.Usage{use(0, -1), use(0, -1)}, []bool{false, false}},
		{"reads not recorded", []model.Usage{use(-1, 0), use(0, 0)}, []bool{false, false}},
		{"no cache", []model.Usage{use(0, 0), use(0, 0)}, []bool{false, false}},
		{"read again", []model.Usage{use(0, 5), use(5, 0)}, []bool{false, false}},
	} {
		var msgs []model.Message
		for _, u := range c.uses {
			msgs = append(msgs, turn(u)...)
		}
		for i, x := range Timeline(query.Everything(model.FromMessages(msgs))).Turns {
			if x.Miss != c.want[i] {
				t.Errorf("%s: turn %d missed: %v", c.name, i, x.Miss)
			}
		}
	}
	g := querytest.NewGrowing()
	for _, at := range []int64{300, 100, 0, 200} {
		g.Add(model.Head{Role: model.User, Time: at})
	}
	x := Timeline(query.Everything(g.Snapshot())).Turns[0]
	if x.Start != 100 || x.Took != 200 {
		t.Errorf("a turn with messages out of order starts at %d and takes %d, want 100 and 200", x.Start, x.Took)
	}
}

// TestTitlesOfTurns: a title is the prompt, or the first words of the first eight messages.
func TestTitlesOfTurns(t *testing.T) {
	empty := func(n int) (list []model.Message) {
		list = append(list, querytest.Message(model.System, ""))
		for range n - 1 {
			list = append(list, querytest.Null(model.System))
		}
		return list
	}
	for _, c := range []struct {
		name string
		msgs []model.Message
		want string
	}{
		{"prompt", []model.Message{querytest.Message(model.System, "s"), querytest.Message(model.User, "do it")}, "do it"},
		{"no prompt", []model.Message{querytest.Message(model.System, "be careful"), querytest.Message(model.System, "more")}, "system: be careful"},
		{"the eighth", append(empty(7), querytest.Message(model.System, "late")), "system: late"},
		{"the ninth", append(empty(8), querytest.Message(model.System, "late")), ""},
	} {
		a := Timeline(query.Everything(model.FromMessages(c.msgs)))
		if err := a.Describe(t.Context()); err != nil || a.Turns[0].Title != c.want {
			t.Errorf("%s: %q, %v; want %q", c.name, a.Turns[0].Title, err, c.want)
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if a := Timeline(query.Everything(model.FromMessages(c.msgs))); !errors.Is(a.Describe(ctx), context.Canceled) {
			t.Errorf("%s: a stopped description returns no error", c.name)
		}
	}
}

// TestBatchesOfTurns: each batch has its turns, a stopped one is the last, and a selection has only
// its own turns.
func TestBatchesOfTurns(t *testing.T) {
	s := model.FromMessages([]model.Message{querytest.Message(model.User, "a"), querytest.Message(model.User, "b"), querytest.Message(model.User, "c")})
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for _, c := range []struct {
		ctx         context.Context
		batch, want int
	}{{t.Context(), 1, 3}, {t.Context(), 2, 2}, {t.Context(), 3, 1}, {t.Context(), 0, 1}, {stopped, 1, 1}} {
		n := 0
		for _, err := range Timeline(query.Everything(s)).Docs(c.ctx, c.batch) {
			if n++; (err != nil) != (c.ctx == stopped) {
				t.Errorf("batches of %d: %v", c.batch, err)
			}
		}
		if n != c.want {
			t.Errorf("three turns in batches of %d are %d documents, want %d", c.batch, n, c.want)
		}
	}
	if a := Timeline(query.Selection{Snap: s, IDs: []model.ID{1}}); len(a.Turns) != 1 || a.Turns[0].Number != 1 {
		t.Errorf("turns of the second message: %+v", a.Turns)
	}
}

// TestNumbersOfAWorkLog: the number that each outcome adds to.
func TestNumbersOfAWorkLog(t *testing.T) {
	for _, c := range []struct {
		e    WorkEntry
		want [7]int // success, failure, partial, pending, orphans, scripts, copied
	}{
		{WorkEntry{Outcome: WorkSuccess}, [7]int{0: 1}}, {WorkEntry{Outcome: WorkFailure}, [7]int{1: 1}}, {WorkEntry{Outcome: WorkPartial}, [7]int{2: 1}},
		{WorkEntry{Outcome: WorkPending}, [7]int{3: 1}}, {WorkEntry{Outcome: WorkSuccess, Orphan: true}, [7]int{4: 1}}, {WorkEntry{Outcome: WorkFailure, Orphan: true}, [7]int{1: 1, 4: 1}},
		{WorkEntry{Outcome: WorkFailure, Script: true}, [7]int{5: 1}}, {WorkEntry{Outcome: WorkFailure, Copied: true}, [7]int{6: 1}},
	} {
		w := workWalk{a: &WorkLogAnswer{Interactions: []Interaction{{}}}}
		w.keep(c.e, 0)
		w.keep(c.e, -1)
		a, twice := w.a, c.want
		for i := range twice {
			twice[i] *= 2
		}
		if got := [7]int{a.Success, a.Failure, a.Partial, a.Pending, a.Orphans, a.Scripts, a.Copied}; got != twice {
			t.Errorf("%+v twice: %v, want %v", c.e, got, twice)
		}
		in, counts := a.Interactions[0], !c.e.Script && !c.e.Copied
		if in.entries != 1 || (in.Calls == 1) != (counts && !c.e.Orphan) || in.Failures != c.want[1] {
			t.Errorf("%+v: its interaction is %+v", c.e, in)
		}
	}
}

// TestHeadlineOfTurns: the output and the cost that turns lack are named.
func TestHeadlineOfTurns(t *testing.T) {
	output := func(n *int64) Turn { return Turn{Usage: query.UsageSum{Output: n}} }
	some := query.Everything(model.FromMessages(querytest.Run()))
	part := query.Selection{Snap: some.Snap, IDs: some.IDs[:2]}
	for _, c := range []struct {
		name  string
		a     TimelineAnswer
		whole *int64 // output tokens of the session
		want  string
	}{
		{"all in turns", TimelineAnswer{sel: some, Turns: []Turn{output(new(int64(3))), output(nil), output(new(int64(4)))}}, new(int64(7)), "3 turns"},
		{"more in the session", TimelineAnswer{sel: some, Turns: []Turn{output(new(int64(3))), output(new(int64(4)))}}, new(int64(9)), "2 turns   output 7 in turns, 9 for the session"},
		{"none in turns", TimelineAnswer{sel: some, Turns: []Turn{output(nil)}}, new(int64(9)), "1 turn   output – in turns, 9 for the session"},
		{"a part", TimelineAnswer{sel: part, Turns: []Turn{output(new(int64(3)))}}, new(int64(9)), "1 turn, in 2 of 10 messages"},
		{"copied calls", TimelineAnswer{sel: some, Turns: []Turn{{Copied: 1}, {Copied: 2}}}, nil, "2 turns   3 calls copied, in no number"},
		{"costs as for the session", TimelineAnswer{sel: some, Turns: []Turn{{Cost: new(2.0)}}, whole: Cost{Dollars: 2, Responses: 1}}, nil, "1 turn   $2.00"},
		{"costs more in the session", TimelineAnswer{sel: some, Turns: []Turn{{Cost: new(2.0)}}, whole: Cost{Dollars: 3, Responses: 1}}, nil, "1 turn   $2.00 in turns, $3.00 for the session"},
		{"only the session has a cost", TimelineAnswer{sel: some, Turns: []Turn{{}}, whole: Cost{Dollars: 3, Responses: 1}}, nil, "1 turn   – in turns, $3.00 for the session"},
		{"costs of a part", TimelineAnswer{sel: part, Turns: []Turn{{Cost: new(2.0)}}, whole: Cost{Dollars: 3, Responses: 1}}, nil, "1 turn, in 2 of 10 messages   $2.00"},
		{"only turns have costs", TimelineAnswer{sel: some, Turns: []Turn{{Cost: new(2.0)}}}, nil, "1 turn   $2.00"},
	} {
		stats := StatsAnswer{}
		stats.Usage.Output = c.whole
		if c.a.Compare(&stats); c.a.Headline() != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.a.Headline(), c.want)
		}
	}
}

// TestStatsOfAgentsAndModels: numbers of agents in other files, and which models are named.
func TestStatsOfAgentsAndModels(t *testing.T) {
	g := querytest.NewGrowing()
	g.Ix.Names = append(g.Ix.Names, "m", "<synthetic>")
	g.Ix.Sessions = []model.Session{{Fields: []model.KeyValue{{Name: "model", Value: "recorded"}}}}
	g.Ix.Threads = append(g.Ix.Threads, model.Thread{Apart: true, Call: model.CallID(model.NoRow)}, model.Thread{Call: model.CallID(model.NoRow)})
	g.Add(model.Head{Role: model.User, Flags: model.HasWords})
	for _, name := range []uint16{3, 4, 3, 0} {
		g.Add(model.Head{Role: model.Assistant, Name: name, Flags: model.HasWords})
	}
	apart := func(h model.Head) {
		h.Thread, h.Parent, h.LastPart, h.LastCall, h.Usage = 1, model.NoID, model.NoRow, model.NoRow, model.NoRow
		g.Ix.Heads.Append(h)
	}
	apart(model.Head{Role: model.Assistant})
	apart(model.Head{Role: model.User})
	apart(model.Head{Role: model.Assistant, Flags: model.Rewound})
	apart(model.Head{Op: model.Note, Name: 1})
	g.Add(model.Head{Role: model.Assistant, Thread: 2, Name: 3})
	a := statsOf(t, g.Snapshot())
	if !slices.Equal(a.Models, []string{"m", "recorded"}) || a.Agents.Messages != 3 || a.Agents.Count != 2 || a.Responses != 5 || a.Steps != 4 || a.Turns != 4 {
		t.Errorf("models %q, agents %+v, %d responses in %d steps and %d turns; want m and recorded, 2 with 3, 5 in 4 and 4", a.Models, a.Agents, a.Responses, a.Steps, a.Turns)
	}
	answered := statsOf(t, model.FromMessages([]model.Message{response("m", "a", model.Usage{Input: 5, CacheRead: -1, CacheWrite: -1, Output: -1, Reasoning: -1})}))
	if c := answered.Context; c == nil || c.Last != 5 || c.Most != 5 || answered.DurationSource != "" {
		t.Errorf("context %+v, durations %q; want 5 and none", c, answered.DurationSource)
	}
}

// TestSourcesOfDurations: durations are recorded, derived from the times of records, or both.
func TestSourcesOfDurations(t *testing.T) {
	recorded := querytest.Result("a", "r")
	recorded.Took = time.Second
	for want, results := range map[string][]model.Content{"": nil, "recorded": {recorded}, "derived": {querytest.Result("b", "r")}, "mixed": {recorded, querytest.Result("b", "r")}} {
		msgs := []model.Message{querytest.Null(model.Assistant, querytest.Call("a", "f", "{}"), querytest.Call("b", "f", "{}")), querytest.Tool(results...)}
		if a := statsOf(t, model.FromMessages(querytest.At(msgs, 1, 5))); a.DurationSource != want {
			t.Errorf("durations are %q, want %q", a.DurationSource, want)
		}
	}
}

// TestKindsOfLargeItems: a message with more reasoning than words is reasoning; without counted
// tokens its size ranks it, less its calls and results.
func TestKindsOfLargeItems(t *testing.T) {
	for _, c := range []struct {
		words, thoughts string
		kind            string
	}{{"a b", "c", "message"}, {"a b", "c d", "message"}, {"a b", "c d e", "reasoning"}} {
		s := model.FromMessages([]model.Message{querytest.Message(model.Assistant, c.words, querytest.Thinks(c.thoughts))})
		a, err := Stats(t.Context(), query.Everything(s), querytest.WordCounter())
		if err != nil || len(a.Largest) != 1 || a.Largest[0].Kind != c.kind {
			t.Errorf("%q and the reasoning %q: %+v, %v; want %s", c.words, c.thoughts, a.Largest, err, c.kind)
		}
	}
	own := querytest.Message(model.Assistant, "abcde", querytest.Call("a", "f", `{"x":1}`), querytest.Result("a", "0123456789"))
	a := statsOf(t, model.FromMessages([]model.Message{own}))
	var got []string
	for _, it := range a.Largest {
		got = append(got, fmt.Sprint(it.Kind, " ", it.Bytes))
	}
	if want := []string{"result 10", "arguments 7", "message 5"}; !slices.Equal(got, want) {
		t.Errorf("largest %q, want %q", got, want)
	}
}

// TestPlacesOfFiles: the first and last message of a file, negative for calls of agents.
func TestPlacesOfFiles(t *testing.T) {
	for _, c := range []struct {
		at          []int
		first, last human.Index
	}{{[]int{3}, 3, 3}, {[]int{3, 1, 2}, 1, 3}, {[]int{-1}, -1, -1}, {[]int{-1, 4, -1, 2}, 2, 4}, {[]int{2, 0}, 0, 2}, {[]int{0, 5}, 0, 5}} {
		w := fileWalk{place: map[string]int{}}
		for _, pos := range c.at {
			w.add("a", &describe.Touch{}, 0, &model.Call{}, pos, true)
		}
		if f := w.files[0]; f.First != c.first || f.Last != c.last || f.Reads != len(c.at) {
			t.Errorf("at %v: first %d, last %d, %d reads; want %d, %d", c.at, f.First, f.Last, f.Reads, c.first, c.last)
		}
	}
}

// TestTokensOfFiles: the counted tokens of a file's calls.
func TestTokensOfFiles(t *testing.T) {
	s := model.FromMessages([]model.Message{
		querytest.Message(model.Assistant, "", querytest.Call("1", "Read", `{"file_path":"a.go"}`), querytest.Call("2", "Read", `{"file_path":"a.go"}`)),
		querytest.Tool(querytest.Result("1", "one two"), querytest.Result("2", "three")),
	})
	tokens, err := query.CountTokens(t.Context(), query.Everything(s), querytest.WordCounter())
	if err != nil {
		t.Fatal(err)
	}
	a, err := Files(t.Context(), query.Everything(s), tokens)
	if err != nil || len(a.Files) != 1 || a.Files[0].Tokens == nil || *a.Files[0].Tokens != 7 { // two calls of two words, and three of results
		t.Errorf("%+v, %v; want a file with seven tokens", a.Files, err)
	}
}

// TestFiguresWithoutTokens: a context of 0 tokens, or none from the cache, is not named.
func TestFiguresWithoutTokens(t *testing.T) {
	for _, c := range []struct {
		input, read int64
		want        string
	}{{500, 0, "500"}, {500, -1, "500"}, {0, 0, ""}, {-1, -1, ""}, {500, 1, "501, 0.2 % cached"}} {
		s := model.FromMessages([]model.Message{response("m", "a", model.Usage{Input: c.input, CacheRead: c.read, CacheWrite: -1, Output: 2, Reasoning: -1})})
		got := ""
		for _, l := range Figures(s, nil, 0, model.CallID(model.NoRow)) {
			if l.Label == "context" {
				got = l.Number
			}
		}
		if got != c.want {
			t.Errorf("%d tokens and %d from the cache: context %q, want %q", c.input, c.read, got, c.want)
		}
	}
}

// TestPricesOfVariants: the longest name wins, and a gateway's name before a slash or a colon does
// not count.
func TestPricesOfVariants(t *testing.T) {
	table := PriceTable{"a": {Input: 1}, "a-b": {Input: 2}, "a-b-c": {Input: 3}}
	for name, want := range map[string]float64{"a": 1, "a-x": 1, "a@x": 1, "a:x": 1, "a[1m]": 1, "ax": 0, "a-b-x": 2, "a-b-c-x": 3, "gate/a-b": 2, "gate:a": 1, "/a": 1, ":a": 1, "gate/x": 0, " A-B ": 2} {
		for range 8 { // the order of a map changes
			if p, ok := table.Find(name); p.Input != want || ok != (want > 0) {
				t.Errorf("%q: %v, want %v", name, p.Input, want)
				break
			}
		}
	}
}

// TestToolsOfNeighbours: calls of one tool add up, also with other calls between them.
func TestToolsOfNeighbours(t *testing.T) {
	var calls []model.Content
	for i, name := range []string{"a", "a", "b", "a", "c", "b", "b"} {
		calls = append(calls, querytest.Call(fmt.Sprint(i), name, "{}"))
	}
	var got []string
	for _, x := range ToolSummary(query.Everything(model.FromMessages([]model.Message{querytest.Null(model.Assistant, calls...)})), nil).Tools {
		got = append(got, fmt.Sprint(x.Name, " ", x.Calls))
	}
	if slices.Sort(got); !slices.Equal(got, []string{"a 3", "b 3", "c 1"}) {
		t.Errorf("tools %q, want a and b three times and c once", got)
	}
}

// TestInteractionsOfAWorkLog: times, prompts and places of interactions, with and without ids.
func TestInteractionsOfAWorkLog(t *testing.T) {
	tag := func(m model.Message, id string) model.Message {
		m.Extra = []model.KeyValue{{Name: "interaction_id", Value: id}}
		return m
	}
	msgs := []model.Message{
		tag(querytest.Message(model.User, "one"), "i1"), querytest.Null(model.Assistant, querytest.Call("a", "f", "{}")), tag(querytest.Tool(querytest.Failed("a", "Broken. Totally.")), "i1"),
		querytest.Message(model.User, "two"), querytest.Null(model.Assistant, querytest.Call("b", "f", "{}")), querytest.Tool(querytest.Result("gone", "late")),
	}
	msgs[1].Time, msgs[2].Time = querytest.T0+2000, querytest.T0+9000
	s := model.FromMessages(msgs)
	a, err := WorkLog(t.Context(), describe.NewView(query.Everything(s), nil), query.NewTurnIndex(s), WorkLogOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, in := range a.Interactions {
		got = append(got, fmt.Sprint(in.ID, "|", in.Prompt, "|", in.Messages, " ", in.Calls, " ", in.Failures, " ", int64(in.Start), " ", int64(in.End)))
	}
	want := []string{fmt.Sprint("i1|one|3 1 1 ", int64(querytest.T0+2000), " ", int64(querytest.T0+9000)), "|two|3 1 0 0 0"}
	if !slices.Equal(got, want) {
		t.Errorf("interactions %q, want %q", got, want)
	}
	var csv strings.Builder
	if err := a.WriteCSV(&csv); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(csv.String()), "\n")
	for i, parts := range [][]string{nil, {"1,0,i1,2026-02-11T20:41:42.000Z,", "call,one"}, {"4,1,,,,f", "call,two"}, {"5,1,,,,", "result,two"}} {
		for _, part := range parts {
			if len(lines) != 4 || !strings.Contains(lines[i], part) {
				t.Errorf("line %d of\n%s\nlacks %q", i, csv.String(), part)
			}
		}
	}
}
