package window

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/provider"
	"turns/query/querytest"
)

// TestBudgetAtItsBounds: messages on both sides of each limit.
func TestBudgetAtItsBounds(t *testing.T) {
	// The sizes are 2, 3, 2 (a call), 4 (its result), 2 and 1 tokens, together 14.
	talk := []model.Message{querytest.Message(model.System, "s s"), querytest.Message(model.User, "a b c"),
		querytest.Null(model.Assistant, querytest.Call("x", "Bash", `{"a":1}`)), querytest.Tool(querytest.Result("x", "r r r r")),
		querytest.Message(model.Assistant, "d d"), querytest.Message(model.User, "e")}
	orphans := []model.Message{querytest.Message(model.User, "a"), querytest.Tool(querytest.Result("gone", "o o")), querytest.Message(model.User, "b")}
	opening := &provider.Provider{FirstUser: true} // a repair opens with 12 tokens if the user does not
	over, many := CutBudget, CutMessages
	for _, c := range []struct {
		name  string
		msgs  []model.Message
		o     BudgetOptions
		kept  []model.ID
		next  string // position, messages and tokens
		cut   []CutRange
		left  int64
		added int64
	}{
		{"no limit", talk, BudgetOptions{Keep: 2}, []model.ID{0, 1, 2, 3, 4, 5}, "", nil, 0, 0},
		{"as much as there is", talk, BudgetOptions{Tokens: 14}, []model.ID{0, 1, 2, 3, 4, 5}, "", nil, 0, 0},
		{"one token less", talk, BudgetOptions{Tokens: 13}, []model.ID{0, 2, 3, 4, 5}, "1 1 3", []CutRange{{1, 1, 1, 3, over}}, 2, 0},
		{"a pair fits", talk, BudgetOptions{Tokens: 11}, []model.ID{0, 2, 3, 4, 5}, "1 1 3", []CutRange{{1, 1, 1, 3, over}}, 0, 0},
		{"a pair does not fit", talk, BudgetOptions{Tokens: 10}, []model.ID{0, 4, 5}, "3 2 6", []CutRange{{1, 3, 3, 9, over}}, 5, 0},
		{"as many messages as there are", talk, BudgetOptions{MaxMessages: 5}, []model.ID{0, 1, 2, 3, 4, 5}, "", nil, 0, 0},
		{"one message less", talk, BudgetOptions{MaxMessages: 4}, []model.ID{0, 2, 3, 4, 5}, "1 1 3", []CutRange{{1, 1, 1, 3, many}}, 0, 0},
		{"no room for a pair", talk, BudgetOptions{MaxMessages: 3}, []model.ID{0, 4, 5}, "3 2 6", []CutRange{{1, 3, 3, 9, many}}, 0, 0},
		{"the last two stay", talk, BudgetOptions{Tokens: 1, Keep: 2}, []model.ID{0, 4, 5}, "3 2 6", []CutRange{{1, 3, 3, 9, over}}, 0, 0},
		{"a pair stays whole", talk, BudgetOptions{Tokens: 1, Keep: 3}, []model.ID{0, 2, 3, 4, 5}, "1 1 3", []CutRange{{1, 1, 1, 3, over}}, 0, 0},
		{"all stay", talk, BudgetOptions{Tokens: 1, Keep: 5}, []model.ID{0, 1, 2, 3, 4, 5}, "", nil, 0, 0},
		{"more stay than there are", talk, BudgetOptions{Tokens: 1, Keep: 99}, []model.ID{0, 1, 2, 3, 4, 5}, "", nil, 0, 0},
		{"too few messages for the pair that stays", talk, BudgetOptions{MaxMessages: 3, Keep: 3}, []model.ID{0, 4, 5}, "3 2 6", []CutRange{{1, 3, 3, 9, many}}, 0, 0},
		{"enough messages for the pair that stays", talk, BudgetOptions{MaxMessages: 4, Keep: 3}, []model.ID{0, 2, 3, 4, 5}, "1 1 3", []CutRange{{1, 1, 1, 3, many}}, 0, 0},
		{"nothing stays", talk[1:2], BudgetOptions{Tokens: 2}, nil, "0 1 3", []CutRange{{0, 0, 1, 3, over}}, 2, 0},
		{"only the system prompt", talk[:1], BudgetOptions{Tokens: 1, Keep: 3}, []model.ID{0}, "", nil, 0, 0},
		{"no messages", nil, BudgetOptions{Tokens: 1}, nil, "", nil, 1, 0},
		{"a result without a call, unrepaired", orphans, BudgetOptions{Tokens: 4}, []model.ID{0, 1, 2}, "", nil, 0, 0},
		{"a result without a call, repaired", orphans, BudgetOptions{Tokens: 4, Repair: &provider.Provider{}}, []model.ID{0, 2}, "", []CutRange{{1, 1, 1, 2, CutOrphan}}, 2, 0},
		{"a result without a call is not one of the last", orphans, BudgetOptions{Tokens: 1, Keep: 2, Repair: &provider.Provider{}}, []model.ID{0, 2}, "", []CutRange{{1, 1, 1, 2, CutOrphan}}, 0, 0},
		{"two reasons side by side", orphans, BudgetOptions{Tokens: 1, Repair: &provider.Provider{}}, []model.ID{2}, "0 1 1",
			[]CutRange{{0, 0, 1, 1, over}, {1, 1, 1, 2, CutOrphan}}, 0, 0},
		{"words next to a result without a call", []model.Message{querytest.Message(model.User, "a", querytest.Result("gone", "o"))},
			BudgetOptions{Repair: &provider.Provider{}}, []model.ID{0}, "", nil, 0, 0},
		{"words of a tool next to a result without a call", []model.Message{querytest.Message(model.Tool, "a", querytest.Result("gone", "o"))},
			BudgetOptions{Repair: &provider.Provider{}}, nil, "", []CutRange{{0, 0, 1, 2, CutOrphan}}, 0, 0},
		{"one of two results has its call", append(talk[2:3:3], querytest.Tool(querytest.Result("gone", "o"), querytest.Result("x", "r"))),
			BudgetOptions{Repair: &provider.Provider{}}, []model.ID{0, 1}, "", nil, 0, 0},
		{"the user opens", talk[4:], BudgetOptions{Tokens: 13, Repair: opening}, []model.ID{1}, "0 1 2", []CutRange{{0, 0, 1, 2, over}}, 12, 0},
		{"the model opens, and a repair before it", talk[4:], BudgetOptions{Tokens: 15, Repair: opening}, []model.ID{0, 1}, "", nil, 0, 12},
		{"the model opens, one token less", talk[4:], BudgetOptions{Tokens: 14, Repair: opening}, []model.ID{1}, "0 1 2", []CutRange{{0, 0, 1, 2, over}}, 13, 0},
		{"the system prompt opens, without messages", talk[:1], BudgetOptions{Tokens: 2, Repair: opening}, []model.ID{0}, "", nil, 0, 0},
	} {
		s := model.FromMessages(slices.Clone(c.msgs))
		a, err := counted(t, s).Budget(t.Context(), query.Everything(s), c.o)
		if err != nil {
			t.Fatal(err)
		}
		next := ""
		if n := a.Next; n != nil {
			next = fmt.Sprint(int(n.Index), n.Messages, n.Tokens)
		}
		if !slices.Equal(a.Kept.IDs, c.kept) || next != c.next || !slices.Equal(a.Cut, c.cut) || a.Left != c.left || a.Added != c.added || a.Over && c.o.Tokens == 0 {
			t.Errorf("%s: kept %v, next %q, cut %v, left %d, added %d; want %v, %q, %v, %d, %d",
				c.name, a.Kept.IDs, next, a.Cut, a.Left, a.Added, c.kept, c.next, c.cut, c.left, c.added)
		}
	}
}

