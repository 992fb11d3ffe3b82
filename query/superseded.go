package query

import (
	"context"

	"turns/model"
)

// Replaced records which messages replaced or invalidated others. A nil *Replaced is empty.
type Replaced struct {
	by map[model.ID]model.ID
	of map[model.ID][]model.ID
}

// NewReplaced scans a conversation: its heads, and the texts of superseded or invalid messages. It
// returns nil if there are none.
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

// By returns the message that replaced id. It returns NoID if there is none, or if the source does
// not name one of this conversation.
func (r *Replaced) By(id model.ID) model.ID {
	if r != nil {
		if by, ok := r.by[id]; ok {
			return by
		}
	}
	return model.NoID
}

// Of returns the messages that id replaced, in order.
func (r *Replaced) Of(id model.ID) []model.ID {
	if r == nil {
		return nil
	}
	return r.of[id]
}

// Next walks along the chain of replacements: to the replacement of id, and from the last message
// to the first. It returns NoID for a message in no chain.
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
