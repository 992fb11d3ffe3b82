package model

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// Mapped returns a copy of the conversation with change applied to each recorded text: the
// texts of messages, names, titles and other fields. Rows, numbers and times stay the same, so
// a place in one is the same place in the other. Outputs use it to leave parts out of every
// text, such as secrets.
func (s *Snapshot) Mapped(change func(string) string) *Snapshot {
	ix := s.ix
	ix.Names = slices.Clone(ix.Names)
	for i := range ix.Names {
		ix.Names[i] = change(ix.Names[i])
	}
	ix.Sessions = slices.Clone(ix.Sessions)
	for i := range ix.Sessions {
		se := &ix.Sessions[i]
		se.Fields, se.Reason = mappedPairs(se.Fields, change), change(se.Reason)
	}
	return NewSnapshot(ix, &mappedBodies{s, change})
}

// mappedPairs passes values through change together with their names: the name may show that a
// value is a secret.
func mappedPairs(pairs []KeyValue, change func(string) string) []KeyValue {
	pairs = slices.Clone(pairs)
	for i := range pairs {
		p := &pairs[i]
		value := change(p.Value)
		if p.Name != "" && !strings.ContainsAny(p.Name, "\"\n") {
			if named, ok := strings.CutPrefix(change(p.Name+"="+p.Value), p.Name+"="); ok && len(named) != len(p.Value) {
				value = change(named)
			}
		}
		p.Value = value
	}
	return pairs
}

// mappedBodies reads the messages of a snapshot and passes their texts through change.
type mappedBodies struct {
	of     *Snapshot
	change func(string) string
}

// Body returns a message with its texts changed.
func (b *mappedBodies) Body(ctx context.Context, s *Snapshot, id ID) (*Message, error) {
	m, err := b.of.Body(ctx, id)
	if err != nil {
		return nil, err
	}
	changed := *m.in(s)
	changed.Name, changed.Model, changed.By = b.change(m.Name), b.change(m.Model), b.change(m.By)
	changed.Extra = mappedPairs(m.Extra, b.change)
	changed.Blocks = slices.Clone(m.Blocks)
	for i := range changed.Blocks {
		c := &changed.Blocks[i]
		c.ID, c.Name, c.Text = b.change(c.ID), b.change(c.Name), b.change(c.Text)
		c.Extra = mappedPairs(c.Extra, b.change)
	}
	changed.Files = slices.Clone(m.Files)
	for i := range changed.Files {
		if t := &changed.Files[i]; !t.Text.IsNull() {
			t.Text = StringText(b.change(t.Text.String()))
		}
	}
	changed.Records = slices.Clone(m.Records)
	for i := range changed.Records {
		changed.Records[i].Data = []byte(b.change(string(m.Records[i].Data)))
	}
	if m.Err != nil {
		changed.Err = errors.New(b.change(m.Err.Error()))
	}
	return &changed, nil
}

// Fetch reads the data behind a block's Elsewhere, with its text changed.
func (b *mappedBodies) Fetch(ctx context.Context, elsewhere string) ([]byte, error) {
	text, err := b.of.Fetch(ctx, elsewhere)
	return []byte(b.change(string(text))), err
}
