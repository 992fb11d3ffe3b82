package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The check finds what only another system lacks, in the program and in its tests.
func TestCheckFindsWhatASystemLacks(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":      "module m\n\ngo 1.26.0\n",
		"m.go":        "package m\n\nimport \"syscall\"\n\nfunc End() error { return syscall.Kill(1, 2) }\n",
		"m_test.go":   "package m_test\n\nimport (\n\t\"testing\"\n\n\t\"m\"\n)\n\nfunc TestM(t *testing.T) { m.End(); n := 1 << 40; t.Log(n) }\n",
		"m_darwin.go": "package m\n\nfunc End2() { missing() }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	for system, want := range map[string][]string{
		"linux/amd64":   nil,
		"linux/386":     {"m_test.go:9:42: cannot use 1 << 40"},
		"windows/amd64": {"m.go:5:35: undefined: syscall.Kill"},
		"darwin/arm64":  {"m_darwin.go:3:15: undefined: missing"},
	} {
		n, err := check(system)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if n < 10 || (err == nil) != (want == nil) {
			t.Errorf("%s: %d packages, error %q; expected the errors %q", system, n, got, want)
		}
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: the errors %q do not contain %q", system, got, w)
			}
		}
	}
}
