package changes

import (
	"strings"
	"testing"

	"turns/query"
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
