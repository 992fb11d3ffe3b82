package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"turns/model/modeltest"
)

// TestInitParses: each installed shell reads its lines without an error.
func TestInitParses(t *testing.T) {
	for _, shell := range initShells {
		t.Run(shell, func(t *testing.T) {
			code, text, errs := run(t, "", "init", shell)
			if code != exitOK || !strings.Contains(text, "turns pick") {
				t.Fatal(code, text, errs)
			}
			path := modeltest.Program(t, shell)
			file := filepath.Join(t.TempDir(), "init")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(path, "-n", file).CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("%s -n: %v\n%s", shell, err, out)
			}
		})
	}
	if code, _, errs := run(t, "", "init", "../init"); code != exitError || !strings.Contains(errs, "valid: ") {
		t.Errorf("an unknown shell: %d %s", code, errs)
	}
}

// TestInitPastes: bash has the exact chosen command on its command line, and ran no part of it.
func TestInitPastes(t *testing.T) {
	bash := modeltest.Program(t, "bash")
	dir := t.TempDir()
	hostile := `cd '/a $(touch ran) "b" \x; touch ran' && claude --resume -x`
	fake := "#!/bin/sh\ncat <<'END'\n" + hostile + "\nEND\n"
	if err := os.WriteFile(filepath.Join(dir, "turns"), []byte(fake), 0o700); err != nil {
		t.Fatal(err)
	}
	_, text, _ := run(t, "", "init", "bash")
	text = strings.ReplaceAll(text, "</dev/tty", "</dev/null")
	c := exec.Command(bash, "--norc", "-c", text+"\n__turns_resume\nprintf '%s|%s' \"$READLINE_LINE\" \"$READLINE_POINT\"")
	c.Dir, c.Env = dir, []string{"PATH=" + dir + ":" + os.Getenv("PATH")}
	out, err := c.CombinedOutput()
	if want := hostile + "|" + strconv.Itoa(len(hostile)); err != nil || string(out) != want {
		t.Errorf("the command line is %s, want %s; %v", out, want, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("a part of the command was run")
	}
}
