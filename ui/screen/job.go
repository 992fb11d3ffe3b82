package screen

import (
	"context"
	"runtime"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
)

// Job is background work that reports its progress. Starting another job in its place drops its
// later reports.
type Job[T any] struct {
	over     <-chan struct{} // closed when the job is stopped
	cancel   context.CancelFunc
	messages chan jobMsg[T]
	Percent  int // last reported progress
}

// Done is the result of a job.
type Done[T any] struct {
	Answer T
	Err    error
}

// jobMsg reports the progress of a job, or its result, which is the last report.
type jobMsg[T any] struct {
	job     *Job[T]
	percent int
	done    *Done[T]
}

// StartJob sets *place to a new job and returns the command that runs it. work may call tell from
// several goroutines.
func StartJob[T any](ctx context.Context, place **Job[T], work func(ctx context.Context, report func(done, total int64)) (T, error)) tea.Cmd {
	ctx, cancel := context.WithCancel(ctx)
	j := &Job[T]{over: ctx.Done(), cancel: cancel, messages: make(chan jobMsg[T], 1)}
	*place = j
	var last atomic.Int64
	report := func(done, total int64) {
		if total <= 0 {
			return
		}
		p := min(done*100/total, 100)
		if was := last.Load(); p <= was || !last.CompareAndSwap(was, p) {
			return
		}
		select {
		case j.messages <- jobMsg[T]{job: j, percent: int(p)}:
		default: // the screen has not drawn the previous report
		}
	}
	return func() tea.Msg {
		go func() {
			answer, err := work(ctx, report)
			select {
			case j.messages <- jobMsg[T]{job: j, done: &Done[T]{answer, err}}:
			case <-ctx.Done():
			}
		}()
		return j.next()
	}
}

func (j *Job[T]) next() tea.Msg {
	select {
	case m := <-j.messages:
		return m
	case <-j.over:
		return nil
	}
}

// Message handles a report; done is nil until the end of the job, and for reports of other jobs.
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

// Stop cancels the job; j may be nil.
func (j *Job[T]) Stop() {
	if j != nil {
		j.cancel()
	}
}

// Background work must not delay a key. Two measures ensure that. First, GOMAXPROCS is higher than
// the number of cores: with as many processors as cores, all computing, the goroutines that a key
// wakes wait for the end of a 10 ms time slice three or four times before the frame reaches the
// terminal. Second, background work runs on its own threads: the system prefers threads that slept,
// but a drawing thread counts as one only if it has not computed before.

// spareProcessors is how far GOMAXPROCS exceeds the number of cores while a screen is open.
const spareProcessors = 2

// KeepResponsive reserves processors for keys during heavy work; restore undoes it.
func KeepResponsive() (restore func()) {
	cores := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(cores + spareProcessors)
	return func() { runtime.GOMAXPROCS(cores) }
}

// Parsers is how many parsers of a transcript may run while a screen is open.
func Parsers() int { return max(runtime.GOMAXPROCS(0)-1, 1) }

// Background makes a command for long computations.
func Background(do tea.Cmd) tea.Cmd {
	return func() tea.Msg {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		return do()
	}
}
