package model

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"sort"
	"sync"
)

// Source is one stream of a conversation and the way to read its records.
type Source struct {
	Stream  Stream
	Path    string
	Format  string // slug
	Title   string // of the format
	Why     string // why the format was recognised
	Variant uint8
	Framed  bool  // records are in a spool, each after the path of its list
	Encoded bool  // as in [Format]
	Limit   int64 // bytes of a record; a larger one is not parsed; 0: none
	Parse   func(Record, *Facts) error
}

// ChildRef links a call to the separate transcript of the conversation that it started.
type ChildRef struct {
	Call CallID
	Name string // as recorded: an agent id, a path, a session
}

// Tail is an incomplete record at the end of a stream.
type Tail struct {
	Off, Len int64
	Line     int64 // 1-based line, 0 unknown
}

// Index is the result of package stitch, which a Snapshot shows. Its fields must not be changed
// after NewSnapshot.
type Index struct {
	Version  uint64
	Heads    Column[Head]
	Parts    Column[Part]
	Calls    Column[Call]
	Tokens   Column[Tokens]
	Names    []string // models, tools, kinds; row 0 is ""
	Threads  []Thread
	Sessions []Session
	Events   []Event
	Children []ChildRef
	Totals   []SessionUsage // usage that covers more than one response
	Sources  []Source

	Order      []ID // all rows in display order; nil: by arrival
	Live       []ID // the messages with a position, in order
	Unreadable int  // number of unreadable records
	Notes      int  // bookkeeping rows
	Continued  bool // some messages have the flag
	Tail       Tail
	Amended    []Amendment // rows changed after a snapshot, oldest first
	Grown      []Growth    // number of rows of each version, oldest first
}

// SessionUsage is usage that covers an entire session, or the increases of a counter.
type SessionUsage struct {
	Session uint32
	Usage   Usage
}

// Amendment records that a version changed a row.
type Amendment struct {
	Version uint64
	ID      ID
}

// Growth records the number of rows of a version.
type Growth struct {
	Version uint64
	Rows    int
}

// Snapshot is an immutable view of a conversation, the base of all queries and exports. Its methods
// are safe for concurrent use.
type Snapshot struct {
	ix      Index
	bodies  Bodies
	inOrder bool // Live ascends
	once    sync.Once
	pos     []int32
	rowOnce sync.Once
	rowOf   []int32
}

// Bodies reads messages from their sources.
type Bodies interface {
	Body(ctx context.Context, s *Snapshot, id ID) (*Message, error)
}

// NewSnapshot returns a snapshot of an index. bodies reads its messages; it may be nil.
func NewSnapshot(ix Index, bodies Bodies) *Snapshot {
	s := &Snapshot{ix: ix, bodies: bodies, inOrder: ix.Order == nil}
	return s
}

// Version increases with every change of the conversation.
func (s *Snapshot) Version() uint64 { return s.ix.Version }

// Len returns the number of messages with a position.
func (s *Snapshot) Len() int { return len(s.ix.Live) }

// Rows returns the number of rows of the index: messages, notes, unreadable records, and erased
// rows.
func (s *Snapshot) Rows() int { return s.ix.Heads.Len() }

// At returns the message at a position.
func (s *Snapshot) At(pos int) ID { return s.ix.Live[pos] }

// Pos returns the position of a message, -1 for a note or a message outside of the live branch.
func (s *Snapshot) Pos(id ID) int {
	if s.inOrder {
		live := s.ix.Live
		i := sort.Search(len(live), func(i int) bool { return live[i] >= id })
		if i < len(live) && live[i] == id {
			return i
		}
		return -1
	}
	s.once.Do(func() {
		s.pos = make([]int32, s.Rows())
		for i := range s.pos {
			s.pos[i] = -1
		}
		for i, id := range s.ix.Live {
			s.pos[id] = int32(i)
		}
	})
	if int(id) >= len(s.pos) {
		return -1
	}
	return int(s.pos[id])
}

// Row returns the ID of the n-th row in display order, notes included.
func (s *Snapshot) Row(n int) ID {
	if s.ix.Order != nil {
		return s.ix.Order[n]
	}
	return ID(n)
}

// RowNumber returns the number n for which Row(n) is id, -1 if there is none.
func (s *Snapshot) RowNumber(id ID) int {
	if int(id) >= s.Rows() {
		return -1
	}
	if s.ix.Order == nil {
		return int(id)
	}
	s.rowOnce.Do(func() {
		s.rowOf = make([]int32, s.Rows())
		for i := range s.rowOf {
			s.rowOf[i] = -1
		}
		for n, id := range s.ix.Order {
			s.rowOf[id] = int32(n)
		}
	})
	return int(s.rowOf[id])
}

// LiveIDs returns every live message in order; it must not be written to.
func (s *Snapshot) LiveIDs() []ID { return s.ix.Live }

// Head returns the index row of a message.
func (s *Snapshot) Head(id ID) Head { return s.ix.Heads.At(int(id)) }

// HeadRow is Head without a copy; it must not be written to.
func (s *Snapshot) HeadRow(id ID) *Head { return s.ix.Heads.Row(int(id)) }

// Name returns an interned model, tool or kind.
func (s *Snapshot) Name(n uint16) string { return s.ix.Names[n] }

// RoleName returns the role of a message in the common spelling; of an unknown role its recorded
// name.
func (s *Snapshot) RoleName(h *Head) string {
	if h.Role == Other || h.Role == NoRole {
		return cmp.Or(s.Name(h.Name), NoRole.String())
	}
	return h.Role.String()
}

