package screen

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"turns/ui/paint"
)

// TestLongFieldScrollsAsAShortOneDoes compares cutting in large steps with cutting rune by rune.
func TestLongFieldScrollsAsAShortOneDoes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var b strings.Builder
		for range rng.IntN(400) {
			b.WriteString([]string{"a", "é", "漢", " ", ":"}[rng.IntN(5)])
		}
		f := Field{Text: b.String()}
		f.At = len(paint.FirstRunes(f.Text, rng.IntN(400)))
		w := 3 + rng.IntN(100)
		text, at := f.Text, f.At
		for paint.Width(text[:at]) > w-2 && at > 0 {
			_, n := utf8.DecodeRuneInString(text)
			text, at = text[n:], at-n
		}
		if spans, cursor := f.Spans(w, paint.InkText, false); spans[0].Text != text || cursor != paint.Width(text[:at]) {
			t.Fatalf("%q at %d in %d cells: %q, cursor %d", f.Text, f.At, w, spans[0].Text, cursor)
		}
	}
}

// TestLongFieldIsMeasuredFewTimes counts the measurements of a long line before it is drawn.
func TestLongFieldIsMeasuredFewTimes(t *testing.T) {
	for _, unit := range []string{"role:user ", "漢", "a漢 "} {
		text, measured := strings.Repeat(unit, 64<<10/len(unit)), 0
		_, at := scrolled(text, len(text), 80, func(s string) int {
			if measured += len(s); measured > 4*len(text) {
				t.Fatalf("%q: %d bytes are measured of %d", unit, measured, len(text))
			}
			return paint.Width(s)
		})
		if at > 3*80 {
			t.Errorf("%q: %d bytes are left", unit, at)
		}
	}
}
