package transcripts

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"turns/query/changes"
)

// wrote returns a transcript whose session wrote a file of one line.
func wrote(session, line string) string {
	return fmt.Sprintf(`{"type":"user","uuid":"1","sessionId":%[1]q,"cwd":"/w","timestamp":"2026-11-01T10:00:00Z","message":{"role":"user","content":"write it"}}
{"type":"assistant","uuid":"2","sessionId":%[1]q,"cwd":"/w","timestamp":"2026-11-01T10:00:01Z","message":{"role":"assistant","id":"m1","content":[{"type":"tool_use","id":"t1","name":"Write","input":{"file_path":"/w/a.go","content":%[2]q}}]}}
{"type":"user","uuid":"3","sessionId":%[1]q,"cwd":"/w","timestamp":"2026-11-01T10:00:02Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"File created successfully at: /w/a.go"}]}}
`, session, line+"\n")
}

// An unchanged transcript is not read again for the same file; a changed one is.
func TestTrailsAreRemembered(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	before := time.Now().Add(-time.Hour)
	write := func(name, text string, at time.Time) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	lines := func() (all []string) {
		l := New(Options{Dirs: []string{dir}, Cache: cache})
		defer l.Close()
		paths, err := l.Transcripts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for a := range l.Trails(t.Context(), paths, TrailsOptions{File: "/w/a.go", Searched: changes.InFolder}) {
			if a.Err != nil {
				t.Error(a.Err)
			}
			if a.Answer != nil {
				all = append(all, a.Answer.Session+": "+a.Answer.Files[0].Final[0])
			}
		}
		return all
	}
	check := func(what string, want ...string) {
		t.Helper()
		if got := lines(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	write("1.jsonl", wrote("one", "first"), before)
	write("2.jsonl", wrote("two", "other"), before)
	write("3.jsonl", `{"type":"user","uuid":"1","sessionId":"three","message":{"role":"user","content":"no file"}}`+"\n", before)
	check("read", "one: first", "two: other")
	write("1.jsonl", wrote("one", "FIRST"), before) // same size and time: not read again
	check("remembered", "one: first", "two: other")
	write("1.jsonl", wrote("one", "FIRST"), before.Add(time.Minute))
	write("3.jsonl", wrote("three", "new"), before.Add(time.Minute))
	check("read again", "one: FIRST", "two: other", "three: new")
}
