package load

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"turns/model"
	"turns/model/source"
	"turns/model/source/remote"
	"turns/model/stitch"
)

// What is read of a transcript of lines for its summary: all of it up to
// shortEnough, of a longer one the windows at its ends. Of the first window as much
// is parsed as tells what the transcript is about, of the last one what tells how
// it stands: the lines of all of them tell how long it likely is. What cannot be
// summarised from its ends, a document or a database, is read as a whole up to
// wholeLimit.
const (
	shortEnough = headWindow + tailWindow
	headWindow  = 64 << 10
	tailWindow  = 64 << 10
	headStep    = 4 << 10
	tailParsed  = 8 << 10
	judgedBy    = 256 << 10 // where the first bytes do not tell the format
	wholeLimit  = 8 << 20
	farLimit    = 1 << 20  // of what lies in a bucket or on another host
	storeLimit  = 64 << 20 // of a database or a folder, of which no beginning tells anything
)

// lister makes summaries, one after another, and uses its memory again.
type lister struct {
	hints      *Hints
	storeLimit int64
	limits     model.Limits // of a transcript that is read whole
	wholly     bool         // nothing is told by its ends
	mem        []byte       // what the transcript begins with
	tail       []byte       // what it ends with
	behind     model.ID     // first row that was read behind a gap; 0: there is none
	index      indexer
	work       worker
	builder    stitch.Builder
	reader     model.Reader
}

func newLister(h *Hints) *lister {
	return &lister{hints: h, storeLimit: storeLimit, limits: model.Limits{}.Brief()}
}

// summarise makes the summary of one transcript.
func (l *lister) summarise(ctx context.Context, f agedFile) Listed {
	s := model.Summary{Path: f.path, Bytes: f.size, Written: f.written.UnixMilli()}
	limit := int64(wholeLimit)
	far := remote.Is(f.path)
	if far {
		limit = farLimit
	}
	out := Listed{Store: f.info.IsDir()}
	if f.info.Mode().IsRegular() {
		if o, err := l.open(ctx, f.path, f.size); err == nil { // else Open tells why
			done, err := l.lines(ctx, &s, o)
			o.file.Close()
			if done || err != nil {
				return Listed{Summary: s, Err: err}
			}
			out.Store = source.IsDatabase(o.begin)
			if source.Compressed(o.begin) {
				limit = judgedBy
			}
		}
	}
	if out.Store {
		limit = l.storeLimit
	}
	switch {
	case far && out.Store && f.size > limit && !f.info.IsDir():
		out.Err = fmt.Errorf("list %q: a database of %s is not fetched for a list; turns show reads it", f.path, model.SizeOf(f.size))
	case l.wholly:
		out.Parts, out.Unread, out.Err = all(ctx, &s, s.Path, Options{Workers: 1, Hints: l.hints})
	case f.size > limit && out.Store:
		out.Parts, out.Err = l.summariseBrief(ctx, &s)
	case f.size > limit:
		out.Err = l.begins(ctx, &s)
	default:
		out.Parts, out.Unread, out.Err = all(ctx, &s, s.Path, Options{Workers: 1, Limits: l.limits, Hints: l.hints})
	}
	var left *model.LimitError
	if errors.As(out.Err, &left) && !strings.HasSuffix(strings.ToLower(f.path), ".zip") {
		s.Partial, out.Err = true, nil // it has a row all the same
	}
	out.Summary = s
	if !out.Store {
		out.Parts = nil // a file of many is one row
	}
	return out
}

