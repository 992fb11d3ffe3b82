package agentc

import (
	"testing"

	"turns/model/format/formattest"
)

// TestPlaces finds the messages in each part of a document that may have them.
func TestPlaces(t *testing.T) {
	formattest.Places(t, Format(), `[{"role":"user","content":"hi","validity_state":"valid"}]`,
		"[]", "messages", "entries", "history")
}

// TestRecords recognises the format by single records, each with another of its marks.
func TestRecords(t *testing.T) {
	formattest.Records(t, Format(), 87,
		`{"role":"user","content":"hi","provider_metadata":{},"created_at":1}`,
		`{"role":"user","content":"hi","validity_state":"valid"}`,
		`{"role":"user","content":"hi","interaction_id":"i1"}`,
		`{"role":"assistant","content":[{"type":"tool_use","tool_id":"1","tool_name":"ls"}]}`,
		`{"role":"assistant","content":[{"type":"thinking","thought":"well"}]}`,
	)
}
