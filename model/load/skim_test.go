package load

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"turns/model"
	"turns/model/modeltest"
	"turns/query/filter"
)

// TestSkimMissesNothing looks, in each sample, for parts of the visible text of each message, in
// any case, as recorded and in other spellings of the same JSON: the bytes must not rule out a
// transcript that contains it.
func TestSkimMissesNothing(t *testing.T) {
	modeltest.Long(t, "it reads every sample in two ways")
	ctx := context.Background()
	dir := t.TempDir()
	told, looked := 0, 0
	err := filepath.WalkDir("../../testdata/formats", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		c, err := Open(ctx, path, Options{Workers: 1})
		if err != nil {
			return nil // a part of another sample, or made to be refused
		}
		defer c.Close()
		s, err := c.Load(ctx)
		if err != nil {
			return nil
		}
		if NewSkim([][]byte{[]byte("zzz nobody says this")}).Misses(ctx, path) {
			told++
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, id := range s.LiveIDs() {
			for _, part := range partsOf(t, s, id) {
				if looked++; !modeltest.Some(looked, 6) {
					continue
				}
				p, err := filter.NewPattern(part, false)
				if err != nil || p.Literals() == nil {
					continue
				}
				if NewSkim([][]byte{[]byte(strings.ToUpper(part))}).Misses(ctx, path) {
					t.Errorf("%s: message %d holds %q, and the file's bytes are said not to", path, s.Pos(id), part)
				}
				other := filepath.Join(dir, fmt.Sprintf("%d%s", looked, filepath.Ext(path)))
				if text := spelled(data, part, looked); text == nil || os.WriteFile(other, text, 0o600) != nil {
					continue
				}
				if NewSkim(p.Literals()).Misses(ctx, other) {
					t.Errorf("%s: message %d holds %q, spelled otherwise, and the file's bytes are said not to", path, s.Pos(id), part)
				}
				os.Remove(other)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if told < 60 || looked < 2000 {
		t.Errorf("only %d files could tell, and %d parts were looked for", told, looked)
	}
}

// partsOf returns some parts of a message's visible text: across words, lines and the pieces that
// it consists of.
func partsOf(t *testing.T, s *model.Snapshot, id model.ID) (parts []string) {
	m, err := s.Body(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Blocks {
		text := filter.Readable(&m.Blocks[i])
		for at, n := 0, 5; at < min(len(text), 400); at, n = at+3, 4+(at*7)%19 {
			parts = append(parts, strings.ToValidUTF8(text[at:min(at+n, len(text))], ""))
		}
	}
	return parts
}

// spelled returns a file with a part in another spelling: with escapes, or with invisible
// characters in it; nil if the part is not recorded literally.
func spelled(data []byte, part string, how int) []byte {
	if strings.ContainsAny(part, "\"\\/\n\t") || !bytes.Contains(data, []byte(part)) {
		return nil
	}
	var b strings.Builder
	for i, r := range part {
		switch {
		case how%3 == 0 && r < 0x7f:
			fmt.Fprintf(&b, `\u%04x`, r)
		case how%3 == 1 && r < 0x7f && i%2 == 0:
			fmt.Fprintf(&b, `\\\u%04X`, r)
		case how%3 == 2 && i%3 == 1:
			b.WriteString("\u200b" + string(r) + `\ufe0f`)
		default:
			b.WriteRune(r)
		}
	}
	return bytes.Replace(data, []byte(part), []byte(b.String()), 1)
}

// TestSkimTellsOfWhatBytesTell: the bytes do not rule out a text in pieces, in the transcript of a
// subagent or in a continued one.
func TestSkimTellsOfWhatBytesTell(t *testing.T) {
	for _, test := range []struct {
		path, text string
		misses     bool
	}{
		{"../../testdata/formats/agent-c/events.jsonl", "Listing", false},
		{"../../testdata/formats/agent-c/events.jsonl", "listening", true},
		{"../../testdata/demo.jsonl", "NO EVENT WITHIN", false},
		{"../../testdata/demo.jsonl", "nobody says this", true},
		{"../../testdata/formats/codex/paginated.jsonl", "nobody says this", false},
	} {
		if got := NewSkim([][]byte{[]byte(test.text)}).Misses(t.Context(), test.path); got != test.misses {
			t.Errorf("%s for %q: misses is %v", test.path, test.text, got)
		}
	}
	if NewSkim([][]byte{[]byte("ab")}) != nil {
		t.Error("two letters are looked for")
	}
}

// TestSkimReadsAgain: the first sign of a text in pieces may appear late in the file.
func TestSkimReadsAgain(t *testing.T) {
	line := func(text string) string { return `{"type":"text.delta","text":"` + text + `"}` + "\n" }
	path := filepath.Join(t.TempDir(), "run.jsonl")
	data := line("we need ") + strings.Repeat(line("and so on"), 4*skimStep/len(line("and so on"))) + line("quux")
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	if NewSkim([][]byte{[]byte("need quux")}).Misses(t.Context(), path) {
		t.Error("a text in distant pieces is not found")
	}
	if !NewSkim([][]byte{[]byte("feed quux")}).Misses(t.Context(), path) {
		t.Error("a text with a missing piece is found")
	}
}

// TestSkimFindsTextsBetweenReads: a text that begins in one read of a long line and ends in the
// next is found.
func TestSkimFindsTextsBetweenReads(t *testing.T) {
	const text = "a sentence that is in no other place of the transcript, with many words to search"
	path := filepath.Join(t.TempDir(), "long.jsonl")
	for _, before := range []int{1, 40, 64, len(text) - 1} {
		line := []byte(`{"role":"user","content":"` + strings.Repeat("x", 512<<10))
		line = append(append(line[:512<<10-before], text...), "xxx\"}\n"...)
		line = append(line, `{"role":"assistant","content":"yes"}`+"\n"...)
		if err := os.WriteFile(path, line, 0o600); err != nil {
			t.Fatal(err)
		}
		if NewSkim([][]byte{[]byte(text)}).Misses(t.Context(), path) {
			t.Errorf("a text with %d of its bytes in the first read is not found", before)
		}
		if !NewSkim([][]byte{[]byte("another sentence")}).Misses(t.Context(), path) {
			t.Errorf("a text that is not there is not ruled out (%d)", before)
		}
	}
}
