//go:build unix

package keep

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// forged returns an archive of one file, the path of that file and its index entry.
func forged(t *testing.T) (dir, native string, e Entry) {
	t.Helper()
	src, dir := t.TempDir(), t.TempDir()
	native = filepath.Join(src, "a.jsonl")
	write(t, native, strings.Repeat("one\n", 100), 1)
	kept(t, dir, false, native)
	s, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return dir, native, *s.known[native]
}

// forge replaces the index of an archive with lines.
func forge(t *testing.T, dir string, lines ...string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, OwnDir, indexName), []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func line(t *testing.T, e Entry) string {
	t.Helper()
	b, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Whatever the index contains, another run creates, changes and links no files outside the
// archive, and it counts and ignores impossible lines.
func TestHostileIndexStaysInTheArchive(t *testing.T) {
	for name, change := range map[string]func(e *Entry, outside string){
		"hash that climbs":           func(e *Entry, _ string) { e.Hash = "../../../PWNED/auth" },
		"hash that is a path":        func(e *Entry, out string) { e.Hash = out + "/auth" },
		"hash in upper case":         func(e *Entry, _ string) { e.Hash = strings.ToUpper(e.Hash) },
		"hash that is too long":      func(e *Entry, _ string) { e.Hash += "0" },
		"hash that is empty":         func(e *Entry, _ string) { e.Hash = "" },
		"hash with a NUL":            func(e *Entry, _ string) { e.Hash = e.Hash[:63] + "\x00" },
		"place that climbs":          func(e *Entry, _ string) { e.Kept = "../PWNED/a.zst" },
		"place that climbs inside":   func(e *Entry, _ string) { e.Kept = "x/../../PWNED/a.zst" },
		"absolute place":             func(e *Entry, out string) { e.Kept = out + "/a.zst" },
		"place in the own folder":    func(e *Entry, _ string) { e.Kept = OwnDir + "/lock" },
		"place that is the folder":   func(e *Entry, _ string) { e.Kept = "." },
		"place with a NUL":           func(e *Entry, _ string) { e.Kept = "a\x00b" },
		"path that is not clean":     func(e *Entry, _ string) { e.Path = "/a/../../" + e.Path },
		"path with a NUL":            func(e *Entry, _ string) { e.Path += "\x00" },
		"no path":                    func(e *Entry, _ string) { e.Path = "" },
		"size below zero":            func(e *Entry, _ string) { e.Size = -1 },
		"stored size below zero":     func(e *Entry, _ string) { e.Stored = -1 },
		"size that grew, other hash": func(e *Entry, _ string) { e.Size, e.Hash = 7, "../../"+e.Hash[6:] },
	} {
		t.Run(name, func(t *testing.T) {
			dir, native, e := forged(t)
			outside := filepath.Join(filepath.Dir(dir), "PWNED")
			change(&e, outside)
			forge(t, dir, line(t, e))
			write(t, native, "written anew\n", 2)
			s, err := Open(dir, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if s.Damaged() != 1 {
				t.Errorf("%d damaged lines", s.Damaged())
			}
			if _, _, err := s.Keep(t.Context(), native, false); err != nil {
				t.Error(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if _, err := os.Lstat(outside); err == nil {
				t.Errorf("%s was made", outside)
			}
		})
	}
}

// A damaged line of an index does not hide the other lines.
func TestDamagedIndexLines(t *testing.T) {
	for name, bad := range map[string]string{
		"a line over 1 MB": `{"path":"` + strings.Repeat("x", 2<<20) + `"}`, "a long line without an end": strings.Repeat("y", 300<<10),
		"NUL bytes": strings.Repeat("\x00", 2<<20), "no JSON": "what is this", "half a line": `{"path":"/a`, "a list": `[1,2]`,
		"a number": "7", "another object": `{"a":1}`, "deep JSON": strings.Repeat("[", 20000), "bytes that are no UTF-8": "\xff\xfe\xfd",
		"numbers that are too large": `{"path":"/a","size":99999999999999999999}`,
	} {
		t.Run(name, func(t *testing.T) {
			dir, native, e := forged(t)
			forge(t, dir, bad, line(t, e), bad)
			s, err := Read(dir)
			if err != nil {
				t.Fatal(err)
			}
			if s.known[native] == nil || s.Damaged() != 2 {
				t.Errorf("%d lines hold, %d are damaged", len(s.known), s.Damaged())
			}
			into := t.TempDir()
			if ok, err := s.Restore(t.Context(), s.known[native], into, false); !ok || err != nil {
				t.Error(ok, err)
			}
		})
	}
}

// If a pipe, a link or a folder replaces a file of the archive, turns refuses it immediately and
// copies no data from it.
func TestArchiveOfOtherThanFiles(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]func(path string) error{
		"a pipe":            func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a link to a file":  func(path string) error { return os.Symlink(secret, path) },
		"a link to /proc":   func(path string) error { return os.Symlink("/proc/self/environ", path) },
		"a link to zeroes":  func(path string) error { return os.Symlink("/dev/zero", path) },
		"a link to nothing": func(path string) error { return os.Symlink("/nowhere", path) },
		"a folder":          func(path string) error { return os.Mkdir(path, 0o700) },
	}
	for name, put := range kinds {
		for _, redacted := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " in place of a kept file ", redacted), func(t *testing.T) {
				dir, native, e := forged(t)
				e.Redacted = redacted
				forge(t, dir, line(t, e))
				at := filepath.Join(dir, filepath.FromSlash(e.Kept))
				if err := os.Remove(at); err != nil {
					t.Fatal(err)
				}
				if err := put(at); err != nil {
					t.Fatal(err)
				}
				s, err := Read(dir)
				if err != nil {
					t.Fatal(err)
				}
				into := t.TempDir()
				if ok, err := s.Restore(t.Context(), s.known[native], into, true); ok || err == nil {
					t.Error("it was restored")
				}
				if found, _ := filepath.Glob(filepath.Join(into, "*/*/*/*/*.jsonl")); len(found) > 0 {
					t.Errorf("%v were written", found)
				}
			})
		}
		t.Run(name+" in place of the index", func(t *testing.T) {
			dir, _, _ := forged(t)
			at := filepath.Join(dir, OwnDir, indexName)
			if err := os.Remove(at); err != nil {
				t.Fatal(err)
			}
			if err := put(at); err != nil {
				t.Fatal(err)
			}
			if _, err := Read(dir); err == nil {
				t.Error("it was read")
			}
			if s, err := Open(dir, Options{}); err == nil {
				s.Close()
				t.Error("it was opened")
			}
		})
	}
}

