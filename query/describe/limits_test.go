package describe

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/query/human"
)

// TestLimitsOfLines: how much of long texts and many arguments the line of a call shows.
func TestLimitsOfLines(t *testing.T) {
	args := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"a%d":%d`, i, i)
		}
		return "{" + b.String()[1:] + "}"
	}
	for _, c := range []struct {
		rule  string
		call  describeCase
		about func(Line) bool
	}{
		{"48 columns of output are shown", describeCase{tool: "Bash", args: `{"command":"x"}`, result: strings.Repeat("é", 48), state: model.Success},
			func(l Line) bool { return l.Outcome == strings.Repeat("é", 48) }},
		{"49 columns are counted", describeCase{tool: "Bash", args: `{"command":"x"}`, result: strings.Repeat("é", 49), state: model.Success},
			func(l Line) bool { return l.Outcome == "1 line" }},
		{"a line about a call has 400 columns", describeCase{tool: "Bash", args: `{"command":"` + strings.Repeat("x", 400) + `"}`, result: "ok", state: model.Success},
			func(l Line) bool { return l.About == strings.Repeat("x", 400) }},
		{"and no more", describeCase{tool: "Bash", args: `{"command":"` + strings.Repeat("x", 401) + `"}`, result: "ok", state: model.Success},
			func(l Line) bool { return human.Width(l.About) == 400 && l.About != strings.Repeat("x", 400) }},
		{"six arguments of an unknown tool are shown", describeCase{tool: "own", args: args(6), result: "ok", state: model.Success},
			func(l Line) bool { return strings.HasSuffix(l.About, "a5=5") }},
		{"the seventh is not", describeCase{tool: "own", args: args(7), result: "ok", state: model.Success},
			func(l Line) bool { return strings.Contains(l.About, "a5=5") && !strings.Contains(l.About, "a6") }},
		{"the reason of a failure is in the last 32 kB", describeCase{tool: "Bash", args: `{"command":"x"}`, state: model.Failure,
			result: "\nfatal: no space\n" + strings.Repeat("-", 32<<10-17-5) + "\nlast"}, func(l Line) bool { return strings.Contains(l.Outcome, "no space") }},
		{"further up it is not looked for", describeCase{tool: "Bash", args: `{"command":"x"}`, state: model.Failure,
			result: "\nfatal: no space\n" + strings.Repeat("-", 32<<10-17-4) + "\nlast"}, func(l Line) bool { return strings.Contains(l.Outcome, "last") }},
	} {
		if l := c.call.line(); !c.about(l) {
			t.Errorf("%s: about %.80q, outcome %.80q", c.rule, l.About, l.Outcome)
		}
	}
}

// TestManyArguments: ParseArgs returns at most 64 arguments; among later ones, up to the 4,096th,
// it only detects a repeated name.
func TestManyArguments(t *testing.T) {
	for _, c := range []struct {
		fields, want int
		twice        string
	}{{64, 64, ""}, {65, 64, ""}, {4095, 64, "a0"}, {4096, 64, ""}} {
		var b strings.Builder
		for i := range c.fields {
			fmt.Fprintf(&b, `"a%d":%d,`, i, i)
		}
		a := ParseArgs(&model.Content{Text: "{" + b.String() + `"a0":1}`})
		twice := c.twice
		if c.fields <= 65 {
			twice = "a0"
		}
		if len(a.Fields) != c.want || a.twice != twice {
			t.Errorf("%d arguments and a repeated one: %d, %q twice", c.fields, len(a.Fields), a.twice)
		}
	}
}

// TestDiffOfLongTexts: LineDiff compares up to 400 differing lines line by line; in a longer diff,
// all removed lines precede all added ones.
func TestDiffOfLongTexts(t *testing.T) {
	text := func(n int, sign string) string {
		var b strings.Builder
		for i := range n {
			if i%2 == 0 {
				fmt.Fprintf(&b, "%s %d\n", sign, i)
			} else {
				fmt.Fprintf(&b, "same %d\n", i)
			}
		}
		return b.String() + sign + "\n"
	}
	for lines, want := range map[int]bool{400: true, 401: false} {
		diff := LineDiff(text(lines-1, "old"), text(lines-1, "new"))
		if got := strings.Contains(diff, "\n same 1\n"); got != want {
			t.Errorf("%d lines: line by line %v, want %v\n%.200s", lines, got, want, diff)
		}
	}
}

// TestFirstWordsOfAnAnswer: AnswerWords searches the first 4 kB of an answer, after its headings.
func TestFirstWordsOfAnAnswer(t *testing.T) {
	for heading, want := range map[int]string{4085: "It works", 4090: "It wor", 4096: "###"} {
		text := "# " + strings.Repeat("x", heading-3) + "\nIt works\n"
		got := AnswerWords(&model.Message{Blocks: []model.Content{{Kind: model.Words, Text: text}}})
		if want == "###" {
			if !strings.HasPrefix(got, "xxx") {
				t.Errorf("below a heading of %d bytes: %.20q", heading, got)
			}
		} else if got != want {
			t.Errorf("below a heading of %d bytes: %.20q, want %q", heading, got, want)
		}
	}
}

// TestSizeOfJSON: JSON of up to 1 MB is indented.
func TestSizeOfJSON(t *testing.T) {
	for size, want := range map[int]ShownKind{1 << 20: ShownJSON, 1<<20 + 1: ShownText} {
		if shown := plainShown("", `["`+strings.Repeat("x", size-4)+`"]`); len(shown) != 1 || shown[0].Kind != want {
			t.Errorf("%d bytes are opened as %v, want %v", size, shown[0].Kind, want)
		}
	}
}

// TestSizesOfArguments: a line is made of the first 4 kB of an argument, and its numbers of the
// first MB of a text. The whole text of a failure has at most 4,096 columns.
func TestSizesOfArguments(t *testing.T) {
	for size, want := range map[int]int{4096: 4096, 4097: 4096} {
		text := strings.Repeat("x", size)
		a := ParseArgs(&model.Content{Text: `{"text":"` + text + `","list":["` + text + `"]}`})
		if got, list := a.Get("text"), a.Get("list"); len(got) != want || len(list) != want {
			t.Errorf("of %d bytes %d are read, and %d in a list", size, len(got), len(list))
		}
	}
	for lines, want := range map[int]int{1024: 1024, 1025: 1024} { // each line has 1 kB
		a := ParseArgs(&model.Content{Text: `{"old_string":"` + strings.Repeat(strings.Repeat("x", 1022)+`\n`, lines) + `","new_string":""}`})
		if _, gone := a.change(); gone != want {
			t.Errorf("of %d lines %d are counted, want %d", lines, gone, want)
		}
	}
	words := testDescriber
	words.Whole = true
	said := "Old text `a\n" + strings.Repeat("f(x);", 2000) + "` is not there."
	line := words.Call(&model.Content{Kind: model.ToolCall, Name: "Edit"}, &model.Content{Kind: model.ToolResult, Text: said}, &model.Call{Outcome: model.Failure})
	if n := human.Width(line.Outcome); n != 4096 {
		t.Errorf("the text of a failure has %d columns", n)
	}
}

// TestRewoundMessages: turns counts up to 4,096 messages before a rewind.
func TestRewoundMessages(t *testing.T) {
	for n, want := range map[int]int{4096: 4096, 4097: 4096} {
		msgs := slices.Repeat([]model.Message{{Role: model.User, Flags: model.Rewound}}, n)
		snap := model.FromMessages(append(msgs, model.Message{Op: model.Rewind}))
		if got := rewoundBefore(snap, model.ID(n)); got != want {
			t.Errorf("%d of %d rewound messages are counted, want %d", got, n, want)
		}
	}
}

// TestResultsOnALine: a line shows a result of up to 48 columns. A longer text is cut to 38
// columns and its size. A structured result shows its text, the number of its items, its short
// fields or its size.
func TestResultsOnALine(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{strings.Repeat("x", 48), strings.Repeat("x", 48)},
		{strings.Repeat("x", 49), strings.Repeat("x", 47) + "…"},
		{strings.Repeat("x", 38) + "\nend", strings.Repeat("x", 38) + ", 42 bytes"},
		{strings.Repeat("x", 39) + "\nend", strings.Repeat("x", 37) + "…, 43 bytes"},
		{"{" + strings.Repeat("1", 46) + "}", "{" + strings.Repeat("1", 46) + "}"},
		{"[" + strings.Repeat("1", 47) + "]", "1 item, 49 bytes"},
		{"[" + strings.Repeat("1", 20) + ",\n" + strings.Repeat("1", 30) + "]", "2 items, 54 bytes"},
		{"[" + strings.Repeat("1", 48), "49 bytes"},
		{"[1" + strings.Repeat(",1", 998) + "]", "999 items, 2.0 kB"},
		{"[1" + strings.Repeat(",1", 999) + "]", "2.0 kB"},
		{"[1" + strings.Repeat(" ", 64<<10-3) + "]", "1 item, 66 kB"},
		{"[1" + strings.Repeat(" ", 64<<10-2) + "]", "66 kB"},
		{`[{"type":"text","text":"` + strings.Repeat("x", 40) + `"}]`, strings.Repeat("x", 40)},
		{`{"from":"DEN","flights":[{"n":1},{"n":2},{"n":3}],"to":"PHL"}`, "flights: 3 items, 61 bytes"},
		{`{"from":"DEN","flights":[],"to":"PHL","day":"2024-05-28"}`, "flights: 0 items, 57 bytes"},
		{`{"from":["DEN"],"flights":[{"n":1},{"n":2},{"n":3}],"to":"PHL"}`, "to=PHL, 63 bytes"},
		{`{"from":"DEN","flights":{"n":[1]},"to":"PHL","day":"2024-05-28"}`, "from=DEN to=PHL day=2024-05-28, 64 bytes"},
		{`{"` + strings.Repeat("f", 24) + `":[1],"to":"` + strings.Repeat("t", 20) + `"}`, strings.Repeat("f", 24) + ": 1 item, 60 bytes"},
		{`{"` + strings.Repeat("f", 25) + `":[1],"to":"` + strings.Repeat("t", 20) + `"}`, "to=" + strings.Repeat("t", 20) + ", 61 bytes"},
		{`{"day":"2024-05-28","gate":"B12","seat":"14C","aisle":true}`, "day=2024-05-28 gate=B12 seat=14C aisle=true"},
		{`{"day":"2024-05-28","airport":"Philadelphia","carrier":"JetBlue"}`, "day=2024-05-28 airport=Philadelphia c…, 65 bytes"},
		{"Output:\n" + strings.Repeat("x", 20) + "\nend", strings.Repeat("x", 20) + ", 32 bytes"},
		{"Output:\n" + strings.Repeat("x", 20), strings.Repeat("x", 20)},
		{"Output:", "Output:"},
		{"a:\nb:\nc:\nd:\nthe text", "the text"},
		{"a:\nb:\nc:\nd:\ne:\nthe text", "e:, 23 bytes"},
	} {
		if got := lineOrSize(c.text); got != c.want {
			t.Errorf("%q is shown as %q, want %q", c.text, got, c.want)
		}
	}
}

// TestTextsOfStructuredResults: each field that describes how a call went is the line of its
// result, and the earlier name wins.
func TestTextsOfStructuredResults(t *testing.T) {
	names := []string{"message", "output", "stdout", "content", "result", "text", "answer", "response", "summary", "description", "data"}
	for i, name := range names {
		if got := lineOrSize(`{"` + name + `":"Saved the draft as version 12.","id":7,"page":"notes"}`); got != "Saved the draft as version 12." {
			t.Errorf("a result with %q is shown as %q", name, got)
		}
		if i == 0 {
			continue
		}
		if got := lineOrSize(`{"` + name + `":"It is the later name.","` + names[i-1] + `":"It is the earlier name."}`); got != "It is the earlier name." {
			t.Errorf("of %q and %q a result shows %q", names[i-1], name, got)
		}
	}
}
