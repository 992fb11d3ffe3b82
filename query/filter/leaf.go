package filter

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"turns/model"
	"turns/query"
	"turns/query/cache"
	"turns/query/human"
	"turns/query/lang"
)

// compiler makes leaves for one snapshot. It looks names up once, so that heads are compared by
// number.
type compiler struct {
	snap  *model.Snapshot
	env   *Env
	last  time.Time // the last record of the session
	texts int       // number of terms about texts
	slots int       // number of nodes
	// cause of the cache miss of each request; nil: not computed yet
	causes map[model.ID]cache.Cause
}

// wholeValues matches complete values.
type wholeValues struct {
	values []lang.Value
	regex  []*regexp.Regexp // aligned with values; there are too few names to need a fast engine
}

func newWholeValues(t *lang.Term) (*wholeValues, error) {
	w := &wholeValues{values: t.Values, regex: make([]*regexp.Regexp, len(t.Values))}
	for i := range t.Values {
		if v := &t.Values[i]; v.Form == lang.FormRegex {
			re, err := regexp.Compile(v.Pattern())
			if err != nil {
				return nil, err
			}
			w.regex[i] = re
		}
	}
	return w, nil
}

func (w *wholeValues) match(s string) bool { return w.any(s, (*lang.Value).MatchWhole) }

func (w *wholeValues) matchPath(s string) bool { return w.any(s, (*lang.Value).MatchPath) }

func (w *wholeValues) any(s string, match func(*lang.Value, string) bool) bool {
	for i := range w.values {
		if w.regex[i] != nil && w.regex[i].MatchString(s) || match(&w.values[i], s) {
			return true
		}
	}
	return false
}

// names returns which interned names match.
func (c *compiler) names(match func(string) bool) []bool {
	names := c.snap.Names()
	set := make([]bool, len(names))
	for i, name := range names {
		set[i] = match(name)
	}
	return set
}

// threads returns which threads match.
func (c *compiler) threads(match func(*model.Thread, *model.Session) bool) []bool {
	threads, sessions := c.snap.Threads(), c.snap.Sessions()
	set := make([]bool, len(threads))
	for i := range threads {
		set[i] = match(&threads[i], &sessions[threads[i].Session])
	}
	return set
}

// leaf compiles a term.
func (c *compiler) leaf(t *lang.Term, neg bool) (*leaf, error) {
	l := &leaf{term: t, neg: neg}
	var err error
	switch t.Key {
	case lang.KeyAny, lang.KeyText, lang.KeyContent, lang.KeyReasoning, lang.KeyArgs, lang.KeyResult:
		err = c.textLeaf(l)
	case lang.KeyFile:
		err = c.fileLeaf(l)
	case lang.KeyDoes:
		c.doesLeaf(l)
	case lang.KeyID:
		err = c.idLeaf(l)
	case lang.KeyInteraction:
		err = c.interactionLeaf(l)
	case lang.KeyRole, lang.KeyTool, lang.KeyModel, lang.KeyName:
		err = c.nameLeaf(l)
	case lang.KeyThread, lang.KeyAgent, lang.KeySession, lang.KeyTitle, lang.KeyProject, lang.KeyEnd:
		err = c.threadLeaf(l)
	case lang.KeyTime:
		c.timeLeaf(l)
	case lang.KeyLabel, lang.KeyNote, lang.KeyVerdict, lang.KeyScore:
		err = c.labelLeaf(l)
	case lang.KeyCache:
		err = c.cacheLeaf(l)
	case lang.KeyIs:
		if err = c.missed(t); err == nil {
			c.isLeaf(l)
		}
	case lang.KeyHas:
		c.hasLeaf(l)
	case lang.KeyKind:
		c.kindLeaf(l)
	case lang.KeyOutcome:
		c.outcomeLeaf(l)
	case lang.KeyValidity:
		c.validityLeaf(l)
	default:
		c.numberLeaf(l)
	}
	return l, err
}

// about makes a leaf about a call: it runs holds only for calls.
func about(holds func(st *state, u *unitCall) bool) func(*state, int) marks {
	return func(st *state, call int) marks {
		if call < 0 || !holds(st, &st.calls[call]) {
			return 0
		}
		return markCall(call)
	}
}