// turns does not write outside the archive through a linked folder in it.
func TestArchiveFoldersThatAreLinks(t *testing.T) {
	for name, c := range map[string]struct {
		level int // of the linked folder
		to    func(dir, outside string) string
	}{
		"the first folder": {0, absolute}, "the second": {1, absolute}, "the last": {-1, absolute}, "a relative link": {0, relative}, "a relative one, deeper": {1, relative},
		"through a link": {0, chained}, "to the system": {0, func(string, string) string { return "/proc/self/fd" }}, "to nothing": {0, func(_, out string) string { return filepath.Join(out, "none") }},
		"to itself": {0, func(dir, _ string) string { return filepath.Join(dir, "loop") }}, "up": {0, func(string, string) string { return ".." }},
	} {
		t.Run(name, func(t *testing.T) { archivesThroughNoLink(t, c.level, c.to) })
	}
}

func absolute(_, outside string) string { return outside }

func relative(dir, outside string) string {
	to, err := filepath.Rel(dir, outside)
	if err != nil {
		return outside
	}
	return to
}

func chained(_, outside string) string {
	link := filepath.Join(filepath.Dir(outside), "chain")
	if err := os.Symlink(outside, link); err != nil {
		return outside
	}
	return link
}

func archivesThroughNoLink(t *testing.T, level int, to func(dir, outside string) string) {
	t.Helper()
	dir, native, e := forged(t)
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.Mkdir(outside, 0o700); err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(e.Kept, "/")
	if level < 0 {
		level = len(parts) - 2
	}
	top := filepath.Join(append([]string{dir}, parts[:level+1]...)...)
	if err := os.RemoveAll(top); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(to(filepath.Dir(top), outside), top); err != nil {
		t.Fatal(err)
	}
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	write(t, native, "more\n", 3)
	if _, _, err := s.Keep(t.Context(), native, false); err == nil {
		t.Error("it was archived through a link")
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("outside has %v", left)
	}
}

// Files of different names are restored to different files, however the names look.
func TestNamesAreRestoredOneToOne(t *testing.T) {
	src, dir, into := t.TempDir(), t.TempDir(), t.TempDir()
	names := []string{"a:b.jsonl", "ab.jsonl", "a%3Ab.jsonl", "a::b.jsonl", ":ab.jsonl", "ab:.jsonl", "a b.jsonl", "a\nb.jsonl", "AB.jsonl", "a~.jsonl", "a.jsonl", "a.jsonl.zst"}
	var files []string
	for i, name := range names {
		path := filepath.Join(src, name)
		write(t, path, fmt.Sprintf("content %d of %q\n", i, name), i)
		files = append(files, path)
	}
	kept(t, dir, false, files...)
	s, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for e := range s.Entries() {
		if ok, err := s.Restore(t.Context(), e, into, true); !ok || err != nil {
			t.Errorf("%q: %v %v", e.Path, ok, err)
		}
	}
	for _, path := range files {
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(into, path))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%q: %q, %v", path, got, err)
		}
	}
	// two entries of a forged index with the same target
	e := *s.known[files[0]]
	e.Path = strings.TrimPrefix(files[1], "/")
	if _, err := s.Restore(t.Context(), &e, into, true); err == nil {
		t.Error("a second entry wrote the same file")
	}
}

// turns refuses a sparse file of terabytes without reading it.
func TestSizesThatLie(t *testing.T) {
	path, dir := filepath.Join(t.TempDir(), "a.jsonl"), t.TempDir()
	write(t, path, "one\n", 1)
	if err := os.Truncate(path, 1<<42); err != nil {
		t.Skipf("the file system has no such files: %v", err)
	}
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, _, err := s.Keep(t.Context(), path, false); err == nil || !strings.Contains(err.Error(), "4398046511104 bytes") {
		t.Errorf("archived: %v", err)
	}
	for size, want := range map[int64]bool{64 << 30: true, 64<<30 + 1: false} {
		if err := os.Truncate(path, size); err != nil {
			t.Fatal(err)
		}
		if _, err := s.begin(t.Context(), path, false); (err == nil) != want {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// A line of the index has at most 256 KiB, with its newline.
func TestLongestIndexLine(t *testing.T) {
	for size, want := range map[int]int{256 << 10: 2, 256<<10 + 1: 1} {
		used, damaged := 0, 0
		lines := strings.NewReader(strings.Repeat("x", size-1) + "\nend")
		if err := eachLine(lines, func([]byte) { used++ }, func() { damaged++ }); err != nil || used != want || used+damaged != 2 {
			t.Errorf("%d bytes: %d lines, %d damaged, %v", size, used, damaged, err)
		}
	}
}
