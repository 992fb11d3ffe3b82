package window

import (
	"context"
	"fmt"
	"io"
	"slices"

	"turns/model"
	"turns/query"
	"turns/query/answer"
	"turns/query/human"
	"turns/query/provider"
)

// DefaultKeep is the number of last messages that a cut never removes.
const DefaultKeep = 10

// BudgetOptions are the limits for a history.
type BudgetOptions struct {
	Tokens      int64 // budget; 0: none
	Keep        int   // at least this many of the last messages
	MaxMessages int   // maximum number, without the system prompt; 0: any
	// the result must be repaired for this provider: results without a call are removed, and
	// additions of the repair count towards the budget; nil: no repair
	Repair *provider.Provider
}

// The reasons why a message was cut.
const (
	CutBudget   = "over the budget"
	CutMessages = "too many messages"
	CutOrphan   = "a result without its call"
)

// BudgetAnswer reports which part of a history a cut keeps.
type BudgetAnswer struct {
	Version      int   `json:"version"`
	Budget       int64 `json:"budget"`
	Tokens       int64 `json:"kept_tokens"`
	Messages     int   `json:"kept_messages"`
	All          int   `json:"messages"`
	AllSum       int64 `json:"tokens"`
	System       int   `json:"system_messages"` // remaining system messages
	SystemTokens int64 `json:"system_tokens"`
	// never removed: system prompt, the last messages with their pairs, a pending call
	Forced       int   `json:"forced_messages"`
	ForcedTokens int64 `json:"forced_tokens"`
	Added        int64 `json:"repair_tokens"`  // maximum that a repair adds
	Over         bool  `json:"over_budget"`    // the forced messages exceed the budget
	OverBy       int64 `json:"over_by_tokens"` // by this many
	// the largest of the forced messages, if these exceed the budget
	Largest *BudgetItem `json:"largest_forced"`
	// the newest removed message that did not fit; null: none
	Next     *BudgetItem      `json:"next"`
	Left     int64            `json:"left_tokens"` // of the budget
	Encoding human.TextOrNull `json:"encoding"`    // null if tokens are estimated from sizes
	Cut      []CutRange       `json:"cut"`
	Note     human.TextOrNull `json:"note"`
	Kept     query.Selection  `json:"-"`
}

// BudgetItem is a message and the messages that must go with it.
type BudgetItem struct {
	Index    human.Index `json:"index"`
	Messages int         `json:"messages"`
	Tokens   int64       `json:"tokens"`
}

// CutRange is a range of messages removed for one reason.
type CutRange struct {
	From     int    `json:"from_index"`
	To       int    `json:"to_index"`
	Messages int    `json:"messages"`
	Tokens   int64  `json:"tokens"`
	Why      string `json:"why"`
}

// Budget cuts a selection to limits, oldest first. A call and its selected results are removed
// only together. A pending call at the end, the system prompt at the beginning and the last
// messages remain. The weights are those of the index, which must be of the selection's snapshot.
func (x *Index) Budget(ctx context.Context, sel query.Selection, o BudgetOptions) (*BudgetAnswer, error) {
	b := &budgetCut{x: x, sel: sel, o: o, snap: sel.Snap, in: query.NewRowSet(sel.Snap, sel.IDs), keep: query.NewRowSet(sel.Snap, nil), gone: query.NewRowSet(sel.Snap, nil),
		mark: query.NewRowSet(sel.Snap, nil), weights: make([]uint32, sel.Snap.Rows()), repairs: o.Repair != nil && !o.Repair.Record}
	a := &BudgetAnswer{Version: human.AnswerVersion, Budget: o.Tokens, All: sel.Len(), Cut: []CutRange{}}
	if x.Tokens != nil {
		a.Encoding = human.TextOrNull(x.Tokens.Encoding())
	}
	b.force(a)
	if !b.fits() {
		if err := b.fill(ctx, a); err != nil {
			return nil, err
		}
	}
	b.finish(a)
	return a, nil
}

type budgetCut struct {
	x       *Index
	snap    *model.Snapshot
	sel     query.Selection
	o       BudgetOptions
	in      query.RowSet // selected
	keep    query.RowSet
	gone    query.RowSet // removed by the repair
	weights []uint32     // by ID, plus one
	repairs bool
	system  int
	count   int    // kept messages, without the system prompt
	cost    int64  // of the kept messages
	added   int64  // by a repair to the kept messages
	why     string // what stopped the filling
	group   []model.ID
	mark    query.RowSet // of the current group

	groupCost, groupAdded int64 // of the group's messages that are not kept
}

