package export

import (
	"context"

	"turns/model"
	"turns/query"
	"turns/query/describe"
)

// said is a decoded message whose calls know their results: what every format for
// people is made of. It is valid during the call only.
type said struct {
	*model.Message
	head *model.Head
	// calls are the calls of the message that are shown, by their block.
	calls map[int]*saidCall
	// results are the results that are shown here, by their block: those of calls
	// that nobody made or that are not selected. All others stand with their calls.
	results map[int]*saidCall

	answered map[string]bool // ids of its results; nil: not asked yet
}

// saidCall is a call with its result. One of call and result may be nil.
type saidCall struct {
	id     model.CallID // NoRow where the index does not have it
	row    model.Call
	known  bool // row is there
	call   *model.Content
	result *model.Content
	answer *model.Message // that holds the result
}

func (c *saidCall) orphan() bool { return c.call == nil && (!c.known || c.row.Msg == model.NoID) }

// name is the tool.
func (c *saidCall) name(snap *model.Snapshot) string {
	switch {
	case c.call != nil && c.call.Name != "":
		return c.call.Name
	case c.known && snap.Name(c.row.Tool) != "":
		return snap.Name(c.row.Tool)
	case c.result != nil:
		return c.result.Name
	}
	return ""
}

// recordedID is the id of the call as recorded.
func (c *saidCall) recordedID() string {
	if c.call != nil {
		return c.call.ID
	}
	return c.result.ID
}

func (c *saidCall) outcome() model.Outcome {
	if c.known && c.row.Outcome != model.Unknown {
		return c.row.Outcome
	}
	if c.result != nil && c.result.Outcome != model.Unknown {
		return c.result.Outcome
	}
	return model.Unknown
}

// walker reads the messages of a view one after another.
type walker struct {
	view    describe.View
	read    *query.Pairs
	only    bool     // results outside of the selection are left out
	outside []string // ids of the calls whose results are not selected
	before  int      // results that stand there or later are not known yet; 0: all are
	in      []uint64 // which rows are selected; nil: all
}

func newWalker(view describe.View, opts *Options) *walker {
	w := &walker{view: view, read: query.NewPairs(view.Snap), before: opts.Before}
	if len(view.IDs) < view.Snap.Len() {
		w.in = make([]uint64, view.Snap.Rows()/64+1)
		for _, id := range view.IDs {
			w.in[id/64] |= 1 << (id % 64)
		}
	}
	return w
}

func (w *walker) selected(id model.ID) bool {
	if id == model.NoID {
		return false
	}
	if w.in == nil { // all that is live
		return w.view.Snap.HeadRow(id).Flags&model.Rewound == 0 && w.view.Snap.Pos(id) >= 0
	}
	return w.in[id/64]>>(id%64)&1 == 1
}

// each gives every message of the view, in order.
func (w *walker) each(ctx context.Context, yield func(*said) error) error {
	for _, id := range w.view.IDs {
		m, err := w.message(ctx, id)
		if err != nil {
			return err
		}
		if err := yield(m); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) message(ctx context.Context, id model.ID) (*said, error) {
	snap := w.view.Snap
	m, err := w.read.Body(ctx, id)
	if err != nil {
		return nil, err
	}
	s := &said{Message: m, head: snap.HeadRow(id)}
	made, inside := 0, map[*model.Content]bool{}
	var rows []model.CallRow
	if s.head.Flags&model.HasCalls != 0 {
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
		if c.answer != nil && c.answer.ID == id {
			inside[c.result] = true
		}
		if !c.known || w.view.ShowsCall(c.id) {
			s.addCall(i, c)
		}
	}
	w.results(s, inside)
	return s, nil
}

func (s *said) addCall(block int, c *saidCall) {
	if s.calls == nil {
		s.calls = map[int]*saidCall{}
	}
	s.calls[block] = c
}

// call is the call of a block, with its result; row is nil where the index does
// not have it.
func (w *walker) call(ctx context.Context, block *model.Content, row *model.CallRow) (*saidCall, error) {
	c := &saidCall{id: model.CallID(model.NoRow), call: block}
	if row == nil {
		return c, nil
	}
	c.id, c.row, c.known = row.ID, row.Call, true
	if w.before > 0 && row.Result != model.NoID && w.view.Snap.Pos(row.Result) >= w.before {
		c.row.Result, c.row.Outcome, c.row.Took = model.NoID, model.Unknown, 0
		return c, nil
	}
	var err error
	c.answer, c.result, err = w.read.Result(ctx, c.id)
	if c.answer != nil && !w.selected(c.answer.ID) {
		if w.outside = append(w.outside, block.ID); w.only {
			c.answer, c.result = nil, nil
		}
	}
	return c, err
}

// results finds the results that do not stand with a call that is shown.
func (w *walker) results(s *said, inside map[*model.Content]bool) {
	var rows []model.CallRow
	if s.head.Flags&model.HasResults != 0 {
		rows = w.view.Snap.Answers(s.ID)
	}
	n := 0
	for i := range s.Blocks {
		b := &s.Blocks[i]
		if b.Kind != model.ToolResult {
			continue
		}
		c := &saidCall{id: model.CallID(model.NoRow), result: b, answer: s.Message}
		if n < len(rows) {
			c.id, c.row, c.known = rows[n].ID, rows[n].Call, true
		}
		n++
		switch {
		case inside[b]:
			continue
		case c.known && (w.selected(c.row.Msg) || !w.view.ShowsCall(c.id)):
			continue // stands with its call, or did not match
		}
		if s.results == nil {
			s.results = map[int]*saidCall{}
		}
		s.results[i] = c
	}
}

// answers reports whether the message has a result with the id.
func (s *said) answers(id string) bool {
	if s.answered == nil {
		s.answered = resultIDs(s.Message)
	}
	return s.answered[id]
}

// shows reports whether a block that is no call and no result is shown.
func (w *walker) shows(s *said, block int, opts *Options) bool {
	b := &s.Blocks[block]
	switch {
	case b.Kind == model.Reasoning && opts.NoReasoning:
		return false
	case opts.NoResults && (s.Role == model.Tool || b.Kind == model.Media && s.answers(b.ID)):
		return false // it is part of what a tool answered
	}
	return w.view.ShowsBlock(s.ID, b.Kind)
}

// visible reports whether anything of the message is shown.
func (w *walker) visible(s *said, opts *Options) bool {
	if len(s.calls) > 0 || len(s.results) > 0 && !opts.NoResults {
		return true
	}
	for i := range s.Blocks {
		switch b := &s.Blocks[i]; b.Kind {
		case model.ToolCall, model.ToolResult:
		default:
			if w.shows(s, i, opts) && (b.Text != "" || b.Kind >= model.Media) {
				return true
			}
		}
	}
	// An empty message stays where it is all there is of it; a tool's whose
	// results stand with their calls does not.
	return s.Role != model.Tool && !w.view.Narrowed()
}

// resultIDs are the ids of the results of a message that media stand with.
func resultIDs(m *model.Message) map[string]bool {
	ids := map[string]bool{}
	for i := range m.Blocks {
		if b := &m.Blocks[i]; b.Kind == model.ToolResult && b.ID != "" {
			ids[b.ID] = true
		}
	}
	return ids
}
