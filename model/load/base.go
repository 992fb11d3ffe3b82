package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"turns/model"
	"turns/model/source"
	"turns/model/source/remote"
)

// maxBases limits the chain of transcripts that continue one another.
const maxBases = 32

// errNoBase reports that a transcript's base, which it continues, is missing.
var errNoBase = errors.New("what came before is missing")

// link is a transcript that another one continues.
type link struct {
	src    *source.Source
	end    int64
	copied bool // the transcript repeats its content
}

// loadBase reads the base of the transcript before the transcript itself: a fork may store only the
// part after its parent's history. It finds the parent by its id in the names of the files in the
// folders that the format declares. If the parent is missing, it returns an error, and the rest
// stays visible.
func (c *Conversation) loadBase(ctx context.Context) error {
	if c.based || c.format.Base == nil {
		return nil
	}
	records := c.src.Sample().Records
	if len(records) == 0 {
		return nil // it is still empty
	}
	c.based = true
	chain, missing := c.bases(ctx, records[0])
	if missing != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		c.err = missing
	}
	if len(chain) > 0 && chain[0].copied {
		return c.inherit(ctx, chain[0])
	}
	for _, l := range slices.Backward(chain) { // the oldest first
		if err := c.indexBase(ctx, l); err != nil {
			return err
		}
	}
	return nil
}

// bases opens the chain of parents, the nearest first.
func (c *Conversation) bases(ctx context.Context, first []byte) (chain []link, missing error) {
	path := c.src.Path()
	seen := []string{path}
	for {
		base, ok := c.format.Base(first)
		if !ok {
			return chain, nil
		}
		gone := func(why string) error {
			return fmt.Errorf("the conversation begins in %q, %s: %w", base.ID, why, errNoBase)
		}
		if base.Copied && (path == "" || len(chain) > 0) {
			return chain, nil
		}
		if path == "" {
			return chain, gone("which turns cannot search next to a pipe")
		}
		next := basePath(ctx, path, c.format.Bases, base.ID)
		if next == "" && base.Is != nil {
			next = baseNearby(ctx, path, base.Is)
		}
		if path = next; path == "" && base.Copied {
			return chain, nil // all copied content is in this file, but not marked
		}
		if path == "" {
			return chain, gone("whose transcript is not next to this one")
		}
		if slices.Contains(seen, path) {
			return chain, gone("which leads back to itself")
		}
		if len(chain) >= maxBases {
			return chain, gone(fmt.Sprintf("which has more than %d parents", maxBases))
		}
		seen = append(seen, path)
		l, err := c.openBase(ctx, path, base)
		if err != nil {
			return chain, gone("which cannot be read (" + err.Error() + ")")
		}
		l.copied = base.Copied
		chain = append(chain, l)
		if l.copied {
			return chain, nil
		}
		records := l.src.Sample().Records
		if len(records) == 0 {
			return chain, nil
		}
		first = records[0]
	}
}

// openBase opens a parent and waits for the part that belongs to the conversation.
func (c *Conversation) openBase(ctx context.Context, path string, base model.Base) (link, error) {
	src, err := source.Open(ctx, path, source.Options{Limits: c.opts.Limits})
	if err != nil {
		return link{}, err
	}
	c.parents = append(c.parents, src) // closed with the conversation
	for {
		ev, err := src.Next(ctx)
		if errors.Is(err, io.EOF) || ev.Kind == source.Failed {
			break
		}
		if err != nil {
			return link{}, err
		}
	}
	size := src.Stream().Size()
	switch {
	case base.End > size:
		return link{src: src, end: size}, nil
	case base.End > 0:
		return link{src: src, end: base.End}, nil
	case base.Past != nil:
		end, err := pastRecord(src.Stream(), base.Past)
		return link{src: src, end: end}, err
	}
	return link{src: src, end: size}, nil
}

// pastRecord returns the offset of the first line for which past is true; the end if there is none.
func pastRecord(stream model.Stream, past func([]byte) bool) (int64, error) {
	r := newLineReader(stream)
	for {
		off, line, err := r.next()
		ended := errors.Is(err, io.EOF)
		switch {
		case err != nil && !ended:
			return off, err
		case ended && (len(line) == 0 || !past(line)):
			return off + int64(len(line)), nil
		case past(line):
			return off, nil
		}
	}
}

func (c *Conversation) indexBase(ctx context.Context, l link) error {
	r := c.reader()
	parser := r // bodies show everything recorded
	r.base = true
	x := &indexer{reader: r, stream: l.src.Stream(), builder: c.builder, workers: c.opts.Workers, limits: c.opts.Limits}
	x.source = c.builder.AddSource(model.Source{
		Stream: x.stream, Path: l.src.Path(), Format: c.format.Name, Title: c.format.Title, Why: c.match.Reason, Variant: c.match.Variant,
		Limit: r.maxSize, Parse: parser.parse,
	})
	if err := x.advance(ctx, l.end, true); err != nil {
		return fmt.Errorf("reading %q: %w", l.src.Path(), err)
	}
	if broken := x.damage.err(); broken != nil {
		c.err = broken
	}
	c.builder.SetTail(model.Tail{})
	return nil
}

// inherit collects the keys of the turns and counters of a copying fork's parent.
func (c *Conversation) inherit(ctx context.Context, l link) error {
	r := c.reader()
	keys := make(map[model.Key]struct{})
	var facts model.Facts
	lines := newLineReader(io.NewSectionReader(l.src.Stream(), 0, l.end))
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		_, line, err := lines.next()
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("reading %q: %w", l.src.Path(), err)
		}
		facts.Clear()
		if r.parse(model.Record{Data: line}, &facts) == nil {
			collect(&facts, keys)
		}
		if err != nil {
			c.builder.Inherit(keys)
			return nil
		}
	}
}

