package kit

import (
	"bytes"

	"turns/model"
)

// Common code for formats in databases.

// RowsJSON returns the JSON in a column. A text column arrives as a JSON string, which must be
// decoded before spans of it can be texts, so the result may be a new allocation.
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
