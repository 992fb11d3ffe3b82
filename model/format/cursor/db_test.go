package cursor

import (
	"slices"
	"testing"

	"turns/model"
)

// TestListReadsStores: the list makes the same queries of a store as opening.
func TestListReadsStores(t *testing.T) {
	for _, q := range cursorQueries {
		listed := slices.ContainsFunc(cursorBrief, func(other model.Query) bool { return other.SQL == q.SQL })
		if ofStore := slices.Contains(q.Needs, "blobs.data"); listed != ofStore {
			t.Errorf("%s: the list reads it: %v, want %v", q.Name, listed, ofStore)
		}
	}
}
