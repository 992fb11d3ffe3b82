package model

import (
	"errors"
	"slices"
	"time"
)

// Op is what a [Fact] does to the conversation. All that looks back is an Op for
// the stitcher, never code in a format.
type Op uint8

// The operations.
const (
	Say Op = iota // a message or a part of one
	// bookkeeping: a folded row, no message; Name is its kind, Target what it reports on
	Note
	Unreadable // a record that could not be read; made by the loader, never by a parser
	Reset      // nothing before is live any more (Gemini $set)
	// Target and what follows, or the last N turns, are erased ($rewindTo, thread_rolled_back)
	Rewind
	Retract // Target is gone from its source (documents, databases)
	// the model now sees Blocks, then what begins with Target, or follows By, or the last N
	// messages; N < 0: all but the first -N
	Compact
	// Target is invalidated, superseded, archived or redacted (Flags says which); By says by what
	Life
	Leaf  // the live branch ends at Target (ChatGPT, Open WebUI, Pi)
	Child // call Target started Thread, or the transcript that Elsewhere names
	Meter // usage of no message
	// title, model, folder, window … of the conversation, as Extra fields (see [AboutNames]); N:
	// see [Fact]
	About
	End // how the run ended: Outcome, Name its reason, Score where it has one
)

// AboutNames are the names of the Extra fields that an About fact may carry;
// other names are kept and shown in the detail: task_id and trial, where a run is
// one of an evaluation's, pair it with the runs of another.
var AboutNames = [...]string{"title", "session", "cwd", "agent", "version", "branch", "model", "window", "parent", "source"}

// ConversationField is the field of a message that says what its conversation says as a
// whole, where messages are written as a list, which has no other place for it.
const ConversationField = "_conversation"

// Join is what a Say does when its Key was said before.
type Join uint8

// The ways of joining.
const (
	// add blocks; one with a known Block.Key replaces it (Claude lines, OpenCode parts)
	Union   Join = iota
	Replace      // the whole message again (Gemini, codex exec --json)
	Extend       // its texts continue (deltas, Aider); without Key: the last message of Role
	Apart        // nothing: the Key only names the message, and others may have the same
	// its blocks go to the message of the call that the first of them answers; without one it is a
	// message
	Answers
)

// Role is who speaks.
type Role uint8

// The roles. Other is a role that the field has no name for; the fact keeps its
// recorded name in Name.
const (
	NoRole Role = iota
	System
	Developer
	User
	Assistant
	Tool
	Other
)

var roleNames = [...]string{"unknown", "system", "developer", "user", "assistant", "tool", "other"}

// String is the role as filters and exports write it.
func (r Role) String() string {
	if int(r) < len(roleNames) {
		return roleNames[r]
	}
	return "unknown"
}

// ParseRole is the role that s, a recorded or typed name, stands for; NoRole and
// false where it is none that is known. Frameworks' own names (human, ai, model,
// function, observation …) are understood.
func ParseRole(s string) (Role, bool) {
	switch s {
	case "system":
		return System, true
	case "developer":
		return Developer, true
	case "user", "human":
		return User, true
	case "assistant", "ai", "model", "gpt", "bot":
		return Assistant, true
	case "tool", "function", "observation", "toolResult", "tool_result":
		return Tool, true
	}
	return NoRole, false
}

// Flags are what is true of a message besides its text.
type Flags uint32

