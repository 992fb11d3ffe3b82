package load

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"runtime"

	"turns/model"
	"turns/model/source"
	"turns/model/stitch"
)

// For speed only: blockSize is the size of the parts of a stream that workers process: large enough
// for a cheap hand-over, small enough to be parsed before it leaves the cache of the core that read
// it.
const blockSize = 256 << 10

// indexer makes the index of one stream, and continues where it stopped when the stream grows.
type indexer struct {
	reader
	stream  model.Stream
	builder *stitch.Builder
	source  uint16
	split   model.Splitter // nil: lines
	workers int
	agent   *stitch.Agent   // of a subagent's stream; nil: the main conversation
	off     int64           // end of the indexed part
	tail    int64           // incomplete bytes after off
	free    chan *block     // reusable blocks
	long    chan []byte     // reusable buffers for long lines
	scan    []byte          // buffer for the search for the ends of long lines
	held    []byte          // bytes of the stream in memory
	heldOff int64           // offset of held
	after   func(off int64) // called now and then with the end of the indexed part
	follows bool            // the stream is a followed file
	scanned [2]int64        // start of a line, and how far the search for its end got
	damage  damage
	limits  model.Limits
	over    error // why the rest is left out
}

// block is a run of complete lines on its way to a worker and, as facts, to the builder.
type block struct {
	off int64
	buf []byte
	// reusable memory for buf, unless buf is a long line or bytes in memory
	base  []byte
	big   []tooLarge // instead of lines: one record over the limit
	batch *stitch.Batch
}

// size returns the number of bytes of the stream in the block.
func (b *block) size() int64 {
	size := int64(len(b.buf))
	for _, big := range b.big {
		size += big.size
	}
	return size
}

type tooLarge struct{ off, size int64 }

// advance indexes up to end. last means that no more bytes follow, so that the text after the last
// newline is a record, or a damaged one.
func (x *indexer) advance(ctx context.Context, end int64, last bool) error {
	if x.split == nil && end-x.off > 8*blockSize && x.workers > 1 {
		return x.advanceTogether(ctx, end, last)
	}
	return x.advanceHere(ctx, &worker{indexer: x}, end, last)
}

// advanceHere is advance without other goroutines, for appended bytes.
func (x *indexer) advanceHere(ctx context.Context, w *worker, end int64, last bool) error {
	if x.split != nil {
		return x.advanceSplit(ctx, end, last)
	}
	defer x.readTail(end)
	x.makeFree()
	for x.over == nil {
		b := x.newBlock()
		more, err := x.cut(ctx, b, end, last)
		if err != nil || !more {
			x.recycle(b)
			return err
		}
		w.facts(b)
		x.apply(b)
	}
	return nil
}

// apply passes a block's facts to the builder.
func (x *indexer) apply(b *block) {
	if x.over == nil {
		x.builder.Apply(b.batch)
		x.over = x.spent()
	}
	if x.after != nil {
		x.after(b.off + b.size())
	}
	x.recycle(b)
}

// makeFree makes the lists of reusable blocks and buffers.
func (x *indexer) makeFree() {
	if x.free == nil {
		x.free, x.long = make(chan *block, 2*x.workers+2), make(chan []byte, 2)
	}
}

// For speed only: keptLine is the maximum size of a long line's buffer to reuse.
const keptLine = 16 << 20

// recycle makes a block reusable, and up to two buffers of long lines.
func (x *indexer) recycle(b *block) {
	if cap(b.buf) > blockSize && cap(b.buf) <= keptLine {
		select {
		case x.long <- b.buf:
		default:
		}
	}
	b.buf, b.big = nil, b.big[:0]
	b.batch.Clear()
	select {
	case x.free <- b:
	default:
	}
}

