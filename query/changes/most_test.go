package changes

import "testing"

// TestLinesOfAFileAreBounded: at most 262,144 lines of a file are stored with their authors.
func TestLinesOfAFileAreBounded(t *testing.T) {
	var b trailBuilder
	b.file.Written, b.file.WrittenBy = make([]string, 262_143), make([]int32, 262_143)
	for range 3 {
		b.wrote("a line", 1)
	}
	if len(b.file.Written) != 262_144 || len(b.file.WrittenBy) != 262_144 {
		t.Errorf("%d lines, %d authors", len(b.file.Written), len(b.file.WrittenBy))
	}
}
