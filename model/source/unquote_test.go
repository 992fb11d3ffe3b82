package source

import "testing"

// TestQuotedText leaves texts that begin with a quotation as they are.
func TestQuotedText(t *testing.T) {
	for _, text := range []string{`"[\"a\"]" said he`, `"{a}"`, `"{"`, `""`, `"[1]"`, `{"a":1}`} {
		if c := magic([]byte(text)); c != plainBytes {
			t.Errorf("%s is read as container %d, want plain text", text, c)
		}
	}
}
