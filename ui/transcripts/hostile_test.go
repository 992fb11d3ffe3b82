package transcripts

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"database/sql"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/model/modeltest"
)

// TestSessionListBesideHostileFiles: each file with far more content than its size has a row in the
// list of sessions, with its beginning read, and no temporary files are left.
func TestSessionListBesideHostileFiles(t *testing.T) {
	modeltest.Long(t, "the files are as much work as the limits allow")
	dir, temp := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	const line = `{"type":"user","sessionId":"s","uuid":"u","timestamp":"2026-02-11T22:00:01Z","message":{"role":"user","content":"seen"}}` + "\n"
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	io.WriteString(w, line+strings.Repeat(strings.Repeat(" ", 1<<16)+"\n", 60)+line)
	w.Close()
	calls := strings.Repeat(`{"type":"tool_use","id":"t","name":"f","input":{}},`, 11_000)
	for name, text := range map[string]string{
		"directory.eval":  zipOf(t, 60, 1<<16-100),
		"samples.zip":     zipOf(t, 60, 20),
		"small.jsonl":     line,
		"spaces.jsonl":    line + strings.Repeat(strings.Repeat(" ", 1<<16)+"\n", 20),
		"packed.jsonl.gz": packed.String(),
		"calls.json":      `{"messages":[{"role":"user","content":"seen"},{"role":"assistant","content":[` + strings.TrimSuffix(calls, ",") + `]}]}`,
		"parts.json":      `{"messages":[{"role":"user","content":"seen"}` + strings.Repeat(",1", 70_000) + `]}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, "sessions.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{
		`CREATE TABLE sessions(id TEXT, description TEXT, working_dir TEXT, updated_at TEXT)`, `INSERT INTO sessions VALUES('s', 'd', '/w', '2026')`,
		`CREATE VIEW messages AS WITH RECURSIVE r(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM r)
			SELECT id, 's' AS session_id, 'user' AS role, 1 AS created_timestamp, '[]' AS content_json FROM r`,
	} {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	db.Close()

	l := listerOf(t, dir)
	var rows []string
	for _, path := range l.paths() {
		rows = append(rows, filepath.Base(path))
	}
	if want := []string{"calls.json", "directory.eval", "packed.jsonl.gz", "parts.json", "samples.zip", "sessions.db", "small.jsonl", "spaces.jsonl"}; !slices.Equal(rows, want) {
		t.Errorf("rows %q, want %q", rows, want)
	}
	if s := l.sessions[filepath.Join(dir, "packed.jsonl.gz")]; !s.Partial || s.Messages != 1 {
		t.Errorf("of what is packed %d messages, in part: %v", s.Messages, s.Partial)
	}
	if s := l.sessions[filepath.Join(dir, "directory.eval")]; !s.Partial || s.State().Words() != "" {
		t.Errorf("an unread session %s", s.State())
	}
	for path, s := range l.sessions {
		if most := model.DefaultLimits().Brief().Blocks; int64(s.Calls) > most {
			t.Errorf("%s: %d calls of at most %d", path, s.Calls, most)
		}
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left on the disk: %v, %v", left, err)
	}
}

// zipOf returns an evaluation log with a number of samples and names of a length.
func zipOf(t *testing.T, samples, name int) string {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	names := []string{"header.json", "_journal/start.json"}
	for i := range samples {
		names = append(names, fmt.Sprintf("samples/%0*d_epoch_1.json", name, i))
	}
	for _, name := range names {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name})
		if err == nil {
			_, err = f.Write([]byte("{}"))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	return b.String()
}
