package shape

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"turns/export/exporttest"
	"turns/model"
)

func FuzzStrings(f *testing.F) {
	for _, s := range exporttest.Hostile() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		checkString(t, s)
		for _, l := range []Layout{{0}, {2}} {
			out, ok := l.AppendValue([]byte("x"), []byte(s), 0)
			if !ok {
				if string(out) != "x" {
					t.Fatalf("%q left %q", s, out)
				}
				if json.Valid([]byte(s)) && strings.Count(s, "[")+strings.Count(s, "{") < 5000 {
					t.Fatalf("%q was refused", s)
				}
				continue
			}
			if !json.Valid(out[1:]) {
				t.Fatalf("%q became %q", s, out)
			}
			if l.Indent == 0 && bytes.ContainsAny(out, "\n\r") {
				t.Fatalf("%q became several lines: %q", s, out)
			}
			var a, b any
			if json.Unmarshal(bytes.ToValidUTF8([]byte(s), []byte("\uFFFD")), &a) == nil && json.Unmarshal(out[1:], &b) == nil && fmt.Sprint(a) != fmt.Sprint(b) {
				t.Fatalf("%q became %q", s, out)
			}
		}
	})
}

func TestStrings(t *testing.T) {
	for _, s := range append([]string{"", "plain", "a\"b\\c/d\x00\x1f\n\t\r\x7f", "é日🙂\u2028", "\xff\xfe", "a\xc3", strings.Repeat("x", 17) + "\n"}, exporttest.Hostile()...) {
		checkString(t, s)
	}
}

func checkString(t testing.TB, s string) {
	t.Helper()
	var got string
	if err := json.Unmarshal(model.AppendQuoted(nil, []byte(s)), &got); err != nil || got != string([]rune(s)) {
		t.Errorf("%q became %q, %v", s, got, err)
	}
	if out := append(model.AppendRecorded([]byte{'"'}, []byte(s)), '"'); !json.Valid(out) {
		t.Errorf("recorded %q became %s", s, out)
	}
}
