package load

import (
	"os"
	"path/filepath"
	"testing"
)

// TestReasonOfAChosenFormat: a format that recognises the file reports why. For others, Open names
// the flags.
func TestReasonOfAChosenFormat(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.jsonl")
	if err := os.WriteFile(path, []byte(chatLine(9)), 0o600); err != nil {
		t.Fatal(err)
	}
	reason := func(format string) string {
		c, err := Open(t.Context(), path, Options{Format: format})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_, m := c.Format()
		return m.Reason
	}
	detected, chosen := reason(""), "chosen with --from or --format-file"
	if got := reason("openai"); got != detected || got == chosen || got == "" {
		t.Errorf("a chosen format that fits has the reason %q, want %q", got, detected)
	}
	if got := reason("codex"); got != chosen {
		t.Errorf("another chosen format has the reason %q, want %q", got, chosen)
	}
}
