package lang

import "turns/query/human"

// Key is the subject of a term.
type Key uint8

// The keys. Those about a call (tool, is, dur, …) in one And refer to the same call.
const (
	KeyAny Key = iota // no key: everything a reader sees
	KeyRole
	KeyTool
	KeyDoes
	KeyText
	KeyContent
	KeyReasoning
	KeyArgs
	KeyResult
	KeyTitle
	KeyName
	KeyIs
	KeyHas
	KeyKind
	KeyOutcome
	KeyValidity
	KeyEnd
	KeyIndex
	KeyTurn
	KeyStep
	KeyTime
	KeyDur
	KeyTokens
	KeySize
	KeyCost
	KeyModel
	KeyID
	KeyInteraction
	KeySession
	KeyThread
	KeyAgent
	KeyFile
	KeyProject
	KeyLabel
	KeyNote
	KeyVerdict
	KeyScore
	KeyCache
)

// keyTable describes all keys; the first is for terms without one.
var keyTable = []KeyInfo{
	{Key: KeyAny, Kind: TakesText},
	{Key: KeyRole, Name: "role", Aliases: []string{"from"}, Kind: TakesWhole, Any: "any role",
		Help: "role of the speaker", Examples: []string{"role:user", "role:tool,assistant"},
		Values: []EnumValue{
			{Name: "user", Help: "user messages"},
			{Name: "assistant", Help: "model messages"},
			{Name: "tool", Help: "results of tools"},
			{Name: "system", Help: "system prompts"},
			{Name: "developer", Help: "developer prompts"},
		}},
	{Key: KeyTool, Name: "tool", Aliases: []string{"call", "function"}, Kind: TakesWhole, Any: "any tool; globs: read_*, mcp__github__*",
		Help: "calls of a tool and their results", Examples: []string{"tool:Bash", "tool:read_*"}},
	{Key: KeyDoes, Name: "does", Kind: TakesEnum, Help: "the effect of a call, whatever the name of its tool",
		Examples: []string{"does:edit", "does:shell,web"},
		Values: []EnumValue{
			{Name: "shell", Help: "runs a command", Aliases: []string{"command"}},
			{Name: "read", Help: "reads a file"},
			{Name: "edit", Help: "writes, edits or deletes a file, also by a command", Aliases: []string{"write"}},
			{Name: "search", Help: "looks for files or text"},
			{Name: "web", Help: "uses the web"},
			{Name: "agent", Help: "starts a subagent"},
			{Name: "todo", Help: "updates a list of tasks"},
			{Name: "question", Help: "asks the user"},
		}},
	{Key: KeyIs, Name: "is", Kind: TakesEnum, Help: "a state or trait", Examples: []string{"is:error", "is:pending"}, Values: isValues},
	{Key: KeyHas, Name: "has", Aliases: []string{"with"}, Kind: TakesEnum, Help: "a kind of content in a message",
		Examples: []string{"has:reasoning", "has:image"}, Values: hasValues},
	{Key: KeyText, Name: "text", Aliases: []string{"body"}, Kind: TakesText, Help: "words anywhere in it",
		Examples: []string{"text:retry", `text:"not found"`, `text:/time ?out/i`}},
	{Key: KeyContent, Name: "content", Kind: TakesText, Help: "words in the content, results included; not reasoning, not arguments",
		Examples: []string{"content:retry", `content:"not found"`}},
	{Key: KeyReasoning, Name: "reasoning", Aliases: []string{"thinking", "thought"}, Kind: TakesText, Help: "words in the reasoning",
		Examples: []string{"reasoning:retry", `reasoning:"let me"`}},
	{Key: KeyArgs, Name: "args", Aliases: []string{"arg", "arguments", "input", "params"}, Kind: TakesText, Help: "words in the arguments of a call",
		Examples: []string{"args:main.go", `args:"rm -rf"`}},
	{Key: KeyResult, Name: "result", Aliases: []string{"results", "output"}, Kind: TakesText, Help: "words in the result of a call",
		Examples: []string{"result:panic", `result:"exit 1"`}},
	{Key: KeyDur, Name: "dur", Aliases: []string{"duration", "took"}, Kind: TakesDuration, Help: "duration of a call",
		Examples: []string{"500ms", "5s", "2m", "1h"}},
	{Key: KeyTokens, Name: "tokens", Aliases: []string{"token", "tok"}, Kind: TakesCount, Help: "tokens of a message, counted",
		Examples: []string{">1k", "500..2k"}},
	{Key: KeySize, Name: "size", Aliases: []string{"bytes"}, Kind: TakesSize, Help: "bytes of a message or of a transcript",
		Examples: []string{">100kB", "1MB..5MB"}},
	{Key: KeyCost, Name: "cost", Aliases: []string{"price"}, Kind: TakesCost, Help: "recorded cost in dollars; in lists, of the session",
		Examples: []string{">0.10", "1..5"}},
	{Key: KeyCache, Name: "cache", Kind: TakesEnum, Help: "why a request did not read its whole prompt from the cache",
		Examples: []string{"cache:ttl", "cache:model,tools"},
		Values: []EnumValue{
			{Name: "ttl", Help: "the time to live passed"},
			{Name: "model", Help: "another model answered"},
			{Name: "tools", Help: "the list of tools changed"},
			{Name: "system", Help: "the system prompt changed"},
			{Name: "edited", Help: "messages changed or were rewound"},
			{Name: "unexplained", Help: "the transcript does not explain it"},
			{Name: "compaction", Help: "a summary came before; not a miss"},
			{Name: "first", Help: "the first request of an agent; not a miss"},
			{Name: "too_short", Help: "below the minimum; not a miss", Aliases: []string{"too-short"}},
			{Name: "null", Help: "no cause: it read its prompt, or usage was not recorded", Aliases: []string{"none"}},
		}},
	{Key: KeyIndex, Name: "index", Aliases: []string{"msg", "message"}, Kind: TakesNumber, Help: "number of a message, from 0",
		Examples: []string{"5", "5..10", ">100"}},
	{Key: KeyTurn, Name: "turn", Kind: TakesNumber, Help: "number of a turn, from 0", Examples: []string{"3", "3..9", ">10"}},
	{Key: KeyStep, Name: "step", Kind: TakesNumber, Help: "number of a step in its turn, from 0", Examples: []string{"0", "2..4", ">10"}},
	{Key: KeyTime, Name: "time", Kind: TakesTime, Help: "a time or a range of them",
		Examples: []string{"10:30..11:00", "2026-02-11..2026-02-14", ">22:41"}},
	{Key: KeyTime, Name: "after", Aliases: []string{"since"}, Kind: TakesTime, Op: OpGe, Help: "from that time on", Examples: timeExamples},
	{Key: KeyTime, Name: "before", Kind: TakesTime, Op: OpLt, Help: "up to that time, without it", Examples: timeExamples},
	{Key: KeyTime, Name: "until", Kind: TakesTime, Op: OpLe, Help: "up to that time, with it", Examples: timeExamples},
	{Key: KeyTime, Name: "on", Aliases: []string{"date", "day", "at"}, Kind: TakesTime, Help: "on that day, or in that minute",
		Examples: []string{"2026-02-11", "yesterday", "22:41"}},
	{Key: KeyModel, Name: "model", Kind: TakesWhole, Any: "any model", Help: "the model that answered",
		Examples: []string{"model:gpt-5", "model:claude-*"}},
	{Key: KeyFile, Name: "file", Aliases: []string{"path", "files"}, Kind: TakesPath, Help: "a file that a call names",
		Examples: []string{"file:main.go", "file:*_test.go"}},
	{Key: KeyName, Name: "name", Kind: TakesWhole, Help: "recorded name of the speaker", Examples: []string{"name:planner", "name:agent-*"}},
	{Key: KeyKind, Name: "kind", Aliases: []string{"type"}, Kind: TakesEnum, Help: "the kind of a row", Examples: []string{"kind:call", "kind:reasoning"},
		Values: []EnumValue{
			{Name: "text", Help: "words", Aliases: []string{"words", "message"}},
			{Name: "reasoning", Help: "reasoning", Aliases: []string{"thinking"}},
			{Name: "call", Help: "tool calls", Aliases: []string{"tool_call", "tool_use"}},
			{Name: "result", Help: "tool results", Aliases: []string{"tool_result"}},
			{Name: "event", Help: "bookkeeping", Aliases: []string{"note"}},
		}},
	{Key: KeyOutcome, Name: "outcome", Aliases: []string{"status"}, Kind: TakesEnum, Help: "how a call ended",
		Examples: []string{"outcome:failed", "outcome:partial"},
		Values: []EnumValue{
			{Name: "ok", Help: "succeeded", Aliases: []string{"success", "succeeded", "completed"}},
			{Name: "failed", Help: "failed", Aliases: []string{"failure", "error"}},
			{Name: "partial", Help: "succeeded in part"},
			{Name: "pending", Help: "no result yet", Aliases: []string{"running"}},
			{Name: "denied", Help: "not allowed", Aliases: []string{"rejected"}},
			{Name: "interrupted", Help: "stopped by the user", Aliases: []string{"aborted"}},
			{Name: "cancelled", Help: "cancelled because another failed", Aliases: []string{"canceled"}},
			{Name: "timeout", Help: "ran out of time"},
			{Name: "unknown", Help: "not recorded"},
		}},
	{Key: KeyValidity, Name: "validity", Kind: TakesEnum, Help: "whether it still counts",
		Examples: []string{"validity:invalidated", "validity:superseded"},
		Values: []EnumValue{
			{Name: "active", Help: "still counts", Aliases: []string{"valid"}},
			{Name: "invalidated", Help: "declared wrong", Aliases: []string{"invalid"}},
			{Name: "superseded", Help: "replaced by a later one"},
			{Name: "archived", Help: "put away"},
		}},
	{Key: KeyInteraction, Name: "interaction", Kind: TakesWhole, Help: "id of an interaction", Examples: []string{"interaction:11111111*"}},
	{Key: KeyID, Name: "id", Kind: TakesWhole, Help: "id of a message or call", Examples: []string{"id:toolu_01*"}},
	{Key: KeyThread, Name: "subagent", Aliases: []string{"thread"}, Kind: TakesWhole, Help: "an agent within the session; main for the first one",
		Examples: []string{"subagent:main", "subagent:explore*"}},
	{Key: KeyAgent, Name: "agent", Kind: TakesWhole, Help: "the product that recorded the session", Examples: []string{"agent:claude", "agent:codex"}},
	{Key: KeySession, Name: "session", Aliases: []string{"conversation"}, Kind: TakesWhole, Help: "id of a session", Examples: []string{"session:8463c716*"}},
	{Key: KeyTitle, Name: "title", Kind: TakesText, Help: "words in the title of a session", Examples: []string{"title:login", `title:"fix login"`}},
	{Key: KeyProject, Name: "project", Aliases: []string{"cwd", "dir", "folder"}, Kind: TakesPath, Help: "the folder of a session",
		Examples: []string{"project:turns", "project:~/src/*"}},
	{Key: KeyEnd, Name: "end", Aliases: []string{"ended"}, Kind: TakesEnum, Help: "the state of a session, or how it ended",
		Examples: []string{"end:failed", "end:waiting"}, Values: endings()},
	{Key: KeyLabel, Name: "label", Aliases: []string{"labels", "tag"}, Kind: TakesWhole, Any: "any label", Help: "a label of the message, its turn or its session",
		Examples: []string{"label:loop", "label:wrong-*"}},
	{Key: KeyNote, Name: "note", Aliases: []string{"notes"}, Kind: TakesText, Help: "words in notes about it",
		Examples: []string{"note:slow", `note:"wrong file"`}},
	{Key: KeyVerdict, Name: "verdict", Kind: TakesEnum, Help: "a verdict on the message, its turn or its session", Examples: []string{"verdict:good", "verdict:bad"},
		Values: []EnumValue{
			{Name: "good", Help: "judged good", Aliases: []string{"+", "pass", "yes"}},
			{Name: "bad", Help: "judged bad", Aliases: []string{"-", "fail", "no"}},
		}},
	{Key: KeyScore, Name: "score", Aliases: []string{"scores"}, Kind: TakesDecimal, Help: "a score of it", Examples: []string{">3", "0..0.5"}},
}

