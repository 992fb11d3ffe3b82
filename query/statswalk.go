package query

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"turns/model"
)

// statsTop is how many of the slowest and largest items an answer names.
const statsTop = 10

// statsWalk gathers a StatsAnswer in three passes: live messages in order, all
// rows, all calls.
type statsWalk struct {
	coverage
	sel      Selection
	tokens   *TokenColumn
	a        *StatsAnswer
	turns    *TurnIndex
	times    *timeWalk
	usage    []usageTally // by session
	rewound  usageTally
	roles    [model.Other + 1]int
	others   map[uint16]int // messages of roles without a name of ours
	byRole   map[string]int64
	models   []bool // by name
	sessions []bool
	agents   []bool // threads that are subagents
	errors   [model.Background + 1]int
	derived  int
	recorded int
	slowest  top[SlowItem]
	largest  top[LargeItem]
	kinds    KindTokens
	seen     rowSet // turns
}

func newStatsWalk(sel Selection) *statsWalk {
	s := sel.Snap
	w := &statsWalk{
		coverage: newCoverage(sel), sel: sel,
		turns: NewTurnIndex(s), times: newTimeWalk(s),
		usage: make([]usageTally, len(s.Sessions())), others: map[uint16]int{}, byRole: map[string]int64{},
		models: make([]bool, len(s.Names())), sessions: make([]bool, len(s.Sessions())), agents: make([]bool, len(s.Threads())),
		a: &StatsAnswer{
			Version: AnswerVersion, sel: sel, Format: s.Format(), Models: []string{}, MessagesByRole: map[string]int{},
			ErrorsByOutcome: map[string]int{}, Slowest: []SlowItem{}, Largest: []LargeItem{}, Events: []EventCount{},
		},
	}
	w.seen = make(rowSet, w.turns.Len()/64+1)
	w.slowest.size, w.largest.size = statsTop, statsTop
	return w
}

// messages goes over the live messages. All of them move the clock; the selected
// ones are counted.
func (w *statsWalk) messages(ctx context.Context) error {
	for i, id := range w.snap.LiveIDs() {
		if i&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		h := w.snap.HeadRow(id)
		th := &w.threads[h.Thread]
		before := w.times.split
		asked := w.times.message(h, th)
		if h.Flags&model.HasCalls != 0 && h.Flags&model.HasResults == 0 && th.Main {
			for row := h.LastCall; row != model.NoRow; {
				c := w.snap.Call(model.CallID(row))
				w.times.call(c, h, th)
				row = c.Prev
			}
		}
		if !w.all && !w.picked.has(id) {
			w.times.split = before // the time that led to it is not asked for
			continue
		}
		w.message(id, h, th, asked)
	}
	return nil
}

func (w *statsWalk) message(id model.ID, h *model.Head, th *model.Thread, asked int64) {
	a := w.a
	a.TotalMessages++
	w.sessions[th.Session] = true
	if h.Role == model.Other {
		w.others[h.Name]++
	} else {
		w.roles[h.Role]++
	}
	if !th.Main {
		w.agents[h.Thread] = true
		a.Agents.Messages++
	}
	if h.Flags&model.Injected != 0 {
		a.Injected++
	}
	if h.Flags&model.Inherited != 0 {
		a.Inherited.Messages++
	}
	if turn := w.turns.Turn(id); turn >= 0 && !w.seen.has(model.ID(turn)) {
		w.seen.add(model.ID(turn))
		a.Turns++
	}
	w.clock(h.Time)
	if h.Role == model.Assistant {
		w.response(id, h, th, asked)
	}
	w.size(id, h)
	if w.tokens != nil {
		w.count(id, h)
	}
	if !w.wholeOf(h) { // else rows does
		w.addUsage(id, h, th)
	}
}

func (w *statsWalk) addUsage(id model.ID, h *model.Head, th *model.Thread) {
	if h.Usage == model.NoRow {
		return
	}
	if t, ok := w.snap.Tokens(id); ok {
		w.usage[th.Session].addTokens(&t)
	}
}