// cut reads the next block of complete lines; more is false if there is none.
func (x *indexer) cut(ctx context.Context, b *block, end int64, last bool) (more bool, err error) {
	if x.off >= end {
		return false, nil
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	b.off = x.off
	b.buf, err = x.next(b, int(min(end-x.off, blockSize)))
	nl := lastNewline(b.buf)
	switch {
	case len(b.buf) == 0 && err != nil:
		err = fmt.Errorf("reading at byte %d: %w", x.off, err)
	case nl < 0:
		if more, err = x.longLine(b, end, last); err == nil && !more {
			return false, nil
		}
	default:
		b.buf, err = b.buf[:nl+1], nil // the next read meets the error again
	}
	if err != nil {
		if err := x.skip(b, end, err); err != nil {
			return false, err
		}
	}
	x.off += b.size()
	return true, nil
}

// next returns the next bytes of the stream, at most size, and without a copy if they are in
// memory.
func (x *indexer) next(b *block, size int) ([]byte, error) {
	if from := x.off - x.heldOff; from >= 0 && from+int64(size) <= int64(len(x.held)) {
		return x.held[from : from+int64(size) : from+int64(size)], nil
	}
	if len(b.base) < size { // short files, thousands in some folders, need little
		b.base = make([]byte, size)
	}
	n, err := x.read(b.base[:size], x.off)
	return b.base[:n], err
}

// lastNewline returns the index of the last newline, or -1. It searches some thousand bytes at a
// time, because bytes.IndexByte is much faster than bytes.LastIndexByte.
func lastNewline(buf []byte) int {
	for end := len(buf); end > 0; {
		start := max(end-4096, 0)
		at := -1
		for i := start; ; {
			n := bytes.IndexByte(buf[i:end], '\n')
			if n < 0 {
				break
			}
			at = i + n
			i = at + 1
		}
		if at >= 0 {
			return at
		}
		end = start
	}
	return -1
}

func (x *indexer) readTail(end int64) {
	x.tail = end - x.off
	t := model.Tail{}
	if x.tail > 0 {
		t = model.Tail{Off: x.off, Len: x.tail}
	}
	if x.agent == nil {
		x.builder.SetTail(t)
	}
}

func (x *indexer) newBlock() *block {
	select {
	case b := <-x.free:
		return b
	default:
		return &block{batch: stitch.NewBatch()}
	}
}

// longLine reads the line that begins at the block and does not end in it. more is false if the
// line is incomplete.
func (x *indexer) longLine(b *block, end int64, last bool) (more bool, err error) {
	size, found, err := x.lineSize(end)
	if err != nil {
		return false, err
	}
	if size > x.maxSize {
		if !found && !last {
			return false, nil
		}
		b.buf, b.big = b.buf[:0], append(b.big, tooLarge{x.off, size})
		return true, nil
	}
	if !found && !last && x.unfinished(b.buf, end) {
		return false, nil
	}
	if int64(len(b.buf)) < size {
		b.buf = x.longBuffer(int(size))
		if n, err := x.read(b.buf, x.off); n < len(b.buf) {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF // it was there when lineSize looked
			}
			return false, fmt.Errorf("reading a line of %d bytes at byte %d: %w", size, x.off, err)
		}
	}
	if found {
		return true, nil
	}
	return x.whole(b.buf, last), nil
}

// longBuffer returns a buffer for a long line. Its size is a power of two, so that the next line
// mostly also fits.
func (x *indexer) longBuffer(size int) []byte {
	select {
	case buf := <-x.long:
		if cap(buf) >= size {
			return buf[:size]
		}
	default:
	}
	if size <= keptLine {
		return make([]byte, size, 1<<bits.Len(uint(size-1)))
	}
	return make([]byte, size)
}

// whole reports whether the bytes after the last newline are a record: a complete JSON value cannot
// grow any more. An incomplete value may still be in writing.
func (x *indexer) whole(line []byte, last bool) bool {
	if x.framed {
		return false
	}
	data := trimLine(line)
	if len(data) == 0 {
		return last
	}
	if data[0] == '{' || data[0] == '[' {
		return complete(data)
	}
	if start, end := source.FindJSON(data); start >= 0 && end > start {
		return complete(data[start:end])
	}
	return last
}

// lineSize returns the number of bytes from off to the next newline, or to end.
func (x *indexer) lineSize(end int64) (size int64, found bool, err error) {
	if x.scan == nil {
		x.scan = make([]byte, blockSize/4)
	}
	buf := x.scan
	at := x.off
	if x.scanned[0] == x.off { // of an incomplete line search only the new part
		at = min(max(at, x.scanned[1]), end)
	}
	for at < end {
		n, err := x.read(buf[:min(int64(len(buf)), end-at)], at)
		if n == 0 && err != nil {
			return 0, false, fmt.Errorf("reading at byte %d: %w", at, err)
		}
		if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 {
			return at + int64(i) + 1 - x.off, true, nil
		}
		if at += int64(n); buf[n-1] == 0 {
			at = min(x.data(at), end)
		}
	}
	x.scanned = [2]int64{x.off, end}
	return end - x.off, false, nil
}

// data returns the end of a hole that begins at off; off if there is no hole.
func (x *indexer) data(off int64) int64 {
	if s, ok := x.stream.(interface{ Data(off int64) int64 }); ok {
		return s.Data(off)
	}
	return off
}

