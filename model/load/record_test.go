package load

import (
	"os"
	"path/filepath"
	"testing"
)

// TestGluedRecords: turns reads all of several records on one line, whatever surrounds them.
func TestGluedRecords(t *testing.T) {
	const a, b, c = `{"role":"user","content":"line 0"}`, `{"role":"user","content":"line 1"}`, `{"role":"user","content":"line 2"}`
	for name, line := range map[string]string{
		"nothing":                  a + b + c + "\n",
		"carriage return":          a + b + c + "\r\n",
		"byte order mark":          "\xef\xbb\xbf" + a + b + c + "\n",
		"byte order mark and CRLF": "\xef\xbb\xbf" + a + b + c + "\r\n",
		"spaces":                   "  " + a + b + c + "  \n",
		"NUL bytes":                "\x00\x00" + a + b + c + "\x00\x00\n",
		"space between, CRLF":      a + " " + b + c + "\r\n",
		"prefix and spaces":        "2026-01-02 out: " + a + b + c + " \t\n",
		"mark, prefix and CRLF":    "\xef\xbb\xbfout: " + a + " " + b + " " + c + "\r\n",
		"no end of line":           "\t" + a + b + c + " ",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "run.jsonl")
			if err := os.WriteFile(path, []byte(chatLine(9)+line), 0o600); err != nil {
				t.Fatal(err)
			}
			s := loadFile(t, path, Options{Format: "openai"})
			if got, want := said(t, s), wanted(9, 10)+wanted(0, 3); got != want {
				t.Errorf("the messages are %q, want %q", got, want)
			}
			if n := s.Unreadable(); n != 0 {
				t.Errorf("%d records are unreadable", n)
			}
		})
	}
}