func (w *statsWalk) clock(ms int64) {
	if ms == 0 {
		return
	}
	at := Stamp(ms)
	if w.a.FirstTime == 0 || at < w.a.FirstTime {
		w.a.FirstTime = at
	}
	w.a.LastTime = max(w.a.LastTime, at)
}

func (w *statsWalk) response(id model.ID, h *model.Head, th *model.Thread, asked int64) {
	a := w.a
	a.Responses++
	if th.Main {
		a.Steps++
	}
	if h.Flags&(model.APIError|model.Interrupted) != 0 {
		a.ModelErrors++
	}
	if !w.models[h.Name] && h.Name != 0 {
		w.models[h.Name] = true
		if name := w.snap.Name(h.Name); name != "<synthetic>" {
			a.Models = append(a.Models, name)
		}
	}
	if w.slowest.wants(asked) {
		w.slowest.offer(asked, SlowItem{
			Kind: "response", Name: w.snap.Name(h.Name), ID: id, Call: model.CallID(model.NoRow), Duration: Millis(asked), Derived: true,
		})
	}
	if h.Usage == model.NoRow || !th.Main {
		return
	}
	if n, ok := ContextOf(w.snap, id); ok {
		if a.Context == nil {
			a.Context = &ContextUse{}
		}
		a.Context.Last = n
		a.Context.Most = max(a.Context.Most, n)
	}
}

// size offers what a message says and thinks as one of the largest; calls and
// results are offered on their own.
func (w *statsWalk) size(id model.ID, h *model.Head) {
	if h.Flags&model.HasResults != 0 {
		return
	}
	size := int64(h.Size)
	if h.Flags&model.HasCalls != 0 && (w.tokens != nil || w.largest.wants(size)) {
		for row := h.LastCall; row != model.NoRow; {
			c := w.snap.Call(model.CallID(row))
			size -= int64(c.ArgsSize)
			if c.Result == id {
				size -= int64(c.ResultSize)
			}
			row = c.Prev
		}
		size = max(size, 0)
	}
	rank, kind := size, "message"
	if w.tokens != nil {
		t, _ := w.tokens.Message(id)
		rank = int64(t.Content) + int64(t.Reasoning)
		if t.Reasoning > t.Content {
			kind = "reasoning"
		}
	}
	if w.largest.wants(rank) {
		w.largest.offer(rank, LargeItem{Kind: kind, Name: w.roleName(h), ID: id, Call: model.CallID(model.NoRow), Bytes: size})
	}
}

func (w *statsWalk) roleName(h *model.Head) string {
	if h.Role == model.Other {
		if name := w.snap.Name(h.Name); name != "" {
			return name
		}
	}
	return h.Role.String()
}

func (w *statsWalk) count(id model.ID, h *model.Head) {
	t, ok := w.tokens.Message(id)
	if !ok {
		return
	}
	w.byRole[w.roleName(h)] += t.Sum()
	k := &w.kinds
	k.Reasoning += int64(t.Reasoning)
	k.Arguments += int64(t.Calls)
	k.Results += int64(t.Results)
	said := int64(t.Content)
	switch {
	case h.Role == model.System || h.Role == model.Developer || h.Flags&model.Injected != 0:
		k.System += said
	case h.Role == model.User:
		k.User += said
	case h.Role == model.Assistant:
		k.Assistant += said
	default:
		k.Other += said
	}
}