// The flags that a format may set on a fact.
const (
	Injected    Flags = 1 << iota // text that a program put in the user's mouth
	Synthetic                     // not written by a model although its role says so
	Partial                       // still growing, or known to be incomplete
	Sidechain                     // a subagent said it
	Truncated                     // cut at the output limit
	Refused                       // the model refused
	Interrupted                   // the user or a program stopped it
	APIError                      // the request failed; the text is the error
	Invalidated                   // its source says that it no longer holds
	Superseded                    // its source says that another took its place
	Archived                      // its source set it aside
	Redacted                      // its text was removed at the source
	Compacted                     // its text was cleared to save context
	Recap                         // stands for what a compaction removed
	Queued                        // was typed while the agent worked
	Hidden                        // the source marks it as not shown to its user
	Parallel                      // its calls were made at once
	Inherited                     // copied from the conversation that this one goes on from

	// The flags below are the stitcher's.
	HasWords
	HasReasoning
	HasCalls
	HasResults  // answers calls of other messages
	HasMedia    // an image, sound or file
	HasFailure  // one of its calls or results failed
	HasOrphan   // answers a call that nobody made
	Prompt      // opens a turn
	Rewound     // erased by a rewind, a reset or a retraction; it has no position
	OffBranch   // lies on a branch that is not the live one
	Echoed      // another record said the same
	Reached     // a later message of the same conversation amended it
	HasOpenCall // a call of it has no result yet
	Continued   // a text of it goes on from one record to the next
)

// Outcome is how a call, a result or a run ended.
type Outcome uint8

// The outcomes.
const (
	Unknown    Outcome = iota // not said
	Success                   //
	Failure                   // failed in its format's own sense
	Denied                    // somebody refused permission
	Stopped                   // interrupted by the user or a program
	Cancelled                 // not run because another failed, or called off
	TimedOut                  //
	Half                      // partial success
	Running                   // begun, no end recorded
	Background                // moved to the background; its end comes as a note
)

var outcomeNames = [...]string{"unknown", "success", "failure", "denied", "interrupted", "cancelled", "timeout", "partial", "pending", "background"}

// String is the outcome as filters and exports write it.
func (o Outcome) String() string {
	if int(o) < len(outcomeNames) {
		return outcomeNames[o]
	}
	return "unknown"
}

// MarshalText writes the outcome by its name.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads the name; one that is not known is unknown.
func (o *Outcome) UnmarshalText(text []byte) error {
	*o = Outcome(max(slices.Index(outcomeNames[:], string(text)), 0))
	return nil
}

// Failed reports whether o counts as an error: a failure, a denial, an
// interruption, a cancellation or a timeout.
func (o Outcome) Failed() bool { return o >= Failure && o <= TimedOut }

// BlockKind is what a block of a message is.
type BlockKind uint8

// The kinds of blocks.
const (
	Words      BlockKind = iota // what is said
	Reasoning                   // thinking; Text is empty where it is encrypted or was not recorded
	ToolCall                    // ID, Name, Text its arguments
	ToolResult                  // ID of its call, Text its output
	// an image, sound or file: Name its media type, Text its data or its place
	Media
	OtherBlock // anything else, under its own Name
)

var kindNames = [...]string{"text", "reasoning", "call", "result", "media", "other"}

// String is the kind as filters and exports write it.
func (k BlockKind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "other"
}

// Moment is a point in time: Unix milliseconds, zero where unknown. Zoned says
// whether the record named its zone; a moment without one is read as UTC.
type Moment struct {
	Ms    int64
	Zoned bool
}

// Scope says what a [Usage] covers.
type Scope uint8

// The scopes of usage.
const (
	NoUsage Scope = iota
	Each          // one response: counted once per Key, the one with the largest Output wins
	Counter       // a counter: its rises count
	Total         // of the whole conversation: beats sums
)

// Usage is the tokens that a transcript recorded, normalised: Input is what was
// not read from or written to a cache, Output includes Reasoning. A negative
// number was not recorded.
type Usage struct {
	Scope Scope
	// of the response; zero: the message's own key
	Key                                             Key
	Input, CacheRead, CacheWrite, Output, Reasoning int64
	// US dollars; HasCost says whether it was recorded
	Cost    float64
	HasCost bool
	// most of what was written to the cache stays for an hour, which costs more
	HourCache bool
}

// Field is something that a format carries and the model has no place for, under
// its own name.
type Field struct {
	Name  string
	Value Text
}