// all summarises a transcript that is opened, and gives its conversations where
// it has several, and why a part of it could not be read. What its limits leave out
// makes the summary partial.
func all(ctx context.Context, s *model.Summary, path string, opts Options) (parts []Part, unread, err error) {
	c, err := Open(ctx, path, opts)
	if err != nil {
		return nil, nil, err
	}
	defer c.Close()
	snap, unread := c.Load(ctx)
	if snap == nil {
		return nil, nil, unread
	}
	fill(ctx, s, snap, snap.NewReader(), c.format, 0)
	s.Unread = model.UnreadWords(c.Unread(ctx, snap))
	var limit *model.LimitError
	if s.Partial = errors.As(unread, &limit); s.Partial {
		unread = nil
	}
	if c.format.Name == recordsName {
		return nil, nil, cmp.Or(unread, c.Misfit())
	}
	if s.Sessions < 2 && !opts.brief { // else there are some of which the messages are not known
		return nil, unread, nil
	}
	parts = Parts(ctx, snap)
	if len(parts) > 0 {
		parts[0].Summary.Unread = s.Unread // one row of the store warns
	}
	return parts, unread, nil
}

// opened is a file of which the first bytes were read already. It ends where it
// did when it was listed, though it may have grown.
type opened struct {
	file interface {
		io.ReaderAt
		io.Closer
	}
	begin []byte
	tail  []byte // the last bytes, once they were read
	size  int64
}

// Size is how large the file was when it was listed.
func (o *opened) Size() int64 { return o.size }

// ReadAt reads from the bytes that are there already, else from the file.
func (o *opened) ReadAt(p []byte, off int64) (n int, err error) {
	if off >= o.size {
		return 0, io.EOF
	}
	if left := o.size - off; int64(len(p)) > left {
		p, err = p[:left], io.EOF
	}
	if off+int64(len(p)) <= int64(len(o.begin)) {
		return copy(p, o.begin[off:]), err
	}
	if from := off - (o.size - int64(len(o.tail))); from >= 0 {
		return copy(p, o.tail[from:]), err
	}
	n, readErr := o.file.ReadAt(p, off)
	if readErr != nil {
		err = readErr
	}
	return n, err
}

// open opens a file and reads what it begins with, which is valid until the next
// call.
func (l *lister) open(ctx context.Context, path string, size int64) (*opened, error) {
	o := &opened{size: size}
	var err error
	if remote.Is(path) {
		o.file, err = remote.Open(ctx, path)
	} else {
		o.file, err = openHandle(path)
	}
	if err != nil {
		return nil, err
	}
	if l.mem == nil {
		l.mem = make([]byte, judgedBy)
	}
	begin := size
	if size > shortEnough {
		begin = headWindow
	}
	if err := o.read(l.mem[:begin]); err != nil {
		o.file.Close()
		return nil, err
	}
	return o, nil
}

// read reads the first bytes of the file, as many as there is room for.
func (o *opened) read(mem []byte) error {
	have := copy(mem, o.begin)
	n, err := o.file.ReadAt(mem[have:], int64(have))
	o.begin = mem[:have+n]
	if errors.Is(err, io.EOF) { // it has become shorter
		o.size, err = int64(len(o.begin)), nil
	}
	return err
}

// whole reports whether the bytes that were read are all there are.
func (o *opened) whole() bool { return int64(len(o.begin)) == o.size }

// lines summarises a transcript of lines without opening it again. done is false
// where it is none, or goes on from another transcript.
func (l *lister) lines(ctx context.Context, s *model.Summary, o *opened) (done bool, err error) {
	f, m, sample := l.detect(s.Path, o)
	if f == nil || !plainLines(f, m) {
		return false, nil
	}
	head := o.size
	if o.size > shortEnough && !l.wholly {
		head = int64(len(o.begin))
	}
	if f.Base != nil && head == o.size && len(sample.Records) > 0 {
		if _, more := f.Base(sample.Records[0]); more {
			return false, nil
		}
	}
	return true, l.ends(ctx, s, o, f, m, o.begin[:min(head, int64(len(o.begin)))], head)
}

// detect recognises a transcript of lines: by a few records where it is like those
// around it, else as everywhere. nil where it has no lines.
func (l *lister) detect(path string, o *opened) (*model.Format, model.Match, *model.Sample) {
	if few, ok := source.Glance(path, o.begin, o.whole(), hintRecords); ok {
		if f, m, ok := l.hints.expected(few); ok {
			return f, m, few
		}
	}
	if !o.whole() && o.read(l.mem[:min(o.size, judgedBy)]) != nil {
		return nil, model.Match{}, nil
	}
	sample, ok := source.Glance(path, o.begin, o.whole(), 0)
	if !ok {
		return nil, model.Match{}, nil
	}
	f, m := l.hints.detect(sample)
	return f, m, sample
}

