package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// before is the commit whose texts were counted by hand, and against which limits.tsv is written.
const before = "a294dc8"

// checkout unpacks the commit before into a folder.
func checkout(t *testing.T) string {
	t.Helper()
	git := exec.Command("git", "archive", before)
	git.Dir = "../.." // in a folder below it git packs only that folder
	archive, err := git.Output()
	if err != nil {
		t.Skipf("git has no commit %s here (a shallow clone?): %v", before, err)
	}
	dir := t.TempDir()
	tar := exec.Command("tar", "-x", "-C", dir)
	tar.Stdin = bytes.NewReader(archive)
	if out, err := tar.CombinedOutput(); err != nil {
		t.Fatalf("tar: %v: %s", err, out)
	}
	return dir
}

// TestTable compares the expressions of patterns.tsv with the counts of its last columns,
// made of whole texts: each row, each column and each large cell within 10 %.
func TestTable(t *testing.T) {
	dir := checkout(t)
	patterns, err := parsePatterns(patternTable)
	if err != nil {
		t.Fatal(err)
	}
	columns := []string{"README", "ui/cli", "ui", ".github", "comments"}
	texts := wholeTexts(t, dir)
	var got, want [5]int
	for _, p := range patterns {
		var rowGot, rowWant int
		for i := range columns {
			n := 0
			for _, words := range texts[i] {
				n += len(p.expr.FindAllString(words, -1))
			}
			got[i] += n
			want[i] += p.table[i]
			rowGot += n
			rowWant += p.table[i]
			if p.table[i] >= 100 {
				near(t, p.name+" in "+columns[i], n, p.table[i])
			}
		}
		near(t, p.name, rowGot, rowWant)
	}
	for i, name := range columns {
		near(t, name, got[i], want[i])
	}
}

func near(t *testing.T, name string, got, want int) {
	t.Helper()
	if far := max(got-want, want-got); 10*far > want+10 { // a count of less than ten may be off by one
		t.Errorf("%s: %d found, %d in the table", name, got, want)
	}
}

// wholeTexts returns the texts of the five columns, nothing left out.
func wholeTexts(t *testing.T, dir string) [5][]string {
	t.Helper()
	read := func(pattern string) (all []string) {
		paths, _ := filepath.Glob(filepath.Join(dir, pattern))
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, string(data))
		}
		return all
	}
	texts := [5][]string{0: read("README.md"), 3: read(".github/*.md")}
	found, err := goTexts(dir, literals, "ui")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range found {
		column := 2
		if strings.HasPrefix(l.place, filepath.Join(dir, "ui/cli")+"/") {
			column = 1
		}
		texts[column] = append(texts[column], l.words)
	}
	found, err = goTexts(dir, comments, "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range found {
		texts[4] = append(texts[4], strings.ReplaceAll(c.words, "\n", " "))
	}
	return texts
}

// TestBefore compares the last column of limits.tsv with the commit it speaks of.
func TestBefore(t *testing.T) {
	dir := checkout(t)
	patterns, err := parsePatterns(patternTable)
	if err != nil {
		t.Fatal(err)
	}
	allowed, err := parseAllowed(allowedLines)
	if err != nil {
		t.Fatal(err)
	}
	limits, err := parseLimits(limitTable)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range limits {
		texts, err := scopes[l.scope](dir)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(find(patterns, allowed, texts)); n != l.before {
			t.Errorf("limits.tsv says %d hits in %s before; there were %d", l.before, l.scope, n)
		}
	}
}

func TestProse(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"run `turns keep` with --take now", "run · with · now"},
		{"type turns keep or -o FILE", "type · or · FILE"},
		{"the word \"told\" is quoted", "the word · is quoted"},
		{"see [the page](what-is.md) and [Take]", "see [the page· and ·"},
		{"keep", ""},
	} {
		got := ""
		for _, p := range prose([]text{{"", c.text}}) {
			got = strings.Join(strings.Fields(p.words), " ")
		}
		if got != c.want {
			t.Errorf("prose(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}
