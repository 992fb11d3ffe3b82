package query

import (
	"slices"

	"turns/model"
)

// noteNames are the fields of a block with text for people: the purpose of a call, its outcome,
// what it touched.
var noteNames = []string{"expected_outcome", "error_details", "result_summary", "impact_scope", "interaction_context"}

// dataNames are the fields of a text that describe its record, not its content.
var dataNames = []string{"id", "timestamp", "part_kind", "importance", "metadata", "_metadata", "provider_name", "provider_details"}

// Notes returns the readable fields of a block that add to its text: for a text, all fields except
// those of dataNames. It returns nil if there are none.
func Notes(b *model.Content) (notes []model.KeyValue) {
	for _, kv := range b.Extra {
		readable := slices.Contains(noteNames, kv.Name) || b.Kind == model.Words && !slices.Contains(dataNames, kv.Name)
		if readable && kv.Value != b.Text && kv.Value != "" {
			notes = append(notes, kv)
		}
	}
	return notes
}
