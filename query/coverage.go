package query

import (
	"slices"

	"turns/model"
)

// RowSet is a set of rows of the index, a bit for each.
type RowSet []uint64

// NewRowSet makes a set for the current rows of a snapshot, with ids in it.
func NewRowSet(s *model.Snapshot, ids []model.ID) RowSet {
	set := make(RowSet, (s.Rows()+63)/64)
	for _, id := range ids {
		set.Add(id)
	}
	return set
}

// Add puts a row into the set. It panics if the row is newer than the snapshot of the set.
func (r RowSet) Add(id model.ID) { r[id>>6] |= 1 << (id & 63) }

// Has reports whether a row is in the set, under the same condition.
func (r RowSet) Has(id model.ID) bool { return r[id>>6]&(1<<(id&63)) != 0 }

// CallSet is a set of calls, a bit for each. It may be shorter than the list of calls.
type CallSet []uint64

// Has reports whether a call is in the set.
func (c CallSet) Has(id model.CallID) bool {
	w := int(id >> 6)
	return w < len(c) && c[w]&(1<<(id&63)) != 0
}

// Everything reports whether a selection includes every message.
func (s Selection) Everything() bool { return len(s.IDs) == s.Snap.Len() }

// Coverage records which conversations a selection includes completely. For those, an answer also
// counts rows off the live branch and totals over several messages.
type Coverage struct {
	Snap    *model.Snapshot
	Threads []model.Thread
	All     bool   // of every conversation
	Whole   []bool // by session
	Picked  RowSet // nil for all
	Calls   CallSet
}

// NewCoverage finds the conversations of which a selection has all live messages.
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
	if sel.Of > 0 { // it may have no messages
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

// WholeOf reports whether a row's conversation is completely selected.
func (c *Coverage) WholeOf(h *model.Head) bool { return c.All || c.Whole[c.Threads[h.Thread].Session] }

// CallPart is the reason why a call counts, or why it does not.
type CallPart uint8

// A call counts once, in the conversation that made it. The other parts are reasons why a call
// in a transcript does not count.
const (
	Unasked  CallPart = iota // not selected, or without any message
	Own                      // it counts
	Apart                    // it counts in the transcript of the subagent that made it
	Copied                   // it counts in the conversation that it was copied from
	Undone                   // erased by a rewind: it counts nowhere
	Branched                 // on a branch other than the live one: it counts with that branch
	Carrier                  // a script: the calls that it made count
)

// Part returns whether a call counts, and its message: the one that made it or, without that in
// the selection, the one with its result. A call is selected with either message; under a
// filter, only if it matched.
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
	case call.Flags&model.Carries != 0:
		return Carrier, at
	case !c.Snap.Counted(call):
		return Copied, at
	}
	return Own, at
}

// CallCount is the number of calls, failed calls and pending calls. Results without a call count
// as errors if they failed.
type CallCount struct{ Calls, Errors, Pending int }

// Count counts the calls of a selection.
func (c *Coverage) Count() (n CallCount) {
	for i := range c.Snap.CallCount() {
		if part, _ := c.Part(model.CallID(i)); part == Own {
			n.Add(c.Snap.Call(model.CallID(i)))
		}
	}
	return n
}

// Add counts a call.
func (n *CallCount) Add(c *model.Call) {
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

// Span returns the first and the last recorded time of a selection, 0 if there is none. For a
// whole conversation it covers all records, otherwise the selected messages.
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

// CallsAt returns the selected calls of a message in order: the calls that it made, then the
// calls that it answers and that no selected message made.
func (c *Coverage) CallsAt(id model.ID) []model.CallRow {
	rows := append(c.Snap.Calls(id), c.Snap.Answers(id)...)
	for _, row := range OrphansAmong(c.Snap, id) {
		rows = append(rows, model.CallRow{ID: row, Call: *c.Snap.Call(row)})
	}
	return slices.DeleteFunc(rows, func(row model.CallRow) bool {
		part, at := c.Part(row.ID)
		return part == Unasked || at != id
	})
}

// Drop removes a message from a set.
func (r RowSet) Drop(id model.ID) { r[id>>6] &^= 1 << (id & 63) }