func collect(facts *model.Facts, keys map[model.Key]struct{}) {
	for i := range facts.Len() {
		f := facts.At(i)
		if f.Op == model.About && f.Key == 0 && f.Record != 0 {
			keys[f.Record] = struct{}{}
		}
		if f.Usage.Scope == model.Counter && f.Usage.Key != 0 {
			keys[f.Usage.Key] = struct{}{}
		}
	}
}

func (c *Conversation) closeBases() {
	for _, src := range c.parents {
		src.Close()
	}
	c.parents, c.based = nil, false
}

// basePath returns the first file at the declared places whose name contains the id, other than
// path itself, or "". It only lists folders.
func basePath(ctx context.Context, path string, places []string, id string) string {
	if !plainID(id) {
		return ""
	}
	dir := dirOf(path)
	if whole, err := filepath.Abs(dir); err == nil && !remote.Is(path) {
		dir = whole // so that .. leads up from here
	}
	for _, place := range places {
		found, err := remote.Glob(ctx, dir, strings.ReplaceAll(place, "{id}", id))
		if err != nil {
			continue
		}
		for _, f := range found {
			if !sameFile(f, path) {
				return f
			}
		}
	}
	return ""
}

// maxSiblings limits the transcripts in the same folder to check for a base.
const maxSiblings = 256

// baseNearby returns the transcript in the same folder whose first record is that of the base, or
// "".
func baseNearby(ctx context.Context, path string, is func([]byte) bool) string {
	ext := remote.QuoteGlob(filepath.Ext(strings.TrimSuffix(path, packed)))
	var found []string
	for _, pattern := range [...]string{"*" + ext, "*" + ext + packed} { // archives compress both
		some, err := remote.Glob(ctx, dirOf(path), pattern)
		if err != nil {
			return ""
		}
		found = append(found, some...)
	}
	for _, f := range found[:min(len(found), maxSiblings)] {
		if !sameFile(f, path) && is(firstLine(ctx, f)) {
			return f
		}
	}
	return ""
}

// packed is the suffix of compressed transcripts, such as those of an archive.
const packed = ".zst"

// firstLine returns the first line of a regular file, truncated to a window.
func firstLine(ctx context.Context, path string) []byte {
	if info, err := remote.Stat(ctx, path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	if strings.HasSuffix(path, packed) {
		return firstPacked(ctx, path)
	}
	f, err := remote.Open(ctx, path)
	if err != nil {
		return nil
	}
	defer f.Close()
	line := make([]byte, 64<<10)
	n, _ := f.ReadAt(line, 0)
	line, _, _ = bytes.Cut(line[:n], []byte{'\n'})
	return line
}

// firstPacked returns the first record of a compressed file.
func firstPacked(ctx context.Context, path string) []byte {
	src, err := source.Open(ctx, path, source.Options{})
	if err != nil {
		return nil
	}
	defer src.Close()
	for {
		if records := src.Sample().Records; len(records) > 0 {
			return records[0]
		}
		if ev, err := src.Next(ctx); err != nil || ev.Kind == source.Failed {
			return nil
		}
	}
}

// plainID reports whether an id is safe as a part of a file name.
func plainID(id string) bool {
	return len(id) >= 8 && len(id) <= 200 && !strings.ContainsAny(id, `/\*?[`) && !strings.Contains(id, "..")
}

// lineReader reads the lines of a stream one after another.
type lineReader struct {
	stream model.Stream
	off    int64 // offset of buf
	at     int   // position in buf
	buf    []byte
}

func newLineReader(stream model.Stream) *lineReader { return &lineReader{stream: stream} }

// next returns a line and its offset. At the end it returns io.EOF with the text after the last
// newline.
func (r *lineReader) next() (off int64, line []byte, err error) {
	for {
		if i := bytes.IndexByte(r.buf[r.at:], '\n'); i >= 0 {
			off, line = r.off+int64(r.at), r.buf[r.at:r.at+i]
			r.at += i + 1
			return off, line, nil
		}
		rest := len(r.buf) - r.at
		if rest >= longestLine {
			return r.skipRest()
		}
		r.off += int64(r.at)
		more := make([]byte, max(blockSize, 2*rest))
		copy(more, r.buf[r.at:])
		n, err := r.stream.ReadAt(more[rest:], r.off+int64(rest))
		r.buf, r.at = more[:rest+n], 0
		if n == 0 {
			if err == nil {
				err = io.ErrNoProgress
			}
			return r.off, r.buf, err
		}
	}
}

// For speed only: longestLine limits the bytes of a line to read, because the base is named at the
// start of its lines.
const longestLine = 4 << 20

// skipRest returns the part of a line in the buffer and skips the rest of the line.
func (r *lineReader) skipRest() (off int64, line []byte, err error) {
	off, line = r.off+int64(r.at), bytes.Clone(r.buf[r.at:])
	r.off += int64(len(r.buf))
	r.buf = r.buf[:blockSize]
	for {
		n, err := r.stream.ReadAt(r.buf[:blockSize], r.off)
		if i := bytes.IndexByte(r.buf[:n], '\n'); i >= 0 {
			r.buf, r.at = r.buf[:n], i+1
			return off, line, nil
		}
		if r.off += int64(n); n == 0 || err != nil && !errors.Is(err, io.EOF) {
			r.buf, r.at = r.buf[:0], 0
			return off, line, err
		}
	}
}

// sameFile reports whether two paths lead to the same file.
func sameFile(a, b string) bool {
	if remote.Is(a) || remote.Is(b) {
		return a == b
	}
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
