package shape

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"turns/export"
	"turns/model"
	"turns/query"
)

// ExtraSession has the facts about a session that no message has. Those of its beginning are with
// its first message, those of its end with its last.
type ExtraSession struct {
	Folder string            `json:"folder,omitempty"`        // working directory
	About  map[string]string `json:"about,omitempty"`         // title, id (session), version, branch, model and others
	Since  string            `json:"since,omitempty"`         // time of its first record, if before all messages
	Totals []ExtraTotal      `json:"session_usage,omitempty"` // usage of no message
	Until  string            `json:"until,omitempty"`         // time of its last record, if after all messages
	Stop   string            `json:"stop,omitempty"`          // why its last response ended
	End    *ExtraEnd         `json:"end,omitempty"`           // as its format recorded it
}

// ExtraTotal is usage of a session.
type ExtraTotal struct {
	ExtraUsage
	Whole     bool `json:"whole,omitempty"`     // all usage of the session, otherwise only usage of no message
	Subagents bool `json:"subagents,omitempty"` // with that of subagents in other transcripts
}

// ExtraEnd is the end of a session.
type ExtraEnd struct {
	Outcome model.Outcome `json:"outcome"`
	Reason  string        `json:"reason,omitempty"`
	Score   *float64      `json:"score,omitempty"`
	Turn    bool          `json:"turn,omitempty"` // of its last turn: the agent waits for the next prompt
}

// sessionFacts are the facts about the sessions of a selection, by their first and by their last
// message.
type sessionFacts struct{ first, last map[model.ID]*ExtraSession }

// addSession adds the facts about a session to an element: first and last report whether it is the
// first and the last element of its message.
func (s *shaper) addSession(it *Item, back *Extra, first, last bool) {
	about, end := s.facts.first[it.id], s.facts.last[it.id]
	if about != nil && first {
		back.Folder = about.Folder
	}
	if s.chat && it.record != nil && alone(&it.record.facts) && !s.snap.Sources()[it.record.source].Framed {
		return // the element already has these facts
	}
	if about != nil && first {
		back.Since, back.Totals = about.Since, about.Totals
		if !s.chat || s.around(it) == nil {
			back.About = about.About
		}
	}
	if end != nil && last {
		back.Until, back.Stop, back.End = end.Until, end.Stop, end.End
	}
}

// factsOf collects the facts about the sessions of a selection. Facts about more than the messages
// are only of completely selected sessions.
func factsOf(sel query.Selection) sessionFacts {
	facts := sessionFacts{map[model.ID]*ExtraSession{}, map[model.ID]*ExtraSession{}}
	snap, coverage := sel.Snap, query.NewCoverage(sel)
	spans := spansOf(snap, &coverage)
	first, last := endsOf(sel)
	for n, id := range first {
		if id == model.NoID {
			continue
		}
		se := &snap.Sessions()[n]
		about := &ExtraSession{Folder: se.Field("cwd"), About: fieldsAbout(se)}
		facts.first[id] = about
		if !coverage.Whole[n] {
			continue
		}
		end := &ExtraSession{Stop: stopNames[se.Stop]}
		facts.last[last[n]] = end
		about.Since, end.Until = spans[n].outside()
		for _, t := range snap.Totals() {
			if int(t.Session) == n {
				row := model.TokensOf(&t.Usage)
				about.Totals = append(about.Totals, ExtraTotal{*usageOf(&row), t.Usage.Scope == model.Total, t.Usage.Subagents})
			}
		}
		if se.Ended {
			end.End = &ExtraEnd{Outcome: se.Outcome, Reason: se.Reason, Turn: se.Turn}
			if se.Scored {
				end.End.Score = &se.Score
			}
		}
	}
	return facts
}

// stopNames has the reasons why a response ended, as kit.StopOf reads them.
var stopNames = [...]string{
	model.StopEnd: "end_turn", model.StopTool: "tool_use", model.StopLength: "max_tokens", model.StopRefusal: "refusal",
	model.StopError: "error", model.StopAborted: "aborted",
}

