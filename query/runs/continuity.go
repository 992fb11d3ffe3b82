package runs

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/human"
)

// Conversation is the memory of one session: its activity by day and its unfinished business. Its
// texts are single lines.
type Conversation struct {
	Source    string           `json:"source"` // as the caller names the transcript
	Session   int              `json:"session"`
	Title     human.TextOrNull `json:"title"`
	Start     human.Stamp      `json:"first_time"`
	End       human.Stamp      `json:"last_time"`
	Outcome   query.RunOutcome `json:"outcome"`
	LastWords human.TextOrNull `json:"last_words"` // the last line of the assistant
	Summary   human.TextOrNull `json:"summary"`    // as recorded
	Days      []DayShare       `json:"days"`
	Open      []OpenThread     `json:"open_threads"`
	Agent     bool             `json:"subagent"` // it is only a subagent's transcript
	Several   bool             `json:"-"`        // its source has others

	// Recorded is the source's record about all its conversations; only the first conversation has
	// it. A conversation without days has no other data.
	Recorded *Recorded `json:"-"`
}

// Place names the conversation as the program opens it: its source, with # and a number if the
// source has several conversations.
func (c *Conversation) Place() string { return placeOf(c.Source, c.Session, c.Several) }

func placeOf(source string, session int, several bool) string {
	if several {
		return source + "#" + strconv.Itoa(session)
	}
	return source
}

// DayShare is the part of a conversation on one day.
type DayShare struct {
	Day      human.TextOrNull `json:"day"` // 2026-02-11, "" without a recorded time
	Start    human.Stamp      `json:"first_time"`
	End      human.Stamp      `json:"last_time"`
	Messages int              `json:"total_messages"`
	Turns    int              `json:"turns"`
	Calls    int              `json:"tool_calls"`
	Errors   int              `json:"tool_errors"`
	Tools    []ToolCount      `json:"tools"`
	Files    []string         `json:"files_touched"`
	First    human.TextOrNull `json:"first_prompt"`
	Last     human.TextOrNull `json:"last_prompt"`
	Summary  human.TextOrNull `json:"summary"` // as recorded
	Moments  []KeyMoment      `json:"key_moments"`
	tools    map[string]int
}

// ToolCount is the number of calls of a tool.
type ToolCount struct {
	Tool  string `json:"tool_name"`
	Calls int    `json:"call_count"`
}

// KeyMoment is a notable event of a day.
type KeyMoment struct {
	Kind  string      `json:"kind"` // error, correction, interruption, compaction
	Time  human.Stamp `json:"time"`
	Text  string      `json:"text"`
	Index human.Index `json:"index"` // null: its message has no position
	ID    model.ID    `json:"-"`
}

// momentError is the kind of a failed call among key moments.
const momentError = "error"

// The kinds of open threads.
const (
	OpenQuestion = "question" // of the assistant, without an answer
	OpenPrompt   = "prompt"   // without an answer
	OpenCall     = "call"     // without a result
	OpenTodo     = "todo"     // an unfinished item
	OpenError    = "error"    // without a later success of the same kind
)

// OpenThread is unfinished business.
type OpenThread struct {
	Kind    string      `json:"kind"`
	Text    string      `json:"text"`
	Source  string      `json:"source"`
	Session int         `json:"session"`
	Index   human.Index `json:"index"`
	ID      model.ID    `json:"-"`
	Time    human.Stamp `json:"time"`
	Times   int         `json:"times"` // number of equal threads at that place
	Weight  float64     `json:"weight"`
	Score   float64     `json:"score"` // weight, reduced by age
	Several bool        `json:"-"`     // its source has other conversations
}

// Place names the conversation of the thread as the program opens it.
func (t *OpenThread) Place() string { return placeOf(t.Source, t.Session, t.Several) }

