package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"turns/model"
	"turns/model/modeltest"
	"turns/model/source/disk"
)

// TestFollowingStoresIsOpeningThem follows each store while its script runs, one statement after
// another, and compares the follower's state with that of opening the store.
func TestFollowingStoresIsOpeningThem(t *testing.T) {
	for _, s := range storeScripts(t) {
		t.Run(s.name, func(t *testing.T) {
			tables, rest := tablesFirst(s.steps)
			s.steps = []string{tables}
			path := s.write(t, t.TempDir())
			f := followGrowing(t, path)
			for _, statement := range rest {
				execute(t, path, statement)
				f.catchUp(statement)
			}
		})
	}
}

// TestFollowingLinesIsOpeningThem lets each sample of lines grow under a follower, in pieces that
// end within a line. It skips lines that are unrolled as documents:
// TestFollowedDocumentKeepsItsFormat follows these.
func TestFollowingLinesIsOpeningThem(t *testing.T) {
	for _, sample := range samples(t) {
		if !modeltest.SomeNamed(sample, 1) {
			continue
		}
		c, err := Open(t.Context(), sample, Options{})
		if err != nil {
			t.Fatal(err)
		}
		framed := c.src.Framed()
		c.Close()
		if framed {
			continue
		}
		t.Run(filepath.Base(filepath.Dir(sample))+"/"+filepath.Base(sample), func(t *testing.T) {
			data, err := os.ReadFile(sample)
			if err != nil {
				t.Fatal(err)
			}
			lines := bytes.SplitAfter(data, []byte("\n"))
			path := filepath.Join(t.TempDir(), filepath.Base(sample))
			first := min(2, len(lines)-1)
			if err := os.WriteFile(path, bytes.Join(lines[:first], nil), 0o600); err != nil {
				t.Fatal(err)
			}
			f := followGrowing(t, path)
			f.catchUp("the first lines")
			for rest := lines[first:]; len(rest) > 0; {
				n := (len(rest) + 1) / 2
				piece := bytes.Join(rest[:n], nil)
				cut := len(piece) - len(rest[n-1])/2
				grow(t, path, piece[:cut])
				grow(t, path, piece[cut:])
				rest = rest[n:]
				f.catchUp(fmt.Sprintf("all but %d lines", len(rest)))
			}
		})
	}
}

func grow(t *testing.T, path string, data []byte) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = file.Write(data)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// tablesFirst divides a script into the statements that make the tables, with the first row of
// each, and the rest.
func tablesFirst(steps []string) (tables string, rest []string) {
	for statement := range strings.SplitAfterSeq(strings.Join(steps, ""), ";\n") {
		switch {
		case strings.HasPrefix(statement, "create "):
			tables += statement
		case strings.TrimSpace(statement) != "":
			rest = append(rest, statement)
		}
	}
	return tables, rest
}

// growingFile is a transcript that a test extends, with its follower.
type growingFile struct {
	t    *testing.T
	path string
	c    *Conversation
}

func followGrowing(t *testing.T, path string) *growingFile {
	t.Helper()
	c, err := Open(t.Context(), path, Options{Follow: true, system: disk.System{Deaf: true, Tick: fastTick}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return &growingFile{t, path, c}
}

// catchUp receives updates until the follower has the same state as opening the transcript.
func (f *growingFile) catchUp(what string) {
	f.t.Helper()
	want := openedTold(f.t, f.path)
	ctx, cancel := context.WithTimeout(f.t.Context(), time.Minute)
	defer cancel()
	got := ""
	if f.c.begun {
		got = followedTold(f.t.Context(), f.c, f.c.snap)
	}
	for got != want {
		u, err := f.c.Next(ctx)
		if err != nil {
			f.t.Fatalf("after %s\n%v\n%s", what, err, modeltest.FirstDifference(got, want))
		}
		got = followedTold(f.t.Context(), f.c, u.Snap)
	}
}

// openedTold returns the content of a transcript after opening it.
func openedTold(t *testing.T, path string) string {
	t.Helper()
	c, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	snap, err := c.Load(t.Context())
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, errNoBase) {
		t.Fatalf("%s: %v", path, err)
	}
	return followedTold(t.Context(), c, snap)
}

// followedTold returns the content of a conversation, one session after another: a follower of two
// sessions does not know their order.
func followedTold(ctx context.Context, c *Conversation, snap *model.Snapshot) string {
	f, _ := c.Format()
	lines := strings.Split(snapTold(ctx, snap), "\n")
	for _, e := range snap.Endings() {
		e.At = 0
		lines = append(lines, fmt.Sprintf("~ ends %v", e))
	}
	session := func(line string) string { name, _, _ := strings.Cut(line, " "); return strings.TrimSuffix(name, ":") }
	slices.SortStableFunc(lines, func(a, b string) int { return strings.Compare(session(a), session(b)) })
	ends := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "~") })
	slices.Sort(lines[ends:])
	return fmt.Sprintf("%s, %d unreadable, %d calls\n%s", f.Name, snap.Unreadable(), snap.CallCount(), strings.Join(lines, "\n"))
}

// TestFollowingFromTheFirstLine follows each file of lines from its first line on, which may be a
// JSON document, and later one of several.
func TestFollowingFromTheFirstLine(t *testing.T) {
	for _, sample := range samples(t) {
		if filepath.Ext(sample) != ".jsonl" || !modeltest.SomeNamed(sample, 1) {
			continue
		}
		t.Run(filepath.Base(filepath.Dir(sample))+"/"+filepath.Base(sample), func(t *testing.T) {
			data, err := os.ReadFile(sample)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), filepath.Base(sample))
			first, rest, _ := bytes.Cut(data, []byte("\n"))
			if err := os.WriteFile(path, append(first, '\n'), 0o600); err != nil {
				t.Fatal(err)
			}
			f := followGrowing(t, path)
			f.catchUp("the first line")
			for n := 0; len(rest) > 0 && n < 3; n++ {
				next, more, _ := bytes.Cut(rest, []byte("\n"))
				grow(t, path, append(next[:len(next):len(next)], '\n'))
				rest = more
				f.catchUp(fmt.Sprintf("line %d", n+2))
			}
		})
	}
}
