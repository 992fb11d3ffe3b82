package ui

import (
	"context"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
)

// job is work in the background that tells how far it is. Who starts another one forgets it: what it still tells comes to nobody.
type job struct {
	over    <-chan struct{} // closed when nobody wants it any more
	cancel  context.CancelFunc
	told    chan jobMsg
	percent int // as told last
}

// jobMsg is what a job tells: how far it is, or its answer, which is the last.
type jobMsg struct {
	job     *job
	percent int
	answer  any
}

// startJob is a job and the command that runs it. work may call tell from several goroutines.
func startJob(ctx context.Context, work func(ctx context.Context, tell func(done, total int64)) any) (*job, tea.Cmd) {
	ctx, cancel := context.WithCancel(ctx)
	j := &job{over: ctx.Done(), cancel: cancel, told: make(chan jobMsg, 1)}
	var last atomic.Int64
	tell := func(done, total int64) {
		if total <= 0 {
			return
		}
		p := min(done*100/total, 100)
		if was := last.Load(); p <= was || !last.CompareAndSwap(was, p) {
			return
		}
		select {
		case j.told <- jobMsg{job: j, percent: int(p)}:
		default: // the screen has not drawn the one before
		}
	}
	return j, func() tea.Msg {
		go func() {
			answer := work(ctx, tell)
			select {
			case j.told <- jobMsg{job: j, answer: answer}:
			case <-ctx.Done():
			}
		}()
		return j.next()
	}
}

func (j *job) next() tea.Msg {
	select {
	case m := <-j.told:
		return m
	case <-j.over:
		return nil
	}
}

// message takes what a job tells; answer is not nil at its end. of is false for what another job told.
func (j *job) message(msg tea.Msg) (answer any, cmd tea.Cmd, of bool) {
	m, ok := msg.(jobMsg)
	if !ok || j == nil || m.job != j {
		return nil, nil, false
	}
	if m.answer != nil {
		j.cancel()
		return m.answer, nil, true
	}
	j.percent = m.percent
	return nil, j.next, true
}

// stop ends the job; nil is none.
func (j *job) stop() {
	if j != nil {
		j.cancel()
	}
}
