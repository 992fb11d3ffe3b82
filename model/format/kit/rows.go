package kit

import (
	"bytes"
	"slices"

	"turns/model"
	"turns/model/jsonspan"
)

// What formats that live in databases have in common.

// RowsRemoved is the list of records that say which row is not there any more.
const RowsRemoved = "-"

// RowsJSON is the JSON that a column holds. A text column arrives as a JSON
// string: what is in it must be decoded before spans of it are texts, so it gets
// memory of its own.
func RowsJSON(v []byte) []byte {
	s := Inside(v)
	switch {
	case s == nil:
		return v
	case bytes.IndexByte(s, '\\') < 0:
		return s
	}
	return model.EscapedText(s).Append(make([]byte, 0, len(s)))
}

// RowsRetract takes back the message whose row is gone. It is for tables with a
// row for each message, whose first column is its id.
func RowsRetract(c *jsonspan.Cursor, fs *model.Facts, lists ...string) {
	var key []byte
	fit := false
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "list":
			fit = slices.Contains(lists, string(c.String()))
		case "key":
			key = c.Skip()
		default:
			c.Skip()
		}
	}
	if k := HashValue(key); fit && k != 0 {
		fs.Add(model.Retract).Target = k
		return
	}
	Note(fs, "removed row")
}

// RowsHave reports whether a database has a table with all these columns.
func RowsHave(s *model.Sample, table string, columns ...string) bool {
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
