package model

import (
	"math"
	"time"
)

// ID is a row of the index, by arrival. It never changes. The number shown to people is the
// position, see [Snapshot.Pos].
type ID uint32

// NoID is the ID of no message.
const NoID ID = math.MaxUint32

// NoRow ends a chain of parts or calls, and marks missing usage.
const NoRow uint32 = math.MaxUint32

// Head is the index row of a message: everything but its text. It has no pointers.
type Head struct {
	Time     int64  // Unix ms of its first record; 0 unknown
	Key      Key    // as recorded
	Parent   ID     // tree edge; of a note the message it reports on; NoID for none
	LastPart uint32 // chain of parts, backwards
	// chain of calls, backwards: its own by Call.Prev, or by Call.PrevResult if HasResults
	LastCall uint32
	Usage    uint32 // row of the usages
	Size     uint32 // bytes of its texts as recorded
	Thread   uint32 // see Snapshot.Threads
	Flags    Flags
	// model of an assistant, kind of a note, recorded name of another role; see Snapshot.Name
	Name uint16
	Role Role
	Op   Op // any Op: a Say, Note, Unreadable, Compact, Rewind, Reset, End …
}

// IsMessage reports whether the row is a message, not bookkeeping.
func (h *Head) IsMessage() bool { return h.Op == Say }

// Responds reports whether the row is a model's response. A call that appears only in its
// tool's span does not count, although the model made it.
func (h *Head) Responds() bool {
	return h.Role == Assistant && h.Flags&SpanTold == 0
}

// FailedResponse reports whether the row is a response that failed or was interrupted.
func (h *Head) FailedResponse() bool {
	return h.Responds() && h.Flags&(APIError|Interrupted) != 0
}

// Part is one record, or one fact of a record, that belongs to a message. Parts are in the order
// of their arrival.
type Part struct {
	Ref  Ref
	prev uint32 // the top bit is skip
	Msg  ID
}

const partSkip = 1 << 31

// NewPart returns a part of msg after the part prev (NoRow for none). skip means that it adds no
// content: it is an echo, or a later part replaced it.
func NewPart(ref Ref, prev uint32, msg ID, skip bool) Part {
	prev &^= partSkip
	if skip {
		prev |= partSkip
	}
	return Part{ref, prev, msg}
}

// Prev returns the previous part of the message, NoRow for none.
func (p *Part) Prev() uint32 {
	if prev := p.prev &^ partSkip; prev != partSkip-1 {
		return prev
	}
	return NoRow
}

// Skip reports whether the part adds no content to its message.
func (p *Part) Skip() bool { return p.prev&partSkip != 0 }

// Holds reports whether f, read again from the part's place, can be the indexed fact; if not, the
// bytes there have changed. h is the head of its message, whose key is that of its first part.
func (p *Part) Holds(h *Head, f *Fact) bool {
	if h.Op == Say && f.Op != Say { // any fact may have become a note
		return false
	}
	return h.Key == 0 || f.Key == h.Key || p.Prev() != NoRow
}

// Call is a tool call, or a result without one (Msg is NoID). It has no pointers.
type Call struct {
	Msg        ID     // message that made it
	Result     ID     // message with its result; NoID: none (yet)
	Prev       uint32 // the call before it in its message
	PrevResult uint32 // the call before it that the message of its result answers
	ArgsSize   uint32 // bytes as recorded
	ResultSize uint32
	Took       uint32 // ms; NoTook: unknown
	Child      uint32 // thread that it started, or 0
	Block      uint32 // number of the call among the calls of its message
	Same       uint32 // hash of its arguments, to recognise repeated calls; 0 unknown
	Inside     uint32 // row of the call that made it, plus one; 0: the model made it; see InText
	Tool       uint16 // see Snapshot.Name
	Outcome    Outcome
	Flags      CallFlags
}

// Pending reports whether a call waits for its result: the transcript marks it as running, or
// has neither a result nor an outcome. Results without a call are not pending, and neither are
// calls known only from the text of an ended script.
func (c *Call) Pending() bool {
	open := c.Result == NoID && !c.Outcome.Failed() && c.Outcome != Success && !c.InText()
	return c.Msg != NoID && (open || c.Outcome == Running)
}

// NoTook is an unknown duration.
const NoTook uint32 = math.MaxUint32

// CallFlags are the properties of a call.
type CallFlags uint8