// ContinuityAnswer is the memory of an agent across conversations.
type ContinuityAnswer struct {
	Version int            `json:"version"`
	Now     human.Stamp    `json:"now"`
	Days    []Day          `json:"days"` // latest first
	Today   *Day           `json:"today"`
	Last    *Conversation  `json:"last_conversation"`
	Open    []OpenThread   `json:"open_threads"`
	All     []Conversation `json:"-"`
	zone    *time.Location
}

// Day summarises a day over all conversations.
type Day struct {
	DayShare
	Conversations []DayConversation `json:"conversations"`
}

// DayConversation is the part of a conversation on one day. A conversation that continued after
// midnight appears under both days.
type DayConversation struct {
	Source  string           `json:"source"`
	Session int              `json:"session"`
	Title   human.TextOrNull `json:"title"`
	Start   human.Stamp      `json:"first_time"` // on the day
	Turns   int              `json:"turns"`
	Calls   int              `json:"tool_calls"`
	Errors  int              `json:"tool_errors"`
	State   model.RunState   `json:"state"`
	several bool
}

// Place names the conversation as the program opens it.
func (c *DayConversation) Place() string { return placeOf(c.Source, c.Session, c.several) }

// ContinuityOptions shape the answer. The caller supplies the present time and the zone.
type ContinuityOptions struct {
	Now  int64 // Unix ms
	Zone *time.Location
	Open int // maximum number of open threads; 0: all
	// Source and Session name the running conversation, if it is not the last one. Source ""
	// names none.
	Source  string
	Session int
}

// Continuity joins conversations: by day, today, the last one, and unfinished business. It ignores
// days after the present one.
func Continuity(list []Conversation, o ContinuityOptions) *ContinuityAnswer {
	zone := cmp.Or(o.Zone, time.UTC)
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Conversation) int { return cmp.Compare(int64(a.End), int64(b.End)) })
	a := &ContinuityAnswer{Version: human.AnswerVersion, Now: human.Stamp(o.Now), Days: []Day{}, All: list, zone: zone}
	open := 0
	for i := range list {
		open += len(list[i].Open)
	}
	a.Open = make([]OpenThread, 0, open)
	g := gathering{a: a, days: map[string]*Day{}, today: dayIn(o.Now, zone)}
	for i := range list {
		c := &list[i]
		if len(c.Days) == 0 || string(c.Days[0].Day) > g.today {
			continue
		}
		if o.Source == "" || c.Source != o.Source || c.Session != o.Session {
			a.Last = c
		}
		g.conversation(c)
	}
	for i := range list { // after all seen ones
		if list[i].Recorded != nil {
			g.recorded(&list[i])
		}
	}
	slices.SortStableFunc(a.Open, func(x, y OpenThread) int {
		return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(int64(y.Time), int64(x.Time)))
	})
	if o.Open > 0 {
		a.Open = a.Open[:min(len(a.Open), o.Open)]
	}
	g.finish()
	return a
}

// gathering sums up days and open threads. It ignores records of times after today.
type gathering struct {
	a     *ContinuityAnswer
	days  map[string]*Day
	today string
}

func (g *gathering) conversation(c *Conversation) {
	for k := range c.Days {
		s := &c.Days[k]
		if string(s.Day) > g.today {
			continue
		}
		d := g.day(string(s.Day))
		d.join(s)
		d.Conversations = append(d.Conversations, DayConversation{c.Source, c.Session, c.Title, s.Start, s.Turns, s.Calls, s.Errors, c.Outcome.State, c.Several})
	}
	for _, t := range c.Open {
		g.open(t)
	}
}

// recorded adds the agent's own record of its work.
func (g *gathering) recorded(c *Conversation) {
	last := ""
	if n := len(c.Days); n > 0 {
		last = string(c.Days[n-1].Day)
	}
	for _, s := range c.Recorded.within(g.today, last) {
		g.day(string(s.Day)).join(&s)
	}
	for _, t := range c.Recorded.Open {
		g.open(t)
	}
}

