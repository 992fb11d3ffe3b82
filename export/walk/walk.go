// Package walk reads the messages of a view one after another and pairs calls with results: each
// call knows its result, and each result whether its call is visible. A Walker caches only the
// last messages. The formats for people and the dialects use it; formats that copy records do not.
package walk

import (
	"context"

	"turns/export"
	"turns/model"
	"turns/query"
	"turns/query/describe"
)

// Paired is a decoded message with the results of its calls, the input of formats for people. It is
// valid only during the call.
type Paired struct {
	*model.Message
	Head *model.Head
	// Calls are the visible calls of the message, by block.
	Calls map[int]*Call
	// Results are the results to show with this message, by block: those without a call, or
	// with a call outside of the selection. All other results appear with their calls.
	Results map[int]*Call

	answered map[string]bool // ids of its results; nil: not computed yet
}

// Call is a call with its result. One of call and result may be nil.
type Call struct {
	ID     model.CallID // NoRow if the index lacks it
	Row    model.Call
	Known  bool // Row is set
	Call   *model.Content
	Result *model.Content
	Answer *model.Message // message with the result
	Made   *model.Content // the call of a result without a visible call
	First  *model.Content // the previous result, if the call has several
}

// Orphan reports whether it is a result without a recorded call.
func (c *Call) Orphan() bool { return c.Call == nil && (!c.Known || c.Row.Msg == model.NoID) }

// Name returns the tool: from the call, the index, or the result; "" if unknown.
func (c *Call) Name(snap *model.Snapshot) string {
	switch {
	case c.Call != nil && c.Call.Name != "":
		return c.Call.Name
	case c.Known && snap.Name(c.Row.Tool) != "":
		return snap.Name(c.Row.Tool)
	case c.Result != nil:
		return c.Result.Name
	}
	return ""
}

// RecordedID returns the id of the call in the transcript, from the call or its result.
func (c *Call) RecordedID() string {
	if c.Call != nil {
		return c.Call.ID
	}
	return c.Result.ID
}

// Outcome returns the outcome in the index, or that of the result itself; Unknown if neither has
// one.
func (c *Call) Outcome() model.Outcome {
	if c.Known && c.Row.Outcome != model.Unknown {
		return c.Row.Outcome
	}
	if c.Result != nil && c.Result.Outcome != model.Unknown {
		return c.Result.Outcome
	}
	return model.Unknown
}

// Walker reads the messages of a view one after another.
type Walker struct {
	View    describe.View
	read    *query.Pairs
	Only    bool     // omit results outside of the selection
	Outside []string // ids of the calls with unselected results
	before  int      // results from this position on are unknown; 0: all are known
	in      []uint64 // selected rows; nil: all
}

// New returns a walker over a view, without reading it.
func New(view describe.View, opts *export.Options) *Walker {
	w := &Walker{View: view, read: query.NewPairs(view.Snap), before: opts.Before}
	if len(view.IDs) < view.Snap.Len() {
		w.in = make([]uint64, view.Snap.Rows()/64+1)
		for _, id := range view.IDs {
			w.in[id/64] |= 1 << (id % 64)
		}
	}
	return w
}

// Selected reports whether the view has a message; NoID is never selected.
func (w *Walker) Selected(id model.ID) bool {
	if id == model.NoID {
		return false
	}
	if w.in == nil { // all live messages
		return w.View.Snap.HeadRow(id).Flags&model.Rewound == 0 && w.View.Snap.Pos(id) >= 0
	}
	return w.in[id/64]>>(id%64)&1 == 1
}

// Each calls yield with every message of the view, in order.
func (w *Walker) Each(ctx context.Context, yield func(*Paired) error) error {
	for _, id := range w.View.IDs {
		m, err := w.Message(ctx, id)
		if err != nil {
			return err
		}
		if err := yield(m); err != nil {
			return err
		}
	}
	return nil
}

// Message reads a message and pairs its calls with results. Results has a result only if its call
// is neither in this message nor visible elsewhere; other results are with their calls.
func (w *Walker) Message(ctx context.Context, id model.ID) (*Paired, error) {
	snap := w.View.Snap
	m, err := w.read.Body(ctx, id)
	if err != nil {
		return nil, err
	}
	s := &Paired{Message: m, Head: snap.HeadRow(id)}
	made, inside := 0, map[*model.Content]bool{}
	var rows []model.CallRow
	if s.Head.Flags&model.HasCalls != 0 {
		rows = snap.Calls(id)
	}
	for i := range m.Blocks {
		if m.Blocks[i].Kind != model.ToolCall {
			continue
		}
		c, err := w.call(ctx, &m.Blocks[i], query.NthCall(rows, made))
		if err != nil {
			return nil, err
		}
		made++
		if c.Answer != nil && c.Answer.ID == id {
			inside[c.Result] = true
		}
		if w.View.ShowsCall(c.ID) {
			s.addCall(i, c)
		}
	}
	return s, w.results(ctx, s, inside)
}

