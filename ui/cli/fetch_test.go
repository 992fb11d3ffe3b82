package cli

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"turns/model"
	"turns/ui"
	"turns/ui/screen"
	"turns/ui/transcripts"
)

// terminal is an emulator with input.
type terminal struct {
	*emulator
	in *io.PipeWriter
}

func (s *terminal) Write(p []byte) (int, error) {
	_, err := s.emulator.Write(bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n")))
	return len(p), err
}

func (s *terminal) press(keys string) *terminal {
	s.t.Helper()
	if _, err := io.WriteString(s.in, keys); err != nil {
		s.t.Fatal(err)
	}
	return s
}

func (s *terminal) waitFor(text string) *terminal {
	s.t.Helper()
	s.shows(text)
	return s
}

// screenOf shows a transcript as the command does.
func screenOf(t *testing.T, arg string) *terminal {
	t.Helper()
	lib := transcripts.New(transcripts.Options{})
	var feed transcripts.Feed
	var err error
	lists := transcripts.ListsDialogs(arg)
	if lists {
		lib, feed = transcripts.New(transcripts.Options{Dirs: []string{arg}}), transcripts.StaticFeed("", model.FromMessages(nil))
	} else if feed, err = lib.Watch(t.Context(), arg); err != nil {
		t.Fatal(err)
	}
	pr, pw := io.Pipe()
	s := &terminal{emulator: newEmulator(t, 100, 30), in: pw}
	go func() { _, _ = io.Copy(io.Discard, s.em) }() // its responses
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- ui.Run(ctx, feed, screen.Options{
			Theme: "dark", UTC: true, Env: []string{"TERM=xterm-256color"}, Input: pr, Output: s, Width: 100, Height: 30, Dir: t.TempDir(), Context: ctx,
			Store: lib, Sessions: lists,
		})
	}()
	t.Cleanup(func() {
		cancel()
		_ = pw.Close()
		<-done
		_ = lib.Close()
		s.close()
	})
	return s
}

// The screen lists a server's dialogs, and opens one of them.
func TestDialogsOnTheScreen(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(history))
	defer server.Close()
	s := screenOf(t, server.URL+"/api/dialogs")
	s.waitFor("Reading a file").press("/reading\r").press("\r").waitFor("Let me see")
}

// The full result of a call is fetched from the server when its row is opened, and an error of the
// server is shown.
func TestResultIsFetchedWhenItIsOpened(t *testing.T) {
	var mu sync.Mutex
	asked, broken := 0, true
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.URL.Path, "/tool-results/") {
			history(w, r)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		asked++
		if broken {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(w, `{"detail":"disk full"}`)
			return
		}
		r.URL.Path = "/api/dialogs/b/tool-results/call_1"
		history(w, r)
	}))
	defer server.Close()
	s := screenOf(t, server.URL+"/api/dialogs/d/history")
	s.waitFor("last answer")
	mu.Lock()
	if asked != 0 {
		t.Errorf("%d results were fetched before anything was opened", asked)
	}
	broken = true
	mu.Unlock()
	s.press("gcl").waitFor("zf tries again").waitFor("disk full")
	mu.Lock()
	broken = false
	mu.Unlock()
	s.press("zf").waitFor("the whole file")
	mu.Lock()
	defer mu.Unlock()
	if asked != 2 {
		t.Errorf("the result was asked for %d times, want 2", asked)
	}
}

// An output stored in a file next to the transcript is only read on request.
func TestSpilledOutputIsReadOnRequest(t *testing.T) {
	dir := t.TempDir()
	spilled := filepath.Join(dir, "run", "tool-results", "b1.txt")
	if err := os.MkdirAll(filepath.Dir(spilled), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(spilled, []byte("line one of many\nline two of many\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	lines := []string{
		`{"parentUuid":null,"isSidechain":false,"type":"user","sessionId":"run","cwd":"/w","version":"2.1.39","uuid":"u0","timestamp":"2026-02-11T21:41:40Z","message":{"role":"user","content":"list it"}}`,
		`{"parentUuid":"u0","isSidechain":false,"type":"assistant","sessionId":"run","cwd":"/w","version":"2.1.39","uuid":"u1","timestamp":"2026-02-11T21:41:41Z","message":{"id":"m1","type":"message","role":"assistant","model":"claude-opus-4-6","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"find /"}}]}}`,
		`{"parentUuid":"u1","isSidechain":false,"type":"user","sessionId":"run","cwd":"/w","version":"2.1.39","uuid":"u2","timestamp":"2026-02-11T21:41:42Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"<persisted-output>\nOutput too large (141KB). Full output saved to: ` + spilled + `\n\nPreview (first 2KB):\nthe preview\n</persisted-output>"}]}}`,
	}
	path := filepath.Join(dir, "run.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := screenOf(t, path)
	s.waitFor("list it").press("cl").waitFor("the preview").waitFor("zf reads all of it")
	if strings.Contains(s.text(), "line two of many") {
		t.Error("the spilled output was read before it was asked for")
	}
	s.press("zf").waitFor("line two of many")
	if strings.Contains(s.text(), "the preview") {
		t.Errorf("the preview is still there:\n%s", s.text())
	}
}
