package window

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/model/modeltest"
	"turns/model/token"
	"turns/query"
	"turns/query/provider"
	"turns/query/querytest"
)

// randomRun returns a conversation with parallel calls, late results, calls without a result and
// results without a call.
func randomRun(rnd *rand.Rand) []model.Message {
	var msgs []model.Message
	text := func() string { return strings.Repeat("word ", 1+rnd.IntN(30)) }
	if rnd.IntN(2) == 0 {
		msgs = append(msgs, querytest.Message(model.System, text()))
	}
	var late []string
	for n := range rnd.IntN(40) {
		switch rnd.IntN(6) {
		case 0:
			msgs = append(msgs, querytest.Message(model.User, text()))
		case 1:
			msgs = append(msgs, querytest.Message(model.Assistant, text()))
		case 2:
			msgs = append(msgs, querytest.Tool(querytest.Result(fmt.Sprintf("orphan%d", n), text())))
		case 3:
			if len(late) > 0 {
				msgs = append(msgs, querytest.Tool(querytest.Result(late[0], text())))
				late = late[1:]
			}
		default:
			m := querytest.Null(model.Assistant)
			var now []model.Content
			for k := range 1 + rnd.IntN(3) {
				id := fmt.Sprintf("c%d_%d", n, k)
				m.Blocks = append(m.Blocks, querytest.Call(id, "Bash", `{"command":"x"}`))
				switch rnd.IntN(5) {
				case 0:
					late = append(late, id)
				case 1: // no result
				default:
					now = append(now, querytest.Result(id, text()))
				}
			}
			msgs = append(msgs, m)
			if rnd.IntN(2) == 0 && len(now) > 1 {
				msgs = append(msgs, querytest.Tool(now...))
			} else {
				for _, r := range now {
					msgs = append(msgs, querytest.Tool(r))
				}
			}
		}
	}
	return msgs
}

// TestBudgetLaws: pairs are never split; only messages that must stay exceed the budget; order, the
// last messages and the system prompt are preserved; cutting again changes nothing; and the result
// can be repaired for every provider.
func TestBudgetLaws(t *testing.T) {
	ctx := context.Background()
	rnd := rand.New(rand.NewPCG(5, 6))
	for round := range modeltest.Fewer(6000, 600) {
		s := model.FromMessages(randomRun(rnd))
		if s.Len() == 0 {
			continue
		}
		x := counted(t, s)
		o := BudgetOptions{Tokens: int64(rnd.IntN(400)), Keep: rnd.IntN(6)}
		if rnd.IntN(2) == 0 {
			p := provider.All()[rnd.IntN(len(provider.All()))]
			o.Repair = &p
		}
		if rnd.IntN(3) == 0 {
			o.MaxMessages = 1 + rnd.IntN(20)
		}
		a, err := x.Budget(ctx, query.Everything(s), o)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.IsSorted(a.Kept.IDs) {
			t.Fatalf("%d: order is lost: %v", round, a.Kept.IDs)
		}
		kept := map[model.ID]bool{}
		sum := int64(0)
		for _, id := range a.Kept.IDs {
			kept[id] = true
			w := x.Weigh(id, s.HeadRow(id))
			sum += w.Sum()
		}
		if sum != a.Tokens || a.Messages != len(a.Kept.IDs) {
			t.Fatalf("%d: kept %d tokens, said %d", round, sum, a.Tokens)
		}
		budgetRespected(t, round, a, o)
		for i := range s.CallCount() {
			if c := s.Call(model.CallID(i)); c.Msg != model.NoID && c.Result != model.NoID && kept[c.Msg] != kept[c.Result] {
				t.Fatalf("%d: call %d is split from its result", round, i)
			}
		}
		cut, all := 0, a.Tokens
		for _, c := range a.Cut {
			cut += c.Messages
			all += c.Tokens
		}
		if cut+a.Messages != a.All {
			t.Fatalf("%d: %d kept and %d cut of %d", round, a.Messages, cut, a.All)
		}
		if whole := x.sum(&x.threads[0], 0, len(x.threads[0].ids)); all != whole.Sum() || a.AllSum != all {
			t.Fatalf("%d: kept and cut have %d tokens, said %d, want %d", round, all, a.AllSum, whole.Sum())
		}
		if s.HeadRow(s.At(0)).Role == model.System && !kept[s.At(0)] {
			t.Fatalf("%d: the system prompt is gone", round)
		}
		for i := max(s.Len()-o.Keep, 0); i < s.Len() && o.MaxMessages == 0 && o.Repair == nil; i++ {
			if !kept[s.At(i)] {
				t.Fatalf("%d: message %d of the last %d is gone", round, i, o.Keep)
			}
		}
		again, err := x.Budget(ctx, a.Kept, o)
		if err != nil || !slices.Equal(again.Kept.IDs, a.Kept.IDs) {
			t.Fatalf("%d: cutting again gives %v, was %v", round, again.Kept.IDs, a.Kept.IDs)
		}
		repairedIsValid(t, a)
	}
}

