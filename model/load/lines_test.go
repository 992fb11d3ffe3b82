package load

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTrajectoriesOnLines: each line with a run is a separate conversation, even in a pipe that has
// not ended yet, for one line or more.
func TestTrajectoriesOnLines(t *testing.T) {
	data, err := os.ReadFile("../../testdata/formats/atif/many.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(data), "\n")
	for name, text := range map[string]string{"several": string(data), "one": first + "\n"} {
		path := filepath.Join(t.TempDir(), "runs.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := Open(context.Background(), path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		checkRuns(t, name, file, strings.Count(text, "\n"))

		r, w := io.Pipe()
		go func() { _, _ = io.WriteString(w, text) }()
		pipe, err := Open(context.Background(), "-", Options{Stdin: r})
		if err != nil {
			t.Fatal(err)
		}
		defer pipe.Close()
		w.Close() // the end arrives after the recognition
		checkRuns(t, name+", from a pipe", pipe, strings.Count(text, "\n"))
	}
}

func checkRuns(t *testing.T, name string, c *Conversation, want int) {
	t.Helper()
	s, err := c.Load(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	runs := 0
	for i := range s.Sessions() {
		if se := &s.Sessions()[i]; se.Count > 0 {
			runs++
			if se.Field("agent") == "" {
				t.Errorf("%s: the %d messages of run %d have no agent", name, se.Count, i)
			}
		} else if se.Field("agent") != "" {
			t.Errorf("%s: the agent of run %d said nothing", name, i)
		}
	}
	if runs != want || s.Format() != "atif" {
		t.Errorf("%s: %d runs of %s, want %d", name, runs, s.Format(), want)
	}
}
