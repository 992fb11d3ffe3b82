package summary

import (
	"cmp"
	"context"
	"slices"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/label"
	"turns/query/lanes"
)

// statsTop is how many of the slowest and largest items an answer lists.
const statsTop = 10

// statsWalk collects a StatsAnswer in three passes: live messages in order, all rows, all calls.
type statsWalk struct {
	query.Coverage
	sel      query.Selection
	tokens   *query.TokenColumn
	a        *StatsAnswer
	turns    *query.TurnIndex
	times    *lanes.Clock
	usage    []query.UsageTally // by session
	more     []int64            // by session: output beyond placeholders
	rewound  query.UsageTally
	roles    [model.Other + 1]int
	others   map[uint16]int // messages of unknown roles, by name of the role
	byRole   map[string]int64
	models   []bool // by name
	thought  []int  // messages with reasoning, by the name of their model
	sessions []bool
	answered []bool      // sessions with answers of a model
	asked    *model.Head // the last request of known size
	agents   []bool      // threads that are subagents
	errors   [model.Background + 1]int
	derived  int
	recorded int
	slowest  Top[SlowItem]
	largest  Top[LargeItem]
	kinds    KindTokens
	seen     query.RowSet // turns
}

func newStatsWalk(sel query.Selection) *statsWalk {
	s := sel.Snap
	w := &statsWalk{
		Coverage: query.NewCoverage(sel), sel: sel,
		turns: query.NewTurnIndex(s), times: lanes.NewClock(s),
		usage: make([]query.UsageTally, len(s.Sessions())), more: make([]int64, len(s.Sessions())), others: map[uint16]int{}, byRole: map[string]int64{},
		models: make([]bool, len(s.Names())), thought: make([]int, len(s.Names())), sessions: make([]bool, len(s.Sessions())), answered: make([]bool, len(s.Sessions())), agents: make([]bool, len(s.Threads())),
		a: &StatsAnswer{
			Version: human.AnswerVersion, sel: sel, Format: s.Format(), OfMessages: s.Len(), Models: []string{}, Labels: []label.Count{}, MessagesByRole: map[string]int{}, ReasoningByModel: map[string]int{},
			ErrorsByOutcome: map[string]int{}, Slowest: []SlowItem{}, Largest: []LargeItem{}, Events: []describe.EventCount{},
		},
	}
	w.seen = make(query.RowSet, w.turns.Len()/64+1)
	w.slowest.Size, w.largest.Size = statsTop, statsTop
	return w
}

