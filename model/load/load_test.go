package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"turns/model"
	"turns/model/modeltest"
	"turns/model/stitch"
)

// picture returns all data of an index in a form for comparison.
func picture(s *model.Snapshot) string {
	var b strings.Builder
	fmt.Fprintf(&b, "live %d unreadable %d notes %d tail %v\n", s.Len(), s.Unreadable(), s.Notes(), s.Tail())
	for n := range s.Rows() {
		h := s.Head(model.ID(n))
		fmt.Fprintf(&b, "%d pos %d op %d %s flags %x time %d size %d name %q", n, s.Pos(model.ID(n)), h.Op, h.Role, h.Flags, h.Time, h.Size, s.Name(h.Name))
		if u, ok := s.Tokens(model.ID(n)); ok {
			fmt.Fprintf(&b, " usage %v", u)
		}
		for _, c := range append(s.Calls(model.ID(n)), s.Answers(model.ID(n))...) {
			fmt.Fprintf(&b, " call %d %s %d->%d %s %d", c.ID, s.Name(c.Tool), c.Msg, c.Result, c.Outcome, c.Took)
		}
		for _, p := range s.Parts(model.ID(n)) {
			fmt.Fprintf(&b, " %d+%d", p.Ref.Off, p.Ref.Len)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%v %v %v\n", s.Threads(), s.Sessions(), s.Totals())
	return b.String()
}

func loadFile(t *testing.T, path string, opts Options) *model.Snapshot {
	t.Helper()
	c, err := Open(context.Background(), path, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	s, err := c.Load(context.Background())
	if err != nil && !errors.Is(err, errNoBase) {
		t.Fatal(err)
	}
	return s
}

func generated(t *testing.T, size int64) (path string, counts modeltest.Counts) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "run.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if counts, err = modeltest.Transcript(f, size, 7); err != nil {
		t.Fatal(err)
	}
	return path, counts
}

func TestGeneratedTranscriptHasItsCounts(t *testing.T) {
	path, want := generated(t, 12<<20)
	s := loadFile(t, path, Options{})
	got := counted(s)
	for name, n := range map[string]int64{
		"user": want.Prompts, "assistant": want.Answers, "tool": want.Results,
		"calls": want.Calls, "results": want.Results, "errors": want.Errors, "output": want.OutputTokens,
	} {
		if int64(got[name]) != n {
			t.Errorf("%s: %d, want %d", name, got[name], n)
		}
	}
	if int64(s.Len()) != want.Messages || s.Unreadable() != 0 {
		t.Errorf("%d messages, %d unreadable; want %d and none", s.Len(), s.Unreadable(), want.Messages)
	}
}

func TestOneWorkerIsManyWorkers(t *testing.T) {
	path, _ := generated(t, 9<<20)
	one := picture(loadFile(t, path, Options{Workers: 1}))
	for _, n := range []int{2, 5} {
		if many := picture(loadFile(t, path, Options{Workers: n})); many != one {
			t.Errorf("%d workers make another index than one", n)
		}
	}
}

// samples returns the small transcripts of all formats of lines.
func samples(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("../../testdata/formats/*/*.jsonl")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	lines := paths[:0]
	for _, p := range paths {
		if !strings.Contains(p, ".rows.") {
			lines = append(lines, p)
		}
	}
	return lines
}

// growing is a stream whose size the test sets.
type growing struct {
	data []byte
	size int64
}

func (g *growing) ReadAt(p []byte, off int64) (int, error) {
	n := copy(p, g.data[min(off, g.size):g.size])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (g *growing) Size() int64 { return g.size }

// TestAppendsAreTheWhole loads each sample in random steps, with a snapshot after each, and
// compares the result with loading it in one step. Old snapshots stay unchanged.
func TestAppendsAreTheWhole(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for _, path := range samples(t) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		c, err := Open(context.Background(), path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		f, m := c.Format()
		c.Close()
		if f.Unroll != nil {
			continue
		}
		whole := ""
		for round := range modeltest.Fewer(6, 6) {
			g := &growing{data: data}
			b := stitch.New(f.Order, f.Repeats, nil)
			x := &indexer{reader: reader{format: f, variant: m.Variant, maxSize: 1 << 20}, stream: g, builder: b, workers: 1}
			if f.Split != nil {
				x.split = f.Split(m)
				x.prose = x.split != nil
			}
			b.AddSource(model.Source{Stream: g, Parse: x.parse})
			var old []*model.Snapshot
			var seen []string
			for g.size < int64(len(data)) {
				step := int64(len(data))
				if round > 0 {
					step = 1 + rng.Int64N(int64(len(data))/int64(round*2)+2)
				}
				g.size = min(g.size+step, int64(len(data)))
				if err := x.advance(context.Background(), g.size, g.size == int64(len(data))); err != nil {
					t.Fatal(err)
				}
				s := b.Snapshot()
				old, seen = append(old, s), append(seen, picture(s))
			}
			last := seen[len(seen)-1]
			if round == 0 {
				whole = last
			} else if last != whole {
				t.Errorf("%s: loading in %d steps makes another index\n%s", path, len(seen), modeltest.FirstDifference(last, whole))
				break
			}
			for i, s := range old {
				if picture(s) != seen[i] {
					t.Errorf("%s: snapshot %d of %d changed", path, i, len(old))
				}
			}
		}
	}
}

func TestBadInput(t *testing.T) {
	line := `{"role":"user","content":"hi"}`
	tests := []struct {
		name, data       string
		live, unreadable int
		notes            int
		tail             bool
	}{
		{"no newline at the end", line + "\n" + line, 2, 0, 0, false},
		{"cut last line", line + "\n" + line[:12], 1, 0, 0, true},
		{"a damaged line", line + "\n{\"role\":\"user\",\"con\n" + line + "\n", 2, 1, 0, false},
		{"two objects on a line", line + line + "\n" + line + "\n", 3, 0, 0, false},
		{"crlf", line + "\r\n" + line + "\r\n", 2, 0, 0, false},
		{"byte order mark", "\xef\xbb\xbf" + line + "\n" + line + "\n", 2, 0, 0, false},
		{"NUL bytes at the end", line + "\n" + line + "\n" + strings.Repeat("\x00", 50), 2, 0, 0, false},
		{"empty lines", "\n\n" + line + "\n\n" + line + "\n\n", 2, 0, 0, false},
		{"text before the JSON", "2026-01-02T03:04:05Z pod-7 | " + line + "\n" + line + "\n", 2, 0, 0, false},
		{"text between records", line + "\nstarting up\n" + line + "\n", 2, 0, 1, false},
		{"lone surrogate", `{"role":"user","content":"a\ud800b"}` + "\n" + line + "\n", 2, 0, 0, false},
		{"invalid utf-8", "{\"role\":\"user\",\"content\":\"a\xffb\"}\n" + line + "\n", 2, 0, 0, false},
		{"nothing", "", 0, 0, 0, false},
		{"white space", " \n \n", 0, 0, 0, false},
	}
	for _, test := range tests {
		path := filepath.Join(t.TempDir(), "x.jsonl")
		if err := os.WriteFile(path, []byte(test.data), 0o600); err != nil {
			t.Fatal(err)
		}
		s := loadFile(t, path, Options{})
		if s.Len() != test.live || s.Unreadable() != test.unreadable || s.Notes() != test.notes || (s.Tail().Len > 0) != test.tail {
			t.Errorf("%s: %d messages, %d unreadable, %d notes, tail %v", test.name, s.Len(), s.Unreadable(), s.Notes(), s.Tail())
		}
		for n := range s.Rows() {
			if _, err := s.Body(context.Background(), model.ID(n)); err != nil {
				t.Errorf("%s: row %d: %v", test.name, n, err)
			}
		}
	}
}

func TestPathsThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{filepath.Join(dir, "missing.jsonl"), "/dev/null"} {
		c, err := Open(context.Background(), path, Options{})
		if err == nil {
			c.Close()
			t.Errorf("%s opens", path)
		} else if !strings.Contains(err.Error(), path) {
			t.Errorf("%s: the error does not name it: %v", path, err)
		}
	}
}

func TestBinaryFileIsRecords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bin")
	if err := os.WriteFile(path, bytes.Repeat([]byte{0, 1, 2, 0xff, '\n'}, 100), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Open(context.Background(), path, Options{})
	if err != nil {
		return // a clear error is acceptable
	}
	defer c.Close()
	if _, err := c.Load(context.Background()); err != nil {
		t.Fatal(err)
	}
	if f, m := c.Format(); f.Name != "records" || m.Reason == "" {
		t.Errorf("a binary file is %s: %q", f.Name, m.Reason)
	}
}

func TestRecordOverTheLimitIsARow(t *testing.T) {
	line := `{"role":"user","content":"hi"}` + "\n"
	big := `{"role":"user","content":"` + strings.Repeat("x", 3<<20) + `"}` + "\n"
	path := filepath.Join(t.TempDir(), "x.jsonl")
	if err := os.WriteFile(path, []byte(line+big+line), 0o600); err != nil {
		t.Fatal(err)
	}
	s := loadFile(t, path, Options{Limits: model.Limits{Record: 2 << 20}})
	if s.Len() != 2 || s.Unreadable() != 1 {
		t.Fatalf("%d messages, %d unreadable", s.Len(), s.Unreadable())
	}
	m, err := s.Body(context.Background(), 1)
	if err != nil || m.Err == nil || !strings.Contains(m.Err.Error(), "too large") || len(m.Raw()) == 0 {
		t.Errorf("the row says %v, %v", m, err)
	}
}

// TestReaderSeesWhatBodiesHold compares the two ways of reading a message, over all samples.
func TestReaderSeesWhatBodiesHold(t *testing.T) {
	for _, path := range samples(t) {
		s := loadFile(t, path, Options{})
		r := s.NewReader()
		for n := range s.Rows() {
			id := model.ID(n)
			m, err := s.Body(context.Background(), id)
			if err != nil {
				t.Fatalf("%s: row %d: %v", path, n, err)
			}
			blocks, err := r.Blocks(context.Background(), id)
			if err != nil {
				t.Fatalf("%s: row %d: %v", path, n, err)
			}
			if len(blocks) != len(m.Blocks) {
				t.Errorf("%s: row %d has %d blocks, its body %d", path, n, len(blocks), len(m.Blocks))
				continue
			}
			for i := range blocks {
				got, want := blocks[i].Decode(), m.Blocks[i]
				got.JSON, want.JSON = false, false // a decoded body does not have it
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s: row %d block %d: %+v, its body has %+v", path, n, i, got, want)
				}
			}
		}
	}
}

