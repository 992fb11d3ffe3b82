package providers

import (
	"testing"

	"turns/model/format/formattest"
)

// TestPlaces finds the messages in each part of a document that may have them.
func TestPlaces(t *testing.T) {
	formattest.Places(t, BedrockFormat(), `[{"role":"user","content":[{"text":"hi"}]}]`,
		"[]", "messages", "request.messages", "history", "conversation")
}

// TestRecords recognises the format by single records, each with another of its marks.
func TestRecords(t *testing.T) {
	formattest.Records(t, BedrockFormat(), 80,
		`{"role":"user","content":[{"text":"hi"}]}`,
		`{"role":"assistant","content":[{"toolUse":{"name":"ls"}}]}`,
		`{"role":"user","content":[{"toolResult":{"toolUseId":"1"}}]}`,
	)
}
