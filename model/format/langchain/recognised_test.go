package langchain

import (
	"testing"

	"turns/model"
	"turns/model/format/formattest"
)

// TestPlaces finds the messages in each part of a document that may have them.
func TestPlaces(t *testing.T) {
	formattest.Places(t, Format(), `[{"type":"human","data":{"content":"hi","additional_kwargs":{}}}]`,
		"[]", "messages", "values.messages", "channel_values.messages", "checkpoint.channel_values.messages", "state.messages", "state.values.messages", "output.messages", "outputs.messages", "history", "steps", "events", "updates", "chunks")
}

// TestRecords recognises the format by single records, each with another of its marks.
func TestRecords(t *testing.T) {
	formattest.Records(t, Format(), 86,
		`{"lc":1,"type":"constructor","id":["HumanMessage"],"kwargs":{"content":"hi"}}`,
		`{"type":"human","content":"hi","additional_kwargs":{}}`,
		`{"type":"ai","content":"hi","response_metadata":{}}`,
		`{"type":"human","data":{"content":"hi"}}`,
	)
}

// TestTables recognises the databases of LangChain and LangGraph by their columns.
func TestTables(t *testing.T) {
	for table, test := range map[string]struct {
		columns []string
		score   int
	}{
		"message_store": {[]string{"id", "session_id", "message"}, 80},
		"checkpoints":   {[]string{"thread_id", "checkpoint_ns", "checkpoint_id", "checkpoint"}, 88},
		"other":         {[]string{"session_id", "message"}, 0},
	} {
		s := &model.Sample{Shape: model.Database, Tables: map[string][]string{table: test.columns}}
		if m := Format().Detect(s); m.Score != test.score {
			t.Errorf("%s has the score %d, want %d: %s", table, m.Score, test.score, m.Reason)
		}
	}
}
