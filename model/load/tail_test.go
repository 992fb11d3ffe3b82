package load

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"turns/model/modeltest"
)

// What grows under a tail is told as a list would tell it that reads it anew.
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
		tail, ok := tails.Follow(t.Context(), &s)
		if !ok {
			continue
		}
		if _, grew, ok := tail.Grow(t.Context()); grew || !ok {
			t.Errorf("%s grew before it was written to: %v", from, ok)
		}
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		half := cut + (len(data)-cut)/2 // in the middle of a line
		for _, part := range [][]byte{data[cut:half], data[half:]} {
			if _, err := f.Write(part); err != nil {
				t.Fatal(err)
			}
			if s, _, ok = tail.Grow(t.Context()); !ok {
				t.Fatalf("%s is followed no more", from)
			}
		}
		f.Close()
		want, err := Summarise(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if want.Sessions > 1 || want.Format != s.Format {
			continue
		}
		followed++
		want.Title, want.Project, want.Session = s.Title, s.Project, s.Session // as at the beginning
		if want != s {
			t.Errorf("%s: followed\n%+v\nread anew\n%+v", from, s, want)
		}
		write(data[:cut/2])
		if _, _, ok := tail.Grow(t.Context()); ok {
			t.Errorf("%s was cut, and is followed", from)
		}
	}
	if followed < 5 {
		t.Errorf("only %d transcripts were followed", followed)
	}
}
