package format

import (
	"bytes"

	"turns/model"
	"turns/model/jsonspan"
)

// What formats that live in databases have in common.

// rowsRemoved is the list of records that say which row is not there any more.
const rowsRemoved = "-"

// rowsJSON is the JSON that a column holds. A text column arrives as a JSON
// string: what is in it must be decoded before spans of it are texts, so it gets
// memory of its own.
func rowsJSON(v []byte) []byte {
	s := inside(v)
	switch {
	case s == nil:
		return v
	case bytes.IndexByte(s, '\\') < 0:
		return s
	}
	return model.EscapedText(s).Append(make([]byte, 0, len(s)))
}

// rowsRetract takes back the message whose row is gone. It is for tables with a
// row for each message, whose first column is its id.
func rowsRetract(c *jsonspan.Cursor, fs *model.Facts, list string) {
	var key []byte
	fit := false
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "list":
			fit = string(c.String()) == list
		case "key":
			key = c.Skip()
		default:
			c.Skip()
		}
	}
	if k := hashValue(key); fit && k != 0 {
		fs.Add(model.Retract).Target = k
		return
	}
	note(fs, "removed row")
}

// rowsHave reports whether a database has a table with all these columns.
func rowsHave(s *model.Sample, table string, columns ...string) bool {
	have, ok := s.Tables[table]
	if !ok || s.Shape != model.Database {
		return false
	}
	for _, want := range columns {
		found := false
		for _, name := range have {
			found = found || name == want
		}
		if !found {
			return false
		}
	}
	return true
}
