package model

import (
	"strings"
	"testing"
	"unicode/utf8"
)

var cleanTests = []struct{ name, in, clean, printed string }{
	{"plain", "hello, wörld 世界 👩‍💻", "hello, wörld 世界 👩‍💻", "hello, wörld 世界 👩‍💻"},
	{"newline and tab stay", "a\n\tb", "a\n\tb", "a\n\tb"},
	{"crlf", "a\r\nb\r\r\n", "a\nb\n", "a\nb\n"},
	{"progress bar", "10 %\r50 %\r100 %\ndone", "10 %␍50 %␍100 %\ndone", "100 %\ndone"},
	{"return at the end", "100 %\r", "100 %␍", "100 %"},
	{"colours", "\x1b[1;31mred\x1b[0m", "␛[1;31mred␛[0m", "red"},
	{"title", "a\x1b]0;owned\x07b", "a␛]0;owned␇b", "ab"},
	{"clipboard", "a\x1b]52;c;cm0gLXJm\x1b\\b", "a␛]52;c;cm0gLXJm␛\\b", "ab"},
	{"hyperlink", "\x1b]8;;http://evil\x1b\\text\x1b]8;;\x1b\\", "␛]8;;http://evil␛\\text␛]8;;␛\\", "text"},
	{"dcs, apc, pm, sos", "\x1bPq#0\x1b\\1\x1b_x\x1b\\2\x1b^y\x1b\\3\x1bXz\x1b\\4", "␛Pq#0␛\\1␛_x␛\\2␛^y␛\\3␛Xz␛\\4", "1234"},
	{"unterminated string ends with its line", "a\x1b]0;title\nb", "a␛]0;title\nb", "a\nb"},
	{"unterminated csi", "a\x1b[31", "a␛[31", "a"},
	{"lone escape", "a\x1b", "a␛", "a"},
	{"csi in c1", "a\u009b31mb", "a⟨U+009B⟩31mb", "ab"},
	{"osc in c1", "a\u009d0;t\u009cb", "a⟨U+009D⟩0;t⟨U+009C⟩b", "ab"},
	{"other c1", "a\u0085b", "a⟨U+0085⟩b", "ab"},
	{"controls", "a\x00b\x08c\x7fd\x07e", "a␀b␈c␡d␇e", "abcde"},
	{"bidi override", "a\u202eb\u2066c", "a⟨U+202E⟩b⟨U+2066⟩c", "a⟨U+202E⟩b⟨U+2066⟩c"},
	{"zero width", "a\u200bb\ufeffc", "a⟨U+200B⟩b⟨U+FEFF⟩c", "a⟨U+200B⟩b⟨U+FEFF⟩c"},
	{"tag characters", "a\U000e0041b", "a⟨U+E0041⟩b", "a⟨U+E0041⟩b"},
	{"joiners of scripts stay", "نمی\u200cخواهم क्\u200dष", "نمی\u200cخواهم क्\u200dष", "نمی\u200cخواهم क्\u200dष"},
	{"joiners elsewhere", "cu\u200drl\u200c", "cu⟨U+200D⟩rl⟨U+200C⟩", "cu⟨U+200D⟩rl⟨U+200C⟩"},
	{"joiners in a row", "ن\u200c\u200cن", "ن⟨U+200C⟩⟨U+200C⟩ن", "ن⟨U+200C⟩⟨U+200C⟩ن"},
	{"one variation selector", "❤\ufe0f 葛\U000e0100", "❤\ufe0f 葛\U000e0100", "❤\ufe0f 葛\U000e0100"},
	{"selectors in a row", "a\ufe00世\ufe00\ufe01b1\ufe0f", "a⟨U+FE00⟩世\ufe00⟨U+FE01⟩b1\ufe0f", "a⟨U+FE00⟩世\ufe00⟨U+FE01⟩b1\ufe0f"},
	{"fillers", "a\u3164b\u115f\u1160\uffa0", "a⟨U+3164⟩b⟨U+115F⟩⟨U+1160⟩⟨U+FFA0⟩", "a⟨U+3164⟩b⟨U+115F⟩⟨U+1160⟩⟨U+FFA0⟩"},
	{"shorthand and music", "a\U0001bca0b\U0001d173", "a⟨U+1BCA0⟩b⟨U+1D173⟩", "a⟨U+1BCA0⟩b⟨U+1D173⟩"},
	{"invalid utf-8", "a\xffb\xc3", "a\ufffdb\ufffd", "a\ufffdb\ufffd"},
	{"raw c1 bytes are invalid utf-8", "a\x9b31mb", "a\ufffd31mb", "a\ufffd31mb"},
	{"a sequence between the bytes of a control", "\xc2\x1b[m\x9b31m", "\ufffd␛[m\ufffd31m", "⟨U+009B⟩31m"},
	{"charset selection", "\x1b(Bx", "␛(Bx", "x"},
}

