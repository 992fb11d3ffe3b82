package many

import (
	"fmt"
	"testing"
	"time"

	"turns/model"
	"turns/query/session"
)

// TestWeek: the forecast ranges from the rate of this week to the rate of the days before.
func TestWeek(t *testing.T) {
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC) // a Wednesday
	for _, c := range []struct {
		name  string
		spent map[int]float64 // by days before now
		want  string
	}{
		{"none of the week", map[int]float64{3: 5}, ""},
		{"a steady week", map[int]float64{0: 5, 1: 10, 2: 10}, "this week $25.00 so far, $25.00 to $70.00 at this rate (this week's days)"},
		{"dearer than before", map[int]float64{0: 5, 1: 10, 2: 10, 9: 7, 16: 7}, "this week $25.00 so far, $29.50 to $70.00 at this rate (this week's days, and the 14 days before)"},
		{"cheaper than before", map[int]float64{1: 5, 3: 140, 40: 1000}, "this week $5.00 so far, $14.00 to $95.00 at this rate (this week's days, and the 1 day before)"},
		{"28 days before", map[int]float64{1: 5, 30: 28, 31: 1000}, "this week $5.00 so far, $9.50 to $14.00 at this rate (this week's days, and the 28 days before)"},
	} {
		a := NewAnswer(By{}, time.UTC)
		for ago, dollars := range c.spent {
			r := &Run{Session: session.Session{Summary: model.Summary{Last: now.AddDate(0, 0, -ago).UnixMilli()}}}
			r.Dollars = dollars
			a.Add(r)
		}
		got := ""
		if w := a.Week(now); w != nil {
			got = w.Words(false)
			if w.Low < w.SoFar || w.High < w.Low {
				t.Errorf("%s: %s", c.name, fmt.Sprintf("%+v", w))
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
