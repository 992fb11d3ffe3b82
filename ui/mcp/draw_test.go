package mcp

import (
	"testing"

	"turns/query/answer"
)

func TestDraw(t *testing.T) {
	table := answer.NewTable("tool", "=when", ">calls", "about")
	table.Columns[3].Room = 8
	table.Add("Read", "09:00", "2", "a text  that is long")
	table.Add("a tool with a long name", "", "12", "")
	d := &answer.Doc{Title: "of files only"}
	d.AddText("2 calls    of 2 tools")
	d.AddTable("by tool", table)
	d.Note("~ is estimated")
	d.Add(answer.Section{Text: []string{"Markdown"}, Only: answer.InMarkdown})
	d.AddTable("", answer.OfLines(answer.Text, answer.Line{Label: "calls", Number: "2", Note: ""}, answer.Line{Label: "errors", Indent: 2, Number: "·", Note: "of 14"}))
	want := "2 calls  of 2 tools\n\nby tool\ntool  when  calls  about\nRead  09:00  2  a text…\na tool with a long name  -  12\n~ is estimated\n\ncalls  2\n  errors  ·  of 14\n"
	if got := Draw(d); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestPulled(t *testing.T) {
	for line, want := range map[string]string{"a      b   c d": "a  b  c d", "      tree   x": "    tree  x"} {
		if got := pulled(line); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
