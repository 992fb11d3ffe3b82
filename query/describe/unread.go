package describe

import (
	"cmp"

	"turns/model"
)

// UnreadHint says what helps where no conversation was recognised.
const UnreadHint = "--from FORMAT reads it as a format that you choose; turns formats --infer FILE writes the start of a description of JSON"

// RawFormat is the format of a file in which no conversation is recognised.
const RawFormat = "records"

// Unread returns why no conversation was recognised in a transcript that has records. It returns
// "" where there are messages, or no records.
func Unread(s *model.Snapshot) string {
	if s == nil || s.Format() != RawFormat || s.Len() > 0 || s.Rows() == 0 {
		return ""
	}
	return cmp.Or(s.Sources()[0].Why, "no conversation was recognised")
}
