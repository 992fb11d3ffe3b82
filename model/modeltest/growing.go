package modeltest

import (
	"fmt"
	"os"
	"testing"
	"time"
)

// growingSince is when a growing run began.
var growingSince = time.Date(2026, 2, 11, 21, 41, 40, 0, time.UTC)

// GrowingRun is a session of Claude Code that grows.
type GrowingRun struct {
	t    testing.TB
	Path string
	n    int
}

// NewGrowingRun returns a session whose file does not exist yet.
func NewGrowingRun(t testing.TB, path string) *GrowingRun { return &GrowingRun{t: t, Path: path} }

// Add appends lines to the file.
func (f *GrowingRun) Add(lines ...string) {
	f.t.Helper()
	out, err := os.OpenFile(f.Path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		f.t.Fatal(err)
	}
	defer out.Close()
	for _, line := range lines {
		if _, err := fmt.Fprintln(out, line); err != nil {
			f.t.Fatal(err)
		}
	}
}

func (f *GrowingRun) line(kind, message string) string {
	f.n++
	at := growingSince.Add(time.Duration(f.n) * time.Second).Format(time.RFC3339)
	return fmt.Sprintf(`{"parentUuid":"u%d","isSidechain":false,"type":%q,"sessionId":"s","cwd":"/work","version":"2.1.39","uuid":"u%d","timestamp":%q,"message":%s}`, f.n-1, kind, f.n, at, message)
}

// User is a line that the user says.
func (f *GrowingRun) User(text string) string {
	return f.line("user", fmt.Sprintf(`{"role":"user","content":%q}`, text))
}

// Reply returns a line with a text of the agent.
func (f *GrowingRun) Reply(text string) string {
	return f.line("assistant", fmt.Sprintf(`{"id":"m%d","type":"message","role":"assistant","model":"claude-opus-4-6","content":[{"type":"text","text":%q}]}`, f.n, text))
}

// Bash is a line that calls a command.
func (f *GrowingRun) Bash(id, cmd string) string {
	return f.line("assistant", fmt.Sprintf(`{"id":"m%d","type":"message","role":"assistant","model":"claude-opus-4-6","content":[{"type":"tool_use","id":%q,"name":"Bash","input":{"command":%q}}]}`, f.n, id, cmd))
}

// Result returns a line with the output of a command.
func (f *GrowingRun) Result(id, text string, failed bool) string {
	return f.line("user", fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":%q,"is_error":%v}]}`, id, text, failed))
}
