package model

import (
	"bytes"
	"cmp"
	"container/list"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
)

// ErrChanged reports that the bytes of a record have changed since they were indexed.
var ErrChanged = errors.New("changed on disk")

// BodyCache reads messages from their sources and caches the most recent ones, up to a number of
// bytes. It serves every snapshot of a conversation.
type BodyCache struct {
	// Nearby reads the data behind Content.Elsewhere; nil if the source has no such data.
	Nearby func(ctx context.Context, elsewhere string) ([]byte, error)

	mu     sync.Mutex
	limit  int64
	used   int64
	order  list.List // of *cachedBody, the most recent first
	bodies map[bodyKey]*list.Element

	parsers []*parsedRecord // idle parsers, the most recently used last
}

// bodyKey changes when a message is amended.
type bodyKey struct {
	id       ID
	lastPart uint32
	lastCall uint32
	flags    Flags
}

type cachedBody struct {
	key  bodyKey
	msg  *Message
	size int64
}

// parsedRecord is the record that a reader parsed last, because readers mostly read the messages of
// one record in sequence. Each concurrent reader has its own.
type parsedRecord struct {
	source *Source
	off    int64
	data   []byte
	list   string
	facts  Facts
	err    error

	buf   []byte
	reuse bool // the next record may overwrite the bytes
	ahead window
	part  Part // the part of the current message, for a Reader
}

// NewBodyCache returns a cache of at most limit bytes of messages.
func NewBodyCache(limit int64) *BodyCache {
	return &BodyCache{limit: limit}
}

// Fetch reads the data behind Content.Elsewhere.
func (c *BodyCache) Fetch(ctx context.Context, elsewhere string) ([]byte, error) {
	if c.Nearby == nil {
		return nil, fmt.Errorf("fetch %q: nothing lies beside this transcript", elsewhere)
	}
	return c.Nearby(ctx, elsewhere)
}

// Body returns a message of the snapshot. Its errors are those of the source, and ErrChanged.
func (c *BodyCache) Body(ctx context.Context, s *Snapshot, id ID) (*Message, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	h := s.HeadRow(id)
	key := bodyKey{id, h.LastPart, h.LastCall, h.Flags}
	c.mu.Lock()
	if e, ok := c.bodies[key]; ok {
		c.order.MoveToFront(e)
		c.mu.Unlock()
		return e.Value.(*cachedBody).msg.in(s), nil
	}
	c.mu.Unlock()
	msg, err := c.read(s, id)
	if err != nil {
		return nil, err
	}
	c.keep(key, msg)
	return msg, nil
}

// in returns the message with the snapshot's position and usage, which are not part of its records.
func (m *Message) in(s *Snapshot) *Message {
	pos, usage := s.Pos(m.ID), s.usage(m.ID)
	if m.Pos == pos && (m.Usage == usage || m.Usage != nil && usage != nil && *m.Usage == *usage) {
		return m
	}
	here := *m
	here.Pos, here.Usage = pos, usage
	return &here
}

func (c *BodyCache) keep(key bodyKey, msg *Message) {
	size := msg.Size()
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.bodies[key]; ok || size > c.limit/2 {
		return
	}
	if c.bodies == nil {
		c.bodies = make(map[bodyKey]*list.Element)
	}
	c.bodies[key] = c.order.PushFront(&cachedBody{key, msg, size})
	c.used += size
	for c.used > c.limit {
		last := c.order.Back()
		b := last.Value.(*cachedBody)
		c.order.Remove(last)
		delete(c.bodies, b.key)
		c.used -= b.size
	}
}

