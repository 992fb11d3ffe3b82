package many

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"turns/query/human"
	"turns/query/summary"
)

// Week is a forecast of the cost of this week's sessions.
type Week struct {
	SoFar float64 `json:"so_far_usd"`
	Low   float64 `json:"low_usd"` // of the whole week
	High  float64 `json:"high_usd"`
	Basis string  `json:"basis"`
}

// weekBefore is the number of days before the week that determine its usual rate.
const weekBefore = 28

// Week returns the forecast for the week of a time, from Monday on: between the rate of its days so
// far and that of the 28 days before. With only one rate, the range begins at the cost so far. A
// session counts on the day of its last message. nil: no session of the week has a known cost.
func (a *Answer) Week(now time.Time) *Week {
	now = now.In(a.Zone)
	monday := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, a.Zone).AddDate(0, 0, -(int(now.Weekday())+6)%7)
	next := monday.AddDate(0, 0, 7)
	w, before, first := &Week{}, 0.0, monday
	for _, day := range slices.Sorted(maps.Keys(a.days)) { // in order, because sums of dollars are rounded
		dollars := a.days[day]
		at, err := time.ParseInLocation(time.DateOnly, day, a.Zone)
		switch {
		case err != nil || at.After(now):
		case !at.Before(monday):
			w.SoFar += dollars
		case !at.Before(monday.AddDate(0, 0, -weekBefore)):
			before += dollars
			if at.Before(first) {
				first = at
			}
		}
	}
	if w.SoFar == 0 {
		return nil
	}
	const day = 24 * time.Hour
	rest := next.Sub(now).Hours() / 24
	passed := now.Sub(monday).Hours() / 24
	rate := w.SoFar / max(passed, 1)
	usual, basis := 0.0, "this week's days"
	if days := monday.Sub(first).Round(day).Hours() / 24; days > 0 {
		usual, basis = before/max(days, 7), "this week's days, and the "+human.Plural(int(days), "day")+" before"
	}
	w.Low, w.High, w.Basis = w.SoFar+rest*min(rate, usual), w.SoFar+rest*max(rate, usual), basis
	return w
}

// Words returns the forecast for people; estimated marks it as based on list prices.
func (w *Week) Words(estimated bool) string {
	money := func(dollars float64) string {
		c := summary.Cost{Dollars: dollars, Responses: 1}
		if estimated {
			c.Estimated = dollars
		}
		return c.String()
	}
	return fmt.Sprintf("this week %s so far, %s to %s at this rate (%s)", money(w.SoFar), money(w.Low), money(w.High), w.Basis)
}
