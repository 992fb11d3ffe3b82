package query

import (
	"context"

	"turns/model"
)

// Pending reports whether a call has no result. Results without a call are not
// pending.
func Pending(c *model.Call) bool { return c.Msg != model.NoID && c.Result == model.NoID }

// callsOf is the calls that a message made.
func callsOf(s *model.Snapshot, id model.ID) []model.CallRow {
	if s.HeadRow(id).Flags&model.HasCalls == 0 {
		return nil
	}
	return s.Calls(id)
}

// nthBlock is the n-th block of a kind, nil where there are fewer.
func nthBlock(m *model.Message, kind model.BlockKind, n int) *model.Content {
	for i := range m.Blocks {
		if m.Blocks[i].Kind != kind {
			continue
		}
		if n == 0 {
			return &m.Blocks[i]
		}
		n--
	}
	return nil
}

// resultRank is the number of the block with the result of c among the result
// blocks of the message that holds it; -1 where it cannot be found. callID is the
// id that the call has in the transcript, "" where it has none.
func resultRank(result *model.Message, c *model.Call, callID string, s *model.Snapshot) int {
	first, same, n := -1, 0, 0
	for i := range result.Blocks {
		b := &result.Blocks[i]
		if b.Kind != model.ToolResult {
			continue
		}
		if callID != "" && b.ID == callID {
			if first < 0 {
				first = n
			}
			same++
		}
		n++
	}
	switch {
	case n == 0:
		return -1
	case same == 1:
		return first
	case n == 1:
		return 0
	}
	if c.Result != c.Msg {
		for k, row := range s.Answers(c.Result) {
			if row.Msg == c.Msg && row.Block == c.Block && k < n {
				return k
			}
		}
	}
	if first < 0 && c.Result == c.Msg && int(c.Block) < n {
		return int(c.Block) // calls and results side by side, without ids
	}
	return first
}

// CallBlock is the block of a call and the message that holds it; both nil for a
// result without a call.
func CallBlock(ctx context.Context, s *model.Snapshot, c *model.Call) (*model.Message, *model.Content, error) {
	if c.Msg == model.NoID {
		return nil, nil, nil
	}
	m, err := s.Body(ctx, c.Msg)
	if err != nil {
		return nil, nil, err
	}
	return m, nthBlock(m, model.ToolCall, int(c.Block)), nil
}

// ResultBlock is the block with the result of a call and the message that holds
// it; both nil where there is none. call is the message that made the call, as
// [CallBlock] gives it, or nil.
func ResultBlock(ctx context.Context, s *model.Snapshot, id model.CallID, call *model.Message) (*model.Message, *model.Content, error) {
	c := s.Call(id)
	if c.Result == model.NoID {
		return nil, nil, nil
	}
	m, err := s.Body(ctx, c.Result)
	if err != nil {
		return nil, nil, err
	}
	if c.Msg == model.NoID {
		for k, row := range s.Answers(c.Result) {
			if row.ID == id {
				return m, nthBlock(m, model.ToolResult, k), nil
			}
		}
		return m, nthBlock(m, model.ToolResult, 0), nil
	}
	callID := ""
	if call != nil {
		if made := nthBlock(call, model.ToolCall, int(c.Block)); made != nil {
			callID = made.ID
		}
	}
	return m, resultBlock(m, c, callID, s), nil
}

// resultBlock is the block of m that holds the result of c.
func resultBlock(m *model.Message, c *model.Call, callID string, s *model.Snapshot) *model.Content {
	if k := resultRank(m, c, callID, s); k >= 0 {
		return nthBlock(m, model.ToolResult, k)
	}
	return nil
}
