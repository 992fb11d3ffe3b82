package load

import (
	"strings"
	"testing"

	"turns/model"
)

// TestPromisesOfNames: turns reports a file without a transcript as damaged if its name has one of
// these extensions, but not otherwise.
func TestPromisesOfNames(t *testing.T) {
	for ext, what := range map[string]string{".jsonl": "JSON", ".ndjson": "JSON", ".parquet": "Parquet", ".eval": "a zip archive", ".zip": "a zip archive", ".db": "a database",
		".sqlite": "a database", ".sqlite3": "a database", ".vscdb": "a database"} {
		for _, shape := range []model.Shape{model.Binary, model.Prose} {
			if err := misfit(&model.Sample{Path: "/a/b" + ext, Shape: shape}); err == nil || !strings.Contains(err.Error(), "nothing in it is "+what) {
				t.Errorf("b%s: %v", ext, err)
			}
		}
		if err := misfit(&model.Sample{Path: "/a/b" + ext, Shape: model.Lines}); err != nil {
			t.Errorf("lines in b%s: %v", ext, err)
		}
	}
	if err := misfit(&model.Sample{Path: "/a/b.txt", Shape: model.Prose}); err != nil {
		t.Error(err)
	}
}

// TestFetchedText: the text of a server's answer is its result, or the whole answer without one.
func TestFetchedText(t *testing.T) {
	for answer, want := range map[string]string{`{"result":"a","content":"b","output":"c"}`: "a", `{"content":"b","output":"c"}`: "b", `{"output":"c"}`: "c", `{"output":null,"x":1}`: "{\n  \"output\": null,\n  \"x\": 1\n}",
		`{"result":[1]}`: "[\n  1\n]", "plain": "plain", "\xff": "\ufffd"} {
		if got := fetchedText([]byte(answer)); got != want {
			t.Errorf("%s: %q, want %q", answer, got, want)
		}
	}
}

// TestEqualLines: at least 64 equal short lines are one row; fewer or longer lines are not.
func TestEqualLines(t *testing.T) {
	for _, test := range []struct{ size, count, want int }{{4, 64, 64}, {4, 63, 1}, {4, 70, 70}, {256, 64, 64}, {257, 64, 1}} {
		line := strings.Repeat("x", test.size-1) + "\n"
		if got := equalLines([]byte(strings.Repeat(line, test.count)+"other"), test.size); got != test.want*test.size {
			t.Errorf("%d lines of %d bytes: %d bytes are one row, want %d", test.count, test.size, got, test.want*test.size)
		}
	}
}
