package model

import (
	"os/exec"
	"strings"
	"testing"

	"turns/model/modeltest"
)

var shellWords = []string{
	"", "a", "a b", "it's", "'", "''", `\`, `a\'b`, "$HOME", "`id`", "$(id)", "!x", "a;b", "a&b|c<d>e", "*", "~", "a~", "#", "a#b", "-x", "{a,b}", "ö 世", "%s", "~/a b", "~/", "=a", "a=b",
}

// A shell reads a quoted word as the original.
func TestShellWord(t *testing.T) {
	sh := modeltest.Program(t, "sh")
	var script, want strings.Builder
	script.WriteString("HOME='~'\n")
	for _, s := range shellWords {
		word, err := ShellWord(s)
		if err != nil {
			t.Fatal(err)
		}
		script.WriteString("printf '%s\\n' " + word + "\n")
		want.WriteString(s + "\n")
	}
	out, err := exec.Command(sh, "-c", script.String()).CombinedOutput()
	if err != nil || string(out) != want.String() {
		t.Errorf("got %q, %v, want %q", out, err, want.String())
	}
}

func TestShellWordRefuses(t *testing.T) {
	for _, s := range []string{"x\rtouch PWNED #", "a\nb", "a\tb", "a\x1b[31mb", "a\x00b", "a\u202eb", "a\u200bb", "a\u0085b", "a\xffb", "a\x7fb", "cu\u200drl"} {
		if got, err := ShellWord(s); err == nil {
			t.Errorf("ShellWord(%q) = %q, want an error", s, got)
		}
	}
}
