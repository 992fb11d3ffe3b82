package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// follower is turns -f in the background, whose lines a test reads as they come.
type follower struct {
	t     *testing.T
	lines *bufio.Scanner
	pipe  *io.PipeReader
	stop  context.CancelFunc
	code  chan int
}

func noEnv(string) string { return "" }

func follow(t *testing.T, args ...string) *follower {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	r, w := io.Pipe()
	f := &follower{t: t, lines: bufio.NewScanner(r), pipe: r, stop: stop, code: make(chan int, 1)}
	f.lines.Buffer(nil, 1<<20)
	go func() {
		code := Run(ctx, append([]string{"-f"}, args...), IO{In: strings.NewReader(""), Out: w, Err: io.Discard, Env: noEnv})
		w.Close()
		f.code <- code
	}()
	t.Cleanup(func() { stop(); r.Close() })
	return f
}

// next reads the next line that holds a text.
func (f *follower) next(text string) {
	f.t.Helper()
	for f.lines.Scan() {
		if strings.Contains(f.lines.Text(), text) {
			return
		}
	}
	f.t.Fatalf("no line has %q", text)
}

func (f *follower) append(path, text string) {
	f.t.Helper()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		f.t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString(text + "\n"); err != nil {
		f.t.Fatal(err)
	}
}

const (
	followPrompt = `{"role":"user","content":"look at x.go"}`
	followCall   = `{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"x.go\"}"}}]}`
	followResult = `{"role":"tool","tool_call_id":"c1","content":"package x"}`
	followAnswer = `{"role":"assistant","content":"It is a package."}`
)

// Into a pipe, -f prints a row as soon as it is written, each once, and ends with 130 when it is
// interrupted.
func TestFollowPrintsRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.jsonl")
	if err := os.WriteFile(path, []byte(followPrompt+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := follow(t, path)
	f.next("look at x.go")
	f.append(path, followCall)
	f.next("no result")
	f.append(path, followResult)
	if f.lines.Scan(); !strings.Contains(f.lines.Text(), "read_file") || strings.Contains(f.lines.Text(), "no result") {
		t.Errorf("the next row is %q", f.lines.Text())
	}
	f.append(path, followAnswer)
	if f.lines.Scan(); !strings.Contains(f.lines.Text(), "It is a package.") {
		t.Errorf("the next row is %q", f.lines.Text())
	}
	f.stop()
	if f.lines.Scan() {
		t.Errorf("another row: %q", f.lines.Text())
	}
	if code := <-f.code; code != exitInterrupted {
		t.Errorf("exit %d", code)
	}
}

// With --json each new message is a line, also of the newest file of a folder.
func TestFollowStreamsJSON(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "run.jsonl")
	if err := os.WriteFile(path, []byte(followPrompt+"\n"+followCall+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := follow(t, "--json", dir)
	for i, role := range []string{"user", "assistant", "tool", "assistant"} {
		switch i {
		case 2:
			f.append(path, followResult)
		case 3:
			f.append(path, followAnswer)
		}
		if !f.lines.Scan() {
			t.Fatalf("no line %d", i)
		}
		var m struct{ Role string }
		if err := json.Unmarshal(f.lines.Bytes(), &m); err != nil || m.Role != role {
			t.Errorf("line %d: %v, %s", i, err, f.lines.Text())
		}
	}
	f.stop()
	if code := <-f.code; code != exitInterrupted {
		t.Errorf("exit %d", code)
	}
}
