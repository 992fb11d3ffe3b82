package model

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzJSONText: any text, and any recorded inside of a string, becomes JSON with the same meaning,
// and valid input stays unchanged.
func FuzzJSONText(f *testing.F) {
	for _, s := range []string{"", `plain`, "a\"b\\c\n\t\r\x00\x1f", "é\xff\xfe\u2028", `\u00e9\n\/`, `\ud83d\ude00`, `\q`, `\u12`, `end\`, "\\\xff", "12345678\"", "eight by\te more"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var got string
		if err := json.Unmarshal(AppendQuoted(nil, raw), &got); err != nil || got != string([]rune(string(raw))) {
			t.Fatalf("%q is read as %q: %v", raw, got, err)
		}
		text := EscapedText(raw)
		quoted := append(text.AppendInside([]byte{'"'}), '"')
		if !json.Valid(quoted) {
			t.Fatalf("%q becomes %q", raw, quoted)
		}
		inside, ok := text.Inside()
		want := append(append([]byte{'"'}, raw...), '"')
		if ok && (!bytes.Equal(inside, raw) || !bytes.Equal(quoted, want)) {
			t.Errorf("%q is copied, and becomes %q", raw, quoted)
		}
		if clean := json.Valid(want) && bytes.Equal(bytes.ToValidUTF8(raw, nil), raw); ok != clean {
			t.Errorf("%q is copied: %t", raw, ok)
		}
	})
}

// TestJSONOf: JSONOf writes a value on one line and does not escape HTML.
func TestJSONOf(t *testing.T) {
	if got, err := JSONOf(map[string]string{"a": "<b> & c\n"}); string(got) != `{"a":"<b> & c\n"}` || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := JSONOf(func() {}); err == nil {
		t.Error("a function has no JSON")
	}
}
