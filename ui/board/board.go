// Package board is a live list of sessions: its changes, the order by who needs attention
// first, and the events worth a notification. It reads no clock and no file: the caller passes
// news and times.
package board

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"turns/query/human"
	"turns/query/quota"
	"turns/query/session"
)

// Change is the change of a session on the board.
type Change struct {
	Op string // upsert, remove
	session.Session

	was *session.Session // nil: it is new
}

// ChangeRow is a change for JSON.
type ChangeRow struct {
	Op string `json:"op"` // upsert: the session is new or has changed; remove
	session.Row
}

// Row returns the change for JSON.
func (c *Change) Row() ChangeRow { return ChangeRow{c.Op, c.Session.Row()} }

// Board stores the shown sessions, in their state at the last time. A subagent belongs to the row
// of its session.
type Board struct {
	runs     map[string]*session.Session
	shown    map[string]*session.Session // the pointed-to values are immutable
	scratch  session.Session             // being examined
	wants    func(*session.Session) bool
	families *session.Families
}

// New returns an empty board of the sessions that wants accepts.
func New(wants func(*session.Session) bool) *Board {
	b := &Board{runs: map[string]*session.Session{}, shown: map[string]*session.Session{}, wants: wants}
	b.families = session.NewFamilies(func(path string) *session.Session { return b.runs[path] })
	return b
}

// Take applies an update of the sessions and returns the changes.
func (b *Board) Take(runs []session.Session, gone []string, now time.Time) []Change {
	for i := range runs {
		if was := b.runs[runs[i].Path]; was != nil {
			runs[i].Replaces(was)
		}
		b.runs[runs[i].Path] = &runs[i]
		b.families.Put(&runs[i])
	}
	touched := map[string]bool{}
	for i := range runs {
		touched[b.families.Root(&runs[i])] = true
	}
	changes := make([]Change, 0, len(touched)+len(gone))
	for _, path := range gone {
		if s := b.runs[path]; s != nil {
			touched[b.families.Root(s)] = true
			b.families.Drop(s)
			delete(b.runs, path)
		}
		changes = b.remove(changes, path)
	}
	for _, path := range slices.Sorted(maps.Keys(touched)) {
		if b.runs[path] != nil {
			changes = b.look(changes, path, now, true)
		}
	}
	return changes
}

// remove removes a session from the board.
func (b *Board) remove(changes []Change, path string) []Change {
	s, ok := b.shown[path]
	if !ok {
		return changes
	}
	delete(b.shown, path)
	return append(changes, Change{Op: "remove", Session: *s, was: s})
}

// Tick returns the sessions whose state has changed with time only.
func (b *Board) Tick(now time.Time) []Change {
	var changes []Change
	for path, s := range b.runs {
		if b.families.Root(s) == path {
			changes = b.look(changes, path, now, false)
		} else { // its parent became known later
			changes = b.remove(changes, path)
		}
	}
	slices.SortFunc(changes, func(x, y Change) int { return strings.Compare(x.Path, y.Path) })
	return changes
}

// look adds a session to the changes if its state has changed, or always.
func (b *Board) look(changes []Change, path string, now time.Time, always bool) []Change {
	s := &b.scratch
	*s = *b.runs[path]
	b.families.Settle(s, now)
	was := b.shown[path]
	if !b.wants(s) {
		if was != nil {
			delete(b.shown, path)
			changes = append(changes, Change{Op: "remove", Session: *s, was: was})
		}
		return changes
	}
	if !always && was != nil && was.Stage == s.Stage && was.For == s.For && was.Where().Path == s.Where().Path {
		return changes
	}
	shown := *s
	b.shown[path] = &shown
	return append(changes, Change{Op: "upsert", Session: shown, was: was})
}

// All iterates over the sessions of the board and their subagents, in no order.
func (b *Board) All(yield func(*session.Session) bool) {
	for _, s := range b.runs {
		if b.shown[b.families.Root(s)] != nil && !yield(s) {
			return
		}
	}
}

// At returns the state of a shown session, nil for others. Do not modify it.
func (b *Board) At(path string) *session.Session { return b.shown[path] }

// recently is how long failed sessions are counted.
const recently = 24 * time.Hour

// Status summarises the states of the sessions, and the fullest quota of the user's plans, in a
// short line. Times are in the zone of now.
func (b *Board) Status(now time.Time) string {
	counts, unread, missed, plans := map[human.State]int{}, 0, 0, quota.Plans{}
	for _, s := range b.shown {
		if s.Quotas[0].Known() {
			plans.Add(s.AgentName(), s.Quotas)
		}
		if s.Missed() > 0 {
			missed++
		}
		if s.Unread != "" {
			unread++
		}
		if s.Stage != human.Failed || now.Sub(s.When()) < recently {
			counts[s.Stage]++
		}
	}
	var parts []string
	for _, p := range []struct {
		stage human.State
		sign  string
	}{{human.Waiting, "?"}, {human.Stuck, "!"}, {human.Failed, "✗"}, {human.Running, "●"}} {
		if n := counts[p.stage]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s %s", p.sign, human.Count(n), p.stage))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, human.Idle.String())
	}
	if missed > 0 {
		parts = append(parts, human.Count(missed)+" missed the cache")
	}
	if text := plans.Words(now); text != "" {
		parts = append(parts, text)
	}
	if unread > 0 {
		parts = append(parts, human.Count(unread)+" unread in part")
	}
	return strings.Join(parts, "  ")
}