// weight returns the tokens of a message. It caches them, because they are needed more than once.
func (b *budgetCut) weight(id model.ID) int64 {
	if n := b.weights[id]; n > 0 {
		return int64(n) - 1
	}
	n := b.x.total(id, b.snap.HeadRow(id))
	b.weights[id] = uint32(min(n, 1<<32-2)) + 1
	return n
}

// interruptedTokens and openingTokens are the maximum sizes, in any encoding, of the texts that a
// repair adds.
const (
	interruptedTokens = 14
	openingTokens     = 12
)

// addition returns the tokens that a repair adds to a message: a result for each call without one
// in the selection; none if the provider accepts open calls at the end.
func (b *budgetCut) addition(id model.ID) (n int64) {
	if !b.repairs || b.o.Repair.Frontier && id == b.sel.IDs[len(b.sel.IDs)-1] && b.waits(id) {
		return 0
	}
	for _, c := range query.CallsOf(b.snap, id) {
		if !b.answered(&c.Call) {
			n += interruptedTokens
		}
	}
	return n
}

// take keeps the current group.
func (b *budgetCut) take() {
	for _, id := range b.group {
		if !b.keep.Has(id) {
			b.keep.Add(id)
			b.count++
		}
	}
	b.cost += b.groupCost
	b.added += b.groupAdded
}

// grouped finds the messages that must be kept or cut together with a message: its calls' results,
// its results' calls, and so on. It returns the cost and number of those not kept yet.
func (b *budgetCut) grouped(id model.ID) (cost int64, n int) {
	b.group, b.groupCost, b.groupAdded = append(b.group[:0], id), 0, 0
	if h := b.snap.HeadRow(id); h.LastCall != model.NoRow {
		b.gather()
	}
	for _, id := range b.group {
		if !b.keep.Has(id) {
			b.groupCost += b.weight(id)
			b.groupAdded += b.addition(id)
			n++
		}
	}
	return b.groupCost + b.groupAdded, n
}

// gather adds the pairs of the group's messages to the group.
func (b *budgetCut) gather() {
	add := func(id model.ID) {
		if id != model.NoID && b.in.Has(id) && !b.mark.Has(id) {
			b.mark.Add(id)
			b.group = append(b.group, id)
		}
	}
	b.mark.Add(b.group[0])
	for i := 0; i < len(b.group); i++ {
		h := b.snap.HeadRow(b.group[i])
		for row := h.LastCall; row != model.NoRow; {
			c := b.snap.Call(model.CallID(row))
			if h.Flags&model.HasResults != 0 {
				add(c.Msg)
				row = c.PrevResult
			} else {
				add(c.Result)
				row = c.Prev
			}
		}
	}
	for _, id := range b.group {
		b.mark.Drop(id)
	}
}

// force keeps the messages that a cut never removes.
func (b *budgetCut) force(a *BudgetAnswer) {
	ids := b.sel.IDs
	for _, id := range ids {
		if r := b.snap.HeadRow(id).Role; r != model.System && r != model.Developer {
			break
		}
		b.keep.Add(id)
		b.cost += b.weight(id)
		b.system++
	}
	a.System, a.SystemTokens = b.system, b.cost
	ids = ids[b.system:]
	last := max(b.o.Keep, 0)
	if b.o.MaxMessages > 0 {
		last = min(last, b.o.MaxMessages)
	}
	for i := len(ids) - 1; i >= 0 && last > 0; i-- {
		if b.orphan(ids[i]) {
			continue // a result without its call
		}
		last--
		if b.keep.Has(ids[i]) {
			continue
		}
		if _, n := b.grouped(ids[i]); b.o.MaxMessages > 0 && b.count+n > b.o.MaxMessages {
			break // pairs are more important than the last few
		}
		b.take()
	}
	if n := len(ids); n > 0 && b.waits(ids[n-1]) && !b.keep.Has(ids[n-1]) {
		b.grouped(ids[n-1])
		b.take()
	}
	a.Forced, a.ForcedTokens = b.system+b.count, b.cost
}

// opening returns the tokens of a message that a repair may put before the kept ones.
func (b *budgetCut) opening() int64 {
	if b.repairs && b.o.Repair.FirstUser {
		return openingTokens
	}
	return 0
}

// waits reports whether a message has calls and the selection has none of their results: when the
// message was sent, the results were unknown.
func (b *budgetCut) waits(id model.ID) bool {
	calls := query.CallsOf(b.snap, id)
	for i := range calls {
		if b.answered(&calls[i].Call) {
			return false
		}
	}
	return len(calls) > 0
}

