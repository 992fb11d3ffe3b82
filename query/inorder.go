package query

import (
	"context"
	"iter"
	"sync"
)

// InOrder runs jobs on several workers and yields the jobs in their order; at most ahead jobs wait.
// A job signals its own completion, for example by a channel. left receives a job that no worker
// will run, because ctx ended or the loop stopped. No goroutine outlives the loop.
func InOrder[J any](ctx context.Context, workers []func(J), ahead int, jobs iter.Seq[J], left func(J)) iter.Seq[J] {
	return func(yield func(J) bool) {
		ctx, stop := context.WithCancel(ctx)
		work, ordered := make(chan J), make(chan J, ahead)
		var wg sync.WaitGroup
		defer wg.Wait()
		defer stop() // before waiting
		for _, do := range workers {
			wg.Go(func() {
				for j := range work {
					do(j)
				}
			})
		}
		wg.Go(func() {
			defer close(ordered)
			defer close(work)
			for j := range jobs {
				select {
				case ordered <- j:
				case <-ctx.Done():
					return
				}
				select {
				case work <- j:
				case <-ctx.Done():
					left(j)
					return
				}
			}
		})
		for j := range ordered {
			if !yield(j) {
				return
			}
		}
	}
}
