package source

import (
	"testing"
)

func TestFindJSON(t *testing.T) {
	tests := []struct{ line, want string }{
		{`{"a":1}`, `{"a":1}`},
		{`  {"a":1}  `, `{"a":1}`},
		{`2026-01-01 [pod] {"a":{"b":[1]}} trailing`, `{"a":{"b":[1]}}`},
		{`{"a":1}{"b":2}`, `{"a":1}`},
		{`[{"a":1}]`, `[{"a":1}]`},
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

// FuzzJudge looks for bytes that a look at a window cannot stand, and checks that
// what it gives lies in the window.
func FuzzJudge(f *testing.F) {
	for _, s := range []string{"", two, "[1]", "{", "// x\n{\"a\":1}", "\x00\x00", "[[[[", "text {\"a\":1}", "\ufeff", "[12:00] {\"a\":1}\n", "{\"a\":\"\n{\"b\":1}\n"} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, whole bool) {
		v := judge(data, whole)
		if len(v.records) > sampleRecords || len(v.doc) > len(data) {
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