// answered reports whether the selection has the result of a call.
func (b *budgetCut) answered(c *model.Call) bool {
	return c.Result != model.NoID && b.in.Has(c.Result)
}

// fits keeps all messages if no cut is needed.
func (b *budgetCut) fits() bool {
	if b.o.Repair != nil || b.o.MaxMessages > 0 && len(b.sel.IDs)-b.system > b.o.MaxMessages {
		return false
	}
	sum := int64(0)
	for i := 0; i < len(b.sel.IDs); {
		n, tokens := b.run(i)
		i += n
		if sum += tokens; b.o.Tokens > 0 && sum > b.o.Tokens {
			return false
		}
	}
	b.keep, b.cost, b.count = b.in, sum, len(b.sel.IDs)-b.system
	return true
}

// fill keeps messages, newest first, until one does not fit.
func (b *budgetCut) fill(ctx context.Context, a *BudgetAnswer) error {
	for i := len(b.sel.IDs) - 1; i >= b.system; i-- {
		if i&1023 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		id := b.sel.IDs[i]
		if b.keep.Has(id) || b.orphan(id) {
			continue
		}
		cost, n := b.grouped(id)
		switch {
		case b.o.MaxMessages > 0 && b.count+n > b.o.MaxMessages:
			b.why = CutMessages
		case b.o.Tokens > 0 && b.cost+b.added+b.opening()+cost > b.o.Tokens:
			b.why = CutBudget
		}
		if b.why != "" {
			a.Next = &BudgetItem{human.Index(b.snap.Pos(id)), n, cost}
			return nil
		}
		b.take()
	}
	return nil
}

// orphan reports whether a repair removes a message because it has only results whose calls are not
// selected.
func (b *budgetCut) orphan(id model.ID) bool {
	if b.o.Repair == nil {
		return false
	}
	if b.gone.Has(id) {
		return true
	}
	h := b.snap.HeadRow(id)
	if h.Flags&model.HasResults == 0 || h.Role != model.Tool && h.Flags&model.HasWords != 0 {
		return false
	}
	for _, c := range b.snap.Answers(id) {
		if c.Msg != model.NoID && b.in.Has(c.Msg) {
			return false
		}
	}
	b.gone.Add(id)
	return true
}

// finish orders the kept messages and reports the cuts.
func (b *budgetCut) finish(a *BudgetAnswer) {
	ids := b.sel.IDs
	a.Kept = query.Selection{Snap: b.snap, IDs: make([]model.ID, 0, b.system+b.count)}
	a.AllSum = b.cost
	var last *CutRange // contains the previous message
	for i := 0; i < len(ids); {
		if b.keep.Has(ids[i]) {
			a.Kept.IDs = append(a.Kept.IDs, ids[i])
			last = nil
			i++
			continue
		}
		why := b.why
		if b.gone.Has(ids[i]) {
			why = CutOrphan
		}
		n, tokens := b.run(i)
		if n > 1 && slices.ContainsFunc(ids[i:i+n], func(id model.ID) bool { return b.keep.Has(id) || b.gone.Has(id) }) {
			n, tokens = 1, b.weight(ids[i])
		}
		if last == nil || last.Why != why {
			a.Cut = append(a.Cut, CutRange{From: b.snap.Pos(ids[i]), Why: why})
			last = &a.Cut[len(a.Cut)-1]
		}
		i += n
		last.To = b.snap.Pos(ids[i-1])
		last.Messages += n
		last.Tokens += tokens
		a.AllSum += tokens
	}
	a.Messages, a.Tokens, a.Added = a.Kept.Len(), b.cost, b.added
	if a.Messages > b.system && b.snap.HeadRow(a.Kept.IDs[b.system]).Role != model.User {
		a.Added += b.opening()
	}
	if b.o.Tokens > 0 {
		a.Left = max(b.o.Tokens-a.Tokens-a.Added, 0)
		a.OverBy = max(a.Tokens+a.Added-b.o.Tokens, 0)
	}
	if a.Over = a.OverBy > 0; a.Over {
		a.Largest = b.largest(a.Kept.IDs)
	}
	if b.sel.Len()-b.system <= 1 {
		a.Note = "no history: it is the first message of the conversation"
	}
}

