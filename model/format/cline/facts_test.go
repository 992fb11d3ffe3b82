package cline

import (
	"testing"

	"turns/model/format/formattest"
)

func TestFacts(t *testing.T) {
	formattest.Facts(t, Format())
}

// TestDocuments: documents are certain to this score.
func TestDocuments(t *testing.T) {
	for doc, score := range map[string]int{
		`{"session_id":"s","messages_path":"m.json"}`:                                           80,
		`{"sessionId":"s","version":1,"agent":"a","messages":[{"role":"user","content":"Hi"}]}`: 88,
		`{"session_id":"s"}`: 0,
	} {
		if m := clineDocument(formattest.Sample("x.json", []byte(doc))); m.Score != score {
			t.Errorf("%s has the score %d, not %d", doc, m.Score, score)
		}
	}
}
