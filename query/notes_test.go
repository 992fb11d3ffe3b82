package query

import (
	"testing"

	"turns/model"
)

// TestNotesOfBlocks: Notes returns the readable fields of a block that do not repeat its text.
// result has a few by name, and a text all but the data of its record.
func TestNotesOfBlocks(t *testing.T) {
	block := func(kind model.BlockKind, name string) *model.Content {
		return &model.Content{Kind: kind, Text: "text", Extra: []model.KeyValue{{Name: "id", Value: "y"}, {Name: name, Value: "note"}, {Name: name, Value: "text"}, {Name: name}}}
	}
	for _, name := range []string{"expected_outcome", "error_details", "result_summary", "impact_scope", "interaction_context", "answer"} {
		for _, kind := range []model.BlockKind{model.Words, model.ToolResult} {
			b := block(kind, name)
			want := 1
			if name == "answer" && kind == model.ToolResult {
				want = 0
			}
			if notes := Notes(b); len(notes) != want || want == 1 && notes[0] != b.Extra[1] {
				t.Errorf("%v, %s: %+v", kind, name, notes)
			}
		}
	}
	for _, name := range []string{"id", "timestamp", "part_kind", "importance", "metadata", "_metadata", "provider_name", "provider_details"} {
		if notes := Notes(block(model.Words, name)); len(notes) != 0 {
			t.Errorf("%s of a text: %+v", name, notes)
		}
	}
}
