package human_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"turns/model/modeltest"
	"turns/query/human"
)

// The way for plain and styled texts says what the library says, of texts put together from all
// that could lead it astray.
func TestWidth(t *testing.T) {
	pieces := []string{
		"plain", " ", "~", "\t", "\n", "é", "日本", "e\u0301", "👩‍👩‍👧", "\x7f", "\x1b", "\x1b[", "\x1b[m", "\x1b[31m", "\x1b[38;5;1m",
		"\x1b[38:2::1:2:3m", "\x1b[1;", "\x1b[2K", "\x1b]8;;http://a\x1b\\", "\x1b]0;title\a", "\x9b31m", "\xff", "m", "[", "0",
	}
	for _, a := range modeltest.Attacks() {
		pieces = append(pieces, a.Text)
	}
	same := func(text string) {
		if got, want := human.Width(text), ansi.StringWidth(text); got != want {
			t.Errorf("%q is %d cells wide, want %d", text, got, want)
		}
	}
	same("")
	r := rand.New(rand.NewPCG(1, 2))
	for _, p := range pieces {
		same(p)
		for range 20 {
			same(p + pieces[r.IntN(len(pieces))] + pieces[r.IntN(len(pieces))])
		}
	}
}

// A text that is cut never takes more than its room, nor less than it could.
func TestCutText(t *testing.T) {
	for _, text := range []string{"", "plain text", "日本語の文", "e\u0301e\u0301e\u0301", "👩‍👩‍👧👩‍👩‍👧", "\x1b[31mred\x1b[m and more"} {
		for room := range 12 {
			got := human.CutText(text, room)
			w := human.Width(got)
			switch {
			case w > room:
				t.Errorf("%q cut to %d is %q, %d cells", text, room, got, w)
			case human.Width(text) <= room && room > 0 && got != text:
				t.Errorf("%q fits into %d and became %q", text, room, got)
			case human.Width(text) > room && room > 0 && !strings.HasSuffix(ansi.Strip(got), "…"):
				t.Errorf("%q cut to %d is %q: nothing says that more follows", text, room, got)
			}
		}
	}
}
