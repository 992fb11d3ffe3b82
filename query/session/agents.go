package session

import (
	"path/filepath"
	"strings"

	"turns/query/human"
)

// Chore is the kind of a subagent that works for its program instead of its user: "compaction"
// or "warm-up"; "" for all other sessions. Claude Code names the transcripts of compactions
// agent-acompact-….jsonl, and warms up its subagents with the prompt "Warmup".
func (s *Session) Chore() string {
	switch {
	case s.Starter == "":
		return ""
	case strings.HasPrefix(filepath.Base(s.Path), "agent-acompact-"), strings.HasPrefix(s.Title, "Your task is to create a detailed summary of the conversation"):
		return "compaction"
	case strings.EqualFold(strings.TrimSpace(s.Title), "warmup"):
		return "warm-up"
	}
	return ""
}

// AgentsInWords counts the subagents of a session, with chores for the program separately: "5
// agents, 1 compaction". It returns "" if there are none.
func AgentsInWords(agents []*Session) string {
	chores := map[string]int{}
	for _, a := range agents {
		chores[a.Chore()]++
	}
	var parts []string
	for _, kind := range [...][2]string{{"", "agent"}, {"compaction", "compaction"}, {"warm-up", "warm-up"}} {
		if n := chores[kind[0]]; n > 0 {
			parts = append(parts, human.Plural(n, kind[1]))
		}
	}
	return strings.Join(parts, ", ")
}
