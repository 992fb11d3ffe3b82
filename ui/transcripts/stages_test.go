package transcripts_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"turns/model/load"
	"turns/model/modeltest"
	"turns/query/human"
	"turns/query/session"
)

// step is the meaning of a raw record, by the rules of its agent below. They are independent of the
// tested code.
type step struct {
	// prompt, text, think, call, result, turn, stop, error; "" for other records
	what  string
	calls []string // that it makes
	tools []string // of these calls
	done  string   // call that it answers; "": the oldest
}

type raw = map[string]any

func get(v any, path ...string) any {
	for _, name := range path {
		m, _ := v.(raw)
		v = m[name]
	}
	return v
}

func str(v any, path ...string) string { s, _ := get(v, path...).(string); return s }

func list(v any, path ...string) []any { l, _ := get(v, path...).([]any); return l }

// agents has the rules, and the places of the transcripts.
var agents = map[string]struct {
	glob string
	step func(raw) step
	fail string // a record of the agent for a failed request
}{
	"Claude Code": {"claude_code/*/*.jsonl", claudeStep,
		`{"type":"assistant","uuid":"fail-1","sessionId":"s","isApiErrorMessage":true,"message":{"id":"m-fail","type":"message","role":"assistant","model":"<synthetic>","content":[{"type":"text","text":"API Error: 529 overloaded"}]}}`},
	"iFlow":       {"iflow/*.jsonl", claudeStep, ""},
	"Codex":       {"codex/*/*.jsonl", codexStep, ""},
	"Copilot":     {"copilot_cli/irrlicht/*/events.jsonl", copilotStep, `{"type":"session.error","id":"e-fail","data":{"errorType":"query","message":"Request failed"}}`},
	"Pi":          {"pi/*/*.jsonl", piStep, `{"type":"message","id":"fail0001","message":{"role":"assistant","content":[],"stopReason":"error","errorMessage":"overloaded"}}`},
	"Vibe":        {"mistral_vibe/*/*/messages.jsonl", vibeStep, ""},
	"Kiro":        {"kiro_cli/*/*.jsonl", kiroStep, ""},
	"Kimi":        {"kimi/*/assistant_tools.jsonl", kimiStep, ""},
	"Antigravity": {"antigravity_cli/*/*.jsonl", antigravityStep, ""},
}

func claudeStep(r raw) (s step) {
	if r["isSidechain"] == true || r["isMeta"] == true {
		return s
	}
	text := str(r, "message", "content")
	for _, item := range list(r, "message", "content") {
		switch str(item, "type") {
		case "tool_use":
			s.what, s.calls, s.tools = "call", append(s.calls, str(item, "id")), append(s.tools, str(item, "name"))
		case "tool_result":
			return step{what: "result", done: str(item, "tool_use_id")}
		case "text":
			text = str(item, "text")
		case "thinking":
			s.what = "think"
		}
	}
	switch {
	case r["isApiErrorMessage"] == true:
		return step{what: "error"}
	case str(r, "type") == "assistant" && s.what == "" && text != "":
		s.what = "text"
	case str(r, "type") == "system" && (str(r, "subtype") == "turn_duration" || str(r, "subtype") == "stop_hook_summary"):
		s.what = "turn"
	case str(r, "type") == "user" && strings.HasPrefix(text, "[Request interrupted"):
		s.what = "stop"
	case str(r, "type") == "user" && text != "" && !strings.HasPrefix(text, "<") && !strings.HasPrefix(text, "Caveat"):
		s.what = "prompt"
	}
	return s
}

func codexStep(r raw) (s step) {
	p := get(r, "payload")
	text := ""
	for _, item := range list(p, "content") {
		text += str(item, "text")
	}
	switch kind := str(p, "type"); {
	case kind == "message" && str(p, "role") == "user" && !strings.HasPrefix(text, "<") && !strings.HasPrefix(text, "# AGENTS"):
		s.what = "prompt"
	case kind == "message" && str(p, "role") == "assistant":
		s.what = "text"
	case kind == "function_call" || kind == "custom_tool_call":
		s = step{what: "call", calls: []string{str(p, "call_id")}, tools: []string{str(p, "name")}}
		if strings.Contains(str(p, "arguments"), `"require_escalated"`) {
			s.tools[0] = "leave"
		}
	case kind == "function_call_output" || kind == "custom_tool_call_output":
		s = step{what: "result", done: str(p, "call_id")}
	case kind == "task_complete":
		s.what = "turn"
	case kind == "turn_aborted":
		s.what = "stop"
	}
	return s
}

