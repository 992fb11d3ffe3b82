package model

import (
	"errors"
	"slices"
	"strings"
	"time"
)

// Op is the effect of a [Fact] on the conversation. The stitcher carries out every Op that looks
// back; formats never do.
type Op uint8

// The operations.
const (
	Say Op = iota // a message or a part of one
	// bookkeeping: a folded row, not a message; Name is its kind, Target the message it reports on
	Note
	Unreadable // an unreadable record; made by the loader, never by a parser
	Reset      // no earlier message is live any more (Gemini $set)
	// erases Target and everything after it, or the last N turns ($rewindTo, thread_rolled_back)
	Rewind
	Retract // Target is gone from its source (documents, databases)
	// the model now sees Blocks, then what begins with Target, or follows By, or the last N
	// messages; N < 0: all but the first -N
	Compact
	// marks Target as invalidated, superseded, archived or redacted (see Flags); By names the
	// cause
	Life
	Leaf  // the live branch ends at Target (ChatGPT, Open WebUI, Pi)
	Child // call Target started Thread, or the transcript that Elsewhere names
	Meter // usage of no message
	// title, model, folder, window … of the conversation, as Extra fields (see [AboutNames]); N:
	// see [Fact]
	About
	End // end of the session: Outcome, the reason in Name, and Score if it has one
)

// AboutNames are the names of the Extra fields that an About fact may have. The detail view
// shows fields of other names. task_id and trial pair a session of an evaluation with other
// sessions of the same task.
var AboutNames = [...]string{"title", "session", "cwd", "agent", "version", "branch", "model", "window", "parent", "source"}

// ConversationField is the message field for properties of the entire conversation. Formats that
// are a plain list of messages have no other place for them.
const ConversationField = "_conversation"

// ReadBackField is the message field for facts that OpenAI's messages cannot express, so that a
// JSON export reads back as the original session: the message that several elements belong to,
// its role, session and outcome.
const ReadBackField = "_turns"

// Join is the effect of a Say whose Key an earlier Say had.
type Join uint8

// The ways of joining.
const (
	// add blocks; one with a known Block.Key replaces it (Claude lines, OpenCode parts)
	Union   Join = iota
	Replace      // the complete message again (Gemini, codex exec --json)
	Extend       // its texts continue (deltas, Aider); without Key: the last message of Role
	Apart        // none: the Key only names the message, and others may have the same
	// its results go to the message of the call that the first block names; without one it is a
	// message, with the call if its first block is one. With a Name, and if the call has a result,
	// it is a note of the kind Name
	Answers
	// its first block is a call inside of a script, and joins the script's message: the script
	// that was running at N (Unix ms; 0: Time), or of several the one that Calls the Echo. A
	// known id does not make another call. Without a script the fact is a note on the call, of
	// the kind Name
	Nested
	// it replaces messages that may be recorded. Its call counts unless a message made it, its
	// result (a second fact with the same Key) unless a message has it, and an answer without
	// blocks unless a log has its text. Otherwise the fact is a note, of the kind Name
	StandIn
	// its blocks are calls in the text of a script, whose id is their Within. They join the
	// script's message once the script has ended, and leave it again if a Nested fact reports
	// the script's calls. Their outcome is Success if the script shows that by its own
	InText
)

// Role is the speaker of a message.
type Role uint8

// The roles. Other is any role not listed here; the fact has its recorded name in Name.
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

// String returns the role's name in filters and exports.
func (r Role) String() string { return NameOf(roleNames[:], r, "unknown") }

// NameOf returns the name of a constant from the list of names in its order, or the other name for
// a constant without one.
func NameOf[K ~uint8](names []string, constant K, other string) string {
	if int(constant) < len(names) {
		return names[constant]
	}
	return other
}

// ParseRole returns the role with the recorded or typed name s, or NoRole and false if s is
// unknown. It accepts the names of frameworks (human, ai, model, function, observation …).
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

// RoleNamed returns the role of a speaker name s, as any format uses it and in any case, or
// NoRole and false. It knows the names of ParseRole and those of single formats.
func RoleNamed(s string) (Role, bool) {
	low := strings.ToLower(s)
	switch low {
	case "nikita", "agent", "chatgpt", "claude", "skill", "model-text-response", "model-structured-response":
		return Assistant, true
	case "toolresult", "tool-return":
		return Tool, true
	}
	return ParseRole(low)
}

