package ui

import (
	"turns/model"
	"turns/query"
)

// itemKey names an item for as long as its conversation lives.
type itemKey struct {
	id   model.ID
	kind rowKind
	n    uint16 // number of the line in its message
}

// rowKind is what sort of row an item is.
type rowKind uint8

const (
	rowLine    rowKind = iota // a line of a message: words, reasoning, a call, a result without one, media
	rowNote                   // a note, or a run of notes from the item's message on
	rowRule                   // a note that is drawn across: compaction, rewind, end
	rowModel                  // a rule made by us: another model from here on
	rowGap                    // a rule made by us: a long pause, another day
	rowRead                   // a rule made by us: read up to here
	rowSkipped                // with neighbours of matches: how many rows are left out
	rowStep                   // outline level 2: a response of the model
	rowSession                // a rule made by us: another conversation of the file begins
	rowRestart                // a rule made by us: the file was truncated or replaced, and read again
	rowBranch                 // a rule made by us: another branch of the conversation begins
)

// bodyMode is what an open body shows.
type bodyMode uint8

const (
	bodyRendered bodyMode = iota
	bodySource
	bodyRaw
)

// row is a row of the timeline as other parts see it.
type row struct {
	key  itemKey
	call model.CallID // noCall: it is about none
	line *query.Line  // nil: it stands for no line of a message
	mode bodyMode     // that its body is shown in
}
