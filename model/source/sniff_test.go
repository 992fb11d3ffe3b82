package source

import (
	"bytes"
	"strings"
	"testing"

	"turns/model"
)

// counted is a stream that counts the bytes read.
type counted struct {
	*bytes.Reader
	read int64
}

func (c *counted) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.Reader.ReadAt(p, off)
	c.read += int64(n)
	return n, err
}

// TestLookReadsAWindow checks how much is read to recognise a transcript: a window if the first
// record ends in it, otherwise a larger one for its beginning, and enough to decide whether another
// line follows.
func TestLookReadsAWindow(t *testing.T) {
	line := func(n int) string { return `{"a":"` + strings.Repeat("x", n) + `"}` }
	lines := func(n, size int) string { return strings.Repeat(line(size)+"\n", n) }
	for _, test := range []struct {
		name, data string
		shape      model.Shape
		records    int
		most       int64
	}{
		{"a short file", lines(3, 10), model.Lines, 3, 60},
		{"short lines", lines(100_000, 100), model.Lines, SampleRecords, window},
		{"lines of 100 KB", lines(50, 100<<10), model.Lines, 2, window},
		{"a first line as long as the window", line(window-9) + "\n" + lines(1000, 5000), model.Lines, 1, window},
		{"a document on lines", "{\n\"a\": [\n" + strings.Repeat("{\"b\": 1},\n", 1_000_000) + "{}]}", model.Document, 0, window},
		{"a list on lines", "[\n" + strings.Repeat("{\"b\": 1},\n", 1_000_000) + "{}]", model.Document, 0, window},
		{"prose", strings.Repeat("not a word of JSON\n", 1_000_000), model.Prose, 0, window + 4*window + maxWindow},
		{"a longer first line", line(1<<20) + "\n" + lines(1000, 5000), model.Lines, SampleRecords, window + 4*window + maxWindow},
		{"a document on a line", `{"a":[` + strings.Repeat(`{"b":1},`, 1_000_000) + "{}]}", model.Document, 0, 2*window + 4*window + maxWindow + 8<<20},
	} {
		c := &counted{Reader: bytes.NewReader([]byte(test.data))}
		v, _, err := new(Source).look(t.Context(), c, true)
		if err != nil || v.shape != test.shape || test.records > 0 && len(v.records) != test.records || c.read > test.most {
			t.Errorf("%s: %d bytes of %d read, shape %d, %d records, %v; at most %d should be", test.name, c.read, len(test.data), v.shape, len(v.records), err, test.most)
		}
	}
}

func TestFindJSON(t *testing.T) {
	tests := []struct{ line, want string }{
		{`{"a":1}`, `{"a":1}`},
		{`  {"a":1}  `, `{"a":1}`},
		{`2026-01-01 [pod] {"a":{"b":[1]}} trailing`, `{"a":{"b":[1]}}`},
		{`{"a":1}{"b":2}`, `{"a":1}`},
		{`[{"a":1}]`, `[{"a":1}]`},
		{`["name", {"a":1}]`, `["name", {"a":1}]`},
		{`[["name", {"a":1}]] `, `[["name", {"a":1}]]`},
		{`[["name", 1]]`, ``},
		{`[[[[[[{"a":1}]]]]]]`, `{"a":1}`},
		{`["{"]`, ``},
		{`[12] {"a":1}`, `{"a":1}`},
		{"\x1b[32mINFO\x1b[0m {\"a\":1}\x1b[0m", `{"a":1}`},
		{`set {x} and {y: 1} then {"a":1}`, `{"a":1}`},
		{`{"cut":`, ``},
		{`no json`, ``},
		{`{}`, ``},
		{`text [1,2]`, ``},
		{``, ``},
	}
	for _, test := range tests {
		start, end := FindJSON([]byte(test.line))
		if got := test.line[start:end]; got != test.want {
			t.Errorf("%q: %q, want %q", test.line, got, test.want)
		}
	}
}

// FuzzJudge searches for bytes that break the judgement of a window, and checks that the results
// are inside the window.
func FuzzJudge(f *testing.F) {
	for _, s := range []string{"", two, "[1]", "{", "// x\n{\"a\":1}", "\x00\x00", "[[[[", "text {\"a\":1}", "\ufeff", "[12:00] {\"a\":1}\n", "{\"a\":\"\n{\"b\":1}\n"} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, whole bool) {
		v := judge(data, whole)
		if len(v.records) > SampleRecords || len(v.doc) > len(data) {
			t.Errorf("%d records, %d bytes of document", len(v.records), len(v.doc))
		}
		if v.whole && v.doc == nil {
			t.Error("a whole document that is not there")
		}
		FindJSON(data)
	})
}

// FuzzFlat checks that a record stays one line, and that taking its pieces one by
// one makes no difference.
func FuzzFlat(f *testing.F) {
	f.Add([]byte("{\n\"a\": \"x\ny\\\"\"\r\n}"), uint8(3))
	f.Add([]byte("\"\\\n"), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, n uint8) {
		var whole, pieces flattener
		want := string(whole.flat(nil, data))
		var got []byte
		for rest := data; len(rest) > 0; {
			k := min(int(n)%7+1, len(rest))
			got = pieces.flat(got, rest[:k])
			rest = rest[k:]
		}
		if string(got) != want {
			t.Errorf("in pieces %q, whole %q", got, want)
		}
		for _, b := range appendFlat(nil, data) {
			if b == '\n' || b == '\r' {
				t.Errorf("a newline is left of %q", data)
			}
		}
	})
}
