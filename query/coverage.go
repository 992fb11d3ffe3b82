package query

import (
	"slices"

	"turns/model"
)

// RowSet is a set of rows of the index, a bit for each.
type RowSet []uint64

// NewRowSet makes a set for the rows that a snapshot has now, with ids in it.
func NewRowSet(s *model.Snapshot, ids []model.ID) RowSet {
	set := make(RowSet, (s.Rows()+63)/64)
	for _, id := range ids {
		set.Add(id)
	}
	return set
}

// Add puts a row into the set; one that is newer than the snapshot the set was made for panics.
func (r RowSet) Add(id model.ID) { r[id>>6] |= 1 << (id & 63) }

// Has reports whether a row is in the set, under the same condition.
func (r RowSet) Has(id model.ID) bool { return r[id>>6]&(1<<(id&63)) != 0 }

// CallSet is a set of calls, a bit for each. It may be shorter than the calls there are.
type CallSet []uint64

// Has reports whether a call is in the set.
func (c CallSet) Has(id model.CallID) bool {
	w := int(id >> 6)
	return w < len(c) && c[w]&(1<<(id&63)) != 0
}

// Everything reports whether a selection leaves nothing out.
func (s Selection) Everything() bool { return len(s.IDs) == s.Snap.Len() }

// Coverage says which conversations a selection leaves nothing out of: of those,
// what is not live and what covers more than a message is part of an answer, too.
type Coverage struct {
	Snap    *model.Snapshot
	Threads []model.Thread
	All     bool   // of every conversation
	Whole   []bool // by session
	Picked  RowSet // nil for all
	Calls   CallSet
}

// NewCoverage looks which conversations a selection has all live messages of.
func NewCoverage(sel Selection) Coverage {
	s := sel.Snap
	c := Coverage{Snap: s, Threads: s.Threads(), All: sel.Everything() && sel.Of == 0, Whole: make([]bool, len(s.Sessions())), Calls: sel.Calls}
	if c.All {
		for i := range c.Whole {
			c.Whole[i] = true
		}
		return c
	}
	c.Picked = NewRowSet(s, sel.IDs)
	if len(c.Whole) == 1 {
		return c
	}
	if sel.Of > 0 { // it may have no messages at all
		c.Whole[sel.Of-1] = true
	}
	left := make([]int, len(c.Whole))
	for _, id := range s.LiveIDs() {
		n := c.Threads[s.HeadRow(id).Thread].Session
		if c.Picked.Has(id) {
			c.Whole[n] = true
		} else {
			left[n]++
		}
	}
	for i, n := range left {
		c.Whole[i] = c.Whole[i] && n == 0
	}
	return c
}

// WholeOf reports whether nothing is left out of a row's conversation.
func (c *Coverage) WholeOf(h *model.Head) bool { return c.All || c.Whole[c.Threads[h.Thread].Session] }

// CallPart says where a call counts.
type CallPart uint8

// A call counts once, where it was made. What else lies in a transcript is told apart.
const (
	Unasked  CallPart = iota // it is not selected, or nothing is left of it
	Own                      // it counts
	Apart                    // it counts in the transcript of the subagent that made it
	Copied                   // it counts in the conversation that it was copied from
	Undone                   // a rewind took it back: it counts nowhere
	Branched                 // it lies on a branch that is not live: it counts where that one is
)

// Part says where a call counts, and at which message it stands: the one that made it, or
// where that is not there or not selected the one with its result. A call is selected with
// either of the two, and under a filter where the filter let it through.
func (c *Coverage) Part(id model.CallID) (CallPart, model.ID) {
	call := c.Snap.Call(id)
	at := call.Place()
	if at == model.NoID || c.Calls != nil && !c.Calls.Has(id) {
		return Unasked, at
	}
	if h := c.Snap.HeadRow(at); !c.WholeOf(h) && !c.Picked.Has(at) {
		if at = call.Result; at == model.NoID || !c.Picked.Has(at) {
			return Unasked, at
		}
	}
	switch h := c.Snap.HeadRow(at); {
	case h.Flags&model.Rewound != 0:
		return Undone, at
	case h.Flags&model.OffBranch != 0:
		return Branched, at
	case c.Threads[h.Thread].Apart:
		return Apart, at
	case !c.Snap.Counted(call):
		return Copied, at
	}
	return Own, at
}

// CallCount is how many calls there are, and how they went. Results that nobody called for
// are errors, too, where they failed.
type CallCount struct{ Calls, Errors, Pending int }

// Count counts the calls of a selection.
func (c *Coverage) Count() (n CallCount) {
	for i := range c.Snap.CallCount() {
		if part, _ := c.Part(model.CallID(i)); part == Own {
			n.add(c.Snap.Call(model.CallID(i)))
		}
	}
	return n
}

// add counts a call.
func (n *CallCount) add(c *model.Call) {
	if c.Msg != model.NoID {
		n.Calls++
	}
	if c.Outcome.Failed() {
		n.Errors++
	}
	if Pending(c) {
		n.Pending++
	}
}

// Span is from the first time that is recorded in a selection to the last, 0 where none is:
// of a whole conversation of all of its records, else of the messages.
func (c *Coverage) Span() (first, last int64) {
	var span model.Summary
	for n := range c.Snap.Rows() {
		id := model.ID(n)
		h := c.Snap.HeadRow(id)
		if c.WholeOf(h) && h.Flags&model.Rewound == 0 && !c.Threads[h.Thread].Apart || !c.All && c.Picked.Has(id) {
			span.Clock(h.Time)
		}
	}
	return span.Started, span.Last
}

// CallsAt are the selected calls that stand at a message, in order: those that it made, and
// of those that it answers the ones without a call or without a selected one.
func (c *Coverage) CallsAt(id model.ID) []model.CallRow {
	rows := append(c.Snap.Calls(id), c.Snap.Answers(id)...)
	for _, row := range OrphansBeside(c.Snap, id) {
		rows = append(rows, model.CallRow{ID: row, Call: *c.Snap.Call(row)})
	}
	return slices.DeleteFunc(rows, func(row model.CallRow) bool {
		part, at := c.Part(row.ID)
		return part == Unasked || at != id
	})
}

// Drop takes a message out of a set.
func (r RowSet) Drop(id model.ID) { r[id>>6] &^= 1 << (id & 63) }
