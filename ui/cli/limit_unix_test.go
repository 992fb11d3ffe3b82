//go:build unix

package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"turns/model/modeltest"
	"turns/query/session"
)

// limited runs the program with a limit of file descriptors.
func limited(t *testing.T, files int, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	exe, err := exec.LookPath("turns")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", append([]string{"-c", fmt.Sprintf(`ulimit -n %d && exec "$0" "$@"`, files), exe}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() < 0 {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// TestFewDescriptors opens a transcript with hundreds of subagents, and lists thousands of
// transcripts, with few file descriptors; with too few, turns reports it.
func TestFewDescriptors(t *testing.T) {
	modeltest.Long(t, "it starts programs")
	dir := t.TempDir()
	path := filepath.Join(dir, "main.jsonl")
	const agents = 100
	var main strings.Builder
	envelope := `"isSidechain":false,"cwd":"/src","sessionId":"s","version":"2.1.0","timestamp":"2026-02-11T22:00:01Z"`
	if err := os.MkdirAll(filepath.Join(dir, "main", "subagents"), 0o700); err != nil {
		t.Fatal(err)
	}
	for n := range agents {
		fmt.Fprintf(&main, `{"type":"assistant","uuid":"a%d",%s,"message":{"id":"m%d","type":"message","role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"Task","input":{"prompt":"look"}}]}}`+"\n", n, envelope, n, n)
		fmt.Fprintf(&main, `{"type":"user","uuid":"u%d",%s,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":"done"}]},"toolUseResult":{"status":"completed","agentId":"ag%04d"}}`+"\n", n, envelope, n, n)
		agent := fmt.Sprintf(`{"type":"user","uuid":"x%d","isSidechain":true,"agentId":"ag%04d","sessionId":"s","timestamp":"2026-02-11T22:00:01Z","message":{"role":"user","content":"words of agent %d"}}`+"\n", n, n, n)
		if err := os.WriteFile(filepath.Join(dir, "main", "subagents", fmt.Sprintf("agent-ag%04d.jsonl", n)), []byte(agent), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, []byte(main.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := limited(t, 64, "export", path, "--agents", "--to", "jsonl")
	if code != exitOK || errs != "" || strings.Count(out, "words of agent ") != agents {
		t.Errorf("64 descriptors: exit code %d, %d agents, stderr %q", code, strings.Count(out, "words of agent "), errs)
	}
	code, out, errs = limited(t, 24, "export", path, "--agents", "--to", "jsonl")
	if code != exitError || !strings.Contains(errs, "too many open files") || strings.Count(out, "tool_calls") != agents {
		t.Errorf("24 descriptors: exit code %d, %d calls, stderr %q", code, strings.Count(out, "tool_calls"), errs)
	}

	many := filepath.Join(dir, "many")
	for n := range 1000 {
		name := filepath.Join(many, fmt.Sprint(n%50), fmt.Sprintf("run%d.jsonl", n))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(`{"role":"user","content":"hello"}`+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, out, errs = limited(t, 24, "ls", many, "--json")
	rows := 0
	for line := range strings.Lines(out) {
		var row session.Row
		if json.Unmarshal([]byte(line), &row) == nil && row.TotalMessages == 1 {
			rows++
		}
	}
	if code != exitOK || rows != 1000 || errs != "" {
		t.Errorf("a list with 24 descriptors: exit code %d, %d rows, stderr %.300q", code, rows, errs)
	}
}