func copilotStep(r raw) (s step) {
	switch str(r, "type") {
	case "user.message":
		s.what = "prompt"
	case "assistant.message":
		s.what = "text"
		for _, c := range list(r, "data", "toolRequests") {
			s.what, s.calls, s.tools = "call", append(s.calls, str(c, "toolCallId")), append(s.tools, str(c, "name"))
		}
	case "tool.execution_complete":
		s = step{what: "result", done: str(r, "data", "toolCallId")}
	case "session.shutdown":
		s.what = "end"
	case "abort":
		s.what = "stop"
	}
	return s
}

func piStep(r raw) (s step) {
	switch str(r, "message", "role") {
	case "user":
		s.what = "prompt"
	case "toolResult":
		s = step{what: "result", done: str(r, "message", "toolCallId")}
	case "assistant":
		s.what = "text"
		for _, item := range list(r, "message", "content") {
			if str(item, "type") == "toolCall" {
				s.what, s.calls, s.tools = "call", append(s.calls, str(item, "id")), append(s.tools, str(item, "name"))
			}
		}
		switch str(r, "message", "stopReason") {
		case "error":
			s.what = "error"
		case "aborted":
			s.what = "stop"
		}
	}
	return s
}

func vibeStep(r raw) (s step) {
	switch str(r, "role") {
	case "user":
		if r["injected"] != true {
			s.what = "prompt"
		}
	case "tool":
		s = step{what: "result", done: str(r, "tool_call_id")}
	case "assistant":
		s.what = "text"
		for _, c := range list(r, "tool_calls") {
			s.what, s.calls, s.tools = "call", append(s.calls, str(c, "id")), append(s.tools, str(c, "function", "name"))
		}
	}
	return s
}

func kiroStep(r raw) (s step) {
	switch str(r, "kind") {
	case "Prompt":
		s.what = "prompt"
	case "AssistantMessage":
		s.what = "text"
		for _, item := range list(r, "data", "content") {
			if str(item, "kind") == "toolUse" {
				s.what, s.calls, s.tools = "call", append(s.calls, str(item, "data", "toolUseId")), append(s.tools, str(item, "data", "name"))
			}
		}
	case "ToolResults":
		s.what = "result"
		for _, item := range list(r, "data", "content") {
			s.done = str(item, "data", "toolUseId")
		}
	}
	return s
}

func kimiStep(r raw) (s step) {
	switch e := get(r, "event"); {
	case str(r, "type") == "context.append_message" && str(r, "message", "role") == "user" && str(r, "message", "origin", "kind") == "user":
		s.what = "prompt"
	case str(e, "type") == "step.end" && str(e, "finishReason") == "end_turn":
		s.what = "turn"
	case str(e, "type") == "tool.call":
		s = step{what: "call", calls: []string{str(e, "toolCallId")}, tools: []string{str(e, "name")}}
	case str(e, "type") == "tool.result":
		s = step{what: "result", done: str(e, "toolCallId")}
	case str(e, "type") == "content.part": // words are the end if the step is
		s.what = "think"
	}
	return s
}

func antigravityStep(r raw) (s step) {
	switch kind := str(r, "type"); {
	case kind == "USER_INPUT":
		s.what = "prompt"
	case kind == "PLANNER_RESPONSE":
		s.what = "text"
		for i, c := range list(r, "tool_calls") {
			s.what, s.calls, s.tools = "call", append(s.calls, fmt.Sprint(r["step_index"], i)), append(s.tools, str(c, "name"))
		}
	case str(r, "source") == "MODEL":
		s.what = "result"
	}
	return s
}

// asks are the tools that ask the user; files are the fast tools: a run that waits for one waits
// for permission.
var (
	asks  = []string{"AskUserQuestion", "ExitPlanMode", "ask_user", "request_user_input", "leave"}
	files = []string{"Edit", "Write", "Read", "MultiEdit", "Grep", "Glob", "TodoWrite", "edit", "write", "read", "read_file", "write_file", "replace", "todo"}
)

// cut is a transcript up to a record, and its expected state.
type cut struct {
	agent, path string
	line        int
	lines       [][]byte
	later       time.Duration // after its last record
	want        human.State
	human       bool // it waits for an answer or for permission
}

