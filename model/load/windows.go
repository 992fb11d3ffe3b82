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

// The parts of a transcript of lines to read for its summary: all of it up to shortEnough,
// otherwise windows at both ends. turns parses the start of the first window, for the topic, and
// the end of the last, for the state. The lines of both give an estimate of the length. A document
// or a database, whose ends do not suffice, is read completely up to wholeLimit.
const (
	shortEnough = headWindow + tailWindow
	headWindow  = 64 << 10
	tailWindow  = 64 << 10
	headStep    = 4 << 10
	tailParsed  = 8 << 10
	judgedBy    = 256 << 10 // if the first bytes do not show the format
	wholeLimit  = 8 << 20
	farLimit    = 1 << 20  // of a remote file
	storeLimit  = 64 << 20 // of a database or folder, whose beginning shows nothing
)

// lister makes summaries, one after another, and reuses its memory.
type lister struct {
	hints      *Hints
	storeLimit int64
	limits     model.Limits // of a transcript that is read completely
	wholly     bool         // read all transcripts completely
	mem        []byte       // the transcript's first bytes
	tail       []byte       // its last bytes
	behind     model.ID     // first row after a gap; 0: there is none
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
		if o, err := l.open(ctx, f.path, f.size); err == nil { // otherwise Open returns the reason
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
		if out.Store && s.Unread == slowWords {
			out.Parts = l.named(ctx, &s, out.Parts)
		}
	}
	var left *model.LimitError
	if errors.As(out.Err, &left) && !strings.HasSuffix(strings.ToLower(f.path), ".zip") {
		s.Partial, out.Err = true, nil // it has a row anyway
	}
	out.Summary = s
	if !out.Store {
		out.Parts = nil // a file of many is one row
	}
	return out
}

// all opens and summarises a transcript. It returns the conversations if there are several, and why
// a part was unreadable. Content left out because of limits makes the summary partial.
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
		if limit.Name == "queries" {
			s.Unread = slowWords
		}
	}
	if c.format.Name == recordsName {
		return nil, nil, cmp.Or(unread, c.Misfit())
	}
	if s.Sessions < 2 && !opts.brief { // otherwise the messages of some are unknown
		return nil, unread, nil
	}
	parts = Parts(ctx, snap)
	if len(parts) > 0 {
		parts[0].Summary.Unread = s.Unread // the store's row has the warning
	}
	return parts, unread, nil
}

// opened is a file whose first bytes were read already. Its end is that at the time of listing,
// even if it has grown.
type opened struct {
	file interface {
		io.ReaderAt
		io.Closer
	}
	begin []byte
	tail  []byte // the last bytes, once read
	size  int64
}

// Size returns the size of the file when it was listed.
func (o *opened) Size() int64 { return o.size }

// ReadAt reads from the bytes in memory, otherwise from the file.
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

// open opens a file and reads its first bytes, which are valid until the next call.
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

// read reads as many of the first bytes as fit into mem.
func (o *opened) read(mem []byte) error {
	have := copy(mem, o.begin)
	n, err := o.file.ReadAt(mem[have:], int64(have))
	o.begin = mem[:have+n]
	if errors.Is(err, io.EOF) { // the file is shorter now
		o.size, err = int64(len(o.begin)), nil
	}
	return err
}

// whole reports whether the bytes read are the entire file.
func (o *opened) whole() bool { return int64(len(o.begin)) == o.size }

// lines summarises a transcript of lines without opening it again. done is false if it has no
// lines, or continues another transcript.
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

// detect recognises a transcript of lines: by a few records if it is like its neighbours, otherwise
// as usual. It returns nil if there are no lines.
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

// plainLines reports whether a format reads a stream of lines unchanged.
func plainLines(f *model.Format, m model.Match) bool {
	return f.AsIs(m) && (f.Lists == nil || f.Lists(m) == nil)
}

// ends summarises a stream by its bytes up to head, and by its last window: as much of it as shows
// the state, and whether the last calls repeat. begin has the first bytes of the stream.
func (l *lister) ends(ctx context.Context, s *model.Summary, stream model.Stream, f *model.Format, m model.Match, begin []byte, head int64) error {
	covered, err := l.sampled(ctx, s, stream, f, m, begin, head, tailParsed)
	if err != nil || covered && !(s.Cut && s.State == model.RunOpen) {
		return err
	}
	*s = model.Summary{Path: s.Path, Bytes: s.Bytes, Written: s.Written}
	_, err = l.sampled(ctx, s, stream, f, m, begin, head, tailWindow)
	return err
}

// sampled is ends with tail bytes of the end; told is false if they have no message.
func (l *lister) sampled(ctx context.Context, s *model.Summary, stream model.Stream, f *model.Format, m model.Match, begin []byte, head, tail int64) (covered bool, err error) {
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
		if covered, err = l.last(ctx, x, tail, &seen); err != nil || !covered && tail < tailWindow {
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

// recordLimit returns the maximum size of a record to read; larger ones are shown as too large.
func (l *lister) recordLimit() int64 {
	if l.wholly {
		return model.DefaultLimits().Record
	}
	return 4 << 20
}

// first indexes lines up to the first answer to a prompt: by then the session's data has appeared,
// if it is recorded at all.
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

// last indexes the lines that begin in the last tail bytes of the window, and reports whether they
// have a message.
func (l *lister) last(ctx context.Context, x *indexer, tail int64, seen *lines) (covered bool, err error) {
	size := x.stream.Size()
	if l.tail == nil {
		l.tail = make([]byte, tailWindow)
	}
	from := max(x.off, size-tailWindow)
	n, err := x.stream.ReadAt(l.tail[:size-from], from)
	if err != nil && !errors.Is(err, io.EOF) {
		return true, nil // use the first window only
	}
	window := l.tail[:n]
	if o, ok := x.stream.(*opened); ok && from+int64(n) == size {
		o.tail = window
	}
	skip := max(int64(n)-tail, 0)
	if from+skip > x.off { // likely in the middle of a line
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
	for row := behind; row < x.builder.Rows() && !covered; row++ {
		covered = x.builder.Head(row).Op == model.Say
	}
	return covered, nil
}

// lines counts the lines of a partly parsed transcript.
type lines struct {
	all, covered int   // in the windows, and how many of them were parsed
	bytes        int64 // size of the windows
}

// add counts the lines of a window that was parsed between from and to.
func (l *lines) add(window []byte, from, to int64) {
	l.covered += bytes.Count(window[from:min(to, int64(len(window)))], newline)
	l.all += bytes.Count(window, newline)
	l.bytes += int64(len(window))
}

// parsed estimates the size of the parsed lines in bytes.
func (l *lines) parsed() int64 {
	if l.all == 0 {
		return 0
	}
	return l.bytes * int64(l.covered) / int64(l.all)
}

// begins summarises by its beginning a transcript that is too large for a list.
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
			return nil // opening it shows the content
		}
		head, err := arrived(ctx, src)
		if err != nil {
			return err
		}
		return l.ends(ctx, s, src.Stream(), f, m, nil, head)
	}
	return nil
}

// arrived waits until the head of the unpacked content is available, and returns its size.
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

// document summarises a document by its beginning, with the open brackets closed.
func (l *lister) document(ctx context.Context, s *model.Summary, begin []byte) error {
	if _, _, err := all(ctx, s, "-", Options{Workers: 1, Limits: model.Limits{}.Brief(), Format: s.Format, Stdin: bytes.NewReader(begin)}); err != nil {
		return err
	}
	s.Partial = true
	estimate(s, int64(len(begin)))
	return nil
}
