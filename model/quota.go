package model

import (
	"context"
	"encoding/json"
	"math"
	"time"
)

// Quota is a limit of the user's plan, as a transcript records it: the used part of a window of
// time.
type Quota struct {
	Used    float64 // percent, from 0 to 100
	Minutes int64   // length of the window
	Resets  int64   // end of the window, Unix ms; 0: not recorded
	At      int64   // time of the record, Unix ms
}

// Known reports whether a quota was recorded.
func (q *Quota) Known() bool { return q.Minutes > 0 && q.At > 0 }

// Quotas are the limits of a plan, the shortest window first. Plans of today have two.
type Quotas [2]Quota

// quotaKinds are the kinds of notes that record limits, and the readers of their records.
var quotaKinds = map[string]func(record []byte, at int64) Quotas{
	"token_count": codexQuotas, "rate_limit_event": claudeQuotas,
}

// QuotasOf returns the limits that a note of a kind records; none if it records no limits.
func QuotasOf(kind string, record []byte, at int64) Quotas {
	read := quotaKinds[kind]
	if read == nil || at <= 0 {
		return Quotas{}
	}
	return read(record, at)
}

// quotaLook limits the notes that LastQuotas reads: some record no limits, and some only one.
const quotaLook = 8

// LastQuotas returns the limits that the last records of a snapshot show.
func (s *Snapshot) LastQuotas(ctx context.Context) (out Quotas) {
	kinds := map[uint16]string{}
	for i, name := range s.Names() {
		if quotaKinds[name] != nil {
			kinds[uint16(i)] = name
		}
	}
	if len(kinds) == 0 {
		return out
	}
	for n, looked := s.Rows()-1, 0; n >= 0 && looked < quotaLook; n-- {
		id := s.Row(n)
		h := s.HeadRow(id)
		if h.Op != Note || kinds[h.Name] == "" || h.Time == 0 || h.Flags&Inherited != 0 {
			continue
		}
		looked++
		m, err := s.Body(ctx, id)
		if err != nil || len(m.Records) == 0 {
			continue
		}
		found := QuotasOf(kinds[h.Name], m.Records[0].Data, h.Time)
		for i := range found {
			out.add(found[i])
		}
		if out[1].Known() {
			break
		}
	}
	return out
}

// add adds a limit, unless q has one for the same window.
func (q *Quotas) add(more Quota) {
	switch {
	case !more.Known() || q[0].Minutes == more.Minutes || q[1].Known():
	case !q[0].Known():
		q[0] = more
	case more.Minutes < q[0].Minutes:
		q[1], q[0] = q[0], more
	default:
		q[1] = more
	}
}

// newQuota returns a quota, none if the numbers cannot be true.
func newQuota(used, minutes float64, resets, at int64) Quota {
	if math.IsNaN(used) || used < 0 || minutes < 1 || minutes > 366*24*60 || resets < 0 || resets > math.MaxInt64/1000 {
		return Quota{}
	}
	return Quota{min(used, 100), int64(minutes), resets * 1000, at}
}

// codexQuotas reads the rate_limits of a token_count event of Codex: codex-rs/protocol,
// RateLimitSnapshot. Versions of September 2025 recorded each window in a separate field, and
// the rest of the window in seconds.
func codexQuotas(record []byte, at int64) (out Quotas) {
	type window struct {
		Used    *float64 `json:"used_percent"`
		Minutes float64  `json:"window_minutes"`
		Resets  int64    `json:"resets_at"`
		Left    int64    `json:"resets_in_seconds"`
	}
	var line struct {
		Payload struct {
			Limits struct {
				Primary          *window  `json:"primary"`
				Secondary        *window  `json:"secondary"`
				PrimaryUsed      *float64 `json:"primary_used_percent"`
				SecondaryUsed    *float64 `json:"secondary_used_percent"`
				PrimaryMinutes   float64  `json:"primary_window_minutes"`
				SecondaryMinutes float64  `json:"secondary_window_minutes"`
			} `json:"rate_limits"`
		} `json:"payload"`
	}
	if json.Unmarshal(record, &line) != nil {
		return out
	}
	l := &line.Payload.Limits
	for _, w := range [...]*window{
		l.Primary, l.Secondary, {Used: l.PrimaryUsed, Minutes: l.PrimaryMinutes}, {Used: l.SecondaryUsed, Minutes: l.SecondaryMinutes},
	} {
		if w == nil || w.Used == nil {
			continue
		}
		if w.Resets == 0 && w.Left > 0 {
			w.Resets = at/1000 + w.Left
		}
		out.add(newQuota(*w.Used, w.Minutes, w.Resets, at))
	}
	return out
}

// claudeWindows are the limits that Claude Code names.
var claudeWindows = map[string]time.Duration{"five_hour": 5 * time.Hour, "seven_day": 7 * 24 * time.Hour}

// claudeQuotas reads a rate_limit_event of Claude Code's stream-json: SDKRateLimitEvent of the
// Agent SDK. Utilizations are fractions, as in the headers of the API that they repeat
// (anthropic-ratelimit-unified-5h-utilization). A limit that was reached has none. Since 2.1.259,
// unifiedWindows has all limits (github.com/anthropics/claude-code/issues/91857).
func claudeQuotas(record []byte, at int64) (out Quotas) {
	type window struct {
		Used   *float64 `json:"utilization"`
		Resets int64    `json:"resetsAt"`
	}
	var line struct {
		Info struct {
			window
			Status string            `json:"status"`
			Kind   string            `json:"rateLimitType"`
			All    map[string]window `json:"unifiedWindows"`
		} `json:"rate_limit_info"`
	}
	if json.Unmarshal(record, &line) != nil {
		return out
	}
	add := func(kind string, w window) {
		if w.Used != nil {
			out.add(newQuota(*w.Used*100, claudeWindows[kind].Minutes(), w.Resets, at))
		}
	}
	if line.Info.Used == nil && line.Info.Status == "rejected" {
		line.Info.Used = new(1.0)
	}
	add(line.Info.Kind, line.Info.window)
	for kind := range claudeWindows {
		add(kind, line.Info.All[kind])
	}
	return out
}
