package load

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/klauspost/compress/zstd"

	"turns/model"
	"turns/model/modeltest"
	"turns/model/source/disk"
)

// badSectors is a file with some unreadable bytes.
type badSectors struct {
	*os.File
	bad [][2]int64
	cut func() // called once, before the next read
}

func (b *badSectors) ReadAt(p []byte, off int64) (int, error) {
	if cut := b.cut; cut != nil {
		b.cut = nil
		cut()
	}
	if len(p) == 0 {
		return 0, nil
	}
	for _, hole := range b.bad {
		switch {
		case off >= hole[0] && off < hole[1]:
			return 0, &fs.PathError{Op: "read", Path: b.Name(), Err: syscall.EIO}
		case off < hole[0] && off+int64(len(p)) > hole[0]:
			n, err := b.File.ReadAt(p[:hole[0]-off], off)
			if err == nil {
				err = &fs.PathError{Op: "read", Path: b.Name(), Err: syscall.EIO}
			}
			return n, err
		}
	}
	return b.File.ReadAt(p, off)
}

func badDisk(bad ...[2]int64) disk.System {
	return disk.System{Open: func(path string) (disk.Handle, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		return &badSectors{File: f, bad: bad}, nil
	}}
}

// numbers returns the lines that a snapshot shows, as ranges.
func numbers(t *testing.T, s *model.Snapshot) string {
	t.Helper()
	var b strings.Builder
	from, to := -1, -1
	flush := func() {
		if from >= 0 {
			fmt.Fprintf(&b, "%d-%d ", from, to)
		}
	}
	for n := range s.Rows() {
		m, err := s.Body(context.Background(), model.ID(n))
		if err != nil {
			t.Fatalf("row %d: %v", n, err)
		}
		if m.Op == model.Unreadable {
			flush()
			from = -1
			fmt.Fprintf(&b, "(%v) ", m.Err)
			continue
		}
		var gen, line int
		if _, err := fmt.Sscanf(m.Blocks[0].Text, "g%d n%d", &gen, &line); err != nil {
			t.Fatalf("row %d: %v", n, err)
		}
		if from < 0 || line != to+1 {
			flush()
			from = line
		}
		to = line
	}
	flush()
	return strings.TrimSpace(b.String())
}

// TestBadSectors reads a file with unreadable parts: the snapshot has the lines around them, each
// part is a row, and the error reports their number.
func TestBadSectors(t *testing.T) {
	modeltest.Long(t, "it reads 4,000 lines ten times")
	const eio = "(read PATH: input/output error)"
	line := func(n int) int64 { return int64(len(keyedLines(1, 0, n, 800))) }
	tests := []struct {
		name string
		bad  [][2]int64
		rows string
		err  string
	}{
		{"one in the middle", [][2]int64{{line(2000) + 5, line(2000) + 9}}, "0-1999 " + eio + " 2003-3999", "reading at byte"},
		{"many sectors", [][2]int64{{line(2000), line(2100)}}, "0-1999 " + eio + " 2101-3999", "reading at byte"},
		{"two places", [][2]int64{{line(1000), line(1001)}, {line(3000), line(3001)}},
			"0-999 " + eio + " 1004-2999 " + eio + " 3006-3999", "and 1 more places cannot be read"},
		{"to the end", [][2]int64{{line(3000) + 1, 1 << 40}}, "0-2999 " + eio, "reading at byte"},
		{"the last byte", [][2]int64{{line(4000) - 1, 1 << 40}}, "0-3998 " + eio, "reading at byte"},
	}
	path := filepath.Join(t.TempDir(), "run.jsonl")
	if err := os.WriteFile(path, []byte(keyedLines(1, 0, 4000, 800)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		for _, workers := range []int{1, 4} {
			t.Run(fmt.Sprintf("%s, workers %d", test.name, workers), func(t *testing.T) {
				c, err := Open(context.Background(), path, Options{Workers: workers, system: badDisk(test.bad...)})
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				s, err := c.Load(context.Background())
				if s == nil || !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), test.err) {
					t.Fatalf("loading gives %v and the error %v", s != nil, err)
				}
				// Text in the same piece of 4 KB as a bad byte is lost with it.
				got := strings.ReplaceAll(numbers(t, s), fmt.Sprintf("%q", path), "PATH")
				if got != test.rows {
					t.Errorf("rows %s\nwant %s", got, test.rows)
				}
				if n := strings.Count(test.rows, "("); s.Unreadable() != n {
					t.Errorf("%d are unreadable, want %d", s.Unreadable(), n)
				}
			})
		}
		t.Run(test.name+", followed", func(t *testing.T) {
			h := followByHand(t, path, badDisk(test.bad...))
			if h.last.Err == nil || !strings.Contains(h.last.Err.Error(), test.err) || h.last.Snap.Unreadable() != strings.Count(test.rows, "(") {
				t.Errorf("%d are unreadable, and the state says %v", h.last.Snap.Unreadable(), h.last.Err)
			}
		})
	}
}