func (g *gathering) day(name string) *Day {
	d := g.days[name]
	if d == nil {
		d = &Day{DayShare: DayShare{Day: human.TextOrNull(name), tools: map[string]int{}, Files: []string{}, Moments: []KeyMoment{}}, Conversations: []DayConversation{}}
		g.days[name] = d
	}
	return d
}

// open scores a thread: its weight, reduced for every day that it has been open.
func (g *gathering) open(t OpenThread) {
	if t.Time != 0 && dayIn(int64(t.Time), g.a.zone) > g.today {
		return
	}
	if age := float64(g.a.Now-t.Time) / 3_600_000; t.Time == 0 {
		t.Score = t.Weight / 100
	} else {
		t.Score = math.Round(1000*t.Weight/(1+max(age, 0)/24)) / 1000
	}
	g.a.Open = append(g.a.Open, t)
}

// finish lists the days, latest first.
func (g *gathering) finish() {
	names := slices.Sorted(maps.Keys(g.days))
	slices.Reverse(names)
	for _, name := range names {
		d := g.days[name]
		d.finish()
		slices.SortStableFunc(d.Conversations, func(x, y DayConversation) int { return cmp.Compare(int64(x.Start), int64(y.Start)) })
		g.a.Days = append(g.a.Days, *d)
		if name == g.today {
			g.a.Today = d
		}
	}
}

func dayIn(ms int64, zone *time.Location) string {
	return time.UnixMilli(ms).In(zone).Format(time.DateOnly)
}

func (d *Day) join(s *DayShare) {
	d.Messages += s.Messages
	d.Turns += s.Turns
	d.Calls += s.Calls
	d.Errors += s.Errors
	for _, t := range s.Tools {
		d.tools[t.Tool] += t.Calls
	}
	for _, f := range s.Files {
		if !slices.Contains(d.Files, f) {
			d.Files = append(d.Files, f)
		}
	}
	if s.First != "" && (d.First == "" || s.Start < d.Start) {
		d.First = s.First
	}
	if s.Last != "" && (d.Last == "" || s.End >= d.End) {
		d.Last = s.Last
	}
	if d.Start == 0 || s.Start != 0 && s.Start < d.Start {
		d.Start = s.Start
	}
	d.End = max(d.End, s.End)
	d.Moments = append(d.Moments, s.Moments...)
	if s.Summary != "" {
		d.Summary = human.TextOrNull(strings.TrimSpace(string(d.Summary + " " + s.Summary)))
	}
}

// finish turns the sums of tools into a list, most used first.
func (d *DayShare) finish() {
	d.Tools = make([]ToolCount, 0, len(d.tools))
	for tool, n := range d.tools {
		d.Tools = append(d.Tools, ToolCount{tool, n})
	}
	slices.SortFunc(d.Tools, func(a, b ToolCount) int {
		return cmp.Or(b.Calls-a.Calls, strings.Compare(a.Tool, b.Tool))
	})
	slices.SortStableFunc(d.Moments, func(a, b KeyMoment) int { return cmp.Compare(int64(a.Time), int64(b.Time)) })
}

// momentsKept is the maximum number of moments of a kind on a day of a conversation.
const momentsKept = 20

// filesKept is the maximum number of files on a day of a conversation.
const filesKept = 200

