package source

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"turns/model"
	"turns/model/source/disk"
)

// TestNestedMessages: the fields of a message nest sixteen times.
func TestNestedMessages(t *testing.T) {
	for depth, want := range map[int]bool{16: true, 17: false} {
		if _, err := parseWire(strings.Repeat("1:a{", depth) + "1:b" + strings.Repeat("}", depth)); (err == nil) != want {
			t.Errorf("%d messages in each other: %v", depth, err)
		}
	}
}

// TestListsAroundRecords: records are found in up to four lists in each other.
func TestListsAroundRecords(t *testing.T) {
	for depth, want := range map[int]bool{4: true, 5: false} {
		if got := holdsObjects([]byte(strings.Repeat("[", depth) + "{}" + strings.Repeat("]", depth))); got != want {
			t.Errorf("%d lists in each other hold objects: %v", depth, got)
		}
	}
}

// TestReadsOfABusyDatabase: a database that changes is read eight times, from the third time on
// as a copy.
func TestReadsOfABusyDatabase(t *testing.T) {
	var copies []bool
	var pauses []time.Duration
	now := make(chan time.Time)
	close(now)
	system := disk.System{Tick: func(d time.Duration) (<-chan time.Time, func()) {
		pauses = append(pauses, d)
		return now, func() {}
	}}
	err := atRest(t.Context(), filepath.Join(t.TempDir(), "x.db"), system, func(_ stamp, copied bool) (bool, error) {
		copies = append(copies, copied)
		return false, errBusy
	})
	if want := []bool{false, false, true, true, true, true, true, true}; !errors.Is(err, errBusy) || !slices.Equal(copies, want) {
		t.Errorf("reads of copies: %v, want %v (%v)", copies, want, err)
	}
	if len(pauses) != 7 || pauses[0] != time.Millisecond || pauses[6] != 64*time.Millisecond {
		t.Errorf("the pauses are %v", pauses)
	}
}

// TestOpenMode: a database is read in place unless its journal or log needs a copy.
func TestOpenMode(t *testing.T) {
	const shared = "mode=ro&readonly_shm=1"
	for files, want := range map[string]string{
		"": immutable, "-wal=": immutable, "-journal=": immutable, "-shm=x": immutable,
		"-journal=x": "", "-journal=x -wal=": "", "-wal=x": "", "-wal=x -journal=x": "",
		"-wal= -shm=x": immutable, "-wal=x -shm=": shared, "-wal=x -shm=x -journal=x": shared,
	} {
		path := filepath.Join(t.TempDir(), "x.db")
		for f := range strings.FieldsSeq(files) {
			suffix, text, _ := strings.Cut(f, "=")
			if err := os.WriteFile(path+suffix, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := openMode(path); got != want {
			t.Errorf("files %q: mode %q, want %q", files, got, want)
		}
	}
}

// TestFormerFilesStayOpen: the last sixteen former files stay open.
func TestFormerFilesStayOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	var w watcher
	var files []*disk.File
	for range 17 {
		f, err := disk.OpenFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Refresh(); err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
		w.retire(f)
		if len(files) == 16 {
			if _, err := files[0].ReadAt(make([]byte, 4), 0); err != nil {
				t.Errorf("the first of 16 files: %v", err)
			}
		}
	}
	if _, err := files[0].ReadAt(make([]byte, 4), 0); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("the first of 17 files: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// TestFilesOfAFolder: a folder has at most as many files as the limit, and reports that there are
// more.
func TestFilesOfAFolder(t *testing.T) {
	dir := t.TempDir()
	for i, want := range []string{"[] 0", "[0] 0", "[0 1] 0", "[0 1] 1"} {
		f, err := openFolder(dir, model.Limits{Members: 2})
		must(t, err)
		names, err := f.names(t.Context())
		if got := fmt.Sprint(names, " ", f.more()); got != want || err != nil {
			t.Errorf("%d files: %s, %v, want %s", i, got, err, want)
		}
		must(t, errors.Join(f.Close(), os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), nil, 0o600)))
	}
}

// TestFilesOfAnExport fetches files from the archive of an account's export, by their path, their
// name or their id.
func TestFilesOfAnExport(t *testing.T) {
	dir := t.TempDir()
	archive := zipped(t, member{"user/file-1-cat.png", "a cat", zip.Deflate}, member{"file-2.png", "a dog", zip.Deflate})
	must(t, errors.Join(os.WriteFile(filepath.Join(dir, "x.zip"), []byte(archive), 0o600), os.WriteFile(filepath.Join(dir, "x.jsonl"), []byte("{}"), 0o600)))
	for _, c := range []struct{ file, place, want string }{
		{"x.zip", "user/file-1-cat.png", "a cat <nil>"},
		{"x.zip", "file-1-cat.png", "a cat <nil>"},
		{"x.zip", "file-service://file-1", "a cat <nil>"},
		{"x.zip", "file-2", "a dog <nil>"},
		{"x.zip", "cat.png", " fetch \"cat.png\": there is no such file in the archive"},
		{"x.jsonl", "file-2", " <nil>"},
		{"y.zip", "file-2", " <nil>"},
	} {
		s := &Source{arg: filepath.Join(dir, c.file)}
		data, err := s.fetchMember(c.place)
		if got := fmt.Sprint(string(data), " ", err); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s in %s: %s, want %s", c.place, c.file, got, c.want)
		}
	}
}

