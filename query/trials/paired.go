package trials

import "math"

// power is the probability of finding a difference of the detectable size.
const power = 0.8

// Difference is the advantage of the second of two configurations over the first, over the tasks
// with judged trials of both.
type Difference struct {
	Interval
	Tasks  int `json:"tasks"`
	Better int `json:"better"` // number of tasks of which the second passes a larger share
	Worse  int `json:"worse"`
	// P is the probability of a difference at least this large if the two were equal: by McNemar's
	// exact test if each task has one trial, otherwise by the exact test that swaps the two within
	// tasks.
	P     float64 `json:"p"`
	Test  string  `json:"test"` // a key of Methods
	Apart bool    `json:"told_apart"`
	// Detectable is the smallest difference that this number of trials finds in four of five
	// repetitions; null: the tasks do not differ, so their spread is unknown.
	Detectable *float64 `json:"detectable"`
}

// Compare returns the difference between two configurations, paired by task: a[i] and b[i] are of
// the same task. It ignores tasks of only one of them. nil: no common task.
func Compare(a, b []Count) *Difference {
	var d []float64 // by task: the passed share of b minus that of a
	single, unit := true, 1
	for i := range a {
		if a[i].Trials == 0 || b[i].Trials == 0 {
			continue
		}
		single = single && a[i].Trials == 1 && b[i].Trials == 1
		unit = lcm(unit, lcm(a[i].Trials, b[i].Trials))
		d = append(d, float64(b[i].Passed)/float64(b[i].Trials)-float64(a[i].Passed)/float64(a[i].Trials))
	}
	if len(d) == 0 {
		return nil
	}
	out := &Difference{Tasks: len(d)}
	for _, x := range d {
		switch {
		case x > 0:
			out.Better++
		case x < 0:
			out.Worse++
		}
	}
	discordant := out.Better + out.Worse
	switch {
	case single:
		out.Interval = bonettPrice(out.Better, out.Worse, len(d))
		out.P, out.Test = mcNemar(out.Better, out.Worse), "mcnemar"
	case discordant == 0 || len(d) == 1:
		out.Interval = bonettPrice(out.Better, out.Worse, len(d))
		out.Value = mean(d)
		out.P, out.Test = swapTest(d, unit), "swap"
	default:
		out.Interval = pairedT(d)
		out.P, out.Test = swapTest(d, unit), "swap"
	}
	out.judge(out.P)
	if _, se := meanError(d); len(d) > 1 && se > 0 {
		df := float64(len(d) - 1)
		size := (studentQuantile(1-(1-confidence)/2, df) + studentQuantile(power, df)) * se
		out.Detectable = &size
	}
	return out
}

// judge decides whether the two differ: by the test with this p, adjusted for several comparisons,
// and by the interval.
func (d *Difference) judge(p float64) {
	d.Apart = p <= 1-confidence && (d.Low > 0 || d.High < 0)
}

// Holm adjusts the verdicts of several comparisons, so that the probability of any false difference
// among them remains one in twenty. It replaces P by the adjusted one, and skips nil differences.
//
// Source: S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal
// of Statistics 6 (1979).
func Holm(list []*Difference) {
	var left []*Difference
	for _, d := range list {
		if d != nil {
			left = append(left, d)
		}
	}
	for least := 0.0; len(left) > 0; {
		at := 0
		for i := range left {
			if left[i].P < left[at].P {
				at = i
			}
		}
		d := left[at]
		least = max(least, min(d.P*float64(len(left)), 1))
		left = append(left[:at], left[at+1:]...)
		d.P = least
		d.judge(d.P)
	}
}

// pairedT returns the mean of differences with Student's interval; there must be two or more.
//
// Source: Student, "The probable error of a mean", Biometrika 6 (1908).
func pairedT(d []float64) Interval {
	m, se := meanError(d)
	half := studentQuantile(1-(1-confidence)/2, float64(len(d)-1)) * se
	return Interval{m, max(m-half, -1), min(m+half, 1), "paired-t"}
}

// bonettPrice returns the difference of two paired proportions of n tasks: better tasks passed
// only in the second, worse tasks only in the first. Its interval is not empty even if no task
// differs.
//
// Source: D. G. Bonett, R. M. Price, "Adjusted Wald Confidence Interval for a Difference of
// Binomial Proportions Based on Paired Data", J. of Educational and Behavioral Statistics 37
// (2012).
func bonettPrice(better, worse, n int) Interval {
	up, down, all := float64(better+1), float64(worse+1), float64(n+2)
	mid := (up - down) / all
	half := normalQuantile(1-(1-confidence)/2) * math.Sqrt(((up+down)/all-mid*mid)/all)
	return Interval{float64(better-worse) / float64(n), max(mid-half, -1), min(mid+half, 1), "bonett-price"}
}

// mcNemar returns the two-sided p of the exact test: the probability that the differing tasks split
// at least this unevenly if either side wins with equal probability. It is 1 if no task differs.
//
// Source: Q. McNemar, Psychometrika 12 (1947), with binomial probabilities.
func mcNemar(better, worse int) float64 {
	return min(2*halfTail(min(better, worse), better+worse), 1)
}

// swapUnit is the maximum factor that makes differences integers; finer ones are rounded.
const swapUnit = 5040

// swapTest returns the two-sided p of the exact test that swaps the two configurations within each
// task: without a difference, every sign of every task's difference is equally likely. Differences
// are multiples of 1/unit.
//
// Source: R. A. Fisher, "The Design of Experiments" (1935), section 21.
func swapTest(d []float64, unit int) float64 {
	unit = min(unit, swapUnit)
	sizes, span, sum := make([]int, 0, len(d)), 0, 0
	for _, x := range d {
		k := int(math.Round(x * float64(unit)))
		sum += k
		if k != 0 {
			sizes = append(sizes, max(k, -k))
			span += max(k, -k)
		}
	}
	chances := make([]float64, 2*span+1) // of each sum, from -span
	chances[span] = 1
	next := make([]float64, len(chances))
	reach := 0
	for _, k := range sizes {
		clear(next)
		for i := span - reach; i <= span+reach; i++ {
			if c := chances[i] / 2; c > 0 {
				next[i-k] += c
				next[i+k] += c
			}
		}
		reach += k
		chances, next = next, chances
	}
	p, far := 0.0, max(sum, -sum)
	for i, c := range chances {
		if i-span >= far || span-i >= far {
			p += c
		}
	}
	return min(p, 1)
}

// meanError returns the mean of some numbers and its standard error.
func meanError(x []float64) (m, se float64) {
	m = mean(x)
	var squares float64
	for _, v := range x {
		squares += (v - m) * (v - m)
	}
	n := float64(len(x))
	return m, math.Sqrt(squares / (n - 1) / n)
}

func mean(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// lcm returns the least common multiple, limited to a few times swapUnit.
func lcm(a, b int) int {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	return min(a/x*b, 4*swapUnit)
}
