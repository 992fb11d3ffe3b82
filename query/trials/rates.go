package trials

import "math"

// confidence is the coverage of every interval of this package.
const confidence = 0.95

// Count has the numbers of passed and judged trials of a task.
type Count struct {
	Passed int
	Trials int
}

// Interval is an estimate with the interval that covers the true value in 95 of 100 repetitions.
type Interval struct {
	Value  float64 `json:"value"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Method string  `json:"method"` // a key of Methods
}

// Wilson returns the score interval of a proportion: passed of n independent trials. With n = 0
// it covers everything.
//
// Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
// JASA 22 (1927).
func Wilson(passed, n int) Interval {
	if n == 0 {
		return Interval{math.NaN(), 0, 1, "wilson"}
	}
	p := float64(passed) / float64(n)
	low, high := score(p, float64(n), normalQuantile(1-(1-confidence)/2))
	return Interval{p, low, high, "wilson"}
}

// score returns the score interval of a proportion p of n observations for a critical value. n need
// not be an integer.
func score(p, n, crit float64) (low, high float64) {
	c2 := crit * crit
	mid := (p + c2/(2*n)) / (1 + c2/n)
	half := crit / (1 + c2/n) * math.Sqrt(p*(1-p)/n+c2/(4*n*n))
	low, high = max(mid-half, 0), min(mid+half, 1)
	if p == 0 {
		low = 0 // not a rounding error above it
	}
	if p == 1 {
		high = 1
	}
	return low, high
}

// passRate returns the share of trials that passed. Trials of one task resemble each other, so
// repeated trials count as less than as many tasks: their variance is that of the tasks' totals
// around the mean, and the score interval uses the number of independent trials with this
// variance, and Student's t for the number of tasks. Tasks without trials do not count. Without
// any trial the value is NaN.
//
// Sources: E. Miller, "Adding Error Bars to Evals" (2024), for standard errors clustered by task;
// E. L. Korn, B. I. Graubard, Survey Methodology 24 (1998), for the effective number of trials.
func passRate(tasks []Count) Interval {
	passed, n, groups, repeated := 0, 0, 0, false
	for _, t := range tasks {
		if t.Trials > 0 {
			passed, n, groups = passed+t.Passed, n+t.Trials, groups+1
			repeated = repeated || t.Trials > 1
		}
	}
	if !repeated || groups == 1 {
		return Wilson(passed, n)
	}
	p := float64(passed) / float64(n)
	var squares float64
	for _, t := range tasks {
		d := float64(t.Passed) - p*float64(t.Trials)
		squares += d * d
	}
	g, all := float64(groups), float64(n)
	variance := g / (g - 1) * squares / (all * all)
	effective := g // if all trials agree, their similarity is unknown
	if variance > 0 {
		effective = min(p*(1-p)/variance, all)
	}
	low, high := score(p, effective, studentQuantile(1-(1-confidence)/2, g-1))
	return Interval{p, low, high, "clustered"}
}

// PassAt returns the probability that at least one of k trials of a task passes, estimated without
// bias from n trials of which c passed; NaN with fewer than k trials.
//
// Source: M. Chen et al., "Evaluating Large Language Models Trained on Code" (2021), equation 1.
func PassAt(c, n, k int) float64 {
	if k < 1 || n < k {
		return math.NaN()
	}
	none := 1.0 // C(n-c, k) / C(n, k)
	for i := range k {
		none *= max(float64(n-c-i), 0) / float64(n-i)
	}
	return 1 - none
}

// PassAll returns the probability that all of k trials of a task pass (pass^k), estimated without
// bias from n trials of which c passed; NaN with fewer than k trials.
//
// Source: S. Yao et al., "τ-bench: A Benchmark for Tool-Agent-User Interaction in Real-World
// Domains" (2024), section 4.
func PassAll(c, n, k int) float64 {
	if k < 1 || n < k {
		return math.NaN()
	}
	all := 1.0 // C(c, k) / C(n, k)
	for i := range k {
		all *= max(float64(c-i), 0) / float64(n-i)
	}
	return all
}

// OfK is pass@k or pass^k over tasks.
type OfK struct {
	K     int     `json:"k"`
	Value float64 `json:"value"`
	Tasks int     `json:"tasks"` // tasks with at least k judged trials
}

// kMost is the largest reported k.
const kMost = 10

// overK returns the mean over tasks of an estimate, for each k up to the largest number of trials.
func overK(tasks []Count, of func(c, n, k int) float64) []OfK {
	list := []OfK{}
	for k := 1; k <= kMost; k++ {
		o := OfK{K: k}
		for _, t := range tasks {
			if t.Trials >= k {
				o.Value += of(t.Passed, t.Trials, k)
				o.Tasks++
			}
		}
		if o.Tasks == 0 {
			break
		}
		o.Value /= float64(o.Tasks)
		list = append(list, o)
	}
	return list
}
