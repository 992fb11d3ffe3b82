package cli

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

var (
	namedPath = regexp.MustCompile("`((?:ui|model|query|export|themes|\\.ci|\\.github)(?:/[\\w./-]+)?|main\\.go)(?: quick)?`")
	namedTest = regexp.MustCompile("`((?:Test|Fuzz)\\w+)`")
)

// TestContributingIsTrue checks that every file and every test named in the guide exists.
func TestContributingIsTrue(t *testing.T) {
	data, err := os.ReadFile("../../.github/CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	paths := namedPath.FindAllStringSubmatch(string(data), -1)
	tests := namedTest.FindAllStringSubmatch(string(data), -1)
	if len(paths) < 20 || len(tests) < 6 {
		t.Fatalf("%d places and %d tests found", len(paths), len(tests))
	}
	for _, m := range paths {
		if strings.Contains(m[1], "NAME") {
			continue
		}
		if _, err := os.Stat("../../" + m[1]); err != nil {
			t.Errorf("%s is missing", m[1])
		}
	}
	sources := testSources(t)
	for _, m := range tests {
		if !strings.Contains(sources, "func "+m[1]+"(") {
			t.Errorf("there is no test %s", m[1])
		}
	}
}

// testSources returns the source of all tests of the module, concatenated.
func testSources(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	err := fs.WalkDir(os.DirFS("../.."), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		data, err := os.ReadFile("../../" + path)
		all.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
