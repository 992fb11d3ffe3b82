package changes

import (
	"strings"
	"testing"

	"turns/query/describe"
	"turns/query/human"
)

// TestTextsThatAreCut: a truncated text has a tool's mark near one of its ends.
func TestTextsThatAreCut(t *testing.T) {
	long := strings.Repeat("package x\n", 100)
	for text, want := range map[string]bool{
		"the output was truncated": true, "12 lines omitted": true, "[... 5 lines": true, "… +12 lines": true, "<system-reminder>": true,
		"9 characters remaining": true, "File unchanged since last read": true,
		"<identical to result [r3] from your Bash call earlier — refer to that output>": true, "package x": false, "": false,
	} {
		for _, all := range []string{text, text + long, long + text} {
			if got := marked(all); got != want {
				t.Errorf("%q in %d bytes is cut: %v, want %v", text, len(all), got, want)
			}
		}
	}
	if marked(long + "the output was truncated" + long) {
		t.Error("a file that has such a word is cut")
	}
	for _, mark := range []string{"9 tokens truncated", "[... omitted"} {
		if !marked(long + mark + long) {
			t.Errorf("a long text with %q in its middle is not cut", mark)
		}
	}
}

// TestFilesInResults reads the lines of a file in the result of a call, and whether they are the
// complete file.
func TestFilesInResults(t *testing.T) {
	type seen struct {
		lines string // joined by /
		first int
		all   bool
	}
	full, part := describe.FileEdit{}, describe.FileEdit{Part: true}
	sed := func(first, last int) describe.FileEdit {
		return describe.FileEdit{Shell: true, First: first, Last: last}
	}
	for _, c := range []struct {
		text string
		call describe.FileEdit
		want seen
	}{
		{"a\nb\n", full, seen{"a/b", 1, true}}, {"a\nb\n", part, seen{}}, {"", full, seen{}}, {"<xml>\n", full, seen{}}, {"[1]\n", full, seen{}},
		{"<xml>\n", describe.FileEdit{Shell: true}, seen{"<xml>", 1, true}},
		{"a\nb\n", describe.FileEdit{First: 1}, seen{}}, {"a\nb\n", describe.FileEdit{Last: 2}, seen{}},
		{"a\nb\n", sed(3, 4), seen{"a/b", 3, false}}, {"a\nb\nc\n", sed(3, 4), seen{}}, {"", sed(3, 4), seen{}}, {"a\n", sed(3, 4), seen{"a", 3, false}},
		{"1\ta\n2\tb\n", full, seen{"a/b", 1, true}}, {"1\ta\n2\tb\n", part, seen{"a/b", 1, false}}, {"2\ta\n3\tb\n", full, seen{"a/b", 2, false}},
		{"1\ta\n2\tb\n", describe.FileEdit{First: 1}, seen{"a/b", 1, true}}, {"1\ta\n2\tb\n", describe.FileEdit{Last: 2}, seen{"a/b", 1, false}},
		{"1\ta\n3\tb\n", full, seen{"a", 1, false}}, {"5\ta\nend\n", full, seen{"5\ta/end", 1, true}}, {"5\ta\n", full, seen{"a", 5, false}}, {"1\ta\nend\n", full, seen{"a", 1, false}},
		{"1\ta\n2\tb\n</file>\n", full, seen{"a/b", 1, true}},
		{"1\ta\n2\tb\nEnd of file - total 2 lines\n", full, seen{"a/b", 1, true}}, {"1\ta\n2\tb\nEnd of file - total 3 lines\n", full, seen{"a/b", 1, false}},
		{"1\ta\n2\tb\nEnd of file - total 2 lines\n", describe.FileEdit{Last: 2}, seen{"a/b", 1, true}},
		{"1\ta\nFile has no lines\n", full, seen{"a", 1, false}}, {"1\ta\n" + strings.Repeat("x\n", 9), full, seen{"a", 1, false}},
		{strings.Repeat("x\n", 7) + "1\ta\n", full, seen{"a", 1, true}}, {strings.Repeat("x\n", 8) + "1\ta\n", full, seen{strings.Repeat("x/", 8) + "1\ta", 1, true}},
		{"0\ta\n", full, seen{"0\ta", 1, true}}, {"  9: a\n 10: b\n 11:\n", full, seen{"a/b/", 9, false}}, {"1: a\n2| b\n", full, seen{"a", 1, false}},
	} {
		var got seen
		if s := readShown(c.text, &c.call); s != nil {
			got = seen{strings.Join(s.lines, "/"), s.first, s.all}
		}
		if got != c.want {
			t.Errorf("%q of %+v shows %+v, want %+v", c.text, c.call, got, c.want)
		}
	}
	for text, want := range map[string]string{
		"a\nb": "a\nb", `{"result":"a"}`: "a", `{"other":"a"}`: `{"other":"a"}`, "1\ta\n[result-id: r2]": "1\ta", "1\ta\n[result-id: 2]": "1\ta\n[result-id: 2]",
	} {
		if got := unwrap(text); got != want {
			t.Errorf("unwrap %q: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]int{"End of file - total 190 lines": 190, "File has 123456789 lines": 123456789, "total lines: 0": 0} {
		if got, ok := statedTotal(text); got != want || !ok {
			t.Errorf("%q: %d lines, known is %v", text, got, ok)
		}
	}
}

// TestFilesOfPattern: a folder has all files below it, and a pattern only those that match.
func TestFilesOfPattern(t *testing.T) {
	for pattern, want := range map[string]bool{
		"/a/b.go": true, "/a": true, "/a/": true, "/a/b": false, "/a/b.go/c": false, "/a/*.go": true, "/a/*.c": false, "/*.go": false, "/a/**": true, "/b/**": false, "/[": false,
	} {
		if got := within("/a/b.go", pattern); got != want {
			t.Errorf("%s has /a/b.go: %v, want %v", pattern, got, want)
		}
	}
}

// TestPorcelain: consecutive lines of one message form a group. Its author appears once.
func TestPorcelain(t *testing.T) {
	line := func(n int, path string, message int) BlameLine {
		return BlameLine{Line: n, Text: "x", Path: human.TextOrNull(path), Agent: "ai", Message: human.Index(message)}
	}
	a := BlameAnswer{Path: "f", Lines: []BlameLine{line(1, "s", 3), line(2, "s", 3), line(3, "s", 4), line(4, "t", 4), line(5, "", -1), line(6, "s", 3)}}
	var b strings.Builder
	if err := a.WritePorcelain(&b); err != nil {
		t.Fatal(err)
	}
	var got []string
	for l := range strings.Lines(b.String()) {
		switch f := strings.Fields(l); {
		case len(f[0]) == 40:
			got = append(got, strings.Join(f[1:], " "))
		case f[0] == "author", f[0] == "message":
			got = append(got, f[1])
		}
	}
	if want := "1 1 2,ai,3,2 2,3 3 1,ai,4,4 4 1,ai,4,5 5 1,unknown,6 6 1"; strings.Join(got, ",") != want {
		t.Errorf("the groups are %q, want %q", got, want)
	}
}

// TestLinesOfAVersion: shown lines are in a text if they are the same at their place, apart from an
// empty line behind its end and from the end of long lines.
func TestLinesOfAVersion(t *testing.T) {
	long := strings.Repeat("x", 200)
	for _, c := range []struct {
		text, lines string
		first       int
		want        bool
	}{
		{"a\nb", "a/b", 1, true}, {"a\nb", "b", 2, true}, {"a\nb", "a", 2, false}, {"a\r\nb", "a /b", 1, true},
		{"a\nb", "b/", 2, true}, {"a\nb", "b/c", 2, false}, {"a\nb", "/", 3, false},
		{long + "yz", long + "y", 1, true}, {long + "yz", long, 1, false}, {long, long + "y", 1, false}, {long + "y", "y" + long, 1, false},
	} {
		if got := hasLines(c.text, &seenText{lines: strings.Split(c.lines, "/"), first: c.first}); got != c.want {
			t.Errorf("%q has %q from line %d: %v", c.text, c.lines, c.first, got)
		}
	}
}