func (c *compiler) nameLeaf(l *leaf) error {
	w, err := newWholeValues(l.term)
	if err != nil {
		return err
	}
	set := c.names(w.match)
	switch l.term.Key {
	case lang.KeyTool:
		l.unit = about(func(st *state, u *unitCall) bool {
			if set[u.row.Tool] || u.row.Flags&model.OtherName == 0 {
				return set[u.row.Tool]
			}
			result := st.resultBlock(u) // the name of its result also counts
			return result != nil && w.match(result.Name)
		})
	case lang.KeyModel:
		l.msg = func(st *state) truth {
			return truthOf(st.head.Role == model.Assistant && st.head.Name != 0 && set[st.head.Name])
		}
	case lang.KeyName:
		l.msg = func(st *state) truth {
			return truthOf(st.head.Role != model.Assistant && st.head.Name != 0 && set[st.head.Name])
		}
	default:
		var roles [model.Other + 1]bool
		for r := range roles {
			roles[r] = w.match(model.Role(r).String())
		}
		for _, v := range l.term.Values {
			if r, ok := model.RoleNamed(v.Text); ok { // as named by this or another format
				roles[r] = true
			}
		}
		if !slices.Contains(roles[:], true) {
			c.speakerLeaf(l, w, set)
			return nil
		}
		l.msg = func(st *state) truth {
			h := st.head
			return truthOf(h.IsMessage() && (roles[h.Role] || h.Role == model.Other && h.Name != 0 && set[h.Name]))
		}
	}
	return nil
}

func (c *compiler) threadLeaf(l *leaf) error {
	var match func(*model.Thread, *model.Session) bool
	w, err := newWholeValues(l.term)
	if err != nil {
		return err
	}
	switch l.term.Key {
	case lang.KeyThread:
		match = func(t *model.Thread, _ *model.Session) bool {
			return t.Main && w.match("main") || t.Name != "" && w.match(t.Name)
		}
	case lang.KeySession:
		match = func(_ *model.Thread, s *model.Session) bool { return w.match(s.Field("session")) }
	case lang.KeyProject:
		match = func(_ *model.Thread, s *model.Session) bool { return w.matchPath(s.Field("cwd")) }
	case lang.KeyAgent:
		match = func(_ *model.Thread, s *model.Session) bool {
			product := s.Field("agent") + " " + c.snap.Format()
			return w.match(s.Field("agent")) || w.match(c.snap.Format()) || slices.ContainsFunc(l.term.Values, func(v lang.Value) bool {
				return v.Form == lang.FormText && strings.Contains(strings.ToLower(product), strings.ToLower(v.Text))
			})
		}
	case lang.KeyTitle:
		title, err := newTexts(l.term)
		if err != nil {
			return err
		}
		match = func(_ *model.Thread, s *model.Session) bool { return title.match(s.Field("title")) }
	default:
		ends := make([]bool, len(c.snap.Sessions()))
		for i, e := range c.snap.Endings() {
			ends[i] = slices.ContainsFunc(l.term.Values, func(v lang.Value) bool { return ended(e.State, v.Text) })
		}
		threads := c.snap.Threads()
		l.msg = func(st *state) truth { return truthOf(ends[threads[st.head.Thread].Session]) }
		return nil
	}
	set := c.threads(match)
	l.msg = func(st *state) truth { return truthOf(set[st.head.Thread]) }
	return nil
}

// numberLeaf compiles terms about numbers.
func (c *compiler) numberLeaf(l *leaf) {
	t, snap := l.term, c.snap
	number := func(n int) truth { return truthOf(n >= 0 && t.HoldsNum(float64(n))) }
	switch t.Key {
	case lang.KeyDur:
		l.unit = about(func(_ *state, u *unitCall) bool {
			d, ok := u.row.Duration()
			return ok && t.HoldsDur(d)
		})
	case lang.KeyIndex:
		l.msg = func(st *state) truth { return number(snap.Pos(st.id)) }
	case lang.KeyTurn, lang.KeyStep:
		turns := c.turns()
		of := turns.Turn
		if t.Key == lang.KeyStep {
			of = turns.Step
		}
		l.msg = func(st *state) truth { return number(of(st.id)) }
	case lang.KeySize:
		l.msg = func(st *state) truth { return number(int(st.head.Size)) }
	case lang.KeyCost:
		l.msg = func(st *state) truth {
			n, ok := snap.Tokens(st.id)
			return truthOf(ok && n.Flags&model.HasCost != 0 && t.HoldsNum(n.Cost))
		}
	default: // KeyTokens
		tokens := c.env.Tokens
		l.msg = func(st *state) truth {
			if tokens == nil {
				return unknown
			}
			n, ok := tokens.Message(st.id)
			if !ok {
				return unknown
			}
			return truthOf(t.HoldsNum(float64(n.Sum())))
		}
	}
}

// turns returns the index of the turns. It makes one on first use if the caller passed none.
func (c *compiler) turns() *query.TurnIndex {
	if c.env.Turns == nil {
		c.env.Turns = query.NewTurnIndex(c.snap)
	}
	return c.env.Turns
}

