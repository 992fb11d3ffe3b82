package transcripts_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/model/load"
	"turns/model/modeltest"
	"turns/model/token"
	"turns/query"
	"turns/query/window"
)

// corpusFileMax limits the table to files that are counted in seconds.
const corpusFileMax = 3 << 20

// corpusRow compares the counted context of a transcript with the measured one, over its requests.
// The parts that no transcript has (system prompt, tools) are estimated as a constant. The
// differences are the rest, as shares of the measured size: with only the constant; with the factor
// for the model's own tokenizer; and from the request before, which is the answer's value.
type corpusRow struct {
	name           string
	requests, cuts int
	// rewound messages before the last request, or those of other branches
	left                int
	measured, counted   int64 // of the last request
	estimate            window.Estimate
	plain, scaled, next []float64
}

const (
	// below this many measured tokens a few words make a large share: not in the sum
	corpusSmall  = 2000
	corpusMedian = 0.01 // limits for the differences over the transcripts
	corpusP90    = 0.05
)

// TestCorpusContext reports the measured and the counted context of real transcripts.
func TestCorpusContext(t *testing.T) {
	root := modeltest.Corpus(t)
	modeltest.Long(t, "it reads a corpus")
	var rows []corpusRow
	paths, err := load.Find(t.Context(), []string{root})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if info, err := os.Stat(path); err != nil || info.Size() > corpusFileMax {
			continue
		}
		if row, ok := corpusContext(t, root, path); ok {
			rows = append(rows, row)
		}
	}
	slices.SortStableFunc(rows, func(a, b corpusRow) int { return strings.Compare(a.name, b.name) })
	var b strings.Builder
	sums := [3][]float64{}
	fmt.Fprintf(&b, "%-70s %8s %5s %7s %9s %9s %9s %6s %14s %14s %14s\n", "transcript", "requests", "cuts", "rewound", "measured", "counted", "offset", "scale", "offset: Δ, p90", "scaled: Δ, p90", "before: Δ, p90")
	for _, r := range rows {
		fmt.Fprintf(&b, "%-70s %8d %5d %7d %9d %9d %9d %6.2f", r.name, r.requests, r.cuts, r.left, r.measured, r.counted, r.estimate.Offset, r.estimate.Scale)
		for i, list := range [][]float64{r.plain, r.scaled, r.next} {
			fmt.Fprintf(&b, " %6.1f%% %5.1f%%", 100*quantile(list, 0.5), 100*quantile(list, 0.9))
			if r.measured >= corpusSmall {
				sums[i] = append(sums[i], quantile(list, 0.5))
			}
		}
		b.WriteByte('\n')
	}
	if len(sums[0]) == 0 {
		t.Fatal("no transcript of the corpus has recorded usage")
	}
	fmt.Fprintf(&b, "%d transcripts of at least %d tokens, by their median difference:", len(sums[0]), corpusSmall)
	for i, how := range []string{"offset", "scaled", "before"} {
		fmt.Fprintf(&b, " %s %.1f%%, p90 %.1f%%;", how, 100*quantile(sums[i], 0.5), 100*quantile(sums[i], 0.9))
	}
	t.Logf("\n%s", b.String())
	if m, p := quantile(sums[2], 0.5), quantile(sums[2], 0.9); m > corpusMedian || p > corpusP90 {
		t.Errorf("the estimated context differs by %.1f%%, p90 %.1f%%, want at most %.0f%% and %.0f%%", 100*m, 100*p, 100*corpusMedian, 100*corpusP90)
	}
}

func quantile(list []float64, q float64) float64 {
	if len(list) == 0 {
		return 0
	}
	list = slices.Sorted(slices.Values(list))
	return list[min(int(q*float64(len(list))), len(list)-1)]
}

func corpusContext(t *testing.T, root, path string) (row corpusRow, ok bool) {
	ctx := context.Background()
	c, err := load.Open(ctx, path, load.Options{})
	if err != nil {
		return row, false
	}
	defer c.Close()
	snap, err := c.Load(ctx)
	if err != nil || snap == nil || snap.Len() == 0 {
		return row, false
	}
	name := ""
	for i := range snap.Sessions() {
		name += snap.Sessions()[i].Field("model")
	}
	enc := token.ForModel(name)
	column, err := query.CountTokens(ctx, query.Everything(snap), &query.Counter{New: func() query.TokenCounter { return token.New(enc) }, Encoding: enc.String()})
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return row, false
	}
	x := window.NewIndex(snap, column)
	row.name, _ = filepath.Rel(root, path)
	if len(row.name) > 70 {
		row.name = row.name[:34] + "…" + row.name[len(row.name)-35:]
	}
	for _, id := range snap.LiveIDs() {
		h := snap.HeadRow(id)
		if _, measured := query.ContextOf(snap, id); !measured || h.Role != model.Assistant || !snap.Threads()[h.Thread].Main {
			continue
		}
		a, err := x.Context(id, window.Options{Largest: 1})
		if err != nil || a.Measured == nil || *a.Measured == 0 || a.Estimate == nil {
			continue
		}
		row.add(a)
	}
	return row, row.requests > 1
}

// add compares a request.
func (r *corpusRow) add(a *window.Answer) {
	r.requests++
	r.cuts = max(r.cuts, a.Compactions)
	r.left = a.Left.Rewound + a.Left.OffBranch
	r.measured, r.counted, r.estimate = *a.Measured, a.Counted, *a.Estimate
	m := float64(*a.Measured)
	r.plain = append(r.plain, math.Abs(float64(a.Counted+a.Estimate.Offset)-m)/m)
	r.scaled = append(r.scaled, math.Abs(float64(a.Estimate.Offset)+a.Estimate.Scale*float64(a.Counted)-m)/m)
	r.next = append(r.next, math.Abs(float64(*a.Estimated)-m)/m)
}
