package query

import (
	"context"
	"fmt"
	"io"
	"strings"

	"turns/model"
)

// DefaultKeep is how many of the last messages a cut keeps whatever they cost.
const DefaultKeep = 10

// BudgetOptions say to what a history is cut.
type BudgetOptions struct {
	Tokens      int64 // budget; 0: none
	Keep        int   // at least so many of the last messages
	MaxMessages int   // at most so many, the system prompt not counted; 0: any number
	Repair      bool  // results without a call go
}

// The reasons why a message was cut.
const (
	CutBudget   = "over the budget"
	CutMessages = "too many messages"
	CutOrphan   = "a result without its call"
)

// BudgetAnswer is what survives when a history is cut.
type BudgetAnswer struct {
	Version  int        `json:"version"`
	Budget   int64      `json:"budget"`
	Tokens   int64      `json:"kept_tokens"`
	Messages int        `json:"kept_messages"`
	All      int        `json:"messages"`
	AllSum   int64      `json:"tokens"`
	System   int        `json:"system_messages"` // of the kept ones
	Forced   int        `json:"forced_messages"` // kept whatever they cost: system prompt, the last ones, a call that waits
	Over     bool       `json:"over_budget"`     // what had to be kept is more than the budget
	Encoding string     `json:"encoding"`        // "" where sizes stand for tokens
	Cut      []CutRange `json:"cut"`
	Note     string     `json:"note,omitempty"`
	Kept     Selection  `json:"-"`
}

// CutRange is some messages side by side that were cut for one reason.
type CutRange struct {
	From     int    `json:"from_index"`
	To       int    `json:"to_index"`
	Messages int    `json:"messages"`
	Tokens   int64  `json:"tokens"`
	Why      string `json:"why"`
}

// Budget cuts a selection, newest first. A call is kept with all its results or
// dropped with them, as far as they are selected; a call at the end that waits for
// its result stays; so do the system prompt at the beginning and the last
// messages. The weights are those of the index, which must be of the selection's
// snapshot.
func (x *ContextIndex) Budget(ctx context.Context, sel Selection, o BudgetOptions) (*BudgetAnswer, error) {
	b := &budgetCut{x: x, sel: sel, o: o, snap: sel.Snap, in: newRowSet(sel.Snap, sel.IDs), keep: newRowSet(sel.Snap, nil), gone: newRowSet(sel.Snap, nil),
		mark: newRowSet(sel.Snap, nil), weights: make([]uint32, sel.Snap.Rows())}
	a := &BudgetAnswer{Version: AnswerVersion, Budget: o.Tokens, All: sel.Len(), Cut: []CutRange{}}
	if x.tokens != nil {
		a.Encoding = x.tokens.Encoding()
	}
	b.force(a)
	if err := b.fill(ctx); err != nil {
		return nil, err
	}
	b.finish(a)
	return a, nil
}

type budgetCut struct {
	x       *ContextIndex
	snap    *model.Snapshot
	sel     Selection
	o       BudgetOptions
	in      rowSet // selected
	keep    rowSet
	gone    rowSet   // of them, what repair removes
	weights []uint32 // by ID, plus one
	system  int
	count   int // kept, without the system prompt
	cost    int64
	why     string // what stopped the filling
	group   []model.ID
	mark    rowSet // of the group in hand
}

// drop takes a message out of a set.
func (r rowSet) drop(id model.ID) { r[id>>6] &^= 1 << (id & 63) }

// weight is the tokens of a message. They are asked for more than once.
func (b *budgetCut) weight(id model.ID) int64 {
	if n := b.weights[id]; n > 0 {
		return int64(n) - 1
	}
	w := b.x.weigh(id, b.snap.HeadRow(id))
	n := w.Sum()
	b.weights[id] = uint32(min(n, 1<<32-2)) + 1
	return n
}

// take keeps the group in hand.
func (b *budgetCut) take() {
	for _, id := range b.group {
		if !b.keep.has(id) {
			b.keep.add(id)
			b.cost += b.weight(id)
			b.count++
		}
	}
}

// grouped finds what stands or falls with a message: its calls' results, its
// results' calls, and so on. It gives what of them is not kept yet.
func (b *budgetCut) grouped(id model.ID) (cost int64, n int) {
	b.group = append(b.group[:0], id)
	add := func(id model.ID) {
		if id != model.NoID && b.in.has(id) && !b.mark.has(id) {
			b.mark.add(id)
			b.group = append(b.group, id)
		}
	}
	b.mark.add(id)
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
		b.mark.drop(id)
		if !b.keep.has(id) {
			cost += b.weight(id)
			n++
		}
	}
	return cost, n
}

// force keeps what stays whatever it costs.
func (b *budgetCut) force(a *BudgetAnswer) {
	ids := b.sel.IDs
	for _, id := range ids {
		if r := b.snap.HeadRow(id).Role; r != model.System && r != model.Developer {
			break
		}
		b.keep.add(id)
		b.cost += b.weight(id)
		b.system++
	}
	ids = ids[b.system:]
	last := min(max(b.o.Keep, 0), len(ids))
	if b.o.MaxMessages > 0 {
		last = min(last, b.o.MaxMessages)
	}
	for i := len(ids) - 1; i >= len(ids)-last; i-- {
		if b.keep.has(ids[i]) {
			continue
		}
		if _, n := b.grouped(ids[i]); b.o.MaxMessages > 0 && b.count+n > b.o.MaxMessages {
			break // pairs are worth more than the last few
		}
		b.take()
	}
	if n := len(ids); n > 0 && b.waits(ids[n-1]) && !b.keep.has(ids[n-1]) {
		b.grouped(ids[n-1])
		b.take()
	}
	a.System, a.Forced = b.system, b.system+b.count
	a.Over = b.o.Tokens > 0 && b.cost > b.o.Tokens
}

