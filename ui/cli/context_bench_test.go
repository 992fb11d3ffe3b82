package cli

import (
	"context"
	"sort"
	"testing"
	"time"

	"turns/query/window"
)

// BenchmarkContext computes the context at messages all over a transcript, including descriptions
// of the largest items read from the file: the limit is 50 ms, once the index of contexts exists.
// It reports the time for the index, the median and the slowest answer.
func BenchmarkContext(b *testing.B) {
	ctx := context.Background()
	c, s := loadBench(b, benchFile(b))
	defer c.Close()
	begun := time.Now()
	x := window.NewIndex(s, nil)
	built := time.Since(begun)
	var took []time.Duration
	for n := 0; b.Loop(); n++ {
		at := s.At((n*7919 + s.Len() - 1) % s.Len())
		begun := time.Now()
		a, err := x.Context(at, window.Options{})
		if err == nil {
			err = a.Describe(ctx, s)
		}
		if err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(begun))
	}
	sort.Slice(took, func(i, j int) bool { return took[i] < took[j] })
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.ReportMetric(ms(built), "ms/index")
	b.ReportMetric(ms(took[len(took)/2]), "ms/median")
	b.ReportMetric(ms(took[len(took)-1]), "ms/worst")
}
