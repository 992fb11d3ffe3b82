package load

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/model/modeltest"
	"turns/query/filter"
)

// TestMaybeMissesNothing looks, in each sample, for the words of each message and the names of its
// tools: the bytes must not rule out any match of a search.
func TestMaybeMissesNothing(t *testing.T) {
	modeltest.Long(t, "it reads every sample in two ways")
	ctx := context.Background()
	told, words := 0, 0
	err := filepath.WalkDir("../../testdata/formats", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		c, err := Open(ctx, path, Options{})
		if err != nil {
			return nil // a part of another sample, or made to be refused
		}
		defer c.Close()
		s, err := c.Load(ctx)
		if err != nil {
			return nil
		}
		if !c.Maybe(ctx, [][]byte{[]byte("zzz nobody says this")}) {
			told++
		}
		for _, id := range s.LiveIDs() {
			for _, word := range spoken(t, s, id) {
				if words++; !modeltest.Some(words, 4) {
					continue
				}
				p, err := filter.NewPattern(word, false)
				if err != nil {
					continue // the word is an invalid regex
				}
				if !c.Maybe(ctx, p.Literals()) {
					t.Errorf("%s: message %d holds %q, and the file's bytes are said not to", path, s.Pos(id), word)
				}
				if rows, ok := s.Maybe(ctx, p.Literals(), nil); ok && !slices.Contains(slices.Collect(rows), id) && recorded(s, id, word) {
					t.Errorf("%s: message %d holds %q, and its records are said not to", path, s.Pos(id), word)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if told < 20 || words < 2000 {
		t.Errorf("only %d files could tell, and %d words were looked for", told, words)
	}
}

// spoken returns some words of a message as a reader sees it.
func spoken(t *testing.T, s *model.Snapshot, id model.ID) []string {
	m, err := s.Body(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i := range m.Blocks {
		b := &m.Blocks[i]
		fields := strings.Fields(filter.Readable(b))
		out = append(out, fields[:min(len(fields), 40)]...)
		if b.Kind == model.ToolCall && b.Name != "" {
			out = append(out, b.Name)
		}
	}
	return out
}

// recorded reports whether a word is from the message itself: the name of a call's tool may replace
// a format's own name.
func recorded(s *model.Snapshot, id model.ID, word string) bool {
	for _, c := range s.Calls(id) {
		if s.Name(c.Tool) == word {
			return false
		}
	}
	return true
}
