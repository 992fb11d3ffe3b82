package human

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"turns/model/modeltest"
)

// TestSinglesAreOneCell: the library counts each single character as one cell, next to any other.
func TestSinglesAreOneCell(t *testing.T) {
	last := rune(0)
	for _, span := range singles {
		if span.from <= last || span.to < span.from {
			t.Errorf("%U to %U is out of order", span.from, span.to)
		}
		for r := span.from; r <= span.to; r++ {
			if w := ansi.StringWidth(string(r)); w != 1 {
				t.Errorf("%U takes %d cells", r, w)
			}
			if w := ansi.StringWidth("─" + string(r) + string(r) + "x"); w != 4 {
				t.Errorf("%U next to others takes %d cells", r, w-2)
			}
		}
		last = span.to
	}
}

// TestFastWaysAreTheLibrarys: for any text the fast paths return the library's results.
func TestFastWaysAreTheLibrarys(t *testing.T) {
	parts := []string{"a", " ", "~", "é", "·", "…", "→", "│", "█", "✓", "✔", "⠋", "日本", "🙂", "👩\u200d💻", "e\u0301", "\u0301", "\u200d", "\ufe0f", "🇩", "🇪", "ㄱ", "각", "\u00ad",
		"\x1b[m", "\x1b[1;38;5;9m", "\x1b[4:3m", "\x1b[", "\x1b", "\x1b[2", "\x1b[?25h", "\x1b]0;t\a", "\x1b[3 m", "m", "\t", "\n", "\xff", "\xc3", "©", "▶", "\u2028"}
	for _, a := range modeltest.Attacks() {
		parts = append(parts, a.Text)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range modeltest.Fewer(20_000, 20_000) {
		var b strings.Builder
		for range rnd.IntN(12) {
			n := len(parts)
			if rnd.IntN(2) == 0 {
				n = 12 // plain characters
			}
			b.WriteString(parts[rnd.IntN(n)])
		}
		checkWidth(t, b.String(), rnd.IntN(14))
	}
}

func FuzzWidth(f *testing.F) {
	f.Add("a\x1b[1mb│é", 2)
	f.Fuzz(func(t *testing.T, s string, w int) {
		if w < 1000 {
			checkWidth(t, s, w)
		}
	})
}

func checkWidth(t *testing.T, s string, w int) {
	t.Helper()
	all := ansi.StringWidth(s)
	// the library's results for invalid bytes are not a reference; the screen draws none
	valid := utf8.ValidString(s)
	if got := Width(s); got != all {
		t.Fatalf("%q takes %d cells, and %d for the library", s, got, all)
	}
	want := s
	switch {
	case w <= 0:
		want = ""
	case all > w:
		want = strings.TrimRight(ansi.Truncate(s, w-1, ""), " ") + "…"
	}
	if got := CutText(s, w); got != want && valid {
		t.Fatalf("%q cut to %d cells is %q, and %q by the library", s, w, got, want)
	}
	if got, want := First(s, w), ansi.Truncate(s, w, ""); got != want && valid {
		t.Fatalf("the first %d cells of %q are %q, and %q by the library", w, s, got, want)
	}
	if got, want := After(s, w), ansi.TruncateLeft(s, w, ""); got != want && valid {
		t.Fatalf("%q after its first %d cells is %q, and %q by the library", s, w, got, want)
	}
}

// TestCutText: a cut text never exceeds its width, and a text that fits is not cut.
func TestCutText(t *testing.T) {
	for _, text := range []string{"", "plain text", "日本語の文", "e\u0301e\u0301e\u0301", "👩‍👩‍👧👩‍👩‍👧", "\x1b[31mred\x1b[m and more"} {
		for room := range 12 {
			got := CutText(text, room)
			w := Width(got)
			switch {
			case w > room:
				t.Errorf("%q cut to %d is %q, %d cells", text, room, got, w)
			case Width(text) <= room && room > 0 && got != text:
				t.Errorf("%q fits into %d and became %q", text, room, got)
			case Width(text) > room && room > 0 && !strings.HasSuffix(ansi.Strip(got), "…"):
				t.Errorf("%q cut to %d is %q: nothing says that more follows", text, room, got)
			}
		}
	}
}

// TestSingleCharacters: single characters are counted without cluster rules. The characters next to
// their ranges join clusters, have another width or are left to the library.
func TestSingleCharacters(t *testing.T) {
	in := []rune{0xa1, 0xac, 0xae, 0x2ff, 0x2010, 0x2027, 0x2030, 0x205e, 0x2190, 0x2199, 0x2400, 0x2426, 0x2500, 0x25fc, 0x2713, 0x2718, 0x27e8, 0x27e9, 0x2800, 0x28ff, ' ', '~'}
	out := []rune{0xa0, 0xad, 0x300, 0x200f, 0x2028, 0x202f, 0x205f, 0x218f, 0x219a, 0x23ff, 0x2427, 0x24ff, 0x25fd, 0x2712, 0x2719, 0x27e7, 0x27ea, 0x27ff, 0x2900, 0x1f, 0x7f}
	for _, r := range in {
		s := string(r)
		if n, cells := plain(s+s, 2); n != 2*len(s) || cells != 2 || Width(s) != 1 {
			t.Errorf("%U: %d bytes in %d cells, width %d", r, n, cells, Width(s))
		}
	}
	for _, r := range out {
		if n, _ := plain(string(r), 2); n != 0 {
			t.Errorf("%U is taken as a single character", r)
		}
	}
}