// run returns the tokens of messages from the i-th on: of a block summed up by the index, otherwise
// of one message.
func (b *budgetCut) run(i int) (n int, tokens int64) {
	ids := b.sel.IDs
	one := func() (int, int64) { return 1, b.weight(ids[i]) }
	place := int(b.x.place[ids[i]]) - 1
	if place < 0 || place%ctxBlock != 0 || i+ctxBlock > len(ids) {
		return one()
	}
	t := &b.x.threads[b.snap.HeadRow(ids[i]).Thread]
	if place+ctxBlock > len(t.ids) {
		return one()
	}
	for k, id := range ids[i : i+ctxBlock] {
		if id != t.ids[place+k] {
			return one()
		}
	}
	block := t.blocks[place/ctxBlock+1]
	block.add(&t.blocks[place/ctxBlock], -1)
	return ctxBlock, block.Sum()
}

// largest returns the largest of the messages.
func (b *budgetCut) largest(ids []model.ID) (it *BudgetItem) {
	for _, id := range ids {
		if w := b.weight(id); it == nil || w > it.Tokens {
			it = &BudgetItem{human.Index(b.snap.Pos(id)), 1, w}
		}
	}
	return it
}

// Repaired returns the remaining messages in a form that a provider accepts: a call without its
// result gets an interrupted one, results without a call are removed.
func (a *BudgetAnswer) Repaired(ctx context.Context, p provider.Provider) ([]provider.Wire, provider.RepairReport, error) {
	msgs := make([]provider.Wire, 0, a.Kept.Len())
	for _, id := range a.Kept.IDs {
		m, err := a.Kept.Snap.Body(ctx, id)
		if err != nil {
			return nil, provider.RepairReport{}, err
		}
		msgs = append(msgs, provider.WireOf(m, a.Kept.Snap.Threads()[a.Kept.Snap.HeadRow(id).Thread].Session))
	}
	out, report := provider.Repair(msgs, p, provider.RepairOptions{Frontier: p.Frontier})
	return out, report, nil
}

// WriteJSON writes the answer.
func (a *BudgetAnswer) WriteJSON(_ context.Context, w io.Writer) error { return query.WriteJSON(w, a) }

// Doc describes the answer.
func (a *BudgetAnswer) Doc() *answer.Doc {
	s := "kept  " + human.Count(a.Messages) + " of " + human.Plural(a.All, "message") + ", " + human.Count(a.Tokens) + " of " + human.Count(a.AllSum) + " tokens"
	if a.Budget > 0 {
		s += ", budget " + human.Count(a.Budget)
	}
	if a.Encoding == "" {
		s += " (estimated from sizes)"
	}
	lines := []string{s, a.over()}
	if a.Added > 0 {
		lines = append(lines, "more  a repair adds up to "+human.Count(a.Added)+" tokens")
	}
	lines = append(lines, string(a.Note))
	for _, c := range a.Cut {
		where := fmt.Sprint(c.From)
		if c.To != c.From {
			where = fmt.Sprintf("%d to %d", c.From, c.To)
		}
		lines = append(lines, fmt.Sprintf("cut   %s (%s, %s tokens): %s", where, human.Plural(c.Messages, "message"), human.Count(c.Tokens), c.Why))
	}
	if n := a.nextText(); n != "" && !a.Over {
		lines = append(lines, "next  "+n)
	}
	d := &answer.Doc{}
	d.AddText(lines...)
	return d
}

// Why explains in a line why no more messages remained; "" if all did.
func (a *BudgetAnswer) Why() string {
	if a.Note != "" {
		return string(a.Note)
	}
	if n := a.nextText(); n != "" {
		return "cut where the next did not fit: " + n
	}
	return ""
}

// over describes the forced messages, and by how much they exceed the budget.
func (a *BudgetAnswer) over() string {
	if !a.Over {
		return ""
	}
	s := "over  the budget by " + human.Count(a.OverBy) + " tokens. What stays whatever it costs: "
	if a.System > 0 {
		s += "system prompt " + human.Count(a.SystemTokens) + " tokens, "
	}
	s += "last messages with their pairs " + human.Count(a.ForcedTokens-a.SystemTokens) + " tokens (" + human.Plural(a.Forced-a.System, "message") + ")"
	if l := a.Largest; l != nil {
		s += fmt.Sprintf("; the largest is message %d with %s", l.Index, human.Count(l.Tokens))
	}
	return s
}

// nextText describes the next message that was not kept, and why.
func (a *BudgetAnswer) nextText() string {
	n := a.Next
	if n == nil || len(a.Cut) == 0 {
		return ""
	}
	with := ""
	if n.Messages > 1 {
		with = fmt.Sprintf(" with what belongs to it (%s)", human.Plural(n.Messages, "message"))
	}
	if a.Budget > 0 {
		return fmt.Sprintf("message %d%s takes %s, %s left", n.Index, with, human.Plural(n.Tokens, "token"), human.Count(a.Left))
	}
	return fmt.Sprintf("message %d%s", n.Index, with)
}