// endings returns the words of the glossary.
func endings() (values []EnumValue) {
	for _, w := range human.Endings() {
		values = append(values, EnumValue{Name: w.Name, Help: w.Help, Aliases: w.Aliases})
	}
	return values
}

var timeExamples = []string{"22:41", "2026-02-11", "yesterday", "2h"}

var isValues = []EnumValue{
	{Name: "error", Help: "calls that failed, API errors", Aliases: []string{"failed", "failure", "errored"}},
	{Name: "pending", Help: "calls without a result", Aliases: []string{"running"}},
	{Name: "orphan", Help: "results without a call"},
	{Name: "denied", Help: "calls without permission", Aliases: []string{"rejected"}},
	{Name: "interrupted", Help: "stopped by the user", Aliases: []string{"aborted"}},
	{Name: "cancelled", Help: "cancelled because another failed", Aliases: []string{"canceled"}},
	{Name: "timeout", Help: "ran out of time", Aliases: []string{"timedout"}},
	{Name: "retry", Help: "tried again after a failure"},
	{Name: "background", Help: "calls in the background"},
	{Name: "parallel", Help: "calls that ran at the same time"},
	{Name: "prompt", Help: "prompts of the user, each opens a turn"},
	{Name: "injected", Help: "text that a program wrote as the user"},
	{Name: "synthetic", Help: "made by the agent, not the model"},
	{Name: "sidechain", Help: "inside a subagent", Aliases: []string{"subagent"}},
	{Name: "event", Help: "bookkeeping", Aliases: []string{"note"}},
	{Name: "partial", Help: "not complete"},
	{Name: "truncated", Help: "cut by the agent or a limit"},
	{Name: "redacted", Help: "removed on purpose"},
	{Name: "compacted", Help: "replaced by a summary"},
	{Name: "rewound", Help: "erased by a rewind"},
	{Name: "inherited", Help: "copied from an earlier conversation"},
	{Name: "live", Help: "on the branch that counts"},
	{Name: "superseded", Help: "replaced by a later message"},
	{Name: "unread", Help: "new since you left the session", Aliases: []string{"new"}},
	{Name: "invalidated", Help: "declared wrong"},
	{Name: "archived", Help: "put away"},
	{Name: "labelled", Help: "labelled, judged or noted by people", Aliases: []string{"labeled", "noted"}},
	{Name: "marked", Help: "marked with a letter"},
	{Name: "cache-miss", Help: "requests that missed the prompt cache", Aliases: []string{"cachemiss"}},
	{Name: "unreadable", Help: "unreadable records", Aliases: []string{"damaged"}},
}

var hasValues = []EnumValue{
	{Name: "text", Help: "words", Aliases: []string{"content"}},
	{Name: "reasoning", Help: "reasoning", Aliases: []string{"thinking"}},
	{Name: "call", Help: "tool calls", Aliases: []string{"calls", "tool", "tools"}},
	{Name: "result", Help: "tool results", Aliases: []string{"results"}},
	{Name: "error", Help: "a failed call or an API error", Aliases: []string{"errors"}},
	{Name: "image", Help: "an image", Aliases: []string{"images", "media"}},
	{Name: "file", Help: "an attached file", Aliases: []string{"files", "attachment"}},
	{Name: "diff", Help: "an edit shown as a diff", Aliases: []string{"patch"}},
	{Name: "code", Help: "a block of code"},
	{Name: "link", Help: "a link", Aliases: []string{"links", "url"}},
	{Name: "usage", Help: "recorded token usage"},
}
