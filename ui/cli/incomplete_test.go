package cli

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"turns/model/modeltest"
)

// TestIncompleteSources runs every command on an incomplete transcript: it answers about the
// available part, reports the missing one, and exits with 2.
func TestIncompleteSources(t *testing.T) {
	modeltest.Long(t, "it cuts sources in many places")
	var text, packed bytes.Buffer
	if _, err := modeltest.Transcript(&text, 256<<10, 3); err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(&packed)
	z.Write(text.Bytes())
	z.Close()
	dir := t.TempDir()
	whole, cut := filepath.Join(dir, "whole.jsonl.gz"), filepath.Join(dir, "cut.jsonl.gz")
	for path, data := range map[string][]byte{whole: packed.Bytes(), cut: packed.Bytes()[:packed.Len()*3/4]} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	commands := [][]string{
		{"show"}, {"stats", "--no-tokens"}, {"stats", "--no-tokens", "--json"}, {"tools", "--no-tokens"}, {"timeline"}, {"recap"},
		{"check"}, {"context"}, {"cost"}, {"log"}, {"export", "--to", "jsonl"}, {"export", "--to", "markdown"}, {"export", "--to", "raw"},
	}
	for _, command := range commands {
		name := strings.Join(command, " ")
		code, out, errs := run(t, "", append(command, cut)...)
		if code != exitError || out == "" || strings.Count(errs, "turns: error: ") != 1 || !strings.Contains(errs, fmt.Sprintf("turns: error: read %q: unpack gzip: unexpected EOF", cut)) {
			t.Errorf("%s: exit code %d, %d bytes, stderr %q", name, code, len(out), errs)
		}
		if code, _, errs := run(t, "", append(command, whole)...); code == exitError {
			t.Errorf("%s of the whole: exit code %d, stderr %q", name, code, errs)
		}
	}
	if code, out, _ := run(t, "", "search", cut, "the"); code != exitError || out == "" {
		t.Errorf("search: exit code %d, %d bytes", code, len(out))
	}
	if code, _, _ := run(t, "", "search", cut, "nothing is like this"); code != exitError {
		t.Errorf("search without a match: exit code %d", code)
	}
	if code, _, errs := run(t, "", "diff", whole, cut, "--no-tokens"); code != exitError || !strings.Contains(errs, "turns: error: ") {
		t.Errorf("diff: exit code %d, stderr %q", code, errs)
	}
	out := filepath.Join(dir, "out.jsonl")
	if code, _, _ := run(t, "", "export", cut, "--to", "jsonl", "-o", out); code != exitError {
		t.Errorf("export to a file: exit code %d", code)
	}
	if info, err := os.Stat(out); err != nil || info.Size() == 0 {
		t.Errorf("what could be read was not written: %v", err)
	}
}

// TestUnreadableFile opens a file whose first byte cannot be read.
func TestUnreadableFile(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // only Linux has a file that always fails
	}
	code, out, errs := run(t, "", "stats", "/proc/self/mem")
	if code != exitError || out != "" || errs != "turns: error: read \"/proc/self/mem\": input/output error\n" {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, out, errs)
	}
}

// TestCheckFindsCutRecords: a session that ends inside of a record, as after a crash, has a
// problem; a last line without its end of line has none.
func TestCheckFindsCutRecords(t *testing.T) {
	const lines = `{"role":"user","content":"hello"}` + "\n" + `{"role":"assistant","content":"good day"}`
	for text, want := range map[string]string{
		lines:        "2 messages, no problems",
		lines + "\n": "2 messages, no problems",
		lines + "\n" + `{"role":"user","content":"how`:        "the last record is incomplete (29 bytes)",
		lines + "\n" + `{"role":"user","content":"how` + "\n": "1 record could not be read",
	} {
		path := filepath.Join(t.TempDir(), "run.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, out, errs := run(t, "", "check", path); !strings.Contains(out, want) {
			t.Errorf("%q: %s%s, want %q", text, out, errs, want)
		}
	}
}
