package opencode

import (
	"testing"

	"turns/model/format/formattest"
)

func TestFacts(t *testing.T) {
	formattest.Facts(t, Format())
}

// TestLists: lists of messages and rows of tables are certain to this score.
func TestLists(t *testing.T) {
	for doc, score := range map[string]int{
		`[{"info":{"id":"m","sessionID":"s"},"parts":[]}]`:     93,
		`{"messages":[{"info":{"id":"m"},"parts":[]}]}`:        93,
		`[{"id":"msg_1","session_id":"s","data":"{}"}]`:        88,
		`[{"id":"prt_1","session_id":"s","data":"{}"}]`:        88,
		`[{"id":"row_1","session_id":"s","data":"{}","x":[]}]`: 0,
	} {
		if m := openClues(formattest.Sample("x.json", []byte(doc))); m.Score != score {
			t.Errorf("%s has the score %d, not %d", doc, m.Score, score)
		}
	}
}
