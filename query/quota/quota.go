// Package quota shows the used part of a plan's limits, and forecasts when they are full.
package quota

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"turns/model"
	"turns/query/human"
)

// Row is a limit in JSON.
type Row struct {
	Used    float64     `json:"used_percent"`
	Minutes int64       `json:"window_minutes"`
	Resets  human.Stamp `json:"resets_time"`   // null: not recorded
	At      human.Stamp `json:"recorded_time"` // when the agent recorded it
	// Full is the time at which the limit is full at the rate since the window began, and Ahead the
	// percentage at the reset, at most 100; null: it resets before, or the rate is unknown.
	Full  human.Stamp      `json:"full_time"`
	Ahead *float64         `json:"forecast_percent"`
	Basis human.TextOrNull `json:"forecast_basis"`
}

// Rows returns the limits of a session for JSON, without those with a reset before now. An empty
// list means that none are recorded.
func Rows(list model.Quotas, now time.Time) []Row {
	rows := []Row{}
	for _, q := range list {
		if !current(&q, now) {
			continue
		}
		r := Row{Used: q.Used, Minutes: q.Minutes, Resets: human.Stamp(q.Resets), At: human.Stamp(q.At)}
		if f, ok := Forecast(&q); ok {
			r.Ahead, r.Basis = &f.Percent, human.TextOrNull(f.Basis)
			if !f.Full.IsZero() {
				r.Full = human.Stamp(f.Full.UnixMilli())
			}
		}
		rows = append(rows, r)
	}
	return rows
}

// current reports whether a limit was recorded, and was not reset since.
func current(q *model.Quota, now time.Time) bool {
	ends := cmp.Or(q.Resets, q.At+q.Minutes*60_000)
	return q.Known() && now.UnixMilli() < ends
}

// window returns the length of a window in words: Codex records 299 minutes for 5 hours.
func window(minutes int64) string {
	hours := (minutes + 30) / 60
	switch {
	case hours == 0:
		return fmt.Sprintf("%d min", minutes)
	case hours >= 48:
		return fmt.Sprintf("%d d", (hours+12)/24)
	}
	return fmt.Sprintf("%d h", hours)
}

// clock formats a time of day, with the day if it is not today.
func clock(at, now time.Time) string {
	at = at.In(now.Location())
	switch days := at.Sub(now); {
	case at.YearDay() == now.YearDay() && days.Abs() < 24*time.Hour:
		return at.Format("15:04")
	case days > 0 && days < 6*24*time.Hour:
		return at.Format("Mon 15:04")
	}
	return at.Format("2 Jan 15:04")
}

// Words formats a limit for people: "72 % of 5 h, resets 16:40". Times are in the zone of now.
func Words(q *model.Quota, now time.Time) string {
	text := fmt.Sprintf("%s %% of %s", human.ShortFloat(q.Used, 0), window(q.Minutes))
	if q.Resets != 0 {
		text += ", resets " + clock(time.UnixMilli(q.Resets), now)
	}
	return text
}

// Ahead is a forecast.
type Ahead struct {
	Full    time.Time // zero: it resets before
	Percent float64   // at the reset, at most 100
	Basis   string    // "72 % in 3h10m"
}

// earliest is the part of a window that must have passed for a rate.
const earliest = 20

// Forecast returns when a limit is full at the rate since the window began. ok is false
// without a reset time, without use, and at the beginning of a window.
func Forecast(q *model.Quota) (a Ahead, ok bool) {
	passed, whole := passed(q, q.At), q.Minutes*60_000
	if q.Used <= 0 || passed < whole/earliest || passed > whole {
		return a, false
	}
	a.Percent = At(q, time.UnixMilli(q.Resets))
	a.Basis = fmt.Sprintf("%s %% in %s", human.ShortFloat(q.Used, 0), human.Took(time.Duration(passed)*time.Millisecond))
	if full := q.At + int64(float64(passed)*(100/q.Used-1)); full < q.Resets {
		a.Full = time.UnixMilli(full)
	}
	return a, true
}

// passed returns the time from the beginning of the window to another time, in ms.
func passed(q *model.Quota, at int64) int64 {
	if q.Resets == 0 {
		return 0
	}
	return at - (q.Resets - q.Minutes*60_000)
}

// At returns the percentage at a later time of the window at the same rate, at most 100. Without a
// rate, as at the beginning of a window, it is the recorded one.
func At(q *model.Quota, t time.Time) float64 {
	was := passed(q, q.At)
	later := passed(q, min(t.UnixMilli(), q.Resets))
	if was < q.Minutes*60_000/earliest || later <= was {
		return q.Used
	}
	return min(100, q.Used*float64(later)/float64(was))
}

// Words formats a forecast for people: "at this rate full at 15:50 (72 % in 3h10m)".
func (a *Ahead) Words(now time.Time) string {
	if a.Full.IsZero() {
		return fmt.Sprintf("at this rate %s %% at the reset (%s)", human.ShortFloat(a.Percent, 0), a.Basis)
	}
	return fmt.Sprintf("at this rate full at %s (%s)", clock(a.Full, now), a.Basis)
}

// Fullest returns the most used limit without a reset before now; nil if there is none.
func Fullest(list model.Quotas, now time.Time) (fullest *model.Quota) {
	for i := range list {
		if q := &list[i]; current(q, now) && (fullest == nil || q.Used > fullest.Used) {
			fullest = q
		}
	}
	return fullest
}

// Plan has the limits of an agent's plan.
type Plan struct {
	Agent string
	model.Quotas
}

// Plans collects the limits of agents from their sessions: the latest record of each window counts.
type Plans []Plan

// Add adds the limits that a session records.
func (p *Plans) Add(agent string, list model.Quotas) {
	i := slices.IndexFunc(*p, func(x Plan) bool { return x.Agent == agent })
	for _, q := range list {
		if !q.Known() {
			continue
		}
		if i < 0 {
			i = len(*p)
			*p = append(*p, Plan{Agent: agent})
		}
		(*p)[i].put(q)
	}
}

// put stores a record of a window, unless a newer one is known.
func (p *Plan) put(q model.Quota) {
	at := -1
	for i := range p.Quotas {
		switch was := &p.Quotas[i]; {
		case was.Known() && window(was.Minutes) == window(q.Minutes):
			if q.At >= was.At {
				*was = q
			}
			return
		case !was.Known() && at < 0:
			at = i
		}
	}
	if at >= 0 {
		p.Quotas[at] = q
	}
}

// Words formats the fullest limit of all plans with its agent: "Codex plan 72 % of 5 h, resets
// 16:40"; "" without limits.
func (p Plans) Words(now time.Time) string {
	agent, fullest := "", (*model.Quota)(nil)
	for i := range p {
		if q := Fullest(p[i].Quotas, now); q != nil {
			if fullest == nil || q.Used > fullest.Used || q.Used == fullest.Used && p[i].Agent < agent {
				agent, fullest = p[i].Agent, q
			}
		}
	}
	if fullest == nil {
		return ""
	}
	return agent + " plan " + Words(fullest, now)
}
