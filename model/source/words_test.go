package source

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// TestWordsOfEvents: each event has its word.
func TestWordsOfEvents(t *testing.T) {
	for i, want := range []string{"grown", "ended", "failed", "truncated", "replaced", "gone", "appeared", "permission lost", "regained", "trouble"} {
		if got := Kind(i).String(); got != want {
			t.Errorf("event %d is %q, want %q", i, got, want)
		}
	}
}

// TestNestedValues: values of MessagePack nest up to a limit.
func TestNestedValues(t *testing.T) {
	for depth, want := range map[int]bool{200: true, 201: false} {
		if _, ok := msgpackJSON(nil, []byte(strings.Repeat("\x91", depth)+"\x01")); ok != want {
			t.Errorf("%d lists in each other are MessagePack: %v", depth, ok)
		}
	}
}

// TestAssetsBelow looks for a file in three folders in each other.
func TestAssetsBelow(t *testing.T) {
	for place, want := range map[string]bool{"id1.png": true, "a/id1-x.png": true, "a/b/id1": true, "a/b/c/id1.png": false, "a/xid1.png": false, "id12.png": false} {
		if got := findAsset(fstest.MapFS{place: {}}, "id1"); (got == place) != want {
			t.Errorf("%s is found: %q", place, got)
		}
	}
}

// TestRowsToRecognise reads the first 40 rows of the first 8 tables that may have messages.
func TestRowsToRecognise(t *testing.T) {
	var b strings.Builder
	for i := range 9 {
		fmt.Fprintf(&b, "CREATE TABLE t%d (role TEXT, content TEXT);", i)
		for range 41 {
			fmt.Fprintf(&b, "INSERT INTO t%d VALUES ('user', 'hi');", i)
		}
	}
	path := filepath.Join(t.TempDir(), "x.db")
	writer(t, path, b.String())
	s := open(t, path, Options{}).Sample()
	if len(s.Rows) != 8 || len(s.Rows["t0"]) != 40 || s.Rows["t8"] != nil {
		t.Errorf("%d tables, %d rows of the first", len(s.Rows), len(s.Rows["t0"]))
	}
}

// TestBytesToRecognise reads rows of a table until they have 1 MB.
func TestBytesToRecognise(t *testing.T) {
	for line, want := range map[int]int{1<<19 - 1: 3, 1 << 19: 2} {
		text := fmt.Sprintf("printf('%%.*c', %d, 'x')", line-len(`{"role":"user","content":""}`))
		path := filepath.Join(t.TempDir(), "x.db")
		writer(t, path, "CREATE TABLE t (role TEXT, content TEXT); INSERT INTO t VALUES "+strings.TrimSuffix(strings.Repeat("('user', "+text+"),", 3), ","))
		if rows := open(t, path, Options{}).Sample().Rows["t"]; len(rows) != want || len(rows[0]) != line {
			t.Errorf("%d rows of %d bytes, want %d", len(rows), line, want)
		}
	}
}
