package quota_test

import (
	"cmp"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"turns/model"
	"turns/model/load"
	"turns/model/modeltest"
	"turns/query/quota"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func fiveHours(used float64, at, resets time.Time) model.Quota {
	return model.Quota{Used: used, Minutes: 300, At: at.UnixMilli(), Resets: resets.UnixMilli()}
}

// TestWords: a limit and its forecast in words.
func TestWords(t *testing.T) {
	in := func(d time.Duration) time.Time { return noon.Add(d) }
	week := model.Quota{Used: 31.6, Minutes: 10080, At: noon.UnixMilli(), Resets: in(50 * time.Hour).UnixMilli()}
	for _, c := range []struct {
		q              model.Quota
		words, forward string
	}{
		{fiveHours(72, noon, in(100*time.Minute)), "72 % of 5 h, resets 13:40", "at this rate full at 13:17 (72 % in 3h20m)"},
		{fiveHours(10, noon, in(150*time.Minute)), "10 % of 5 h, resets 14:30", "at this rate 20 % at the reset (10 % in 2h30m)"},
		{fiveHours(100, noon, in(time.Hour)), "100 % of 5 h, resets 13:00", "at this rate full at 12:00 (100 % in 4h00m)"},
		{fiveHours(40, noon, in(295*time.Minute)), "40 % of 5 h, resets 16:55", ""},                                            // 5 minutes are too short for a rate
		{fiveHours(40, noon, in(285*time.Minute)), "40 % of 5 h, resets 16:45", "at this rate full at 12:22 (40 % in 15m00s)"}, // a twentieth of the window is enough
		{fiveHours(40, noon, in(285*time.Minute+time.Second)), "40 % of 5 h, resets 16:45", ""},
		{fiveHours(0, noon, in(time.Hour)), "0 % of 5 h, resets 13:00", ""},
		{week, "32 % of 7 d, resets Wed 14:00", "at this rate 45 % at the reset (32 % in 4d22h)"},
		{model.Quota{Used: 5, Minutes: 299, At: noon.UnixMilli()}, "5 % of 5 h", ""},
	} {
		if got := quota.Words(&c.q, noon); got != c.words {
			t.Errorf("%+v: %q, want %q", c.q, got, c.words)
		}
		f, ok := quota.Forecast(&c.q)
		got := ""
		if ok {
			got = f.Words(noon)
		}
		if got != c.forward {
			t.Errorf("%+v: %q, want %q", c.q, got, c.forward)
		}
	}
}

// TestPlans: the latest record of each window counts, and windows that were reset are dropped.
func TestPlans(t *testing.T) {
	var p quota.Plans
	later := noon.Add(2 * time.Hour)
	p.Add("Codex", model.Quotas{fiveHours(80, noon, later)})
	p.Add("Codex", model.Quotas{fiveHours(60, noon.Add(-time.Minute), later)})
	if got := p.Words(noon); got != "Codex plan 80 % of 5 h, resets 14:00" {
		t.Errorf("%q", got)
	}
	p.Add("Claude Code", model.Quotas{fiveHours(85, noon, later)})
	if got := p.Words(noon); got != "Claude Code plan 85 % of 5 h, resets 14:00" {
		t.Errorf("of two agents: %q", got)
	}
	if got := p.Words(later); got != "" {
		t.Errorf("after the reset: %q", got)
	}
	if rows := quota.Rows(model.Quotas{fiveHours(72, noon, noon.Add(100*time.Minute))}, noon); len(rows) != 1 || *rows[0].Ahead != 100 || rows[0].Full == 0 {
		t.Errorf("%+v", rows)
	}
	if rows := quota.Rows(model.Quotas{fiveHours(72, noon, noon)}, noon); rows == nil || len(rows) != 0 {
		t.Errorf("%+v", rows)
	}
}

// recorded returns the windows of the corpus with their records.
func recorded(t *testing.T) map[[2]int64][]model.Quota {
	root := modeltest.Corpus(t)
	windows := map[[2]int64][]model.Quota{}
	files, _ := filepath.Glob(filepath.Join(root, "agents", "codex", "*", "*.jsonl"))
	wild, _ := filepath.Glob(filepath.Join(root, "wild", "files", "codex*.jsonl"))
	for _, file := range append(files, wild...) {
		c, err := load.Open(t.Context(), file, load.Options{})
		if err != nil {
			continue
		}
		snap, err := c.Load(t.Context())
		if err != nil {
			c.Close()
			continue
		}
		for id := range model.ID(snap.Rows()) {
			h := snap.HeadRow(id)
			if name := snap.Name(h.Name); h.Op != model.Note || name != "token_count" {
				continue
			}
			m, err := snap.Body(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			for _, q := range model.QuotasOf("token_count", m.Records[0].Data, h.Time) {
				if q.Known() {
					key := [2]int64{q.Minutes, q.Resets}
					windows[key] = append(windows[key], q)
				}
			}
		}
		c.Close()
	}
	return windows
}

// TestForecasts: for the recorded windows of the corpus no forecast exceeds 100 %, and at half time
// its median difference from the final use is at most 10 points.
func TestForecasts(t *testing.T) {
	records, off := 0, []float64{}
	for _, list := range recorded(t) {
		slices.SortFunc(list, func(a, b model.Quota) int { return cmp.Compare(a.At, b.At) })
		first, last := list[0], list[len(list)-1]
		for i := range list {
			records++
			q := &list[i]
			for later := q.At; later <= q.At+q.Minutes*60_000; later += q.Minutes * 6000 {
				if p := quota.At(q, time.UnixMilli(later)); p > 100 || p < q.Used-1e-9 {
					t.Errorf("%+v: %f %%", q, p)
				}
			}
			if f, ok := quota.Forecast(q); ok && (f.Percent > 100 || f.Percent < q.Used || f.Basis == "" || strings.Contains(f.Words(noon), "-")) {
				t.Errorf("%+v: %+v", q, f)
			}
		}
		if last.At == first.At || last.Resets == 0 {
			continue
		}
		half := first
		for _, q := range list {
			if q.At <= first.At+(last.At-first.At)/2 {
				half = q
			}
		}
		off = append(off, math.Abs(quota.At(&half, time.UnixMilli(last.At))-last.Used))
	}
	slices.Sort(off)
	if records < 180 || len(off) < 8 {
		t.Fatalf("%d records, %d windows", records, len(off))
	}
	if median := off[len(off)/2]; median > 10 {
		t.Errorf("at half time %f points off in the median: %v", median, off)
	}
	t.Logf("%d records, %d windows, at half time off by %.1f points", records, len(off), off)
}
