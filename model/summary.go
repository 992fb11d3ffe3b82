package model

import (
	"cmp"
	"slices"
)

// Summary describes a session without its messages. A list makes it from the beginning and the end
// of a transcript, so that a folder of thousands appears immediately.
type Summary struct {
	Path    string
	Format  string
	Agent   string // title of the format
	Project string // folder that the agent worked in
	Title   string // as recorded, or the first prompt
	Session string // recorded id
	// Starter is the recorded id of the parent session of a subagent, "" for other sessions. It
	// equals Session if both have the same id.
	Starter  string
	Model    string // of the last response, or as recorded for the session
	Started  int64  // Unix ms of the first record with a time; 0 unknown
	Last     int64  // of the last one
	Written  int64  // of the last write to the file
	Bytes    int64
	Messages int
	Calls    int
	Errors   int   // calls that failed
	Failed   int   // responses that failed or were interrupted
	Pending  int   // calls without a result
	Tokens   int64 // recorded output
	// OutputLeast is Tokens with the size of the text in place of impossible recorded numbers,
	// such as the placeholder with which a stream begins.
	OutputLeast int64
	Partial     bool // not all of it was read: the counts are lower bounds
	// messages that a partial transcript likely has, by its size; 0 unknown
	Estimate int
	Grew     bool // it changed while turns read it
	Sessions int  // conversations in the file
	Judged   int  // conversations with a score
	Passed   int  // conversations that passed
	Bill     Bill
	// Unread names the tables and record types without a parser, as [UnreadWords] does; in a
	// partial summary, those of the part read.
	Unread string
	// Quotas are the limits of the user's plan, as recorded last.
	Quotas Quotas
	// Asked are the last two requests of the session itself with a recorded use of the cache, the
	// last one first. The second is zero after a compaction.
	Asked [2]CacheUse
	Ending
}

// CacheUse is the use of the prompt cache by a request, in tokens.
type CacheUse struct {
	Read, Write, Total int64 // Total is the prompt; 0: no request
}

// LastAsked returns the last two requests of the main threads: see [Summary].
func (s *Snapshot) LastAsked() (last [2]CacheUse) {
	found := 0
	for n := s.Rows() - 1; n >= 0 && n >= s.Rows()-askedLook; n-- {
		id := s.Row(n)
		h := s.HeadRow(id)
		if !s.ix.Threads[h.Thread].Main || h.Flags&(Rewound|OffBranch) != 0 {
			continue
		}
		if h.Op == Compact || h.Flags&Recap != 0 {
			break
		}
		t, ok := s.Tokens(id)
		if !ok || h.Op != Say || h.Flags&(Synthetic|APIError) != 0 || t.CacheRead == NoTokens {
			continue
		}
		u := t.Usage()
		last[found] = CacheUse{u.CacheRead, max(u.CacheWrite, 0), max(u.Input, 0) + u.CacheRead + max(u.CacheWrite, 0)}
		if found++; found == len(last) {
			break
		}
	}
	return last
}

// askedLook limits the rows that LastAsked searches.
const askedLook = 2000

// Bill is the recorded cost of a session in dollars, plus the tokens per model of responses
// without a recorded cost. With too many models for Used, its last element has the rest.
type Bill struct {
	Dollars float64
	Used    [3]Used
}

// Used is the number of tokens of a model without a recorded cost.
type Used struct {
	Model                                string // "" if not recorded
	Input, CacheRead, CacheWrite, Output int64
	HourCache                            bool // see [Usage]
}

// Tokens returns the total.
func (u *Used) Tokens() int64 { return u.Input + u.CacheRead + u.CacheWrite + u.Output }

// of returns the entry of a model.
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

// Add adds the increase from was to now.
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

// Standing returns the cheap part of a Summary, without a look at most messages. If the snapshot
// has grown since last, only the rows after from are examined.
func (s *Snapshot) Standing(last Summary, from int) Summary {
	out := Summary{Started: last.Started, Last: last.Last, Messages: s.Len(), Model: s.Model(0)}
	if from == 0 {
		out.Started, out.Last = 0, 0
	}
	out.Conversations(s, 0)
	out.Span(s, from)
	return out
}

// Conversations counts the conversations and sets how they ended. Results of the rows before from
// may be in the unread part.
func (s *Summary) Conversations(snap *Snapshot, from ID) {
	if len(snap.ix.Sessions) == 1 {
		s.Sessions, s.Ending = 1, snap.Ending(0, from)
		return
	}
	ends := snap.Endings()
	left := ends[:0]
	for i := range ends {
		if snap.Counts(i) {
			left = append(left, ends[i])
		}
	}
	s.Sessions, s.Ending = max(len(left), 1), JoinEndings(left)
	for _, e := range left {
		if s.Sessions > 1 && e.Scored {
			s.Judged++
			if e.Outcome == Success {
				s.Passed++
			}
		}
	}
}

// Counts reports whether a session counts as a conversation. One without messages counts if the
// source names it or records that it failed: another end may be the sum of an evaluation. The first
// may instead be the envelope of the others.
func (s *Snapshot) Counts(session int) bool {
	se := &s.ix.Sessions[session]
	named := se.Ended && se.Outcome.Failed() || se.Field("session") != "" || se.Field("title") != ""
	return se.Count > 0 || named && (session > 0 || len(s.ix.Live) == 0)
}

// Several reports whether more than one session counts.
func (s *Snapshot) Several() bool {
	n := 0
	for i := 0; i < len(s.ix.Sessions) && n < 2; i++ {
		if s.Counts(i) {
			n++
		}
	}
	return n > 1
}

// Span sets the first and the last recorded time, of the rows after from.
func (s *Summary) Span(snap *Snapshot, from int) {
	for n := from; n < snap.Rows(); n++ {
		if h := snap.HeadRow(ID(n)); !snap.ix.Threads[h.Thread].Apart && h.Flags&Rewound == 0 {
			s.Clock(h.Time)
		}
	}
}

// Clock extends the span by the time of a record; 0 is ignored.
func (s *Summary) Clock(at int64) {
	if at == 0 {
		return
	}
	s.Started, s.Last = min(cmp.Or(s.Started, at), at), max(s.Last, at)
}

// Place returns the message of a call: the one that made it, or the one with its result. It returns
// NoID if there is neither.
func (c *Call) Place() ID {
	if c.Msg != NoID {
		return c.Msg
	}
	return c.Result
}

// Counted reports whether a call counts for the conversation. Calls of subagent files, copied from
// an earlier conversation, rewound, or off the live branch do not count, nor do scripts: the calls
// that they made do.
func (s *Snapshot) Counted(c *Call) bool {
	at := c.Place()
	if at == NoID || c.Flags&Carries != 0 {
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

// ModelOf returns the model that wrote a message of the main thread, "" if there is none.
func (s *Snapshot) ModelOf(id ID) string {
	h := s.HeadRow(id)
	if h.Role != Assistant || h.Flags&(Synthetic|Sidechain) != 0 || !s.ix.Threads[h.Thread].Main {
		return ""
	}
	return s.Name(h.Name)
}

// modelWithin limits the messages from the end to search for the model.
const modelWithin = 64

// Model returns the model of the last response of a session, or the one recorded for the session.
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
