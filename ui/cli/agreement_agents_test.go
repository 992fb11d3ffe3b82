package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"turns/query/summary"
	"turns/themes"
	"turns/ui/paint"
	"turns/ui/screen"
)

// askAgents records the answers of the tools for agents about a transcript.
func askAgents(t *testing.T, a answered, path string, stats *summary.StatsAnswer, listed bool) {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	ask := asks(t, newApp(IO{Env: func(string) string { return "" }}), path)
	answer := func(tool string) string {
		whole, args := "", map[string]any{"path": path, "max_tokens": 100_000}
		for args != nil {
			text, err := ask(tool, args)
			if err != nil {
				t.Errorf("%s: %s: %v", path, tool, err)
			}
			whole, args = whole+text, nil
			if next := continues.FindStringSubmatch(text); next != nil {
				args = map[string]any{"next": next[1]}
			}
		}
		return whole
	}
	text := answer("stats")
	a.say("messages", "agents: stats", numberIn(text, `(?m)^messages  (\S+)`))
	a.say("turns", "agents: stats", numberIn(text, `(?m)^turns  (\S+)`))
	a.say("orphans", "agents: stats", numberIn(text, `(?m)^  results without a call  (\S+)`))
	a.calls("agents: stats", numberIn(text, `(?m)^calls  (\S+)`), numberIn(text, `(?m)^calls  \S+  (\S+) errors?,`), numberIn(text, `(?m)^  pending  (\S+)`))
	a.say("model errors", "agents: stats", numberIn(text, `(?m)^model errors  (\S+)`))
	for role, n := range stats.MessagesByRole {
		a.say("messages of "+role, "stats", n)
		a.say("messages of "+role, "agents: stats", numberIn(text, `(?m)^  `+regexp.QuoteMeta(role)+`  (\S+)`))
	}
	a.say("calls", "agents: tools", numberIn(answer("tools"), `(?m)^(\S+) calls?\b`))
	a.say("turns", "agents: timeline", numberIn(answer("timeline"), `(?m)^(\S+) turns?\b`))
	a.say("messages", "agents: check", numberIn(answer("check"), `(?m)^(\S+) messages?, \S+ problems?`))
	if !listed {
		return // its numbers are lower bounds
	}
	messages, errors, output := 0, 0, 0
	for line := range strings.Lines(answer("sessions")) { // one for each session
		cells := strings.Split(line, " | ")
		if len(cells) < 12 || cells[0] == "path" {
			continue
		}
		cells = cells[len(cells)-7:] // a title may have the mark between cells
		messages, errors, output = messages+numberIn(cells[0], `(.+)`), errors+numberIn(cells[1], `(.+)`), output+numberIn(cells[2], `(.+)`)
	}
	a.say("messages", "agents: sessions", messages)
	a.say("errors", "agents: sessions", errors)
	a.say("output tokens", "agents: sessions", int64(output))
}

// continues matches the line that offers the rest of an answer.
var continues = regexp.MustCompile(`\d+ lines? more: next="(\w+)"\s*$`)

// numberIn returns the number that a pattern matches in an answer; 0 if the answer has a dot
// instead or omits the line.
func numberIn(text, pattern string) int {
	found := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if found == nil {
		return 0
	}
	n, _ := strconv.Atoi(strings.ReplaceAll(found[1], ",", ""))
	return n
}

// TestRepeatedCallsCountOnce: an agent repeats its last call in the next message, and writes 0 for
// unknown tokens. All answers count the call once and estimate the output.
func TestRepeatedCallsCountOnce(t *testing.T) {
	line := func(id, role, content string) string {
		return fmt.Sprintf(`{"uuid":"u%s","sessionId":"s","timestamp":"2026-01-21T05:56:3%s.000Z","type":%q,"message":{"id":"m%s","type":"message","role":%[3]q,"content":[%[5]s],"model":"m","usage":{"input_tokens":0,"output_tokens":0}}}`+"\n", id, id, role, id, content)
	}
	call := func(id string) string {
		return `{"type":"tool_use","id":"` + id + `","name":"read_file","input":{"absolute_path":"/src/app/a-long-name-of-a-file-number-` + id + `.md"}}`
	}
	result := func(id string) string { return `{"type":"tool_result","tool_use_id":"` + id + `","content":"text"}` }
	const a, b = "call_e55a5b729638448fb77ba8f1", "call_e55a5b729638448fb77ba8f2"
	path := filepath.Join(t.TempDir(), "session.jsonl")
	text := line("1", "user", `{"type":"text","text":"read them"}`) + line("2", "assistant", call(a)) + line("3", "assistant", call(a)+","+call(b)) +
		line("4", "assistant", call(b)) + line("5", "user", result(a)) + line("6", "user", result(b)) + line("7", "assistant", `{"type":"text","text":"Both files were read, and they say text."}`)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	h := screen.NewHost(t.Context(), screen.Options{UTC: true})
	h.SetStyles(paint.NewStyles(themes.Default(true), true, 0))
	differences(t, h, path)
}
