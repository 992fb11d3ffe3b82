package source

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"turns/model"
	"turns/model/source/disk"
)

type member struct {
	name, data string
	method     uint16
}

func zipped(t *testing.T, members ...member) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	w.RegisterCompressor(zstd.ZipMethodWinZip, zstd.ZipCompressor())
	for _, m := range members {
		f, err := w.CreateHeader(&zip.FileHeader{Name: m.name, Method: m.method})
		must(t, err)
		_, err = f.Write([]byte(m.data))
		must(t, err)
	}
	must(t, w.Close())
	return b.String()
}

// all picks every member, by name.
func all(names []string) []string {
	slices.Sort(names)
	return names
}

var sampleMembers = []member{
	{"a/doc.json", "{\n  \"a\": 1\n}\n", zip.Deflate},
	{"a/lines.jsonl", "\ufeff{\"l\":1}\r\n\n{\"l\":2}\nnot json\n{\"cut\":", zip.Store},
	{"b.json", `{"one":"line"}`, zstd.ZipMethodWinZip},
	{"c.jsonl.gz", gzipped(two), zip.Store},
	{"d.json", "{\n\"broken\": [1,\n", zip.Deflate},
	{"empty.json", "", zip.Deflate},
	{"image.png", "\x89PNG\x00\x00\x00", zip.Deflate},
}

const sampleRecordsWanted = `a/doc.json|{ "a": 1 }
a/lines.jsonl|{"l":1}
a/lines.jsonl|{"l":2}
a/lines.jsonl|not json
a/lines.jsonl|{"cut":
b.json|{"one":"line"}
c.jsonl.gz|{"a":1}
c.jsonl.gz|{"b":2}
d.json|{ "broken": [1, `

func TestArchive(t *testing.T) {
	data := zipped(t, sampleMembers...)
	path := write(t, filepath.Join(t.TempDir(), "log.eval"), data)
	for _, opts := range []Options{{}, {Stdin: io.NopCloser(strings.NewReader(data))}} {
		arg := path
		if opts.Stdin != nil {
			arg = "-"
		}
		s := open(t, arg, opts)
		equal(t, "shape", s.Shape(), model.Archive)
		equal(t, "names", s.Sample().Names, []string{"a/doc.json", "a/lines.jsonl", "b.json", "c.jsonl.gz", "d.json", "empty.json", "image.png"})
		must(t, s.Unroll(Plan{Unroll: &model.Unroll{Members: all}}))
		got, err := drain(t, s)
		equal(t, arg, lines(got), sampleRecordsWanted)
		if err == nil || !strings.Contains(err.Error(), `read "d.json": the document breaks off`) || !strings.Contains(err.Error(), `read "image.png": it is not text`) {
			t.Errorf("errors: %v", err)
		}
	}
}

func TestArchiveBomb(t *testing.T) {
	big := strings.Repeat(two, 100_000)
	path := write(t, filepath.Join(t.TempDir(), "z"), zipped(t, member{"a", big, zip.Deflate}, member{"b", big, zstd.ZipMethodWinZip}))
	s := open(t, path, Options{Limits: model.Limits{Unpacked: 2_000_000, Ratio: 1}})
	must(t, s.Unroll(Plan{Unroll: &model.Unroll{Members: all}}))
	got, err := drain(t, s)
	if !limited(err, "unpacked") || len(got) < 1_600_000 || len(got) > 3_000_000 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	for _, m := range sampleMembers {
		write(t, filepath.Join(dir, filepath.FromSlash(m.name)), m.data)
	}
	secret := write(t, filepath.Join(t.TempDir(), "secret.json"), `{"secret":1}`)
	must(t, os.Symlink(secret, filepath.Join(dir, "link.json")))
	s := open(t, dir, Options{})
	equal(t, "shape", s.Shape(), model.Folder)
	names := s.Sample().Names
	if len(names) != len(sampleMembers) || slices.Contains(names, "link.json") {
		t.Errorf("names %q", names)
	}
	escape := func(names []string) []string { return append(all(names), "link.json", "../secret.json", "missing") }
	must(t, s.Unroll(Plan{Unroll: &model.Unroll{Members: escape}}))
	got, err := drain(t, s)
	equal(t, "records", lines(got), sampleRecordsWanted)
	for _, name := range []string{"link.json", "../secret.json", "missing"} {
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("read %q", name)) {
			t.Errorf("%s gives no error: %v", name, err)
		}
	}
}

