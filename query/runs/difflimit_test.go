package runs

import "testing"

// TestLimits: a limit keeps the equal rows before each difference, drops all rows after the last
// permitted one, and never changes the counts.
func TestLimits(t *testing.T) {
	same, other := DiffRow{How: DiffSame}, DiffRow{How: DiffAdded}
	for _, c := range []struct{ limit, rows int }{{1, 2}, {2, 4}, {3, 5}, {9, 6}} {
		d := &DiffAnswer{Added: 3, Rows: []DiffRow{same, other, same, other, other, same}}
		d.Limit(c.limit)
		if len(d.Rows) != c.rows || d.Added != 3 {
			t.Errorf("limit %d: %d rows and %d added; want %d and 3", c.limit, len(d.Rows), d.Added, c.rows)
		}
	}
	dirs := &DirsAnswer{Pairs: 3, Tasks: make([]TaskDiff, 3)}
	if dirs.Limit(2); len(dirs.Tasks) != 2 || dirs.Pairs != 3 {
		t.Errorf("folders: %d tasks and %d pairs; want 2 and 3", len(dirs.Tasks), dirs.Pairs)
	}
	many := &ManyDiff{Rows: []ManyRow{{Same: true}, {}, {Same: true}, {}}}
	if many.Limit(1); len(many.Rows) != 2 {
		t.Errorf("many: %d rows; want 2", len(many.Rows))
	}
}
