package outfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func put(text string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
}

func holds(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		got, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := want[e.Name()]; !ok || text != string(got) {
			t.Errorf("%s holds %q, want %q", e.Name(), got, text)
		}
	}
	if len(entries) != len(want) {
		t.Errorf("%d files, want %d", len(entries), len(want))
	}
}

// A temporary file of 5 seconds is abandoned, a new one is not.
func TestAbandonedFiles(t *testing.T) {
	dir := t.TempDir()
	of := func(age time.Duration) string {
		f, err := CreateTemp(filepath.Join(dir, "run.md"), 0o600)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		at := time.Now().Add(-age)
		if err := os.Chtimes(f.Name(), at, at); err != nil {
			t.Fatal(err)
		}
		return f.Name()
	}
	old, fresh := of(5500*time.Millisecond), of(-time.Hour)
	of(0)
	if _, err := os.Stat(old); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an abandoned file is left: %v", err)
	}
	if _, err := os.Stat(fresh); err != nil {
		t.Errorf("the file of another writer is gone: %v", err)
	}
}

// TestWriteWholeOrNotAtAll: a failed write keeps the old file and leaves no temporary file.
func TestWriteWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "run.md")
	if n, err := Write(path, 0o600, false, put("one")); n != 3 || err != nil {
		t.Fatal(n, err)
	}
	if _, err := Write(path, 0o600, false, put("two")); !errors.Is(err, os.ErrExist) {
		t.Errorf("it is written over: %v", err)
	}
	full := errors.New("the disk is full")
	broken := func(w io.Writer) error { _, _ = io.WriteString(w, "half"); return full }
	if _, err := Write(path, 0o600, true, broken); !errors.Is(err, full) {
		t.Errorf("it fails with %v", err)
	}
	holds(t, dir, map[string]string{"run.md": "one"})
	if n, err := Write(path, 0o600, true, put("three")); n != 5 || err != nil {
		t.Error(n, err)
	}
	holds(t, dir, map[string]string{"run.md": "three"})
	if _, err := Write(filepath.Join(dir, "none", "x"), 0o600, true, put("x")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
	if n, err := Write(os.DevNull, 0o600, true, put("gone")); n != 4 || err != nil {
		t.Error(n, err)
	}
	if _, err := Write(os.DevNull, 0o600, true, broken); !errors.Is(err, full) {
		t.Errorf("a device fails with %v", err)
	}
	if got := FreeName(dir, "run", ".md"); filepath.Base(got) != "run-1.md" {
		t.Errorf("free is %s", got)
	}
}

// TestStaleFilesGo: a write removes temporary files older than five seconds that killed runs left,
// also of other outputs. Newer files and files of other programs stay.
func TestStaleFilesGo(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "run.md")
	old := time.Now().Add(-time.Hour)
	stale, other := filepath.Join(dir, ".run.md.turns-ABCDEFGHIJKLMNOPQRSTUVWXYZ"), filepath.Join(dir, ".run.md.turns-mine")
	fresh := filepath.Join(dir, ".run.md.turns-BBCDEFGHIJKLMNOPQRSTUVWXYZ")
	another := filepath.Join(dir, ".out.html.turns-CBCDEFGHIJKLMNOPQRSTUVWXYZ") // for another output
	justNow := filepath.Join(dir, ".run.md.turns-GBCDEFGHIJKLMNOPQRSTUVWXYZ")   // younger than five seconds
	kept := map[string]string{"run.md": "one", filepath.Base(justNow): "x", filepath.Base(other): "x", filepath.Base(fresh): "x"}
	old8 := []string{}
	for _, name := range []string{"run.md.turns-DBCDEFGHIJKLMNOPQRSTUVWXYZ", ".run.md.turns-", ".run.md.turns-dbcdefghijklmnopqrstuvwxyz", ".run.md.turns-EBCDEFGHIJKLMNOPQRSTUVWXYZ.bak", ".run.md.other-FBCDEFGHIJKLMNOPQRSTUVWXYZ", ".turns-keep"} {
		kept[name] = "x" // a file of another program
		old8 = append(old8, filepath.Join(dir, name))
	}
	for _, f := range append(old8, stale, other, fresh, another, justNow) {
		if err := os.WriteFile(f, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range append(old8, stale, other, another) {
		if err := os.Chtimes(f, old, old); err != nil {
			t.Fatal(err)
		}
	}
	for f, age := range map[string]time.Duration{justNow: 4 * time.Second, another: 5100 * time.Millisecond} {
		if err := os.Chtimes(f, time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Write(path, 0o600, false, put("one")); err != nil {
		t.Fatal(err)
	}
	holds(t, dir, kept)
}

// TestAppendEndsWhatWasLeft: Append ends half a line of a killed writer before it writes.
func TestAppendEndsWhatWasLeft(t *testing.T) {
	path := filepath.Join(t.TempDir(), "labels", "a.jsonl")
	for _, lines := range []string{"one\n", "ha", "two\nthree\n"} {
		if err := Append(path, 0o600, []byte(lines)); err != nil {
			t.Fatal(err)
		}
	}
	holds(t, filepath.Dir(path), map[string]string{"a.jsonl": "one\nha\ntwo\nthree\n"})
	if err := Append(filepath.Join(path, "x"), 0o600, []byte("x")); err == nil {
		t.Error("a file is not a folder")
	}
}

// TestSlug: every file system accepts the name.
func TestSlug(t *testing.T) {
	for s, want := range map[string]string{
		"Fix the flaky test!": "Fix-the-flaky-test", "../../etc/passwd": "etc-passwd", "größe": "gr-e", "…": "none", "a/b": "a-b", "a very long name that ends": "a-very-long-name-tha",
	} {
		if got := Slug(s, 20, "none"); got != want {
			t.Errorf("%q becomes %q, want %q", s, got, want)
		}
	}
}

// TestErrorsNameTheFile: an error names the requested file, never the temporary one.
func TestErrorsNameTheFile(t *testing.T) {
	full := errors.New("no space")
	for _, err := range []error{
		&fs.PathError{Op: "write", Path: "dir/.x.turns-ABC", Err: full}, &os.LinkError{Op: "rename", Old: "dir/.x.turns-ABC", New: "dir/x", Err: full},
	} {
		if got := failed("dir/x", err).Error(); got != `writing "dir/x": no space` {
			t.Errorf("%v is reported as %s", err, got)
		}
	}
	path := filepath.Join(t.TempDir(), "x")
	_, err := Write(path, 0o600, false, func(w io.Writer) error {
		c := w.(*countWriter)
		c.w.(*os.File).Close()
		_, err := io.WriteString(c, "text")
		return err
	})
	if want := fmt.Sprintf("writing %q: file already closed", path); err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
}

// TestLinksAreFollowed: a write to a link replaces its target, and the link stays.
func TestLinksAreFollowed(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("file", link); err != nil {
		t.Skipf("no link can be made, so that none is written to: %v", err)
	}
	if _, err := Write(link, 0o600, true, put("new")); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(link); err != nil || to != "file" {
		t.Errorf("the link leads to %q: %v", to, err)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != "new" {
		t.Errorf("the file holds %q: %v", got, err)
	}
}
