package filter

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"turns/model"
	"turns/query"
	"turns/query/lang"
)

// For speed only: the work that a worker takes at a time.
const (
	headChunk = 1 << 13 // messages per chunk of a worker
	// a worker's chunk ends with the message that reaches one of these limits: the worker has the
	// part of the file with its neighbours in memory
	bodyChunk = 1024
	bodyBytes = 128 << 10
	// cost of reading a byte of a message, relative to searching it in place
	readCost = 6
)

// evalBatch has the results for a group of messages, in order.
type evalBatch struct {
	rows     []evalRow
	calls    []model.CallID
	counting int
	unread   int
	texts    int // messages whose texts were read
	err      error
}

type evalRow struct {
	id      model.ID
	calls   uint32 // end of its calls in the batch
	blocks  BlockSet
	pending bool // its texts must be read
}

// add records the result for the loaded message.
func (b *evalBatch) add(st *state, t truth, m marks) {
	switch {
	case t == unknown && st.wanted:
		b.rows = append(b.rows, evalRow{id: st.id, calls: uint32(len(b.calls)), pending: true})
		return
	case t == unknown:
		b.counting++
		return
	case t == no || st.failed:
		return
	}
	for i := range st.calls {
		if m&markCall(i) != 0 {
			b.calls = append(b.calls, st.calls[i].id)
		}
	}
	b.rows = append(b.rows, evalRow{id: st.id, calls: uint32(len(b.calls)), blocks: BlockSet(m & markProse)})
}

// each yields the matches of a batch and skips pending rows.
func (b *evalBatch) each(yield func(Match) bool) bool {
	from := uint32(0)
	for i := range b.rows {
		row := &b.rows[i]
		if !row.pending && !yield(Match{row.id, row.blocks, b.calls[from:row.calls]}) {
			return false
		}
		from = row.calls
	}
	return true
}

func evalWorkers(jobs int) int { return max(1, min(runtime.GOMAXPROCS(0), 8, jobs)) }

// run evaluates the filter for ids in order: from heads, then from recorded bytes if literals can
// rule messages out, then from texts.
func (m *Matcher) run(ctx context.Context, ids []model.ID, r *Result, yield func(Match) bool) error {
	batches, err := m.heads(ctx, ids)
	if err != nil {
		return err
	}
	pending, size := 0, int64(0)
	for i := range batches {
		r.Counting += batches[i].counting
		for _, row := range batches[i].rows {
			if row.pending {
				pending++
				size += int64(m.snap.HeadRow(row.id).Size)
			}
		}
	}
	r.Steps.Looked, r.Steps.Heads = len(ids), len(ids)-pending
	if pending == 0 {
		for i := range batches {
			if !batches[i].each(yield) {
				return nil
			}
		}
		return nil
	}
	searched := 0
	set, err := m.maybe(ctx, size, func(done, total int) {
		if m.env.Progress != nil {
			searched = searchShare * pending
			m.env.Progress(int(int64(searched)*int64(done)/int64(max(total, 1))), searched+pending)
		}
	})
	if err != nil {
		return err
	}
	r.Steps.Searched = set != nil
	return m.bodies(ctx, batches, progressOf{pending, searched}, set, r, yield)
}

// For speed only: searchShare is the cost of searching the recorded bytes, relative to then reading
// the few remaining messages.
const searchShare = 9

// progressOf has the number of messages to read, and the progress so far in the same unit.
type progressOf struct{ pending, before int }

// heads evaluates the filter as far as heads suffice.
func (m *Matcher) heads(ctx context.Context, ids []model.ID) ([]evalBatch, error) {
	batches := make([]evalBatch, (len(ids)+headChunk-1)/headChunk)
	var next atomic.Int64
	work := func() {
		st := state{ctx: ctx, snap: m.snap}
		for ctx.Err() == nil {
			n := int(next.Add(1)) - 1
			if n >= len(batches) {
				return
			}
			b := &batches[n]
			chunk := ids[n*headChunk : min((n+1)*headChunk, len(ids))]
			for _, id := range chunk {
				st.load(id)
				t, mk := st.match(m.root)
				b.add(&st, t, mk)
				if len(b.rows) == 1 && b.rows[0].pending { // then most of them are
					b.rows = slices.Grow(b.rows, len(chunk)-1)
				}
			}
		}
	}
	workers := evalWorkers(len(batches))
	var wg sync.WaitGroup
	for range workers - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
	return batches, ctx.Err()
}

