package answer

import "testing"

// doc returns an answer with every kind of content.
func doc() *Doc {
	t := NewTable("tool", "=when", ">calls?", "<path")
	t.Columns[0].Room = 6
	t.Add("a|tool with a name", "09:00", "2", "a/b")
	t.Add("Read", "10:00", "12", "c").Indent = 2
	d := &Doc{Title: "a_b <c>"}
	d.AddText("2 calls", "")
	d.AddTable("tools", t)
	d.Note("in all")
	d.AddTable("nothing", NewTable("tool"))
	d.Add(Section{Text: []string{"for people"}, Only: InText})
	d.Add(Section{Head: "more", Text: []string{"folded"}, Only: InMarkdown, Fold: true})
	return d
}

func TestText(t *testing.T) {
	want := "2 calls\n\ntools\ntool    when   calls  path\na|too…  09:00      2  a/b\n  Read  10:00     12  c\nin all\n\nfor people\n"
	if got := doc().String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestMarkdown(t *testing.T) {
	want := "# a_b &lt;c>\n\n2 calls\n\n## tools\n\n| tool | when | calls | path |\n| --- | --- | ---: | --- |\n| a\\|too… | 09:00 | 2 | a/b |\n| Read | 10:00 | 12 | c |\n\nin all\n\n" +
		"<details><summary>more</summary>\n\nfolded\n\n</details>\n"
	if got := doc().Markdown(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	unnamed := Doc{Sections: []Section{{Table: OfLines(Text, Line{Label: "calls", Indent: 2, Number: "2", Note: "1 error"})}}}
	if got, want := unnamed.Markdown(), "|  |  |  |\n| --- | ---: | --- |\n| calls | 2 | 1 error |\n"; got != want {
		t.Errorf("without names: %q, want %q", got, want)
	}
}

func TestHeads(t *testing.T) {
	table := doc().Sections[1].Table
	for i, want := range []Head{{Name: "tool", Room: 6}, {Name: "when", Kind: Word}, {Name: "calls", Kind: Number, Drop: 1}, {Name: "path", Kind: Path}} {
		if table.Columns[i] != want {
			t.Errorf("column %d is %+v, want %+v", i, table.Columns[i], want)
		}
	}
	if !table.Named() || NewTable("", ">").Named() {
		t.Error("a table without names has some, or one with names has none")
	}
	wide := Head{Name: "a", Least: 5}
	if got := (&Table{Columns: []Head{wide, {Name: "b"}}, Rows: []Row{{Cells: []Cell{{Text: "1"}, {Text: "2"}}}}}).lined(0).width; got[0] != 5 || got[1] != 1 {
		t.Errorf("widths %v", got)
	}
}

func TestNotes(t *testing.T) {
	d := &Doc{}
	d.Note("alone")
	d.AddTable("no rows", NewTable("a"))
	d.AddText("")
	if d.Note("more"); d.String() != "alone\nmore\n" {
		t.Errorf("%q", d)
	}
}