// cutsOf returns the cuts of a transcript at each record with a step.
func cutsOf(agent, path string, of func(raw) step, fail string) (cuts []cut) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	steps := make([]step, len(lines))
	for i, line := range lines {
		var r raw
		if json.Unmarshal(line, &r) == nil {
			steps[i] = of(r)
		}
	}
	open := map[string]string{}
	var order []string
	for i := range steps {
		s := &steps[i]
		if s.what == "" {
			continue
		}
		for n, id := range s.calls {
			open[id], order = s.tools[n], append(order, id)
		}
		if s.what == "result" {
			if s.done == "" && len(order) > 0 {
				s.done = order[0]
			}
			delete(open, s.done)
			order = slices.DeleteFunc(order, func(id string) bool { return id == s.done })
		}
		if s.what == "prompt" || s.what == "stop" || s.what == "turn" {
			clear(open)
			order = nil
		}
		add := func(later time.Duration, want human.State, person bool) {
			cuts = append(cuts, cut{agent, path, i, lines[:i+1], later, want, person})
		}
		tools := slices.Collect(maps.Values(open))
		is := func(names []string) func(string) bool {
			return func(tool string) bool { return slices.Contains(names, tool) }
		}
		next := "" // next action in the session
		for _, s := range steps[i+1:] {
			if next = s.what; next != "" {
				break
			}
		}
		const soon, long, days = 2 * time.Second, 2 * time.Hour, 72 * time.Hour
		switch {
		case s.what == "error":
			add(soon, human.Failed, false)
		case s.what == "end":
			add(soon, human.Finished, false)
		case slices.ContainsFunc(tools, is(asks)):
			add(soon, human.Waiting, true)
			add(10*time.Minute, human.Waiting, true)
			add(long, human.Waiting, true)
			add(days, human.Idle, false)
		case s.what == "turn" || s.what == "stop" || s.what == "text" && (next == "turn" || next == "prompt" || next == "end"):
			add(30*time.Second, human.Idle, false)
			add(long, human.Finished, false)
		case s.what == "text" && next == "":
			continue // unknown whether it continued
		default:
			add(soon, human.Running, false)
			if s.what == "text" { // whether it was the end is unknown later
				continue
			}
			if len(tools) > 0 && !slices.ContainsFunc(tools, func(t string) bool { return !is(files)(t) }) {
				add(5*time.Minute, human.Waiting, true)
				add(long, human.Waiting, true)
			} else {
				add(long, human.Stuck, false)
			}
			add(days, human.Idle, false)
			if fail != "" {
				c := cuts[len(cuts)-1]
				c.lines, c.later, c.want, c.human = append(slices.Clip(c.lines), []byte(fail)), soon, human.Failed, false
				cuts = append(cuts, c)
			}
		}
	}
	return cuts
}

// TestStages cuts real transcripts at their records and compares the state of each cut.
func TestStages(t *testing.T) {
	corpus := modeltest.Corpus(t)
	byStage := map[string][]cut{}
	for _, name := range slices.Sorted(maps.Keys(agents)) {
		a := agents[name]
		paths, _ := filepath.Glob(filepath.Join(corpus, "agents", a.glob))
		for _, path := range paths {
			if info, err := os.Stat(path); err != nil || info.Size() > 600<<10 {
				continue
			}
			for _, c := range cutsOf(name, path, a.step, a.fail) {
				key := fmt.Sprint(c.want, c.human, name)
				byStage[key] = append(byStage[key], c)
			}
		}
	}
	most := modeltest.Fewer(16, 3) // per agent and stage
	confused, right, all, people, seen := map[string]int{}, 0, 0, 0, map[string]bool{}
	rights, counts := map[human.State]int{}, map[human.State]int{}
	path := filepath.Join(t.TempDir(), "run.jsonl")
	for _, key := range slices.Sorted(maps.Keys(byStage)) {
		cuts := byStage[key]
		n := most
		if cuts[0].human {
			n *= 4
		}
		for i := 0; i < len(cuts); i += max(len(cuts)/n, 1) {
			c := &cuts[i]
			got := standsAt(t, path, c)
			all, counts[c.want], seen[c.agent] = all+1, counts[c.want]+1, true
			if c.human {
				people++
			}
			if got.Stage() == c.want {
				right++
				rights[c.want]++
				continue
			}
			confused[fmt.Sprintf("%-11s %v is said to be %v (%s)", c.agent, c.want, got.Stage(), got)]++
			if modeltest.Whole() {
				t.Logf("%s: line %d, %v later: %v, not %v", c.path, c.line+1, c.later, got, c.want)
			}
		}
	}
	t.Logf("%d of %d cuts of %d agents are right, %d wait for an answer or for leave", right, all, len(seen), people)
	for _, stage := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%-9v %d of %d", stage, rights[stage], counts[stage])
		if rights[stage]*10 < counts[stage]*9 {
			t.Errorf("of %d that are %v only %d are found", counts[stage], stage, rights[stage])
		}
	}
	for _, what := range slices.Sorted(maps.Keys(confused)) {
		t.Logf("%d × %s", confused[what], what)
	}
	if right*100 < all*95 {
		t.Errorf("only %d of %d are right", right, all)
	}
}

// standsAt returns the state of a cut some time after its last record.
func standsAt(t *testing.T, path string, c *cut) session.State {
	t.Helper()
	if err := os.WriteFile(path, append(bytes.Join(c.lines, []byte("\n")), '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := load.Summarise(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if s.Last == 0 {
		s.Last = 1_700_000_000_000
	}
	s.Written = s.Last
	return session.StateOf(&s, time.UnixMilli(s.Written).Add(c.later))
}
