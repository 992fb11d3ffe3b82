package cli

import (
	"path/filepath"
	"strings"

	"turns/model/load"
)

// resumeCommands are how the agents go on with a session; ID stands for what is
// recorded as its id, FILE for its path. Agents that are not here know no way, or
// only one through a menu.
var resumeCommands = map[string]string{
	"claude-code":   "claude --resume ID",
	"codex":         "codex resume ID",
	"copilot-cli":   "copilot --resume ID",
	"cursor":        "cursor-agent --resume ID",
	"opencode":      "opencode --session ID",
	"gemini-cli":    "gemini --resume ID",
	"qwen-code":     "qwen --resume ID",
	"kimi":          "kimi --session ID",
	"amp":           "amp threads continue ID",
	"factory-droid": "droid --resume ID",
	"hermes":        "hermes --resume ID",
	"mistral-vibe":  "vibe --resume ID",
	"goose":         "goose session --resume --session-id ID",
	"pi":            "pi --session FILE",
	"aider":         "aider --restore-chat-history",
}

// resume is the command that goes on with a session in its agent, in the folder
// that it worked in; "" where none is known.
func resume(s *load.Summary) string {
	command := resumeCommands[s.Format]
	if command == "" || s.Sessions > 1 || s.Session == "" && strings.HasSuffix(command, " ID") {
		return ""
	}
	if strings.HasPrefix(s.Session, "-") { // no agent makes such an id: it would be taken for a flag
		return ""
	}
	file, _ := partOf(s.Path)
	if s.Format == "cursor" && strings.HasSuffix(file, ".vscdb") { // of the editor, where its agent on the command line finds nothing
		return ""
	}
	path, err := filepath.Abs(s.Path)
	if err != nil {
		path = s.Path
	}
	command = strings.NewReplacer(" ID", " "+shellWord(s.Session), " FILE", " "+shellWord(path)).Replace(command)
	dir := s.Project
	if s.Format == "aider" {
		dir = filepath.Dir(path)
	}
	if filepath.IsAbs(dir) {
		command = "cd " + shellWord(dir) + " && " + command
	}
	return command
}

// shellWord quotes a text for a shell where that is needed.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:@%+=,", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
