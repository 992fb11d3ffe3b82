package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestListCountsWhatIsAskedFor: a filter on errors, open calls or tokens finds an error in the
// middle of a long transcript, which a list does not read otherwise.
func TestListCountsWhatIsAskedFor(t *testing.T) {
	said := strings.Repeat(`{"role":"user","content":"`+strings.Repeat("again ", 100)+`"}`+"\n", 800)
	failed := `{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":"{}"}}]}` + "\n" +
		`{"role":"tool","tool_call_id":"c1","content":"Error: no such folder"}` + "\n"
	path := filepath.Join(t.TempDir(), "long.jsonl")
	if err := os.WriteFile(path, []byte(said+failed+said), 0o600); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]bool{"is:error": true, "-is:error": false, "tokens:>1": false, "is:pending": false} {
		if code, out, errs := run(t, "", "ls", path, "--where", query); code != exitOK || (out != "") != want {
			t.Errorf("%s: exit code %d, listed %v, want %v: %s%s", query, code, out != "", want, out, errs)
		}
	}
}
