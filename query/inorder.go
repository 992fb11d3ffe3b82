package query

import (
	"context"
	"iter"
	"sync"
)

// InOrder does jobs on several workers at a time and yields each job in the order of jobs: at most
// ahead of them wait. A job says itself when it is done, for example by a
// channel; left gets one that no worker will do, because ctx ended or the loop stopped. No goroutine
// outlives the loop.
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
