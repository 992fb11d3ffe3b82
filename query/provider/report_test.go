package provider

import (
	"slices"
	"testing"
)

// TestRepairReportInWords: changes are listed by importance, with singular and plural; without
// damage the list is empty.
func TestRepairReportInWords(t *testing.T) {
	for _, c := range []struct {
		name   string
		report RepairReport
		want   []string
	}{
		{"nothing", RepairReport{Merged: 3, Split: 2}, nil}, // the provider's usual form, not damage
		{"one of each", RepairReport{Interrupted: 1, Orphans: 1, OrphanIDs: []string{"c9"}, MadeIDs: 1, Moved: 1, Empty: 1, Opened: true}, []string{
			"1 call without a result was given one that says it was interrupted",
			"1 result without a call was left out: c9",
			"1 call without an id was given one",
			"1 result that stood elsewhere was put behind its call",
			"1 empty message was left out",
			"a user's message was put before the first one",
		}},
		{"several", RepairReport{Interrupted: 2, Orphans: 3, OrphanIDs: []string{"a", "b"}, ChangedIDs: 2, Names: 4, Reasoning: 5, MediaMoved: 2, Others: 2}, []string{
			"2 calls without a result were given one that says they were interrupted",
			"3 results without a call were left out: a, b, …",
			"2 call ids were changed",
			"4 tool names were changed",
			"5 blocks of reasoning were left out",
			"2 images, sounds and files of results stand in messages behind them",
			"2 blocks of other kinds were left out",
		}},
	} {
		if got := c.report.Lines(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