// rows goes over all rows of whole conversations: usage of every branch,
// bookkeeping, what was rewound.
func (w *statsWalk) rows(ctx context.Context) error {
	kinds := make([]int, len(w.snap.Names()))
	var ops [model.End + 1]int
	for i := range w.snap.Rows() {
		if i&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		id := model.ID(i)
		h := w.snap.HeadRow(id)
		if !w.wholeOf(h) {
			continue
		}
		if w.threads[h.Thread].Apart {
			w.apart(h)
			continue
		}
		switch {
		case h.Flags&model.Rewound != 0:
			if h.IsMessage() {
				w.a.Rewound.Messages++
			}
			if h.Usage != model.NoRow {
				if t, ok := w.snap.Tokens(id); ok {
					w.rewound.addTokens(&t)
				}
			}
			continue
		case h.IsMessage():
		case h.Op == model.Unreadable:
			w.a.UnreadableRecords++
		case h.Op == model.Note && h.Name != 0:
			kinds[h.Name]++
		default:
			ops[h.Op]++
			if h.Op == model.Compact {
				w.a.Compactions++
			}
		}
		if !h.IsMessage() {
			w.clock(h.Time)
		}
		w.addUsage(id, h, &w.threads[h.Thread])
	}
	w.events(kinds, ops[:])
	return nil
}

// apart counts a message of a subagent whose transcript is a file of its own.
func (w *statsWalk) apart(h *model.Head) {
	if h.IsMessage() && h.Flags&model.Rewound == 0 {
		w.a.Agents.Messages++
		w.agents[h.Thread] = true
	}
}

// apartCall counts a call of such a subagent.
func (w *statsWalk) apartCall(c *model.Call) {
	if c.Msg != model.NoID {
		w.a.Agents.Calls++
	}
	if c.Outcome.Failed() {
		w.a.Agents.Errors++
	}
}

// opNames are how bookkeeping without a recorded kind is called.
var opNames = [...]string{
	"message", "note", "unreadable", "reset", "rewind", "retraction", "compaction", "life", "branch", "agent", "usage", "about", "end",
}

func (w *statsWalk) events(kinds, ops []int) {
	for name, n := range kinds {
		if n > 0 {
			w.a.Events = append(w.a.Events, EventCount{w.snap.Name(uint16(name)), n})
		}
	}
	for op, n := range ops {
		if n > 0 {
			w.a.Events = append(w.a.Events, EventCount{opNames[op], n})
		}
	}
	slices.SortFunc(w.a.Events, func(x, y EventCount) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Kind, y.Kind))
	})
}

func (w *statsWalk) calls(ctx context.Context) error {
	for i := range w.snap.CallCount() {
		if i&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		id := model.CallID(i)
		c := w.snap.Call(id)
		at := c.Msg
		if at == model.NoID {
			at = c.Result
		}
		if at == model.NoID {
			continue
		}
		h := w.snap.HeadRow(at)
		switch {
		case w.threads[h.Thread].Apart:
			if w.wholeOf(h) {
				w.apartCall(c)
			}
		case w.counts(at):
			w.call(id, c, h)
		case w.wholeOf(h):
			w.leftOut(c, h.Flags)
		}
	}
	return nil
}

// leftOut counts a call that is in no other number.
func (w *statsWalk) leftOut(c *model.Call, flags model.Flags) {
	calls, errors := &w.a.Rewound.Calls, &w.a.Rewound.Errors
	if flags&model.Rewound == 0 {
		calls, errors = &w.a.Inherited.Calls, &w.a.Inherited.Errors
	}
	if c.Msg != model.NoID {
		*calls++
	}
	if c.Outcome.Failed() {
		*errors++
	}
}

func (w *statsWalk) call(id model.CallID, c *model.Call, h *model.Head) {
	a := w.a
	agent := !w.threads[h.Thread].Main
	if c.Msg == model.NoID {
		a.OrphanResults++
	} else {
		a.ToolCalls++
		if agent {
			a.Agents.Calls++
		}
		if Pending(c) {
			a.PendingCalls++
		}
	}
	if c.Result != model.NoID {
		a.ToolResults++
	}
	if c.Outcome.Failed() {
		a.ToolErrors++
		w.errors[c.Outcome]++
		if agent {
			a.Agents.Errors++
		}
	}
	w.weigh(id, c)
	if c.Took == model.NoTook {
		return
	}
	derived := c.Flags&model.TookDerived != 0
	if derived {
		w.derived++
	} else {
		w.recorded++
	}
	if c.Msg != model.NoID && w.slowest.wants(int64(c.Took)) {
		w.slowest.offer(int64(c.Took), SlowItem{
			Kind: "call", Name: w.snap.Name(c.Tool), ID: c.Msg, Call: id, Duration: Millis(c.Took), Derived: derived,
		})
	}
}