func (s *Paired) addCall(block int, c *Call) {
	if s.Calls == nil {
		s.Calls = map[int]*Call{}
	}
	s.Calls[block] = c
}

// call returns the call of a block, with its result; row is nil if the index lacks it.
func (w *Walker) call(ctx context.Context, block *model.Content, row *model.CallRow) (*Call, error) {
	c := &Call{ID: model.CallID(model.NoRow), Call: block}
	if row == nil {
		return c, nil
	}
	c.ID, c.Row, c.Known = row.ID, row.Call, true
	if w.before > 0 && row.Result != model.NoID && w.View.Snap.Pos(row.Result) >= w.before {
		c.Row.Result, c.Row.Outcome, c.Row.Took = model.NoID, model.Unknown, 0
		return c, nil
	}
	var err error
	c.Answer, c.Result, err = w.read.Result(ctx, c.ID)
	if c.Answer != nil && !w.Selected(c.Answer.ID) {
		if w.Outside = append(w.Outside, block.ID); w.Only {
			c.Answer, c.Result = nil, nil
		}
	}
	return c, err
}

// results finds the results without a visible call.
func (w *Walker) results(ctx context.Context, s *Paired, inside map[*model.Content]bool) error {
	var rows []model.CallRow
	if s.Head.Flags&model.HasResults != 0 {
		rows = w.View.Snap.Answers(s.ID)
	}
	orphans, err := w.read.OrphansAmong(ctx, s.ID)
	if err != nil {
		return err
	}
	n := 0
	for i := range s.Blocks {
		b := &s.Blocks[i]
		if b.Kind != model.ToolResult {
			continue
		}
		c := &Call{ID: model.CallID(model.NoRow), Result: b, Answer: s.Message}
		if n < len(rows) {
			c.ID, c.Row, c.Known = rows[n].ID, rows[n].Call, true
		} else if row, ok := orphans[i]; ok {
			c.ID, c.Row, c.Known = row, *w.View.Snap.Call(row), true
		}
		n++
		switch {
		case inside[b]:
			continue
		case c.Known && w.Selected(c.Row.Msg), !w.View.ShowsCall(c.ID):
			continue // with its call, or did not match
		case c.Known && c.Row.Msg != model.NoID:
			if c.Made, err = w.read.Call(ctx, c.ID); err != nil {
				return err
			}
		case c.Known:
			if first, again := c.Row.First(); again {
				if _, c.First, err = w.read.Result(ctx, first); err != nil {
					return err
				}
			}
		}
		if s.Results == nil {
			s.Results = map[int]*Call{}
		}
		s.Results[i] = c
	}
	return nil
}

// answers reports whether the message has a result with the id.
func (s *Paired) answers(id string) bool {
	if s.answered == nil {
		s.answered = ResultIDs(s.Message)
	}
	return s.answered[id]
}

// Shows reports whether the view shows a block other than a call or a result.
func (w *Walker) Shows(s *Paired, block int, opts *export.Options) bool {
	b := &s.Blocks[block]
	switch {
	case b.Kind == model.Reasoning && opts.NoReasoning:
		return false
	case opts.NoResults && (s.Role == model.Tool || b.Kind == model.Media && s.answers(b.ID)):
		return false // it is part of a tool's output
	}
	return w.View.ShowsBlock(s.ID, block, b.Kind)
}

// Visible reports whether the view shows any part of the message.
func (w *Walker) Visible(s *Paired, opts *export.Options) bool {
	if len(s.Calls) > 0 || len(s.Results) > 0 && !opts.NoResults {
		return true
	}
	thinks := false
	for i := range s.Blocks {
		switch b := &s.Blocks[i]; b.Kind {
		case model.ToolCall, model.ToolResult:
		case model.Reasoning:
			thinks = true
			fallthrough
		default:
			if w.Shows(s, i, opts) && (b.Text != "" || b.Kind >= model.Media) {
				return true
			}
		}
	}
	// An empty message stays if it has no other blocks. It is omitted if it is of a tool whose
	// results are with their calls, or had only omitted reasoning.
	return !(thinks && opts.NoReasoning) && s.Role != model.Tool && !w.View.Narrowed()
}

// ResultIDs returns the ids of the message's results.
func ResultIDs(m *model.Message) map[string]bool {
	ids := map[string]bool{}
	for i := range m.Blocks {
		if b := &m.Blocks[i]; b.Kind == model.ToolResult && b.ID != "" {
			ids[b.ID] = true
		}
	}
	return ids
}
