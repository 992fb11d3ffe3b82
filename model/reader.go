package model

import "context"

// Reader reads the blocks of messages one after another without decoding or caching them. Use it to
// walk an entire conversation, from one goroutine.
type Reader struct {
	snap    *Snapshot
	records []*parsedRecord
	blocks  []Block
	keys    KeyPlaces // of the blocks
}

// NewReader returns a reader of the snapshot's messages.
func (s *Snapshot) NewReader() *Reader { return &Reader{snap: s} }

// Of switches the reader to another snapshot and reuses its memory.
func (r *Reader) Of(s *Snapshot) *Reader {
	r.snap = s
	for _, rec := range r.records {
		rec.source = nil
	}
	return r
}

// Blocks returns the blocks of a message, as Body does. They, and the bytes of their texts, are
// valid until the next call.
func (r *Reader) Blocks(ctx context.Context, id ID) ([]Block, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if _, ok := r.snap.bodies.(*BodyCache); !ok {
		return r.decoded(ctx, id)
	}
	h := r.snap.HeadRow(id)
	r.blocks = r.blocks[:0]
	r.keys.Clear()
	used := 0
	for row := h.LastPart; row != NoRow; row = r.snap.ix.Parts.Row(int(row)).Prev() {
		used++
	}
	for len(r.records) < used {
		r.records = append(r.records, &parsedRecord{reuse: true})
	}
	i := used
	for row := h.LastPart; row != NoRow; { // the chain runs backwards
		i--
		p := r.snap.ix.Parts.Row(int(row))
		r.records[i].part = *p
		row = p.Prev()
	}
	for _, rec := range r.records[:used] {
		f, err := rec.fact(r.snap, h)
		if err != nil {
			return nil, err
		}
		if f == nil {
			continue
		}
		if f.Join == Extend {
			return r.decoded(ctx, id) // texts that span several records
		}
		r.join(f, h.Flags)
	}
	return r.blocks, nil
}

// Prose returns the blocks of a message of plain words and reasoning from a single record, without
// building its body; ok is false for every other message and for an unreadable record. The blocks
// are valid until the next call.
func (r *Reader) Prose(id ID) (blocks []Block, ok bool) {
	h := r.snap.HeadRow(id)
	if _, ok := r.snap.bodies.(*BodyCache); !ok || h.LastPart == NoRow || h.Op != Say {
		return nil, false
	}
	p := r.snap.ix.Parts.Row(int(h.LastPart))
	if p.Prev() != NoRow {
		return nil, false
	}
	if len(r.records) == 0 {
		r.records = append(r.records, &parsedRecord{reuse: true})
	}
	rec := r.records[0]
	rec.part = *p
	f, err := rec.fact(r.snap, h)
	if err != nil || f == nil || f.Join == Extend {
		return nil, false
	}
	for i := range f.Blocks {
		b := &f.Blocks[i]
		plain := (b.Kind == Words || b.Kind == Reasoning) && b.Key == 0 && b.Extra == nil && b.Text.enc != JSONValue
		if !plain {
			return nil, false
		}
	}
	return f.Blocks, true
}

// join adds the blocks of a fact as for a body. flags are those of the message.
func (r *Reader) join(f *Fact, flags Flags) {
	if f.Join == Replace {
		r.blocks = r.blocks[:0]
		r.keys.Clear()
	}
	blocks := f.Joined(flags)
	for i := range blocks {
		b := &blocks[i]
		if b.Key != 0 {
			if at := r.keys.Find(b.Key); at >= 0 {
				r.blocks[at] = *b
				continue
			}
		}
		r.blocks = append(r.blocks, *b)
		r.keys.Add(b.Key)
	}
}

// decoded implements Blocks with the message's body.
func (r *Reader) decoded(ctx context.Context, id ID) ([]Block, error) {
	m, err := r.snap.Body(ctx, id)
	if err != nil {
		return nil, err
	}
	r.blocks = r.blocks[:0]
	for i := range m.Blocks {
		c := &m.Blocks[i]
		b := Block{
			Kind: c.Kind, Outcome: c.Outcome, ID: StringText(c.ID), Name: StringText(c.Name), Text: StringText(c.Text),
			Elsewhere: StringText(c.Elsewhere), Took: c.Took, Size: c.Size, Width: int32(c.Width), Height: int32(c.Height),
		}
		if c.Null {
			b.Text = NullText()
		}
		if c.InText {
			b.Nesting = OfText
		}
		r.blocks = append(r.blocks, b)
	}
	return r.blocks, nil
}

// fact returns the fact of the record's part, nil if it adds nothing to the message.
func (r *parsedRecord) fact(s *Snapshot, h *Head) (*Fact, error) {
	if r.part.Skip() {
		return nil, nil
	}
	if h.Op == Unreadable {
		return nil, nil
	}
	src := &s.ix.Sources[r.part.Ref.Source]
	if err := r.parse(src, r.part.Ref); err != nil {
		return nil, err
	}
	if r.err != nil || int(r.part.Ref.Sub) >= r.facts.Len() {
		return nil, ErrChanged
	}
	f := r.facts.At(int(r.part.Ref.Sub))
	if !r.part.Holds(h, f) {
		return nil, ErrChanged
	}
	return f, nil
}