// Fact is one thing that a record says.
//
// An About with a Key names the transcript that follows; its N is when it began
// (Unix ms) and Target the key of the one it came from. With the flag Inherited,
// what follows was copied from there, up to the first turn that began later: an
// About without a Key whose N is that moment and whose Record names the turn.
type Fact struct {
	Op   Op
	Join Join
	Role Role
	// of an End; of a Say: Failure for an API error, Stopped where it was interrupted
	Outcome     Outcome
	Stop        Stop // why the model stopped, of a Say
	Flags       Flags
	Session     Key // conversation within the source
	Thread      Key // inline subagent; zero is the main thread
	Interaction Key
	Key         Key // the message
	Record      Key // the event, where records may come twice
	Parent      Key // tree edge: the Key or Record of the parent
	Target, By  Key // what an Op is about
	// hash of role and text: a neighbouring record says it too; one message. A Replace is never an
	// echo itself
	Echo                   Key
	Seq, N                 int64
	Time                   Moment
	Model, Name, Elsewhere Text
	Blocks                 []Block
	Usage                  Usage
	Score                  float64
	HasScore               bool
	Extra                  []Field

	facts *Facts // that it is one of; it knows the names of fields
}

// Stop is why a model's response ended.
type Stop uint8

// The reasons.
const (
	StopUnknown Stop = iota
	StopEnd          // it had finished
	StopTool         // it waits for a tool
	StopLength       // it reached the output limit
	StopRefusal      // it refused
	StopError        // the request failed
	StopAborted      // the user or a program stopped it
)

// Block is a part of a message.
type Block struct {
	Kind    BlockKind
	Outcome Outcome
	Key     Key  // same key in the same message: same block
	ID      Text // call id (of a result: its call's)
	Name    Text // tool, media type, or what an other block is
	Text    Text // words, arguments, result; null and empty stay apart
	// attachment://, @blob:, spilled file, /tool-results/ID: fetched when somebody opens it
	Elsewhere Text
	// zero where it was not recorded, and the times of the messages may say it; negative where
	// they do not say it either
	Took time.Duration
	Size int64 // bytes that Text stands for where it is only a placeholder
	// of a picture whose data lie elsewhere, in pixels; 0 where not recorded
	Width  int32
	Height int32
	Leave  bool    // of a call, or a note on one: it does not begin before its user allows it
	Extra  []Field // what the model has no place for, under its own name
}

// Facts is what a parser says of one record. It is reused from record to record:
// its memory stays, its contents are valid until Clear.
type Facts struct {
	list   []Fact
	names  map[string]string // of fields, as recorded
	recent [64]string        // of those, by how they begin and end
	most   int               // blocks of a record; 0: as many as there are
	blocks int               // that were added
	// Rest is how many bytes at the end of the record belong to another record
	// (two objects glued on a line). The loader parses them on their own.
	Rest int
}

// maxFacts is how many facts of a record a place can name.
const maxFacts = 1<<16 - 1

// Clear forgets all facts and keeps the memory.
func (fs *Facts) Clear() {
	fs.list = fs.list[:0]
	fs.Rest, fs.blocks = 0, 0
}

// Limit bounds the blocks of a record. A parser that adds more panics with
// [ErrParts], since what would be left of the record is not what it says. 0: there
// is no bound.
func (fs *Facts) Limit(blocks int) { fs.most = blocks }

// Within bounds the blocks of a record that lies in another one by what is left there.
func (fs *Facts) Within(outer *Facts) {
	if fs.most = 0; outer.most > 0 {
		fs.most = max(outer.most-outer.blocks, 1)
	}
}

// ErrParts says that a record has more parts than its reader allows.
var ErrParts = errors.New("it has too many parts")