func TestFollowFolder(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.json"), `{"a":1}`)
	write(t, filepath.Join(dir, "b.jsonl"), two)
	c := newClock()
	s := open(t, dir, Options{Follow: true, System: disk.System{Tick: c.tick}})
	must(t, s.Unroll(Plan{Unroll: &model.Unroll{Members: all}}))
	want := "a.json|{\"a\":1}\nb.jsonl|{\"a\":1}\nb.jsonl|{\"b\":2}"
	equal(t, "at first", kindsUntil(t, c, s, "grown", want), "grown")
	for _, step := range []struct {
		do   func()
		adds string
	}{
		{func() { grow(t, filepath.Join(dir, "b.jsonl"), "{\"c\":3}\n") }, `b.jsonl|{"c":3}`},
		{func() { write(t, filepath.Join(dir, "a.json"), `{"a":22}`) }, `a.json|{"a":22}`},
		{func() { write(t, filepath.Join(dir, "new", "c.json"), `{"n":1}`) }, `new/c.json|{"n":1}`},
	} {
		step.do()
		want += "\n" + step.adds
		equal(t, step.adds, kindsUntil(t, c, s, "grown", want), "grown")
	}
	must(t, os.Remove(filepath.Join(dir, "a.json")))
	want = "b.jsonl|{\"a\":1}\nb.jsonl|{\"b\":2}\nb.jsonl|{\"c\":3}\nnew/c.json|{\"n\":1}"
	equal(t, "without a.json", kindsUntil(t, c, s, "replaced", want), "replaced")
}

// TestFollowedMemberThatFails: an unreadable member stays a trouble until it is readable; no event
// reports earlier that the trouble has passed.
func TestFollowedMemberThatFails(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.jsonl"), two)
	write(t, filepath.Join(dir, "b.jsonl"), "\x00\x01\x02\x00no text")
	c := newClock()
	s := open(t, dir, Options{Follow: true, System: disk.System{Tick: c.tick}})
	must(t, s.Unroll(Plan{Unroll: &model.Unroll{Members: all}}))
	var kinds []string
	for len(kinds) == 0 || kinds[len(kinds)-1] != "trouble" {
		kinds = append(kinds, c.next(t, s).Kind.String())
	}
	for range 5 { // looks
		c.c <- time.Time{}
	}
	grow(t, filepath.Join(dir, "a.jsonl"), "{\"c\":3}\n")
	equal(t, "while it fails", c.next(t, s).Kind, Grown)
	write(t, filepath.Join(dir, "b.jsonl"), two)
	seen := map[string]bool{} // its records may arrive one by one
	for !seen["grown"] || !seen["regained"] {
		seen[c.next(t, s).Kind.String()] = true
	}
	equal(t, "when it can be read", len(seen), 2)
}

// TestLongDirectories: the directory of an archive has 1 MiB and 256 bytes for each member.
func TestLongDirectories(t *testing.T) {
	const members = 1000
	for entry, want := range map[int]bool{1280: true, 1310: false} { // of 1304 bytes at most
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		for i := range members {
			if _, err := w.CreateHeader(&zip.FileHeader{Name: fmt.Sprintf("%04d%s", i, strings.Repeat("x", entry-46-4))}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		_, err := openArchive(bytes.NewReader(b.Bytes()), int64(b.Len()), "x", newMeter(model.Limits{Members: members}))
		if opened := err == nil; opened != want {
			t.Errorf("with %d bytes for each member: opened %v, %v", entry, opened, err)
		}
	}
}
