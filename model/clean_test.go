package model

import (
	"strings"
	"testing"
	"unicode/utf8"
)

var cleanTests = []struct{ name, in, want string }{
	{"plain", "hello, wörld 世界 👩‍💻", "hello, wörld 世界 👩‍💻"},
	{"newline and tab stay", "a\n\tb", "a\n\tb"},
	{"crlf", "a\r\nb\r\n", "a\nb\n"},
	{"progress bar shows its last state", "10 %\r50 %\r100 %\ndone", "100 %\ndone"},
	{"return at the end of a line", "100 %\r", "100 %"},
	{"colours vanish", "\x1b[1;31mred\x1b[0m", "red"},
	{"title", "a\x1b]0;owned\x07b", "ab"},
	{"clipboard", "a\x1b]52;c;cm0gLXJm\x1b\\b", "ab"},
	{"hyperlink", "\x1b]8;;http://evil\x1b\\text\x1b]8;;\x1b\\", "text"},
	{"dcs, apc, pm, sos", "\x1bPq#0\x1b\\1\x1b_x\x1b\\2\x1b^y\x1b\\3\x1bXz\x1b\\4", "1234"},
	{"unterminated string ends with its line", "a\x1b]0;title\nb", "a\nb"},
	{"unterminated csi", "a\x1b[31", "a"},
	{"lone escape", "a\x1b", "a"},
	{"csi in c1", "a\u009b31mb", "ab"},
	{"osc in c1", "a\u009d0;t\u009cb", "ab"},
	{"other c1", "a\u0085b", "ab"},
	{"controls", "a\x00b\x08c\x7fd\x07e", "abcde"},
	{"bidi override", "a\u202eb\u2066c", "a⟨U+202E⟩b⟨U+2066⟩c"},
	{"zero width", "a\u200bb\ufeffc", "a⟨U+200B⟩b⟨U+FEFF⟩c"},
	{"tag characters", "a\U000e0041b", "a⟨U+E0041⟩b"},
	{"joiners stay", "نمی\u200cخواهم", "نمی\u200cخواهم"},
	{"invalid utf-8", "a\xffb\xc3", "a\ufffdb\ufffd"},
	{"raw c1 bytes are invalid utf-8", "a\x9b31mb", "a\ufffd31mb"},
	{"charset selection", "\x1b(Bx", "x"},
}

func TestClean(t *testing.T) {
	for _, test := range cleanTests {
		if got := Clean(test.in); got != test.want {
			t.Errorf("%s: Clean(%q) = %q, want %q", test.name, test.in, got, test.want)
		}
	}
}

func TestCleanLine(t *testing.T) {
	for in, want := range map[string]string{
		" a\n\t b\x1b[0m  c ": "a b c", "": "", " ": "", "a": "a", "a b": "a b", "a  b": "a b", " a": "a", "a ": "a", "a\tb": "a b", "a\x7fb": "ab", "é  è": "é è", "a\u2028b": "a⟨U+2028⟩b",
	} {
		if got := CleanLine(in); got != want {
			t.Errorf("CleanLine(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, test := range cleanTests {
		f.Add(test.in)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if line, want := CleanLine(s), strings.Join(strings.Fields(Clean(s)), " "); line != want {
			t.Errorf("CleanLine(%q) = %q, want %q", s, line, want)
		}
		got := Clean(s)
		if !utf8.ValidString(got) {
			t.Errorf("Clean(%q) = %q is not valid UTF-8", s, got)
		}
		for _, r := range got {
			if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r <= 0x9f || hidden(r) {
				t.Errorf("Clean(%q) = %q keeps %U", s, got, r)
			}
		}
		if again := Clean(got); again != got {
			t.Errorf("Clean is not idempotent: %q, %q", got, again)
		}
		if strings.Count(got, "\n") > strings.Count(s, "\n") {
			t.Errorf("Clean(%q) made newlines", s)
		}
	})
}
