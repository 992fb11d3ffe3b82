package load

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"turns/model/modeltest"
)

// A summary from a tail equals that of a list that reads the file again.
func TestTail(t *testing.T) {
	paths, _ := filepath.Glob("../../testdata/formats/*/*.jsonl")
	followed := 0
	var tails Tails
	for _, from := range paths {
		data, err := os.ReadFile(from)
		if err != nil || !modeltest.SomeNamed(from, 2) || bytes.Count(data, []byte("\n")) < 4 || data[len(data)-1] != '\n' {
			continue
		}
		path := filepath.Join(t.TempDir(), filepath.Base(from))
		cut := bytes.LastIndexByte(data[:len(data)*2/3], '\n') + 1
		write := func(b []byte) {
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write(data[:cut])
		s, err := Summarise(t.Context(), path)
		if err != nil || s.Sessions > 1 {
			continue
		}
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		third := (len(data) - cut) / 3                            // in the middle of a line
		if _, err := f.Write(data[cut : cut+third]); err != nil { // since it was summarised
			t.Fatal(err)
		}
		tail, ok := tails.Follow(t.Context(), &s)
		if !ok {
			continue
		}
		for _, part := range [][]byte{nil, data[cut+third : cut+2*third], data[cut+2*third:]} {
			if _, err := f.Write(part); err != nil {
				t.Fatal(err)
			}
			if s, _, ok = tail.Grow(t.Context()); !ok {
				t.Fatalf("%s is followed no more", from)
			}
		}
		f.Close()
		if _, grew, ok := tail.Grow(t.Context()); grew || !ok {
			t.Errorf("%s grew without being written to: %v", from, ok)
		}
		want, err := Summarise(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if want.Sessions > 1 || want.Format != s.Format {
			tail.Close()
			continue
		}
		followed++
		// unchanged from the beginning of the file
		want.Title, want.Project, want.Session = s.Title, s.Project, s.Session
		if want != s {
			t.Errorf("%s: followed\n%+v\nread again\n%+v", from, s, want)
		}
		write(data[:cut/2])
		if _, _, ok := tail.Grow(t.Context()); ok {
			t.Errorf("%s was cut, and is followed", from)
		}
		tail.Close()
	}
	if tails.kept != 0 {
		t.Errorf("%d files stay open", tails.kept)
	}
	if followed < modeltest.Fewer(5, 5) {
		t.Errorf("only %d transcripts were followed", followed)
	}
}

// TestTailOfAnotherFile: an open file may have been renamed and replaced by another.
func TestTailOfAnotherFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.jsonl")
	line := func(n int) string {
		return fmt.Sprintf(`{"type":"user","uuid":"u%d","sessionId":"s","timestamp":"2026-01-02T03:04:05Z","message":{"role":"user","content":"go on"}}`+"\n", n)
	}
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(line(0))
	s, err := Summarise(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	var tails Tails
	tail, ok := tails.Follow(t.Context(), &s)
	if !ok {
		t.Fatal("it is not followed")
	}
	defer tail.Close()
	for n := range 3 {
		write(line(0) + line(1) + strings.Repeat(line(2), n))
		if s, grew, ok := tail.Grow(t.Context()); !grew || !ok || s.Messages != 2+min(n, 1) {
			t.Fatalf("look %d: grew %v, followed %v, %d messages", n, grew, ok, s.Messages)
		}
	}
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	write(strings.Repeat(line(0), 9))
	if _, _, ok := tail.Grow(t.Context()); ok {
		t.Error("another file is followed")
	}
}
