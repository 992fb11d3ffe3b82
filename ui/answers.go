package ui

import (
	"context"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query"
	"turns/query/changes"
	"turns/query/content"
	"turns/query/session"
	"turns/query/summary"
	"turns/query/window"
	"turns/ui/screen"
	"turns/ui/timeline"
)

// answers are computed in the background, one round at a time; what has changed meanwhile starts
// the next round. While a file grows the rounds keep a pause of some times what they took, so that
// they never cost more than a part of a core.
type answers struct {
	h     *screen.Host
	list  *timeline.List
	stage *stage

	busy    bool
	stale   bool // something changed while a round ran
	gen     int  // of what was asked last; an older round is thrown away
	version uint64
	counted uint64 // version of the snapshot whose tokens were counted
	cancel  context.CancelFunc

	netting bool              // the net changes of turns are computed
	netted  uint64            // version of the snapshot that they are of
	verdict session.Judgement // how the run ended; empty until computed

	counting bool // tokens
	progress atomic.Int64
}

// reset throws away what is computed for a conversation that is no more.
func (a *answers) reset() {
	a.gen++
	a.busy, a.version, a.counted, a.netted, a.verdict = false, 0, 0, 0, session.Judgement{}
}

type answersMsg struct {
	gen        int
	version    uint64
	turns      *query.TurnIndex
	table      *summary.TimelineAnswer
	byPrompt   map[model.ID]int
	turnTokens []int64
	tools      *summary.ToolsAnswer
	stats      *summary.StatsAnswer
	over       query.Selection // what tools and stats answer for
	chains     *query.Replaced
	verdict    session.Judgement
	cost       *summary.CostAnswer
	cached     *screen.CacheUse
	split      *content.Split
	quotas     model.Quotas
	took       time.Duration
	err        error
}

type answersDueMsg struct{ gen int }

type countedMsg struct {
	version uint64
	tokens  *query.TokenColumn
	err     error
}

// ask starts a round of answers, or remembers that one is due.
func (a *answers) ask() tea.Cmd {
	if a.h.Snap == nil || a.h.State.Preview {
		return nil
	}
	if a.busy {
		a.stale = true
		return nil
	}
	a.busy, a.stale = true, false
	a.gen++
	gen, snap, scope, tokens, old := a.gen, a.h.Snap, a.h.Scope(), a.h.Tokens, a.h.Turns
	same := a.version == snap.Version() && a.h.Table != nil
	table, byPrompt, chains := a.h.Table, a.h.TurnOfPrompt, a.h.Chains
	verdict, live := a.verdict, a.h.Doing().Live()
	cost, prices := a.h.Cost, a.h.Opts.Prices
	cached, split, quotas := a.h.Cached, a.h.Split, a.h.Quotas
	ctx, cancel := context.WithCancel(a.h.Ctx)
	a.cancel = cancel
	encoding := a.h.Opts.Encoding
	return screen.Background(func() tea.Msg {
		defer cancel()
		began := time.Now()
		msg := answersMsg{gen: gen, version: snap.Version(), turns: old, table: table, byPrompt: byPrompt, chains: chains, verdict: verdict, over: scope, cost: cost,
			cached: cached, split: split, quotas: quotas}
		all := query.Everything(snap)
		if !same {
			if old != nil {
				msg.turns = old.Extend(snap)
			} else {
				msg.turns = query.NewTurnIndex(snap)
			}
			msg.table = summary.Turns(all, msg.turns)
			if msg.chains, msg.err = query.NewReplaced(ctx, snap); msg.err != nil {
				return msg
			}
			if msg.verdict, msg.err = session.JudgeFile(ctx, snap, live); msg.err != nil {
				return msg
			}
			msg.cost = summary.Costs(all, msg.turns, summary.CostOptions{Prices: prices, Messages: true})
			msg.split = content.NewSplit(window.NewIndex(snap, nil), msg.cost, prices)
			rows, err := summary.CacheRows(ctx, all, msg.turns, prices)
			if err != nil {
				msg.err = err
				return msg
			}
			msg.cached, msg.quotas = screen.NewCacheUse(rows), snap.LastQuotas(ctx)
			msg.table.Price(msg.cost)
			msg.byPrompt = map[model.ID]int{}
			for i := range msg.table.Turns {
				if id := msg.table.Turns[i].Prompt; id != model.NoID {
					msg.byPrompt[id] = i
				}
			}
		}
		if tokens != nil {
			msg.turnTokens = make([]int64, len(msg.table.Turns))
			for i := range msg.table.Turns {
				for _, id := range msg.table.Turns[i].Messages {
					if n, ok := tokens.Message(id); ok {
						msg.turnTokens[i] += n.Sum()
					}
				}
			}
		}
		msg.tools = summary.ToolSummary(scope, tokens)
		var counter *query.Counter
		if tokens != nil {
			counter = &query.Counter{Encoding: encoding, Column: tokens}
		}
		if msg.stats, msg.err = summary.Stats(ctx, scope, counter); msg.err == nil {
			spent := msg.cost
			if scope.Len() < all.Len() {
				spent = summary.Costs(scope, msg.turns, summary.CostOptions{Prices: prices})
			}
			msg.stats.Price(spent)
			msg.err = msg.stats.Describe(ctx)
		}
		msg.took = time.Since(began)
		return msg
	})
}

