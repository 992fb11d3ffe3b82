package changes

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/query/querytest"
)

// TestLinesThatSeveralFilesHave: nearby lines decide the session of a bracket; for a moved line,
// the lines that moved with it decide.
func TestLinesThatSeveralFilesHave(t *testing.T) {
	const first, last = "firstLine(of, the, file)", "lastLine(of, the, file)"
	brackets := func(n int) []string { return slices.Repeat([]string{"}"}, n) }
	byHand := func(n int) (lines []string) {
		for i := range n {
			lines = append(lines, fmt.Sprintf("somebody wrote line %d by hand", i))
		}
		return lines
	}
	lines := func(parts ...[]string) []string { return slices.Concat(parts...) }
	one, other := []string{first}, []string{last}
	const yes, likely, no = Certain, Likely, Unknown
	for _, c := range []struct {
		rule       string
		file       string
		wrote, has []string
		want       []Certainty
	}{
		{"lines within three of recognisable ones on both sides are certain", "f",
			lines(one, brackets(4), other), lines(one, brackets(4), other), []Certainty{yes, likely, yes, yes, likely, yes}},
		{"a bracket three lines from a recognisable line is of its session", "f",
			lines(one, []string{"was here before the edit", "}"}), lines(one, byHand(2), brackets(1)), []Certainty{yes, no, no, likely}},
		{"a bracket four lines from it may be of anyone", "f",
			lines(one, []string{"was here before the edit", "}"}), lines(one, byHand(3), brackets(1)), []Certainty{yes, no, no, no, no}},
		{"four brackets between lines of a session are its own", "f",
			lines(one, other), lines(one, brackets(4), other), []Certainty{yes, likely, likely, likely, likely, yes}},
		{"five are not", "f", lines(one, other), lines(one, brackets(5), other), []Certainty{yes, no, no, no, no, no, yes}},
		{"two lines of another file moved together", "g", lines(byHand(1), one, other), lines(one, other), []Certainty{likely, likely}},
		{"one line of another file may be a coincidence", "g", lines(byHand(1), one), lines(one, other), []Certainty{no, no}},
		{"the 64th place of a line is compared", "g",
			lines(slices.Repeat(one, 64), other), lines(one, other), []Certainty{likely, likely}},
		{"the 65th is not", "g", lines(slices.Repeat(one, 65), other), lines(one, other), []Certainty{no, no}},
	} {
		trail := &Trail{Path: "session", Files: []TrailFile{{
			Path: c.file, Final: c.wrote, Origins: make([]int32, len(c.wrote)), Authors: []Author{{}},
		}}}
		blame := Blame(func(path, _ string) bool { return path == "f" }, c.has, []*Trail{trail})
		got := make([]Certainty, len(blame))
		for i := range blame {
			got[i] = blame[i].Certainty
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.rule, got, c.want)
		}
	}
}

// TestDistinctive: a line with at least ten letters or digits is distinctive.
func TestDistinctive(t *testing.T) {
	for line, want := range map[string]bool{
		"abcdefghi": false, "abcdefghij": true, "0123456789": true, "ABCXYZabcxyz": true, "} // [({ := })]": false, "ÄÖÜÄÖ": true,
		"azAZ09azAZ": true, "azAZ09azA@[`{/:": false,
	} {
		if got := distinctive(line); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
}

// TestPromptOfATurn: the prompt is searched in the first sixteen messages of its turn.
func TestPromptOfATurn(t *testing.T) {
	for injected, want := range map[int]string{0: "do it", 15: "do it", 16: ""} {
		var msgs []model.Message
		for range injected {
			msgs = append(msgs, querytest.Flagged(querytest.Message(model.User, "<context/>"), model.Injected))
		}
		msgs = append(msgs, querytest.Message(model.User, "do it\nnow"), querytest.Message(model.Assistant, "done"))
		h, err := Of(t.Context(), model.FromMessages(msgs), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := h.prompt(t.Context(), 0); err != nil || got != want {
			t.Errorf("behind %d injected messages: %q, %v; want %q", injected, got, err, want)
		}
	}
}

// TestFollowedVersions: turns follows the lines of a file through 2,000 versions. With more, a line
// counts as added by the first followed version.
func TestFollowedVersions(t *testing.T) {
	calls := [][3]string{{"Write", args("file_path", "/w/a", "content", "stays\nx 0\n"), "File created successfully"}}
	for i := range 2000 {
		calls = append(calls, [3]string{"Edit", args("file_path", "/w/a", "old_string", fmt.Sprintf("x %d\n", i), "new_string", fmt.Sprintf("x %d\n", i+1)), "ok"})
	}
	h, err := Of(t.Context(), session(calls...), nil)
	if err != nil {
		t.Fatal(err)
	}
	for end, want := range map[int]int{2000: 1, 2001: 2} {
		if m, err := h.makers(t.Context(), h.Files[0], Segment{Base: 0, End: end}); err != nil || m.added[0] != want || m.added[1] != end {
			t.Errorf("%d versions: lines of %v, %v; want %d", end, m.added, err, want)
		}
	}
}

// TestLongestHunks: turns reads at most 1,000 hunks of a list, and stores at most 2^18 written
// lines.
func TestLongestHunks(t *testing.T) {
	if hunks := listHunks("[" + strings.Repeat(`{"lines":["+x"]},`, 1000) + `{"lines":["+x"]}]`); len(hunks) != 1000 {
		t.Errorf("%d hunks, want 1000", len(hunks))
	}
	b := trailBuilder{file: TrailFile{Written: make([]string, 1<<18-1)}}
	b.wrote("x", 0)
	if b.wrote("y", 0); len(b.file.Written) != 1<<18 {
		t.Errorf("%d lines are stored, want %d", len(b.file.Written), 1<<18)
	}
}
