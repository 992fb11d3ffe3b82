package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query"
)

// Reading a message of some kilobytes from the page cache and describing it takes tens of microseconds, less than what a round trip through a
// command would add, and a frame that shows everything at once does not flicker. So what is small is read while drawing, up to a budget of
// time per frame; the rest shows what its head says until a command has read it.
const (
	frameBudget = 4 * time.Millisecond
	inlineBytes = 256 << 10
)

// heldBytes is how much of what commands have read is kept for the next frames.
const heldBytes = 32 << 20

// bodies reads messages within the budget of a frame.
type bodies struct {
	ctx    context.Context
	snap   *model.Snapshot
	budget time.Duration
	began  time.Time // of the frame
	unread map[model.ID]bool
	held   *lru[model.ID, *model.Message] // read by commands
}

func newBodies(ctx context.Context) *bodies {
	return &bodies{ctx: ctx, budget: frameBudget, unread: map[model.ID]bool{}, held: newLRU[model.ID, *model.Message](heldBytes)}
}

// begin starts the budget of a frame.
func (b *bodies) begin() { b.began = time.Now() }

// affordable reports whether size bytes may be read now.
func (b *bodies) affordable(size int64) bool {
	return size <= inlineBytes && time.Since(b.began) < b.budget
}

// get is a message with its texts, nil if it is not read yet. What cannot be read is a message that says so.
func (b *bodies) get(id model.ID) *model.Message {
	if m, ok := b.held.get(id); ok {
		return m
	}
	h := b.snap.HeadRow(id)
	if !b.affordable(int64(h.Size)) {
		b.unread[id] = true
		return nil
	}
	return readBody(b.ctx, b.snap, id)
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

// describer keeps what the rows of messages say.
type describer struct {
	h     *host
	d     query.Describer
	known *lru[model.ID, []query.Line]
	asked map[model.ID]bool // being described by a command
	made  int               // counted for tests: messages described
}

func newDescriber(h *host) *describer {
	return &describer{h: h, known: newLRU[model.ID, []query.Line](8192), asked: map[model.ID]bool{}}
}

// lines are the rows of a message in the order of its blocks; settled is false where they are only what the head says so far.
func (d *describer) lines(id model.ID) (lines []query.Line, settled bool) {
	if lines, ok := d.known.get(id); ok {
		return lines, true
	}
	if d.h.bodies.affordable(d.size(id)) {
		lines := describe(d.h.ctx, d.d, d.h.snap, id)
		d.made++
		d.known.put(id, lines)
		return lines, true
	}
	d.h.bodies.unread[id] = true
	return d.fromHead(id), false
}

func (d *describer) size(id model.ID) int64 {
	h := d.h.snap.HeadRow(id)
	n := int64(h.Size)
	if h.Flags&model.HasCalls != 0 {
		for _, c := range d.h.snap.Calls(id) {
			n += int64(c.ResultSize)
		}
	}
	return n
}

// fromHead makes lines without texts.
func (d *describer) fromHead(id model.ID) []query.Line {
	s := d.h.snap
	h := s.HeadRow(id)
	var lines []query.Line
	add := func(kind query.LineKind, word string) {
		lines = append(lines, query.Line{Kind: kind, Word: word, About: "…", Block: -1, Call: noCall})
	}
	if h.Flags&model.HasReasoning != 0 {
		add(query.LineReasoning, "reasoning")
	}
	if h.Flags&model.HasWords != 0 || h.Flags&(model.HasCalls|model.HasReasoning|model.HasResults) == 0 {
		kind, word := roleLine(h)
		add(kind, word)
	}
	for _, c := range s.Calls(id) {
		_, word, _ := query.FamilyOf(s.Name(c.Tool))
		lines = append(lines, query.Line{Kind: query.LineCall, Word: word, About: "…", State: c.Outcome, Block: -1, Call: c.ID})
	}
	return lines
}

func roleLine(h *model.Head) (query.LineKind, string) {
	if h.Flags&model.Injected != 0 {
		return query.LineInjected, "injected"
	}
	switch h.Role {
	case model.User:
		return query.LineUser, "user"
	case model.Assistant:
		return query.LineAssistant, "assistant"
	case model.System, model.Developer:
		return query.LineSystem, h.Role.String()
	}
	return query.LineOther, h.Role.String()
}

// describedMsg is what a command found out about messages.
type describedMsg struct {
	version uint64
	lines   map[model.ID][]query.Line
	bodies  []*model.Message
}

// fetch describes, outside of Update, what the last frame could not afford.
func (d *describer) fetch() tea.Cmd {
	var ids []model.ID
	for id := range d.h.bodies.unread {
		if !d.asked[id] {
			ids = append(ids, id)
			d.asked[id] = true
		}
	}
	clear(d.h.bodies.unread)
	if len(ids) == 0 {
		return nil
	}
	ctx, snap, q := d.h.ctx, d.h.snap, d.d
	return func() tea.Msg {
		msg := describedMsg{version: snap.Version(), lines: map[model.ID][]query.Line{}}
		for _, id := range ids {
			msg.bodies = append(msg.bodies, readBody(ctx, snap, id))
			if snap.HeadRow(id).Op == model.Say {
				msg.lines[id] = describe(ctx, q, snap, id)
			}
		}
		return msg
	}
}

func (d *describer) arrived(msg describedMsg) {
	clear(d.asked)
	if msg.version != d.h.snap.Version() {
		return
	}
	for _, m := range msg.bodies {
		d.h.bodies.held.putSized(m.ID, m, m.Size())
	}
	for id, lines := range msg.lines {
		d.made++
		d.known.put(id, lines)
	}
}

// describe is the rows of a message. What cannot be read has a row that says so.
func describe(ctx context.Context, d query.Describer, s *model.Snapshot, id model.ID) []query.Line {
	lines, err := d.Message(ctx, query.NewPairs(s), id)
	if err != nil {
		kind, word := roleLine(s.HeadRow(id))
		return []query.Line{{Kind: kind, Word: word, About: "cannot be read: " + oneLine(err.Error()), State: model.Failure, Block: -1, Call: noCall}}
	}
	return lines
}
