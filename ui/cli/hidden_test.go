package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// spellings hide the word %s of a command from a reader on a terminal, as a JSON string.
var spellings = []string{
	`%s #\rls -la`, `ls\r%s\rls`, `ls #\u001b[2K%s\u001b[1G`, `ls \u001b[8m%s\u001b[28m`, `ls\u001b[3D%s`, `\u001b]0;%s\u0007ls`, `\u001b]0;%s\u001b\\ls`, `\u001b]8;;http://x\u0007%s\u001b]8;;\u0007`,
	`\u001b]52;c;%s\u0007ls`, `\u001b_%s\u001b\\ls`, `\u001b^%s\u001b\\ls`, `\u001bX%s\u001b\\ls`, `\u001bP%s\u001b\\ls`, `\u001b]0;%s`, `\u001bX%s`, `\u009d0;%s\u009cls`, `\u0098%s\u009cls`, `\u009f%s\u009cls`, `\u0090%s\u009cls`, `\u009b8m%s`,
	`ls\b\b%s`, `ls\u0000%s`, `ls\u007f\u007f%s`, `ls\f%s`, `ls\u000b%s`, `ls # \u202e%s\u202c`, `ls \u2066%s\u2069`, `ls\u200b%s`, `ls\u2060%s`, `ls\u00ad%s`, `ls\u3164%s`, `ls\uffa0%s`, `ls\ufeff%s`, `ls\udb40\udc41%s`, `ls\ufe01\ufe02%s`,
	`ls\u2028%s`, `ls                                                  %s`, `cd /w/$(%s)/.. && ls`, `timeout 5$(%s) ls`, `bash -$(%s)c 'ls'`, `/tmp/%s/bash -c 'ls'`, `ls\u001b[38;5;0m\u001b[48;5;0m%s`, `ls \u001b(0%s\u001b(B`,
}

// No output hides a part of a command from its reader, or passes on sequences that would.
func TestNoCommandHides(t *testing.T) {
	var lines strings.Builder
	word := func(i int) string { return fmt.Sprintf("pwn%02d", i) }
	lines.WriteString(`{"type":"user","uuid":"u","sessionId":"s","cwd":"/w","timestamp":"2026-01-02T03:04:05Z","message":{"role":"user","content":"go"}}` + "\n")
	for i, s := range append(spellings, `ls","command":"%s`) {
		fmt.Fprintf(&lines, `{"type":"assistant","uuid":"a%d","sessionId":"s","cwd":"/w","timestamp":"2026-01-02T03:04:05Z","message":{"role":"assistant","model":"m","id":"m%d","content":[{"type":"tool_use","id":"t%d","name":"Bash","input":{"command":"%s"}}]}}`+"\n",
			i, i, i, fmt.Sprintf(s, word(i)))
		fmt.Fprintf(&lines, `{"type":"user","uuid":"r%d","sessionId":"s","cwd":"/w","timestamp":"2026-01-02T03:04:06Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":"ok"}]}}`+"\n", i, i)
	}
	path := filepath.Join(t.TempDir(), "run.jsonl")
	if err := os.WriteFile(path, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"show", path}, {"show", path, "--slice", "0:200"}, {path, "--plain"}, {"log", path}, {"log", path, "--as", "markdown"}, {"log", path, "--as", "csv"},
		{"export", path, "--to", "text"}, {"export", path, "--to", "markdown"}, {"export", path, "--to", "html"}, {"export", path, "--to", "csv", "--columns", "arguments"}, {"export", path, "--to", "text", "-q", "tool:Bash"}, {"search", path, "pwn"},
	} {
		code, out, errs := run(t, "", args...)
		if code != exitOK {
			t.Errorf("%q: %s", args, errs)
			continue
		}
		if why := unfit(out); why != "" {
			t.Errorf("%q: %s", args, why)
		}
		for i := range len(spellings) + 1 {
			if !strings.Contains(out, word(i)) {
				t.Errorf("%q hides %s of %q", args, word(i), append(spellings, "twice")[i])
			}
		}
	}
}

// A log for others contains no secrets.
func TestLogRedacts(t *testing.T) {
	secret := "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xYz"
	path := filepath.Join(t.TempDir(), "run.jsonl")
	line := `{"type":"assistant","uuid":"a","sessionId":"s","cwd":"/w","timestamp":"2026-01-02T03:04:05Z","message":{"role":"assistant","model":"m","id":"m","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"gh auth ` + secret + `"}}]}}` + "\n"
	if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, as := range []string{"markdown", "csv"} {
		if _, out, errs := run(t, "", "log", path, "--as", as); strings.Contains(out, secret) || !strings.Contains(out, "redacted:github-token") {
			t.Errorf("as %s: %s%s", as, out, errs)
		}
	}
}

// Every test named in SECURITY.md exists.
func TestSecurityNamesTests(t *testing.T) {
	text, err := os.ReadFile("../../.github/SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, name := range regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9]+)`").FindAllStringSubmatch(string(text), -1) {
		named[name[1]] = true
	}
	if len(named) == 0 {
		t.Fatal("it names none")
	}
	err = filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		src, err := os.ReadFile(path)
		for name := range named {
			if strings.Contains(string(src), "func "+name+"(") {
				delete(named, name)
			}
		}
		return err
	})
	if err != nil || len(named) > 0 {
		t.Errorf("no tests %v, error %v", named, err)
	}
}
