package query

import (
	"bytes"
	"context"
	"runtime"

	"turns/model"
)

// jsonRun is a run of neighbouring list elements, and then their JSON.
type jsonRun struct {
	from, to int
	huge     bool // one element that is too large for memory
	text     bytes.Buffer
	err      error
	done     chan struct{}
}

// For speed only: the limits of a run.
const (
	jsonRunBytes = 512 << 10 // of texts per run
	jsonRunItems = 1024
	jsonRunHuge  = 4 << 20
)

// List writes n elements between brackets, in order, several at a time, with little memory. size
// estimates the bytes of texts of an element. write writes an element after its comma; several
// goroutines call it, and none outlives the call.
func (j *JSONWriter) List(ctx context.Context, s *model.Snapshot, n int, size func(i int) int, write func(j *JSONWriter, r *CallReader, i int)) {
	j.Open("[")
	if n > 0 {
		j.runs(ctx, s, n, size, write)
	}
	j.Close("]")
}

func (j *JSONWriter) runs(ctx context.Context, s *model.Snapshot, n int, size func(i int) int, write func(j *JSONWriter, r *CallReader, i int)) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	depth := j.depth // workers must not read it while a huge element is written
	workers := make([]func(*jsonRun), min(runtime.GOMAXPROCS(0), 4))
	for i := range workers {
		r := newCallReader(s)
		workers[i] = func(run *jsonRun) {
			if !run.huge {
				run.write(ctx, depth, r, write)
			}
			close(run.done)
		}
	}
	jobs := func(yield func(*jsonRun) bool) {
		for from := 0; from < n; {
			run := nextRun(from, n, size)
			if from = run.to; !yield(run) {
				return
			}
		}
	}
	var own *CallReader
	left := func(run *jsonRun) { close(run.done) }
	for run := range InOrder(ctx, workers, len(workers), jobs, left) { // even after an error
		if run.huge {
			if own == nil {
				own = newCallReader(s)
			}
			if j.Err == nil {
				j.Item()
				write(j, own, run.from)
			}
		} else if <-run.done; j.Err == nil {
			j.Fail(run.err)
			j.write(run.text.Bytes())
		}
		j.first = false
		if j.Err != nil {
			stop()
		}
	}
	j.Fail(ctx.Err())
}

// nextRun returns the run that begins at an element.
func nextRun(from, n int, size func(i int) int) *jsonRun {
	run := &jsonRun{from: from, to: from, done: make(chan struct{})}
	for sum := 0; run.to < n && sum < jsonRunBytes && run.to-from < jsonRunItems; run.to++ {
		next := size(run.to)
		if next > jsonRunHuge {
			if run.to == from {
				run.to, run.huge = from+1, true
			}
			break
		}
		sum += next
	}
	return run
}

// write writes the elements of a run.
func (run *jsonRun) write(ctx context.Context, depth int, r *CallReader, write func(j *JSONWriter, r *CallReader, i int)) {
	j := NewJSONWriter(&run.text)
	j.depth, j.first = depth, run.from == 0
	for i := run.from; i < run.to && j.Err == nil; i++ {
		j.Fail(ctx.Err())
		j.Item()
		write(j, r, i)
	}
	j.Fail(j.w.Flush())
	run.err = j.Err
}
