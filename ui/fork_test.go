package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"turns/model/load"
)

const forkedSession = `{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"0a","cwd":"/w","timestamp":"2026-11-01T10:00:00Z","message":{"role":"user","content":"look"}}
{"type":"assistant","uuid":"a1","parentUuid":"u1","sessionId":"0a","cwd":"/w","timestamp":"2026-11-01T10:00:02Z","message":{"role":"assistant","id":"m1","model":"x","content":[{"type":"text","text":"a.go"}]}}
{"type":"user","uuid":"u2","parentUuid":"a1","sessionId":"0a","timestamp":"2026-11-01T10:00:03Z","message":{"role":"user","content":"stop"}}
`

// TestForkHere: the question names the message; no writes no file, yes writes one session and shows
// the command that resumes it.
func TestForkHere(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "0a.jsonl")
	if err := os.WriteFile(path, []byte(forkedSession), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, runOf(t, path, load.Options{}), paneOptions(), 80, 24)
	b.a.h.State.Path = path
	b.press("g j")
	typeCommand(b, "fork")
	if frame := ansi.Strip(b.frame()); !strings.Contains(frame, "Fork at message 1") || !strings.Contains(frame, "messages 0 to 1?") {
		t.Fatal(frame)
	}
	b.press("esc")
	if got := files(t, dir); len(got) != 1 {
		t.Fatalf("a refused fork wrote %v", got)
	}
	typeCommand(b, "fork")
	b.press("enter")
	if frame := ansi.Strip(b.frame()); !strings.Contains(frame, "Written: ") || !strings.Contains(frame, "claude --resume") {
		t.Fatal(frame)
	}
	if got := files(t, dir); len(got) != 2 {
		t.Errorf("the folder has %v", got)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != forkedSession {
		t.Errorf("the session changed: %v", err)
	}
}