// plainLines reports whether a format reads a stream of lines as it is.
func plainLines(f *model.Format, m model.Match) bool {
	return f.AsIs(m) && (f.Lists == nil || f.Lists(m) == nil)
}

// ends summarises what a stream has up to head, and in its last window: as much of
// that as tells how it stands, and whether its last calls are one and the same.
// begin is what of it is in memory.
func (l *lister) ends(ctx context.Context, s *model.Summary, stream model.Stream, f *model.Format, m model.Match, begin []byte, head int64) error {
	told, err := l.sampled(ctx, s, stream, f, m, begin, head, tailParsed)
	if err != nil || told && !(s.Cut && s.State == model.RunOpen) {
		return err
	}
	*s = model.Summary{Path: s.Path, Bytes: s.Bytes, Written: s.Written}
	_, err = l.sampled(ctx, s, stream, f, m, begin, head, tailWindow)
	return err
}

// sampled is ends with so many bytes of the end; told is false where no message is
// in them.
func (l *lister) sampled(ctx context.Context, s *model.Summary, stream model.Stream, f *model.Format, m model.Match, begin []byte, head, tail int64) (told bool, err error) {
	b, x := &l.builder, &l.index
	b.Reset(f.Order, f.Repeats, model.NewBodyCache(1<<20))
	*x = indexer{
		reader: reader{format: f, variant: m.Variant, maxSize: l.recordLimit(), blocks: l.limits.Blocks}, stream: stream, builder: b, workers: 1,
		free: x.free, long: x.long, scan: x.scan, held: begin,
	}
	if f.Split != nil {
		x.split = f.Split(m)
		x.prose = x.split != nil
	}
	parser := x.reader
	b.AddSource(model.Source{
		Stream: stream, Path: s.Path, Format: f.Name, Title: f.Title, Variant: m.Variant, Encoded: f.Encoded, Limit: x.maxSize, Parse: parser.parse,
	})
	l.work.indexer = x
	size := stream.Size()
	gap := head < size && x.split == nil
	var seen lines
	behind := model.ID(0)
	if gap {
		if err := l.first(ctx, x, head); err != nil {
			return false, err
		}
		behind = model.ID(b.Rows())
		seen.add(begin, 0, x.off)
		if told, err = l.last(ctx, x, tail, &seen); err != nil || !told && tail < tailWindow {
			return false, err
		}
	} else if err := x.advanceHere(ctx, &l.work, head, head == size); err != nil {
		return false, err
	}
	snap := b.Snapshot()
	l.behind = behind
	fill(ctx, s, snap, l.reader.Of(snap), f, behind)
	if s.Partial = head < size; s.Partial && stream.Size() == s.Bytes {
		estimate(s, cmp.Or(seen.parsed(), head))
	}
	return true, nil
}

// recordLimit is the size of a record that is read: one that is larger is told as
// too large.
func (l *lister) recordLimit() int64 {
	if l.wholly {
		return model.DefaultLimits().Record
	}
	return 4 << 20
}

// first indexes lines until somebody was asked and somebody answered: by then is
// said what there is to say of the whole, as far as it is said at all.
func (l *lister) first(ctx context.Context, x *indexer, head int64) error {
	for end := int64(headStep); ; end *= 2 {
		if err := x.advanceHere(ctx, &l.work, min(end, head), false); err != nil || end >= head || answered(x.builder) {
			return err
		}
	}
}

// answered reports whether an answer follows a prompt.
func answered(b *stitch.Builder) bool {
	asked := false
	for row := range b.Rows() {
		h := b.Head(row)
		if asked = asked || h.Flags&model.Prompt != 0; asked && h.Op == model.Say && h.Role == model.Assistant {
			return true
		}
	}
	return false
}

