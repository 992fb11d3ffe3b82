package model

import "io"

// Stream is bytes that only grow: bytes at a known offset never change. A JSONL file is used
// directly. Package source unrolls all other sources (a pipe, a URL, gzip, zip, SQLite, an
// op-log, a rewritten document) into a private spool of lines. Truncation or replacement makes
// a new Stream.
type Stream interface {
	io.ReaderAt
	Size() int64 // readable bytes
}

// Ref is the place of one fact.
type Ref struct {
	Off    int64
	Len    uint32
	Source uint16 // stream of the conversation
	Sub    uint16 // number of the fact within its record
}

// Record is a piece of a stream, cut by a [Splitter].
type Record struct {
	Ref Ref
	// of a document: path of the list that contains it; "" is the document without its lists
	List    string
	Variant uint8  // result of Detect (era, vendor); constant for a stream
	Data    []byte // valid during the call only
}

// Splitter cuts a stream in order; it is the only part of a format with state. n is the number of
// bytes of buf that it consumed; 0 asks for more. Ref.Off of the record counts from the start of
// buf. An empty record (len(Data) == 0) with n > 0 is skipped.
type Splitter interface {
	Split(buf []byte, eof bool) (rec Record, n int)
}

// Shape is the container of a sample.
type Shape uint8

// The shapes.
const (
	Lines    Shape = iota // JSON lines, or anything cut into lines
	Document              // one JSON value
	Prose                 // text other than JSON
	Database              // SQLite
	Archive               // zip
	Folder                // directory
	Binary                // none of these
)

// Sample is the part of a transcript by which a format recognises it: complete records from the
// start of the stream, always more than the first line.
type Sample struct {
	Path    string // as typed, for hints; "" for a pipe
	Shape   Shape
	Records [][]byte            // Lines: complete JSON objects (the first 60 or so); Folder: none
	Doc     []byte              // Document: its first bytes, or all of it (see Whole)
	Whole   bool                // Doc is the complete document
	Text    []byte              // Prose: the first bytes
	Tables  map[string][]string // Database: column names by table
	Rows    map[string][][]byte // Database: first rows of tables that may have messages, as JSON
	Names   []string            // Archive and Folder: member names, relative, with slashes
	Bad     int                 // lines of the sample that are not JSON objects
	marks   *marks              // nil: search for each mark again
}

// Match is the verdict of a format on a sample.
type Match struct {
	// 0 no match; 1 to 100, higher is surer; the highest wins, on a tie the earlier format
	Score   int
	Variant uint8  // copied to every Record
	Reason  string // in words, for `turns formats --explain`
}

// Order is how the messages of a format are sorted.
type Order uint8

// The orders.
const (
	Arrival Order = iota // in the order of writing
	BySeq                // by Fact.Seq, stable
	ByTime               // by Fact.Time, stable
	Tree                 // by arrival; Parent and Leaf decide which branch is live
)

// Format is one way of writing transcripts. Parse is pure and decodes no text: it is the only
// parser, for the index and for bodies.
type Format struct {
	Name, Title string
	Where       []string // the agent's usual places, with ~ and globs
	Detect      func(*Sample) Match
	// Highest is the highest score that Detect can return, for formats with a costly Detect:
	// they are not asked if another format already scored as much. 0 means no bound. Detection
	// is most of the cost of opening a transcript.
	Highest int
	// Resume is the command that continues a session in its agent: ID is replaced by the
	// recorded id, FILE by the path. "": the agent has no such command, or only a menu.
	Resume string
	// Lists are the paths of the lists of a document whose elements become records, such as
	// "messages", or "[]" for a list at the top of the document; nil for JSON lines. Paths are
	// keys joined by dots; "*" matches any key or index on the way ("sessions.*.messages").
	Lists  func(Match) []string
	Unroll *Unroll              // nil: the bytes unchanged, or a document by Lists
	Split  func(Match) Splitter // nil, or returning nil: JSON lines
	Parse  func(Record, *Facts) error
	Order  Order
	// Children are the paths of subagent transcripts, relative to the folder of the transcript;
	// {stem} is its name without extension and {id} the id in a Child fact. "*" matches within a
	// name.
	Children []string
	// Agent returns the agent that wrote a session if it is not the one of the title, otherwise "";
	// nil: one agent writes the format.
	Agent func(*Session) string
	// Starter returns the recorded id of the parent session of a subagent, "" if there is none;
	// nil: no transcript is a subagent's.
	Starter func(path string, s *Session) string
	// Base reads from the first record of a transcript which other file has the beginning of the
	// conversation. nil: the format never splits a conversation.
	Base func(record []byte) (Base, bool)
	// Bases are the paths of such files, in the form of Children: {id} is the Base's ID.
	Bases []string
	// Moved reads from a record where its session continues in a copy of this transcript, which
	// does not point back. nil: the format never copies a session this way.
	Moved func(record []byte) Moved
	// Deltas reports that a text may continue in the next record: its facts may have Extend.
	Deltas bool
	// Encoded reports that a text may be recorded as base64, which a search of bytes does not find.
	Encoded bool
	// Rewrites reports, from the first record of a transcript, whether messages may have texts
	// that no record contains literally, such as a patch built from changes. nil: never.
	Rewrites func(record []byte) bool
	// Says are words that appear on the screen but in no record, such as the name of a tool that
	// the format leaves out.
	Words []AddedWord
	// Standard reports that a published standard fixes the names of fields: a sample with other
	// names is never read as one whose fields were renamed.
	Standard bool
	// Repeats reports that a record may appear again much later: facts whose Record key appeared
	// before are dropped, over the full stream.
	Repeats bool
}

