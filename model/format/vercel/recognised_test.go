package vercel

import (
	"testing"

	"turns/model/format/formattest"
)

// TestPlaces finds the messages in each part of a document that may have them.
func TestPlaces(t *testing.T) {
	formattest.Places(t, ModelFormat(), `[{"role":"assistant","content":[{"type":"tool-call","toolName":"ls"}]}]`,
		"[]", "messages", "model", "prompt", "history", "responseMessages", "response.messages")
	formattest.Places(t, UIFormat(), `[{"role":"user","parts":[{"type":"text","text":"hi"}]}]`,
		"[]", "messages", "ui", "chat.messages", "history", "uiMessages", "initialMessages")
}

// TestRecords recognises the formats by single records, each with another of their marks.
func TestRecords(t *testing.T) {
	formattest.Records(t, ModelFormat(), 83,
		`{"role":"assistant","content":[{"type":"tool-call","toolName":"ls"}]}`,
		`{"role":"tool","content":[{"type":"tool-result","toolName":"ls"}]}`,
		`{"role":"user","content":[{"type":"image","mediaType":"image/png","image":"iVBO"}]}`,
		`{"role":"assistant","content":[{"type":"tool-approval-request","approvalId":"1"}]}`,
		`{"role":"assistant","content":[{"type":"redacted-reasoning","data":"x"}]}`,
		`{"role":"user","content":[{"type":"file","mimeType":"text/plain","filename":"a.txt"}]}`,
		`{"role":"assistant","content":[{"type":"reasoning-file"}]}`,
	)
	formattest.Records(t, UIFormat(), 85,
		`{"role":"user","parts":[{"type":"text","text":"hi"}]}`,
		`{"role":"assistant","content":"hi","toolInvocations":[]}`,
	)
}
