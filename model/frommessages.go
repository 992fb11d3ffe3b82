package model

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

// FromMessages makes a snapshot of messages in memory, for tests and for callers without a
// transcript. Calls pair with the nearest later result of the same id, and name further results of
// it; a user message opens a turn.
// It sets ID, Pos and the stitcher's flags.
func FromMessages(msgs []Message) *Snapshot {
	b := memoryBuilder{names: map[string]uint16{"": 0}, open: map[string][]CallID{}, answered: map[string]CallID{}}
	b.ix.Version = 1
	b.ix.Names = []string{""}
	b.ix.Threads = []Thread{{Main: true, Call: CallID(NoRow)}}
	b.ix.Sessions = []Session{{}}
	for i := range msgs {
		m := msgs[i]
		b.add(&m)
	}
	b.ix.Grown = []Growth{{1, b.ix.Heads.Len()}}
	b.ix.Threads[0].Count, b.ix.Sessions[0].Count = len(b.ix.Live), len(b.ix.Live)
	return NewSnapshot(b.ix, memoryBodies(b.msgs))
}

type memoryBodies []*Message

func (b memoryBodies) Body(ctx context.Context, _ *Snapshot, id ID) (*Message, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if int(id) >= len(b) {
		return nil, fmt.Errorf("no message %d", id)
	}
	return b[id], nil
}

type memoryBuilder struct {
	ix    Index
	msgs  []*Message
	names map[string]uint16
	open  map[string][]CallID
	// the last call with a result, by its id
	answered map[string]CallID
}

func (b *memoryBuilder) name(s string) uint16 {
	if n, ok := b.names[s]; ok {
		return n
	}
	n := uint16(len(b.ix.Names))
	b.ix.Names = append(b.ix.Names, s)
	b.names[s] = n
	return n
}

func (b *memoryBuilder) add(m *Message) {
	id := ID(b.ix.Heads.Len())
	m.ID, m.Pos = id, -1
	h := Head{
		Time: m.Time, Parent: NoID, LastPart: NoRow, LastCall: NoRow, Usage: NoRow,
		Flags: m.Flags, Role: m.Role, Op: m.Op,
	}
	if key, err := strconv.ParseUint(m.Key, 16, 64); err == nil {
		h.Key = Key(key)
	}
	if m.Role == Assistant {
		h.Name = b.name(m.Model)
	} else {
		h.Name = b.name(m.Name)
	}
	if m.Op == Say {
		m.Pos = len(b.ix.Live)
		b.ix.Live = append(b.ix.Live, id)
	} else {
		b.ix.Notes++
	}
	calls := 0
	for i := range m.Blocks {
		c := &m.Blocks[i]
		h.Size += uint32(len(c.Text))
		switch c.Kind {
		case Words:
			h.Flags |= HasWords
		case Reasoning:
			h.Flags |= HasReasoning
		case Media:
			h.Flags |= HasMedia
		case ToolCall:
			h.Flags |= HasCalls
			b.call(&h, id, c, calls)
			calls++
		case ToolResult:
			b.result(&h, id, c, m.Time)
		}
	}
	if m.Role == User && m.Flags&Injected == 0 {
		h.Flags |= Prompt
	}
	if u := m.Usage; u != nil {
		t := TokensOf(u)
		if u.Missed != "" {
			t.Missed = b.name(u.Missed)
		}
		h.Usage = uint32(b.ix.Tokens.Append(t))
	}
	m.Flags = h.Flags
	b.ix.Heads.Append(h)
	b.msgs = append(b.msgs, m)
}

func (b *memoryBuilder) call(h *Head, id ID, c *Content, n int) {
	row := CallID(b.ix.Calls.Append(Call{
		Msg: id, Result: NoID, Prev: h.LastCall, PrevResult: NoRow, ArgsSize: uint32(len(c.Text)),
		Took: NoTook, Tool: b.name(c.Name), Block: uint32(n), Outcome: c.Outcome, Same: uint32(Hash([]byte(c.Text))),
	}))
	h.LastCall = uint32(row)
	b.open[c.ID] = append(b.open[c.ID], row)
}

func (b *memoryBuilder) result(h *Head, id ID, c *Content, at int64) {
	var row CallID
	if waiting := b.open[c.ID]; len(waiting) > 0 {
		row, b.open[c.ID] = waiting[0], waiting[1:]
		b.answered[c.ID] = row
	} else {
		orphan := Call{Msg: NoID, Result: id, Prev: NoRow, PrevResult: NoRow, Took: NoTook, Tool: b.name(c.Name), Flags: OrphanCall}
		if first, again := b.answered[c.ID]; again && c.ID != "" {
			orphan.Flags, orphan.Block = orphan.Flags|Again, uint32(first)
			if c.Name == "" {
				orphan.Tool = b.ix.Calls.Row(int(first)).Tool
			}
		}
		row = CallID(b.ix.Calls.Append(orphan))
		h.Flags |= HasOrphan
	}
	call := b.ix.Calls.Amend(int(row))
	call.Result, call.ResultSize = id, uint32(len(c.Text))
	if c.Name != "" && b.ix.Names[call.Tool] != c.Name {
		call.Flags |= OtherName
	}
	call.Outcome = c.Outcome
	if call.Outcome == Unknown {
		call.Outcome = Success
	}
	if c.Outcome.Failed() {
		h.Flags |= HasFailure
		if call.Msg != NoID && call.Msg != id {
			b.ix.Heads.Amend(int(call.Msg)).Flags |= HasFailure
		}
	}
	switch {
	case c.Took > 0:
		call.Took = uint32(c.Took / time.Millisecond)
	case call.Msg != NoID && call.Msg != id && at != 0 && b.msgs[call.Msg].Time != 0:
		call.Took, call.Flags = uint32(at-b.msgs[call.Msg].Time), call.Flags|TookDerived
	}
	if call.Msg != id {
		h.Flags |= HasResults
		call.PrevResult = h.LastCall
		h.LastCall = uint32(row)
	}
}

// TokensOf returns a usage as a row of the index.
func TokensOf(u *Usage) Tokens {
	n := func(x int64) uint32 {
		if x < 0 {
			return NoTokens
		}
		return uint32(min(x, int64(NoTokens)-1))
	}
	t := Tokens{
		Input: n(u.Input), CacheRead: n(u.CacheRead), CacheWrite: n(u.CacheWrite),
		Output: n(u.Output), Reasoning: n(u.Reasoning), Cost: u.Cost,
	}
	if u.HasCost {
		t.Flags |= HasCost
	}
	if u.HourCache {
		t.Flags |= HourCache
	}
	return t
}
