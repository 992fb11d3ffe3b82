package people

import (
	"slices"
	"testing"
)

// TestColumnsOfATable: programs read these names, in this order.
func TestColumnsOfATable(t *testing.T) {
	if want := []string{"index", "role", "content", "tool_name", "tool_call_id", "token_count"}; !slices.Equal(csvColumns, want) {
		t.Errorf("columns are %q, want %q", csvColumns, want)
	}
	if want := []string{"time", "arguments", "duration", "outcome", "inside", "in_text", "labels"}; !slices.Equal(Columns(), want) {
		t.Errorf("columns on request are %q, want %q", Columns(), want)
	}
}
