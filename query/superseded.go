package query

import (
	"context"

	"turns/model"
)

// Replaced says which messages took the place of which, or made them invalid. A nil
// one knows of none.
type Replaced struct {
	by map[model.ID]model.ID
	of map[model.ID][]model.ID
}

// NewReplaced looks through a conversation. It reads heads, and the texts of messages
// that are superseded or invalid; nil where there are none.
func NewReplaced(ctx context.Context, s *model.Snapshot) (*Replaced, error) {
	const gone = model.Superseded | model.Invalidated
	wanted := map[model.Key][]model.ID{}
	for n := range s.Rows() {
		id := model.ID(n)
		if h := s.HeadRow(id); h.Op != model.Say || h.Flags&gone == 0 {
			continue
		}
		m, err := s.Body(ctx, id)
		if err != nil {
			return nil, err
		}
		if m.By != "" {
			key := model.HashString(m.By)
			wanted[key] = append(wanted[key], id)
		}
	}
	if len(wanted) == 0 {
		return nil, ctx.Err()
	}
	r := &Replaced{by: map[model.ID]model.ID{}, of: map[model.ID][]model.ID{}}
	for n := range s.Rows() {
		id := model.ID(n)
		h := s.HeadRow(id)
		if h.Op != model.Say || h.Key == 0 {
			continue
		}
		for _, old := range wanted[h.Key] {
			if _, known := r.by[old]; old != id && !known {
				r.by[old] = id
				r.of[id] = append(r.of[id], old)
			}
		}
	}
	return r, ctx.Err()
}

// By is the message that took the place of a message, NoID where none did, or its
// source names none of this conversation.
func (r *Replaced) By(id model.ID) model.ID {
	if r != nil {
		if by, ok := r.by[id]; ok {
			return by
		}
	}
	return model.NoID
}

// Of are the messages that a message took the place of, in order.
func (r *Replaced) Of(id model.ID) []model.ID {
	if r == nil {
		return nil
	}
	return r.of[id]
}

// Next goes along the chain that a message is in: to what took its place, and from
// the end of the chain to its first message; NoID for a message in none.
func (r *Replaced) Next(id model.ID) model.ID {
	if by := r.By(id); by != model.NoID {
		return by
	}
	first, seen := model.NoID, map[model.ID]bool{id: true}
	for old := r.Of(id); len(old) > 0 && !seen[old[0]]; old = r.Of(old[0]) {
		first = old[0]
		seen[first] = true
	}
	return first
}