// answered takes a round over.
func (a *answers) answered(msg answersMsg) tea.Cmd {
	a.busy = false
	if msg.gen != a.gen {
		return nil
	}
	if msg.err == nil && msg.table != nil {
		h := a.h
		h.Turns, h.Table, h.TurnOfPrompt, h.TurnTokens = msg.turns, msg.table, msg.byPrompt, msg.turnTokens
		h.Tools, h.Stats, h.Over, h.Chains = msg.tools, msg.stats, msg.over, msg.chains
		a.version, a.verdict = msg.version, msg.verdict
		h.Cost, h.Cached, h.Split, h.Quotas = msg.cost, msg.cached, msg.split, msg.quotas
		a.list.Invalidate()
	}
	cmds := []tea.Cmd{a.stage.refreshPanes(), a.countTokens(), a.netTurns()}
	if a.stale {
		a.stale = false
		gen := msg.gen
		cmds = append(cmds, a.h.After(max(4*msg.took, 50*time.Millisecond), answersDueMsg{gen}))
	}
	return tea.Batch(cmds...)
}

// netMsg has the net changes of the turns.
type netMsg struct {
	snap *model.Snapshot
	nets map[int]changes.Net
	took time.Duration
	err  error
}

// netDueMsg ends the pause between two jobs.
type netDueMsg struct{}

// netTurns computes the net changes of the turns in the background, one job at a time.
func (a *answers) netTurns() tea.Cmd {
	h := a.h
	if h.State.Preview || a.netting || h.Snap == nil || h.Turns == nil || a.netted == h.Snap.Version() || h.State.Indexed < 1 {
		return nil
	}
	a.netting = true
	snap, turns, ctx := h.Snap, h.Turns, h.Ctx
	return screen.Background(func() tea.Msg {
		msg, began := netMsg{snap: snap}, time.Now()
		var history *changes.History
		if history, msg.err = changes.Of(ctx, snap, turns); msg.err == nil {
			msg.nets, msg.err = history.TurnNets(ctx)
		}
		msg.took = time.Since(began)
		return msg
	})
}

// turnsNetted stores the net changes. While a session grows, the next job waits for a multiple
// of the time that this one needed.
func (a *answers) turnsNetted(msg netMsg) tea.Cmd {
	if a.h.Snap == nil || a.h.Snap.Version() == msg.snap.Version() && a.h.Snap != msg.snap {
		a.netting = false
		return a.netTurns() // another session is open
	}
	if msg.err == nil {
		a.h.TurnNets = msg.nets
		a.list.Invalidate()
	}
	a.netted = msg.snap.Version()
	if a.h.Snap == msg.snap {
		a.netting = false
		return nil
	}
	return a.h.After(max(8*msg.took, time.Second), netDueMsg{})
}

// countTokens counts what is new, in the background, when nothing more urgent is computed.
func (a *answers) countTokens() tea.Cmd {
	h := a.h
	if h.Opts.Counter == nil || h.State.Preview || a.counting || h.Snap == nil || a.counted == h.Snap.Version() || h.State.Indexed < 1 {
		return nil
	}
	a.counting = true
	h.Counts = "counting"
	snap := h.Snap
	ctx := h.Ctx
	progress := &a.progress
	progress.Store(0)
	c := &query.Counter{New: h.Opts.Counter, Encoding: h.Opts.Encoding, Workers: 1, Column: h.Tokens, Progress: func(done, total int64) {
		if total > 0 {
			progress.Store(done * 100 / total)
		}
	}}
	return screen.Background(func() tea.Msg {
		t, err := query.CountTokens(ctx, query.Everything(snap), c)
		return countedMsg{snap.Version(), t, err}
	})
}

func (a *answers) tokensCounted(msg countedMsg) tea.Cmd {
	a.counting = false
	a.h.Counts = ""
	a.counted = msg.version
	if msg.err != nil || msg.tokens == nil {
		return nil
	}
	a.h.Tokens = msg.tokens
	a.list.Invalidate()
	return tea.Batch(a.ask(), a.countTokens())
}
