package described_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"turns/model"
	"turns/model/format"
	"turns/model/format/formattest"
	"turns/model/modeltest"
)

// TestRules reads the records of testdata/rules.txt with the description above them. Each case
// begins with "# name"; "---" ends the description, "--- document" if one document follows.
func TestRules(t *testing.T) {
	text, err := os.ReadFile("testdata/rules.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, c := range strings.Split("\n"+string(text), "\n# ")[1:] {
		name, c, _ := strings.Cut(c, "\n")
		description, data, _ := strings.Cut(c, "\n---")
		path := "x.jsonl"
		if doc, ok := strings.CutPrefix(data, " document"); ok {
			path, data = "x.json", doc
		}
		s := formattest.Sample(path, []byte(data))
		s.Whole = true
		f, counts, err := format.Checked(name, []byte("name = \"own\"\n"+description))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		m := f.Detect(s)
		fmt.Fprintf(&out, "# %s\n%d %q\n%s", name, m.Score, m.Reason, formattest.Dump(f, m, s, []byte(data)))
		for _, r := range counts.Rules {
			fmt.Fprintf(&out, "%d × %s %v\n", r.Count, r.As, r.Parts)
		}
		fmt.Fprintf(&out, "%d left %v\n\n", counts.Left, counts.Kinds)
	}
	modeltest.Golden(t, "testdata/rules.golden", out.String())
}

// TestParts lists the parts of a format for each field of its description.
func TestParts(t *testing.T) {
	for text, want := range map[string]string{
		``:                        `own, lists [], queries [] false, a folder false, subagents false`,
		`title = "Own"`:           `Own, lists [], queries [] false, a folder false, subagents false`,
		`list = ["a", "b"]`:       `own, lists [a b], queries [] false, a folder false, subagents false`,
		`starter = "parent"`:      `own, lists [], queries [] false, a folder false, subagents true`,
		`files = ["a.jsonl"]`:     `own, lists [], queries [] true, a folder true, subagents false`,
		`optional = ["a.jsonl"]`:  `own, lists [], queries [] false, a folder false, subagents false`,
		"[[query]]\nname = \"q\"": `own, lists [], queries [q] true, a folder false, subagents false`,
	} {
		f, err := format.Own("own.toml", []byte("name = \"own\"\n"+text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var lists, queries []string
		if f.Lists != nil {
			if lists = f.Lists(model.Match{}); lists == nil {
				t.Errorf("%s: the format has lists and names none", text)
			}
		}
		if f.Unroll != nil {
			for _, q := range f.Unroll.Queries {
				queries = append(queries, q.Name)
			}
		}
		got := fmt.Sprintf("%s, lists %v, queries %v %v, a folder %v, subagents %v", f.Title, lists, queries, f.Unroll != nil, f.Unroll != nil && f.Unroll.Together, f.Starter != nil)
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
		if folder := f.Detect(&model.Sample{Shape: model.Folder, Names: []string{"a.jsonl"}}).Score > 0; folder != (f.Unroll != nil && f.Unroll.Together) {
			t.Errorf("%s: a folder with a.jsonl: %v", text, folder)
		}
	}
	for needs, want := range map[string]bool{"t": true, "t.c": true, "t.d": false, "u": false} {
		f, err := format.Own("own.toml", []byte("name = \"own\"\nscore = 90\n[[query]]\nneeds = [\""+needs+"\"]"))
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Detect(&model.Sample{Shape: model.Database, Tables: map[string][]string{"t": {"c"}}}).Score > 0; got != want {
			t.Errorf("a database with a table t and its column c has %s: %v", needs, got)
		}
	}
}