// Conversations returns the memory of each session of a snapshot. It reads heads, prompts, the
// last words, and the arguments of calls that write, list todos or failed.
func Conversations(ctx context.Context, source string, s *model.Snapshot, zone *time.Location) ([]Conversation, error) {
	zone = cmp.Or(zone, time.UTC)
	w := &contWalk{snap: s, zone: zone, ctx: ctx, families: make([]describe.Family, len(s.Names()))}
	for i, name := range s.Names() {
		w.families[i], _, _ = describe.FamilyOf(name)
	}
	w.turns = query.NewTurnIndex(s)
	w.begun = make(query.RowSet, w.turns.Len()/64+1)
	w.sessions = make([]contSession, len(s.Sessions()))
	for i := range w.sessions {
		c := &w.sessions[i]
		c.Source, c.Session, c.Open, c.Several = source, i, []OpenThread{}, len(w.sessions) > 1
		c.Outcome = query.Outcome(s, i)
		c.last = model.NoID
	}
	if err := w.rows(); err != nil {
		return nil, err
	}
	if err := w.calls(); err != nil {
		return nil, err
	}
	list, titles := make([]Conversation, 0, len(w.sessions)), model.NewTitles(s, nil)
	recorded := &Recorded{}
	for i := range w.sessions {
		c := &w.sessions[i]
		recordedOf(recorded, &s.Sessions()[i], source)
		c.Summary = human.TextOrNull(human.OneLine(s.Sessions()[i].Field("conversation_summary"), describe.LineMax))
		if err := w.endings(c); err != nil {
			return nil, err
		}
		if len(c.Days) == 0 {
			continue // no messages
		}
		for k := range c.Days {
			c.Days[k].finish()
		}
		c.Start, c.End = human.Stamp(c.span.Started), human.Stamp(c.span.Last)
		c.Title = human.TextOrNull(human.OneLine(titles.Of(ctx, i), describe.LineMax))
		list = append(list, c.Conversation)
	}
	if recorded.empty() {
		return list, nil
	}
	if len(list) == 0 {
		list = append(list, Conversation{Source: source})
	}
	list[0].Recorded = recorded
	return list, nil
}

