package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// interrupting cancels when something is written to it.
type interrupting struct {
	bytes.Buffer
	cancel func()
}

func (w *interrupting) Write(p []byte) (int, error) {
	w.cancel()
	return w.Buffer.Write(p)
}

// TestSearchStops interrupts a search in its first transcript: no other is opened.
func TestSearchStops(t *testing.T) {
	dir := t.TempDir()
	line := `{"role":"user","content":"needle ` + strings.Repeat("x", 80) + `"}` + "\n"
	for _, name := range []string{"a.jsonl", "b.jsonl", "c.jsonl"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Repeat(line, 2000)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	out, errs := &interrupting{cancel: cancel}, &bytes.Buffer{}
	code := Run(ctx, []string{"search", dir, "needle"}, IO{In: strings.NewReader(""), Out: out, Err: errs, Env: func(string) string { return "" }})
	if code != exitInterrupted {
		t.Errorf("exit code %d: %s", code, errs)
	}
	opened := map[string]bool{}
	for line := range strings.Lines(out.String()) {
		if path, _, ok := strings.Cut(line, ".jsonl:"); ok {
			opened[path] = true
		}
	}
	if len(opened) != 1 || strings.Count(out.String(), "\n") >= 2000 {
		t.Errorf("%d transcripts were searched, %d lines", len(opened), strings.Count(out.String(), "\n"))
	}
}
