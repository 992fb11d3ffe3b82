package paint

import (
	"testing"

	"github.com/charmbracelet/x/ansi"

	"turns/model/modeltest"
)

// The way for plain texts says what the long way says.
func TestWidthOfPlainTexts(t *testing.T) {
	texts := []string{"", "plain", " ", "~", "a\tb", "\x1b[31mred\x1b[m", "é", "日本", "e\u0301", "\x7f"}
	for _, a := range modeltest.Attacks() {
		texts = append(texts, a.Text)
	}
	for _, text := range texts {
		if got, want := Width(text), ansi.StringWidth(text); got != want {
			t.Errorf("%q is %d cells wide, want %d", text, got, want)
		}
	}
}
