package query

import (
	"context"

	"turns/model"
)

// SupersededBy is the message that took the place of a message, or made it
// invalid; NoID where none did, or its source names none of this conversation.
func SupersededBy(ctx context.Context, s *model.Snapshot, id model.ID) (model.ID, error) {
	if s.HeadRow(id).Flags&(model.Superseded|model.Invalidated) == 0 {
		return model.NoID, nil
	}
	m, err := s.Body(ctx, id)
	if err != nil || m.By == "" {
		return model.NoID, err
	}
	key := model.HashString(m.By)
	for n := range s.Rows() {
		if h := s.HeadRow(model.ID(n)); h.Key == key && h.Op == model.Say && model.ID(n) != id {
			return model.ID(n), nil
		}
	}
	return model.NoID, nil
}

// Supersedes are the messages that a message took the place of, in order.
func Supersedes(ctx context.Context, s *model.Snapshot, id model.ID) ([]model.ID, error) {
	var list []model.ID
	key := s.HeadRow(id).Key
	if key == 0 {
		return nil, nil
	}
	for n := range s.Rows() {
		old := model.ID(n)
		if h := s.HeadRow(old); old == id || h.Op != model.Say || h.Flags&(model.Superseded|model.Invalidated) == 0 {
			continue
		}
		m, err := s.Body(ctx, old)
		if err != nil {
			return nil, err
		}
		if m.By != "" && model.HashString(m.By) == key {
			list = append(list, old)
		}
	}
	return list, nil
}
