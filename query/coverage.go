package query

import "turns/model"

// rowSet is a set of rows of the index.
type rowSet []uint64

func newRowSet(s *model.Snapshot, ids []model.ID) rowSet {
	set := make(rowSet, (s.Rows()+63)/64)
	for _, id := range ids {
		set.add(id)
	}
	return set
}

func (r rowSet) add(id model.ID) { r[id>>6] |= 1 << (id & 63) }

func (r rowSet) has(id model.ID) bool { return r[id>>6]&(1<<(id&63)) != 0 }

// everything reports whether a selection leaves nothing out.
func (s Selection) everything() bool { return len(s.IDs) == s.Snap.Len() }

// coverage says which conversations a selection leaves nothing out of: of those,
// what is not live and what covers more than a message is part of an answer, too.
type coverage struct {
	snap    *model.Snapshot
	threads []model.Thread
	all     bool   // of every conversation
	whole   []bool // by session
	picked  rowSet // nil for all
}

func newCoverage(sel Selection) coverage {
	s := sel.Snap
	c := coverage{snap: s, threads: s.Threads(), all: sel.everything(), whole: make([]bool, len(s.Sessions()))}
	if c.all {
		for i := range c.whole {
			c.whole[i] = true
		}
		return c
	}
	c.picked = newRowSet(s, sel.IDs)
	if len(c.whole) == 1 {
		return c
	}
	left := make([]int, len(c.whole))
	for _, id := range s.LiveIDs() {
		n := c.threads[s.HeadRow(id).Thread].Session
		if c.picked.has(id) {
			c.whole[n] = true
		} else {
			left[n]++
		}
	}
	for i, n := range left {
		c.whole[i] = c.whole[i] && n == 0
	}
	return c
}

// wholeOf reports whether nothing is left out of a row's conversation.
func (c *coverage) wholeOf(h *model.Head) bool { return c.all || c.whole[c.threads[h.Thread].Session] }

// counts reports whether calls of a message, or results without a call in it, are
// part of an answer: those of a branch that is not live are where all of the
// conversation is.
func (c *coverage) counts(id model.ID) bool {
	h := c.snap.HeadRow(id)
	if c.wholeOf(h) {
		return h.Flags&(model.Rewound|model.Inherited) == 0
	}
	return c.picked.has(id)
}