// timeLeaf resolves times to milliseconds once. A time of day depends on the zone's offset on each
// day, so it is evaluated for every message.
func (c *compiler) timeLeaf(l *leaf) {
	t := l.term
	ref := lang.TimeRef{Now: c.env.Now, Last: c.last, Loc: c.env.Loc}
	var spans [][2]int64
	for i := range t.Values {
		span, ok := timeSpan(t.Op, &t.Values[i], ref)
		if !ok {
			l.msg = func(st *state) truth {
				return truthOf(st.head.Time != 0 && t.HoldsTime(time.UnixMilli(st.head.Time), ref))
			}
			return
		}
		spans = append(spans, span)
	}
	l.msg = func(st *state) truth {
		at := st.head.Time
		for _, s := range spans {
			if at != 0 && at >= s[0] && at < s[1] {
				return yes
			}
		}
		return no
	}
}

const farTime = 1 << 62

// timeSpan returns the milliseconds for which a value holds: from the first to before the second.
// ok is false for a time of day.
func timeSpan(op lang.Op, v *lang.Value, ref lang.TimeRef) (span [2]int64, ok bool) {
	span = [2]int64{-farTime, farTime}
	if v.Form == lang.FormRange {
		if v.Lo != nil {
			from, _, ok := v.Lo.Time.Bounds(ref)
			if span[0] = ceilMilli(from); !ok {
				return span, false
			}
		}
		if v.Hi != nil {
			_, to, ok := v.Hi.Time.Bounds(ref)
			if span[1] = ceilMilli(to); !ok {
				return span, false
			}
		}
		return span, true
	}
	from, to, ok := v.Lo.Time.Bounds(ref)
	if op != lang.OpLt && op != lang.OpLe {
		span[0] = ceilMilli(from)
		if op == lang.OpGt {
			span[0] = ceilMilli(to)
		}
	}
	if op == lang.OpLt {
		span[1] = ceilMilli(from)
	} else if op == lang.OpLe || op == lang.OpEq {
		span[1] = ceilMilli(to)
	}
	return span, ok
}

func ceilMilli(t time.Time) int64 {
	ms := t.UnixMilli()
	if t.Nanosecond()%int(time.Millisecond) != 0 {
		ms++
	}
	return ms
}

// isFlags are the conditions that correspond to a flag of the message.
var isFlags = map[string]model.Flags{
	"prompt": model.Prompt, "injected": model.Injected, "synthetic": model.Synthetic, "partial": model.Partial,
	"truncated": model.Truncated, "redacted": model.Redacted, "compacted": model.Compacted, "rewound": model.Rewound,
	"superseded": model.Superseded, "invalidated": model.Invalidated, "archived": model.Archived,
	"inherited": model.Inherited,
}

// outcomes are the outcomes that is: and outcome: can decide by a simple comparison.
var outcomes = map[string]model.Outcome{
	"ok": model.Success, "failed": model.Failure, "partial": model.Half, "denied": model.Denied, "interrupted": model.Stopped,
	"cancelled": model.Cancelled, "timeout": model.TimedOut, "background": model.Background,
}

// isLeaf compiles is:. Some names are about the message, some about a call; a term with both is
// about the unit.
func (c *compiler) isLeaf(l *leaf) {
	var msgs []func(*state) bool
	var units []func(*state, int) bool
	for i := range l.term.Values {
		name := l.term.Values[i].Text
		if f := c.isMessage(name); f != nil {
			msgs = append(msgs, f)
		} else {
			units = append(units, c.isUnit(name))
		}
	}
	if len(units) == 0 {
		l.msg = func(st *state) truth {
			for _, f := range msgs {
				if f(st) {
					return yes
				}
			}
			return no
		}
		return
	}
	l.unit = func(st *state, call int) marks {
		for _, f := range msgs {
			if f(st) {
				return markAll
			}
		}
		for _, f := range units {
			if f(st, call) {
				return unitMark(call)
			}
		}
		return 0
	}
}

func unitMark(call int) marks {
	if call < 0 {
		return markAll
	}
	return markCall(call)
}

func (c *compiler) isMessage(name string) func(*state) bool {
	if name == "compacted" {
		set := query.Compacted(c.snap)
		return func(st *state) bool { return set.Has(st.id) }
	}
	if name == cacheMiss {
		return func(st *state) bool { return c.causes[st.id].Missed() }
	}
	if flag, ok := isFlags[name]; ok {
		return func(st *state) bool { return st.head.Flags&flag != 0 }
	}
	switch name {
	case "sidechain":
		threads := c.snap.Threads()
		return func(st *state) bool { return st.head.Flags&model.Sidechain != 0 || !threads[st.head.Thread].Main }
	case "event":
		return func(st *state) bool { return !st.head.IsMessage() && st.head.Op != model.Unreadable }
	case "unreadable":
		return func(st *state) bool { return st.head.Op == model.Unreadable }
	case "unread":
		read := c.env.Read
		return func(st *state) bool { return st.head.IsMessage() && int(st.id) >= read }
	case "live":
		return func(st *state) bool {
			return st.head.IsMessage() && st.head.Flags&(model.Rewound|model.OffBranch) == 0
		}
	}
	return nil
}