// messages walks the live messages. All of them advance the clock; only the selected ones count.
func (w *statsWalk) messages(ctx context.Context) error {
	for i, id := range w.Snap.LiveIDs() {
		if i&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		h := w.Snap.HeadRow(id)
		th := &w.Threads[h.Thread]
		picked := w.All || w.Picked.Has(id)
		asked := w.times.Next(h, picked) // skip the time before a message outside the selection
		if !picked {
			continue
		}
		w.message(id, h, th, asked)
	}
	for id := range lanes.Apart(&w.Coverage) {
		w.times.Next(w.Snap.HeadRow(id), true)
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
	if h.Flags&model.HasReasoning != 0 {
		a.TotalReasoning++
		w.thought[h.Name]++
	}
	if h.Flags&model.Inherited != 0 {
		a.Inherited.Messages++
	}
	if turn := w.turns.Turn(id); turn >= 0 && !w.seen.Has(model.ID(turn)) {
		w.seen.Add(model.ID(turn))
		a.Turns++
	}
	if h.Responds() {
		w.response(id, h, th, asked)
	}
	w.size(id, h)
	if w.tokens != nil {
		w.count(id, h)
	}
	if !w.WholeOf(h) { // otherwise rows does it
		w.addUsage(id, h, th)
	}
}

func (w *statsWalk) addUsage(id model.ID, h *model.Head, th *model.Thread) {
	if h.Usage == model.NoRow {
		return
	}
	if t, ok := w.Snap.Tokens(id); ok {
		w.usage[th.Session].AddTokens(&t)
		w.more[th.Session] += h.OutputMissing(t.Usage().Output)
	}
}

// addModel adds a model to the list if it is new.
func (a *StatsAnswer) addModel(name string) {
	if name != "" && name != "<synthetic>" && !slices.Contains(a.Models, name) {
		a.Models = append(a.Models, name)
	}
}

func (w *statsWalk) response(id model.ID, h *model.Head, th *model.Thread, asked int64) {
	a := w.a
	a.Responses++
	w.answered[th.Session] = true
	if th.Main {
		a.Steps++
	}
	if h.FailedResponse() {
		a.ModelErrors++
	}
	if !w.models[h.Name] {
		w.models[h.Name] = h.Name != 0 // a message without a model may have that of its session
		a.addModel(cmp.Or(w.Snap.Name(h.Name), w.Snap.Sessions()[th.Session].Field("model")))
	}
	if w.slowest.Wants(asked) {
		w.slowest.Offer(asked, SlowItem{
			Kind: "response", Name: w.Snap.Name(h.Name), ID: id, Call: model.CallID(model.NoRow), Duration: human.Millis(asked), Derived: true,
		})
	}
	if h.Usage == model.NoRow || !th.Main {
		return
	}
	if n, ok := query.ContextOf(w.Snap, id); ok {
		if a.Context == nil {
			a.Context = &ContextUse{}
		}
		a.Context.Last, w.asked = n, h
		a.Context.Most = max(a.Context.Most, n)
	}
}

// size offers the text and reasoning of a message as one of the largest items; calls and results
// are offered separately.
func (w *statsWalk) size(id model.ID, h *model.Head) {
	if h.Flags&model.HasResults != 0 {
		return
	}
	size := int64(h.Size)
	if h.Flags&model.HasCalls != 0 && (w.tokens != nil || w.largest.Wants(size)) {
		for row := h.LastCall; row != model.NoRow; {
			c := w.Snap.Call(model.CallID(row))
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
	if w.largest.Wants(rank) {
		w.largest.Offer(rank, LargeItem{Kind: kind, Name: w.roleName(h), ID: id, Call: model.CallID(model.NoRow), Bytes: size})
	}
}

func (w *statsWalk) roleName(h *model.Head) string {
	if h.Role == model.Other {
		return cmp.Or(w.Snap.Name(h.Name), model.NoRole.String())
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
	content := int64(t.Content)
	switch {
	case h.Role == model.System || h.Role == model.Developer || h.Flags&model.Injected != 0:
		k.System += content
	case h.Role == model.User:
		k.User += content
	case h.Role == model.Assistant:
		k.Assistant += content
	default:
		k.Other += content
	}
}

// rows walks all rows of complete conversations: usage of every branch, bookkeeping, rewound rows.
func (w *statsWalk) rows(ctx context.Context) error {
	kinds := make([]int, len(w.Snap.Names()))
	var ops [model.End + 1]int
	for i := range w.Snap.Rows() {
		if i&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		id := model.ID(i)
		h := w.Snap.HeadRow(id)
		if !w.WholeOf(h) {
			continue
		}
		if w.Threads[h.Thread].Apart {
			w.apart(h)
			continue
		}
		switch {
		case h.Flags&model.Rewound != 0:
			if h.IsMessage() {
				w.a.Rewound.Messages++
			}
			if t, ok := w.Snap.Tokens(id); ok {
				w.rewound.AddTokens(&t)
			}
			continue
		case h.IsMessage():
			if h.Flags&model.OffBranch != 0 {
				w.a.Branches.Messages++
			}
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
		w.addUsage(id, h, &w.Threads[h.Thread])
	}
	w.events(kinds, ops[:])
	return nil
}

// apart counts a message of a subagent with a separate transcript.
func (w *statsWalk) apart(h *model.Head) {
	if h.IsMessage() && h.Flags&model.Rewound == 0 {
		w.a.Agents.Messages++
		w.agents[h.Thread] = true
	}
}

func (w *statsWalk) events(kinds, ops []int) {
	for name, n := range kinds {
		if n > 0 {
			w.a.Events = append(w.a.Events, describe.EventCount{Kind: w.Snap.Name(uint16(name)), Count: n})
		}
	}
	for op, n := range ops {
		if n > 0 {
			w.a.Events = append(w.a.Events, describe.EventCount{Kind: describe.OpNames[op], Count: n})
		}
	}
	slices.SortFunc(w.a.Events, func(x, y describe.EventCount) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Kind, y.Kind))
	})
}

func (w *statsWalk) calls(ctx context.Context) error {
	for i := range w.Snap.CallCount() {
		if i&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		id := model.CallID(i)
		c := w.Snap.Call(id)
		switch part, at := w.Part(id); part {
		case query.Own:
			w.call(id, c, w.Snap.HeadRow(at))
		case query.Apart:
			add(c, &w.a.Agents.Calls, &w.a.Agents.Errors)
			add(c, &w.a.Agents.Apart, new(int))
		case query.Carrier:
			add(c, &w.a.Scripts.Calls, &w.a.Scripts.Errors)
		case query.Copied:
			add(c, &w.a.Inherited.Calls, &w.a.Inherited.Errors)
		case query.Undone:
			add(c, &w.a.Rewound.Calls, &w.a.Rewound.Errors)
		case query.Branched:
			add(c, &w.a.Branches.Calls, &w.a.Branches.Errors)
		}
	}
	return nil
}

// add counts a call that no other number includes.
func add(c *model.Call, calls, errors *int) {
	if c.Msg != model.NoID {
		*calls++
	}
	if c.Outcome.Failed() {
		*errors++
	}
}

func (w *statsWalk) call(id model.CallID, c *model.Call, h *model.Head) {
	a := w.a
	agent := !w.Threads[h.Thread].Main
	if c.Msg == model.NoID {
		a.OrphanResults++
	} else {
		a.ToolCalls++
		if agent {
			a.Agents.Calls++
		}
		if query.Pending(c) {
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
	if c.Msg != model.NoID && w.slowest.Wants(int64(c.Took)) && !describe.AsksHuman(w.Snap.Name(c.Tool)) {
		w.slowest.Offer(int64(c.Took), SlowItem{
			Kind: "call", Name: w.Snap.Name(c.Tool), ID: c.Msg, Call: id, Duration: human.Millis(c.Took), Derived: derived,
		})
	}
}

// weigh offers the arguments and the result of a call as largest items.
func (w *statsWalk) weigh(id model.CallID, c *model.Call) {
	args, result := int64(c.ArgsSize), int64(c.ResultSize)
	if w.tokens != nil {
		t, _ := w.tokens.Call(id)
		args, result = int64(t.Args), int64(t.Result)
	}
	if c.Msg != model.NoID && w.largest.Wants(args) {
		w.largest.Offer(args, LargeItem{Kind: "arguments", Name: query.ToolName(w.Snap, c), ID: c.Msg, Call: id, Bytes: int64(c.ArgsSize)})
	}
	if c.Result != model.NoID && w.largest.Wants(result) {
		w.largest.Offer(result, LargeItem{Kind: "result", Name: query.ToolName(w.Snap, c), ID: c.Result, Call: id, Bytes: int64(c.ResultSize)})
	}
}

// finish fills in the answer's fields.
func (w *statsWalk) finish() {
	a, s := w.a, w.Snap
	for role, n := range w.roles {
		if n > 0 {
			a.MessagesByRole[model.Role(role).String()] += n
		}
	}
	for name, n := range w.others {
		role := cmp.Or(s.Name(name), model.NoRole.String())
		a.MessagesByRole[role] += n
	}
	for name, n := range w.thought {
		if n > 0 {
			a.ReasoningByModel[cmp.Or(s.Name(uint16(name)), "unknown")] += n
		}
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
	ends := s.Endings()
	if w.sel.Everything() && len(w.sessions) > 1 {
		for n := range ends {
			w.sessions[n] = w.sessions[n] || s.Counts(n)
		}
	}
	for _, in := range w.sessions {
		if in {
			a.Sessions++
		}
	}
	for n, se := range s.Sessions() { // the recorded model of sessions without an answer
		if w.Whole[n] && !w.answered[n] {
			a.addModel(se.Field("model"))
		}
	}
	if w.All {
		a.UnreadableRecords = s.Unreadable()
		a.Turns = w.turns.Len()
	}
	first, last := w.Span()
	a.FirstTime, a.LastTime = human.Stamp(first), human.Stamp(last)
	w.finishUsage()
	w.finishTokens()
	a.Outcome = query.OutcomeOf(ends, w.sessions)
	a.Time, a.Critical = w.times.Split, w.times.Critical()
	switch {
	case w.derived > 0 && w.recorded > 0:
		a.DurationSource = "mixed"
	case w.derived > 0:
		a.DurationSource = "derived"
	case w.recorded > 0:
		a.DurationSource = "recorded"
	}
	slices.SortStableFunc(w.slowest.Items, func(a, b topItem[SlowItem]) int { // calls may be read in another order
		return cmp.Or(cmp.Compare(b.Value, a.Value), cmp.Compare(s.Pos(a.Item.ID), s.Pos(b.Item.ID)))
	})
	for _, x := range w.slowest.Items {
		x.Item.Index = human.Index(s.Pos(x.Item.ID))
		a.Slowest = append(a.Slowest, x.Item)
	}
	for _, x := range w.largest.Items {
		x.Item.Index = human.Index(s.Pos(x.Item.ID))
		if w.tokens != nil { // tokens ranked it
			x.Item.Tokens = &x.Value
		}
		a.Largest = append(a.Largest, x.Item)
	}
}

func (w *statsWalk) finishUsage() {
	sum := w.sessionUsage()
	w.a.Usage, w.a.Cost = sum.Sum(), sum.Dollars()
	w.a.Rewound.Usage = w.rewound.Sum()
	if w.a.Context != nil {
		se := &w.Snap.Sessions()[w.Threads[w.asked.Thread].Session]
		name := w.Snap.Name(w.asked.Name)
		window := query.WindowFor(se, name, 0, query.Evidence{Largest: w.a.Context.Most})
		if window.Or > 0 { // a compaction may decide
			window = query.WindowFor(se, name, 0, query.EvidenceIn(w.Snap, w.asked.Thread))
		}
		w.a.Context.Window = human.CountOrNull(window.Least())
		if window.Or > 0 {
			w.a.Context.Or = human.CountOrNull(window.Tokens)
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
	w.a.Encoding = human.TextOrNull(w.tokens.Encoding())
}

// sessionUsage returns the usage of the selected responses. For complete conversations it includes
// everything they recorded: the responses of every branch, and usage of more than one response.
// Recorded totals replace the sum of the responses; increases of a counter are added to it.
func (w *statsWalk) sessionUsage() (sum query.UsageTally) {
	totals := make(map[uint32]*query.UsageTally)
	for _, t := range w.Snap.Totals() {
		if int(t.Session) >= len(w.usage) || !w.Whole[t.Session] {
			continue
		}
		switch t.Usage.Scope {
		case model.Total: // the last recorded total applies
			total := &query.UsageTally{}
			total.AddUsage(&t.Usage)
			totals[t.Session] = total
		default:
			w.usage[t.Session].AddUsage(&t.Usage)
		}
	}
	for i := range w.usage {
		if total := totals[uint32(i)]; total != nil {
			w.usage[i].Total(total)
			if total.Known&(1<<query.UsageOutput) != 0 {
				w.more[i] = 0
			}
		}
		sum.Add(&w.usage[i])
		w.a.UnrecordedOutput += w.more[i]
	}
	return sum
}
