package model

import "slices"

// Summary is what is known of a session without its messages. A list makes it from
// windows at the beginning and the end of a transcript, so that a folder of
// thousands is listed at once.
type Summary struct {
	Path    string `json:"path"`
	Format  string `json:"format"`
	Agent   string `json:"agent"`   // title of the format
	Project string `json:"project"` // folder that the agent worked in
	Title   string `json:"title"`   // as recorded, else the first prompt
	Session string `json:"session"` // recorded id
	// Starter is the recorded id of the session that it is a subagent of, "" for none; where the
	// two have one id it is the same.
	Starter  string `json:"subagent_of,omitempty"`
	Model    string `json:"model"`   // of the last response, else as recorded for the session
	Started  int64  `json:"started"` // Unix ms of the first record with a time; 0 unknown
	Last     int64  `json:"last"`    // of the last one
	Written  int64  `json:"written"` // of the last write to the file
	Bytes    int64  `json:"bytes"`
	Messages int    `json:"messages"`
	Calls    int    `json:"calls"`
	Errors   int    `json:"errors"`
	Pending  int    `json:"pending"` // calls without a result
	Tokens   int64  `json:"tokens"`  // recorded output
	Partial  bool   `json:"partial"` // it was not read as a whole: the counts are lower bounds
	// messages that a partial transcript likely has, by its size; 0 unknown
	Estimate int  `json:"estimate"`
	Sessions int  `json:"sessions"` // conversations in the file
	Judged   int  `json:"judged"`   // those of several that have a score
	Passed   int  `json:"passed"`   // those that did well
	Bill     Bill `json:"-"`
	Ending
}

// Bill is what a run has to be paid for: dollars where they were recorded, else tokens of each
// model. Of more models than there is room for, the last place has the rest.
type Bill struct {
	Dollars float64
	Used    [3]Used
}

// Used are tokens of a model that have no cost recorded.
type Used struct {
	Model                                string // "" where it was not said
	Input, CacheRead, CacheWrite, Output int64
	HourCache                            bool // see [Usage]
}

// Tokens is how many there are.
func (u *Used) Tokens() int64 { return u.Input + u.CacheRead + u.CacheWrite + u.Output }

// of is the place of a model.
func (b *Bill) of(name string) *Used {
	for i := range b.Used {
		if u := &b.Used[i]; u.Model == name || *u == (Used{}) {
			u.Model = name
			return u
		}
	}
	return &b.Used[len(b.Used)-1]
}

func (u *Used) add(o *Used, sign int64) {
	u.Input += sign * o.Input
	u.CacheRead += sign * o.CacheRead
	u.CacheWrite += sign * o.CacheWrite
	u.Output += sign * o.Output
	u.HourCache = u.HourCache || o.HourCache
}

// Add adds what another one has and a third one, which the other has grown from, had not.
func (b *Bill) Add(now, was Bill) {
	b.Dollars += now.Dollars - was.Dollars
	for i := range now.Used {
		if u := &now.Used[i]; *u != (Used{}) {
			b.of(u.Model).add(u, 1)
		}
		if u := &was.Used[i]; *u != (Used{}) {
			b.of(u.Model).add(u, -1)
		}
	}
	left := slices.DeleteFunc(b.Used[:], func(u Used) bool { return u.Tokens() == 0 })
	clear(b.Used[len(left):])
}

// Use adds usage of a model.
func (b *Bill) Use(u *Usage, name string) {
	if u.HasCost {
		b.Dollars += u.Cost
		return
	}
	used := Used{name, max(u.Input, 0), max(u.CacheRead, 0), max(u.CacheWrite, 0), max(u.Output, 0), u.HourCache}
	if used.Tokens() > 0 {
		b.of(name).add(&used, 1)
	}
}

// Standing is what a list says of a snapshot that costs no look at most of its
// messages. Of one that has grown since the last time only the rows from the given
// one on are looked at.
func (s *Snapshot) Standing(last Summary, from int) Summary {
	out := Summary{Started: last.Started, Last: last.Last, Messages: s.Len(), Model: s.Model(0)}
	if from == 0 {
		out.Started, out.Last = 0, 0
	}
	out.Conversations(s, 0)
	out.Span(s, from)
	return out
}

// Conversations counts the conversations that have messages, and tells how they
// ended: what stands around those of an evaluation is none. The rows before the
// given one may have their results where nothing was read.
func (s *Summary) Conversations(snap *Snapshot, from ID) {
	if len(snap.ix.Sessions) == 1 {
		s.Sessions, s.Ending = 1, snap.Ending(0, from)
		return
	}
	ends := snap.Endings()
	said := ends[:0]
	for i := range ends {
		if snap.ix.Sessions[i].Count > 0 {
			said = append(said, ends[i])
		}
	}
	s.Sessions, s.Ending = max(len(said), 1), JoinEndings(said)
	for _, e := range said {
		if s.Sessions > 1 && e.Scored {
			s.Judged++
			if e.Outcome == Success {
				s.Passed++
			}
		}
	}
}

// Span is from the first time that is recorded to the last, as far as the rows from
// the given one on tell.
func (s *Summary) Span(snap *Snapshot, from int) {
	for n := from; n < snap.Rows(); n++ {
		if h := snap.HeadRow(ID(n)); !snap.ix.Threads[h.Thread].Apart && h.Flags&Rewound == 0 {
			s.Clock(h.Time)
		}
	}
}

// Clock takes the time of a record, 0 for none.
func (s *Summary) Clock(at int64) {
	if at == 0 {
		return
	}
	if s.Started == 0 || at < s.Started {
		s.Started = at
	}
	s.Last = max(s.Last, at)
}

// Place is the message that a call stands at: the one that made it, or of a result without
// a call the one with the result; NoID where it has neither.
func (c *Call) Place() ID {
	if c.Msg != NoID {
		return c.Msg
	}
	return c.Result
}

// Counted reports whether a call is one of the conversation's own: not of a
// subagent's file, which tells of it by itself, not copied from the conversation
// that this one goes on from, not rewound, and not of a branch that is not live.
func (s *Snapshot) Counted(c *Call) bool {
	at := c.Place()
	if at == NoID {
		return false
	}
	h := s.HeadRow(at)
	return h.Flags&(Inherited|Rewound|OffBranch) == 0 && !s.ix.Threads[h.Thread].Apart
}

// Count adds a call of the conversation to the counts.
func (s *Summary) Count(c *Call) {
	if c.Msg != NoID {
		s.Calls++
	}
	if c.Pending() {
		s.Pending++
	}
	if c.Outcome.Failed() {
		s.Errors++
	}
}

// ModelOf is the model that said a message in the conversation itself, "" for none.
func (s *Snapshot) ModelOf(id ID) string {
	h := s.HeadRow(id)
	if h.Role != Assistant || h.Flags&(Synthetic|Sidechain) != 0 || !s.ix.Threads[h.Thread].Main {
		return ""
	}
	return s.Name(h.Name)
}

// modelWithin is how many messages from the end may name the model.
const modelWithin = 64

// Model is the model of a session's last response, else what is recorded for the
// session.
func (s *Snapshot) Model(session int) string {
	live := s.ix.Live
	seen := 0
	for i := len(live) - 1; i >= 0 && seen < modelWithin; i-- {
		h := s.HeadRow(live[i])
		if int(s.ix.Threads[h.Thread].Session) != session {
			continue
		}
		if seen++; s.ModelOf(live[i]) != "" {
			return s.ModelOf(live[i])
		}
	}
	if session >= len(s.ix.Sessions) {
		return ""
	}
	return s.ix.Sessions[session].Field("model")
}
