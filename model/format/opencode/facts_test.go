package opencode

import (
	"testing"

	"turns/model"
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

// TestTables: the tables of each version are certain to this score, without a column they are not
// OpenCode's.
func TestTables(t *testing.T) {
	for _, c := range []struct {
		tables map[string][]string
		want   int
	}{
		{map[string][]string{"session_v2": {"id"}, "session_message": {"session_id", "type", "seq", "data"}}, 95},
		{map[string][]string{"session_v2": {"id"}, "session_message": {"session_id", "type", "data"}}, 0},
		{map[string][]string{"session": {"parent_id"}, "message": {"session_id", "data"}, "part": {"message_id", "data"}}, 95},
		{map[string][]string{"session": {"id"}, "message": {"session_id", "data"}, "part": {"message_id", "data"}}, 0},
	} {
		if m := openClues(&model.Sample{Shape: model.Database, Tables: c.tables}); m.Score != c.want {
			t.Errorf("%v has the score %d, not %d", c.tables, m.Score, c.want)
		}
	}
}
