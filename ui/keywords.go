package ui

import "strings"

// keywords are synonyms by which the palette finds a command.
var keywords = map[string]string{
	"context":   "cost money price dollars usage tokens window memory compaction cache",
	"turns":     "cost money price prompts",
	"lanes":     "time gantt timeline parallel waterfall trace perfetto idle",
	"cost":      "money price dollars spend bill",
	"stats":     "cost money summary numbers tokens",
	"files":     "diff changes patch edits changed",
	"detail":    "diff result output body inspect",
	"copy":      "yank clipboard paste",
	"copy-path": "copy yank clipboard", "copy-command": "copy resume continue",
	"next-call":  "subagent agent task tool",
	"open":       "subagent agent expand unfold enter",
	"subagents":  "agent agents task fold children",
	"theme":      "colour color dark light",
	"quit":       "exit leave bye",
	"close":      "quit exit leave",
	"export":     "save markdown json share write",
	"label":      "tag note comment annotate mark",
	"search":     "find grep look",
	"title":      "find grep look search",
	"filter":     "only hide grep",
	"next-error": "fail failure problem",
	"failures":   "errors problems",
	"sessions":   "list back home runs history",
	"compare":    "diff difference versus",
	"verdict":    "why reason end result",
	"tools":      "calls usage",
	"help":       "keys shortcuts",
	"follow":     "tail live watch",
}

// means reports whether one of a command's keywords begins with the typed text.
func means(command, want string) bool {
	for word := range strings.FieldsSeq(keywords[command]) {
		if strings.HasPrefix(word, want) {
			return true
		}
	}
	return false
}