// Flags are the properties of a message apart from its text.
type Flags uint32

// The flags that a format may set on a fact.
const (
	Injected    Flags = 1 << iota // text that a program put in the user's mouth
	Synthetic                     // not written by a model, although its role is assistant
	Partial                       // still growing, or known to be incomplete
	Sidechain                     // from a subagent
	Truncated                     // cut at the output limit
	Refused                       // the model refused
	Interrupted                   // the user or a program stopped it
	APIError                      // the request failed; the text is the error
	Invalidated                   // marked as invalid by its source
	Superseded                    // replaced by another, according to its source
	Archived                      // its source archived it
	Redacted                      // its text was removed at the source
	Compacted                     // its text was cleared to save context
	Recap                         // replaces the messages that a compaction removed
	Queued                        // typed while the agent worked
	Hidden                        // the source marks it as not shown to its user
	Parallel                      // its calls were made in parallel
	Inherited                     // copied from the conversation that this one continues

	// The flags below are the stitcher's.
	HasWords
	HasReasoning
	HasCalls
	HasResults  // answers calls of other messages
	HasMedia    // an image, sound or file
	HasFailure  // one of its calls or results failed
	HasOrphan   // answers a missing call
	Prompt      // opens a turn
	Rewound     // erased by a rewind, a reset or a retraction; it has no position
	OffBranch   // on a branch other than the live one
	Echoed      // repeated by another record
	SpanTold    // only the span of its tool, or a list of calls, has its call
	HasOpenCall // one of its calls has no result yet
	Continued   // one of its texts spans several records
)

// Outcome is how a call, a result or a session ended.
type Outcome uint8

// The outcomes.
const (
	Unknown    Outcome = iota // not recorded
	Success                   //
	Failure                   // failed in its format's own sense
	Denied                    // the user refused permission
	Stopped                   // interrupted by the user or a program
	Cancelled                 // not run because another failed, or called off
	TimedOut                  //
	Half                      // partial success
	Running                   // begun, no end recorded
	Background                // moved to the background; a note reports its end
)

var outcomeNames = [...]string{"unknown", "success", "failure", "denied", "interrupted", "cancelled", "timeout", "partial", "pending", "background"}

// String returns the outcome's name in filters and exports.
func (o Outcome) String() string { return NameOf(outcomeNames[:], o, "unknown") }

// MarshalText writes the outcome's name.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads the name of an outcome; an unknown name becomes Unknown.
func (o *Outcome) UnmarshalText(text []byte) error {
	*o = Outcome(max(slices.Index(outcomeNames[:], string(text)), 0))
	return nil
}

// Failed reports whether o counts as an error: a failure, a denial, an
// interruption, a cancellation or a timeout.
func (o Outcome) Failed() bool { return o >= Failure && o <= TimedOut }

// BlockKind is the kind of a block of a message.
type BlockKind uint8

// The kinds of blocks.
const (
	Words      BlockKind = iota // text
	Reasoning                   // thinking; Text is empty if it is encrypted or was not recorded
	ToolCall                    // ID, Name, Text its arguments
	ToolResult                  // ID of its call, Text its output
	// an image, sound or file: Name is its media type, Text its data or its place
	Media
	OtherBlock // any other kind, named by Name
)

var kindNames = [...]string{"text", "reasoning", "call", "result", "media", "other"}

// String returns the kind's name in filters and exports.
func (k BlockKind) String() string { return NameOf(kindNames[:], k, "other") }

// Moment is a point in time: Unix milliseconds, zero if unknown. Zoned reports whether the
// record named its zone; without a zone, the time is UTC.
type Moment struct {
	Ms    int64
	Zoned bool
}

// Scope is the part of a session that a [Usage] counts.
type Scope uint8

// The scopes of usage.
const (
	NoUsage Scope = iota
	Each          // one response: counted once per Key, the one with the largest Output wins
	Counter       // a counter: its rises count
	Total         // of the whole conversation: beats sums
)

