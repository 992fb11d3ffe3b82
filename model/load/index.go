package load

import (
	"bytes"
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

// blockSize is how much of a stream a worker takes at a time: enough to make the
// hand-over cheap, little enough to be parsed before it has left the cache of the
// core that read it.
const blockSize = 256 << 10

// indexer makes the index of one stream, and goes on where it stopped when the
// stream has grown.
type indexer struct {
	reader
	stream  model.Stream
	builder *stitch.Builder
	source  uint16
	split   model.Splitter // nil: lines
	workers int
	agent   *stitch.Agent   // the stream is a subagent's; nil: the conversation's own
	off     int64           // up to here everything is in the index
	tail    int64           // bytes behind off that are still being written
	free    chan *block     // blocks that are done with
	long    chan []byte     // the buffer of a long line that is done with
	scan    []byte          // where the ends of long lines are looked for
	held    []byte          // bytes of the stream that are in memory
	heldOff int64           // where they begin
	after   func(off int64) // called now and then with what has been indexed
	follows bool            // the stream is a file that is followed
	scanned [2]int64        // a line's beginning, and how far its end was looked for in vain
	damage  damage
	limits  model.Limits
	over    error // why what follows is left out
}

// block is a run of whole lines on its way to a worker and, as facts, to the
// builder.
type block struct {
	off int64
	buf []byte
	// what buf is but for a long line, or bytes that were in memory; nil until there is need of it
	base  []byte
	big   []tooLarge // instead of lines: one record over the limit
	batch *stitch.Batch
}

// size is the number of bytes of the stream that the block stands for.
func (b *block) size() int64 {
	size := int64(len(b.buf))
	for _, big := range b.big {
		size += big.size
	}
	return size
}

type tooLarge struct{ off, size int64 }

// advance indexes up to end. last says that no more bytes will come, so that what
// lies behind the last newline is a record, or a damaged one.
func (x *indexer) advance(ctx context.Context, end int64, last bool) error {
	if x.split == nil && end-x.off > 8*blockSize && x.workers > 1 {
		return x.advanceTogether(ctx, end, last)
	}
	return x.advanceHere(ctx, &worker{indexer: x}, end, last)
}

// advanceHere is advance without other goroutines: for what was appended.
func (x *indexer) advanceHere(ctx context.Context, w *worker, end int64, last bool) error {
	if x.split != nil {
		return x.advanceSplit(ctx, end, last)
	}
	defer x.tellTail(end)
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

// apply gives what a block says to the builder.
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

// makeFree makes the lists of blocks and long lines that can be used again.
func (x *indexer) makeFree() {
	if x.free == nil {
		x.free, x.long = make(chan *block, 2*x.workers+2), make(chan []byte, 2)
	}
}

// keptLine is how large the buffer of a long line may be to be kept for the next
// one.
const keptLine = 16 << 20

// recycle keeps a block for the next lines; of the buffers of long lines two are
// kept.
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

// cut reads the next block of whole lines; more is false where there is none.
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
		b.buf, err = b.buf[:nl+1], nil // what failed behind it is met again
	}
	if err != nil {
		if err := x.skip(b, end, err); err != nil {
			return false, err
		}
	}
	x.off += b.size()
	return true, nil
}

// next gives the next bytes of the stream, at most size: those that are in memory
// as they lie there.
func (x *indexer) next(b *block, size int) ([]byte, error) {
	if from := x.off - x.heldOff; from >= 0 && from+int64(size) <= int64(len(x.held)) {
		return x.held[from : from+int64(size) : from+int64(size)], nil
	}
	if len(b.base) < size { // a short file, of which a folder may have thousands, needs little
		b.base = make([]byte, size)
	}
	n, err := x.read(b.base[:size], x.off)
	return b.base[:n], err
}

// lastNewline is the place of the last newline, or -1. It looks at some thousand
// bytes at a time, as bytes.IndexByte is many times as fast as bytes.LastIndexByte.
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

func (x *indexer) tellTail(end int64) {
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

// longLine reads the line that begins at the block and does not end in it. more
// is false where it is still being written.
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
				err = io.ErrUnexpectedEOF // it was there when its end was looked for
			}
			return false, fmt.Errorf("reading a line of %d bytes at byte %d: %w", size, x.off, err)
		}
	}
	if found {
		return true, nil
	}
	return x.whole(b.buf, last), nil
}

// longBuffer has room for a long line: a power of two, so that the next one
// mostly fits too.
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

// whole reports whether the bytes behind the last newline are a record: a JSON
// value that has its end cannot grow any more. What is cut is still being
// written, as far as anybody can tell.
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

// lineSize is the number of bytes from off to the next newline, or to end.
func (x *indexer) lineSize(end int64) (size int64, found bool, err error) {
	if x.scan == nil {
		x.scan = make([]byte, blockSize/4)
	}
	buf := x.scan
	at := x.off
	if x.scanned[0] == x.off { // of a line that is being written only what is new is looked at
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

// data is where the stream goes on behind a hole that begins at off; off where none does.
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
	run := 0 // bytes of equal lines that are no more to be looked at
	for len(data) > 0 {
		n := bytes.IndexByte(data, '\n') + 1
		if n == 0 {
			n = len(data)
		}
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

// line parses one line, without its newline: one record, or several that are glued together.
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

// advanceSplit indexes a stream that the format cuts itself.
func (x *indexer) advanceSplit(ctx context.Context, end int64, last bool) error {
	defer x.tellTail(end)
	batch, facts := stitch.NewBatch(), model.Facts{}
	buf := make([]byte, 0, blockSize)
	at := x.off // where buf ends in the stream
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
				// Records of prose may go on behind the hole, but nothing says where they begin.
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
