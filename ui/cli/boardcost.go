package cli

import (
	"context"
	"iter"
	"time"

	"turns/model"
	"turns/query"
	"turns/query/session"
	"turns/query/summary"
)

// costEvery is the least time between two cost computations for a session.
const costEvery = 15 * time.Second

// costOf returns the cost of a session: as recorded, otherwise by list prices.
func (a *app) costOf(ctx context.Context, prices summary.PriceTable) func(*session.Session) (float64, bool) {
	asked := map[string]time.Time{}
	return func(s *session.Session) (float64, bool) {
		now := time.Now()
		if now.Sub(asked[s.Path]) < costEvery {
			return 0, false
		}
		asked[s.Path] = now
		c, snap, err := a.open(ctx, s.Path)
		if err != nil {
			return 0, false
		}
		defer c.Close()
		return costsOf(snap, prices).Whole().Dollars, true
	}
}

func costsOf(snap *model.Snapshot, prices summary.PriceTable) *summary.CostAnswer {
	return summary.Costs(query.Everything(snap), query.NewTurnIndex(snap), summary.CostOptions{Prices: prices})
}

// dayCost sums the cost of a day. It opens sessions if the list data is not enough, each at most
// once in costEvery.
type dayCost struct {
	open   func(path string) (snap *model.Snapshot, done func(), err error)
	prices summary.PriceTable
	opened map[string]dayPart // by day and path
}

type dayPart struct {
	asked time.Time
	usd   float64
}

// costOfDay returns the cost of the day of a time over some sessions.
func (a *app) costOfDay(ctx context.Context, prices summary.PriceTable, sessions iter.Seq[*session.Session]) func(now time.Time) (float64, string) {
	d := &dayCost{prices: prices, opened: map[string]dayPart{}, open: func(path string) (*model.Snapshot, func(), error) {
		c, snap, err := a.open(ctx, path)
		if err != nil {
			return nil, nil, err
		}
		return snap, func() { c.Close() }, nil
	}}
	return func(now time.Time) (float64, string) { return d.of(now, sessions), now.Format(time.DateOnly) }
}

// of sums the sessions with activity on the day of a time. For a session that began earlier, only
// the responses of the day count. A recorded cost may include subagents, which are listed as well:
// then only the rest counts.
func (d *dayCost) of(now time.Time, sessions iter.Seq[*session.Session]) (sum float64) {
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	type id struct{ format, session string }
	parents := map[id]bool{}
	for s := range sessions {
		if s.Starter != "" {
			parents[id{s.Format, s.Starter}] = true
		}
	}
	for s := range sessions {
		switch {
		case s.Last < midnight.UnixMilli():
		case s.Started < midnight.UnixMilli():
			sum += d.part(now, s.Path, func(snap *model.Snapshot) float64 { return summary.CostSince(snap, d.prices, midnight).Dollars })
		case s.Starter == "" && !s.Guessed && s.Cost > 0 && parents[id{s.Format, s.Session}]:
			sum += d.part(now, s.Path, func(snap *model.Snapshot) float64 { return costsOf(snap, d.prices).Own().Dollars })
		default:
			sum += s.Cost
		}
	}
	return sum
}

// part computes the cost of a session, or returns a recent result. If the session cannot be read,
// the last result stays.
func (d *dayCost) part(now time.Time, path string, ask func(*model.Snapshot) float64) float64 {
	key := now.Format(time.DateOnly) + path
	p := d.opened[key]
	if now.Sub(p.asked) < costEvery {
		return p.usd
	}
	p.asked = now
	if snap, done, err := d.open(path); err == nil {
		p.usd = ask(snap)
		done()
	}
	d.opened[key] = p
	return p.usd
}
