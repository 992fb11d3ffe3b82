// Package board is a live list of runs: what has changed in it, who needs somebody first,
// and what is worth telling. It reads no clock and no file: news and times come in.
package board

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"turns/query/human"
	"turns/query/session"
)

// Change is what became of a run.
type Change struct {
	Op string `json:"op"` // upsert, remove
	session.Session
	Agents int `json:"agents"` // transcripts of its subagents that are being worked on

	was *session.Session // nil: it is new
}

// Board is the runs that are shown, as they stood at the last time.
type Board struct {
	runs   map[string]*session.Session
	shown  map[string]session.Session
	wants  func(*session.Session) bool
	agents map[string]map[string]bool // of a run: the transcripts of its subagents
}

// New is an empty board of the runs that are wanted.
func New(wants func(*session.Session) bool) *Board {
	return &Board{map[string]*session.Session{}, map[string]session.Session{}, wants, map[string]map[string]bool{}}
}

// Take takes news and gives what has changed.
func (b *Board) Take(runs []session.Session, gone []string, now time.Time) []Change {
	var changes []Change
	touched := map[string]bool{}
	for i := range runs {
		s := &runs[i]
		b.runs[s.Path] = s
		if p := parent(s.Path); p != "" {
			if b.agents[p] == nil {
				b.agents[p] = map[string]bool{}
			}
			b.agents[p][s.Path] = true
			if b.runs[p] != nil {
				touched[p] = true
				continue
			}
		}
		touched[s.Path] = true
	}
	for _, path := range gone {
		delete(b.runs, path)
		delete(b.agents[parent(path)], path)
		if s, ok := b.shown[path]; ok {
			delete(b.shown, path)
			changes = append(changes, Change{Op: "remove", Session: s, was: &s})
		}
	}
	for _, path := range slices.Sorted(maps.Keys(touched)) {
		changes = b.look(changes, path, now, true)
	}
	return changes
}

// Tick gives the runs that stand otherwise only because time has gone by.
func (b *Board) Tick(now time.Time) []Change {
	var changes []Change
	for path := range b.runs {
		if !b.folded(path) {
			changes = b.look(changes, path, now, false)
		}
	}
	slices.SortFunc(changes, func(x, y Change) int { return strings.Compare(x.Path, y.Path) })
	return changes
}

// folded reports whether a transcript is told of with the run that it belongs to.
func (b *Board) folded(path string) bool {
	p := parent(path)
	return p != "" && b.runs[p] != nil
}

// look adds a run to the changes if it stands otherwise, or in any case.
func (b *Board) look(changes []Change, path string, now time.Time, always bool) []Change {
	s := *b.runs[path]
	working := 0
	for agent := range b.agents[path] {
		if a := b.runs[agent]; a != nil && a.Written > s.Written {
			s.Written = a.Written // its subagents go on
		}
		if a := b.runs[agent]; a != nil && session.StateOf(&a.Summary, now).Stage() == session.Works {
			working++
		}
	}
	s.At(now)
	was, known := b.shown[path]
	if !b.wants(&s) {
		if known {
			delete(b.shown, path)
			changes = append(changes, Change{Op: "remove", Session: s, was: &was})
		}
		return changes
	}
	if !always && known && was.Stage == s.Stage && was.For == s.For {
		return changes
	}
	c := Change{Op: "upsert", Session: s, Agents: working}
	if known {
		c.was = &was
	}
	b.shown[path] = s
	return append(changes, c)
}

// parent is the transcript that a subagent's belongs to, "" for none.
func parent(path string) string {
	dir := filepath.Dir(path)
	if filepath.Base(dir) != "subagents" {
		return ""
	}
	return filepath.Dir(dir) + filepath.Ext(path)
}

// Runs are the runs that are shown: who needs somebody first, and who has done so for
// longest.
func (b *Board) Runs() []session.Session {
	out := slices.Collect(maps.Values(b.shown))
	slices.SortFunc(out, func(x, y session.Session) int {
		return cmp.Or(cmp.Compare(x.Stage, y.Stage), y.When().Compare(x.When()), strings.Compare(x.Path, y.Path))
	})
	return out
}

// recently is how long what has ended badly is counted.
const recently = 24 * time.Hour

// Status is how the runs stand, in a short line.
func (b *Board) Status(now time.Time) string {
	counts := map[session.Stage]int{}
	for _, s := range b.shown {
		if s.Stage != session.HasFailed || now.Sub(s.When()) < recently {
			counts[s.Stage]++
		}
	}
	var parts []string
	for _, p := range []struct {
		stage session.Stage
		sign  string
		words string
	}{{session.WaitsForHuman, "?", "wait"}, {session.Stuck, "!", "stuck"}, {session.HasFailed, "✗", "failed"}, {session.Works, "●", "work"}} {
		if n := counts[p.stage]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s %s", p.sign, human.Count(n), p.words))
		}
	}
	if len(parts) == 0 {
		return "idle"
	}
	return strings.Join(parts, "  ")
}
