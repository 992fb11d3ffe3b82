package paint

import (
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"turns/model/modeltest"
)

func TestTook(t *testing.T) {
	const day = 24 * time.Hour
	for d, want := range map[time.Duration]string{
		400 * time.Millisecond: "0.4s", 181 * time.Second: "3m01s", 3599600 * time.Millisecond: "59m59s", 72 * time.Minute: "1h12m", 4*day + 5*time.Hour: "4d05h", 5 * day: "5d00h",
		325*day + 8*time.Hour: "325d", 100 * day: "100d",
	} {
		if got := Took(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

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