// Names returns all models, tools and kinds; row 0 is "".
func (s *Snapshot) Names() []string { return s.ix.Names }

// Threads returns the lines of conversation, the main one of the first session first.
func (s *Snapshot) Threads() []Thread { return s.ix.Threads }

// Sessions returns the conversations of the source, at least one.
func (s *Snapshot) Sessions() []Session { return s.ix.Sessions }

// Session returns the conversation that a row belongs to.
func (s *Snapshot) Session(id ID) *Session {
	return &s.ix.Sessions[s.ix.Threads[s.ix.Heads.Row(int(id)).Thread].Session]
}

// Events returns the rows that affect later rows, by arrival.
func (s *Snapshot) Events() []Event { return s.ix.Events }

// Totals returns the usages that cover more than one response.
func (s *Snapshot) Totals() []SessionUsage { return s.ix.Totals }

// Sources returns the streams of the records.
func (s *Snapshot) Sources() []Source { return s.ix.Sources }

// Unreadable returns the number of unreadable records.
func (s *Snapshot) Unreadable() int { return s.ix.Unreadable }

// Notes returns the number of bookkeeping rows.
func (s *Snapshot) Notes() int { return s.ix.Notes }

// Tail returns the incomplete record at the end.
func (s *Snapshot) Tail() Tail { return s.ix.Tail }

// Format returns the slug of the first source's format.
func (s *Snapshot) Format() string {
	if len(s.ix.Sources) == 0 {
		return ""
	}
	return s.ix.Sources[0].Format
}

// Tokens returns the recorded usage of a message; ok is false if there is none.
func (s *Snapshot) Tokens(id ID) (t Tokens, ok bool) {
	row := s.ix.Heads.Row(int(id)).Usage
	if row == NoRow {
		return Tokens{}, false
	}
	return s.ix.Tokens.At(int(row)), true
}

// Calls returns the calls that a message made, in order.
func (s *Snapshot) Calls(id ID) []CallRow {
	h := s.ix.Heads.Row(int(id))
	if h.Flags&HasResults != 0 {
		return nil
	}
	return s.chain(h.LastCall, func(c *Call) uint32 { return c.Prev })
}

// Answers returns, in order, the calls of other messages that this message has results for. It
// includes results without a call as orphans.
func (s *Snapshot) Answers(id ID) []CallRow {
	h := s.ix.Heads.Row(int(id))
	if h.Flags&HasResults == 0 {
		return nil
	}
	return s.chain(h.LastCall, func(c *Call) uint32 { return c.PrevResult })
}

func (s *Snapshot) chain(row uint32, prev func(*Call) uint32) []CallRow {
	n := 0
	for at := row; at != NoRow; at = prev(s.ix.Calls.Row(int(at))) {
		n++
	}
	if n == 0 {
		return nil
	}
	rows := make([]CallRow, n)
	for i := n - 1; i >= 0; i-- {
		c := s.ix.Calls.Row(int(row))
		rows[i] = CallRow{CallID(row), *c}
		row = prev(c)
	}
	return rows
}

// CallCount returns the number of rows of calls, including orphan results.
func (s *Snapshot) CallCount() int { return s.ix.Calls.Len() }

// Call returns a call; it must not be written to.
func (s *Snapshot) Call(id CallID) *Call { return s.ix.Calls.Row(int(id)) }

// Parts returns the records of a message in order, including those without content.
func (s *Snapshot) Parts(id ID) []Part {
	var parts []Part
	for row := s.ix.Heads.Row(int(id)).LastPart; row != NoRow; {
		p := s.ix.Parts.Row(int(row))
		parts = append(parts, *p)
		row = p.Prev()
	}
	for i, j := 0, len(parts)-1; i < j; i, j = i+1, j-1 {
		parts[i], parts[j] = parts[j], parts[i]
	}
	return parts
}

// PartCount returns the number of indexed records and facts of records.
func (s *Snapshot) PartCount() int { return s.ix.Parts.Len() }

// Part returns one of them; it must not be written to.
func (s *Snapshot) Part(i int) *Part { return s.ix.Parts.Row(i) }

// Body returns a message with its texts, from its source or a cache. It must not be changed.
func (s *Snapshot) Body(ctx context.Context, id ID) (*Message, error) {
	return s.bodies.Body(ctx, s, id)
}

// Fetch reads the data behind Content.Elsewhere from a file next to the transcript.
func (s *Snapshot) Fetch(ctx context.Context, elsewhere string) ([]byte, error) {
	if f, ok := s.bodies.(interface {
		Fetch(ctx context.Context, elsewhere string) ([]byte, error)
	}); ok {
		return f.Fetch(ctx, elsewhere)
	}
	return nil, fmt.Errorf("fetch %q: nothing lies beside this transcript", elsewhere)
}

// Changed yields the rows added or amended since a version.
func (s *Snapshot) Changed(since uint64) iter.Seq[ID] {
	return func(yield func(ID) bool) {
		rows := 0
		for _, g := range s.ix.Grown {
			if g.Version > since {
				break
			}
			rows = g.Rows
		}
		first := sort.Search(len(s.ix.Amended), func(i int) bool { return s.ix.Amended[i].Version > since })
		seen := make(map[ID]bool)
		for _, a := range s.ix.Amended[first:] {
			if int(a.ID) >= rows || seen[a.ID] {
				continue
			}
			seen[a.ID] = true
			if !yield(a.ID) {
				return
			}
		}
		for id := rows; id < s.Rows(); id++ {
			if !yield(ID(id)) {
				return
			}
		}
	}
}
