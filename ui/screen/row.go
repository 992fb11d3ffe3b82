package screen

import (
	"turns/model"
	"turns/query/describe"
)

// RowKey names an item for as long as its conversation lives.
type RowKey struct {
	ID   model.ID
	Kind RowKind
	N    uint16 // number of the line in its message
}

// RowKind is what sort of row an item is.
type RowKind uint8

const (
	// a line of a message: words, reasoning, a call, a result without one, media
	RowLine    RowKind = iota
	RowNote            // a note, or a run of notes from the item's message on
	RowRule            // a note that is drawn across: compaction, rewind, end
	RowModel           // a rule made by us: another model from here on
	RowGap             // a rule made by us: a long pause, another day
	RowRead            // a rule made by us: read up to here
	RowSkipped         // with neighbours of matches: how many rows are left out
	RowStep            // outline level 2: a response of the model
	RowSession         // a rule made by us: another conversation of the file begins
	// a rule made by us: the file was truncated or replaced, and read again
	RowRestart
	RowBranch // a rule made by us: another branch of the conversation begins
)

// BodyMode is what an open body shows.
type BodyMode uint8

// The ways to show a body, in the order that key s goes through.
const (
	BodyRendered BodyMode = iota // as what it is: Markdown, a diff, a table
	BodySource                   // the text as it was recorded
	BodyRaw                      // the record of the transcript
)

// Row is a row of the timeline as other parts see it.
type Row struct {
	Key  RowKey
	Call model.CallID   // NoCall: it is about none
	Line *describe.Line // nil: it stands for no line of a message
	Mode BodyMode       // that its body is shown in
}
