package query

import (
	"testing"

	"turns/model"
)

// TestSupersededInACircle: Next ends in a circular chain.
func TestSupersededInACircle(t *testing.T) {
	r := &Replaced{by: map[model.ID]model.ID{}, of: map[model.ID][]model.ID{2: {1}, 1: {0}, 0: {1}}}
	if got := r.Next(2); got != 0 {
		t.Errorf("after the last comes %d, want 0", got)
	}
}