func (c *BodyCache) read(s *Snapshot, id ID) (*Message, error) {
	h := s.HeadRow(id)
	msg := &Message{
		ID: id, Pos: s.Pos(id), Op: h.Op, Role: h.Role, Flags: h.Flags, Time: h.Time, Usage: s.usage(id),
	}
	if h.Role == Assistant {
		msg.Model = s.Name(h.Name)
	} else {
		msg.Name = s.Name(h.Name)
	}
	if h.Key != 0 {
		msg.Key = strconv.FormatUint(uint64(h.Key), 16)
	}
	parts := s.Parts(id)
	r := c.parser(s, parts)
	defer c.release(r)
	var build bodyBuilder
	for _, p := range parts {
		if err := r.addPart(s, &p, h, msg, &build); err != nil {
			return nil, fmt.Errorf("reading message %d: %w", id, err)
		}
	}
	build.finish(msg)
	return msg, nil
}

// parser returns a parser for a reader: the one with the message's record, a new one while the idle
// ones use little memory, or the least recently used. Interleaved messages of several subagents
// alternate between a few records.
func (c *BodyCache) parser(s *Snapshot, parts []Part) *parsedRecord {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, held := -1, 0
	for i, r := range c.parsers {
		if held += len(r.data); len(parts) > 0 && r.off == parts[0].Ref.Off && r.source == &s.ix.Sources[parts[0].Ref.Source] {
			at = i
		}
	}
	switch {
	case at >= 0:
	case len(c.parsers) == 0 || len(c.parsers) < maxParsers && held < keptRecord:
		return new(parsedRecord)
	default:
		at = 0
	}
	r := c.parsers[at]
	c.parsers = append(c.parsers[:at], c.parsers[at+1:]...)
	return r
}

// For speed only: a parser keeps its record between two reads, because it may contain thousands of
// messages. Of the records above keptRecord only one stays in memory, and none above keptHuge.
const (
	keptRecord = 1 << 20
	keptHuge   = 64 << 20
	maxParsers = 16
)

