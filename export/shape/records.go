package shape

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"turns/model"
)

// Item is a message in its records: spans of bytes, without decoding. It is valid until the reader
// moves to the next one.
type Item struct {
	id     model.ID
	head   *model.Head
	pos    int
	Blocks []model.Block
	extra  []model.Field
	record *record // the record of the message, nil if it has several or none
	sub    int     // which fact of the record
	first  []byte  // the first of its records
	stop   model.Stop
}

// Stop returns why the response ended, as far as recorded.
func (it *Item) Stop() model.Stop { return it.stop }

// Recorded returns the first record of the message so far; nil if there is none.
func (it *Item) Recorded() []byte { return it.first }

// record is a parsed record.
type record struct {
	source int
	off    int64
	data   []byte // without the path of its list
	facts  model.Facts
	err    error
}

// ItemReader reads messages without decoding their texts. Each worker has its own. One read serves
// many consecutive messages of a source.
type ItemReader struct {
	snap   *model.Snapshot
	win    []byte // bytes of a source, from winOff
	winSrc int
	winOff int64
	pinned bool   // the current item has spans of win
	spare  []byte // an unused window
	lent   bool   // the item also has spans of spare
	rec    record
	keys   model.KeyPlaces // of the blocks of the item
	names  model.KeyPlaces // of its fields
	item   Item
}

// NewItemReader returns a reader with an empty window.
func NewItemReader(snap *model.Snapshot) *ItemReader {
	r := &ItemReader{snap: snap, winSrc: -1}
	r.rec.source = -1
	return r
}

// For speed only: the sizes of the window.
const (
	windowBytes = 256 << 10
	windowKeep  = 4 << 20 // a larger window, for a huge record, is released
)

// Read returns a message. Its texts are spans, unless the message has no records or its texts were
// recorded in pieces.
func (r *ItemReader) Read(ctx context.Context, id model.ID) (*Item, error) {
	h := r.snap.HeadRow(id)
	it := &r.item
	*it = Item{id: id, head: h, pos: r.snap.Pos(id), Blocks: it.Blocks[:0], extra: it.extra[:0]}
	r.pinned, r.lent = false, false
	r.keys.Clear()
	r.names.Clear()
	if h.LastPart == model.NoRow {
		return it, r.decoded(ctx, it)
	}
	if p := r.snap.Part(int(h.LastPart)); p.Prev() == model.NoRow && !p.Skip() {
		if err := r.part(it, p); err != nil {
			return nil, err
		}
		it.record, it.sub = &r.rec, int(p.Ref.Sub)
		return it, nil
	}
	parts := r.snap.Parts(id)
	for i := range parts {
		p := &parts[i]
		if p.Skip() {
			continue
		}
		err := r.part(it, p)
		if errors.Is(err, errPieces) {
			it.Blocks, it.extra = it.Blocks[:0], it.extra[:0]
			return it, r.decoded(ctx, it)
		}
		if err != nil {
			return nil, err
		}
	}
	return it, nil
}

var errPieces = errors.New("texts recorded piece by piece")

// part adds the part of the message in a record, joined like the stitcher does.
func (r *ItemReader) part(it *Item, p *model.Part) error {
	if err := r.load(p.Ref); err != nil {
		return fmt.Errorf("reading message %d: %w", it.pos, err)
	}
	switch {
	case r.rec.err != nil:
		return fmt.Errorf("reading message %d: %w: %w", it.pos, model.ErrChanged, r.rec.err)
	case int(p.Ref.Sub) >= r.rec.facts.Len() || !p.Holds(it.head, r.rec.facts.At(int(p.Ref.Sub))):
		return fmt.Errorf("reading message %d: %w", it.pos, model.ErrChanged)
	}
	r.pinned = true
	f := r.rec.facts.At(int(p.Ref.Sub))
	switch f.Join {
	case model.Replace:
		it.Blocks, it.extra = it.Blocks[:0], it.extra[:0]
		r.keys.Clear()
		r.names.Clear()
	case model.Extend:
		if len(it.Blocks) > 0 {
			return errPieces
		}
	}
	if it.first == nil {
		it.first = r.rec.data
	}
	it.stop = cmp.Or(f.Stop, it.stop)
	blocks := f.Joined(it.head.Flags)
	for i := range blocks {
		r.block(it, &blocks[i])
	}
	for i := range f.Extra {
		r.field(it, f.Extra[i])
	}
	return nil
}