// budgetRespected checks that the kept messages and the additions of a repair fit. If the messages
// that must stay exceed the budget, the answer reports it and keeps only them.
func budgetRespected(t *testing.T, round int, a *BudgetAnswer, o BudgetOptions) {
	t.Helper()
	size := a.Tokens
	if o.Repair != nil {
		out, _, err := a.Repaired(context.Background(), *o.Repair)
		if err != nil {
			t.Fatal(err)
		}
		if n := wireWords(out); n > a.Tokens+a.Added {
			t.Fatalf("%d: repaired for %s it has %d tokens, said %d and %d more", round, o.Repair.Name, n, a.Tokens, a.Added)
		}
		size += a.Added
	}
	over := int64(0)
	if o.Tokens > 0 {
		over = max(size-o.Tokens, 0)
	}
	if a.OverBy != over || a.Over != (over > 0) || strings.Contains(a.Doc().String(), "over  the budget by") != (over > 0) {
		t.Fatalf("%d: %d tokens of %d, said %d over:\n%s", round, size, o.Tokens, a.OverBy, a.Doc())
	}
	if a.Over && a.Tokens != a.ForcedTokens {
		t.Fatalf("%d: over the budget, and yet %d tokens were kept where %d had to be", round, a.Tokens, a.ForcedTokens)
	}
}

// wireWords counts the words of messages as sent, as the token column of these tests does.
func wireWords(msgs []provider.Wire) (n int64) {
	count := func(b *provider.WireBlock) {
		n += int64(len(strings.Fields(b.Text)))
		if b.Kind == model.ToolCall {
			n += int64(len(strings.Fields(b.Name)))
		}
	}
	for i := range msgs {
		for k := range msgs[i].Blocks {
			b := &msgs[i].Blocks[k]
			if count(b); b.Result != nil {
				count(b.Result)
			}
		}
	}
	return n
}

