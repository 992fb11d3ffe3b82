package query

import (
	"testing"

	"turns/model"
)

// TestNotesOfBlocks: the fields of a block that people read, without those that repeat its text.
func TestNotesOfBlocks(t *testing.T) {
	for _, name := range []string{"expected_outcome", "error_details", "result_summary", "impact_scope", "interaction_context"} {
		b := model.Content{Text: "said", Extra: []model.KeyValue{{Name: "x", Value: "y"}, {Name: name, Value: "note"}, {Name: name, Value: "said"}, {Name: name}}}
		if notes := Notes(&b); len(notes) != 1 || notes[0] != b.Extra[1] {
			t.Errorf("%s: %+v", name, notes)
		}
	}
}
