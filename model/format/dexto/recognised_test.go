package dexto

import (
	"testing"

	"turns/model/format/formattest"
)

// TestPlaces finds the messages in each part of a document that may have them.
func TestPlaces(t *testing.T) {
	formattest.Places(t, Format(), `[{"role":"assistant","assistantOutput":{}}]`,
		"[]", "history", "messages", "session.history", "conversationHistory")
}

// TestRecords recognises the format by single records, each with another of its marks.
func TestRecords(t *testing.T) {
	formattest.Records(t, Format(), 84,
		`{"role":"assistant","toolCalls":[{"function":{"name":"ls"}}]}`,
		`{"role":"tool","toolCallId":"1","content":"x"}`,
		`{"role":"assistant","assistantOutput":{}}`,
		`{"role":"user","content":[{"type":"ui-resource"}]}`,
		`{"role":"user","content":[{"type":"image","mimeType":"image/png","image":"iVBO"}]}`,
	)
}
