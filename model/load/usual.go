package load

import (
	"path/filepath"
	"strings"

	"turns/model/format"
)

// moved are the variables that move the folder of an agent, as its documentation or source names
// them.
var moved = []struct{ variable, folder string }{
	{"CLAUDE_CONFIG_DIR", "~/.claude/"},
	{"CODEX_HOME", "~/.codex/"},
	{"CURSOR_DATA_DIR", "~/.cursor/"},
	{"GEMINI_CLI_HOME", "~/"}, // of .gemini
	{"KIRO_HOME", "~/.kiro/"},
	{"LLM_USER_PATH", "~/.config/io.datasette.llm/"},
	{"OMNIGENT_DATA_DIR", "~/.omnigent/"},
	{"OPENCLAW_STATE_DIR", "~/.openclaw/"},
	{"QWEN_HOME", "~/.qwen/"},
	{"QWEN_RUNTIME_DIR", "~/.qwen/"},
	{"XDG_DATA_HOME", "~/.local/share/"},
	{"XDG_STATE_HOME", "~/.local/state/"},
}

// Usual returns the places on this machine for the transcripts of agents, as the formats declare
// them: those below the home folder, and those in the folders that variables of the environment
// name. env returns the value of a variable, "" if it is not set.
func Usual(home string, env func(variable string) string) []string {
	var places []string
	for _, f := range format.All() {
		for _, where := range f.Where {
			if rest, ok := strings.CutPrefix(where, "~/"); ok {
				places = append(places, filepath.Join(home, filepath.FromSlash(rest)))
			}
			for _, m := range moved {
				rest, ok := strings.CutPrefix(where, m.folder)
				if m.folder == "~/" && !strings.HasPrefix(rest, ".gemini/") {
					continue
				}
				if dir := env(m.variable); ok && filepath.IsAbs(dir) {
					places = append(places, filepath.Join(dir, filepath.FromSlash(rest)))
				}
			}
		}
	}
	return places
}