// weigh offers the arguments and the result of a call as the largest.
func (w *statsWalk) weigh(id model.CallID, c *model.Call) {
	args, result := int64(c.ArgsSize), int64(c.ResultSize)
	if w.tokens != nil {
		t, _ := w.tokens.Call(id)
		args, result = int64(t.Args), int64(t.Result)
	}
	if c.Msg != model.NoID && w.largest.wants(args) {
		w.largest.offer(args, LargeItem{Kind: "arguments", Name: toolName(w.snap, c), ID: c.Msg, Call: id, Bytes: int64(c.ArgsSize)})
	}
	if c.Result != model.NoID && w.largest.wants(result) {
		w.largest.offer(result, LargeItem{Kind: "result", Name: toolName(w.snap, c), ID: c.Result, Call: id, Bytes: int64(c.ResultSize)})
	}
}

// finish makes the answer's fields from what was gathered.
func (w *statsWalk) finish() {
	a, s := w.a, w.snap
	for role, n := range w.roles {
		if n > 0 {
			a.MessagesByRole[model.Role(role).String()] += n
		}
	}
	for name, n := range w.others {
		role := s.Name(name)
		if role == "" {
			role = model.Other.String()
		}
		a.MessagesByRole[role] += n
	}
	for o, n := range w.errors {
		if n > 0 {
			a.ErrorsByOutcome[model.Outcome(o).String()] = n
		}
	}
	for _, in := range w.agents {
		if in {
			a.Agents.Count++
		}
	}
	for _, in := range w.sessions {
		if in {
			a.Sessions++
		}
	}
	if w.all {
		a.UnreadableRecords = s.Unreadable()
		a.Turns = w.turns.Len()
	}
	w.finishUsage()
	w.finishTokens()
	a.Outcome = outcomeOf(s, w.sessions)
	a.Time = w.times.split
	switch {
	case w.derived > 0 && w.recorded > 0:
		a.DurationSource = "mixed"
	case w.derived > 0:
		a.DurationSource = "derived"
	case w.recorded > 0:
		a.DurationSource = "recorded"
	}
	for _, x := range w.slowest.items {
		x.item.Index = s.Pos(x.item.ID)
		a.Slowest = append(a.Slowest, x.item)
	}
	for _, x := range w.largest.items {
		x.item.Index = s.Pos(x.item.ID)
		if w.tokens != nil { // it was ranked by them
			x.item.Tokens = &x.value
		}
		a.Largest = append(a.Largest, x.item)
	}
}

func (w *statsWalk) finishUsage() {
	sum := w.sessionUsage()
	w.a.Usage, w.a.Cost = sum.sum(), sum.dollars()
	w.a.Rewound.Usage = w.rewound.sum()
	if w.a.Context != nil && len(w.sessions) == 1 {
		if n, err := strconv.ParseInt(w.snap.Sessions()[0].Field("window"), 10, 64); err == nil {
			w.a.Context.Window = n
		}
	}
}

func (w *statsWalk) finishTokens() {
	if w.tokens == nil {
		return
	}
	total, avg := int64(0), 0.0
	for _, n := range w.byRole {
		total += n
	}
	if w.a.TotalMessages > 0 {
		avg = float64(total) / float64(w.a.TotalMessages)
	}
	w.a.TotalTokens, w.a.AvgTokensPerMessage = &total, &avg
	w.a.TokensByRole, w.a.TokensByKind = w.byRole, &w.kinds
	w.a.Encoding = w.tokens.Encoding()
}