// waits reports whether a message has calls and none of them a result.
func (b *budgetCut) waits(id model.ID) bool {
	calls := callsOf(b.snap, id)
	for i := range calls {
		if !Pending(&calls[i].Call) {
			return false
		}
	}
	return len(calls) > 0
}

// fill keeps what fits, newest first, until something does not.
func (b *budgetCut) fill(ctx context.Context) error {
	for i := len(b.sel.IDs) - 1; i >= b.system; i-- {
		if i&1023 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		id := b.sel.IDs[i]
		if b.keep.has(id) || b.gone.has(id) {
			continue
		}
		if b.o.Repair && b.orphan(id) {
			b.gone.add(id)
			continue
		}
		cost, n := b.grouped(id)
		switch {
		case b.o.MaxMessages > 0 && b.count+n > b.o.MaxMessages:
			b.why = CutMessages
			return nil
		case b.o.Tokens > 0 && b.cost+cost > b.o.Tokens:
			b.why = CutBudget
			return nil
		}
		b.take()
	}
	return nil
}

// orphan reports whether a message holds nothing but results whose calls are not
// selected.
func (b *budgetCut) orphan(id model.ID) bool {
	h := b.snap.HeadRow(id)
	if h.Flags&model.HasResults == 0 || h.Role != model.Tool && h.Flags&model.HasWords != 0 {
		return false
	}
	for _, c := range b.snap.Answers(id) {
		if c.Msg != model.NoID && b.in.has(c.Msg) {
			return false
		}
	}
	return true
}

// finish puts the kept messages in order and says what was cut.
func (b *budgetCut) finish(a *BudgetAnswer) {
	a.Kept = Selection{Snap: b.snap, IDs: make([]model.ID, 0, b.system+b.count)}
	for i, id := range b.sel.IDs {
		if b.o.Repair && b.keep.has(id) && b.orphan(id) { // among those that had to stay
			b.keep.drop(id)
			b.gone.add(id)
			b.cost -= b.weight(id)
		}
		w := b.weight(id)
		a.AllSum += w
		if b.keep.has(id) {
			a.Kept.IDs = append(a.Kept.IDs, id)
			continue
		}
		why := b.why
		if b.gone.has(id) {
			why = CutOrphan
		}
		pos := b.snap.Pos(id)
		if n := len(a.Cut); n > 0 && a.Cut[n-1].Why == why && i > 0 && !b.keep.has(b.sel.IDs[i-1]) {
			c := &a.Cut[n-1]
			c.To, c.Messages, c.Tokens = pos, c.Messages+1, c.Tokens+w
			continue
		}
		a.Cut = append(a.Cut, CutRange{pos, pos, 1, w, why})
	}
	a.Messages, a.Tokens = a.Kept.Len(), b.cost
	if b.sel.Len()-b.system <= 1 {
		a.Note = "no history: it is the first message of the conversation"
	}
}

// Repaired is what was kept as a provider takes it: an interrupted result for a
// call that lost its own, results without a call removed.
func (a *BudgetAnswer) Repaired(ctx context.Context, p Provider) ([]Wire, RepairReport, error) {
	msgs := make([]Wire, 0, a.Kept.Len())
	for _, id := range a.Kept.IDs {
		m, err := a.Kept.Snap.Body(ctx, id)
		if err != nil {
			return nil, RepairReport{}, err
		}
		msgs = append(msgs, WireOf(m, a.Kept.Snap.Threads()[a.Kept.Snap.HeadRow(id).Thread].Session))
	}
	out, report := Repair(msgs, p, RepairOptions{Frontier: p.Frontier})
	return out, report, nil
}

// WriteJSON writes the answer.
func (a *BudgetAnswer) WriteJSON(_ context.Context, w io.Writer) error { return writeJSON(w, a) }

// String is the answer as text.
func (a *BudgetAnswer) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "kept  %s of %s, %s of %s tokens", Count(a.Messages), Plural(a.All, "message"), Count(a.Tokens), Count(a.AllSum))
	if a.Budget > 0 {
		fmt.Fprintf(&b, ", budget %s", Count(a.Budget))
	}
	if a.Over {
		b.WriteString(": what had to be kept is more")
	}
	if a.Encoding == "" {
		b.WriteString(" (estimated from sizes)")
	}
	b.WriteByte('\n')
	if a.Note != "" {
		fmt.Fprintf(&b, "%s\n", a.Note)
	}
	for _, c := range a.Cut {
		where := fmt.Sprint(c.From)
		if c.To != c.From {
			where = fmt.Sprintf("%d to %d", c.From, c.To)
		}
		fmt.Fprintf(&b, "cut   %s (%s, %s tokens): %s\n", where, Plural(c.Messages, "message"), Count(c.Tokens), c.Why)
	}
	return b.String()
}