// The flags of a call.
const (
	TookDerived CallFlags = 1 << iota // the duration is the time between two records
	OrphanCall                        // a result without a call
	HasChild                          // a subagent ran for it
	OtherName                         // its result names another tool
	NeedsLeave                        // it waits for the user's permission
	HasNested                         // it made other calls
	// a script that made calls, or a wait for one: it counts separately, because the calls that it
	// made show the work
	Carries
	Again // a further result of the call in row Block
)

// First returns the call whose further result this is; again is false for all others.
func (c *Call) First() (id CallID, again bool) { return CallID(c.Block), c.Flags&Again != 0 }

// Parent returns the call that made this one, in a script; ok is false if the model made it.
func (c *Call) Parent() (id CallID, ok bool) {
	row := c.Inside &^ onlyInText
	return CallID(row - 1), row > 0
}

// onlyInText is the bit of Inside for InText.
const onlyInText = 1 << 31

// InText reports whether the call is known only from the text of the script that made it. It
// has no result, and an outcome only if the script shows it.
func (c *Call) InText() bool { return c.Inside&onlyInText != 0 }

// MadeInText marks the call as known only from the text of a script.
func (c *Call) MadeInText(script CallID) { c.Inside = uint32(script) + 1 | onlyInText }

// Duration returns how long the call ran; ok is false if unknown.
func (c *Call) Duration() (d time.Duration, ok bool) {
	return time.Duration(c.Took) * time.Millisecond, c.Took != NoTook
}

// CallID is a row of the index's calls, NoRow for none.
type CallID uint32

// CallRow is a call with its number.
type CallRow struct {
	ID CallID
	Call
}

// Tokens is the recorded usage of one response, normalised like [Usage]. NoTokens means that a
// number was not recorded.
type Tokens struct {
	Input, CacheRead, CacheWrite, Output, Reasoning uint32
	Flags                                           TokenFlags
	Missed                                          uint16 // see [Usage] and [Snapshot.Name]
	Cost                                            float64
}

// TokenFlags are the properties of a usage row.
type TokenFlags uint8

// HasCost: the cost was recorded. HourCache: see [Usage].
const (
	HasCost TokenFlags = 1 << iota
	HourCache
)

// NoTokens is an unrecorded number of tokens.
const NoTokens uint32 = math.MaxUint32

// Thread is a line of conversation: the main one of a session, or an inline subagent.
type Thread struct {
	Key     Key
	Name    string // as recorded: an agent id or type
	Session uint32 // see Snapshot.Sessions
	Parent  uint32 // thread that started it
	Call    CallID // call that started it; NoRow for none
	First   ID
	Main    bool // the main thread of its session
	Apart   bool // its transcript is a separate file: its messages have no position
	Count   int  // messages
}

// Session is one conversation of the source, with its recorded properties.
type Session struct {
	Key Key
	// in order of appearance: title, session, cwd, agent, version, branch, model, window …
	Fields  []KeyValue
	First   ID
	Count   int // messages
	Outcome Outcome
	Reason  string // in the format's own words
	Score   float64
	Scored  bool
	Ended   bool // the format recorded how it ended
	Turn    bool // a turn ended this way: the agent waits for the next prompt
	Stop    Stop // of the last response
}

// KeyValue is a name and a decoded value.
type KeyValue struct{ Name, Value string }

// Field returns the first recorded value of name, "" if there is none.
func (s *Session) Field(name string) string {
	for _, f := range s.Fields {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}

// Event is a row that affects later rows: a compaction, a rewind, a change of model, the end.
// It is between messages, before the row ID.
type Event struct {
	At   ID // the note's own row
	Op   Op
	Time int64
	N    int64 // number of affected messages, by Op; of an End its Outcome
	Kept ID    // first row that a compaction preserves by name; NoID: N is their number
}

// A stream begins with a placeholder for its output tokens, which some agents record. A number is a
// placeholder if the text has more bytes per token than any real text.
const (
	bytesOfToken    = 4 // of common text
	mostBytes       = 10
	placeholderMost = 16
)

// OutputLeast returns the output tokens of a message: the recorded number, or the size of the text
// in tokens if that number is a placeholder. For a negative number, an unrecorded one, it returns
// 0.
func (h *Head) OutputLeast(recorded int64) int64 {
	if recorded >= 0 && recorded <= placeholderMost && int64(h.Size) > (recorded+1)*mostBytes {
		return int64(h.Size) / bytesOfToken
	}
	return max(recorded, 0)
}

// OutputMissing returns the unrecorded part of OutputLeast.
func (h *Head) OutputMissing(recorded int64) int64 { return h.OutputLeast(recorded) - max(recorded, 0) }
