package window

import (
	"math"
	"slices"

	"turns/model"
	"turns/query"
)

// Estimate relates the counted tokens of a thread to the measured tokens of its requests, by a
// constant for the parts missing in a transcript (system prompt, tools) and a factor (the model's
// tokenizer, unrecorded reasoning).
type Estimate struct {
	// tokens of every request that are not in the transcript
	Offset   int64   `json:"offset_tokens"`
	Scale    float64 `json:"tokens_per_counted"` // 1 if there are too few requests
	Requests int     `json:"requests"`           // number of requests used
}

// estimated returns the expected size of a request with the range r: that of the previous request
// and the messages since then, if no compaction is between them; otherwise by Offset and Scale.
func (x *Index) estimated(r *ctxRange, counted int64) int64 {
	e := r.t.estimate
	scaled := func(n int64) int64 { return int64(math.Round(e.Scale * float64(n))) }
	if k, _ := slices.BinarySearch(r.t.asked, int32(r.b)); k > 0 && len(r.extra) == 0 {
		n := int(r.t.asked[k-1])
		id := r.t.ids[n]
		before := x.at(id)
		if m, ok := query.ContextOf(x.Snap, id); ok && m > 0 && before.cut == r.cut {
			was, now := x.tokensOf(&before), x.Weigh(id, x.Snap.HeadRow(id))
			since := counted - was.Sum()
			if t, _ := x.Snap.Tokens(id); t.Output != model.NoTokens {
				return m + int64(t.Output) + max(scaled(since-now.Sum()), 0)
			}
			return m + max(scaled(since), 0)
		}
	}
	return max(e.Offset+scaled(counted), counted)
}

const (
	estimatePoints = 48 // number of requests used, spread over the thread
	// minimum distance in tokens between the smallest and the largest request for an estimate of
	// the factor
	estimateSpread = 2000
	estimateLow    = 0.5 // no tokenizer has factors beyond these: another part is missing
	estimateHigh   = 2.5
)

// estimate compares measured and counted requests of a thread; nil without measurements.
func (x *Index) estimate(t *ctxThread) *Estimate {
	var counted, measured []float64
	n := min(len(t.asked), estimatePoints)
	for k := range n {
		id := t.ids[t.asked[(k+1)*len(t.asked)/n-1]]
		if k == 0 {
			id = t.ids[t.asked[0]]
		}
		m, ok := query.ContextOf(x.Snap, id)
		if !ok || m == 0 {
			continue
		}
		r := x.at(id)
		w := x.tokensOf(&r)
		counted, measured = append(counted, float64(w.Sum())), append(measured, float64(m))
	}
	if len(counted) == 0 {
		return nil
	}
	e := &Estimate{Scale: 1, Requests: len(counted)}
	if slices.Max(counted)-slices.Min(counted) >= estimateSpread {
		if s := medianSlope(counted, measured); s >= estimateLow && s <= estimateHigh {
			e.Scale = s
		}
	}
	rest := make([]float64, len(counted))
	for i := range counted {
		rest[i] = measured[i] - e.Scale*counted[i]
	}
	slices.Sort(rest)
	e.Offset = int64(max(rest[len(rest)/2], 0))
	return e
}

// medianSlope returns the median of the slopes between all pairs of points. A few outliers (a lost
// cache, a request with other tools) do not change it.
func medianSlope(x, y []float64) float64 {
	var slopes []float64
	for i := range x {
		for j := range i {
			if d := x[i] - x[j]; math.Abs(d) >= estimateSpread/4 {
				slopes = append(slopes, (y[i]-y[j])/d)
			}
		}
	}
	if len(slopes) == 0 {
		return 1
	}
	slices.Sort(slopes)
	return slopes[len(slopes)/2]
}