func (c *BodyCache) release(r *parsedRecord) {
	if len(r.data) > keptHuge {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(r.data) > keptRecord {
		c.parsers = slices.DeleteFunc(c.parsers, func(other *parsedRecord) bool { return len(other.data) > keptRecord })
	}
	if len(c.parsers) < maxParsers {
		c.parsers = append(c.parsers, r)
	}
}

func (r *parsedRecord) addPart(s *Snapshot, p *Part, h *Head, msg *Message, build *bodyBuilder) error {
	src := &s.ix.Sources[p.Ref.Source]
	if err := r.parse(src, p.Ref); err != nil && h.Op == Unreadable {
		msg.Err = cmp.Or(errors.Unwrap(err), err) // the reason of the error
		return nil
	} else if err != nil {
		return err
	}
	if n := len(msg.Records); n == 0 || msg.Records[n-1].Ref.Off != p.Ref.Off || msg.Records[n-1].Ref.Source != p.Ref.Source {
		msg.Records = append(msg.Records, RecordText{p.Ref, r.list, r.data})
	}
	switch {
	case p.Skip():
		return nil
	case h.Op == Unreadable:
		msg.Err = r.err
		return nil
	case r.err != nil:
		return fmt.Errorf("%w: %w", ErrChanged, r.err)
	case int(p.Ref.Sub) >= r.facts.Len():
		return ErrChanged
	}
	f := r.facts.At(int(p.Ref.Sub))
	if !p.Holds(h, f) {
		return ErrChanged
	}
	build.add(f, msg)
	return nil
}

// parse reads and parses the record at ref, unless it was the last one.
func (r *parsedRecord) parse(src *Source, ref Ref) error {
	if r.source == src && r.off == ref.Off {
		return nil
	}
	r.source = nil
	if src.Limit > 0 && int64(ref.Len) > src.Limit {
		return r.parseTooLarge(src, ref)
	}
	line, err := r.read(src, ref)
	if err != nil {
		return fmt.Errorf("reading %d bytes at %d of %q: %w", ref.Len, ref.Off, src.Path, err)
	}
	r.list, r.data = "", line
	if src.Framed {
		if i := bytes.IndexByte(line, '\t'); i >= 0 {
			r.list, r.data = string(line[:i]), line[i+1:]
		}
	}
	r.facts.Clear()
	r.err = src.Parse(Record{Ref: ref, List: r.list, Variant: src.Variant, Data: r.data}, &r.facts)
	r.source, r.off = src, ref.Off
	return nil
}

// read reads the bytes of a record. For a Reader, which walks through a source, it also reads the
// following records.
func (r *parsedRecord) read(src *Source, ref Ref) ([]byte, error) {
	if r.reuse {
		if line := r.ahead.record(src, ref); line != nil {
			return line, nil
		}
	}
	line := r.buffer(int(ref.Len))
	_, err := src.Stream.ReadAt(line, ref.Off)
	return line, err
}

// window is a part of a source, read with one call for the small records in it.
type window struct {
	source *Source
	off    int64 // of data in the source
	data   []byte
	next   int64 // end of the last requested record
}

// For speed only: near records are read together.
const (
	windowSize   = 64 << 10
	windowRecord = 4 << 10 // the largest record that uses the window
	windowGap    = 1 << 10 // the largest distance between records of a walk
)

// record returns the bytes of a record shortly after the previous one, nil for any other.
func (w *window) record(src *Source, ref Ref) []byte {
	near := w.source == src && ref.Off >= w.next && ref.Off-w.next <= windowGap && ref.Len <= windowRecord
	end := ref.Off + int64(ref.Len)
	w.next = end
	if !near {
		w.source, w.data = src, w.data[:0]
		return nil
	}
	if ref.Off < w.off || end > w.off+int64(len(w.data)) {
		if w.data == nil {
			w.data = make([]byte, windowSize)
		}
		n, _ := src.Stream.ReadAt(w.data[:windowSize], ref.Off) // fewer at the end of the source
		w.off, w.data = ref.Off, w.data[:n]
		if n < int(ref.Len) {
			return nil
		}
	}
	return w.data[ref.Off-w.off:][:ref.Len]
}

// buffer returns the memory for a record: messages keep their records, but readers reuse the
// memory.
func (r *parsedRecord) buffer(size int) []byte {
	if !r.reuse {
		return make([]byte, size)
	}
	if cap(r.buf) < size || cap(r.buf) > keptRecord && size < keptRecord {
		r.buf = make([]byte, size, max(size, 4096))
	}
	return r.buf[:size]
}

// tooLargeShown is the size of the shown part of a record over the limit.
const tooLargeShown = 64 << 10

// parseTooLarge reads the beginning of a record that is over the limit.
func (r *parsedRecord) parseTooLarge(src *Source, ref Ref) error {
	r.list, r.data = "", make([]byte, tooLargeShown)
	n, err := src.Stream.ReadAt(r.data, ref.Off)
	if n == 0 && err != nil {
		return fmt.Errorf("reading at %d of %q: %w", ref.Off, src.Path, err)
	}
	r.data = r.data[:n]
	r.facts.Clear()
	r.err = fmt.Errorf("too large: %s, the limit is %s", SizeOf(int64(ref.Len)), SizeOf(src.Limit))
	return nil
}

// usage returns the usage recorded with a message, nil if there is none.
func (s *Snapshot) usage(id ID) *Usage {
	t, ok := s.Tokens(id)
	if !ok {
		return nil
	}
	u := t.Usage()
	return &u
}

// Usage returns the row as a [Usage], with -1 for each number missing in the record.
func (t *Tokens) Usage() Usage {
	n := func(x uint32) int64 {
		if x == NoTokens {
			return -1
		}
		return int64(x)
	}
	return Usage{
		Scope: Each, Input: n(t.Input), CacheRead: n(t.CacheRead), CacheWrite: n(t.CacheWrite),
		Output: n(t.Output), Reasoning: n(t.Reasoning), Cost: t.Cost, HasCost: t.Flags&HasCost != 0, HourCache: t.Flags&HourCache != 0,
	}
}

// bodyBuilder joins the facts of a message as the stitcher joined their heads.
type bodyBuilder struct {
	keys KeyPlaces // of the blocks, aligned with msg.Blocks
	// texts has the texts that arrive in pieces, by block: a text of a hundred thousand pieces must
	// not be copied as often.
	texts map[int][]byte
	// extra has the indices of many fields by name: a record with a million keys must not cost
	// quadratic time.
	extra map[string]int
}

// For speed only: more fields are found by an index.
const manyFields = 64

// field stores one value per name, the last.
func (b *bodyBuilder) field(msg *Message, name, value string) {
	if len(msg.Extra) < manyFields {
		addField(&msg.Extra, name, value)
		return
	}
	if len(b.extra) == 0 {
		b.extra = make(map[string]int)
		for i := range msg.Extra {
			b.extra[msg.Extra[i].Name] = i
		}
	}
	if i, ok := b.extra[name]; ok {
		msg.Extra[i].Value = value
		return
	}
	b.extra[name] = len(msg.Extra)
	msg.Extra = append(msg.Extra, KeyValue{name, value})
}

func (b *bodyBuilder) add(f *Fact, msg *Message) {
	if f.Join == Replace {
		msg.Blocks, msg.Extra, msg.Files = msg.Blocks[:0], msg.Extra[:0], nil
		b.keys.Clear()
		clear(b.texts)
		clear(b.extra)
	}
	if f.Stop != StopUnknown {
		msg.Stop = f.Stop
	}
	blocks := f.Joined(msg.Flags)
	for i := range blocks {
		b.addBlock(&blocks[i], f.Join, msg)
	}
	msg.Files = append(msg.Files, f.Files...)
	for _, e := range f.Extra {
		b.field(msg, e.Name, e.Value.String())
		if e.Name == "invalidated_by" && (msg.By == "" || f.Flags&Invalidated != 0) || e.Name == "superseded_by" && (msg.By == "" || f.Flags&Invalidated == 0) {
			msg.By = e.Value.String()
		}
	}
}

func (b *bodyBuilder) addBlock(block *Block, join Join, msg *Message) {
	content := block.Decode()
	if block.Key != 0 {
		if i := b.keys.Find(block.Key); i >= 0 {
			if join == Extend {
				b.extend(msg, i, &content)
			} else {
				msg.Blocks[i] = content
				delete(b.texts, i)
			}
			return
		}
	} else if n := len(msg.Blocks); join == Extend && n > 0 && msg.Blocks[n-1].Kind == content.Kind && content.Kind <= Reasoning {
		b.extend(msg, n-1, &content)
		return
	}
	msg.Blocks = append(msg.Blocks, content)
	b.keys.Add(block.Key)
}

// extend adds a further piece to a block.
func (b *bodyBuilder) extend(msg *Message, block int, more *Content) {
	to := &msg.Blocks[block]
	text, ok := b.texts[block]
	if !ok {
		text = []byte(to.Text)
		if b.texts == nil {
			b.texts = make(map[int][]byte)
		}
	}
	if n := len(text); more.Kind == ToolResult && n > 0 && text[n-1] != '\n' {
		text = append(text, '\n') // pieces of an output are lines
	}
	b.texts[block] = append(text, more.Text...)
	to.Null = to.Null && more.Null
	if more.Outcome != Unknown {
		to.Outcome = more.Outcome
	}
	to.Name = cmp.Or(to.Name, more.Name)
}

// finish copies the collected texts to their blocks.
func (b *bodyBuilder) finish(msg *Message) {
	for block, text := range b.texts {
		msg.Blocks[block].Text = string(text)
	}
}

// addField stores one value per name, the last.
func addField(fields *[]KeyValue, name, value string) {
	for i := range *fields {
		if (*fields)[i].Name == name {
			(*fields)[i].Value = value
			return
		}
	}
	*fields = append(*fields, KeyValue{name, value})
}
