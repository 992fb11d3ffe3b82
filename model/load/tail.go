package load

import (
	"context"
	"os"
	"time"

	"turns/model"
	"turns/model/source/remote"
)

// Tails are the transcripts that a list follows. They share one buffer, because they are read one
// after another.
type Tails struct {
	hints Hints
	kept  int // number of open files
	mem   []byte
	free  chan *block
	long  chan []byte
}

// Tail follows a transcript of lines for a list: it extends the summary by parsing only the
// appended lines.
type Tail struct {
	in   *Tails
	l    *lister
	at   opened
	info os.FileInfo
	kept handle // open between two looks if keeps is true
	// written is the file's time of writing in Unix ns.
	written  int64
	keeps    bool
	complete model.Summary // of the complete transcript
	own      model.Summary // of the part read here
}

// Follow starts to follow a transcript after its summary. It returns false if the transcript does
// not consist of lines, or ends in an incomplete one.
func (ts *Tails) Follow(ctx context.Context, complete *model.Summary) (*Tail, bool) {
	info, err := remote.Stat(ctx, complete.Path)
	if err != nil || !info.Mode().IsRegular() || info.Size() < complete.Bytes || remote.Is(complete.Path) {
		return nil, false
	}
	t := &Tail{in: ts, l: newLister(&ts.hints), info: info, written: info.ModTime().UnixNano(), complete: *complete}
	t.lend()
	size := complete.Bytes // later bytes count as growth
	o, err := t.l.open(ctx, complete.Path, size)
	if err != nil {
		return nil, false
	}
	t.at = *o
	defer t.giveBack()
	t.own = model.Summary{Path: complete.Path, Bytes: size, Written: info.ModTime().UnixMilli()}
	// More lines may change an inferred format.
	if done, err := t.l.lines(ctx, &t.own, &t.at); !done || err != nil || t.own.Sessions > 1 || t.own.Format != complete.Format || complete.Format == "inferred" {
		return nil, false
	}
	last := []byte{0}
	if _, err := t.at.file.ReadAt(last, size-1); err != nil || last[0] != '\n' {
		return nil, false
	}
	t.l.index.off = size
	t.l.tail = nil
	return t, true
}

// lend lets a tail use the shared memory.
func (t *Tail) lend() {
	x := &t.l.index
	t.l.mem, x.free, x.long = t.in.mem, t.in.free, t.in.long
}

// giveBack undoes lend, and closes the file unless it stays open.
func (t *Tail) giveBack() {
	x := &t.l.index
	t.in.mem, t.in.free, t.in.long = t.l.mem, x.free, x.long
	t.l.mem, x.free, x.long, x.held, x.scan = nil, nil, nil, nil, nil
	if !t.keeps {
		t.at.file.Close()
	}
	t.at.begin, t.at.tail = nil, nil
}

// For speed only: keptMost limits the open files: for files that grow all the time, opening and
// closing is most of the cost of a look.
const keptMost = 256

// keep leaves the file open.
func (t *Tail) keep(file handle) {
	if canKeep && t.in.kept < keptMost {
		t.kept, t.keeps = file, true
		t.in.kept++
	}
}

// Close ends following.
func (t *Tail) Close() {
	if t.keeps {
		t.keeps = false
		t.in.kept--
		t.kept.Close()
	}
}

// grownKept reports whether the open file has grown, with its size and time of writing.
func (t *Tail) grownKept() (size, at int64, grown bool) {
	if !t.keeps {
		return 0, 0, false
	}
	size, at, ok := sizeOf(t.kept)
	return size, at, ok && size > t.at.size
}

// Grow reads the appended lines. ok is false if the file changed in another way: then the caller
// needs a new summary.
func (t *Tail) Grow(ctx context.Context) (s model.Summary, grew, ok bool) {
	size, at, grown := t.grownKept()
	if !grown { // it may be another file by now
		info, err := remote.Stat(ctx, t.complete.Path)
		if err != nil || !os.SameFile(info, t.info) || info.Size() < t.at.size {
			return s, false, false
		}
		if size, at = info.Size(), info.ModTime().UnixNano(); size == t.at.size {
			return t.complete, false, at == t.written
		}
	}
	if t.keeps {
		t.at.file = t.kept
	} else {
		file, err := openHandle(t.complete.Path)
		if err != nil {
			return s, false, false
		}
		t.at.file = file
		t.keep(file)
	}
	t.at.size, t.written = size, at
	t.lend()
	defer t.giveBack()
	x := &t.l.index
	x.stream = &t.at
	if err := x.advanceHere(ctx, &t.l.work, size, false); err != nil {
		return s, false, false
	}
	t.count(ctx)
	return t.complete, true, true
}

// Written returns the size of the file at the last read, and its time of writing in Unix ns.
func (t *Tail) Written() (size, at int64) { return t.at.size, t.written }

// count adds the new part to the summary.
func (t *Tail) count(ctx context.Context) {
	snap, was := t.l.builder.Peek(), t.own
	now := model.Summary{Path: was.Path}
	count(&now, snap, t.l.index.format, t.l.behind)
	t.own = now
	s := &t.complete
	s.Bytes, s.Written = t.at.size, t.written/int64(time.Millisecond)
	s.Messages += now.Messages - was.Messages
	s.Calls += now.Calls - was.Calls
	s.Errors += now.Errors - was.Errors
	s.Failed += now.Failed - was.Failed
	s.Pending = max(s.Pending+now.Pending-was.Pending, 0)
	s.Tokens += now.Tokens - was.Tokens
	s.OutputLeast += now.OutputLeast - was.OutputLeast
	s.Bill.Add(now.Bill, was.Bill)
	if s.Partial {
		s.Estimate += now.Messages - was.Messages
	}
	// all was read here; messages may have been undone
	if s.Started == was.Started && s.Last == was.Last {
		s.Started, s.Last = now.Started, now.Last
	}
	s.Clock(now.Last)
	s.Ending, s.Unread, s.Asked = now.Ending, now.Unread, now.Asked
	if q := snap.LastQuotas(ctx); q[0].Known() {
		s.Quotas = q
	}
	if s.At < 0 && !s.Partial {
		s.At += s.Messages
	}
	if now.Model != "" {
		s.Model = now.Model
	}
	if s.Title == "" {
		s.Title = model.NewTitles(snap, t.l.reader.Of(snap)).Whole(ctx)
	}
}
