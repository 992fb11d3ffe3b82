package load

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMovedToLooksFarEnough writes records of different lengths after the one that names the new
// transcript.
func TestMovedToLooksFarEnough(t *testing.T) {
	const (
		first   = `{"type":"user","uuid":"a","sessionId":"s"}` + "\n"
		moved   = `{"type":"continued-in","continuedInSessionId":"next"}` + "\n"
		message = `{"type":"user","uuid":"b"}` + "\n"
	)
	other := func(n int) string { return `{"type":"other","text":"` + strings.Repeat("x", n) + `"}` + "\n" }
	for name, c := range map[string]struct {
		text  string
		moves bool
	}{
		"at the end":                    {first + moved, true},
		"before a short record":         {first + moved + other(10), true},
		"before a long record":          {first + moved + other(movedLook), true},
		"across the first look":         {first + moved + other(movedLook-100), true},
		"further than is read":          {first + moved + other(16<<10), false},
		"as far as is read":             {first + moved + other(16<<10-100), true},
		"behind a long first record":    {other(63<<10) + first + moved, true},
		"before a message":              {first + moved + message, false},
		"before a message and a record": {first + moved + message + other(movedLook), false},
		"after a message":               {first + other(16<<10) + message + moved, true},
		"nowhere":                       {first + message, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path, next := filepath.Join(dir, "session.jsonl"), filepath.Join(dir, "next.jsonl")
			for file, text := range map[string]string{path: c.text, next: c.text + message} {
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got, named := MovedTo(path)
			if want := next; c.moves && (got != want || !named) || !c.moves && (got != "" || named) {
				t.Errorf("got %q, %v, want a new transcript: %v", got, named, c.moves)
			}
		})
	}
}

// TestMovedToComparesBeginnings: the first 64 KiB of both transcripts must name the same session.
func TestMovedToComparesBeginnings(t *testing.T) {
	other := `{"type":"other","text":"` + strings.Repeat("x", 65<<10) + `"}` + "\n"
	first := `{"type":"user","uuid":"a","sessionId":"s"}` + "\n"
	dir := t.TempDir()
	path := filepath.Join(dir, "session.jsonl")
	for _, file := range []string{path, filepath.Join(dir, "next.jsonl")} {
		text := other + first + `{"type":"continued-in","continuedInSessionId":"next"}` + "\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, named := MovedTo(path); got != "" || !named {
		t.Errorf("got %q, %v", got, named)
	}
}