// last indexes the lines that begin in the last bytes, so many of the window, and
// reports whether a message is in them.
func (l *lister) last(ctx context.Context, x *indexer, tail int64, seen *lines) (told bool, err error) {
	size := x.stream.Size()
	if l.tail == nil {
		l.tail = make([]byte, tailWindow)
	}
	from := max(x.off, size-tailWindow)
	n, err := x.stream.ReadAt(l.tail[:size-from], from)
	if err != nil && !errors.Is(err, io.EOF) {
		return true, nil // what it begins with is told
	}
	window := l.tail[:n]
	if o, ok := x.stream.(*opened); ok && from+int64(n) == size {
		o.tail = window
	}
	skip := max(int64(n)-tail, 0)
	if from+skip > x.off { // most likely in the middle of a line
		at := int64(bytes.IndexByte(window[skip:], '\n') + 1)
		if skip += at; at == 0 {
			skip = int64(n)
		}
	}
	seen.add(window, skip, int64(n))
	x.off = from + skip
	x.held, x.heldOff = window[skip:], x.off
	behind := x.builder.Rows()
	if err := x.advanceHere(ctx, &l.work, from+int64(n), false); err != nil {
		return false, err
	}
	for row := behind; row < x.builder.Rows() && !told; row++ {
		told = x.builder.Head(row).Op == model.Say
	}
	return told, nil
}

// lines counts those of a transcript of which some are parsed.
type lines struct {
	all, told int   // in the windows, and of them those that were parsed
	bytes     int64 // of the windows
}

// add counts the lines of a window, which was parsed between from and to.
func (l *lines) add(window []byte, from, to int64) {
	l.told += bytes.Count(window[from:min(to, int64(len(window)))], newline)
	l.all += bytes.Count(window, newline)
	l.bytes += int64(len(window))
}

// parsed is how many bytes of a transcript the parsed lines stand for.
func (l *lines) parsed() int64 {
	if l.all == 0 {
		return 0
	}
	return l.bytes * int64(l.told) / int64(l.all)
}

// begins summarises what is too large to be read for a list, by what it begins
// with.
func (l *lister) begins(ctx context.Context, s *model.Summary) error {
	src, err := source.Open(ctx, s.Path, source.Options{Limits: l.limits})
	if err != nil {
		return err
	}
	defer src.Close()
	sample := src.Sample()
	f, m := l.hints.detect(sample)
	s.Format, s.Agent, s.Partial = f.Name, f.Title, true
	if f.Name == recordsName {
		if err := misfit(sample); err != nil {
			return err
		}
	}
	switch src.Shape() {
	case model.Document:
		return l.document(ctx, s, sample.Doc)
	case model.Lines, model.Prose:
		if !plainLines(f, m) && (f.Split == nil || f.Split(m) == nil) {
			return nil // what it holds is told when it is opened
		}
		head, err := arrived(ctx, src)
		if err != nil {
			return err
		}
		return l.ends(ctx, s, src.Stream(), f, m, nil, head)
	}
	return nil
}

// arrived waits until the head of what is being unpacked is there, and gives its
// size.
func arrived(ctx context.Context, src *source.Source) (int64, error) {
	for {
		ev, err := src.Next(ctx)
		switch {
		case errors.Is(err, io.EOF), ev.Kind == source.Ended, ev.Kind == source.Failed:
			return min(judgedBy, src.Stream().Size()), nil
		case err != nil:
			return 0, err
		case ev.Size >= judgedBy:
			return judgedBy, nil
		}
	}
}

// document summarises a document by its beginning, of which the open brackets were
// closed.
func (l *lister) document(ctx context.Context, s *model.Summary, begin []byte) error {
	if _, _, err := all(ctx, s, "-", Options{Workers: 1, Limits: model.Limits{}.Brief(), Format: s.Format, Stdin: bytes.NewReader(begin)}); err != nil {
		return err
	}
	s.Partial = true
	estimate(s, int64(len(begin)))
	return nil
}
