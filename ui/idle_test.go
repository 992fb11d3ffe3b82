package ui

import (
	"context"
	"reflect"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/ui/transcripts"
)

// A program checks for frames soon after a message, then at the frame rate, then rarely.
func TestPaceFollowsMessages(t *testing.T) {
	var every, in []time.Duration
	p := &pace{}
	p.begin = func() (_, _ func(time.Duration)) {
		return func(d time.Duration) { every = append(every, d) }, func(d time.Duration) { in = append(in, d) }
	}
	at := time.Unix(0, 0)
	for _, step := range []struct {
		after time.Duration
		do    func(time.Time)
		every time.Duration // 0: unchanged
		in    time.Duration
	}{
		{0, p.touch, 0, 0}, // Bubble Tea starts awake
		{awakeFor - 1, p.turn, 0, 1},
		{1, p.turn, asleep, 0},
		{time.Hour, p.touch, firstLook, 2 * firstLook},
		{firstLook, p.touch, 0, 0},
		{firstLook, p.turn, everyFrame, awakeFor},
		{awakeFor - firstLook, p.touch, 0, 0},
		{firstLook, p.turn, 0, awakeFor - firstLook},
		{awakeFor, p.turn, asleep, 0},
	} {
		every, in, at = nil, nil, at.Add(step.after)
		step.do(at)
		if one := func(d time.Duration) []time.Duration {
			if d == 0 {
				return nil
			}
			return []time.Duration{d}
		}; !slices.Equal(every, one(step.every)) || !slices.Equal(in, one(step.in)) {
			t.Fatalf("at %v: looks every %v, next turn in %v; want %v, %v", at.Sub(time.Unix(0, 0)), every, in, step.every, step.in)
		}
	}
}

// If Bubble Tea moves its ticker, idling has no effect; this test reports it.
func TestBubbleTeaHasATicker(t *testing.T) {
	prog := tea.NewProgram(nil)
	if f, ok := reflect.TypeFor[tea.Program]().FieldByName("ticker"); !ok || f.Type != reflect.TypeFor[*time.Ticker]() {
		t.Fatal("the ticker of a program is not where it was")
	}
	if ticker := tickerOf(prog); ticker != nil {
		t.Errorf("a program that does not run has the ticker %v", ticker)
	}
}

// BenchmarkKeyAfterRest measures from a key to the frame that shows its effect, after a rest long
// enough for rare checks, and without a rest.
func BenchmarkKeyAfterRest(b *testing.B) {
	keys := []string{"G", "g"}
	measure := func(s *barsProgram, rest time.Duration, samples int) (all []time.Duration) {
		for n := range samples {
			if rest > 0 {
				<-time.After(rest)
			}
			all = append(all, s.press(keys[n%2]))
		}
		return all
	}
	for b.Loop() {
		a := newApp(context.Background(), transcripts.StaticFeed("/tmp/run.jsonl", longRun(5000)), testOptions())
		s := start(b, a, 120, 40)
		s.settled()
		dozed, straight := measure(s, 3*awakeFor, 100), measure(s, 0, 300)
		s.stop()
		a.cancel()
		frame := 1000.0 / frameRate
		b.ReportMetric(millis(dozed, 0.5)/frame, "frames/p50")
		b.ReportMetric(millis(dozed, 0.99)/frame, "frames/p99")
		b.ReportMetric(millis(straight, 0.5)/frame, "frames/p50-awake")
		b.ReportMetric(millis(straight, 0.99)/frame, "frames/p99-awake")
	}
}
