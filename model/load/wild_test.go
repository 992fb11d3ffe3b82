package load

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"turns/model"
	"turns/model/modeltest"
)

// TestWild opens transcripts in forms that occur in practice but that no agent's format has, and
// counts the results.
func TestWild(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/wild.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		name, wanted, _ := strings.Cut(f.Name, " ")
		if !modeltest.SomeNamed(name, 1) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(path, f.Data, 0o600); err != nil {
				t.Fatal(err)
			}
			got, format := countsOf(t, path)
			for want := range strings.FieldsSeq(wanted) {
				if want == "raw" {
					if got["u"]+got["a"] > 0 {
						t.Errorf("%s: raw records were read as %s: %v", name, format, got)
					}
					continue
				}
				of, number, _ := strings.Cut(want, "=")
				least, most, ranged := strings.Cut(number, "..")
				if !ranged {
					most = least
				}
				if from, to := atoi(t, least), atoi(t, most); got[of] < from || got[of] > to {
					t.Errorf("%s is read as %s with %s=%d, want %s (%v)", name, format, of, got[of], number, got)
				}
			}
		})
	}
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// countsOf opens a file and counts its conversations (c), the messages of users (u) and
// assistants (a), and tool calls (t).
func countsOf(t *testing.T, path string) (counts map[string]int, format string) {
	t.Helper()
	ctx := context.Background()
	c, err := Open(ctx, path, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s, err := c.Load(ctx)
	if err != nil {
		t.Fatal(err)
	}
	counts = map[string]int{"t": s.CallCount()}
	for n := range s.Sessions() {
		if s.Counts(n) {
			counts["c"]++
		}
	}
	for pos := range s.Len() {
		if _, err := s.Body(ctx, s.At(pos)); err != nil {
			t.Errorf("%s: message %d cannot be read: %v", filepath.Base(path), pos, err)
		}
		switch s.HeadRow(s.At(pos)).Role {
		case model.User:
			counts["u"]++
		case model.Assistant:
			counts["a"]++
		}
	}
	return counts, s.Format()
}

// TestNewestFirst reads a list from an API with the newest message first.
func TestNewestFirst(t *testing.T) {
	data := `{"object": "list", "data": [` + strings.Join([]string{
		`{"id": "m3", "object": "thread.message", "created_at": 1767000003, "role": "user", "content": [{"type": "text", "text": {"value": "three"}}]}`,
		`{"id": "m2", "object": "thread.message", "created_at": 1767000002, "role": "assistant", "content": [{"type": "text", "text": {"value": "two"}}]}`,
		`{"id": "m1", "object": "thread.message", "created_at": 1767000001, "role": "user", "content": [{"type": "text", "text": {"value": "one"}}]}`,
	}, ",\n") + `]}`
	got, format, err := tell(data, "")
	if err != nil {
		t.Fatal(err)
	}
	if want := "user one; assistant two; user three"; got.String() != want {
		t.Errorf("as %s: %s, want %s", format, got, want)
	}
}
