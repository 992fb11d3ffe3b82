package human

import (
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// TestNumbersAtTheirBounds: the last number of each form, and the first of the next.
func TestNumbersAtTheirBounds(t *testing.T) {
	const ms, s, h = time.Millisecond, time.Second, time.Hour
	for _, c := range []struct{ got, want string }{
		{Short(1000), "1.0k"}, {Short(99_949), "99.9k"}, {Short(99_950), "100k"}, {Short(999_499), "999k"}, {Short(999_500), "1.0M"},
		{Short(99_949_999), "99.9M"}, {Short(99_950_000), "100M"}, {Short(999_499_999), "999M"}, {Short(999_500_000), "1.0G"},
		{Short(int64(99_949_999_999)), "99.9G"}, {Short(int64(99_950_000_000)), "100G"},
		{Count(-1), "-1"}, {Count(100), "100"}, {Count(1000), "1,000"}, {Count(100_000), "100,000"},
		{Took(59_999 * ms), "59.9s"}, {Took(60 * s), "1m00s"}, {Took(3599 * s), "59m59s"}, {Took(3600 * s), "1h00m"},
		{Took(48*h - s), "47h59m"}, {Took(48 * h), "2d00h"}, {Took(100*24*h - s), "99d23h"}, {Took(100 * 24 * h), "100d"},
		{Clock(-s), "0:00"}, {Clock(3599 * s), "59:59"}, {Clock(3600 * s), "1:00:00"}, {Clock(24*h - s), "23:59:59"}, {Clock(24 * h), "24h00m"},
		{Percent(994, 10_000), "9.9 %"}, {Percent(995, 10_000), "10 %"}, {Percent(-994, 10_000), "-9.9 %"}, {Percent(-995, 10_000), "-10 %"},
		{Money(0.0099), "$0.0099"}, {Money(0.01), "$0.01"}, {Money(-0.0099), "$-0.0099"}, {Money(-0.01), "$-0.01"},
		{Plural(0, "call"), "0 calls"}, {Plural(2, "call"), "2 calls"},
		{OrDot(0, Count[int]), Zero}, {OrDot(1, Count[int]), "1"}, {OrDash(nil, Count[int]), NotSaid}, {OrDash(new(int), Count[int]), "0"}, {Place(-1), ""}, {Place(0), "#0"}, {Place(1234), "#1234"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// TestUnknownsInJSON: an unknown number, text or position is null.
func TestUnknownsInJSON(t *testing.T) {
	b, err := json.Marshal([]any{Index(-1), Index(0), CountOrNull(0), CountOrNull(1), CountOrNull(-1), TextOrNull(""), TextOrNull("a")})
	if want := `[null,0,null,1,-1,null,"a"]`; err != nil || string(b) != want {
		t.Errorf("%s, %v; want %s", b, err, want)
	}
	for text, want := range map[string]Index{"null": -1, "0": 0, "12": 12} {
		got := Index(7)
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("%s is read as %d, %v; want %d", text, got, err, want)
		}
	}
	if got := Index(0); json.Unmarshal([]byte("1.5"), &got) == nil {
		t.Error("half of a position is read as one")
	}
}

// TestVersionOfAnswers: programs read the version of answers, so that a new one needs a reason.
func TestVersionOfAnswers(t *testing.T) {
	if AnswerVersion != 1 {
		t.Errorf("answers have the version %d, want 1", AnswerVersion)
	}
}

func TestStatesThatNeedAPerson(t *testing.T) {
	for state, want := range map[State]bool{Unknown: false, Waiting: true, Stuck: true, Running: false, Failed: true, Idle: false, Finished: false} {
		if state.Needs() != want {
			t.Errorf("%s needs a person: %v, want %v", state, !want, want)
		}
	}
}

// TestCutsAtTheirWidth: a text that fits exactly is whole, and a longer one is cut.
func TestCutsAtTheirWidth(t *testing.T) {
	for name, c := range map[string]struct {
		cut                func(string, int) string
		text, exact, short string // the text, cut to its width and to one less
	}{
		"CutText": {CutText, "abcdef", "abcdef", "abcd…"}, "Clip": {Clip, "abcdef", "abcdef", "abcd…"},
		"Clip of wide characters": {Clip, "日本語", "日本語", "日本…"}, "CutFront": {CutFront, "abcdef", "abcdef", "…cdef"},
		"CutRunes": {CutRunes, "äbcdeß", "äbcdeß", "äbcd…"}, "CutBytes": {CutBytes, "abcdef", "abcdef", "abcde"}, "Peek": {Peek, "abcdef", "abcdef", "abcde"},
		"OneLine": {OneLine, "abcdef", "abcdef", "abcd…"}, "CutMiddle": {CutMiddle, "abcdefghijklmnop", "abcdefghijklmnop", "abcdefghi…lmnop"},
	} {
		width := Width(c.text)
		for room, want := range map[int]string{width + 1: c.text, width: c.exact, width - 1: c.short} {
			if got := c.cut(c.text, room); got != want {
				t.Errorf("%s of %q to %d is %q, want %q", name, c.text, room, got, want)
			}
		}
	}
	for _, c := range []struct{ got, want string }{
		{Clip("abc", 0), ""}, {Clip("abc", -1), ""}, {Clip("a", 1), "a"}, {CutText("ab", 1), "…"},
		{CutMiddle("abcdefghijklm", 12), "abcdefg…jklm"}, {CutMiddle("abcdefghijklm", 11), "abcdefghij…"}, // an end of four characters, and one of three
		{Peek("ä", 1), ""}, {Peek("aä", 2), "a"}, {Peek("\x80\x80", 1), ""}, {CutRunes("ab", 1), "…"},
		{CutText("ab\x1b[31mcd\x1b[0m", 3), "ab\x1b[31m\x1b[0m…"}, // the colours of the rest remain
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// TestSecretsMakeATextShort: a text that fits after its secrets are replaced needs no other cut.
func TestSecretsMakeATextShort(t *testing.T) {
	const secret = "ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xYz" // 40 characters, replaced by 23
	for _, c := range []struct{ name, got, want string }{
		{"front, exactly", CutFront("ab "+secret, 26), "ab [redacted:github-token]"},
		{"front", CutFront("ab "+secret, 25), "… [redacted:github-token]"},
		{"characters, exactly", CutRunes("ab "+secret, 26), "ab [redacted:github-token]"},
		{"characters", CutRunes("ab "+secret, 25), "ab [redacted:github-toke…"},
		{"middle, exactly", CutMiddle("ab "+secret, 26), "ab [redacted:github-token]"},
		{"middle", CutMiddle("ab "+secret, 25), "ab [redacted:git…b-token]"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}

// TestSecretsThatFit: a cut replaces only the secrets of a longer text.
func TestSecretsThatFit(t *testing.T) {
	const secret = "ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xYz"
	for name, cut := range map[string]func(string, int) string{"CutText": CutText, "CutFront": CutFront, "CutRunes": CutRunes, "CutMiddle": CutMiddle, "CutBytes": CutBytes, "OneLine": OneLine} {
		if got := cut(secret, 40); got != secret {
			t.Errorf("%s of a text that fits is %q", name, got)
		}
		if got := cut(secret, 39); strings.Contains(got, "ghp_") {
			t.Errorf("%s of a text that is too long is %q", name, got)
		}
	}
}

// TestOneLineReadsEnough: blanks do not make a line shorter, up to eight bytes for a column.
func TestOneLineReadsEnough(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{strings.Repeat(" ", 100) + "abc" + strings.Repeat(" ", 300), "abc"},
		{strings.Repeat(" ", 500) + "abc", ""},
		{"abcdefghij" + strings.Repeat(" ", 400), "abcdefghij"},
		{"abcdefghijk" + strings.Repeat(" ", 400), "abcdefghi…"},
	} {
		if got := OneLine(c.text, 10); got != c.want {
			t.Errorf("%d bytes on one line: %q, want %q", len(c.text), got, c.want)
		}
	}
}

// TestUncoverAtItsEdges: a part that only touches a secret has no sign of it, and a range that ends
// at a part's edge is not in it.
func TestUncoverAtItsEdges(t *testing.T) {
	const secret, sign = "ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xYz", "[redacted:github-token]"
	text := "abcd " + secret + " efgh"
	from, to := len("abcd "), len("abcd ")+len(secret)
	for _, c := range []struct {
		from, to int
		want     string
	}{
		{0, from, "abcd "}, {0, from + 1, "abcd " + sign}, {from, to, sign}, {to - 1, len(text), sign + " efgh"}, {to, len(text), " efgh"},
		{1, from, "bcd "}, {to + 1, to + 3, "ef"}, {from + 2, from + 4, sign},
	} {
		if got, _ := Uncover(text, c.from, c.to, nil); got != c.want {
			t.Errorf("%d to %d: %q, want %q", c.from, c.to, got, c.want)
		}
	}
	for _, c := range []struct {
		in   [2]int
		want [][2]int
	}{
		{[2]int{0, 1}, nil}, {[2]int{0, 2}, [][2]int{{0, 1}}}, {[2]int{2, 4}, [][2]int{{1, 3}}}, {[2]int{from, to}, nil},
		{[2]int{to, to + 1}, [][2]int{{4 + len(sign), 5 + len(sign)}}}, {[2]int{3, 3}, nil}, {[2]int{to + 2, to + 3}, nil},
	} {
		if _, got := Uncover(text, 1, to+2, [][2]int{c.in}); len(got) != len(c.want) || len(got) == 1 && got[0] != c.want[0] {
			t.Errorf("range %v becomes %v, want %v", c.in, got, c.want)
		}
	}
}

// TestKeyAtTheBeginning: no cut of a key shows a part of it.
func TestKeyAtTheBeginning(t *testing.T) {
	key := "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat("b3BlbnNzaC1rZXktdjEq7Wn3Zk9Rt5Yx1Lp8Vb2Gm6Hd4Jf0Sc\n", 30) + "-----END RSA PRIVATE KEY-----"
	for _, n := range []int{0, 1, 30, 100, len(key) - 1} {
		if got := CutBytes(key, n); strings.Contains(got, "b3BlbnNz") || !strings.HasPrefix("[redacted:private-key]", got) {
			t.Errorf("the first %d bytes are %q", n, got)
		}
	}
}

// TestSpecialCells: cells that CSV quotes.
func TestSpecialCells(t *testing.T) {
	for cell, want := range map[string]string{
		"a b": "a b", " a": `" a"`, "a ": `"a "`, `\.`: `"\."`, `\`: `\`, "a,b": `"a,b"`, "a;b": `"a;b"`, `a"b`: `"a""b"`, "a\nb": "\"a\nb\"", "a\tb": "\"a\tb\"", "": "",
	} {
		if got := string(AppendCSV(nil, cell)); got != want+"\n" {
			t.Errorf("%q is written %q, want %q", cell, got, want)
		}
	}
}

// TestBoundsOfCharacters: the sets of characters in Markdown, colours and formulas equal those of
// regular expressions.
func TestBoundsOfCharacters(t *testing.T) {
	word := regexp.MustCompile(`^[0-9A-Za-z\x80-\x{10ffff}]$`)
	for r := rune(1); r < 0x100; r++ {
		s := "a_" + string(r)
		want := word.MatchString(string(r))
		if got := MarkdownLine(s); strings.HasPrefix(got, "a_") != want {
			t.Errorf("%q is written %q; an underscore within a word: %v", s, got, want)
		}
	}
	colour := regexp.MustCompile(`^\x1b\[[0-9;:]*m`)
	for c := range 128 {
		for _, s := range []string{"\x1b[1" + string(rune(c)) + "m", "\x1b[" + string(rune(c)), "\x1b[1;2" + string(rune(c))} {
			if got, want := ColourLen(s+"x"), len(colour.FindString(s+"x")); got != want {
				t.Errorf("%q begins with %d bytes of colours, want %d", s+"x", got, want)
			}
		}
	}
	if ColourLen("\x1b[1") != 0 {
		t.Error("a sequence without an end sets colours")
	}
	called := regexp.MustCompile(`^[0-9A-Za-z_.(!+*/^&=<>\x80-\x{10ffff} -]$`)
	for r := ' '; r < 0x100; r++ {
		cell := "- a" + string(r) + "(1)"
		if want := called.MatchString(string(r)); r != ';' && r != '"' && r != 0x7f && strings.HasPrefix(CSVCell(cell), "'") != want {
			t.Errorf("%q is a formula: %v, want %v", cell, !want, want)
		}
	}
}

// TestWrap: longer lines break between words, with their indent; others are unchanged.
func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text    string
		columns int
		want    string
	}{
		{"one two", 0, "one two"}, {"one two", 7, "one two"}, {"one two", 6, "one\ntwo"}, {"  one two\n", 8, "  one\n  two\n"},
		{"  one two\nthree", 9, "  one two\nthree"}, {"   one two", 3, "   o\n   n\n   e\n   t\n   w\n   o"}, {"", 3, ""},
	} {
		if got := Wrap(c.text, c.columns); got != c.want {
			t.Errorf("%q in %d columns is %q, want %q", c.text, c.columns, got, c.want)
		}
	}
}

// TestWidthsOfControls: control characters have no cell.
func TestWidthsOfControls(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	parts := []string{"a", "é", "\x1f", "\x7f", "\x01", " ", "~", "日", "e\u0301", "\x1b[1m"}
	for range 3000 {
		var b strings.Builder
		for range 1 + rnd.IntN(6) {
			b.WriteString(parts[rnd.IntN(len(parts))])
		}
		s, w := b.String(), rnd.IntN(5)
		if got, want := Width(s), ansi.StringWidth(s); got != want || !utf8.ValidString(s) {
			t.Fatalf("%q takes %d cells, want %d", s, got, want)
		}
		if got, want := First(s, w), ansi.Truncate(s, w, ""); got != want {
			t.Fatalf("the first %d cells of %q are %q, want %q", w, s, got, want)
		}
		if got, want := After(s, w), ansi.TruncateLeft(s, w, ""); got != want {
			t.Fatalf("%q after %d cells is %q, want %q", s, w, got, want)
		}
	}
}
