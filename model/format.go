package model

import "io"

// Stream is bytes that only grow: what was read once reads the same for ever. A
// JSONL file is one as it lies there. All else (a pipe, a URL, gzip, zip, SQLite,
// an op-log, a document that is rewritten) is unrolled by package source into a
// private spool of lines. Truncation or replacement makes a new Stream.
type Stream interface {
	io.ReaderAt
	Size() int64 // bytes that can be read now
}

// Ref is the place of one fact.
type Ref struct {
	Off    int64
	Len    uint32
	Source uint16 // stream of the conversation
	Sub    uint16 // number of the fact within its record
}

// Record is what a [Splitter] cut from a stream.
type Record struct {
	Ref Ref
	// of a document: path of the list that it is a member of; "" is the document without its lists
	List    string
	Variant uint8  // what Detect found out (era, vendor); constant for a stream
	Data    []byte // valid during the call only
}

// Splitter cuts a stream in order; it is the only part of a format with state.
// n is how much of buf it took: 0 asks for more bytes. Ref.Off of the record
// counts from the start of buf. A record of no bytes (len(Data) == 0) with n > 0
// is skipped.
type Splitter interface {
	Split(buf []byte, eof bool) (rec Record, n int)
}

// Shape is the container that a sample was taken from.
type Shape uint8

// The shapes.
const (
	Lines    Shape = iota // JSON lines, or anything cut into lines
	Document              // one JSON value
	Prose                 // text that is not JSON
	Database              // SQLite
	Archive               // zip
	Folder                // directory
	Binary                // none of these
)

// Sample is what a format sees to recognise a transcript: complete records from
// the start of the stream, never the first line alone.
type Sample struct {
	Path    string // as given, for hints; "" for a pipe
	Shape   Shape
	Records [][]byte            // Lines: complete JSON objects (the first 60 or so); Folder: none
	Doc     []byte              // Document: its first bytes; Whole says whether that is all of it
	Whole   bool                // Doc holds the whole document
	Text    []byte              // Prose: the first bytes
	Tables  map[string][]string // Database: column names by table
	Names   []string            // Archive and Folder: member names, relative, with slashes
	Bad     int                 // lines among the sample that are no JSON objects
	marks   *marks              // nil where each mark is looked for anew
}

// Match is what a format thinks of a sample.
type Match struct {
	// 0 is no; 1 to 100, more is surer; the highest wins, ties go to the earlier format
	Score   int
	Variant uint8  // given to every Record
	Reason  string // in words, for `turns formats --explain`
}

// Order is how the messages of a format are put in order.
type Order uint8

// The orders.
const (
	Arrival Order = iota // as they were written
	BySeq                // by Fact.Seq, stable
	ByTime               // by Fact.Time, stable
	Tree                 // by arrival; Parent and Leaf say which branch is live
)

// Format is one way of writing transcripts. Parse is pure and decodes no text: it
// is the one parser, for the index and for bodies.
type Format struct {
	Name, Title string
	Where       []string // the agent's usual places, with ~ and globs
	Detect      func(*Sample) Match
	// Highest is the highest score of those that have a lower one than others and look
	// at all of a sample for it: what is recognised by as much needs none of their work,
	// and to open a transcript mostly is to recognise it. 0: there is none above.
	Highest int
	// Resume is how the agent goes on with a session: ID stands for what is recorded as
	// its id, FILE for its path. "": it knows no way, or only one through a menu.
	Resume string
	// Lists are the paths of the lists of a document that are cut into records
	// of their own, such as "messages", or "[]" for a document that is itself a
	// list. nil for JSON lines. Paths are keys joined by dots; "*" stands for any
	// key or index on the way ("sessions.*.messages").
	Lists  func(Match) []string
	Unroll *Unroll              // nil: the bytes as they are, or a document by Lists
	Split  func(Match) Splitter // nil, or giving nil: JSON lines
	Parse  func(Record, *Facts) error
	Order  Order
	// Children are where the transcripts of subagents lie, as paths relative to
	// the folder of the transcript; {stem} stands for its name without extension
	// and {id} for what a Child fact names. "*" matches within a name.
	Children []string
	// Starter is the recorded id of the session that started one as its subagent, "" for none;
	// nil: no transcript is a subagent's.
	Starter func(path string, s *Session) string
	// Base reads from the first record of a transcript what it goes on from, where
	// the beginning of the conversation lies in another file. nil: it never does.
	Base func(record []byte) (Base, bool)
	// Bases are where such files lie, as Children has it: {id} is that of the Base.
	Bases []string
	// Deltas says that a text may go on from one record to the next: its facts may
	// have Extend.
	Deltas bool
	// Says are words that a reader sees though no record holds them, such as the name of
	// a tool that the format itself leaves out.
	Says []Said
	// Repeats says that records come again far apart: facts whose Record key was
	// seen before are dropped, over the whole stream.
	Repeats bool
}

// Said is a word of a format's reader, and what stands in the records where it is said.
type Said struct {
	Word  string
	Where []string
}

// Base is the transcript that another one goes on from.
type Base struct {
	ID string
	// Copied says that the transcript holds a copy of it, which has to be told from
	// what is its own: the base is not read in front.
	Copied bool
	// Is reports whether a transcript that begins with record is the base; it is
	// asked where no name has the ID. nil: names decide.
	Is  func(record []byte) bool
	End int64 // bytes of it that belong to the conversation; 0: as Past says
	// Past reports whether a record no longer belongs to the conversation; nil: all
	// do.
	Past func(record []byte) bool
}

// Unroll says how a container that is not a stream becomes one.
type Unroll struct {
	// Queries of a database, run in order; each row becomes one JSON object whose
	// List is the query's Name.
	Queries []Query
	// Brief are queries that tell of the same conversations, in the same order, what
	// is known of them and which messages they have, without what those hold: the
	// list of a database that is too large to be read asks them. Parse reads their
	// rows as those of Queries. nil: none.
	Brief []Query
	// Members picks the files of a folder or archive and their order; each JSON
	// document or line among them becomes a record whose List is the member's
	// name. nil: none.
	Members func(names []string) []string
	// Stub is a record that stands for the member at a place of Members where one
	// conversation alone is wanted, by its number, and the member holds nothing of it;
	// nil: it is read. So one sample of a large archive costs no more than itself.
	Stub func(name string, place, conversation int) []byte
	// BriefMembers are those that tell what Brief tells of a database. nil: none.
	BriefMembers func(names []string) []string
	// Replay turns a stream of JSON lines that edit a document (an op-log) into
	// the document. nil: none.
	Replay func(lines io.Reader, doc io.Writer) error
	// Edits reports whether what was recognised are such lines. nil: it always is.
	Edits func(Match) bool
}

// AsIs reports whether records of a format are parsed as they stand: no splitter cuts them
// from text, and no lines edit a document.
func (f *Format) AsIs(m Match) bool {
	edits := f.Unroll != nil && f.Unroll.Replay != nil && (f.Unroll.Edits == nil || f.Unroll.Edits(m))
	return !edits && (f.Split == nil || f.Split(m) == nil)
}

// Query is one query of a database: SQL whose rows become records.
type Query struct {
	Name string // the List of its records
	SQL  string
	// Needs are tables, or table.column, without which the query is left out.
	Needs []string
	// Packed are the columns whose blobs may be MessagePack; they become the JSON
	// that they stand for.
	Packed []string
}
