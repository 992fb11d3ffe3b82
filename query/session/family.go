package session

import (
	"slices"
	"strings"
	"time"

	"turns/model"
	"turns/query/human"
)

// Families connect sessions with their subagents, so that a session that needs an answer for a
// subagent appears once: in the row of the session that a person started.
type Families struct {
	paths  map[runID]string          // of those that may have subagents
	agents map[runID]map[string]bool // paths of their subagents
	at     func(path string) *Session
}

// runID identifies the session that started a subagent.
type runID struct{ format, session string }

// generations is the maximum depth of nested subagents.
const generations = 8

// NewFamilies returns empty families. at finds a session by its path, nil if there is none.
func NewFamilies(at func(path string) *Session) *Families {
	return &Families{map[runID]string{}, map[runID]map[string]bool{}, at}
}

// Put adds a session. If two have one id, the subagents belong to the later one.
func (f *Families) Put(s *Session) {
	if s.Starter != "" {
		id := runID{s.Format, s.Starter}
		if f.agents[id] == nil {
			f.agents[id] = map[string]bool{}
		}
		f.agents[id][s.Path] = true
	}
	id := runID{s.Format, s.Session}
	if s.Session == "" || s.Session == s.Starter || s.Sessions > 1 {
		return
	}
	if known := f.at(f.paths[id]); known == nil || known.Last <= s.Last {
		f.paths[id] = s.Path
	}
}

// Drop removes a session.
func (f *Families) Drop(s *Session) {
	delete(f.agents[runID{s.Format, s.Starter}], s.Path)
	if id := (runID{s.Format, s.Session}); f.paths[id] == s.Path {
		delete(f.paths, id)
	}
}

// Root returns the path of the session whose row shows s: that of its outermost known parent, or
// its own.
func (f *Families) Root(s *Session) string {
	for range generations {
		if s.Starter == "" {
			break
		}
		up := f.at(f.paths[runID{s.Format, s.Starter}])
		if up == nil || up.Path == s.Path {
			break
		}
		s = up
	}
	return s.Path
}

// Below returns the subagents of a session and theirs, in the order of their paths.
func (f *Families) Below(s *Session) (all []*Session) {
	ids := []runID{{s.Format, s.Session}}
	if f.paths[ids[0]] != s.Path {
		return nil
	}
	for range generations {
		var next []runID
		for _, id := range ids {
			for path := range f.agents[id] {
				if a := f.at(path); a != nil && path != s.Path {
					all, next = append(all, a), append(next, runID{a.Format, a.Session})
				}
			}
		}
		ids = slices.DeleteFunc(next, func(id runID) bool { return f.paths[id] == "" || slices.Contains(ids, id) })
	}
	slices.SortFunc(all, func(a, b *Session) int { return strings.Compare(a.Path, b.Path) })
	return all
}

// Stand updates the state of a session and its subagents to the time now. It reports whether
// the state changed.
func (f *Families) Settle(s *Session, now time.Time) (news bool) { return s.setState(now, f.Below(s)) }

// Place is a message that explains the state of a session.
type Place struct {
	Path string
	At   int // position of the message, -1 the last
}

// Where returns the message that explains the state of the session, in its transcript or in
// that of a subagent.
func (s *Session) Where() Place {
	if s.Place != nil {
		return *s.Place
	}
	return placeOf(&s.Summary)
}

func placeOf(s *model.Summary) Place {
	if s.Partial {
		return Place{s.Path, -1}
	}
	return Place{s.Path, max(s.At, -1)}
}

// urgent are the stages that the row of a session shows before all others, the most urgent first: a
// question of a subagent precedes all.
var urgent = [...]human.State{human.Waiting, human.Stuck, human.Failed, human.Running}

func (st State) urgency() int {
	if i := slices.Index(urgent[:], st.Stage()); i >= 0 {
		return i
	}
	return len(urgent)
}

// concerns reports whether the row of a session shows the state of a subagent: not if the subagent
// has returned its result, or if the session continued without it.
func (st State) concerns(s *Session, run State, a *Session) bool {
	due := run.End.Runs > 0 // the session waits for a result, possibly of this subagent
	goesOn := run.Live() && run.Doing != Waiting
	latest := a.Last >= s.Last || due && a.Last >= run.End.Since
	switch st.Doing {
	case Question, Plan, Approval:
		return latest || due || a.Live
	case Silent, Looping, Failed:
		return latest && goesOn
	}
	return false
}
