package model

import (
	"bytes"
	"context"
	"io"
	"iter"
	"runtime"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
)

// For speed only: searchSegment is the number of bytes that one worker searches at a time.
const searchSegment = 512 << 10

// Maybe yields, by arrival, the rows whose recorded bytes could contain one of the literals, in
// any case. It returns false if it cannot decide: every row could. It also yields records with
// ASCII characters as \u escapes, messages whose text continues in the next record, and rows that
// are unreadable or over the record limit. It reads the sources once and stops when ctx ends.
// progress, which may be nil, is called from the caller's goroutine with the number of searched
// parts and of all parts.
func (s *Snapshot) Maybe(ctx context.Context, lits [][]byte, progress func(done, total int)) (iter.Seq[ID], bool) {
	needles := needlesOf(lits)
	if needles == nil || len(s.ix.Sources) == 0 || s.ix.Sources[0].Encoded {
		return nil, false
	}
	bySource, ok := s.partsBySource()
	if !ok {
		return nil, false
	}
	return func(yield func(ID) bool) {
		w := searcher{s: s, needles: needles, progress: progress}
		for source, span := range bySource {
			if !w.source(ctx, source, span, yield) {
				return
			}
		}
	}, true
}

// needlesOf returns the part of each literal that is recorded unchanged; nil if one of these is too
// short.
func needlesOf(lits [][]byte) (needles [][]byte) {
	for _, lit := range lits {
		n := plainRun(lit)
		if len(n) < 3 {
			return nil
		}
		needles = append(needles, n)
	}
	return needles
}

// StreamMaybe reports whether recorded bytes could contain one of the literals, like
// [Snapshot.Maybe] but without an index. The texts must not continue from one record to the next.
// It returns true if it cannot decide, if the stream is unreadable, and if ctx ends.
func StreamMaybe(ctx context.Context, stream Stream, lits [][]byte) bool {
	w := searcher{needles: needlesOf(lits)}
	if w.needles == nil {
		return true
	}
	overlap := int64(len(`\u0000`)) // a match may span two segments
	for _, n := range w.needles {
		overlap = max(overlap, int64(len(n)))
	}
	var next atomic.Int64
	var found atomic.Bool
	size := stream.Size()
	var wg sync.WaitGroup
	for range searchWorkers() {
		wg.Go(func() {
			buf := make([]byte, searchSegment+overlap)
			for !found.Load() {
				off := next.Add(searchSegment) - searchSegment
				if off >= size {
					return
				}
				data := buf[:min(int64(len(buf)), size-off)]
				n, err := stream.ReadAt(data, off)
				if n < len(data) && err != nil || ctx.Err() != nil || newHitFinder(data, w.needles).next(0) >= 0 {
					found.Store(true)
				}
			}
		})
	}
	wg.Wait()
	return found.Load()
}

func searchWorkers() int { return min(runtime.GOMAXPROCS(0), 8) }

// partSpan is a run of parts of one source, by ascending offset.
type partSpan struct{ from, to int }

// partsBySource returns the parts of each source as runs. It returns false if the sources were not
// read one after another.
func (s *Snapshot) partsBySource() ([]partSpan, bool) {
	spans := make([]partSpan, len(s.ix.Sources))
	if len(spans) == 1 {
		spans[0] = partSpan{0, s.PartCount()}
		return spans, true
	}
	last := -1
	for i := range s.PartCount() {
		k := int(s.Part(i).Ref.Source)
		if k != last {
			if spans[k].to > 0 {
				return nil, false
			}
			spans[k].from = i
			last = k
		}
		spans[k].to = i + 1
	}
	return spans, true
}

// plainRun returns the longest run of lit that every JSON writer leaves unchanged, in lower case:
// ASCII without quotes, slashes and control characters.
func plainRun(lit []byte) []byte {
	var best []byte
	for i := 0; i < len(lit); {
		j := i
		for j < len(lit) && plainByte(lit[j]) {
			j++
		}
		if j-i > len(best) {
			best = lit[i:j]
		}
		i = j + 1
	}
	return bytes.ToLower(best)
}

func plainByte(b byte) bool {
	return b >= 0x20 && b < 0x7f && b != '"' && b != '\\' && b != '/'
}

type searcher struct {
	s        *Snapshot
	needles  [][]byte
	progress func(done, total int)
	done     int // number of searched parts
}

// source searches one source in segments, several in parallel, and yields in order. It returns
// false when yield does.
func (w *searcher) source(ctx context.Context, source int, span partSpan, yield func(ID) bool) bool {
	if span.from >= span.to {
		return true
	}
	type job struct {
		parts partSpan
		found chan []ID
	}
	ctx, cancel := context.WithCancel(ctx)
	workers := searchWorkers()
	jobs := make(chan job)
	ordered := make(chan job, 2*workers)
	var wg sync.WaitGroup
	defer func() { // even if yield panics
		cancel()
		wg.Wait()
	}()
	for range workers {
		wg.Go(func() {
			buf := make([]byte, 0, searchSegment+(1<<16))
			for j := range jobs {
				j.found <- w.segment(ctx, source, j.parts, &buf)
			}
		})
	}
	wg.Go(func() {
		defer close(jobs)
		defer close(ordered)
		for from := span.from; from < span.to; {
			to := w.segmentEnd(from, span.to)
			j := job{partSpan{from, to}, make(chan []ID, 1)}
			select {
			case ordered <- j:
			case <-ctx.Done():
				return
			}
			select {
			case jobs <- j:
			case <-ctx.Done():
				j.found <- nil
				return
			}
			from = to
		}
	})
	for j := range ordered {
		for _, id := range <-j.found {
			if !yield(id) {
				return false
			}
		}
		if w.done += j.parts.to - j.parts.from; w.progress != nil {
			w.progress(w.done, w.s.PartCount())
		}
	}
	return true
}

