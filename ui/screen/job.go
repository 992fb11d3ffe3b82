package screen

import (
	"context"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
)

// Job is work in the background that tells how far it is. Who starts another one forgets it: what
// it still tells comes to nobody.
type Job struct {
	over    <-chan struct{} // closed when nobody wants it any more
	cancel  context.CancelFunc
	told    chan JobMsg
	Percent int // as told last
}

// JobMsg is what a job tells: how far it is, or its answer, which is the last.
type JobMsg struct {
	job     *Job
	percent int
	answer  any
}

// StartJob is a job and the command that runs it. work may call tell from several goroutines.
func StartJob(ctx context.Context, work func(ctx context.Context, tell func(done, total int64)) any) (*Job, tea.Cmd) {
	ctx, cancel := context.WithCancel(ctx)
	j := &Job{over: ctx.Done(), cancel: cancel, told: make(chan JobMsg, 1)}
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
		case j.told <- JobMsg{job: j, percent: int(p)}:
		default: // the screen has not drawn the one before
		}
	}
	return j, func() tea.Msg {
		go func() {
			answer := work(ctx, tell)
			select {
			case j.told <- JobMsg{job: j, answer: answer}:
			case <-ctx.Done():
			}
		}()
		return j.next()
	}
}

func (j *Job) next() tea.Msg {
	select {
	case m := <-j.told:
		return m
	case <-j.over:
		return nil
	}
}

// Message takes what a job tells; answer is not nil at its end. of is false for what another job
// told.
func (j *Job) Message(msg tea.Msg) (answer any, cmd tea.Cmd, of bool) {
	m, ok := msg.(JobMsg)
	if !ok || j == nil || m.job != j {
		return nil, nil, false
	}
	if m.answer != nil {
		j.cancel()
		return m.answer, nil, true
	}
	j.Percent = m.percent
	return nil, j.next, true
}

// Stop ends the job; nil is none.
func (j *Job) Stop() {
	if j != nil {
		j.cancel()
	}
}
