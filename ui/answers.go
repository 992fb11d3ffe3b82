package ui

import (
	"context"
	"errors"
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

// answers are computed in the background, one round at a time; changes during a round start another
// one. While a file grows, the pause after a round is a multiple of its duration, so the rounds
// never use more than a fraction of a core.
type answers struct {
	h     *screen.Host
	list  *timeline.List
	stage *stage

	busy    bool
	stale   bool // the data changed during a round
	gen     int  // of the latest round; results of older rounds are dropped
	version uint64
	counted uint64 // version of the snapshot with counted tokens
	cancel  context.CancelFunc

	netting bool               // net changes of turns are being computed, or will be after a pause
	netted  uint64             // version of the snapshot with net changes
	pressed bool               // there was input during the pause
	halt    context.CancelFunc // stops the job
	verdict session.Judgement  // how the session ended; empty until computed

	counting bool // tokens are being counted
	progress atomic.Int64
}

// reset discards the answers about a session that was closed or replaced.
func (a *answers) reset() {
	a.gen++
	a.busy, a.version, a.counted, a.netted, a.verdict = false, 0, 0, 0, session.Judgement{}
}

// answersMsg carries the results of one round.
type answersMsg struct {
	screen.Answers
	gen     int
	version uint64
	verdict session.Judgement
	took    time.Duration
	err     error
}

// answersDueMsg ends the pause between two rounds.
type answersDueMsg struct{}

type countedMsg struct {
	version uint64
	tokens  *query.TokenColumn
	err     error
}

// start starts a round, or marks the answers stale if one is running.
func (a *answers) start() tea.Cmd {
	if a.h.Snap == nil || a.h.State.Preview {
		return nil
	}
	if a.busy {
		a.stale = true
		return nil
	}
	a.busy, a.stale = true, false
	a.gen++
	ctx, cancel := context.WithCancel(a.h.Ctx)
	a.cancel = cancel
	h := a.h
	r := round{snap: h.Snap, prices: h.Opts.Prices, encoding: h.Opts.Encoding, tokens: h.Tokens, live: h.Doing().Live()}
	msg := answersMsg{Answers: h.Answers, gen: a.gen, version: h.Snap.Version(), verdict: a.verdict}
	msg.Over = h.Scope()
	same := a.version == msg.version && h.Table != nil
	return screen.Background(func() tea.Msg {
		defer cancel()
		began := time.Now()
		if !same {
			msg.err = r.wholeAnswers(ctx, &msg)
		}
		if msg.err == nil {
			msg.err = r.view(ctx, &msg)
		}
		msg.took = time.Since(began)
		return msg
	})
}

// round is the input of one round of answers.
type round struct {
	snap     *model.Snapshot
	prices   summary.PriceTable
	encoding string
	tokens   *query.TokenColumn // nil: no tokens are counted
	live     bool
}

// wholeAnswers computes the answers about the entire session, independent of the filter.
func (r *round) wholeAnswers(ctx context.Context, m *answersMsg) (err error) {
	all := query.Everything(r.snap)
	if m.Turns != nil {
		m.Turns = m.Turns.Extend(r.snap)
	} else {
		m.Turns = query.NewTurnIndex(r.snap)
	}
	m.Table = summary.Turns(all, m.Turns)
	if m.Chains, err = query.NewReplaced(ctx, r.snap); err != nil {
		return err
	}
	if m.verdict, err = session.JudgeFile(ctx, r.snap, r.live); err != nil {
		return err
	}
	m.Cost = summary.Costs(all, m.Turns, summary.CostOptions{Prices: r.prices, Messages: true})
	m.Split = content.NewSplit(window.NewIndex(r.snap, nil), m.Cost, r.prices)
	rows, err := summary.CacheRows(ctx, all, m.Turns, r.prices)
	if err != nil {
		return err
	}
	m.Cached, m.Quotas = screen.NewCacheUse(rows), r.snap.LastQuotas(ctx)
	m.Table.Price(m.Cost)
	m.TurnOfPrompt = map[model.ID]int{}
	for i := range m.Table.Turns {
		if id := m.Table.Turns[i].Prompt; id != model.NoID {
			m.TurnOfPrompt[id] = i
		}
	}
	return nil
}

// view computes the answers about the messages that pass the filter, and the token counts.
func (r *round) view(ctx context.Context, m *answersMsg) (err error) {
	var counter *query.Counter
	m.TurnTokens = nil
	if r.tokens != nil {
		counter = &query.Counter{Encoding: r.encoding, Column: r.tokens}
		m.TurnTokens = make([]int64, len(m.Table.Turns))
		for i := range m.Table.Turns {
			for _, id := range m.Table.Turns[i].Messages {
				if n, ok := r.tokens.Message(id); ok {
					m.TurnTokens[i] += n.Sum()
				}
			}
		}
	}
	m.Tools = summary.ToolSummary(m.Over, r.tokens)
	if m.Stats, err = summary.Stats(ctx, m.Over, counter); err != nil {
		return err
	}
	spent := m.Cost
	if m.Over.Len() < query.Everything(r.snap).Len() {
		spent = summary.Costs(m.Over, m.Turns, summary.CostOptions{Prices: r.prices})
	}
	m.Stats.Price(spent)
	return m.Stats.Describe(ctx)
}

// answered stores the results of a round.
func (a *answers) answered(msg answersMsg) tea.Cmd {
	a.busy = false
	if msg.gen != a.gen {
		return nil
	}
	if msg.err == nil && msg.Table != nil {
		a.h.Answers, a.version, a.verdict = msg.Answers, msg.version, msg.verdict
		a.list.Invalidate()
	}
	cmds := []tea.Cmd{a.stage.refreshPanes(), a.countTokens()}
	if a.stale {
		a.stale = false
		cmds = append(cmds, a.h.After(max(4*msg.took, 50*time.Millisecond), answersDueMsg{}))
	}
	return tea.Batch(cmds...)
}

// netMsg carries the net changes of the turns.
type netMsg struct {
	snap *model.Snapshot
	nets map[int]changes.Net
	took time.Duration
	err  error
}

// netDueMsg ends the pause before a job.
type netDueMsg struct{}

// netRest is the time without input before the net changes are computed. This reads the texts of
// all changes.
const netRest = time.Second

// input stops the computation of net changes while the user does something.
func (a *answers) input() {
	if a.pressed = true; a.halt != nil {
		a.halt()
	}
}

// netTurns schedules the net changes of the turns, if a visible row shows one.
func (a *answers) netTurns() tea.Cmd {
	if a.netting || !a.netsWanted() {
		return nil
	}
	a.netting, a.pressed = true, false
	return a.h.After(netRest, netDueMsg{})
}

// netsWanted reports whether a visible row has room for a net change that is not yet computed.
func (a *answers) netsWanted() bool {
	h := a.h
	if h.State.Preview || h.Snap == nil || h.Turns == nil || a.netted == h.Snap.Version() || h.State.Indexed < 1 {
		return false
	}
	return a.list.ShowsTurn()
}

// netDue computes the net changes in the background. It waits until there is no input and no other
// job, so that one core is left for the screen.
func (a *answers) netDue() tea.Cmd {
	if !a.netsWanted() {
		a.netting = false
		return nil
	}
	if a.pressed || a.counting || a.busy {
		a.pressed = false
		return a.h.After(netRest, netDueMsg{})
	}
	snap, turns := a.h.Snap, a.h.Turns
	ctx, cancel := context.WithCancel(a.h.Ctx)
	a.halt = cancel
	return screen.Background(func() tea.Msg {
		defer cancel()
		msg, began := netMsg{snap: snap}, time.Now()
		var history *changes.History
		if history, msg.err = changes.Of(ctx, snap, turns); msg.err == nil {
			msg.nets, msg.err = history.TurnNets(ctx)
		}
		msg.took = time.Since(began)
		return msg
	})
}

// turnsNetted stores the net changes. While a session grows, the next job waits for a multiple of
// this job's duration.
func (a *answers) turnsNetted(msg netMsg) tea.Cmd {
	if a.h.Snap == nil || a.h.Snap.Version() == msg.snap.Version() && a.h.Snap != msg.snap {
		a.netting = false
		return a.netTurns() // another session is open
	}
	if errors.Is(msg.err, context.Canceled) {
		a.netting = false
		return a.netTurns()
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
	return a.h.After(max(8*msg.took, netRest), netDueMsg{})
}

// countTokens counts the tokens of new messages in the background, after more urgent work.
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
	return tea.Batch(a.start(), a.countTokens())
}
