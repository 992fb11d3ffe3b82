package trials

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// normalQuantile returns the value that a standard normal variable is below with probability p.
func normalQuantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

// studentQuantile returns the value that Student's t with df degrees of freedom is below with
// probability p, for p of at least one half.
func studentQuantile(p, df float64) float64 {
	x := mathext.InvRegIncBeta(df/2, 0.5, 2*(1-p))
	return math.Sqrt(df * (1 - x) / x)
}

// halfTail returns the probability that at most k of n fair coins show heads.
func halfTail(k, n int) float64 {
	if k < 0 {
		return 0
	}
	if k >= n {
		return 1
	}
	return mathext.RegIncBeta(float64(n-k), float64(k+1), 0.5)
}

// Median is the median of a sample, with an interval for the median of the population.
type Median struct {
	Value float64  `json:"value"`
	Low   *float64 `json:"low"` // null: fewer than six values
	High  *float64 `json:"high"`
	Known int      `json:"known"` // number of recorded values
}

// medianOf returns the median of values, nil for none. The interval is that of order statistics,
// for any distribution of the values; fewer than six values have none.
//
// Source: W. J. Conover, "Practical Nonparametric Statistics", section 3.2.
func medianOf(values []float64) *Median {
	n := len(values)
	if n == 0 {
		return nil
	}
	x := slices.Sorted(slices.Values(values))
	m := &Median{Value: (x[(n-1)/2] + x[n/2]) / 2, Known: n}
	rank := 0 // the interval is from the rank-th smallest to the rank-th largest
	for halfTail(rank, n) <= (1-confidence)/2 {
		rank++
	}
	if rank > 0 {
		m.Low, m.High = &x[rank-1], &x[n-rank]
	}
	return m
}
