//go:build unix

package shell

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"turns/model/source/remote"
)

// TestHereIsWhatSSHReads compares this machine's own files with the same files through ssh: keys,
// descriptions, errors, listings and bytes.
func TestHereIsWhatSSHReads(t *testing.T) {
	far, home := far(t, here)
	near := OpenHere("far")
	t.Cleanup(func() { near.Close() })
	for name, data := range map[string]string{"a.jsonl": "text", "-rf": "option", "d/b c.jsonl": "", "~x": "no user", "big": string(bytes.Repeat([]byte("0123456789abcdef"), 10_000))} {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("a.jsonl", filepath.Join(home, "link")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(home) // a login starts there
	ctx := t.Context()
	for _, key := range []string{"", "~", "~/", "~/a.jsonl", "~x", "a.jsonl", "d/", "d/b c.jsonl", "-rf", "link", home, home + "/a.jsonl", "none", "a.jsonl/none", "/dev/null", "two\nlines", "big"} {
		want, wantErr := far.Stat(ctx, key)
		got, err := near.Stat(ctx, key)
		if fmt.Sprint(got.Key, got.Folder, got.Written, err) != fmt.Sprint(want.Key, want.Folder, want.Written, wantErr) || !got.Folder && got.Size != want.Size {
			t.Errorf("%q is %+v, %v; through ssh %+v, %v", key, got, err, want, wantErr)
		}
		list := func(s remote.Store) string {
			var all []remote.Object
			err := s.List(ctx, key, func(page []remote.Object) { all = append(all, page...) })
			return fmt.Sprint(all, err)
		}
		if got, want := list(near), list(far); got != want {
			t.Errorf("below %q are %s; through ssh %s", key, got, want)
		}
		if wantErr == nil && want.Folder {
			continue // only files are readable
		}
		for _, size := range []int{1, 4, 100, 70_000} {
			for _, off := range []int64{0, blockSize, 10 * blockSize} {
				got, want := make([]byte, size), make([]byte, size)
				err, wantErr := near.Read(ctx, remote.Object{Key: key}, got, off), far.Read(ctx, remote.Object{Key: key}, want, off)
				if fmt.Sprint(err) != fmt.Sprint(wantErr) || err == nil && !bytes.Equal(got, want) {
					t.Errorf("%d bytes of %q at %d: %v; through ssh %v", size, key, off, err, wantErr)
				}
			}
		}
	}
}

// TestEndOfAnOutput: the end of ssh's output has 16 KiB.
func TestEndOfAnOutput(t *testing.T) {
	var end Tail
	for _, part := range []string{"a", "b"} {
		if _, err := end.Write([]byte(strings.Repeat(part, 10<<10))); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := end.String(), strings.Repeat("a", 6<<10)+strings.Repeat("b", 10<<10); got != want {
		t.Errorf("the end has %d bytes, want %d", len(got), len(want))
	}
}

// TestLinesBeforeTheGreeting: a host may print 999 lines before the first one of the loop.
func TestLinesBeforeTheGreeting(t *testing.T) {
	for lines, want := range map[int]bool{999: true, 1000: false} {
		s := &Store{line: &line{out: bufio.NewReader(strings.NewReader(strings.Repeat("welcome\n", lines) + greeting + "\n"))}}
		if err := s.greeted(); (err == nil) != want {
			t.Errorf("%d lines before the greeting: %v", lines, err)
		}
	}
}
