package query

import "turns/model"

// RowSet is a set of rows of the index.
type RowSet []uint64

func NewRowSet(s *model.Snapshot, ids []model.ID) RowSet {
	set := make(RowSet, (s.Rows()+63)/64)
	for _, id := range ids {
		set.Add(id)
	}
	return set
}

func (r RowSet) Add(id model.ID) { r[id>>6] |= 1 << (id & 63) }

func (r RowSet) Has(id model.ID) bool { return r[id>>6]&(1<<(id&63)) != 0 }

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
}

func NewCoverage(sel Selection) Coverage {
	s := sel.Snap
	c := Coverage{Snap: s, Threads: s.Threads(), All: sel.Everything(), Whole: make([]bool, len(s.Sessions()))}
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

// Counts reports whether calls of a message, or results without a call in it, are
// part of an answer: those of a branch that is not live are where all of the
// conversation is.
func (c *Coverage) Counts(id model.ID) bool {
	h := c.Snap.HeadRow(id)
	if c.WholeOf(h) {
		return h.Flags&(model.Rewound|model.Inherited) == 0
	}
	return c.Picked.Has(id)
}

// Drop takes a message out of a set.
func (r RowSet) Drop(id model.ID) { r[id>>6] &^= 1 << (id & 63) }
