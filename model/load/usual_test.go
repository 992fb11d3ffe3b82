package load

import (
	"path/filepath"
	"slices"
	"testing"
)

// noVariables is an empty environment.
func noVariables(string) string { return "" }

// TestMovedFolders: a transcript in the folder that an agent's variable names is listed, and those
// in the home folder as well.
func TestMovedFolders(t *testing.T) {
	dir := t.TempDir()
	for variable, file := range map[string]string{
		"CLAUDE_CONFIG_DIR":  "projects/-src/9f2c1f0e-3c53-4a52-8f6a-000000000000.jsonl",
		"CODEX_HOME":         "sessions/2026/09/01/rollout-2026-09-01T10-00-00-9f2c1f0e.jsonl",
		"CURSOR_DATA_DIR":    "chats/0cc1/9f2c/store.db",
		"GEMINI_CLI_HOME":    ".gemini/tmp/src/chats/session-2026-09-01T10-00-9f2c1f0e.jsonl",
		"KIRO_HOME":          "sessions/0cc1/sess_9f2c/messages.jsonl",
		"LLM_USER_PATH":      "logs.db",
		"OMNIGENT_DATA_DIR":  "chat.db",
		"OPENCLAW_STATE_DIR": "agents/main/agent/openclaw-agent.sqlite",
		"QWEN_HOME":          "projects/-src/chats/9f2c.jsonl",
		"QWEN_RUNTIME_DIR":   "projects/-src/chats/archive/9f2c.jsonl",
		"XDG_DATA_HOME":      "opencode/opencode.db",
		"XDG_STATE_HOME":     "warp-terminal/warp.sqlite",
	} {
		places := Usual("/home/ada", func(name string) string {
			if name == variable {
				return dir
			}
			return ""
		})
		path := filepath.Join(dir, filepath.FromSlash(file))
		matches := func(place string) bool {
			for p := path; p != dir; p = filepath.Dir(p) {
				if ok, _ := filepath.Match(place, p); ok {
					return true
				}
			}
			return false
		}
		if !slices.ContainsFunc(places, matches) {
			t.Errorf("%s=%s: %s is not listed", variable, dir, file)
		}
		if n := len(Usual("/home/ada", noVariables)); len(places) <= n || !slices.Contains(places, filepath.FromSlash("/home/ada/.codex/archived_sessions/rollout-*.jsonl")) {
			t.Errorf("%s: %d places, %d without it", variable, len(places), n)
		}
	}
	relative := func(string) string { return "elsewhere" }
	if !slices.Equal(Usual("/home/ada", relative), Usual("/home/ada", noVariables)) {
		t.Error("a relative folder is a place")
	}
	if len(moved) != 12 {
		t.Errorf("%d variables, of which this test knows 12", len(moved))
	}
}
