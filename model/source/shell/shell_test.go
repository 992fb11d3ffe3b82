//go:build unix

package shell

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"turns/model/source/remote"
)

// far replaces ssh by a script of the test, whose host is this machine: home is its folder.
func far(t *testing.T, script string) (s *Store, home string) {
	t.Helper()
	bin, home := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "ssh"), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("HOME", home)
	s = Open("far")
	t.Cleanup(func() { s.Close() })
	return s, home
}

const here = `while [ "$1" != -- ]; do shift; done
cd "$HOME" && exec sh -c "$3"
`

// TestNoNameIsACommand has names that a shell could misinterpret.
func TestNoNameIsACommand(t *testing.T) {
	s, home := far(t, here)
	names := []string{"$(touch ran).jsonl", "a b.jsonl", "'; touch ran; '.jsonl", `back\slash.jsonl`, "-rf", "`touch ran`", "ä.jsonl", "*", "--help", "$HOME", "a;touch ran", "x|touch ran", "\x1b[31m.jsonl", "%s%n", "-", "~x"}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(home, name), []byte("text of "+name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(home, "two\nlines"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"", "~/", home + "/"} {
		listed := map[string]bool{}
		if err := s.List(t.Context(), dir, func(page []remote.Object) {
			for _, o := range page {
				listed[o.Key] = true
			}
		}); err == nil || !strings.Contains(err.Error(), "a name with a line break is left out") {
			t.Fatal(err)
		}
		for _, name := range names {
			o, err := s.Stat(t.Context(), dir+name)
			if err != nil || !listed[dir+name] || o.Size != int64(len("text of "+name)) {
				t.Errorf("%q in %q: %+v, %v; listed %v", name, dir, o, err, listed)
				continue
			}
			text := make([]byte, o.Size)
			if err := s.Read(t.Context(), o, text, 0); err != nil || string(text) != "text of "+name {
				t.Errorf("%q holds %q, %v", name, text, err)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(home, "ran")); err == nil {
		t.Error("a name was run")
	}
	for name, want := range map[string]error{"none": fs.ErrNotExist, "two\nlines": nil} {
		if _, err := s.Stat(t.Context(), name); err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, host := range []string{"-oProxyCommand=x:y", "a b:c", "$(x):y", "@h:x", "u@-h:x"} {
		if remote.Is(host) {
			t.Errorf("%q is taken for an address", host)
		}
	}
}

// TestRangesOfAFile reads a file by blocks, one that grows, and one that became shorter.
func TestRangesOfAFile(t *testing.T) {
	s, home := far(t, here)
	text := strings.Repeat("0123456789abcdef", 3*blockSize/16) + "end"
	path := filepath.Join(home, "a.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := s.Stat(t.Context(), "a.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range [][2]int{{0, 5}, {blockSize, blockSize}, {2 * blockSize, blockSize + 3}, {3 * blockSize, 3}} {
		p := make([]byte, r[1])
		if err := s.Read(t.Context(), o, p, int64(r[0])); err != nil || string(p) != text[r[0]:r[0]+r[1]] {
			t.Errorf("%v: %v", r, err)
		}
	}
	if err := os.Truncate(path, 10); err != nil {
		t.Fatal(err)
	}
	if err := s.Read(t.Context(), o, make([]byte, 20), 0); !errors.Is(err, remote.ErrChanged) {
		t.Errorf("of a shorter file: %v", err)
	}
	if err := s.Read(t.Context(), o, make([]byte, 10), 0); err != nil {
		t.Errorf("the connection does not go on: %v", err)
	}
}

// TestHostsThatSayOtherThings has hosts that are gone, break off, send other text, or never stop.
func TestHostsThatSayOtherThings(t *testing.T) {
	for _, test := range []struct{ script, want string }{
		{"echo 'Could not resolve hostname' >&2; exit 255", `host "far": Could not resolve hostname`},
		{"exit 1", `connection to host "far" ended`},
		{"while :; do echo hello; done", "says other things"},
		{"cat /dev/zero", "ended: bufio: buffer full"},
		{"echo turns-files-1; read x; exit 0", "ended"},
		{"echo turns-files-1; echo what", `says "what"`},
		{"echo hello; echo turns-files-1; echo -5 1 regular", `says "-5 1 regular"`},
		{"echo turns-files-1; echo 99999999999999999999 1 regular", `says "99999999999999999999 1 regular"`},
		{"echo turns-files-1; echo 5 soon regular", `says "5 soon regular"`},
		{"echo turns-files-1; echo 5 1 fifo", "it is a fifo on the host"},
		{"echo turns-files-1; printf '\\033]0;title\\007\\n'", `says "\x1b]0;title\a"`},
		{"echo turns-files-1; echo", `says ""`},
	} {
		s, _ := far(t, test.script+"\nread x; read x; read x; read x\n")
		_, err := s.Stat(t.Context(), "x")
		if err == nil || !strings.Contains(fmt.Sprint(err), test.want) {
			t.Errorf("%q: %v", test.script, err)
		}
		s.Close()
	}
}

// A host that is silent, or never stops, times out and gets no more requests.
func TestHostsThatKeepOneWaiting(t *testing.T) {
	greet := "echo turns-files-1\n"
	for name, script := range map[string]string{
		"silence": "exec sleep 100\n", "silence after the greeting": greet + "exec sleep 100\n", "half a line": "printf turns\nexec sleep 100\n",
		"a list without end":  greet + "echo /w; while :; do echo '1 1 a:1 /w/x'; done\n",
		"a line without end":  greet + "while :; do printf xxxxxxxxxxxxxxxx; done\n",
		"slow lines":          greet + "echo /w; while :; do echo '1 1 a:1 /w/x'; sleep 0.02; done\n",
		"nothing but zeroes":  "exec cat /dev/zero\n",
		"greetings for ever":  "while :; do echo hello; done\n",
		"it reads and is mum": greet + "cat >/dev/null; exec sleep 100\n",
		"it waits for input":  greet + "read a; read b; read c; read d; read e; exec sleep 100\n",
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := far(t, script)
			s.patient = 300 * time.Millisecond
			began := time.Now()
			err := s.List(t.Context(), "w/", func([]remote.Object) {})
			again := s.List(t.Context(), "w/", func([]remote.Object) {})
			if err == nil || again == nil || time.Since(began) > 20*time.Second || len(err.Error()) > 500 {
				t.Errorf("%v and %v after %v", err, again, time.Since(began))
			}
		})
	}
}

// TestLinksOfAHost: List follows a link to a file or a folder unless its target is listed anyway,
// ignores cycles, and reports broken links.
func TestLinksOfAHost(t *testing.T) {
	s, home := far(t, here)
	for _, dir := range []string{"d/sub", "x/deep"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"d/a.jsonl", "d/sub/b.jsonl", "x/c.jsonl", "x/deep/e f.jsonl", "y.jsonl"} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{
		"d/same.jsonl": "a.jsonl", "d/y.jsonl": "../y.jsonl", "d/out": "../x", "d/again": ".", "d/up": "..", "d/sub/side": "../sub",
		"d/dead.jsonl": "nowhere", "d/round": "round", "x/deep/back": "../../d",
	} {
		if err := os.Symlink(to, filepath.Join(home, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(filepath.Join(home, "d/a.jsonl"), filepath.Join(home, "d/hard.jsonl")); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"d/", home + "/d/"} {
		var got []string
		err := s.List(t.Context(), dir, func(page []remote.Object) {
			for _, o := range page {
				got = append(got, strings.TrimPrefix(o.Key, dir))
			}
		})
		slices.Sort(got)
		if want := "a.jsonl hard.jsonl out/c.jsonl out/deep/e f.jsonl sub/b.jsonl y.jsonl"; strings.Join(got, " ") != want {
			t.Errorf("%s has %q, want %s", dir, got, want)
		}
		if err == nil || strings.Count(err.Error(), "the link leads to nothing") != 2 || !strings.Contains(err.Error(), "d/dead.jsonl: ") || !strings.Contains(err.Error(), "d/round: ") {
			t.Errorf("%s: %v", dir, err)
		}
		for _, name := range got {
			if o, err := s.Stat(t.Context(), dir+name); err != nil || o.Folder {
				t.Errorf("%s: %v, %v", name, o, err)
			}
		}
	}
}

// TestManyErrorsOfAHost: an error of a listing names the first 20 errors of the host, and counts
// the others.
func TestManyErrorsOfAHost(t *testing.T) {
	var all unlisted
	for i := range 22 {
		all.add(fmt.Sprintf("find: folder %d: Permission denied", i))
	}
	if got := all.err().Error(); !strings.Contains(got, "folder 19:") || !strings.HasSuffix(got, ", 2 more") {
		t.Errorf("the error is %s", got)
	}
}