func (c *compiler) isUnit(name string) func(*state, int) bool {
	snap := c.snap
	switch name {
	case "labelled", "marked":
		return c.isLabelled(name)
	case "error":
		return func(st *state, call int) bool {
			return st.flagged(call, model.APIError|model.Interrupted) || call >= 0 && st.calls[call].row.Outcome.Failed()
		}
	case "pending":
		return func(st *state, call int) bool {
			return call >= 0 && waits(st.calls[call].row)
		}
	case "orphan":
		return func(st *state, call int) bool { return call >= 0 && st.calls[call].row.Flags&model.OrphanCall != 0 }
	case "retry":
		return func(st *state, call int) bool { return call >= 0 && isRetry(snap, st.calls[call].id) }
	case "parallel":
		return func(st *state, call int) bool {
			if call < 0 || st.calls[call].row.Msg == model.NoID {
				return false
			}
			c, h := st.calls[call].row, snap.HeadRow(st.calls[call].row.Msg)
			return h.Flags&model.Parallel != 0 || c.Block > 0 || h.Flags&model.HasResults == 0 && h.LastCall != uint32(st.calls[call].id)
		}
	}
	outcome := outcomes[name]
	return func(st *state, call int) bool {
		return outcome == model.Stopped && st.flagged(call, model.Interrupted) || call >= 0 && st.calls[call].row.Outcome == outcome
	}
}

// retryWindow is the maximum distance of a call from the failed one that it retries: calls of other
// threads may be between them.
const retryWindow = 16

// waits reports whether a call is pending, or a result without a call reports it as running.
func waits(c *model.Call) bool { return c.Pending() || c.Outcome == model.Running }

// isRetry reports whether the previous call in the thread used the same tool and failed.
func isRetry(s *model.Snapshot, id model.CallID) bool {
	c := s.Call(id)
	if c.Msg == model.NoID {
		return false
	}
	thread := s.HeadRow(c.Msg).Thread
	for n := 1; n <= retryWindow && n <= int(id); n++ {
		before := s.Call(id - model.CallID(n))
		if before.Msg == model.NoID || before.Msg == c.Msg || s.HeadRow(before.Msg).Thread != thread {
			continue
		}
		return before.Tool == c.Tool && before.Outcome.Failed()
	}
	return false
}

func (c *compiler) kindLeaf(l *leaf) {
	l.unit = func(st *state, call int) (m marks) {
		for i := range l.term.Values {
			m |= kindMarks(st, call, l.term.Values[i].Text)
		}
		return m
	}
}

func kindMarks(st *state, call int, kind string) marks {
	if call >= 0 {
		if u := &st.calls[call]; kind == "call" && u.made || kind == "result" && u.row.Result == st.id {
			return markCall(call)
		}
		return 0
	}
	switch {
	case kind == "text" && st.head.Flags&model.HasWords != 0:
		return markWords
	case kind == "reasoning" && st.head.Flags&model.HasReasoning != 0:
		return markReasoning
	case kind == "event" && !st.head.IsMessage():
		return markAll
	}
	return 0
}

func (c *compiler) outcomeLeaf(l *leaf) {
	l.unit = func(st *state, call int) marks {
		for i := range l.term.Values {
			if outcomeHolds(st, call, l.term.Values[i].Text) {
				return unitMark(call)
			}
		}
		return 0
	}
}

func outcomeHolds(st *state, call int, name string) bool {
	switch {
	case name == "failed" && st.flagged(call, model.APIError), name == "interrupted" && st.flagged(call, model.Interrupted):
		return true
	case call < 0:
		return false
	}
	row := st.calls[call].row
	open := waits(row)
	switch name {
	case "pending":
		return open
	case "unknown":
		return row.Outcome == model.Unknown && !open
	}
	return row.Outcome == outcomes[name]
}

func (c *compiler) validityLeaf(l *leaf) {
	l.msg = func(st *state) truth {
		for i := range l.term.Values {
			flag := isFlags[l.term.Values[i].Text]
			if flag == 0 { // active
				if st.head.Flags&(model.Invalidated|model.Superseded|model.Archived) == 0 {
					return yes
				}
			} else if st.head.Flags&flag != 0 {
				return yes
			}
		}
		return no
	}
}

// ended reports whether a session ended in a state that a value of end: selects. A transcript does
// not show current activity, so waiting, stuck, running and idle match any session that has not
// ended.
func ended(state model.RunState, word string) bool {
	switch asked, _ := human.ParseState(word); asked {
	case human.Waiting, human.Stuck, human.Running, human.Idle:
		return state == model.RunOpen
	}
	return state.String() == word
}
