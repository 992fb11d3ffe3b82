package claude_test

import (
	"os"
	"path/filepath"
	"testing"

	"turns/model"
	"turns/model/load"
)

// The error of a failed request for a summary does not become the title of the session.
func TestFailedSummariesAreNoTitles(t *testing.T) {
	const said = `{"type":"user","sessionId":"s","uuid":"1","message":{"role":"user","content":"Fix the flaky watcher test"}}` + "\n"
	for summary, want := range map[string]string{
		"Watcher test fixed": "Watcher test fixed",
		`API Error: 401 {\"error\":\"Invalid authentication\"} · Please run /login`: "Fix the flaky watcher test",
	} {
		path := filepath.Join(t.TempDir(), "s.jsonl")
		if err := os.WriteFile(path, []byte(said+`{"type":"summary","summary":"`+summary+`","leafUuid":"1"}`+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := load.Open(t.Context(), path, load.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		snap, err := c.Load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := model.NewTitles(snap, nil).Of(t.Context(), 0); got != want {
			t.Errorf("after the summary %q the title is %q, want %q", summary, got, want)
		}
	}
}