func (r *ItemReader) block(it *Item, b *model.Block) {
	if b.Key != 0 {
		if i := r.keys.Find(b.Key); i >= 0 {
			it.Blocks[i] = *b
			return
		}
	}
	it.Blocks = append(it.Blocks, *b)
	r.keys.Add(b.Key)
}

// field stores the last value for each name.
func (r *ItemReader) field(it *Item, f model.Field) {
	k := model.HashString(f.Name)
	if i := r.names.Find(k); i >= 0 {
		it.extra[i].Value = f.Value
		return
	}
	it.extra = append(it.extra, f)
	r.names.Add(k)
}

// decoded fills the item from the decoded message.
func (r *ItemReader) decoded(ctx context.Context, it *Item) error {
	m, err := r.snap.Body(ctx, it.id)
	if err != nil {
		return err
	}
	it.stop = m.Stop
	for i := range m.Blocks {
		it.Blocks = append(it.Blocks, blockOf(&m.Blocks[i]))
	}
	for _, kv := range m.Extra {
		it.extra = append(it.extra, model.Field{Name: kv.Name, Value: model.StringText(kv.Value)})
	}
	return nil
}

func blockOf(c *model.Content) model.Block {
	b := model.Block{
		Kind: c.Kind, Outcome: c.Outcome, Took: c.Took, Size: c.Size,
		ID: optional(c.ID), Name: optional(c.Name), Elsewhere: optional(c.Elsewhere),
	}
	for _, kv := range c.Extra {
		b.Extra = append(b.Extra, model.Field{Name: kv.Name, Value: model.StringText(kv.Value)})
	}
	switch {
	case c.Null:
		b.Text = model.NullText()
	case c.JSON:
		b.Text = model.ValueText([]byte(c.Text))
		if b.Text.Encoding() != model.JSONValue {
			b.Text = model.StringText(c.Text)
		}
	default:
		b.Text = model.StringText(c.Text)
	}
	return b
}

func optional(s string) model.Text {
	if s == "" {
		return model.Text{}
	}
	return model.StringText(s)
}

// load reads and parses a record, unless it was the last one.
func (r *ItemReader) load(ref model.Ref) error {
	rec := &r.rec
	if rec.source == int(ref.Source) && rec.off == ref.Off {
		return nil
	}
	src := &r.snap.Sources()[ref.Source]
	line, err := r.bytes(src, ref)
	if err != nil {
		rec.source = -1
		return fmt.Errorf("reading %d bytes at %d of %q: %w", ref.Len, ref.Off, src.Path, err)
	}
	list, data := cutList(src, line)
	rec.facts.Clear()
	rec.err = src.Parse(model.Record{Ref: ref, List: list, Variant: src.Variant, Data: data}, &rec.facts)
	rec.source, rec.off, rec.data = int(ref.Source), ref.Off, data
	return nil
}

// cutList splits a framed record.
func cutList(src *model.Source, line []byte) (list string, data []byte) {
	if src.Framed {
		if i := bytes.IndexByte(line, '\t'); i >= 0 {
			return string(line[:i]), line[i+1:]
		}
	}
	return "", line
}

// bytes returns the bytes at ref, and reads the following ones with them.
func (r *ItemReader) bytes(src *model.Source, ref model.Ref) ([]byte, error) {
	n := int(ref.Len)
	if r.winSrc == int(ref.Source) && ref.Off >= r.winOff && ref.Off+int64(n) <= r.winOff+int64(len(r.win)) {
		at := int(ref.Off - r.winOff)
		return r.win[at : at+n], nil
	}
	size := max(n, int(min(windowBytes, src.Stream.Size()-ref.Off)))
	if r.pinned { // an item rarely spans more than one window
		if r.win, r.spare = r.spare, r.win; r.lent {
			r.win = nil
		}
		r.lent = true
	}
	if cap(r.win) < size || cap(r.win) > windowKeep && size < windowKeep {
		r.win = make([]byte, size)
	}
	r.win = r.win[:size]
	r.rec.source, r.winSrc, r.pinned = -1, -1, false
	got, err := src.Stream.ReadAt(r.win, ref.Off)
	r.win = r.win[:got]
	if got < n {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	r.winSrc, r.winOff = int(ref.Source), ref.Off
	return r.win[:n], nil
}
