package query

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"turns/model"
)

// Pending reports whether a call has no result. Results without a call are not pending.
func Pending(c *model.Call) bool { return c.Pending() }

// StateOf returns how a call ended, by the outcome of its line: without a result it is running.
func StateOf(c *model.Call, outcome model.Outcome) model.Outcome {
	if !Pending(c) || outcome.Failed() || outcome == model.Background {
		return outcome
	}
	return model.Running
}

// CallsOf returns the calls that a message made.
func CallsOf(s *model.Snapshot, id model.ID) []model.CallRow {
	if s.HeadRow(id).Flags&model.HasCalls == 0 {
		return nil
	}
	return s.Calls(id)
}

// Pairs finds calls and their results in decoded messages. It caches the latest messages, so
// that it decodes a message with thousands of calls once. Use it from one goroutine.
type Pairs struct {
	Snap         *model.Snapshot
	small, large []*PairedMessage
	asked        int // requested messages
	read         int // messages read, counted for tests
}

// For speed only: the cache keeps a few small messages. Of the large ones it keeps two in use, one
// with calls and one with results; more if together they are not too large.
const (
	smallKept   = 8
	largeKept   = 2
	largePaired = 1 << 20
	largeBytes  = 8 << 20
	largeIdle   = 1000 // idle after this many requests for other messages
)

// PairedMessage is a message with an index of its calls and results, made on first use.
type PairedMessage struct {
	*model.Message
	size  int64
	used  int // number of the last request for it
	place *places
}

// NewPairs returns a Pairs for a snapshot.
func NewPairs(s *model.Snapshot) *Pairs { return &Pairs{Snap: s} }

// Body returns a message like [model.Snapshot.Body].
func (p *Pairs) Body(ctx context.Context, id model.ID) (*model.Message, error) {
	m, err := p.Message(ctx, id)
	if err != nil {
		return nil, err
	}
	return m.Message, nil
}

// Message returns a message, from a cache of the last ones if possible. Callers must not change
// it. The cache has few large messages and more small ones.
func (p *Pairs) Message(ctx context.Context, id model.ID) (*PairedMessage, error) {
	p.asked++
	for _, list := range [...][]*PairedMessage{p.small, p.large} {
		for _, m := range list {
			if m.ID == id {
				m.used = p.asked
				return m, nil
			}
		}
	}
	msg, err := p.Snap.Body(ctx, id)
	if err != nil {
		return nil, err
	}
	p.read++
	m := &PairedMessage{Message: msg, size: msg.Size(), used: p.asked}
	p.large = slices.DeleteFunc(p.large, func(m *PairedMessage) bool { return p.asked-m.used > largeIdle })
	if m.size <= largePaired {
		if p.small = append(p.small, m); len(p.small) > smallKept {
			p.small = withoutOldest(p.small)
		}
		return m, nil
	}
	p.large = append(p.large, m)
	for len(p.large) > largeKept && sizeOf(p.large) > largeBytes {
		p.large = withoutOldest(p.large)
	}
	return m, nil
}

func sizeOf(list []*PairedMessage) (n int64) {
	for _, m := range list {
		n += m.size
	}
	return n
}

// withoutOldest removes the least recently requested message.
func withoutOldest(list []*PairedMessage) []*PairedMessage {
	oldest := 0
	for i := range list {
		if list[i].used < list[oldest].used {
			oldest = i
		}
	}
	return slices.Delete(list, oldest, oldest+1)
}

// Places returns the blocks of the message's calls and results, computed once.
func (p *Pairs) Places(m *PairedMessage) *places {
	if m.place == nil {
		m.place = messagePlaces(p.Snap, m.Message)
	}
	return m.place
}

// At returns a block, nil for a negative number.
func (m *PairedMessage) At(block int) *model.Content {
	if block < 0 {
		return nil
	}
	return &m.Blocks[block]
}