func TestClean(t *testing.T) {
	for _, test := range cleanTests {
		if got := Clean(test.in); got != test.clean {
			t.Errorf("%s: Clean(%q) = %q, want %q", test.name, test.in, got, test.clean)
		}
		if got := Printed(test.in); got != test.printed {
			t.Errorf("%s: Printed(%q) = %q, want %q", test.name, test.in, got, test.printed)
		}
	}
}

func TestMarks(t *testing.T) {
	for in, want := range map[string]int{
		"": 0, "a\r\nb": 0, "👩‍💻": 0, "a\rb": 1, "\x1b[31mred\x1b[0m": 2, "a\x1b]0;title\x07b": 1, "a\x1b[8mb\x00": 2, "a\u200b\u200b\u202eb\u200bc": 2, "\xff": 0,
	} {
		if got := Marks(in); got != want {
			t.Errorf("Marks(%q) = %d, want %d", in, got, want)
		}
	}
}

func TestCleanLine(t *testing.T) {
	for in, want := range map[string]string{
		" a\n\t b\x07  c ": "a b␇ c", "": "", " ": "", "a": "a", "a b": "a b", "a  b": "a b", " a": "a", "a ": "a", "a\tb": "a b", "a\x7fb": "a␡b", "é  è": "é è", "a\u2028b": "a⟨U+2028⟩b",
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
		for name, f := range map[string]func(string) string{"Clean": Clean, "Printed": Printed} {
			got := f(s)
			if !utf8.ValidString(got) || !clean(got) {
				t.Errorf("%s(%q) = %q is not clean", name, s, got)
			}
			if again := f(got); again != got {
				t.Errorf("%s is not idempotent: %q, %q", name, got, again)
			}
			if strings.Count(got, "\n") > strings.Count(s, "\n") {
				t.Errorf("%s(%q) made newlines", name, s)
			}
		}
		if got := Clean(s); (Marks(s) == 0) != (got == strings.ToValidUTF8(strings.NewReplacer("\r\n", "\n").Replace(s), "\uFFFD")) && utf8.ValidString(s) && !strings.Contains(s, "\r\r") {
			t.Errorf("Clean(%q) = %q with %d marks", s, got, Marks(s))
		}
	})
}

func TestCutWords(t *testing.T) {
	for _, c := range []struct {
		s    string
		n    int
		want string
	}{
		{"short", 10, "short"}, {"two words", 6, "two"}, {"two words", 3, "two"}, {"two  words", 4, "two"},
		{"see https://bob:secret@host/x", 20, "see"}, {"sk-ant-a-token-of-some-length", 12, ""},
		{"日本語のテキスト", 7, "日本"}, {"aé", 2, "a"}, {"", 0, ""}, {"a", 0, ""},
	} {
		if got := CutWords(c.s, c.n); got != c.want {
			t.Errorf("%q cut to %d bytes is %q, want %q", c.s, c.n, got, c.want)
		}
	}
}
