package trials

import (
	"math"
	"math/rand/v2"
	"testing"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > within {
		t.Errorf("%s is %.9f, want %.9f", what, got, want)
	}
}

func TestWilson(t *testing.T) {
	for _, c := range []struct {
		passed, n int
		low, high float64
		within    float64
		source    string
	}{
		{2, 100, 0.005501968, 0.07001179, 1e-8, "R, binom.confint(c(2, 4), 100), row wilson"},
		{4, 100, 0.015663304, 0.09837071, 1e-8, "the same"},
		{81, 263, 0.2553, 0.3662, 5e-5, "Newcombe 1998, table I, method 3"},
		{15, 148, 0.0624, 0.1605, 5e-5, "the same"},
		{0, 20, 0, 0.1611, 5e-5, "the same"},
		{1, 29, 0.0061, 0.1718, 5e-5, "the same"},
	} {
		got := Wilson(c.passed, c.n)
		near(t, c.source+": low", got.Low, c.low, c.within)
		near(t, c.source+": high", got.High, c.high, c.within)
		near(t, c.source+": value", got.Value, float64(c.passed)/float64(c.n), 0)
	}
	if got := Wilson(0, 0); !math.IsNaN(got.Value) || got.Low != 0 || got.High != 1 {
		t.Errorf("of nothing the interval is %v", got)
	}
}

func TestStudentQuantile(t *testing.T) { // from textbook tables
	for _, c := range []struct{ p, df, want float64 }{
		{0.975, 1, 12.7062047}, {0.975, 9, 2.2621572}, {0.975, 49, 2.0095752}, {0.8, 9, 0.8834039}, {0.95, 30, 1.6972609},
	} {
		near(t, "t", studentQuantile(c.p, c.df), c.want, 1e-6)
	}
	near(t, "z", normalQuantile(0.975), 1.959963985, 1e-9)
}

func TestPassRateOfRepeatedTrials(t *testing.T) {
	// Two of five tasks pass three of three times, three never do: fifteen trials with as much
	// information as five.
	same := []Count{{3, 3}, {3, 3}, {0, 3}, {0, 3}, {0, 3}}
	got := passRate(same)
	effective := 5 * 0.8 // (g-1)/g of the tasks
	low, high := score(0.4, effective, studentQuantile(0.975, 4))
	near(t, "low", got.Low, low, 1e-12)
	near(t, "high", got.High, high, 1e-12)
	if got.Method != "clustered" {
		t.Errorf("the method is %q", got.Method)
	}
	if naive := Wilson(6, 15); got.High-got.Low <= naive.High-naive.Low {
		t.Error("repeated trials are taken for independent ones")
	}
	// 4/3 of (1+0+0+1)/64 is the variance of six independent trials.
	even := passRate([]Count{{2, 2}, {1, 2}, {1, 2}, {0, 2}})
	low, high = score(0.5, 6, studentQuantile(0.975, 3))
	near(t, "low", even.Low, low, 1e-12)
	near(t, "high", even.High, high, 1e-12)
	for _, all := range [][]Count{{{4, 4}, {4, 4}, {4, 4}}, {{0, 4}, {0, 4}, {0, 4}}} {
		if got := passRate(all); got.High-got.Low < 0.3 {
			t.Errorf("three tasks without a difference give %v", got)
		}
	}
	if one := passRate([]Count{{3, 4}, {0, 0}}); one.Method != "wilson" {
		t.Errorf("one task gives %v", one)
	}
	if single := passRate([]Count{{1, 1}, {0, 1}, {0, 0}}); single != Wilson(1, 2) {
		t.Errorf("single trials give %v", single)
	}
}

// choose is the reference: the binomial coefficient by its definition.
func choose(n, k int) float64 {
	if k < 0 || k > n {
		return 0
	}
	x := 1.0
	for i := 1; i <= k; i++ {
		x = x * float64(n-k+i) / float64(i)
	}
	return x
}

func TestPassAtKIsTheReferenceFormula(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		n := 1 + rnd.IntN(60)
		c, k := rnd.IntN(n+1), 1+rnd.IntN(n)
		near(t, "pass@k", PassAt(c, n, k), 1-choose(n-c, k)/choose(n, k), 1e-9)
		near(t, "pass^k", PassAll(c, n, k), choose(c, k)/choose(n, k), 1e-9)
	}
	for _, of := range []func(c, n, k int) float64{PassAt, PassAll} {
		if !math.IsNaN(of(1, 2, 3)) || !math.IsNaN(of(1, 2, 0)) {
			t.Error("fewer trials than k have an answer")
		}
	}
}

// tauAirline has, for each of the fifty tasks of τ-bench's airline, the number of its four trials
// that gpt-4o passed, as published by its authors (sierra-research/tau-bench,
// historical_trajectories, gpt-4o-airline.json).
const tauAirline = "01100111000142021140430040220122003443413241222144"

func TestPassAllKIsAsPublished(t *testing.T) {
	var tasks []Count
	for _, c := range tauAirline {
		tasks = append(tasks, Count{int(c - '0'), 4})
	}
	got := overK(tasks, PassAll)
	if len(got) != 4 {
		t.Fatalf("%d values of k", len(got))
	}
	for i, want := range []float64{0.420, 0.273, 0.220, 0.200} {
		near(t, "pass^k", got[i].Value, want, 0.0005)
		if got[i].K != i+1 || got[i].Tasks != 50 {
			t.Errorf("%+v", got[i])
		}
	}
}

func TestPassOfKLeavesOutTasksWithFewerTrials(t *testing.T) {
	got := overK([]Count{{1, 2}, {1, 1}, {0, 0}}, PassAt)
	want := []OfK{{1, 0.75, 2}, {2, 1, 1}}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %v, want %v", got, want)
	}
	for trials, want := range map[int]int{9: 9, 10: 10, 11: 10, 50: 10} {
		if got := overK([]Count{{1, trials}}, PassAt); len(got) != want {
			t.Errorf("%d trials have %d values, want %d", trials, len(got), want)
		}
	}
}
