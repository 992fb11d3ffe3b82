package pydantic

import (
	"testing"

	"turns/model/format/formattest"
)

// TestPlaces finds the messages in each part of a document that may have them.
func TestPlaces(t *testing.T) {
	formattest.Places(t, Format(), `[{"kind":"request","parts":[{"part_kind":"user-prompt","content":"hi"}]}]`,
		"[]", "messages", "message_history", "all_messages", "new_messages", "history", "message_list", "conversation.messages")
}

// TestRecords recognises the format by single records, each with another of its marks.
func TestRecords(t *testing.T) {
	formattest.Records(t, Format(), 88,
		`{"kind":"request","parts":[{"part_kind":"user-prompt","content":"hi"}]}`,
		`{"role":"model-text-response","content":"hi"}`,
		`{"role":"model-structured-response","calls":[]}`,
		`{"role":"tool-return","content":"hi"}`,
	)
}
