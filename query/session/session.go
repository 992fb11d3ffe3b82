// Package session has lists of sessions: the data of one, its state or its end, the filter over
// sessions, and the columns of a list. The screen and the command line add only colours and flags.
package session

import (
	"path/filepath"
	"strings"
	"time"

	"turns/model"
	"turns/query/cache"
	"turns/query/human"
	"turns/query/label"
)

// Session is the data of a session without opening it.
type Session struct {
	model.Summary
	Live bool // still being written
	// New reports records that the user has not seen yet. Set by the caller.
	New bool
	// Cost is in dollars, as recorded or, if Guessed, by list prices; 0 is unknown.
	Cost    float64
	Guessed bool

	Resume string // command that continues it in its agent

	Labels []label.Mark // annotations of it and its messages

	Verdict string // good or bad, the label of the session; "" for none

	NoResume string // why there is no command, if known

	Stage human.State // state at the time of the last look
	// the reason for the state: tool, model, question, plan, approval, prompt, loop, …
	For    string
	Reason string // the same in words
	// Agents is the number of running subagents with separate transcripts. Place explains the
	// state if a subagent caused it. [Families] sets both.
	Agents int
	Place  *Place

	now   time.Time
	heard int64          // last write to a subagent's transcript; 0: no subagents
	agent *model.Summary // the subagent that causes the state; nil: none
}

// Of returns the session of a summary, with its state at a time.
func Of(s model.Summary, now time.Time) Session {
	x := Session{Summary: s, Live: Live(&s, now)}
	x.At(now)
	return x
}

// Replaces passes the previous data of the session, so that it knows whether it grew.
func (s *Session) Replaces(was *Session) {
	s.Grew = was.Grew || was.Bytes > 0 && s.Bytes > was.Bytes
}

// At updates the state of the session for a time and reports whether it changed.
func (s *Session) At(now time.Time) (news bool) { return s.setState(now, nil) }

// setState is At for a session with subagents.
func (s *Session) setState(now time.Time, agents []*Session) (news bool) {
	stage, what, live, working, from := s.Stage, s.For, s.Live, s.Agents, s.Where()
	s.now, s.heard, s.agent, s.Agents, s.Place = now, 0, nil, 0, nil
	for _, a := range agents {
		if !copied(&a.Summary) {
			s.heard = max(s.heard, a.Written)
		}
	}
	sum := s.withSubagents()
	own := StateOf(sum, now)
	st := own
	for _, a := range agents {
		its := StateOf(&a.Summary, now)
		if its.Stage() == human.Running {
			s.Agents++
		}
		more := its.urgency() - st.urgency()
		if its.concerns(s, own, a) && (more < 0 || more == 0 && its.Stage() == human.Stuck && s.agent == nil) {
			place := placeOf(&a.Summary)
			st, s.agent, s.Place = its, &a.Summary, &place
		}
	}
	if st.Agent = s.agent != nil; st.Agent {
		kept := *s.agent // its row may be reused for another
		s.agent = &kept
	}
	s.Stage, s.For, s.Reason, s.Live = st.Stage(), st.Doing.String(), st.Words(), Live(sum, now)
	return s.Stage != stage || s.For != what || s.Live != live || s.Agents != working || s.Where() != from
}

// Missed returns how many tokens the last request of a live session wrote again because it missed
// the prompt cache; 0 for none.
func (s *Session) Missed() int64 {
	if !s.Live {
		return 0
	}
	return cache.LastMiss(s.Asked)
}

// Passes reports whether a session has a score and passed.
func (s *Session) Passes() bool { return s.Scored && s.Outcome == model.Success }

// When returns the time of the last message, or of the last write to the file; zero if neither is
// known.
func (s *Session) When() time.Time {
	switch {
	case s.Last != 0:
		return time.UnixMilli(s.Last)
	case s.Written != 0:
		return time.UnixMilli(s.Written)
	}
	return time.Time{}
}

// Took returns the time between the first and the last message; 0 is unknown.
func (s *Session) Took() time.Duration {
	if s.Started == 0 {
		return 0
	}
	return time.Duration(s.Last-s.Started) * time.Millisecond
}

// Name returns the title, the first prompt, or the name of the file.
func (s *Session) Name() string {
	name := model.CleanLine(s.Title)
	switch chore := s.Chore(); {
	case chore != "":
		return chore
	case s.Sessions > 1 && name == "":
		return s.conversations() + " in " + filepath.Base(s.Path)
	case s.Sessions > 1:
		return name + ", " + s.conversations()
	case name != "":
		return name
	case s.Session != "":
		return model.CleanLine(s.Session)
	}
	return model.CleanLine(filepath.Base(s.Path))
}

func (s *Session) conversations() string {
	more := ""
	if s.Partial {
		more = "+"
	}
	return human.Count(s.Sessions) + more + " conversations"
}

// Folder returns the last part of the folder that the agent worked in.
func (s *Session) Folder() string {
	if s.Project == "" {
		return ""
	}
	return model.CleanLine(filepath.Base(s.Project))
}

// kinds are words in the titles of formats that describe the kind of file.
var kinds = map[string]bool{
	"session": true, "sessions": true, "rollout": true, "transcript": true, "trajectory": true, "thread": true, "threads": true,
	"events": true, "messages": true, "history": true, "conversation": true, "conversations": true, "export": true, "results": true,
	"items": true, "runs": true, "spans": true, "contents": true, "evaluation": true, "training": true, "stream-json": true,
	"--json": true, "--mode": true, "task": true, "or": true, "and": true,
}

// AgentName returns the title of the format without words for the kind of file.
func (s *Session) AgentName() string {
	words := strings.Fields(strings.TrimPrefix(s.Agent, "GitHub "))
	for i, w := range words {
		if i > 0 && (kinds[strings.TrimSuffix(w, ",")] || strings.HasPrefix(w, "(")) {
			// in brackets: its former name
			words = words[:i]
			break
		}
	}
	return strings.TrimSuffix(strings.Join(words, " "), ",")
}