func messagePlaces(s *model.Snapshot, m *model.Message) *places {
	blocks := m.Blocks
	return newPlaces(s, m.ID, len(blocks),
		func(i int) model.BlockKind { return blocks[i].Kind },
		func(i int) model.Text { return model.StringText(blocks[i].ID) })
}

// Call returns the block of a call, nil for a result without a call.
func (p *Pairs) Call(ctx context.Context, id model.CallID) (*model.Content, error) {
	c := p.Snap.Call(id)
	if c.Msg == model.NoID {
		return nil, nil
	}
	m, err := p.Message(ctx, c.Msg)
	if err != nil {
		return nil, err
	}
	return m.At(p.Places(m).Call(id)), nil
}

// Result returns the block with the result of a call and its message, both nil if there is none.
func (p *Pairs) Result(ctx context.Context, id model.CallID) (*model.Message, *model.Content, error) {
	c := p.Snap.Call(id)
	if c.Result == model.NoID {
		return nil, nil, nil
	}
	callID := ""
	made, err := p.Call(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	if made != nil {
		callID = made.ID
	}
	m, err := p.Message(ctx, c.Result)
	if err != nil {
		return nil, nil, err
	}
	return m.Message, m.At(p.Places(m).Result(id, callID)), nil
}

// Words returns the block that describes how a call ended, and its message: its result or, for a
// failed call known only from the text of a script, the result of the script.
func (p *Pairs) Words(ctx context.Context, id model.CallID) (*model.Message, *model.Content, error) {
	c := p.Snap.Call(id)
	if maker, ok := c.Parent(); ok && c.InText() && c.Outcome.Failed() {
		id = maker
	}
	return p.Result(ctx, id)
}

// ResultIn returns the result of a call in a message, nil if it has none. recorded is the call's
// id in the transcript, or "".
func ResultIn(s *model.Snapshot, m *model.Message, id model.CallID, recorded string) *model.Content {
	if i := messagePlaces(s, m).Result(id, recorded); i >= 0 {
		return &m.Blocks[i]
	}
	return nil
}

// OrphansAmong returns the rows of the results without a call, by block, in a message that makes
// calls itself.
func (p *Pairs) OrphansAmong(ctx context.Context, id model.ID) (map[int]model.CallID, error) {
	rows := OrphansAmong(p.Snap, id)
	if len(rows) == 0 {
		return nil, nil
	}
	m, err := p.Message(ctx, id)
	if err != nil {
		return nil, err
	}
	at, blocks := p.Places(m), make(map[int]model.CallID, len(rows))
	for _, row := range rows {
		if n := at.answer(row); n >= 0 {
			blocks[int(at.Results[n])] = row
		}
	}
	return blocks, nil
}

// Read reads the texts of a call.
func (p *Pairs) Read(ctx context.Context, id model.CallID) (CallOf, error) {
	c := CallOf{ID: id, Row: p.Snap.Call(id)}
	c.Tool = p.Snap.Name(c.Row.Tool)
	var err error
	if first, again := c.Row.First(); again {
		if _, c.First, err = p.Result(ctx, first); err != nil {
			return c, err
		}
	}
	if c.Call, err = p.Call(ctx, id); err != nil {
		return c, err
	}
	_, c.Result, err = p.Words(ctx, id)
	return c, err
}

// ReadCall reads the texts of one call.
func ReadCall(ctx context.Context, s *model.Snapshot, id model.CallID) (CallOf, error) {
	return NewPairs(s).Read(ctx, id)
}

// CallOf is a call of an answer with its texts.
type CallOf struct {
	ID     model.CallID
	Row    *model.Call
	Call   *model.Content // nil for a result without a call
	Result *model.Content // nil if there is none
	// First is the result before this one, of a call with several; nil for all others.
	First *model.Content
	Tool  string // as recorded
}

// NoCall is the Standing of a result whose call is not in the transcript.
const NoCall = "result without a call"

// Standing names a further result, or one without a call; "" for a call.
func (c *CallOf) Standing() string {
	if c.Call != nil {
		return ""
	}
	if _, again := c.Row.First(); !again {
		return NoCall
	}
	if c.First != nil && c.Result != nil && c.First.Text == c.Result.Text && c.First.Text != "" {
		return "the same result again"
	}
	return "another result"
}

// CallReader reads the blocks of calls and results one after another, without decoding them. A
// result is valid until the next call of the same method.
type CallReader struct {
	snap    *model.Snapshot
	Made    blockReader
	answers [2]blockReader // calls of one message may be answered in several, in turn
	asked   int
}

// blockReader caches the blocks that it read last, and their places.
type blockReader struct {
	*model.Reader
	id     model.ID
	blocks []model.Block // of id, nil: none
	place  *places
	used   int // number of the last request for it
}

func newCallReader(s *model.Snapshot) *CallReader {
	r := &CallReader{snap: s, Made: blockReader{Reader: s.NewReader()}}
	for i := range r.answers {
		r.answers[i].Reader = s.NewReader()
	}
	return r
}

// answered returns the reader that has a message with results, otherwise the least recently used
// one.
func (r *CallReader) answered(id model.ID) *blockReader {
	r.asked++
	found := &r.answers[0]
	for i := range r.answers {
		a := &r.answers[i]
		if a.place != nil && a.id == id {
			found = a
			break
		}
		if a.used < found.used {
			found = a
		}
	}
	found.used = r.asked
	return found
}

// read reads the blocks of a message if they are not cached.
func (r *blockReader) read(ctx context.Context, s *model.Snapshot, id model.ID) error {
	if r.place != nil && r.id == id {
		return ctx.Err()
	}
	r.place = nil
	blocks, err := r.Reader.Blocks(ctx, id)
	if err != nil {
		return err
	}
	r.id, r.blocks = id, blocks
	r.place = newPlaces(s, id, len(blocks),
		func(i int) model.BlockKind { return blocks[i].Kind },
		func(i int) model.Text { return blocks[i].ID })
	return nil
}

// Blocks reads without the cache, and invalidates it.
func (r *blockReader) Blocks(ctx context.Context, id model.ID) ([]model.Block, error) {
	r.place = nil
	return r.Reader.Blocks(ctx, id)
}

func (r *blockReader) at(block int) *model.Block {
	if block < 0 {
		return nil
	}
	return &r.blocks[block]
}

// Call returns the block of a call, nil for a result without one.
func (r *CallReader) Call(ctx context.Context, id model.CallID) (*model.Block, error) {
	c := r.snap.Call(id)
	if c.Msg == model.NoID {
		return nil, nil
	}
	if err := r.Made.read(ctx, r.snap, c.Msg); err != nil {
		return nil, err
	}
	return r.Made.at(r.Made.place.Call(id)), nil
}

// Result returns the block with the result of a call, nil if there is none. callID is the call's
// id in the transcript, or "".
func (r *CallReader) Result(ctx context.Context, id model.CallID, callID string) (*model.Block, error) {
	c := r.snap.Call(id)
	if c.Result == model.NoID {
		return nil, nil
	}
	a := r.answered(c.Result)
	if err := a.read(ctx, r.snap, c.Result); err != nil {
		return nil, err
	}
	return a.at(a.place.Result(id, callID)), nil
}

// ToolName returns the name of a call's tool, "unknown" for a result without a call and a name.
func ToolName(s *model.Snapshot, c *model.Call) string {
	return cmp.Or(s.Name(c.Tool), "unknown")
}

// AgentName returns the recorded name of a subagent's thread, "subagent 2" for thread 2 without
// one.
func AgentName(s *model.Snapshot, thread uint32) string {
	return cmp.Or(model.CleanLine(s.Threads()[thread].Name), fmt.Sprintf("subagent %d", thread))
}
