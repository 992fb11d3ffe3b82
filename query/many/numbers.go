package many

import (
	"slices"

	"turns/query/human"
	"turns/query/summary"
)

// Number is a number of a session that can be summed over sessions.
type Number uint8

// The numbers. Tokens other than Counted are recorded in transcripts, and times are milliseconds.
// Misses are requests that missed the cache, and Again the tokens that they wrote again.
// MissingOutput estimates the tokens that recorded placeholders leave out of Output.
const (
	Runs Number = iota
	Messages
	Turns
	Steps
	Stopped
	Failed
	Responses
	Unpriced
	Calls
	Errors
	Denied
	Pending
	Orphans
	InAgents
	Input
	CacheRead
	CacheWrite
	Output
	Reasoning
	Counted
	Took
	ModelTime
	ToolTime
	UserTime
	IdleTime
	AskedTime
	Timed
	DerivedTimes
	TimedSum
	ArgsSize
	ResultSize
	Misses
	UnpricedMisses
	Again
	MissingOutput
	numbers
)

// Sums are the numbers of a session, of a part of it, or of many sessions. Said has a bit for each
// known number; an unknown one is not 0.
type Sums struct {
	N         [numbers]int64
	Labels    uint64
	Dollars   float64
	Estimated float64 // part of Dollars, by a price table
	AgainUSD  float64 // estimated price of the Again tokens with known prices
}

// Add adds to a number, which becomes known.
func (s *Sums) Add(n Number, more int64) {
	s.N[n] += more
	s.Labels |= 1 << n
}

// addIf adds a recorded number.
func (s *Sums) addIf(n Number, more *int64) {
	if more != nil {
		s.Add(n, *more)
	}
}

// Has reports whether a number is known.
func (s *Sums) Has(n Number) bool { return s.Labels&(1<<n) != 0 }

// againCost returns the price of the tokens that misses wrote again.
func (s *Sums) againCost() summary.Cost {
	if !s.Has(Misses) {
		return summary.Cost{}
	}
	// without misses, the price is known to be 0
	return summary.Cost{Dollars: s.AgainUSD, Estimated: s.AgainUSD, Responses: max(int(s.N[Misses]), 1), Unknown: int(s.N[UnpricedMisses])}
}

// Join adds all of other sums.
func (s *Sums) Join(o *Sums) {
	for n := range s.N {
		s.N[n] += o.N[n]
	}
	s.Labels |= o.Labels
	s.Dollars += o.Dollars
	s.Estimated += o.Estimated
	s.AgainUSD += o.AgainUSD
}

// spread counts calls by duration. It stays small for any number of calls, because it rounds
// durations above a second to three digits.
type spread map[uint32]int64

func (s spread) add(took []uint32) {
	for _, ms := range took {
		s[threeDigits(ms)]++
	}
}

func threeDigits(n uint32) uint32 {
	unit := uint32(1)
	for n/unit >= 1000 {
		unit *= 10
	}
	return n / unit * unit
}

// ranks returns nearest-rank percentiles; ok is false without timed calls.
func (s spread) ranks(percents ...int64) (at []human.Millis, ok bool) {
	var all int64
	order := make([]uint32, 0, len(s))
	for ms, n := range s {
		order, all = append(order, ms), all+n
	}
	if all == 0 {
		return nil, false
	}
	slices.Sort(order)
	for _, p := range percents {
		rank := max((p*all+99)/100, 1)
		i := 0
		for below := s[order[0]]; below < rank; below += s[order[i]] {
			i++
		}
		at = append(at, human.Millis(order[i]))
	}
	return at, true
}
