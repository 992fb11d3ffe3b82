package help

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

const sample = "# sample: What a page has\n\nA paragraph with `code`, a [link](https://example.org) and\na second line.\n\n" +
	"    turns ls   # code\n\n## A table\n\n| key | meaning |\n|---|---|\n| a\\|b | a text that is long enough to be wrapped under its own column |\n\n- one\n- two\n"

func TestMarkdownIsReadAsAPage(t *testing.T) {
	var b strings.Builder
	p := parseMarkdown([]byte(sample))
	if err := p.WriteText(&b, Layout{Columns: 40}); err != nil {
		t.Fatal(err)
	}
	want := `What a page has

A paragraph with code, a link
(https://example.org) and a second line.

  turns ls   # code

A TABLE
  key  meaning
  a|b  a text that is long enough to be
       wrapped under its own column

  •  one
  •  two
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestTermsHaveTheirTextsUnderOneColumn(t *testing.T) {
	p := &Page{Sections: []Section{{"Flags", []Block{{Rows: []Row{
		{Term: "-q, --query QUERY", Text: "Only messages that match this query"},
		{Term: "    --a-flag-with-a-long-name AND-A-LONG-PLACEHOLDER", Text: "Begins below"},
	}}}}}}
	var b strings.Builder
	if err := p.WriteText(&b, Layout{Columns: 45}); err != nil {
		t.Fatal(err)
	}
	want := "\n\nFLAGS\n  -q, --query QUERY  Only messages that match\n                     this query\n" +
		"      --a-flag-with-a-long-name AND-A-LONG-PLACEHOLDER\n                     Begins below\n"
	if b.String() != want {
		t.Errorf("got\n%q\nwant\n%q", b.String(), want)
	}
}

func TestTextIsNoCommandOfRoff(t *testing.T) {
	p := &Page{Name: "turns-x", Title: "x", Section: 7, Sections: []Section{{"X", []Block{{Text: ".TH dots \\fB and -dashes of τ"}, {Code: "'quotes\n.dots"}}}}}
	var b strings.Builder
	if err := p.WriteMan(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\n\\&.TH dots \\efB and \\-dashes of \\[u03C4]\n", "\n\\&'quotes\n\\&.dots\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q lacks %q", b.String(), want)
		}
	}
}

// Each topic has a title and fits 80 columns, except lines of code and long paths.
func TestTopicsAreWhole(t *testing.T) {
	names := Topics()
	for _, name := range []string{"exit-codes", "filters"} {
		if !slices.Contains(names, name) {
			t.Errorf("there is no topic %s", name)
		}
	}
	for _, name := range names {
		p, err := Topic(name)
		if err != nil {
			t.Fatal(err)
		}
		if p.Title == "" || len(p.Sections) < 2 {
			t.Errorf("%s: title %q, %d sections", name, p.Title, len(p.Sections))
		}
		for i := range p.Sections {
			p.Sections[i].Blocks = slices.DeleteFunc(p.Sections[i].Blocks, func(b Block) bool { return b.Code != "" })
		}
		var b strings.Builder
		if err := p.WriteText(&b, Layout{}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			fields := strings.Fields(line)
			if len(fields) > 0 && ansi.StringWidth(fields[len(fields)-1]) > 24 {
				continue // a path, which is never broken
			}
			if w := ansi.StringWidth(line); w > 80 {
				t.Errorf("%s: a line has %d columns: %s", name, w, line)
			}
		}
		lint(t, p)
	}
	if _, err := Topic("nosuch"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a topic that is missing: %v", err)
	}
}

// lint has groff read a page, if there is one.
func lint(t *testing.T, p *Page) {
	t.Helper()
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Log("no groff to read the page")
		return
	}
	var page strings.Builder
	if err := p.WriteMan(&page); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(groff, "-man", "-Tutf8", "-ww", "-z")
	cmd.Stdin = strings.NewReader(page.String())
	if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "warning") {
		t.Errorf("%s: %v\n%s", p.Name, err, out)
	}
}

// The program reads each variable of the manual, and writes below each of its folders.
func TestEnvironmentAndFilesAreThoseOfTheProgram(t *testing.T) {
	var source strings.Builder
	err := filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "../../../ui/cli/help/") {
			return err
		}
		data, err := os.ReadFile(path)
		source.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	has := func(literal string) bool { return strings.Contains(source.String(), literal) }
	for _, row := range environment {
		for name := range strings.SplitSeq(row.Term, ", ") {
			// libraries read the keys of S3 and the folder of settings
			if !has(`"`+name+`"`) && !strings.HasPrefix(name, "AWS_ACCESS") && !strings.HasPrefix(name, "AWS_SECRET") && name != "XDG_CONFIG_HOME" {
				t.Errorf("the program does not read %s", name)
			}
		}
	}
	for _, row := range files {
		for name := range strings.SplitSeq(row.Term, ", ") {
			base := path.Base(name)
			if dir := path.Base(path.Dir(name)); strings.HasPrefix(base, "*") {
				base = dir
			}
			if !has(`"` + base + `"`) {
				t.Errorf("the program does not name %s", name)
			}
		}
	}
}
