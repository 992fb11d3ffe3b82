//go:build unix

package ui

import (
	"context"
	"runtime"
	"syscall"
	"testing"
	"time"

	"turns/ui/transcripts"
)

// BenchmarkIdle compares the processor time of an idle screen with that of an empty program.
func BenchmarkIdle(b *testing.B) {
	const span = 2 * time.Second // measured time
	idle := func(s *barsProgram) (cpu float64, drawn int) {
		defer s.stop()
		s.send(nil)
		runtime.GC()
		from, at := s.count(), cpuTime(b)
		<-time.After(span)
		return float64(cpuTime(b)-at) / float64(span) * 100, s.count() - from
	}
	for b.Loop() {
		none, _ := idle(start(b, empty{}, 160, 48))
		a := newApp(context.Background(), transcripts.StaticFeed("/tmp/run.jsonl", longRun(5000)), testOptions())
		s := start(b, a, 160, 48)
		s.settled()
		ours, drawn := idle(s)
		a.cancel()
		b.ReportMetric(ours, "%cpu")
		b.ReportMetric(none, "%cpu/empty")
		b.ReportMetric(ours/none, "ours/empty")
		b.ReportMetric(float64(drawn), "bytes-drawn")
	}
}

func cpuTime(b testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
