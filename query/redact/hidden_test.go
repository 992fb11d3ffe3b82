package redact

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestHiddenSecrets: characters that a reader does not see are part of the key around them. Others
// separate its parts.
func TestHiddenSecrets(t *testing.T) {
	r := New()
	first, second := key("np"+"m_", alnums, 18), gen(alnums, 18)
	for between, want := range map[string]bool{
		"": true, "\x7f": true, "\r": true, "␀": true, "␦": true, "\u0080": true, "\u009f": true, "\x1b[1@": true,
		`\u007f`: true, `\u009f`: true, `\udb40\udc00`: true, `\b`: true, `\f`: true,
		" ": false, "\n": false, "\r\n": false, "\t": false, "␉": false, "␊": false, "\u2427": false, `\u0020`: false, `\n`: false, `\u00a1`: false,
	} {
		text := "is " + first + between + second
		got := r.Find([]byte(text))
		if found := len(got) == 1 && got[0].Start == len("is ") && got[0].End == len(text); found != want {
			t.Errorf("a key with %q inside: found is %v, want %v: %v", between, found, want, got)
		}
	}
	for _, escaped := range []string{`l\u0069n_api_` + gen(alnums, 40), `é\u0067hp_` + gen(alnums, 36), key("np"+"m_", alnums, 35) + `\u0061`} {
		if out, n := r.RedactString(escaped); n != 1 || !strings.HasSuffix(out, "]") {
			t.Errorf("%q became %q", escaped, out)
		}
	}
}

// TestHiddenFarInAText: a key with an invisible character is found anywhere in a long text, but not
// from the middle of a word on.
func TestHiddenFarInAText(t *testing.T) {
	secret := "gh" + "p_" + gen(alnums, 18) + "\u200b" + gen(alnums, 18)
	before := strings.Repeat("# ", 2000)
	got := New().Find([]byte(before + secret + " x"))
	if len(got) != 1 || got[0].Start != len(before) || got[0].End != len(before)+len(secret) {
		t.Errorf("a key after %d bytes: found %v", len(before), got)
	}
	word := "xEA" + "AC" + gen(alnums, seenReach-4) + "\u200b" + gen(alnums, 80)
	if got := New().Find([]byte(word)); len(got) > 0 {
		t.Errorf("found %v in the middle of a word", got)
	}
}

// TestPartsOfPrivateKeys: a private key is replaced from its first to its last line, without what
// surrounds it, even if it is cut or each line has its own quotes.
func TestPartsOfPrivateKeys(t *testing.T) {
	r := New()
	lines := strings.Split(pem("PRIV"+"ATE KEY", "\n"), "\n")
	begin, line, last, end := lines[0], lines[1], lines[6], lines[7]
	cut := begin + "\n" + line
	for _, c := range []struct{ name, text, want string }{
		{"a last line of two bytes", cut + "\nQ=\n" + end + " x", "KEY x"},
		{"a last line after six more line breaks", cut + strings.Repeat("\n", 7) + last + "\n", "KEY\n"},
		{"no last line after seven more line breaks", cut + strings.Repeat("\n", 8) + last + "\n", "KEY" + strings.Repeat("\n", 8) + last + "\n"},
		{"a letter after a key that is cut", cut + "\na", "KEY\na"},
		{"an end without dashes", cut + "\n-----END PRIVATE", "KEY\n-----END PRIVATE"},
		{"another key after one that is cut", cut + "\n. . . . more\n" + begin + "\n" + line + "\n" + end, "KEY\n. . . . more\nKEY"},
		{"quoted lines", `"` + begin + `\n" + "` + line + `\n" + "` + end + `" x`, `"` + begin + `\n" + "KEY\n" + "` + end + `" x`},
		{"a quoted line of 16 bytes", `"` + cut + `", "` + line[:16] + `", "x"`, `"KEY", "KEY", "x"`},
		{"a quoted line of 15 bytes", `"` + cut + `", "` + line[:15] + `", "x"`, `"KEY", "` + line[:15] + `", "x"`},
	} {
		got, _ := r.RedactString(c.text)
		if got = strings.ReplaceAll(got, "[redacted:private-key]", "KEY"); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	code := "key := \"" + strings.Join(lines, "\\n\" +\n\t\"") + "\""
	quoted, _ := json.Marshal(code)
	list, _ := json.Marshal(lines)
	for _, text := range []string{code, string(quoted), string(list)} {
		got, _ := r.RedactString(text)
		for _, line := range lines[1:6] {
			if strings.Contains(got, line) {
				t.Errorf("%q is left in %q", line, got)
			}
		}
		if strings.Count(got, `"`) != strings.Count(text, `"`) || json.Valid([]byte(text)) && !json.Valid([]byte(got)) {
			t.Errorf("quotes are missing in %q", got)
		}
		for i := range text {
			r.Find([]byte(text[:i]))
		}
	}
}
