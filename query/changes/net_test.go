package changes

import (
	"slices"
	"strings"
	"testing"

	"turns/query"
	"turns/query/answer"
)

// TestPathsLookDifferent: different paths have different rows, although a tab is shown as a blank.
func TestPathsLookDifferent(t *testing.T) {
	names := []string{"a b", "a\tb", "a  b", "a\nb", " a b", "a\u200bb", "ab"}
	var calls [][3]string
	for _, name := range names {
		calls = append(calls, [3]string{"Write", args("file_path", "/w/"+name+".go", "content", "x\n"), "File created successfully"})
	}
	s := session(calls...)
	h, err := Of(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := h.Answer(t.Context(), query.Everything(s))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, section := range a.Doc().Sections {
		if section.Table == nil {
			continue
		}
		for _, row := range section.Table.Rows {
			text := row.Cells[0].Text
			if seen[text] || strings.ContainsAny(text, "\t\n\u200b") {
				t.Errorf("the row %q is there twice, or shows what a line cannot", text)
			}
			seen[text] = true
		}
	}
	if len(seen) != len(names)+1 || !seen["a b.go"] {
		t.Errorf("the rows are %v", seen)
	}
}

// TestUnknownLines: the lists of files and of versions have no numbers of lines for a command whose
// effect the transcript lacks.
func TestUnknownLines(t *testing.T) {
	h, err := Of(t.Context(), session([3]string{"Bash", args("command", "printf x > f"), ""}), nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := h.Answer(t.Context(), query.Everything(h.Snap))
	if err != nil {
		t.Fatal(err)
	}
	a.Files[0].Versions = []VersionRow{{Op: Touch.String(), State: Uncertain}}
	for _, d := range []*answer.Doc{a.Doc(), a.Files[0].Doc()} {
		i := slices.IndexFunc(d.Sections, func(s answer.Section) bool { return s.Table != nil })
		rows := d.Sections[i].Table.Rows
		row := rows[len(rows)-1].Cells
		if !slices.ContainsFunc(row, func(c answer.Cell) bool { return c.Text == answer.Unknown.Text }) ||
			slices.ContainsFunc(row, func(c answer.Cell) bool { return c.Text == PlusMinus(0, 0) }) {
			t.Errorf("the row is %v", row)
		}
	}
}
