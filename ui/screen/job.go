package screen

import (
	"context"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
)

// Job is work in the background that tells how far it is. Who starts another one forgets it: what
// it still tells comes to nobody.
type Job[T any] struct {
	over    <-chan struct{} // closed when nobody wants it any more
	cancel  context.CancelFunc
	told    chan jobMsg[T]
	Percent int // as told last
}

// Done is what a job ends with.
type Done[T any] struct {
	Answer T
	Err    error
}

// jobMsg is what a job tells: how far it is, or what it ends with, which is the last.
type jobMsg[T any] struct {
	job     *Job[T]
	percent int
	done    *Done[T]
}

// StartJob puts a job into its place, and is the command that runs it. work may call tell from
// several goroutines.
func StartJob[T any](ctx context.Context, place **Job[T], work func(ctx context.Context, tell func(done, total int64)) (T, error)) tea.Cmd {
	ctx, cancel := context.WithCancel(ctx)
	j := &Job[T]{over: ctx.Done(), cancel: cancel, told: make(chan jobMsg[T], 1)}
	*place = j
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
		case j.told <- jobMsg[T]{job: j, percent: int(p)}:
		default: // the screen has not drawn the one before
		}
	}
	return func() tea.Msg {
		go func() {
			answer, err := work(ctx, tell)
			select {
			case j.told <- jobMsg[T]{job: j, done: &Done[T]{answer, err}}:
			case <-ctx.Done():
			}
		}()
		return j.next()
	}
}

func (j *Job[T]) next() tea.Msg {
	select {
	case m := <-j.told:
		return m
	case <-j.over:
		return nil
	}
}

// Message takes what a job tells; done is nil until its end, and for what another job told.
func (j *Job[T]) Message(msg tea.Msg) (done *Done[T], cmd tea.Cmd) {
	m, ok := msg.(jobMsg[T])
	if !ok || j == nil || m.job != j {
		return nil, nil
	}
	if m.done != nil {
		j.cancel()
		return m.done, nil
	}
	j.Percent = m.percent
	return nil, j.next
}

// Stop ends the job; nil is none.
func (j *Job[T]) Stop() {
	if j != nil {
		j.cancel()
	}
}
