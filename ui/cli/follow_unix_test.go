//go:build unix

package cli

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The reader of the rows may close the pipe.
func TestFollowEndsWithItsReader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.jsonl")
	if err := os.WriteFile(path, []byte(followPrompt+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	code := make(chan int, 1)
	go func() {
		code <- Run(t.Context(), []string{"-f", path}, IO{In: strings.NewReader(""), Out: w, Err: io.Discard, Env: noEnv})
	}()
	lines := bufio.NewScanner(r)
	if !lines.Scan() || !strings.Contains(lines.Text(), "look at x.go") {
		t.Fatalf("the first row is %q", lines.Text())
	}
	r.Close()
	if got := <-code; got != exitOK {
		t.Errorf("exit %d", got)
	}
}
