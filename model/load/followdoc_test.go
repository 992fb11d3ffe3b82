package load

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"turns/model/source/disk"
)

// chatDocument returns a document of messages with these numbers, over several lines.
func chatDocument(numbers ...int) string {
	var parts []string
	for _, n := range numbers {
		parts = append(parts, fmt.Sprintf("  {\n   \"role\": \"user\",\n   \"content\": \"line %d\"\n  }", n))
	}
	return "{\n \"messages\": [\n" + strings.Join(parts, ",\n") + "\n ]\n}\n"
}

// docFollower follows a document that a test writes.
type docFollower struct {
	t    *testing.T
	path string
	c    *Conversation
}

func followDocument(t *testing.T, path, format string) *docFollower {
	t.Helper()
	c, err := Open(t.Context(), path, Options{Follow: true, Format: format, system: disk.System{Deaf: true, Tick: fastTick}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return &docFollower{t, path, c}
}

// write replaces the document atomically, as careful programs do.
func (f *docFollower) write(text string) {
	f.t.Helper()
	if err := os.WriteFile(f.path+".tmp", []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
	if err := os.Rename(f.path+".tmp", f.path); err != nil {
		f.t.Fatal(err)
	}
}

// put writes the document in place.
func (f *docFollower) put(text string) {
	f.t.Helper()
	if err := os.WriteFile(f.path, []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// until receives updates until one is good.
func (f *docFollower) until(what string, good func(Update) bool) {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), time.Minute)
	defer cancel()
	for {
		u, err := f.c.Next(ctx)
		if err != nil {
			f.t.Fatalf("%s: following ended: %v; the format is %q", what, err, f.c.format.Name)
		}
		if good(u) {
			return
		}
	}
}

// says returns a check for an update whose messages have the numbers.
func (f *docFollower) says(numbers ...int) func(Update) bool {
	want := ""
	for _, n := range numbers {
		want += fmt.Sprintf("line %d\n", n)
	}
	return func(u Update) bool { return said(f.t, u.Snap) == want }
}

// TestFollowedDocumentKeepsItsFormat rewrites a document more often than former files stay open,
// and then changes its beginning.
func TestFollowedDocumentKeepsItsFormat(t *testing.T) {
	path := filepath.Join(t.TempDir(), "doc.json")
	if err := os.WriteFile(path, []byte(chatDocument(0)), 0o600); err != nil {
		t.Fatal(err)
	}
	f := followDocument(t, path, "")
	numbers := []int{0}
	f.until("first", f.says(numbers...))
	for n := 1; n <= 40; n++ {
		numbers = append(numbers, n)
		f.write(chatDocument(numbers...))
		f.until("appended", f.says(numbers...))
	}
	numbers[0] = 1000
	f.write(chatDocument(numbers...))
	f.until("changed", f.says(numbers...))
	if name := f.c.format.Name; name != "openai" {
		t.Errorf("the format is %q", name)
	}
}

// TestFollowLateDocument follows a path at which a document appears, or an empty file that becomes
// a document, in a detected or chosen format.
func TestFollowLateDocument(t *testing.T) {
	for _, begins := range []string{"nothing", "an empty file"} {
		for _, format := range []string{"", "openai"} {
			name := fmt.Sprintf("%s, format %q", begins, format)
			path := filepath.Join(t.TempDir(), "doc.json")
			if begins != "nothing" {
				if err := os.WriteFile(path, nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			f := followDocument(t, path, format)
			f.put(chatDocument(0, 1))
			f.until(name, f.says(0, 1))
			f.write(chatDocument(0, 1, 2))
			f.until(name+", grown", f.says(0, 1, 2))
		}
	}
}

// TestFollowEmptyFile follows an empty file that grows.
func TestFollowEmptyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.jsonl")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f := followDocument(t, path, "")
	f.put(chatLine(0))
	f.until("the first record", f.says(0))
	if name := f.c.format.Name; name != "openai" {
		t.Errorf("the format is %q", name)
	}
}

// TestBackAgain removes a followed file and restores it, or another one with the same content.
func TestBackAgain(t *testing.T) {
	for name, text := range map[string]string{"lines": chatLine(0), "document": chatDocument(0)} {
		path := filepath.Join(t.TempDir(), name+".json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f := followDocument(t, path, "")
		f.until(name, f.says(0))
		for _, back := range []string{"back", "anew"} {
			if err := os.Rename(path, path+".away"); err != nil {
				t.Fatal(err)
			}
			f.until(name+", gone", func(u Update) bool { return u.Waiting })
			if back == "anew" {
				f.put(text)
			} else if err := os.Rename(path+".away", path); err != nil {
				t.Fatal(err)
			}
			f.until(name+", "+back, func(u Update) bool { return !u.Waiting })
		}
	}
}
