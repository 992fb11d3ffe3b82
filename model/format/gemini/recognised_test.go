package gemini

import (
	"testing"

	"turns/model/format/formattest"
)

// TestPlaces finds the messages in each part of a document that may have them.
func TestPlaces(t *testing.T) {
	formattest.Places(t, APIFormat(), `[{"role":"user","parts":[{"text":"hi"}]}]`, "[]", "contents", "request.contents", "history", "messages")
	formattest.Places(t, APIFormat(), `[{"role":"model","text":"hi","isThought":true}]`, "chunkedPrompt.chunks")
}

// TestRecords recognises the format by single records, each with another of its marks.
func TestRecords(t *testing.T) {
	formattest.Records(t, APIFormat(), 82,
		`{"role":"user","parts":[{"text":"hi"}]}`,
	)
	formattest.Records(t, APIFormat(), 84, `{"candidates":[{"finishReason":"SAFETY"}],"modelVersion":"gemini-3"}`)
}
