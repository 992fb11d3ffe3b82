package amend

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"turns/model/modeltest"
)

var (
	literal = regexp.MustCompile(`"[A-Za-z0-9_.\[\]|*]+"`)
	several = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*([a-z0-9]_[a-zA-Z]|[a-z0-9][A-Z])[A-Za-z0-9_]*$`)
)

// single matches names of one word; several matches all other names that formats read.
var single = regexp.MustCompile(`^[A-Za-z][a-z0-9]+$`)

// asked returns the names in the sources of the formats that match form.
func asked(t *testing.T, form *regexp.Regexp) []string {
	names := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") || !strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, ".toml") ||
			strings.Contains(path, "testdata") {
			return err
		}
		src, err := os.ReadFile(path)
		for _, l := range literal.FindAllString(string(src), -1) {
			for _, name := range strings.FieldsFunc(l, func(r rune) bool { return strings.ContainsRune(`".[]|*`, r) }) {
				if form.MatchString(name) {
					names[name] = true
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(names))
}

// TestNames compares the lists of names with the names that the formats read.
func TestNames(t *testing.T) {
	for file, of := range map[string]struct {
		form  *regexp.Regexp
		known map[string]bool
	}{"names.txt": {several, knownNames()}, "words.txt": {single, knownWords()}} {
		want := asked(t, of.form)
		if modeltest.Update() {
			if err := os.WriteFile(file, []byte(wrapped(want)), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		missing := slices.DeleteFunc(want, func(name string) bool { return of.known[name] })
		if len(missing)*20 > len(of.known) {
			t.Errorf("%s lacks %d names, such as %q: run the test with -update", file, len(missing), missing[0])
		}
	}
}

// wrapped returns names in lines of at most 100 columns.
func wrapped(names []string) string {
	var b strings.Builder
	width := 0
	for _, name := range names {
		if width += len(name) + 1; width > 100 {
			b.WriteByte('\n')
			width = len(name) + 1
		} else if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(name)
	}
	b.WriteByte('\n')
	return b.String()
}