// Usage is the recorded number of tokens, normalised: Input excludes tokens read from or written
// to a cache, and Output includes Reasoning. A negative number means that it was not recorded.
type Usage struct {
	Scope   Scope
	HasCost bool // Cost was recorded
	// most cache writes are stored for an hour, which costs more
	HourCache bool
	// a Total that includes subagents with separate transcripts
	Subagents bool
	// of the response; zero: the message's own key
	Key                                             Key
	Input, CacheRead, CacheWrite, Output, Reasoning int64
	Cost                                            float64 // US dollars
	// Missed is the provider's reason why the prompt was not in its cache; "" if the record has no
	// reason.
	Missed string
}

// Field is recorded data without a place in the model, under its recorded name.
type Field struct {
	Name  string
	Value Text
}

// Fact is one statement of a record.
//
// An About with a Key names the following transcript; its N is when that began (Unix ms) and
// Target the key of its origin. With the flag Inherited, the following messages were copied
// from there, up to the first turn that began later: an About without a Key whose N is that
// moment and whose Record names the turn. With a Seq, all records up to it were copied, and are
// not messages.
type Fact struct {
	Op   Op
	Join Join
	Role Role
	// of a part of a response without a recorded beginning: it joins the model's latest
	// message, until that message has text and is followed by a result or more text. A
	// Note with it is a request to the model, whose response is another message.
	Aside bool
	// of an End; of a Say: Failure for an API error, Stopped if it was interrupted
	Outcome     Outcome
	Stop        Stop // of a Say: why the model stopped
	HasScore    bool // Score was recorded
	Flags       Flags
	Session     Key // conversation within the source
	Thread      Key // inline subagent; zero is the main thread
	Interaction Key
	Key         Key // the message
	Record      Key // the event, if records may be repeated
	Parent      Key // tree edge: the Key or Record of the parent
	Span, Above Key // of a trace; a Child without Target is an agent that ran there
	Target, By  Key // the subjects of Op
	// hash of role and text: if a neighbouring record has the same, both are one message. A Replace
	// is never an echo itself
	Echo                   Key
	Seq, N                 int64
	Time                   Moment
	Model, Name, Elsewhere Text
	Blocks                 []Block
	Calls                  []Key // calls in the text of a script, each as the Echo of a Nested fact
	Usage                  Usage
	Score                  float64
	Extra                  []Field
	Files                  []FileText // of a Say: file contents outside of results

	facts *Facts // owner of the fact, which has the names of fields
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

// Nesting is how a call relates to calls that run inside of it.
type Nesting uint8

// The kinds of calls with calls inside.
const (
	NoNesting Nesting = iota
	Script            // a program of the model: facts that join as Nested are its calls
	Poll              // waits for a script that runs
	OfText            // it appears only in the text of its script
)

// Block is a part of a message.
type Block struct {
	Kind    BlockKind
	Outcome Outcome
	Nesting Nesting // of a call; of its result: Script if a script failed by itself
	Within  Key     // of a call: the hash of the id of the call that made it; zero: the model did
	Key     Key     // same key in the same message: same block
	ID      Text    // call id (of a result: its call's)
	Name    Text    // tool, media type, or the kind of an other block
	Text    Text    // words, arguments, result; null and empty stay distinct
	// attachment://, @blob:, spilled file, /tool-results/ID: fetched on demand
	Elsewhere Text
	// zero if it was not recorded, but may follow from the times of the messages; negative if it
	// does not
	Took time.Duration
	Size int64 // size of the data, if Text is only a placeholder for it
	// size of a picture stored elsewhere, in pixels; 0 if not recorded
	Width  int32
	Height int32
	Leave  bool    // of a call, or a note on one: it waits for the user's permission
	Bound  bool    // Took is the time between two records: an upper bound
	Again  bool    // of a result: it continues the result that its call has
	Extra  []Field // fields that the model does not know, under their recorded names
}

// Facts are the facts of one record. A parser reuses it for each record: its memory remains, its
// contents are valid until Clear.
type Facts struct {
	list   []Fact
	names  map[string]string // of fields, as recorded
	recent [64]string        // the latest names, by their first and last bytes
	most   int               // limit of the blocks of a record; 0: none
	blocks int               // number of added blocks
	// Rest is the number of bytes at the end of the record that belong to another record (two
	// objects on one line). The loader parses them separately.
	Rest int
}

// maxFacts is the number of facts of a record that a Ref can distinguish.
const maxFacts = 1<<16 - 1

// Clear drops all facts and reuses the memory.
func (fs *Facts) Clear() {
	fs.list = fs.list[:0]
	fs.Rest, fs.blocks = 0, 0
}

// Limit limits the blocks of a record; 0 means no limit. A parser that adds more panics with
// [ErrParts], since a part of a record would misrepresent it.
func (fs *Facts) Limit(blocks int) { fs.most = blocks }

// Within limits the blocks of a nested record to the number that outer has left.
func (fs *Facts) Within(outer *Facts) {
	if fs.most = 0; outer.most > 0 {
		fs.most = max(outer.most-outer.blocks, 1)
	}
}

// ErrParts reports a record with more parts than its reader allows.
var ErrParts = errors.New("it has too many parts")

// Add returns a new fact of the kind op for the caller to fill in. It is valid until the next Add.
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
	blocks, extra, files := f.Blocks[:0], f.Extra[:0], f.Files[:0]
	*f = Fact{} // in place, because a fact is large
	f.Op, f.Blocks, f.Extra, f.Files, f.facts = op, blocks, extra, files, fs
	return f
}