// TestCutWhileRead truncates a file between a look and reading the content that it found.
func TestCutWhileRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.jsonl")
	put := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(keyedLines(1, 0, 3, 300))
	var file *badSectors
	h := followByHand(t, path, disk.System{Open: func(path string) (disk.Handle, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		file = &badSectors{File: f}
		return file, nil
	}})
	h.says(1, 0, 3)

	put(keyedLines(1, 0, 5000, 300))
	calls := 0
	var cut func()
	cut = func() { // lets the look, which reads the ends of the file, succeed
		if calls++; calls < 4 {
			defer func() { file.cut = cut }()
			return
		}
		put(keyedLines(2, 0, 4, 0))
	}
	file.cut = cut
	h.look()
	h.look()
	h.says(2, 0, 4)
	if calls != 4 || h.last.Err != nil || h.last.Snap.Unreadable() != 0 || len(h.events) != 1 {
		t.Errorf("%d reads, %d unreadable, events %q, error %v", calls, h.last.Snap.Unreadable(), h.events, h.last.Err)
	}

	// Without following, the snapshot has the readable part.
	put(keyedLines(3, 0, 5000, 300))
	c, err := Open(context.Background(), path, Options{Workers: 1, system: disk.System{Open: func(path string) (disk.Handle, error) {
		f, err := os.Open(path)
		return f, err
	}}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := os.Truncate(path, int64(len(keyedLines(3, 0, 1000, 300)))+7); err != nil {
		t.Fatal(err)
	}
	s, err := c.Load(context.Background())
	if s == nil || !errors.Is(err, io.ErrUnexpectedEOF) || s.Len() != 1000 || s.Unreadable() != 1 {
		t.Fatalf("%v, %v", s, err)
	}
}

// TestDeletedWhileRead deletes a half-read file: an open reader reads the file to its end, and also
// its messages.
func TestDeletedWhileRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.jsonl")
	if err := os.WriteFile(path, []byte(keyedLines(1, 0, 5000, 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Open(context.Background(), path, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	deleted := false
	c.opts.Progress = func(done, size int64) {
		if done > size/2 && !deleted {
			deleted = true
			if err := os.Remove(path); err != nil {
				t.Error(err)
			}
		}
	}
	s, err := c.Load(context.Background())
	if err != nil || !deleted {
		t.Fatalf("deleted %v, %v", deleted, err)
	}
	if got := numbers(t, s); got != "0-4999" {
		t.Errorf("rows %s", got)
	}
}

// TestCutSources opens truncated sources: all received content is present, and the rest is a row
// with the reason, and an error.
func TestCutSources(t *testing.T) {
	text := keyedLines(1, 0, 3000, 100)
	var gz, zs bytes.Buffer
	g := gzip.NewWriter(&gz)
	io.WriteString(g, text)
	g.Close()
	z, err := zstd.NewWriter(&zs)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(z, text)
	z.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(text)))
		io.WriteString(w, text[:len(text)/2])
	}))
	defer server.Close()
	dir := t.TempDir()
	put := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	tests := []struct{ name, arg, why string }{
		{"gzip", put("a.gz", gz.Bytes()[:gz.Len()-9]), "unpack gzip: unexpected EOF"},
		{"gzip with another sum", put("b.gz", append(bytes.Clone(gz.Bytes()[:gz.Len()-8]), 1, 2, 3, 4, 5, 6, 7, 8)), "unpack gzip: gzip: invalid checksum"},
		{"a document", put("a.json", []byte("["+strings.Repeat(`{"role":"user","content":"words"},`+"\n", 2000)+`{"role":"us`)), "the document breaks off at byte"},
		{"zstd", put("a.zst", zs.Bytes()[:zs.Len()-7]), "unpack zstd: "},
		{"an answer", server.URL + "/run.jsonl", "the answer broke off after"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, err := Open(context.Background(), test.arg, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			s, err := c.Load(context.Background())
			if s == nil || err == nil || !strings.Contains(err.Error(), test.why) {
				t.Fatalf("%v, %v", s != nil, err)
			}
			last, err := s.Body(context.Background(), model.ID(s.Rows()-1))
			if err != nil || last.Op != model.Unreadable || last.Err == nil || !strings.Contains(last.Err.Error(), test.why) {
				t.Errorf("the last row says %+v, %v", last, err)
			}
			if s.Len() < 1000 || s.Unreadable() == 0 {
				t.Errorf("%d messages, %d unreadable", s.Len(), s.Unreadable())
			}
		})
	}
}

// hiccup is a file whose reads fail at times, and succeed when repeated.
type hiccup struct {
	*os.File
	reads atomic.Int64
	fails func(read, off int64, size int) bool
}

func (h *hiccup) ReadAt(p []byte, off int64) (int, error) {
	if h.fails(h.reads.Add(1), off, len(p)) {
		return 0, &fs.PathError{Op: "read", Path: h.Name(), Err: syscall.EIO}
	}
	return h.File.ReadAt(p, off)
}

// TestReadingFailsForAMoment: a read that fails once, or only because it requests many bytes, loses
// no record, wherever it is.
func TestReadingFailsForAMoment(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.jsonl")
	text := keyedLines(1, 0, 900, 800) + keyedLines(1, 900, 901, 700_000) + keyedLines(1, 901, 1500, 800)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, fails := range map[string]func(read, off int64, size int) bool{
		"the seventh read":      func(read, _ int64, _ int) bool { return read == 7 },
		"every third read":      func(read, _ int64, _ int) bool { return read%3 == 0 },
		"large reads in places": func(_, off int64, size int) bool { return off > 1<<19 && size > 1<<14 },
	} {
		t.Run(name, func(t *testing.T) {
			system := disk.System{Open: func(path string) (disk.Handle, error) {
				f, err := os.Open(path)
				return &hiccup{File: f, fails: fails}, err
			}}
			c, err := Open(context.Background(), path, Options{Workers: 1, system: system})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			s, err := c.Load(context.Background())
			if s == nil || err != nil {
				t.Fatalf("loading gives %v", err)
			}
			if s.Len() != 1500 || s.Unreadable() != 0 {
				t.Errorf("%d messages, %d unreadable", s.Len(), s.Unreadable())
			}
		})
	}
}
