package query_test

import (
	"math/rand/v2"
	"testing"

	"turns/query"

	"turns/model"
	"turns/query/querytest"
)

func sameTurns(t *testing.T, got, want *query.TurnIndex, rows int) {
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

// TestTurnIndexExtend: an index that grows with the conversation equals one built at the end.
func TestTurnIndexExtend(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		g := querytest.NewGrowing()
		var index *query.TurnIndex
		for range 40 {
			for range r.IntN(60) {
				g.Add(randomHead(r))
			}
			if n := g.Ix.Heads.Len(); n > 0 && r.IntN(2) == 0 {
				id := model.ID(max(0, n-1-r.IntN(20)))
				if r.IntN(8) == 0 {
					id = model.ID(r.IntN(n))
				}
				g.Amend(id, []model.Flags{model.HasCalls, model.HasWords, model.HasFailure, model.SpanTold}[r.IntN(4)])
			}
			if len(g.Ix.Live) > 20 && r.IntN(10) == 0 { // a rewind: the list is replaced
				g.Ix.Live = append([]model.ID(nil), g.Ix.Live[:len(g.Ix.Live)-r.IntN(15)]...)
			}
			s := g.Snapshot()
			before := index
			index = index.Extend(s)
			sameTurns(t, index, query.NewTurnIndex(s), s.Rows())
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
	case 7:
		return model.Head{Role: model.Assistant, Flags: model.HasCalls | model.SpanTold}
	}
	return model.Head{Role: model.Assistant, Flags: model.HasCalls}
}

// TestListedCallsAreNoResponses: a call that is only known from a span or a list of calls belongs
// to the previous turn and step.
func TestListedCallsAreNoResponses(t *testing.T) {
	g := querytest.NewGrowing()
	for _, h := range []model.Head{
		{Role: model.User, Flags: model.Prompt | model.HasWords},
		{Role: model.Assistant, Flags: model.HasWords},
		{Role: model.Assistant, Flags: model.HasCalls | model.SpanTold},
	} {
		g.Add(h)
	}
	index := query.NewTurnIndex(g.Snapshot())
	if index.Len() != 1 || index.Turn(2) != 0 || index.Step(2) != index.Step(1) {
		t.Errorf("%d turns, the call is in turn %d, step %d; want 1 turn, and the step before it", index.Len(), index.Turn(2), index.Step(2))
	}
}

// TestOnlyTheUserEndsATurn: frameworks record the reasoning, the words and the calls of one answer
// as separate messages, and some models go on after an answer. In a list without times, each answer
// has its own turn, because a compaction may have removed the prompt.
func TestOnlyTheUserEndsATurn(t *testing.T) {
	say := func(kinds ...model.BlockKind) model.Message {
		m := model.Message{Role: model.Assistant}
		for _, k := range kinds {
			m.Blocks = append(m.Blocks, model.Content{Kind: k, ID: "c", Name: "ls", Text: "x"})
		}
		return m
	}
	user := model.Message{Role: model.User, Blocks: []model.Content{{Kind: model.Words, Text: "go"}}}
	injected := user
	injected.Flags = model.Injected
	for _, c := range []struct {
		name     string
		messages []model.Message
		want     []int // turn of each message
		listed   []int // the same without times; nil: want
	}{
		{"around a call", []model.Message{user, say(model.Reasoning), say(model.Words, model.ToolCall), say(model.Reasoning), say(model.Words)}, []int{0, 0, 0, 0, 0}, nil},
		{"words, then a call", []model.Message{user, say(model.Words), say(model.ToolCall), say(model.Words)}, []int{0, 0, 0, 0}, nil},
		{"before each answer", []model.Message{user, say(model.Reasoning), say(model.Words), say(model.Reasoning), say(model.Words)}, []int{0, 0, 0, 0, 0}, []int{0, 0, 0, 1, 1}},
		{"after the words", []model.Message{user, say(model.Words, model.ToolCall), say(model.Words), say(model.Reasoning), say(model.Words)}, []int{0, 0, 0, 0, 0}, []int{0, 0, 0, 1, 1}},
		{"without a prompt", []model.Message{say(model.Words), say(model.Reasoning), say(model.Words)}, []int{0, 1, 1}, nil},
		{"around injected text", []model.Message{user, say(model.Words), injected, say(model.Words), say(model.Words)}, []int{0, 0, 1, 1, 1}, []int{0, 0, 1, 1, 2}},
	} {
		listed := c.listed
		if listed == nil {
			listed = c.want
		}
		turnsAre(t, c.name+", listed", c.messages, listed)
		for i := range c.messages {
			c.messages[i].Time = int64(1000 + i)
		}
		turnsAre(t, c.name, c.messages, c.want)
	}
}

// turnsAre compares the turn of each message.
func turnsAre(t *testing.T, name string, messages []model.Message, want []int) {
	t.Helper()
	s := model.FromMessages(messages)
	turns := query.NewTurnIndex(s)
	for pos, want := range want {
		if got := turns.Turn(s.At(pos)); got != want {
			t.Errorf("%s: message %d is in turn %d, want %d", name, pos, got, want)
		}
	}
}
