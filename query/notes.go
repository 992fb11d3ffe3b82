package query

import (
	"slices"

	"turns/model"
)

// noteNames are the fields of a block with text for people: the purpose of a call, its outcome,
// what it touched.
var noteNames = []string{"expected_outcome", "error_details", "result_summary", "impact_scope", "interaction_context"}

// Notes returns the readable fields of a block that add to its text.
func Notes(b *model.Content) (notes []model.KeyValue) {
	for _, kv := range b.Extra {
		if slices.Contains(noteNames, kv.Name) && kv.Value != b.Text && kv.Value != "" {
			notes = append(notes, kv)
		}
	}
	return notes
}
