package changes

import (
	"strings"
	"testing"
	"time"

	"turns/query/querytest"
)

// blamed is an answer with lines of three sessions and of people.
func blamed() *BlameAnswer {
	mine := BlameLine{Text: "one", Certainty: Certain, Session: "0123456789", Path: "/t/a.jsonl", Agent: "claude", Message: 3, Turn: 1, Prompt: "fix it",
		Model: "claude-opus", Time: querytest.T0, Also: []string{"/t/b.jsonl"}}
	again := mine
	again.Text, again.Also = "two", nil
	other := BlameLine{Text: "four", Certainty: Likely, Path: "/t/long-name.jsonl", Message: -1, Turn: -1}
	a := &BlameAnswer{Path: "f.go", Lines: []BlameLine{mine, again, {Text: "three", Message: -1, Turn: -1}, other, again}}
	for i := range a.Lines {
		a.Lines[i].Line = i + 1
	}
	return a
}

// TestBlameAsText: each line with its certainty, session, message, turn, day and prompt.
func TestBlameAsText(t *testing.T) {
	var rows []string
	for _, row := range blamed().Doc().Sections[0].Table.Rows {
		var cells []string
		for _, cell := range row.Cells {
			cells = append(cells, cell.Text)
		}
		rows = append(rows, strings.Join(cells, "|"))
	}
	day := time.UnixMilli(querytest.T0).UTC().Format(time.DateOnly)
	want := []string{
		"1|certain|01234567 claude +1|#3 turn 1 " + day + "|fix it|one", "2|certain|01234567 claude|#3 turn 1 " + day + "|fix it|two",
		"3|unknown|–|||three", "4|likely|long-nam |start||four", "5|certain|01234567 claude|#3 turn 1 " + day + "|fix it|two",
	}
	if got := strings.Join(rows, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// TestBlameAsAgentTrace: neighbouring lines of a session are one range; lines of people have none.
func TestBlameAsAgentTrace(t *testing.T) {
	var b strings.Builder
	if err := blamed().WriteAgentTrace(&b, time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(strings.Fields(b.String()), "")
	for _, want := range []string{`"ranges":[{"start_line":1,"end_line":2},{"start_line":5,"end_line":5}]`, `"ranges":[{"start_line":4,"end_line":4}]`,
		`"model_id":"anthropic/claude-opus"`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in %s", want, got)
		}
	}
	if n := strings.Count(got, `"ranges"`); n != 2 {
		t.Errorf("%d sessions have lines, want 2", n)
	}
}

// TestBlameAsPorcelain: the first line of a group has the number of its lines.
func TestBlameAsPorcelain(t *testing.T) {
	var b strings.Builder
	if err := blamed().WritePorcelain(&b); err != nil {
		t.Fatal(err)
	}
	var heads []string
	for line := range strings.Lines(b.String()) {
		if id, rest, ok := strings.Cut(strings.TrimSpace(line), " "); ok && len(id) == 40 {
			heads = append(heads, rest)
		}
	}
	if got, want := strings.Join(heads, ", "), "1 1 2, 2 2, 3 3 1, 4 4 1, 5 5 1"; got != want {
		t.Errorf("the lines begin with %s, want %s", got, want)
	}
	for text, want := range map[string]int{"author claude\n": 1, "author unknown\n": 1, "transcript ": 2} {
		if got := strings.Count(b.String(), text); got != want {
			t.Errorf("%q is there %d times, want %d:\n%s", text, got, want, b.String())
		}
	}
}

// TestBlameOfSomeLines: the answer has the lines from the first to the last, both included.
func TestBlameOfSomeLines(t *testing.T) {
	a := NewBlame(func(string, string) bool { return true }, "f.go", []string{"one", "two", "three", "four"}, 2, 3, nil, nil)
	if len(a.Lines) != 2 || a.Lines[0].Text != "two" || a.Lines[0].Line != 2 || a.Lines[1].Text != "three" {
		t.Errorf("lines 2 to 3 are %+v", a.Lines)
	}
}