// maybe searches the recorded bytes for literals of the filter, if that is cheaper than reading the
// pending messages, which have size bytes.
func (m *Matcher) maybe(ctx context.Context, size int64, progress func(done, total int)) (*bitset, error) {
	if m.set != nil {
		return m.set, nil
	}
	var lits [][]byte
	for _, l := range m.passed {
		lits = append(lits, l.lits...)
	}
	total := int64(0)
	for _, src := range m.snap.Sources() {
		total += src.Stream.Size()
	}
	if len(lits) == 0 || len(lits) > lang.LangMaxLits || size*readCost < total && !m.search {
		return nil, nil
	}
	rows, ok := m.snap.Maybe(ctx, lits, progress)
	if !ok {
		return nil, nil
	}
	set := newBitset(m.snap.Rows())
	for id := range rows {
		set.add(uint32(id))
	}
	return set, ctx.Err()
}

// bodyJob is a run of rows for one worker.
type bodyJob struct {
	batch *evalBatch
	rows  [2]int
	found chan evalBatch
}

// bodies decides the pending rows from texts, on several workers, and yields all matches in order.
func (m *Matcher) bodies(ctx context.Context, batches []evalBatch, all progressOf, set *bitset, r *Result, yield func(Match) bool) error {
	root := m.root
	if set != nil {
		root = root.passing(m.passed)
	}
	workers := make([]func(bodyJob), evalWorkers(all.pending))
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	for i := range workers {
		st := state{ctx: inner, snap: m.snap, set: set, reading: true}
		workers[i] = func(j bodyJob) { j.found <- j.decide(&st, root) }
	}
	jobs := func(yield func(bodyJob) bool) {
		for i := range batches {
			for from := 0; from < len(batches[i].rows); {
				j := m.nextJob(&batches[i], from)
				if from = j.rows[1]; !yield(j) {
					return
				}
			}
		}
	}
	done := 0
	for j := range query.InOrder(inner, workers, 4*len(workers), jobs, func(j bodyJob) { j.found <- evalBatch{} }) {
		b := <-j.found
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r.Counting += b.counting
		r.Unread += b.unread
		r.Steps.Texts += b.texts
		r.Err = cmp.Or(r.Err, b.err)
		if !b.each(yield) {
			cancel() // stop the workers' reads
			return nil
		}
		for _, row := range j.batch.rows[j.rows[0]:j.rows[1]] {
			if row.pending {
				done++
			}
		}
		if m.env.Progress != nil {
			m.env.Progress(all.before+done, all.before+all.pending)
		}
	}
	return ctx.Err()
}

// nextJob returns the rows from an index on, with up to bodyChunk pending ones of bodyBytes
// together.
func (m *Matcher) nextJob(b *evalBatch, from int) bodyJob {
	to, pending, size := from, 0, uint64(0)
	for to < len(b.rows) && pending < bodyChunk && size < bodyBytes {
		if b.rows[to].pending {
			pending++
			size += uint64(m.snap.HeadRow(b.rows[to].id).Size)
		}
		to++
	}
	return bodyJob{b, [2]int{from, to}, make(chan evalBatch, 1)}
}

// decide evaluates the pending rows of a job and copies the others.
func (j *bodyJob) decide(st *state, root *node) evalBatch {
	out := evalBatch{rows: make([]evalRow, 0, j.rows[1]-j.rows[0])}
	st.err, st.unread = nil, 0
	from := uint32(0)
	if j.rows[0] > 0 {
		from = j.batch.rows[j.rows[0]-1].calls
	}
	for i := j.rows[0]; i < j.rows[1]; i++ {
		row := j.batch.rows[i]
		if row.pending {
			if st.ctx.Err() != nil {
				return out
			}
			st.load(row.id)
			t, mk := st.match(root)
			out.add(st, t, mk)
			if st.texts {
				out.texts++
			}
		} else {
			out.calls = append(out.calls, j.batch.calls[from:row.calls]...)
			from, row.calls = row.calls, uint32(len(out.calls))
			out.rows = append(out.rows, row)
		}
	}
	out.unread, out.err = st.unread, st.err
	return out
}

// passing returns a copy of the tree with a mark on the terms whose literals were searched. The
// compiled tree is shared and does not change.
func (n *node) passing(passed []*leaf) *node {
	out := *n
	if n.leaf != nil {
		l := *n.leaf
		for _, p := range passed {
			l.pass = l.pass || p == n.leaf
		}
		out.leaf = &l
	}
	out.kids = make([]*node, len(n.kids))
	for i, k := range n.kids {
		out.kids[i] = k.passing(passed)
	}
	return &out
}
