package query

import (
	"math/rand/v2"
	"testing"

	"turns/model"
)

// growing builds indexes of the same conversation as it grows, the way the
// stitcher does, for tests of what is extended.
type growing struct {
	ix model.Index
}

func newGrowing() *growing {
	g := &growing{}
	g.ix.Names = []string{"", "note", "Bash"}
	g.ix.Threads = []model.Thread{{Main: true, Call: model.CallID(model.NoRow)}}
	g.ix.Sessions = []model.Session{{}}
	return g
}

func (g *growing) add(h model.Head) model.ID {
	h.Parent, h.LastPart, h.Usage = model.NoID, model.NoRow, model.NoRow
	if h.LastCall == 0 {
		h.LastCall = model.NoRow
	}
	id := model.ID(g.ix.Heads.Append(h))
	if h.Op == model.Say {
		g.ix.Live = append(g.ix.Live, id)
	}
	return id
}

func (g *growing) amend(id model.ID, flags model.Flags) {
	g.ix.Heads.Amend(int(id)).Flags |= flags
	g.ix.Amended = append(g.ix.Amended, model.Amendment{Version: g.ix.Version + 1, ID: id})
}

// snapshot shows what was added until now.
func (g *growing) snapshot() *model.Snapshot {
	g.ix.Version++
	g.ix.Grown = append(g.ix.Grown, model.Growth{Version: g.ix.Version, Rows: g.ix.Heads.Len()})
	ix := g.ix
	ix.Heads, ix.Calls = g.ix.Heads.Snapshot(), g.ix.Calls.Snapshot()
	ix.Live = ix.Live[:len(ix.Live):len(ix.Live)]
	return model.NewSnapshot(ix, nil)
}

// TestEndOfATurn: in a log that says after each turn how it ended, a turn that went
// well is not called failed because the last one failed.
func TestEndOfATurn(t *testing.T) {
	g := newGrowing()
	g.ix.Sessions[0] = model.Session{Ended: true, Outcome: model.Failure, Reason: "turn.failed"}
	var ids []model.ID
	for _, outcome := range []model.Outcome{model.Success, model.Failure, model.Unknown} {
		g.add(model.Head{Op: model.Say})
		id := g.add(model.Head{Op: model.End})
		g.ix.Events = append(g.ix.Events, model.Event{At: id, Op: model.End, N: int64(outcome)})
		ids = append(ids, id)
	}
	s := g.snapshot()
	for i, want := range []Line{
		{About: "finished", State: model.Success},
		{About: "ended: turn.failed", State: model.Failure},
		{About: "ended", State: model.Unknown},
	} {
		m := model.Message{ID: ids[i], Op: model.End, Name: []string{"turn.completed", "turn.failed", ""}[i]}
		got := Describer{}.Rule(t.Context(), s, &m)
		if got.About != want.About || got.State != want.State {
			t.Errorf("end %d is %q, %v, want %q, %v", i, got.About, got.State, want.About, want.State)
		}
	}
}

func sameTurns(t *testing.T, got, want *TurnIndex, rows int) {
	t.Helper()
	if got.Len() != want.Len() {
		t.Fatalf("%d turns, want %d", got.Len(), want.Len())
	}
	for i := range want.Len() {
		if got.First(i) != want.First(i) {
			t.Fatalf("turn %d begins with %d, want %d", i, got.First(i), want.First(i))
		}
	}
	for id := range model.ID(rows) {
		if got.Turn(id) != want.Turn(id) || got.Step(id) != want.Step(id) {
			t.Fatalf("row %d is in turn %d step %d, want turn %d step %d", id, got.Turn(id), got.Step(id), want.Turn(id), want.Step(id))
		}
	}
}

// TestTurnIndexExtend: an index that grows with the conversation is the one that is
// made of it at once.
func TestTurnIndexExtend(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		g := newGrowing()
		var index *TurnIndex
		for range 40 {
			for range r.IntN(60) {
				g.add(randomHead(r))
			}
			if n := g.ix.Heads.Len(); n > 0 && r.IntN(2) == 0 {
				id := model.ID(max(0, n-1-r.IntN(20)))
				if r.IntN(8) == 0 {
					id = model.ID(r.IntN(n))
				}
				g.amend(id, []model.Flags{model.HasCalls, model.HasWords, model.HasFailure}[r.IntN(3)])
			}
			if len(g.ix.Live) > 20 && r.IntN(10) == 0 { // a rewind: the list is made anew
				g.ix.Live = append([]model.ID(nil), g.ix.Live[:len(g.ix.Live)-r.IntN(15)]...)
			}
			s := g.snapshot()
			before := index
			index = index.Extend(s)
			sameTurns(t, index, NewTurnIndex(s), s.Rows())
			if before != nil && before.Len() > 0 && before.First(0) != index.First(0) {
				t.Fatal("the index before changed")
			}
		}
	}
}

