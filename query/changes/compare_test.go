package changes

import (
	"fmt"
	"strings"
	"testing"

	"turns/model"
	"turns/query"
)

// TestCompare pairs the files of two sessions.
func TestCompare(t *testing.T) {
	write := func(path, text string) [3]string {
		return [3]string{"Write", args("file_path", path, "content", text), "File created successfully"}
	}
	edit := func(path, old, text string) [3]string {
		return [3]string{"Edit", args("file_path", path, "old_string", old, "new_string", text), "ok"}
	}
	left := session(write("only.go", "1\n"), write("same.go", "1\n2\n"), write("other.go", "1\n"), edit("unknown.go", "x", "y"), edit("edited.go", "x", "y"))
	right := session(write("same.go", "1\n"), edit("same.go", "1\n", "1\n2\n"), write("other.go", "1\n2\n"), edit("unknown.go", "x", "y"), edit("edited.go", "x", "z"), write("new.go", "1\n"))
	var answers [2]*Answer
	for i, s := range []*model.Snapshot{left, right} {
		h, err := Of(t.Context(), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		if answers[i], err = h.Answer(t.Context(), query.Everything(s)); err != nil {
			t.Fatal(err)
		}
	}
	pairs, err := Compare(t.Context(), answers[0], answers[1])
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i := range pairs {
		fmt.Fprintf(&b, "%s: %s %s\n", pairs[i].Path, pairs[i].How, pairs[i].Lines())
	}
	want := `edited.go: different M +1 −1 → M +1 −1
new.go: only_b – → A +1 −0
only.go: only_a A +1 −0 → –
other.go: different A +1 −0 → A +2 −0
same.go: same A +2 −0 → A +2 −0
unknown.go: same M +1 −1 → M +1 −1
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
	if got := PairedHeadline(pairs); got != "files: 1 only in a, 1 only in b, 2 the same, 2 different" {
		t.Error(got)
	}
	if table, left := PairedTable(pairs, 3); len(table.Rows) != 3 || left != 1 {
		t.Errorf("%d rows, %d left out", len(table.Rows), left)
	}
}
