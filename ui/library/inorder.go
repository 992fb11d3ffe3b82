package library

import (
	"context"
	"iter"
	"sync"
)

// ahead is how many answers may wait for an earlier one, for each worker.
const ahead = 8

// inOrder makes n things, several at a time, and gives them in order. Few of them
// wait for an earlier one, however many there are. It ends when ctx does.
func inOrder[T any](ctx context.Context, n, workers int, ask func(ctx context.Context, i int) T) iter.Seq2[int, T] {
	type job struct {
		i    int
		made chan T
	}
	return func(yield func(int, T) bool) {
		ctx, cancel := context.WithCancel(ctx)
		jobs, ordered := make(chan job, ahead*workers), make(chan job, ahead*workers)
		var wg sync.WaitGroup
		defer wg.Wait()
		defer cancel()
		for range min(workers, n) {
			wg.Go(func() {
				for j := range jobs {
					j.made <- ask(ctx, j.i)
				}
			})
		}
		wg.Go(func() {
			defer close(ordered)
			defer close(jobs)
			for i := range n {
				j := job{i, make(chan T, 1)}
				select {
				case jobs <- j:
				case <-ctx.Done():
					return
				}
				select {
				case ordered <- j:
				case <-ctx.Done():
					return
				}
			}
		})
		for j := range ordered {
			select {
			case made := <-j.made:
				if !yield(j.i, made) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}