func randomHead(r *rand.Rand) model.Head {
	switch r.IntN(10) {
	case 0:
		return model.Head{Role: model.User, Flags: model.Prompt | model.HasWords}
	case 1:
		return model.Head{Role: model.System, Flags: model.HasWords}
	case 2:
		return model.Head{Role: model.User, Flags: model.Injected | model.HasWords}
	case 3:
		return model.Head{Op: model.Note, Name: 1}
	case 4, 5:
		return model.Head{Role: model.Tool}
	case 6:
		return model.Head{Role: model.Assistant, Flags: model.HasWords}
	}
	return model.Head{Role: model.Assistant, Flags: model.HasCalls}
}

func TestTurnsOfAgents(t *testing.T) {
	g := newGrowing()
	prompt := g.add(model.Head{Role: model.User, Flags: model.Prompt | model.HasWords})
	call := model.CallID(g.ix.Calls.Append(model.Call{Msg: 1, Result: model.NoID, Prev: model.NoRow, PrevResult: model.NoRow, Tool: 2, Took: model.NoTook}))
	asks := g.add(model.Head{Role: model.Assistant, Flags: model.HasCalls, LastCall: uint32(call)})
	g.ix.Threads = append(g.ix.Threads, model.Thread{Call: call, Name: "Explore"})
	next := g.add(model.Head{Role: model.User, Flags: model.Prompt | model.HasWords})
	sub := g.add(model.Head{Role: model.User, Flags: model.Prompt | model.HasWords, Thread: 1})
	subCall := g.ix.Calls.Append(model.Call{Msg: 4, Result: model.NoID, Prev: model.NoRow, PrevResult: model.NoRow, Tool: 2, Took: 5, Outcome: model.Failure})
	g.add(model.Head{Role: model.Assistant, Flags: model.HasCalls, Thread: 1, LastCall: uint32(subCall)})
	s := g.snapshot()
	x := NewTurnIndex(s)
	if x.Len() != 2 || x.Turn(prompt) != 0 || x.Turn(asks) != 0 || x.Turn(next) != 1 || x.Turn(sub) != 0 || x.Turn(4) != 0 {
		t.Errorf("turns %d %d %d %d of %d", x.Turn(prompt), x.Turn(asks), x.Turn(next), x.Turn(sub), x.Len())
	}
	a := Timeline(Everything(s))
	if got := a.Turns[0]; got.Calls != 1 || got.AgentCalls != 1 || got.AgentErrs != 1 || len(got.Steps) != 1 || len(got.Messages) != 4 {
		t.Errorf("first turn is %+v", got)
	}
	tools := ToolSummary(Everything(s), nil)
	if len(tools.Tools) != 1 || len(tools.InAgents) != 1 || tools.Agents.Errors != 1 || tools.All.Calls != 1 {
		t.Errorf("tools are %+v", tools)
	}
}

// TestReasoningDoesNotEndATurn: frameworks record reasoning as a message of its own,
// also between a call and what is said of its result.
func TestReasoningDoesNotEndATurn(t *testing.T) {
	say := func(kinds ...model.BlockKind) model.Message {
		m := model.Message{Role: model.Assistant}
		for _, k := range kinds {
			m.Blocks = append(m.Blocks, model.Content{Kind: k, ID: "c", Name: "ls", Text: "x"})
		}
		return m
	}
	user := model.Message{Role: model.User, Blocks: []model.Content{{Kind: model.Words, Text: "go"}}}
	for _, c := range []struct {
		name     string
		messages []model.Message
		want     []int // turn of each
	}{
		{"around a call", []model.Message{user, say(model.Reasoning), say(model.Words, model.ToolCall), say(model.Reasoning), say(model.Words)}, []int{0, 0, 0, 0, 0}},
		{"before each answer", []model.Message{user, say(model.Reasoning), say(model.Words), say(model.Reasoning), say(model.Words)}, []int{0, 0, 0, 1, 1}},
		{"after the words", []model.Message{user, say(model.Words, model.ToolCall), say(model.Words), say(model.Reasoning), say(model.Words)}, []int{0, 0, 0, 1, 1}},
	} {
		s := model.FromMessages(c.messages)
		turns := NewTurnIndex(s)
		for pos, want := range c.want {
			if got := turns.Turn(s.At(pos)); got != want {
				t.Errorf("%s: message %d is in turn %d, want %d", c.name, pos, got, want)
			}
		}
	}
}
