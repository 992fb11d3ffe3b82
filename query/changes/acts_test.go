package changes

import (
	"testing"
)

// TestReplace: the first match changes, or each with all. Line breaks of Windows also match. Without
// a new text, a recorded edit also removes the line break.
func TestReplace(t *testing.T) {
	for _, c := range []struct {
		before, old, text string
		all, recorded     bool
		want              string
		ok                bool
	}{
		{"", "", "x", false, false, "x", true},
		{"a", "", "x", false, false, "x", false},
		{"a\na\n", "a", "b", false, false, "b\na\n", true},
		{"a\na\n", "a", "b", true, false, "b\nb\n", true},
		{"a\r\nb", "a\nb", "c\nd", false, false, "c\r\nd", true},
		{"a\n", "b", "c", false, false, "", false},
		{"x\ny\n", "x", "", false, true, "y\n", true},
		{"x\ny\n", "x", "", false, false, "\ny\n", true},
		{"x\ny\n", "x", "z", false, true, "z\ny\n", true},
	} {
		if got, ok := replace(c.before, c.old, c.text, c.all, c.recorded); got != c.want || ok != c.ok {
			t.Errorf("%q for %q in %q: %q, %v, want %q, %v", c.text, c.old, c.before, got, ok, c.want, c.ok)
		}
	}
}

// TestInsert: a text after a line begins and ends with a line break where others follow.
func TestInsert(t *testing.T) {
	for _, c := range []struct {
		before string
		line   int
		text   string
		want   string
		ok     bool
	}{
		{"a", 0, "x", "x\na", true},
		{"\na\n", 1, "x\n", "\nx\na\n", true},
		{"a\nb", 1, "x", "a\nx\nb", true},
		{"a\n", 1, "x", "a\nx", true},
		{"a", 1, "x", "a\nx", true},
		{"a\n", 2, "x", "", false},
	} {
		if got, ok := insert(c.before, c.line, c.text); got != c.want || ok != c.ok {
			t.Errorf("%q after line %d of %q: %q, %v, want %q, %v", c.text, c.line, c.before, got, ok, c.want, c.ok)
		}
	}
}
