package mcp

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
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

// tool is a question that an agent may ask.
type tool struct {
	name, help string
	takes      []parameter
	needs      []string // of takes
	loose      bool     // its columns may be pulled together
	command    func(a *arguments, roots []string) ([]string, error)
}

// tools are all of them. What transcripts say never stands in their descriptions.
func tools() []tool {
	return []tool{
		{
			name: "sessions", help: "List the transcripts of agents' runs, the newest first: when, agent, model, title, messages, tokens, errors, duration, how they ended, path.",
			takes: []parameter{pathMany, {"filter", "string", sessions.help}}, loose: true,
			command: func(a *arguments, roots []string) ([]string, error) {
				return a.over("ls", roots, "--filter="+a.Filter), nil
			},
		},
		{
			name: "search", help: "Find messages that hold words, over many transcripts or in one: path, number of the message, speaker, the line.",
			takes: []parameter{pathMany, pattern, messages, sessions}, needs: []string{"pattern"},
			command: func(a *arguments, roots []string) ([]string, error) {
				if a.Pattern == "" {
					return nil, errors.New("search takes a pattern")
				}
				return append(a.over("search", roots, "--rank", "--filter="+a.Filter, "--sessions="+a.Sessions), a.Pattern), nil
			},
		},
		{
			name: "show", help: "Read messages of a transcript in full: their text, calls with arguments, results. Name a slice: a whole transcript is long.",
			takes: []parameter{path, slice, messages}, needs: []string{"path"},
			command: func(a *arguments, _ []string) ([]string, error) {
				return a.one("show", "--to=text", "--slice="+cmp.Or(a.Slice, ":"), "--filter="+a.Filter)
			},
		},
		{
			name: "timeline", help: "List the turns of a transcript: prompt, answer, calls, errors, time.",
			takes: []parameter{path, slice, messages}, needs: []string{"path"}, loose: true,
			command: func(a *arguments, _ []string) ([]string, error) {
				return a.one("timeline", "--slice="+cmp.Or(a.Slice, ":"), "--filter="+a.Filter)
			},
		},
		{
			name: "tools", help: "Say what each tool did: calls, errors, durations, tokens; over a folder, summed.",
			takes: []parameter{pathMany, messages, sessions}, loose: true,
			command: func(a *arguments, roots []string) ([]string, error) {
				return a.over("tools", roots, "--filter="+a.Filter, "--sessions="+a.Sessions), nil
			},
		},
		{
			name: "stats", help: "Count messages, tokens, calls, errors, usage and time, and say how a run ended and why; over a folder, summed.",
			takes: []parameter{pathMany, messages, sessions}, loose: true,
			command: func(a *arguments, roots []string) ([]string, error) {
				return a.over("stats", roots, "--filter="+a.Filter, "--sessions="+a.Sessions), nil
			},
		},
		{
			name: "context", help: "Say what the model was given at a message, by kind and size, and how full its window was.",
			takes: []parameter{path, at}, needs: []string{"path"}, loose: true,
			command: func(a *arguments, _ []string) ([]string, error) {
				if a.At == nil {
					return a.one("context")
				}
				return a.one("context", "--at="+strconv.Itoa(*a.At))
			},
		},
		{
			name: "diff", help: "Compare two runs: outcome, numbers, and where they part.",
			takes: []parameter{path, other}, needs: []string{"path", "other"}, loose: true,
			command: func(a *arguments, _ []string) ([]string, error) {
				args, err := a.one("diff")
				if err == nil && a.Other == "" {
					err = errors.New("diff takes a path and another")
				}
				return append(args, a.Other), err
			},
		},
		{
			name: "threads", help: "List what runs left open: calls without results, errors, questions, tasks; and the conversations by day.",
			takes: []parameter{pathMany}, loose: true,
			command: func(a *arguments, roots []string) ([]string, error) { return a.over("threads", roots), nil },
		},
		{
			name: "groups", help: "Put failing calls and failed runs of a kind together, with how often and an example of each.",
			takes: []parameter{pathMany, messages, sessions}, loose: true,
			command: func(a *arguments, roots []string) ([]string, error) {
				return a.over("groups", roots, "--filter="+a.Filter, "--sessions="+a.Sessions), nil
			},
		},
	}
}

// over is a command about the path, or about all roots. Flags without a value are left out.
func (a *arguments) over(command string, roots []string, flags ...string) []string {
	args := given(command, flags)
	if a.Path != "" {
		return append(args, a.Path)
	}
	return append(args, roots...)
}

// one is a command about the path, which must be given.
func (a *arguments) one(command string, flags ...string) ([]string, error) {
	if a.Path == "" {
		return nil, fmt.Errorf("%s takes a path; sessions lists some", command)
	}
	return append(given(command, flags), a.Path), nil
}

func given(command string, flags []string) []string {
	args := []string{command}
	for _, f := range flags {
		if !strings.HasSuffix(f, "=") {
			args = append(args, f)
		}
	}
	return append(args, "--")
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
