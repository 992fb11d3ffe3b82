package describe

import (
	"cmp"

	"turns/model"
)

// UnreadHint is the hint for a file without a recognised conversation.
const UnreadHint = "--from FORMAT reads it as a format that you choose; turns formats --infer FILE writes the start of a description of JSON"

// RawFormat is the format of a file without a recognised conversation.
const RawFormat = "records"

// Unread returns why turns recognised no conversation in a transcript with records. It returns
// "" if the transcript has messages, or no records.
func Unread(s *model.Snapshot) string {
	if s == nil || s.Format() != RawFormat || s.Len() > 0 || s.Rows() == 0 {
		return ""
	}
	return cmp.Or(s.Sources()[0].Why, "no conversation was recognised")
}
