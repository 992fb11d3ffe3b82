package trials

import (
	"math/rand/v2"
	"testing"
)

func TestPairedT(t *testing.T) {
	// R: t.test(extra ~ group, data = sleep, paired = TRUE) gives -2.4598858 -0.7001142 around
	// -1.58. Divided by ten, so that the differences are shares.
	d := []float64{-1.2, -2.4, -1.3, -1.3, 0, -1.0, -1.8, -0.8, -4.6, -1.4}
	for i := range d {
		d[i] /= 10
	}
	got := pairedT(d)
	near(t, "value", got.Value, -0.158, 1e-12)
	near(t, "low", got.Low, -0.24598858, 1e-8)
	near(t, "high", got.High, -0.07001142, 1e-8)
}

func TestMcNemar(t *testing.T) {
	// R, exact2x2: mcnemar.exact(matrix(c(21, 9, 2, 12), 2, 2)) gives 0.06543.
	near(t, "p", mcNemar(2, 9), 0.0654296875, 1e-12)
	near(t, "p", mcNemar(9, 2), 0.0654296875, 1e-12)
	near(t, "p of five to none", mcNemar(5, 0), 0.0625, 1e-12)
	near(t, "p of six to none", mcNemar(0, 6), 0.03125, 1e-12)
	near(t, "p of none", mcNemar(0, 0), 1, 0)
	near(t, "p of a tie", mcNemar(3, 3), 1, 0)
}

func TestBonettPrice(t *testing.T) {
	// The airway study of Fagerland and others (2014): 1 and 7 of 21 pairs differ.
	got := bonettPrice(1, 7, 21)
	near(t, "value", got.Value, -6.0/21, 1e-12)
	near(t, "low", got.Low, -0.508, 5e-4)
	near(t, "high", got.High, -0.0134, 5e-5)
	if none := bonettPrice(0, 0, 50); none.Low >= 0 || none.High <= 0 {
		t.Errorf("fifty equal tasks leave no doubt: %v", none)
	}
}

func TestSwapTest(t *testing.T) {
	// Fisher's own example, Darwin's maize: 863 of 16,384 equally likely arrangements have a sum at
	// least as extreme on each side.
	maize := []float64{49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48}
	near(t, "p", swapTest(maize, 1), 2*863.0/32768, 1e-12)
	near(t, "p of one task", swapTest([]float64{1}, 1), 1, 0)
	near(t, "p of no difference", swapTest([]float64{0, 0}, 1), 1, 0)
	near(t, "p of tenths of a fine unit", swapTest([]float64{-0.1, -0.1, 0.2, 0.3}, 1<<20), swapTest([]float64{-1, -1, 2, 3}, 1), 1e-12)
	near(t, "p of quarters", swapTest([]float64{0.25, 0.5, 0.25, 1}, 4), 2.0/16, 1e-12)
}

func TestSwapTestIsTheSumOverAllSigns(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		d := make([]float64, 1+rnd.IntN(10))
		for i := range d {
			d[i] = float64(rnd.IntN(9)-4) / 4
		}
		sum := 0.0
		for _, x := range d {
			sum += x
		}
		far := 0
		for signs := range 1 << len(d) {
			s := 0.0
			for i, x := range d {
				if signs>>i&1 == 1 {
					x = -x
				}
				s += x
			}
			if max(s, -s) >= max(sum, -sum) {
				far++
			}
		}
		near(t, "p", swapTest(d, 4), float64(far)/float64(int(1)<<len(d)), 1e-12)
	}
}

func TestCompare(t *testing.T) {
	if d := Compare([]Count{{1, 1}, {0, 0}}, []Count{{0, 0}, {1, 1}}); d != nil {
		t.Errorf("no task in common gives %v", d)
	}
	a, b := make([]Count, 30), make([]Count, 30)
	for i := range a {
		a[i], b[i] = Count{0, 1}, Count{0, 1}
		if i < 12 {
			b[i].Passed = 1
		}
		if i == 29 {
			a[i].Passed = 1
		}
	}
	d := Compare(a, b)
	if d.Better != 12 || d.Worse != 1 || d.Tasks != 30 || d.Test != "mcnemar" || d.Method != "bonett-price" || !d.Apart {
		t.Errorf("single trials give %+v", d)
	}
	for i := range a {
		a[i], b[i] = Count{i % 3, 4}, Count{i%3 + 1, 4}
	}
	d = Compare(a, b)
	if d.Test != "swap" || d.Better != 30 || !d.Apart {
		t.Errorf("repeated trials give %+v", d)
	}
	near(t, "value", d.Value, 0.25, 1e-12)
	if d := Compare(a, a); d.Apart || d.Value != 0 || d.P != 1 || d.Low >= 0 || d.High <= 0 || d.Detectable != nil {
		t.Errorf("a configuration against itself gives %+v", d)
	}
}

func TestDetectableDifferenceIsFound(t *testing.T) {
	// 2.2621572 + 0.8834039 standard errors over ten tasks
	a, b := make([]Count, 10), make([]Count, 10)
	for i := range a {
		a[i], b[i] = Count{2, 4}, Count{2 + i%2, 4}
	}
	d := Compare(a, b)
	_, se := meanError([]float64{0, .25, 0, .25, 0, .25, 0, .25, 0, .25})
	near(t, "detectable", *d.Detectable, (2.2621572+0.8834039)*se, 1e-6)
}

func TestHolm(t *testing.T) {
	far := Interval{Low: 0.1, High: 0.2}
	list := []*Difference{{Interval: far, P: 0.01}, nil, {Interval: far, P: 0.04}, {Interval: far, P: 0.03}}
	Holm(list)
	for i, want := range map[int]float64{0: 0.03, 2: 0.06, 3: 0.06} { // R: p.adjust(c(.01, .04, .03), "holm")
		near(t, "p", list[i].P, want, 1e-12)
		if list[i].Apart != (want <= 0.05) {
			t.Errorf("p = %v: different is %v", want, list[i].Apart)
		}
	}
}

// TestNoiseIsRarelyCalledDifferent compares random halves of the same trials: any difference
// between them is chance.
func TestNoiseIsRarelyCalledDifferent(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for _, sort := range []struct {
		name          string
		tasks, trials int
		chance        func(task int) float64
	}{
		{"50 tasks of 4 trials", 50, 4, func(i int) float64 { return float64(i) / 49 }},
		{"50 tasks of 4 trials, most alike", 50, 4, func(i int) float64 { return float64(i%2) * 0.9 }},
		{"100 tasks of 2 trials", 100, 2, func(int) float64 { return 0.4 }},
		{"12 tasks of 10 trials", 12, 10, func(int) float64 { return 0.5 }},
	} {
		apart := 0
		const draws = 1000
		for range draws {
			a, b := make([]Count, sort.tasks), make([]Count, sort.tasks)
			for i := range a {
				won := make([]int, sort.trials)
				for j := range won {
					if rnd.Float64() < sort.chance(i) {
						won[j] = 1
					}
				}
				for j, k := range rnd.Perm(sort.trials) {
					half := &a[i]
					if j%2 == 1 {
						half = &b[i]
					}
					half.Passed, half.Trials = half.Passed+won[k], half.Trials+1
				}
			}
			if Compare(a, b).Apart {
				apart++
			}
		}
		t.Logf("%s: told apart in %d of %d draws", sort.name, apart, draws)
		if apart > draws/20 {
			t.Errorf("%s: equal halves differ in %d of %d draws", sort.name, apart, draws)
		}
	}
}