// documents returns the small transcripts of all formats that open directly.
func documents(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob("../../testdata/formats/*/*")
	if err != nil || len(all) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	var paths []string
	for _, p := range all {
		if !strings.HasSuffix(p, ".golden") && !strings.Contains(p, ".rows.") {
			paths = append(paths, p)
		}
	}
	return paths
}

// TestHeadsSayWhatBodiesHold compares each head with its body.
func TestHeadsSayWhatBodiesHold(t *testing.T) {
	const mask = model.HasWords | model.HasReasoning | model.HasMedia | model.HasCalls
	for _, path := range documents(t) {
		s := loadFile(t, path, Options{})
		for n := range s.Rows() {
			id := model.ID(n)
			m, err := s.Body(context.Background(), id)
			if err != nil {
				t.Errorf("%s: row %d: %v", path, n, err)
				continue
			}
			h := s.Head(id)
			if h.Op != model.Say {
				continue
			}
			var want model.Flags
			for _, b := range m.Blocks {
				switch {
				case b.Kind == model.Words && !b.Null:
					want |= model.HasWords
				case b.Kind == model.Reasoning:
					want |= model.HasReasoning
				case b.Kind == model.Media:
					want |= model.HasMedia
				case b.Kind == model.ToolCall:
					want |= model.HasCalls
				}
			}
			if h.Flags&mask != want {
				t.Errorf("%s: row %d: head says %x, its body %x", path, n, h.Flags&mask, want)
			}
			if m.Role != h.Role || m.Time != h.Time {
				t.Errorf("%s: row %d: body is of %s at %d, head of %s at %d", path, n, m.Role, m.Time, h.Role, h.Time)
			}
		}
	}
}

func TestPanickingParserIsAnUnreadableRecord(t *testing.T) {
	r := reader{format: &model.Format{Name: "clumsy", Parse: func(model.Record, *model.Facts) error { panic("oh") }}}
	var fs model.Facts
	if err := r.parse(model.Record{Data: []byte(`{}`)}, &fs); err == nil || !strings.Contains(err.Error(), "clumsy") {
		t.Errorf("the error is %v", err)
	}
}