// facts parses the lines of a block.
func (w *worker) facts(b *block) {
	x := w.indexer
	b.batch.SetAgent(x.agent)
	for _, big := range b.big {
		b.batch.AddUnreadable(model.Ref{Off: big.off, Len: uint32(min(big.size, 1<<32-1)), Source: x.source})
	}
	data, off := b.buf, b.off
	run := 0 // bytes of equal lines to skip
	for len(data) > 0 {
		n := cmp.Or(bytes.IndexByte(data, '\n')+1, len(data))
		if run <= 0 && !x.framed {
			run = equalLines(data, n)
			if run > n && int64(n) <= x.maxSize && x.shared(b.batch, &w.parsed, data[:run], n, off) {
				data, off, run = data[run:], off+int64(run), 0
				continue
			}
		}
		w.line(b.batch, bytes.TrimSuffix(data[:n], newline), off)
		data, off, run = data[n:], off+int64(n), run-n
	}
}

var newline = []byte{'\n'}

// line parses one line, without its newline: one record, or several in a row.
func (w *worker) line(batch *stitch.Batch, line []byte, off int64) {
	x, facts := w.indexer, &w.parsed
	ref := model.Ref{Off: off, Len: uint32(len(line)), Source: x.source}
	if int64(len(line)) > x.maxSize {
		batch.AddUnreadable(ref)
		return
	}
	rec := model.Record{Ref: ref, Data: line}
	if x.framed {
		rec.List, rec.Data = w.cutter.Cut(line)
	}
	for {
		facts.Clear()
		if err := x.parse(rec, facts); err != nil {
			batch.AddUnreadable(rec.Ref)
			return
		}
		rest := facts.Rest
		facts.Rest = 0
		if rest <= 0 || rest >= len(rec.Data) || x.framed || len(trimLine(rec.Data[len(rec.Data)-rest:])) == 0 {
			batch.Add(rec.Ref, facts)
			return
		}
		whole := rec
		rec.Ref.Len -= uint32(rest)
		batch.Add(rec.Ref, facts)
		at := len(whole.Data) - rest
		rec.Ref = model.Ref{Off: whole.Ref.Off + int64(at), Len: uint32(rest), Source: x.source}
		rec.Data = whole.Data[at:]
	}
}

// advanceSplit indexes a stream that the format splits itself.
func (x *indexer) advanceSplit(ctx context.Context, end int64, last bool) error {
	defer x.readTail(end)
	batch, facts := stitch.NewBatch(), model.Facts{}
	buf := make([]byte, 0, blockSize)
	at := x.off // offset of buf's end in the stream
	broken := int64(0)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		eof := at >= end
		if !eof {
			n, err := x.read(buf[len(buf):min(cap(buf), len(buf)+int(min(end-at, blockSize)))], at)
			buf, at = buf[:len(buf)+n], at+int64(n)
			if n == 0 && err != nil {
				if err = fmt.Errorf("reading at byte %d: %w", at, err); x.torn(err) || ctx.Err() != nil {
					return err
				}
				// Records of prose may continue after the hole, but their start is unknown.
				x.hole(err)
				broken, last, end = end-at, true, at
			}
			eof = at >= end
		}
		used := x.splitBuffer(batch, &facts, buf, eof && last)
		x.builder.Apply(batch)
		batch.Clear()
		x.off += int64(used)
		if x.over = x.spent(); x.over != nil {
			return nil
		}
		if x.after != nil {
			x.after(x.off)
		}
		rest := copy(buf, buf[used:])
		buf = buf[:rest]
		if eof {
			if broken > 0 {
				batch.AddUnreadable(model.Ref{Off: x.off, Len: uint32(min(broken, 1<<32-1)), Source: x.source})
				x.builder.Apply(batch)
				x.off = at + broken
			}
			return nil
		}
		if len(buf) == cap(buf) {
			if int64(cap(buf)) > x.maxSize {
				return fmt.Errorf("a record at byte %d is larger than %s", x.off, model.SizeOf(x.maxSize))
			}
			buf = append(make([]byte, 0, 2*cap(buf)), buf...)
		}
	}
}

func (x *indexer) splitBuffer(batch *stitch.Batch, facts *model.Facts, buf []byte, eof bool) (used int) {
	for used < len(buf) {
		rec, n := x.split.Split(buf[used:], eof)
		if n <= 0 {
			return used
		}
		if run := equalLines(buf[used:], n); run > n && x.shared(batch, facts, buf[used:used+run], n, x.off+int64(used)) {
			used += run
			continue
		}
		if len(rec.Data) > 0 {
			rec.Ref = model.Ref{Off: x.off + int64(used) + rec.Ref.Off, Len: uint32(len(rec.Data)), Source: x.source}
			facts.Clear()
			if err := x.parse(rec, facts); err != nil {
				batch.AddUnreadable(rec.Ref)
			} else {
				batch.Add(rec.Ref, facts)
			}
		}
		used += n
	}
	return used
}

func defaultWorkers() int { return min(max(runtime.GOMAXPROCS(0), 1), 8) }
