//go:build unix

package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// On a terminal $PAGER shows the session, with its options; output to a file, a pipe or a program
// is not paged. A failing pager is an error that names it.
func TestReadThroughThePager(t *testing.T) {
	dir := t.TempDir()
	path, out := filepath.Join(dir, "run.jsonl"), filepath.Join(dir, "out.txt")
	if err := os.WriteFile(path, []byte(`{"role":"user","content":"Hello."}`+"\n"+`{"role":"assistant","content":"Good day."}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args, pager string
		terminal    bool
		want        string // in the output
		code        int
	}{
		{"read", "sed s/^/PAGED:/", true, "PAGED:Good day.", 0},
		{"read", "sed s/^/PAGED:/", false, "\nGood day.", 0},
		{"read --json", "sed s/^/PAGED:/", true, `"text": "Good day."`, 0},
		{"read --to markdown", "sed s/^/PAGED:/", true, "**Assistant**\n\nGood day.", 0},
		{"read -o " + out, "sed s/^/PAGED:/", true, "", 0},
		{"read", "exit 3", true, `showing the text with "exit 3"`, 2},
	} {
		var printed bytes.Buffer
		env := func(name string) string { return map[string]string{"PAGER": c.pager, "NO_COLOR": "1"}[name] }
		code := Run(t.Context(), append(strings.Fields(c.args), path), IO{In: strings.NewReader(""), Out: &printed, Err: &printed, Terminal: c.terminal, Columns: 80, Env: env})
		if text := printed.String(); code != c.code || !strings.Contains(text, c.want) || strings.Contains(text, "PAGED:") != strings.HasPrefix(c.want, "PAGED:") {
			t.Errorf("%s with PAGER=%q, a terminal %v: code %d, %q", c.args, c.pager, c.terminal, code, text)
		}
	}
	if text, err := os.ReadFile(out); err != nil || !strings.Contains(string(text), "Good day.") {
		t.Errorf("-o wrote %q, %v", text, err)
	}
}
