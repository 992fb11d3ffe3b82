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

// asked are the names of several words in the sources of the formats.
func asked(t *testing.T) []string {
	names := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") || !strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, ".toml") ||
			strings.Contains(path, "testdata") {
			return err
		}
		src, err := os.ReadFile(path)
		for _, l := range literal.FindAllString(string(src), -1) {
			for _, name := range strings.FieldsFunc(l, func(r rune) bool { return strings.ContainsRune(`".[]|*`, r) }) {
				if several.MatchString(name) {
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

// TestNames compares the list of names with the fields that the formats read.
func TestNames(t *testing.T) {
	want := asked(t)
	if modeltest.Update() {
		var b strings.Builder
		width := 0
		for _, name := range want {
			if width += len(name) + 1; width > 100 {
				b.WriteByte('\n')
				width = len(name) + 1
			} else if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(name)
		}
		b.WriteByte('\n')
		if err := os.WriteFile("names.txt", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	missing := slices.DeleteFunc(want, func(name string) bool { return knownNames()[name] })
	if len(missing)*20 > len(knownNames()) {
		t.Errorf("names.txt lacks %d names, such as %q: run the test with -update", len(missing), missing[0])
	}
}
