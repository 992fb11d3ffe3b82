package openai

import (
	"testing"

	"turns/model/format/formattest"
)

// TestPlaces finds the messages in each part of a document that may have them.
func TestPlaces(t *testing.T) {
	formattest.Places(t, ResponsesFormat(), `[{"type":"function_call_output","call_id":"1","output":"x"}]`,
		"[]", "items", "output", "input", "data", "history", "messages")
}

// TestRecords recognises the format by single records, each with another of its marks.
func TestRecords(t *testing.T) {
	formattest.Records(t, ResponsesFormat(), 82,
		`{"type":"function_call_output","call_id":"1","output":"x"}`,
		`{"role":"user","content":[{"type":"input_text","text":"x"}]}`,
		`{"role":"assistant","content":[{"type":"output_text","text":"x"}]}`,
		`{"type":"response.created"}`,
		`{"type":"web_search_call","id":"w1","status":"completed"}`,
		`{"type":"reasoning","summary":[]}`,
		`{"type":"item_reference","id":"m1"}`,
	)
}