// AddedWord is a word that a format's reader adds, and the recorded marks that cause it.
type AddedWord struct {
	Word  string
	Where []string
}

// Base is the transcript that another one continues.
type Base struct {
	ID string
	// Copied reports that the transcript has a copy of the base among its own messages, so that the
	// base is not read first.
	Copied bool
	// Is reports whether a transcript that begins with record is the base. It is called if no file
	// name has the ID. nil: names decide.
	Is  func(record []byte) bool
	End int64 // number of its bytes in the conversation; 0: decided by Past
	// Past reports whether a record no longer belongs to the conversation; nil: all do.
	Past func(record []byte) bool
}

// Unroll is how a container becomes a stream.
type Unroll struct {
	// Queries of a database, run in order; each row becomes one JSON object whose
	// List is the query's Name.
	Queries []Query
	// Brief are queries to list the sessions of a database too large to read in full: they
	// return the same conversations in the same order, with the known facts and the messages
	// but without the contents. Parse reads their rows as those of Queries. nil: none.
	Brief []Query
	// Members selects the files of a folder or archive and their order. Each JSON document or line
	// in them becomes a record with the member's name as List. nil: none.
	Members func(names []string) []string
	// Together reports that one member is not a full transcript: opening a member opens its
	// folder.
	Together bool
	// Copies are files next to the members that repeat them. turns does not read them, and each of
	// them opens the folder too.
	Copies []string
	// Stub returns a short record in place of the member of Members, if the member has no part of
	// the one wanted conversation; nil: read the member. So one sample of a large archive costs
	// only itself.
	Stub func(name string, place, conversation int) []byte
	// BriefMembers are the members that correspond to Brief of a database. nil: none.
	BriefMembers func(names []string) []string
	// Replay turns a stream of JSON lines that edit a document (an op-log) into
	// the document. nil: none.
	Replay func(lines io.Reader, doc io.Writer) error
	// Edits reports whether the recognised lines are edits. nil: always.
	Edits func(Match) bool
}

// AsIs reports whether records of a format are parsed unchanged: no splitter cuts them from text,
// and no lines edit a document.
func (f *Format) AsIs(m Match) bool {
	edits := f.Unroll != nil && f.Unroll.Replay != nil && (f.Unroll.Edits == nil || f.Unroll.Edits(m))
	return !edits && (f.Split == nil || f.Split(m) == nil)
}

// Query is one query of a database: SQL whose rows become records.
type Query struct {
	Name string // the List of its records
	SQL  string
	// Needs are tables, or table.column; the query is skipped if one is missing.
	Needs []string
	// Lacks are tables; turns skips the query if one of them exists, because another query
	// reads more.
	Lacks []string
	// Packed are the columns whose blobs may be MessagePack; turns reads them as JSON.
	Packed []string
	// Wire are the columns whose blobs are protocol buffers, with the wanted fields, such as
	// "5:metadata{1:created@} 7:calls[]{1:id}": turns reads them as JSON.
	Wire map[string]string
}

// Moved is a record's data about a session that continues in another transcript.
type Moved struct {
	To string // the continued session; "" if the record has none
	ID string // id of the record's message; "" for bookkeeping
}
