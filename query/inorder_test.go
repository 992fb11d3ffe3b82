package query

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestInOrder runs jobs of different lengths on several workers.
func TestInOrder(t *testing.T) {
	type job struct {
		n    int
		done chan struct{}
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		did, left := make([]bool, 100), 0
		worker := func(j job) {
			time.Sleep(time.Duration(100-j.n) * time.Millisecond)
			did[j.n] = true
			close(j.done)
		}
		jobs := func(yield func(job) bool) {
			for n := range 100 {
				if !yield(job{n, make(chan struct{})}) {
					return
				}
			}
		}
		workers := []func(job){worker, worker, worker}
		var got []int
		for j := range InOrder(ctx, workers, 4, jobs, func(j job) { left++; close(j.done) }) {
			<-j.done
			if got = append(got, j.n); !did[j.n] {
				t.Errorf("job %d was yielded before it was done", j.n)
			}
		}
		if len(got) != 100 || !slices.IsSorted(got) || left != 0 {
			t.Errorf("%d jobs in the order %v, %d left", len(got), got, left)
		}
		for j := range InOrder(ctx, workers, 4, jobs, func(j job) { left++; close(j.done) }) {
			if <-j.done; j.n == 10 {
				break
			}
		}
		for j := range InOrder(ctx, workers, 4, jobs, func(j job) { left++; close(j.done) }) {
			<-j.done // yielded jobs finish, although the context is cancelled
			if j.n == 10 {
				cancel()
			}
		}
		if left > 2 {
			t.Errorf("%d jobs were left, each loop leaves one at most", left)
		}
	})
}