// MoveConversations returns a copy of conversations in which those of the transcript from name the
// transcript to. Lists that a cache decoded as nil become empty again, as [Conversations] returns
// them.
func MoveConversations(list []Conversation, from, to string) []Conversation {
	moved := slices.Clone(list)
	for i := range moved {
		c := &moved[i]
		if c.Source == from {
			c.Source = to
		}
		if c.Open = moveThreads(c.Open, from, to); len(c.Days) > 0 {
			c.Open = orEmpty(c.Open)
		}
		if c.Recorded != nil {
			recorded := *c.Recorded
			recorded.Open = moveThreads(recorded.Open, from, to)
			c.Recorded = &recorded
		}
		c.Days = slices.Clone(c.Days)
		for k := range c.Days {
			d := &c.Days[k]
			d.Tools, d.Files, d.Moments = orEmpty(d.Tools), orEmpty(d.Files), orEmpty(d.Moments)
		}
	}
	return moved
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func moveThreads(list []OpenThread, from, to string) []OpenThread {
	moved := slices.Clone(list)
	for i := range moved {
		if moved[i].Source == from {
			moved[i].Source = to
		}
	}
	return moved
}

// contWalk collects the sessions of a snapshot.
type contWalk struct {
	ctx      context.Context
	snap     *model.Snapshot
	zone     *time.Location
	families []describe.Family
	sessions []contSession
	turns    *query.TurnIndex
	begun    query.RowSet // turns
	from, to int64        // of the last requested day
	day      string
}

type contSession struct {
	Conversation
	last    model.ID   // last message of the assistant in the main thread
	waiting []model.ID // unanswered prompts
	span    model.Summary
	begun   bool // a message of the main thread was read
}

// dayOf returns the day of a time, in the zone.
func (w *contWalk) dayOf(ms int64) string {
	if ms == 0 {
		return ""
	}
	if ms < w.from || ms >= w.to {
		t := time.UnixMilli(ms).In(w.zone)
		y, m, d := t.Date()
		w.from, w.to = time.Date(y, m, d, 0, 0, 0, 0, w.zone).UnixMilli(), time.Date(y, m, d+1, 0, 0, 0, 0, w.zone).UnixMilli()
		w.day = t.Format(time.DateOnly)
	}
	return w.day
}

// share returns the day of the conversation for a time. An unknown time belongs to the previous
// day.
func (w *contWalk) share(c *contSession, ms int64) *DayShare {
	n := len(c.Days)
	if ms == 0 && n > 0 {
		return &c.Days[n-1]
	}
	day := w.dayOf(ms)
	for i := n - 1; i >= 0; i-- {
		if string(c.Days[i].Day) == day {
			return &c.Days[i]
		}
	}
	c.Days = append(c.Days, DayShare{Day: human.TextOrNull(day), Start: human.Stamp(ms), tools: map[string]int{}, Files: []string{}, Moments: []KeyMoment{}})
	return &c.Days[n]
}

func (w *contWalk) moment(d *DayShare, kind, text string, id model.ID) {
	n := 0
	for i := range d.Moments {
		if d.Moments[i].Kind == kind {
			n++
		}
	}
	if n < momentsKept {
		d.Moments = append(d.Moments, KeyMoment{kind, human.Stamp(w.snap.HeadRow(id).Time), text, human.Index(w.snap.Pos(id)), id})
	}
}

func (w *contWalk) rows() error {
	s := w.snap
	for n := range s.Rows() {
		id := s.Row(n)
		h := s.HeadRow(id)
		th := &s.Threads()[h.Thread]
		c := &w.sessions[th.Session]
		if h.Flags&model.Rewound == 0 && !th.Apart {
			c.span.Clock(h.Time)
		}
		if h.Op == model.Compact {
			if len(c.Days) > 0 {
				w.moment(w.share(c, h.Time), "compaction", "the conversation was compacted", id)
			}
			continue
		}
		if h.Op != model.Say || h.Flags&model.Rewound != 0 || th.Apart {
			continue
		}
		d := w.share(c, h.Time)
		d.Messages++
		if turn := w.turns.Turn(id); turn >= 0 && !w.begun.Has(model.ID(turn)) {
			w.begun.Add(model.ID(turn)) // it belongs to the day on which it began
			d.Turns++
		}
		if h.Time != 0 {
			d.End = max(d.End, human.Stamp(h.Time))
		}
		if !th.Main {
			continue
		}
		if !c.begun {
			c.begun, c.Agent = true, h.Flags&model.Sidechain != 0
		}
		if h.Flags&model.Interrupted != 0 {
			w.moment(d, "interruption", "interrupted by the user", id)
		}
		switch {
		case h.Role == model.Assistant && h.Flags&model.APIError == 0:
			c.last, c.waiting = id, c.waiting[:0]
		case h.Role == model.User && h.Flags&model.Prompt != 0 && h.Flags&(model.Recap|model.Injected) == 0:
			if err := w.prompt(c, d, id); err != nil {
				return err
			}
		}
	}
	return w.ctx.Err()
}

func (w *contWalk) prompt(c *contSession, d *DayShare, id model.ID) error {
	m, err := w.snap.Body(w.ctx, id)
	if err != nil {
		return err
	}
	text := describe.FirstWords(m)
	d.First = cmp.Or(d.First, human.TextOrNull(text))
	d.Last = human.TextOrNull(text)
	if c.last != model.NoID && corrects(text) {
		w.moment(d, "correction", text, id)
	}
	c.waiting = append(c.waiting, id)
	return nil
}

// corrections are the beginnings of prompts that reject the answer.
var corrections = []string{
	"no,", "no.", "no!", "no ", "nope", "don't", "dont ", "do not", "stop", "wrong", "that's not", "thats not", "that is not", "this is not", "actually",
	"undo", "revert", "not what", "you forgot", "you didn't", "still not", "it still", "still broken", "wait", "instead", "i said", "i meant", "never mind", "nein", "non,",
}

func corrects(text string) bool {
	text = strings.ToLower(text)
	return text == "no" || slices.ContainsFunc(corrections, func(c string) bool { return strings.HasPrefix(text, c) })
}