// brokenMembers has this many members that cannot be read.
type brokenMembers int

func (n brokenMembers) names(context.Context) (list []string, err error) {
	for i := range int(n) {
		list = append(list, fmt.Sprint(i))
	}
	return list, nil
}
func (brokenMembers) more() int                          { return 0 }
func (brokenMembers) open(string) (io.ReadCloser, error) { return nil, errors.New("broken") }
func (brokenMembers) stamp(string) string                { return "" }
func (brokenMembers) Close() error                       { return nil }

// TestErrorsOfMembers: each of the first ten errors has its own line, and one more line counts the
// others.
func TestErrorsOfMembers(t *testing.T) {
	for n, want := range map[int]string{10: `read "9": broken`, 11: "1 more members cannot be read", 12: "2 more members cannot be read"} {
		u := &unroller{set: brokenMembers(n), pick: func(all []string) []string { return all }, meter: newMeter(model.Limits{})}
		lines := strings.Split(u.unroll(t.Context(), newSink(nil, nil)).Error(), "\n")
		if last := lines[len(lines)-1]; len(lines) != min(n, 11) || last != want {
			t.Errorf("%d broken members: %d lines, the last is %q, want %q", n, len(lines), last, want)
		}
	}
}

// TestComparedBytes: a grown file is recognised by 4 kB at its start and before the position.
func TestComparedBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	text := bytes.Repeat([]byte("0123456789"), 1000)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := disk.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Refresh(); err != nil {
		t.Fatal(err)
	}
	for off, n := range map[int64]int64{4095: 4095, 4096: 4096, 4097: 4096, 10_000: 4096} {
		if head, tail, ok := windows(f, off); !ok || !bytes.Equal(head, text[:n]) || !bytes.Equal(tail, text[off-n:off]) {
			t.Errorf("at %d: %d and %d bytes, %v", off, len(head), len(tail), ok)
		}
	}
}

// manyFiles is a folder of this many files; the last one has the name id1.
type manyFiles int

func (n manyFiles) Open(string) (fs.File, error)          { return root{}, nil }
func (n manyFiles) Stat(string) (fs.FileInfo, error)      { return root{}, nil }
func (n manyFiles) ReadDir(string) ([]fs.DirEntry, error) { return n.entries(), nil }

// root is an empty folder, and also its description.
type root struct{ fs.File }

func (root) Close() error       { return nil }
func (root) Name() string       { return "." }
func (root) Size() int64        { return 0 }
func (root) Mode() fs.FileMode  { return fs.ModeDir }
func (root) ModTime() time.Time { return time.Time{} }
func (root) IsDir() bool        { return true }
func (root) Sys() any           { return nil }

func (n manyFiles) entries() []fs.DirEntry {
	list := slices.Repeat([]fs.DirEntry{entry("other")}, int(n))
	list[n-1] = entry("id1")
	return list
}

// entry is the name of a regular file.
type entry string

func (e entry) Name() string             { return string(e) }
func (entry) IsDir() bool                { return false }
func (entry) Type() fs.FileMode          { return 0 }
func (entry) Info() (fs.FileInfo, error) { return nil, fs.ErrNotExist }

// TestAssetsAmongFiles: the search for a file checks 100,000 files and folders.
func TestAssetsAmongFiles(t *testing.T) {
	for n, want := range map[manyFiles]string{99_999: "id1", 100_000: ""} {
		if got := findAsset(n, "id1"); got != want {
			t.Errorf("among %d files: %q", n, got)
		}
	}
}

// aLongLine is a line with a newline at a position, followed by short ones.
type aLongLine struct {
	model.Stream
	end int64
}

func (l aLongLine) ReadAt(p []byte, off int64) (int, error) {
	if off > l.end {
		return copy(p, "{}\n{}\n"), io.EOF
	}
	clear(p)
	if i := l.end - off; i < int64(len(p)) {
		p[i] = '\n'
	}
	return len(p), nil
}

// TestLongestFirstLine: a first line of more than 64 MiB is a document.
func TestLongestFirstLine(t *testing.T) {
	for size, want := range map[int64]model.Shape{64<<20 - 1: model.Lines, 64 << 20: model.Document} {
		v := &verdict{shape: model.Document}
		new(Source).longLine(aLongLine{end: size}, 0, v)
		if v.shape != want {
			t.Errorf("a first line of %d bytes has the shape %v, want %v", size, v.shape, want)
		}
	}
}