func repairedIsValid(t *testing.T, a *BudgetAnswer) {
	t.Helper()
	for _, p := range provider.All() {
		out, _, err := a.Repaired(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		for _, problem := range provider.CheckWire(out, p) {
			t.Fatalf("%s: %+v in %v", p.Name, problem, out)
		}
		again, _ := provider.Repair(out, p, provider.RepairOptions{Frontier: p.Frontier})
		if fmt.Sprint(again) != fmt.Sprint(out) {
			t.Fatalf("%s: repairing again changes\n%v\nto\n%v", p.Name, out, again)
		}
	}
}

func TestBudgetKeepsTheCallThatWaits(t *testing.T) {
	s := model.FromMessages([]model.Message{querytest.Message(model.User, "a b c"), querytest.Null(model.Assistant, querytest.Call("x", "Bash", `{"command":"make all the things"}`))})
	a, err := counted(t, s).Budget(context.Background(), query.Everything(s), BudgetOptions{Tokens: 1})
	if err != nil || len(a.Kept.IDs) != 1 || a.Kept.IDs[0] != 1 || !a.Over {
		t.Errorf("kept %v, %v", a, err)
	}
	if a.Cut[0].Why != CutBudget {
		t.Errorf("cut %+v", a.Cut)
	}
}

// TestBudgetPaysForWhatARepairAdds: if the result of a call is not selected, a repair adds a
// placeholder, unless the provider accepts an open call at the end.
func TestBudgetPaysForWhatARepairAdds(t *testing.T) {
	interrupted, opening := 0, 0
	for _, enc := range []token.Encoding{token.O200k, token.Cl100k, token.P50k, token.R50k} {
		interrupted = max(interrupted, token.New(enc).Count([]byte(provider.Interrupted)))
		opening = max(opening, token.New(enc).Count([]byte("(The conversation begins in the middle.)")))
	}
	if interrupted > 14 || opening > 12 {
		t.Errorf("the texts of a repair take %d and %d tokens", interrupted, opening)
	}
	first := budgetCut{repairs: true, o: BudgetOptions{Repair: &provider.Provider{FirstUser: true}}}
	if n := first.opening(); n != 12 {
		t.Errorf("a message of the user before the kept ones takes %d tokens", n)
	}
	s := model.FromMessages([]model.Message{querytest.Message(model.User, "a"), querytest.Null(model.Assistant, querytest.Call("x", "Bash", `{"a":1}`)),
		querytest.Tool(querytest.Result("x", "later"))})
	for name, want := range map[string]int64{"openai": 14, "langchain": 0} {
		p, err := provider.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		a, err := counted(t, s).Budget(context.Background(), query.Everything(s).First(2), BudgetOptions{Repair: &p})
		if err != nil || a.Added != want || a.Messages != 2 {
			t.Errorf("%s: %d messages, a repair adds %d, want %d; %v", name, a.Messages, a.Added, want, err)
		}
	}
}

func TestBudgetOfTheFirstMessage(t *testing.T) {
	s := model.FromMessages([]model.Message{querytest.Message(model.System, "s"), querytest.Message(model.User, "a")})
	a, err := counted(t, s).Budget(context.Background(), query.Everything(s), BudgetOptions{Tokens: 10})
	if err != nil || !strings.Contains(a.Doc().String(), "no history") {
		t.Errorf("%v, %v", a, err)
	}
}

func TestTiers(t *testing.T) {
	history := func(budget int64) (HistoryCut, error) { return HistoryCut{40, min(budget, 40), 4}, nil }
	text := func(n int) string { return strings.TrimSpace(strings.Repeat("w ", n)) }
	for _, tt := range []struct {
		name    string
		budgets TierBudgets
		want    TierBudgets
		cut     string
	}{
		{"enough", TierBudgets{History: 40, Today: 10, Threads: 8, LastConversation: 6}, TierBudgets{40, 10, 8, 6, 64}, ""},
		{"each to its own", TierBudgets{History: 30, Today: 5, Threads: 8, LastConversation: 6}, TierBudgets{30, 5, 8, 6, 49}, "history today"},
		{"the last conversation goes first", TierBudgets{History: 40, Today: 10, Threads: 8, LastConversation: 6, Total: 60}, TierBudgets{40, 10, 8, 2, 60}, "last_conversation_priority"},
		{"then the threads", TierBudgets{History: 40, Today: 10, Threads: 8, LastConversation: 6, Total: 54}, TierBudgets{40, 10, 4, 0, 54}, "last_conversation_priority threads_priority"},
		{"then today", TierBudgets{History: 40, Today: 10, Threads: 8, LastConversation: 6, Total: 45}, TierBudgets{40, 5, 0, 0, 45}, "last_conversation_priority threads_priority today_priority"},
	} {
		s, err := Tiers(TierTexts{text(10), text(8), text(6)}, tt.budgets, querytest.Words{}, history)
		if err != nil {
			t.Fatal(err)
		}
		var cut []string
		for name := range s.Truncation {
			cut = append(cut, name)
		}
		slices.Sort(cut)
		if s.Tokens != tt.want || strings.Join(cut, " ") != tt.cut || len(s.Over) > 0 || s.Truncated != (tt.cut != "") {
			t.Errorf("%s: %+v cut %v, over %v; want %+v cut %q", tt.name, s.Tokens, cut, s.Over, tt.want, tt.cut)
		}
	}
}