// fieldsAbout returns the recorded fields of a session that answers use, except for its folder.
func fieldsAbout(se *model.Session) map[string]string {
	var found map[string]string
	for _, name := range append(model.AboutNames[:len(model.AboutNames):len(model.AboutNames)], "task_id", "trial") {
		if v := se.Field(name); v != "" && name != "cwd" {
			if found == nil {
				found = map[string]string{}
			}
			found[name] = v
		}
	}
	return found
}

// endsOf returns the first and the last selected message of each session.
func endsOf(sel query.Selection) (first, last []model.ID) {
	threads := sel.Snap.Threads()
	first = slices.Repeat([]model.ID{model.NoID}, len(sel.Snap.Sessions()))
	last = slices.Clone(first)
	for _, id := range sel.IDs {
		n := threads[sel.Snap.HeadRow(id).Thread].Session
		if last[n] = id; first[n] == model.NoID {
			first[n] = id
		}
	}
	return first, last
}

// span is the time of a session, and that of its messages.
type span struct{ all, messages model.Summary }

// outside returns the times before and after all messages, "" if there are none.
func (s *span) outside() (since, until string) {
	if s.all.Started != s.messages.Started {
		since = stamp(s.all.Started)
	}
	if s.all.Last != s.messages.Last {
		until = stamp(s.all.Last)
	}
	return since, until
}

func stamp(at int64) string { return time.UnixMilli(at).UTC().Format(timeLayout) }

// noteLeftOut notes the facts about a session that a list of messages cannot hold.
func noteLeftOut(report *export.Report, sel query.Selection) {
	if !sel.Everything() {
		return
	}
	snap := sel.Snap
	events, branches, erased, apart, empty := 0, 0, 0, 0, 0
	for n := range snap.Rows() {
		h := snap.HeadRow(model.ID(n))
		switch {
		case h.Op == model.Unreadable:
		case snap.Threads()[h.Thread].Apart:
			apart++
		case h.Flags&model.Rewound != 0:
			erased++
		case h.Flags&model.OffBranch != 0:
			branches++
		case h.Op != model.Say && !keepsConversation(snap.Format()):
			events++
		}
	}
	for n, se := range snap.Sessions() {
		if se.Count == 0 && snap.Counts(n) {
			empty++
		}
	}
	report.NoteCount(events, "%s left out; raw has all", "event")
	report.NoteCount(branches, "%s of other branches left out; raw has all", "record")
	report.NoteCount(erased, "%s that were taken back left out; raw has all", "record")
	report.NoteCount(apart, "%s of subagents in other transcripts left out", "record")
	report.NoteCount(empty, "%s without messages left out; raw has all", "session")
}

// spansOf returns the times of the sessions.
func spansOf(snap *model.Snapshot, coverage *query.Coverage) []span {
	spans := make([]span, len(snap.Sessions()))
	for n := range snap.Rows() {
		h := snap.HeadRow(model.ID(n))
		t := &coverage.Threads[h.Thread]
		if t.Apart || h.Flags&model.Rewound != 0 {
			continue
		}
		s := &spans[t.Session]
		s.all.Clock(h.Time)
		if snap.Pos(model.ID(n)) >= 0 {
			s.messages.Clock(h.Time)
		}
	}
	return spans
}

// session returns the session of a message in a snapshot with several; "" in others. Sessions with
// the same id get a number after it.
func (s *shaper) session(it *Item) string {
	sessions := s.snap.Sessions()
	if len(sessions) < 2 {
		return ""
	}
	if s.sessions == nil {
		seen := map[string]bool{}
		for n := range sessions {
			name := cmp.Or(sessions[n].Field("session"), strconv.Itoa(n+1))
			if seen[name] {
				name += "#" + strconv.Itoa(n+1)
			}
			seen[name] = true
			s.sessions = append(s.sessions, name)
		}
	}
	return s.sessions[s.snap.Threads()[it.head.Thread].Session]
}
