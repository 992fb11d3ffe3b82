package load

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"turns/model"
	"turns/model/format"
	"turns/model/modeltest"
)

// TestUnreadTables: each store warns of a filled table that no parser reads, by name and count, and
// of nothing before.
func TestUnreadTables(t *testing.T) {
	for _, s := range storeScripts(t) {
		path := s.write(t, t.TempDir())
		if words := unreadWords(t, path); words != "" {
			t.Errorf("%s: %s", s.name, words)
		}
		execute(t, path, "create table novel_turns(id, text); create table novel_empty(id); insert into novel_turns values(1,'a'),(2,'b')")
		if words := unreadWords(t, path); words != "table novel_turns: 2 rows" {
			t.Errorf("%s with another table: %q", s.name, words)
		}
		l, err := Summarise(t.Context(), path)
		if words := l.Unread; err != nil || words != "table novel_turns: 2 rows" {
			t.Errorf("%s in a list: %q, %v", s.name, words, err)
		}
	}
	for _, f := range format.All() {
		if f.Unroll != nil && f.Unroll.Queries != nil && format.ReadsTable(f, "novel_turns") {
			t.Errorf("%s reads any table", f.Name)
		}
	}
}

// TestUnreadRecords adds a record of a type that does not exist to a sample of each agent whose
// types of records are known.
func TestUnreadRecords(t *testing.T) {
	for sample, record := range map[string]string{
		"claude-code/session.jsonl": `{"type":"novel-record","sessionId":"s","uuid":"9","timestamp":"2026-01-01T00:00:00Z"}`,
		"codex/searches.jsonl":      `{"timestamp":"2026-01-01T00:00:00Z","type":"novel-record","payload":{"a":1}}`,
		"copilot-cli/session.jsonl": `{"type":"novel-record","id":"9","parentId":null,"timestamp":"2026-01-01T00:00:00Z","data":{}}`,
	} {
		data, err := os.ReadFile(filepath.Join("../../testdata/formats", sample))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "session.jsonl")
		if err := os.WriteFile(path, append(data, record+"\n"...), 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := Summarise(t.Context(), path)
		if words := l.Unread; err != nil || !strings.Contains(words, "record type novel-record: 1 record") {
			t.Errorf("%s: %q, %v", sample, words, err)
		}
	}
}

// TestNothingUnreadInTheCorpus: transcripts that agents wrote hold nothing that is not known.
func TestNothingUnreadInTheCorpus(t *testing.T) {
	modeltest.Long(t, "it reads the whole corpus")
	corpus := modeltest.Corpus(t)
	for _, part := range []string{"agents", "frameworks"} {
		err := filepath.WalkDir(filepath.Join(corpus, part), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			if l, err := Summarise(t.Context(), path); err == nil && l.Unread != "" {
				t.Errorf("%s (%s): %s", path, l.Format, l.Unread)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// unreadWords opens a transcript and gives what of it no parser reads.
func unreadWords(t *testing.T, path string) string {
	t.Helper()
	c, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	return model.UnreadWords(c.Unread(t.Context()))
}
