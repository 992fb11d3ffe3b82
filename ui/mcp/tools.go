package mcp

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// arguments are those of all tools; a tool takes some of them.
type arguments struct {
	Path      string `json:"path"`
	Other     string `json:"other"`
	Pattern   string `json:"pattern"`
	Filter    string `json:"filter"`
	Sessions  string `json:"sessions"`
	Slice     string `json:"slice"`
	At        *int   `json:"at"`
	MaxTokens int    `json:"max_tokens"`
	Next      int    `json:"next"`
}

// parameter describes an argument to clients, as JSON Schema has it.
type parameter struct{ name, kind, help string }

const filterHelp = `Only messages that match, such as: role:user, tool:Bash is:error, dur:>10s, text:"connection refused"; terms that stand side by side must all hold.`

var (
	path      = parameter{"path", "string", "A transcript, as the answers name it."}
	pathMany  = parameter{"path", "string", "A transcript, or a folder of them; all folders of this server where it is left out."}
	other     = parameter{"other", "string", "The transcript to compare with."}
	pattern   = parameter{"pattern", "string", "Words as they stand, or /a regular expression/i."}
	messages  = parameter{"filter", "string", filterHelp}
	sessions  = parameter{"sessions", "string", `Only sessions that match, such as: agent:codex end:failed, model:*opus*, since:7d, after:yesterday before:today.`}
	slice     = parameter{"slice", "string", "Only messages A:B, as slices in Python: 5:10, -3:."}
	at        = parameter{"at", "integer", "Number of a message: what the model was given there."}
	maxTokens = parameter{"max_tokens", "integer", "The most tokens of the answer; " + strconv.Itoa(usualTokens) + " where it is left out."}
	next      = parameter{"next", "integer", "Go on where an answer to the same question was cut: the number that it names."}
)

// tool is a question that an agent may ask, and the command that answers it.
type tool struct {
	name, help string
	takes      []parameter // the path is the first; all folders answer where it may be left out
	needs      []string    // of takes
	loose      bool        // its columns may be pulled together
	runs       string      // the command; "": as the tool is called
	flags      []string    // that are always given
}

// tools are all of them. What transcripts say never stands in their descriptions.
func tools() []tool {
	return []tool{
		{name: "sessions", help: "List the transcripts of agents' runs, the newest first: when, agent, model, title, messages, tokens, errors, duration, how they ended, path.",
			takes: []parameter{pathMany, {"filter", "string", sessions.help}}, loose: true, runs: "ls"},
		{name: "search", help: "Find messages that hold words, over many transcripts or in one: path, number of the message, speaker, the line.",
			takes: []parameter{pathMany, pattern, messages, sessions}, needs: []string{"pattern"}, flags: []string{"--rank"}},
		{name: "show", help: "Read messages of a transcript in full: their text, calls with arguments, results. Name a slice: a whole transcript is long.",
			takes: []parameter{path, slice, messages}, needs: []string{"path"}, flags: []string{"--to=text"}},
		{name: "timeline", help: "List the turns of a transcript: prompt, answer, calls, errors, time.",
			takes: []parameter{path, slice, messages}, needs: []string{"path"}, loose: true},
		{name: "tools", help: "Say what each tool did: calls, errors, durations, tokens; over a folder, summed.",
			takes: []parameter{pathMany, messages, sessions}, loose: true},
		{name: "stats", help: "Count messages, tokens, calls, errors, usage and time, and say how a run ended and why; over a folder, summed.",
			takes: []parameter{pathMany, messages, sessions}, loose: true},
		{name: "context", help: "Say what the model was given at a message, by kind and size, and how full its window was.",
			takes: []parameter{path, at}, needs: []string{"path"}, loose: true},
		{name: "diff", help: "Compare two runs: outcome, numbers, and where they part.",
			takes: []parameter{path, other}, needs: []string{"path", "other"}, loose: true},
		{name: "threads", help: "List what runs left open: calls without results, errors, questions, tasks; and the conversations by day.",
			takes: []parameter{pathMany}, loose: true},
		{name: "groups", help: "Put failing calls and failed runs of a kind together, with how often and an example of each.",
			takes: []parameter{pathMany, messages, sessions}, loose: true},
	}
}

// missing is what is said where an argument is not given.
var missing = map[string]string{
	"path": "takes a path; sessions lists some", "pattern": "takes a pattern", "other": "takes a path and another",
}

// command is the one that answers. Flags without a value are left out; arguments that the tool
// does not take were refused.
func (t *tool) command(a *arguments, roots []string) ([]string, error) {
	given := map[string]string{"path": a.Path, "pattern": a.Pattern, "other": a.Other}
	for _, name := range t.needs {
		if given[name] == "" {
			return nil, fmt.Errorf("%s %s", t.name, missing[name])
		}
	}
	args := append([]string{cmp.Or(t.runs, t.name)}, t.flags...)
	from := a.Slice
	if slices.Contains(t.takes, slice) {
		from = cmp.Or(from, ":")
	}
	number := ""
	if a.At != nil {
		number = strconv.Itoa(*a.At)
	}
	for _, f := range [...][2]string{{"slice", from}, {"filter", a.Filter}, {"sessions", a.Sessions}, {"at", number}} {
		if f[1] != "" {
			args = append(args, "--"+f[0]+"="+f[1])
		}
	}
	args = append(args, "--")
	if a.Path != "" {
		args = append(args, a.Path)
	} else {
		args = append(args, roots...)
	}
	if last := cmp.Or(a.Pattern, a.Other); last != "" {
		args = append(args, last)
	}
	return args, nil
}

// schema is the arguments of a tool as JSON Schema.
func (t *tool) schema() map[string]any {
	properties := map[string]any{}
	for _, p := range append(t.takes, maxTokens, next) {
		properties[p.name] = map[string]any{"type": p.kind, "description": p.help}
	}
	s := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(t.needs) > 0 {
		s["required"] = t.needs
	}
	return s
}
