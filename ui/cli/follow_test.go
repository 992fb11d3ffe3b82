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
	"time"

	"turns/model/modeltest"
	"turns/model/source/remote"
)

// follower is turns -f in the background; a test reads its lines as they arrive.
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
	return followIn(t, noEnv, args...)
}

// followIn follows in an environment.
func followIn(t *testing.T, env func(string) string, args ...string) *follower {
	t.Helper()
	ctx, stop := context.WithCancel(remote.WithEvery(t.Context(), 50*time.Millisecond))
	r, w := io.Pipe()
	f := &follower{t: t, lines: bufio.NewScanner(r), pipe: r, stop: stop, code: make(chan int, 1)}
	f.lines.Buffer(nil, 1<<20)
	go func() {
		code := Run(ctx, append([]string{"-f"}, args...), IO{In: strings.NewReader(""), Out: w, Err: io.Discard, Env: env})
		w.Close()
		f.code <- code
	}()
	t.Cleanup(func() { stop(); r.Close() })
	return f
}

// next reads the next line that contains a text.
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

// interrupted stops the program, which must exit with 130 and print no more.
func (f *follower) interrupted() {
	f.t.Helper()
	f.stop()
	if f.lines.Scan() {
		f.t.Errorf("another row: %q", f.lines.Text())
	}
	if code := <-f.code; code != exitInterrupted {
		f.t.Errorf("exit %d", code)
	}
}

const (
	followPrompt = `{"role":"user","content":"look at x.go"}`
	followCall   = `{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"x.go\"}"}}]}`
	followResult = `{"role":"tool","tool_call_id":"c1","content":"package x"}`
	followAnswer = `{"role":"assistant","content":"It is a package."}`
)

// Into a pipe, -f prints each row as soon as it is written, once, and exits with 130 at an
// interrupt.
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

// With --json each new message is a line, also for the newest file of a folder.
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

// followPlaces are growing files: how to follow each, and how to add a message.
func followPlaces(t *testing.T, each func(t *testing.T, path string, grow func(text string))) {
	t.Run("bucket", func(t *testing.T) {
		text := followPrompt + "\n"
		s := bucketOf(t, map[string]string{"run.jsonl": text})
		each(t, "s3://runs/run.jsonl", func(more string) {
			text += more + "\n"
			s.Put("run.jsonl", text)
		})
	})
	t.Run("host", func(t *testing.T) {
		modeltest.Unix(t, "the host of this test is a shell script")
		path := filepath.Join(hostHere(t), "run.jsonl")
		if err := os.WriteFile(path, []byte(followPrompt+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		each(t, "far:"+path, func(more string) { (&follower{t: t}).append(path, more) })
	})
	t.Run("sshd", func(t *testing.T) {
		modeltest.Long(t, "it starts a server")
		modeltest.Unix(t, "sshd of this test is that of a Unix system")
		t.Setenv("PATH", startSSHD(t, "/usr/bin:/bin")+":"+os.Getenv("PATH"))
		path := filepath.Join(t.TempDir(), "run.jsonl")
		if err := os.WriteFile(path, []byte(followPrompt+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		each(t, "box:"+path, func(more string) { (&follower{t: t}).append(path, more) })
	})
}

// hostHere makes ssh a script whose host is this machine, without turns, and returns its home.
func hostHere(t *testing.T) (home string) {
	t.Helper()
	bin, home := t.TempDir(), t.TempDir()
	script := "#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done\ncd \"$HOME\" && exec sh -c \"$3\"\n"
	if err := os.WriteFile(filepath.Join(bin, "ssh"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":/usr/bin:/bin")
	t.Setenv("HOME", home)
	return home
}

// A bucket and another host are followed like a file: rows, messages as JSON, and 130 at an
// interrupt.
func TestFollowElsewhere(t *testing.T) {
	followPlaces(t, func(t *testing.T, path string, grow func(string)) {
		f := followIn(t, os.Getenv, path)
		f.next("look at x.go")
		grow(followCall + "\n" + followResult)
		f.next("read_file")
		grow(followAnswer)
		f.next("It is a package.")
		f.interrupted()
	})
	followPlaces(t, func(t *testing.T, path string, grow func(string)) {
		f := followIn(t, os.Getenv, "--json", path)
		f.next("look at x.go")
		grow(followAnswer)
		f.next("It is a package.")
		f.interrupted()
	})
}

// Following the spool of a receiver shows its messages while it receives.
func TestFollowSpool(t *testing.T) {
	for _, args := range [][]string{nil, {"--json"}} {
		url, spool, stop := listening(t)
		said := ""
		send := func(text string) { // the session so far, as it grows
			said += `{"role":"user","content":"next"}` + "\n" + `{"role":"assistant","content":"` + text + `"}` + "\n"
			run(t, said, "export", "-", "--to", "otlp", "--send", url)
		}
		send("received one")
		f := follow(t, append(args, spool)...)
		f.next("received one")
		send("received two")
		f.next("received two")
		f.interrupted()
		stop()
	}
}
