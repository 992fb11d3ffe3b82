package changes

import (
	"strings"
	"testing"
)

// TestTextsThatAreCut: a truncated text has a tool's mark near one of its ends.
func TestTextsThatAreCut(t *testing.T) {
	long := strings.Repeat("package x\n", 100)
	for text, want := range map[string]bool{
		"the output was truncated": true, "12 lines omitted": true, "[... 5 lines": true, "… +12 lines": true, "<system-reminder>": true,
		"9 characters remaining": true, "File unchanged since last read": true, "package x": false, "": false,
	} {
		for _, all := range []string{text, text + long, long + text} {
			if got := marked(all); got != want {
				t.Errorf("%q in %d bytes is cut: %v, want %v", text, len(all), got, want)
			}
		}
	}
	if marked(long + "the output was truncated" + long) {
		t.Error("a file that has such a word is cut")
	}
	for _, mark := range []string{"9 tokens truncated", "[... omitted"} {
		if !marked(long + mark + long) {
			t.Errorf("a long text with %q in its middle is not cut", mark)
		}
	}
}