// Name returns a recorded name as a string. It copies each frequent name only once, unless there
// are too many.
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

// For speed only: the limits of the names that [Facts] remembers. Records of a format have a few
// hundred, but maps with ids as names have no limit.
const (
	maxNames = 1000
	maxName  = 64
)

// Drop removes the last fact.
func (fs *Facts) Drop() { fs.list = fs.list[:len(fs.list)-1] }

// Move moves fact i to index to and shifts those in between.
func (fs *Facts) Move(i, to int) {
	f := fs.list[i]
	if i < to {
		copy(fs.list[i:], fs.list[i+1:to+1])
	} else {
		copy(fs.list[to+1:], fs.list[to:i])
	}
	fs.list[to] = f
}

// Cut removes fact i and all later ones.
func (fs *Facts) Cut(i int) { fs.list = fs.list[:i] }

// Take appends all facts of others and clears others.
func (fs *Facts) Take(others *Facts) {
	for i := range others.list {
		from := &others.list[i]
		f := fs.Add(from.Op)
		blocks, extra, files := f.Blocks, f.Extra, f.Files
		*f, f.facts = *from, fs
		from.Blocks, from.Extra, from.Files = blocks, extra, files
	}
	fs.blocks += others.blocks
	others.Clear()
}

// Len returns the number of facts.
func (fs *Facts) Len() int { return len(fs.list) }

// At returns fact i, for reading and writing until the next one is added.
func (fs *Facts) At(i int) *Fact { return &fs.list[i] }

// Last returns the newest fact, or nil if there is none.
func (fs *Facts) Last() *Fact {
	if len(fs.list) == 0 {
		return nil
	}
	return &fs.list[len(fs.list)-1]
}

// Add returns a new block of the fact for the caller to fill in. It is valid until the next Add.
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

// AddText adds a block of text.
func (f *Fact) AddText(kind BlockKind, text Text) { f.Add(kind).Text = text }

// Joined returns the blocks of the fact in a message with these flags. A call that its result
// repeats is a block only in a message with SpanTold; elsewhere its arguments are a field of the
// result.
func (f *Fact) Joined(flags Flags) []Block {
	if f.Join != Answers || flags&SpanTold != 0 || len(f.Blocks) < 2 || f.Blocks[0].Kind != ToolCall {
		return f.Blocks
	}
	args, blocks := f.Blocks[0].Text, slices.Clone(f.Blocks[1:])
	if text := args.String(); text != "" && text != "{}" {
		blocks[0].Extra = append(slices.Clip(blocks[0].Extra), Field{"args", args})
	}
	return blocks
}

// Keep adds a field without a place in the model.
func (f *Fact) Keep(name string, value Text) { f.Extra = append(f.Extra, Field{name, value}) }

// KeepNamed is Keep with the recorded bytes of the name.
func (f *Fact) KeepNamed(name []byte, value Text) {
	if f.facts == nil {
		f.Keep(string(name), value)
		return
	}
	f.Keep(f.facts.Name(name), value)
}
