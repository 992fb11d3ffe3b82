package load

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"turns/model"
)

// TestCallAsParent: some relatives of Pi name the call of a result as its parent. That does not
// start a branch, whichever of the two the next answer names. An abandoned branch stays one.
func TestCallAsParent(t *testing.T) {
	entry := func(id, parent, message string) string {
		return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%q,"timestamp":"2026-02-11T22:41:05.000Z","message":%s}`+"\n", id, parent, message)
	}
	start := `{"type":"session","version":3,"id":"s1","timestamp":"2026-02-11T22:41:00.000Z","cwd":"/w"}` + "\n" +
		entry("m1", "", `{"role":"user","content":"status?"}`) +
		entry("m2", "m1", `{"role":"assistant","content":[{"type":"toolCall","id":"tc-status","name":"bash","arguments":{}}]}`) +
		entry("m3", "tc-status", `{"role":"toolResult","toolCallId":"tc-status","toolName":"bash","content":[{"type":"text","text":"clean"}]}`)
	for _, c := range []struct {
		parent string
		off    int // messages off the branch
	}{
		{"", 0}, // the transcript ends with the result
		{"m3", 0},
		{"m2", 0},
		{"m1", 2}, // the call and its result are abandoned
	} {
		text := start
		if c.parent != "" {
			text += entry("m4", c.parent, `{"role":"assistant","content":[{"type":"text","text":"It is clean."}]}`)
		}
		path := filepath.Join(t.TempDir(), "s.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		conv, err := Open(t.Context(), path, Options{Format: "pi"})
		if err != nil {
			t.Fatal(err)
		}
		snap, err := conv.Load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		off := 0
		for _, id := range snap.LiveIDs() {
			if snap.HeadRow(id).Flags&model.OffBranch != 0 {
				off++
			}
		}
		if off != c.off {
			t.Errorf("answer to %q: %d messages are off the branch, want %d", c.parent, off, c.off)
		}
		_ = conv.Close()
	}
}