// Add gives a new fact of the given kind, to be filled in. It is valid until the
// next Add.
func (fs *Facts) Add(op Op) *Fact {
	n := len(fs.list)
	if n >= maxFacts {
		panic(ErrParts)
	}
	if n == cap(fs.list) {
		fs.list = append(fs.list, Fact{})
	} else {
		fs.list = fs.list[:n+1]
	}
	f := &fs.list[n]
	blocks, extra := f.Blocks[:0], f.Extra[:0]
	*f = Fact{} // in place: a fact is large
	f.Op, f.Blocks, f.Extra, f.facts = op, blocks, extra, fs
	return f
}

// Name is a recorded name as a string. Records have the same ones again and again:
// each is copied once, as long as they are not too many.
func (fs *Facts) Name(recorded []byte) string {
	n := len(recorded)
	if n == 0 || n > maxName {
		return string(recorded)
	}
	recent := &fs.recent[(int(recorded[0])*5+int(recorded[n-1])+n*11)%len(fs.recent)]
	if *recent == string(recorded) {
		return *recent
	}
	name, ok := fs.names[string(recorded)]
	if !ok {
		name = string(recorded)
		if len(fs.names) < maxNames {
			if fs.names == nil {
				fs.names = map[string]string{}
			}
			fs.names[name] = name
		}
	}
	*recent = name
	return name
}

// The names that [Facts] remembers: of the records of a format a few hundred, of
// maps whose names are ids no end.
const (
	maxNames = 1000
	maxName  = 64
)

// Drop takes the last fact back.
func (fs *Facts) Drop() { fs.list = fs.list[:len(fs.list)-1] }

// Move puts fact i in the place of fact to; those between make room.
func (fs *Facts) Move(i, to int) {
	f := fs.list[i]
	if i < to {
		copy(fs.list[i:], fs.list[i+1:to+1])
	} else {
		copy(fs.list[to+1:], fs.list[to:i])
	}
	fs.list[to] = f
}

// Cut takes back all facts from fact i on.
func (fs *Facts) Cut(i int) { fs.list = fs.list[:i] }

// Take moves all facts of others behind those that there are.
func (fs *Facts) Take(others *Facts) {
	for i := range others.list {
		from := &others.list[i]
		f := fs.Add(from.Op)
		blocks, extra := f.Blocks, f.Extra
		*f, f.facts = *from, fs
		from.Blocks, from.Extra = blocks, extra
	}
	fs.blocks += others.blocks
	others.Clear()
}

// Len says how many facts there are.
func (fs *Facts) Len() int { return len(fs.list) }

// At is fact i, for reading and writing until the next one is added.
func (fs *Facts) At(i int) *Fact { return &fs.list[i] }

// Last is the fact that was added last, nil if there is none.
func (fs *Facts) Last() *Fact {
	if len(fs.list) == 0 {
		return nil
	}
	return &fs.list[len(fs.list)-1]
}

// Add gives a new block of the fact, to be filled in. It is valid until the next
// Add.
func (f *Fact) Add(kind BlockKind) *Block {
	n := len(f.Blocks)
	if fs := f.facts; fs != nil {
		if fs.blocks++; fs.blocks > fs.most && fs.most > 0 {
			panic(ErrParts)
		}
	}
	if n == cap(f.Blocks) {
		f.Blocks = append(f.Blocks, Block{})
	} else {
		f.Blocks = f.Blocks[:n+1]
	}
	b := &f.Blocks[n]
	*b = Block{}
	b.Kind = kind
	return b
}

// AddText adds a block that has nothing but text.
func (f *Fact) AddText(kind BlockKind, text Text) { f.Add(kind).Text = text }

// Keep adds a field that the model has no place for.
func (f *Fact) Keep(name string, value Text) { f.Extra = append(f.Extra, Field{name, value}) }

// KeepNamed is Keep under a name as it is recorded.
func (f *Fact) KeepNamed(name []byte, value Text) {
	if f.facts == nil {
		f.Keep(string(name), value)
		return
	}
	f.Keep(f.facts.Name(name), value)
}
