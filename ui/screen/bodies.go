package screen

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/ui/paint"
)

// Reading and describing a message of some kilobytes from the page cache takes tens of
// microseconds, less than a round trip through a command, and a frame that shows everything
// immediately does not flicker. So drawing reads small messages, up to a time budget per frame; the
// others show only their head until a command has read them.
const (
	frameBudget = 4 * time.Millisecond
	inlineBytes = 256 << 10
)

// heldBytes is the size of the cache of messages read by commands.
const heldBytes = 32 << 20

// bodies reads messages within the budget of a frame.
type bodies struct {
	ctx    context.Context
	Snap   *model.Snapshot
	Budget time.Duration
	began  time.Time // start of the frame
	unread map[model.ID]bool
	Held   *Lru[model.ID, *model.Message] // read by commands
}

func newBodies(ctx context.Context) *bodies {
	return &bodies{ctx: ctx, Budget: frameBudget, unread: map[model.ID]bool{}, Held: NewLRU[model.ID, *model.Message](heldBytes)}
}

// Begin starts the budget of a frame.
func (b *bodies) Begin() { b.began = time.Now() }

// affordable reports whether the frame's budget allows reading size bytes now.
func (b *bodies) affordable(size int64) bool {
	return size <= inlineBytes && time.Since(b.began) < b.Budget
}

// Get returns a message with its texts, nil if it is not read yet. A message that cannot be read
// contains the error.
func (b *bodies) Get(id model.ID) *model.Message {
	if m, ok := b.Held.Get(id); ok {
		return m
	}
	h := b.Snap.HeadRow(id)
	if !b.affordable(int64(h.Size)) {
		b.unread[id] = true
		return nil
	}
	return readBody(b.ctx, b.Snap, id)
}

func readBody(ctx context.Context, s *model.Snapshot, id model.ID) *model.Message {
	m, err := s.Body(ctx, id)
	if err != nil || m == nil {
		h := s.Head(id)
		m = &model.Message{ID: id, Op: h.Op, Role: h.Role, Flags: h.Flags, Time: h.Time, Err: err}
		if err != nil {
			m.Blocks = []model.Content{{Kind: model.Words, Text: "cannot be read: " + err.Error()}}
		}
	}
	return m
}

// describer caches the descriptions of message rows.
type describer struct {
	h     *Host
	D     describe.Describer
	Known *Lru[model.ID, []describe.Line]
	Asked map[model.ID]uint64 // being described by a command, by the version of the request
	Made  int                 // number of described messages, for tests
}

func newDescriber(h *Host) *describer {
	return &describer{h: h, Known: NewLRU[model.ID, []describe.Line](8192), Asked: map[model.ID]uint64{}}
}

// Lines returns the rows of a message in the order of its blocks; settled is false if they come
// from its head only.
func (d *describer) Lines(id model.ID) (lines []describe.Line, settled bool) {
	if lines, ok := d.Known.Get(id); ok {
		return lines, true
	}
	if d.h.Bodies.affordable(d.size(id)) {
		lines := describeMessage(d.h.Ctx, d.D, d.h.Snap, id)
		d.Made++
		d.Known.Put(id, lines)
		return lines, true
	}
	d.h.Bodies.unread[id] = true
	return d.fromHead(id), false
}

// FirstText returns the first text of a message, in one line.
func (h *Host) FirstText(id model.ID) string {
	lines, _ := h.Described.Lines(id)
	for i := range lines {
		if lines[i].About != "" {
			return lines[i].About
		}
	}
	return ""
}

func (d *describer) size(id model.ID) int64 {
	h := d.h.Snap.HeadRow(id)
	n := int64(h.Size)
	if h.Flags&model.HasCalls != 0 {
		for _, c := range d.h.Snap.Calls(id) {
			n += int64(c.ResultSize)
		}
	}
	return n
}

// fromHead makes the lines of a message from its head, without texts.
func (d *describer) fromHead(id model.ID) []describe.Line {
	s := d.h.Snap
	h := s.HeadRow(id)
	var lines []describe.Line
	add := func(kind describe.LineKind, word string) {
		lines = append(lines, describe.Line{Kind: kind, Word: word, About: "…", Block: -1, Call: NoCall})
	}
	if h.Flags&model.HasReasoning != 0 {
		add(describe.LineReasoning, "reasoning")
	}
	if h.Flags&model.HasWords != 0 || h.Flags&(model.HasCalls|model.HasReasoning|model.HasResults) == 0 {
		kind, word := roleLine(h)
		add(kind, word)
	}
	for _, c := range s.Calls(id) {
		lines = append(lines, describe.Line{Kind: describe.LineCall, Word: describe.ToolWord(s.Name(c.Tool)), About: "…", State: c.Outcome, Block: -1, Call: c.ID})
	}
	return lines
}

func roleLine(h *model.Head) (describe.LineKind, string) {
	if h.Flags&model.Injected != 0 {
		return describe.LineInjected, "injected"
	}
	switch h.Role {
	case model.User:
		return describe.LineUser, "user"
	case model.Assistant:
		return describe.LineAssistant, "assistant"
	case model.System, model.Developer:
		return describe.LineSystem, h.Role.String()
	}
	return describe.LineOther, h.Role.String()
}

// DescribedMsg carries messages described by a command.
type DescribedMsg struct {
	version uint64
	Lines   map[model.ID][]describe.Line
	bodies  []*model.Message
}

// Fetch describes the messages that exceeded the budget of the last frame, outside of Update.
func (d *describer) Fetch() tea.Cmd {
	var ids []model.ID
	for id := range d.h.Bodies.unread {
		if _, asked := d.Asked[id]; !asked {
			ids = append(ids, id)
			d.Asked[id] = d.h.Snap.Version()
		}
	}
	clear(d.h.Bodies.unread)
	if len(ids) == 0 {
		return nil
	}
	ctx, snap, q := d.h.Ctx, d.h.Snap, d.D
	return func() tea.Msg {
		msg := DescribedMsg{version: snap.Version(), Lines: map[model.ID][]describe.Line{}}
		for _, id := range ids {
			msg.bodies = append(msg.bodies, readBody(ctx, snap, id))
			if snap.HeadRow(id).Op == model.Say {
				msg.Lines[id] = describeMessage(ctx, q, snap, id)
			}
		}
		return msg
	}
}

// Arrived stores the described messages, except those that have changed since the request. The
// others stay valid when the session grows; otherwise a busy session would never appear.
func (d *describer) Arrived(msg DescribedMsg) {
	for _, m := range msg.bodies {
		if of, asked := d.Asked[m.ID]; !asked || of != msg.version {
			continue
		}
		delete(d.Asked, m.ID)
		d.h.Bodies.Held.PutSized(m.ID, m, m.Size())
		if lines, ok := msg.Lines[m.ID]; ok {
			d.Made++
			d.Known.Put(m.ID, lines)
		}
	}
}

// describeMessage returns the rows of a message; if it cannot be read, a row with the error.
func describeMessage(ctx context.Context, d describe.Describer, s *model.Snapshot, id model.ID) []describe.Line {
	lines, err := d.Message(ctx, query.NewPairs(s), id)
	if err != nil {
		kind, word := roleLine(s.HeadRow(id))
		return []describe.Line{{Kind: kind, Word: word, About: "cannot be read: " + paint.OneLine(err.Error()), State: model.Failure, Block: -1, Call: NoCall}}
	}
	return lines
}