// segmentEnd returns the end of a segment that begins at part from: after about searchSegment
// bytes, never in the middle of a record.
func (w *searcher) segmentEnd(from, end int) int {
	start := w.s.Part(from).Ref.Off
	n := sort.Search(end-from, func(i int) bool { return w.s.Part(from+i).Ref.Off-start >= searchSegment })
	to := from + max(n, 1)
	for to < end && w.s.Part(to).Ref.Off == w.s.Part(to-1).Ref.Off {
		to++
	}
	return to
}

func (w *searcher) segment(ctx context.Context, source int, parts partSpan, buf *[]byte) []ID {
	if ctx.Err() != nil {
		return nil
	}
	first, last := w.s.Part(parts.from).Ref, w.s.Part(parts.to-1).Ref
	src := &w.s.ix.Sources[source]
	if src.Limit > 0 && int64(last.Len) > src.Limit {
		return w.everything(parts) // too large to read, so every part may match
	}
	size := int(last.Off + int64(last.Len) - first.Off)
	if cap(*buf) < size {
		*buf = make([]byte, 0, size)
	}
	data := (*buf)[:size]
	if n, err := src.Stream.ReadAt(data, first.Off); err != nil && (err != io.EOF || n < size) {
		return w.everything(parts) // reading the bodies returns the error
	}
	var ids []ID
	hits := newHitFinder(data, w.needles)
	for i := parts.from; i < parts.to; {
		at := hits.next(int(w.s.Part(i).Ref.Off - first.Off))
		if at < 0 {
			break
		}
		off := first.Off + int64(at)
		// the last part that begins at or before the hit
		k := i + sort.Search(parts.to-i, func(n int) bool { return w.s.Part(i+n).Ref.Off > off }) - 1
		start := w.s.Part(k).Ref.Off
		if ids == nil {
			ids = make([]ID, 0, parts.to-i) // with one match, most may match
		}
		j := k
		for j > parts.from && w.s.Part(j-1).Ref.Off == start {
			j--
		}
		for ; j <= k; j++ {
			if id := w.s.Part(j).Msg; len(ids) == 0 || ids[len(ids)-1] != id {
				ids = append(ids, id)
			}
		}
		i = k + 1
	}
	if cap(*buf) > 4*searchSegment {
		*buf = nil // do not keep the memory of a huge record
	}
	if w.s.ix.Continued {
		ids = append(ids, w.continued(parts)...)
		slices.Sort(ids)
		ids = slices.Compact(ids)
	}
	return ids
}

// continued returns the messages of the parts that have a text in several records.
func (w *searcher) continued(parts partSpan) []ID {
	var ids []ID
	for i := parts.from; i < parts.to; i++ {
		if id := w.s.Part(i).Msg; w.s.HeadRow(id).Flags&Continued != 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

func (w *searcher) everything(parts partSpan) []ID {
	var ids []ID
	for i := parts.from; i < parts.to; i++ {
		if id := w.s.Part(i).Msg; len(ids) == 0 || ids[len(ids)-1] != id {
			ids = append(ids, id)
		}
	}
	return ids
}

// hitFinder finds, from left to right, places where a needle, an escape of an ASCII character or an
// invisible character is in recorded bytes. It remembers the next place of each, so that frequent
// hits of one do not cause repeated searches for the others.
type hitFinder struct {
	data    []byte
	needles []FoldFinder[[]byte]
	places  []int // next place of each needle, of an escape, and of an invisible character, raw and escaped
}

func newHitFinder(data []byte, needles [][]byte) *hitFinder {
	h := &hitFinder{data: data, places: make([]int, len(needles)+3)}
	for _, needle := range needles {
		h.needles = append(h.needles, NewFoldFinder(data, needle, bytes.IndexByte))
	}
	for i := range h.places {
		h.places[i] = -1
	}
	return h
}

// next returns the first place at or after from, or -1. from must not decrease.
func (h *hitFinder) next(from int) int {
	best := len(h.data)
	for i, at := range h.places {
		if at < from {
			at = h.find(i, from)
			h.places[i] = at
		}
		best = min(best, at)
	}
	if best == len(h.data) {
		return -1
	}
	return best
}

// find searches for the thing at index i of h.places; it returns the length of the data for none.
func (h *hitFinder) find(i, from int) int {
	at := -1
	switch n := len(h.needles); i {
	case n:
		if at = indexEscape(h.data[from:]); at >= 0 {
			at += from
		}
	case n + 1:
		at = nextRaw(h.data, from)
	case n + 2:
		at = nextEscaped(h.data, from, len(h.data))
	default:
		at = h.needles[i].Next(from)
	}
	if at < 0 {
		return len(h.data)
	}
	return at
}

// indexEscape finds \u00 followed by 2 to 7: a printable ASCII character.
func indexEscape(data []byte) int {
	for from := 0; ; {
		i := bytes.Index(data[from:], []byte(`\u00`))
		if i < 0 {
			return -1
		}
		at := from + i
		if at+4 < len(data) && data[at+4] >= '2' && data[at+4] <= '7' {
			return at
		}
		from = at + 4
	}
}
