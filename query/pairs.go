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
	r := ranking{}
	for i := range result.Blocks {
		if b := &result.Blocks[i]; b.Kind == model.ToolResult {
			r.add(callID != "" && b.ID == callID)
		}
	}
	return r.of(c, s)
}

// ranking finds a result among those of its message.
type ranking struct{ n, same, first int }

// add takes the next result; fits says that it has the id of the call.
func (r *ranking) add(fits bool) {
	if fits {
		if r.same == 0 {
			r.first = r.n
		}
		r.same++
	}
	r.n++
}

func (r *ranking) of(c *model.Call, s *model.Snapshot) int {
	switch {
	case r.n == 0:
		return -1
	case r.same == 1:
		return r.first
	case r.n == 1:
		return 0
	}
	if c.Result != c.Msg {
		for k, row := range s.Answers(c.Result) {
			if row.Msg == c.Msg && row.Block == c.Block && k < r.n {
				return k
			}
		}
	}
	switch {
	case r.same > 0:
		return r.first
	case c.Result == c.Msg && int(c.Block) < r.n:
		return int(c.Block) // calls and results side by side, without ids
	}
	return -1
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

// callReader reads the blocks of calls and results one after another, without
// decoding them. What it gives is valid until the next call of the same method.
type callReader struct {
	snap          *model.Snapshot
	made, answers *model.Reader
}

func newCallReader(s *model.Snapshot) *callReader {
	return &callReader{s, s.NewReader(), s.NewReader()}
}

// call is the block of a call, nil for a result without one.
func (r *callReader) call(ctx context.Context, c *model.Call) (*model.Block, error) {
	if c.Msg == model.NoID {
		return nil, nil
	}
	blocks, err := r.made.Blocks(ctx, c.Msg)
	return nthOf(blocks, model.ToolCall, int(c.Block)), err
}

// result is the block with the result of a call, nil where there is none. callID
// is the id that the call has in the transcript, "" where it has none.
func (r *callReader) result(ctx context.Context, id model.CallID, callID string) (*model.Block, error) {
	c := r.snap.Call(id)
	if c.Result == model.NoID {
		return nil, nil
	}
	blocks, err := r.answers.Blocks(ctx, c.Result)
	if err != nil {
		return nil, err
	}
	if c.Msg == model.NoID {
		for k, row := range r.snap.Answers(c.Result) {
			if row.ID == id {
				return nthOf(blocks, model.ToolResult, k), nil
			}
		}
		return nthOf(blocks, model.ToolResult, 0), nil
	}
	rank := ranking{}
	for i := range blocks {
		if b := &blocks[i]; b.Kind == model.ToolResult {
			rank.add(callID != "" && sameID(b.ID, callID))
		}
	}
	if k := rank.of(c, r.snap); k >= 0 {
		return nthOf(blocks, model.ToolResult, k), nil
	}
	return nil, nil
}

// sameID reports whether a recorded id is id.
func sameID(t model.Text, id string) bool {
	if t.Contains(`\`) {
		return t.String() == id
	}
	return t.Is(id)
}

// nthOf is the n-th block of a kind, nil where there are fewer.
func nthOf(blocks []model.Block, kind model.BlockKind, n int) *model.Block {
	for i := range blocks {
		if blocks[i].Kind != kind {
			continue
		}
		if n == 0 {
			return &blocks[i]
		}
		n--
	}
	return nil
}
