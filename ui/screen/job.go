package screen

import (
	"context"
	"runtime"
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

// A key must not wait for what is computed meanwhile. Two things see to that. There are more
// processors, in Go's sense, than there are cores: with one for each core, all of them computing,
// what a key wakes up waits for the end of a time slice of 10 ms, three or four times on its way to
// the terminal. And what computes has a thread of its own: a system shares its cores among threads
// and lets those run first that slept, but the threads that draw are only taken for such if they
// have not computed before.

// spareProcessors is how many more processors there are than cores while a screen is open.
const spareProcessors = 2

// KeepResponsive makes room for keys while much is computed; restore takes it back.
func KeepResponsive() (restore func()) {
	cores := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(cores + spareProcessors)
	return func() { runtime.GOMAXPROCS(cores) }
}

// Parsers is how many parsers of a transcript may run beside a screen.
func Parsers() int { return max(runtime.GOMAXPROCS(0)-1, 1) }

// Background makes a command of what may compute for long.
func Background(do tea.Cmd) tea.Cmd {
	return func() tea.Msg {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		return do()
	}
}