// TestBudgetNamesTheLargest: of the messages that must stay, the first of the largest.
func TestBudgetNamesTheLargest(t *testing.T) {
	s := model.FromMessages([]model.Message{querytest.Message(model.User, "a"), querytest.Message(model.User, "b b"), querytest.Message(model.User, "c c")})
	a, err := counted(t, s).Budget(t.Context(), query.Everything(s), BudgetOptions{Tokens: 4, Keep: 3})
	if err != nil || !a.Over || a.OverBy != 1 || a.Largest == nil || *a.Largest != (BudgetItem{1, 1, 2}) || a.Forced != 3 || a.ForcedTokens != 5 {
		t.Errorf("%+v with the largest %+v, %v; want message 1 with 2 tokens, one of five over the budget", a, a.Largest, err)
	}
	fits, err := counted(t, s).Budget(t.Context(), query.Everything(s), BudgetOptions{Tokens: 5, Keep: 3})
	if err != nil || fits.Over || fits.Largest != nil {
		t.Errorf("%+v, %v; want all of five tokens within the budget", fits, err)
	}
}

func TestBudgetStops(t *testing.T) {
	s := model.FromMessages([]model.Message{querytest.Message(model.User, "a a")})
	x := counted(t, s)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := x.Budget(ctx, query.Everything(s), BudgetOptions{Tokens: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped cut returns %v", err)
	}
	a := BudgetAnswer{Kept: query.Everything(s)}
	if _, _, err := a.Repaired(ctx, provider.Provider{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped repair returns %v", err)
	}
}

// TestBudgetOfBlocks: the tokens of long conversations, of which the index has the sums of blocks,
// equal the tokens of single messages, wherever a selection begins and ends and whatever it leaves
// out.
func TestBudgetOfBlocks(t *testing.T) {
	g := querytest.NewGrowing()
	g.Ix.Threads = append(g.Ix.Threads, model.Thread{Call: 0})
	for i := range 300 {
		h := model.Head{Role: model.User, Flags: model.HasWords, Size: uint32(4 + 4*(i*7%23))}
		switch {
		case i%50 == 49:
			h.Thread = 1
		case i == 70:
			h.Flags |= model.Rewound
		}
		g.Add(h)
	}
	s := g.Snapshot()
	x := NewIndex(s, nil)
	all := query.Everything(s).IDs
	for _, sel := range [][]model.ID{all, all[64:], all[64:130], all[65:131], all[63:], all[:65], all[:64], all[:63],
		slices.Concat(all[:30], all[31:]), slices.Concat(all[:100], all[150:])} {
		want := int64(0)
		for _, id := range sel {
			want += x.Weight(id)
		}
		for budget, cut := range map[int64]int{0: 0, want: 0, want - 1: 1} {
			a, err := x.Budget(t.Context(), query.Selection{Snap: s, IDs: sel}, BudgetOptions{Tokens: budget, Keep: 1})
			if err != nil || a.AllSum != want || len(a.Cut) != cut {
				t.Errorf("messages %d to %d cut to %d: %d tokens in all and the cuts %+v, %v; want %d tokens and %d cuts",
					sel[0], sel[len(sel)-1], budget, a.AllSum, a.Cut, err, want, cut)
			}
		}
	}
}
