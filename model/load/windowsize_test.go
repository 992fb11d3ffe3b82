package load

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhatIsSummarisedWhole: the counts of a document are exact up to the limit, and lower bounds
// for a document that is larger by one byte.
func TestWhatIsSummarisedWhole(t *testing.T) {
	for _, c := range []struct {
		name, start, line, end string
		size, more             int
	}{
		{"run.json", `{"messages":[{"role":"user","content":"hi"}`, `,{"role":"assistant","content":"` + strings.Repeat("x", 1<<16) + `"}`, `]}`, 8 << 20, 1},
	} {
		for _, over := range []int{0, c.more} {
			size, text := c.size+over, c.start
			for len(text)+len(c.line)+len(c.end) < size {
				text += c.line
			}
			text += c.end
			text += strings.Repeat(" ", size-len(text)-1) + "\n"
			path := filepath.Join(t.TempDir(), c.name)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			sum, err := Summarise(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			if sum.Partial != (over > 0) {
				t.Errorf("%s of %d bytes: partial %v, %d messages", c.name, len(text), sum.Partial, sum.Messages)
			}
		}
	}
}
