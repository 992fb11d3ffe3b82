package cli

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"turns/model/modeltest"
	"turns/model/token"
	"turns/ui/mcp"
)

// asks returns a function that calls a tool about the files below a root, through a client library.
func asks(t *testing.T, a *app, root string) func(name string, args map[string]any) (string, error) {
	t.Helper()
	s, err := mcp.New(mcp.Options{Roots: []string{root}, Run: a.within(true)})
	if err != nil {
		t.Fatal(err)
	}
	here, there := sdk.NewInMemoryTransports()
	if _, err := s.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return func(name string, args map[string]any) (string, error) {
		r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
		if err != nil {
			return "", err
		}
		text := r.Content[0].(*sdk.TextContent).Text
		if r.IsError {
			err = errors.New(text)
		}
		return text, err
	}
}

// An agent asks about the sessions of a day, among others and with one damaged file.
func TestAgentsAskAboutADay(t *testing.T) {
	root := t.TempDir()
	write := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(root, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	day := func(date, said string) []byte {
		line := func(kind, more string) string {
			return `{"type":"` + kind + `","uuid":"` + kind + `","sessionId":"` + said + `","timestamp":"` + date + `T09:00:00Z","message":{"role":"` + kind + `",` + more + "}}\n"
		}
		return []byte(line("user", `"content":"ask about `+said+`"`) +
			line("assistant", `"id":"m","stop_reason":"end_turn","content":[{"type":"text","text":"done with `+said+`"}]`))
	}
	write("before.jsonl", day("2026-01-01", "apples"))
	write("then.jsonl", day("2026-01-02", "pears"))
	write("after.jsonl", day("2026-01-03", "plums"))
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(bytes.Repeat(day("2026-01-02", "quinces"), 50))
	z.Close()
	write("damaged.jsonl.gz", packed.Bytes()[:packed.Len()-30])
	ask := asks(t, newApp(IO{Env: func(string) string { return "" }}), root)
	that := "after:2026-01-02 before:2026-01-03"
	for _, q := range []struct {
		tool, key, want, not string
		args                 map[string]any
	}{
		{"sessions", "where", "ask about pears", "apples", map[string]any{}},
		{"search", "where", "done with pears", "plums", map[string]any{"query": "done with"}},
		{"stats", "where", "all ", "", map[string]any{}},
		{"search", "", "nothing matches", "", map[string]any{"query": "no such words anywhere"}},
	} {
		if q.key != "" {
			q.args[q.key] = that
		}
		text, err := ask(q.tool, q.args)
		if err != nil || !strings.Contains(text, q.want) || q.not != "" && strings.Contains(text, q.not) {
			t.Errorf("%s %v: %v\n%s", q.tool, q.args, err, text)
		}
		if q.tool == "search" && !strings.Contains(text, "unpack gzip: unexpected EOF") {
			t.Errorf("%s %v does not say what could not be read:\n%s", q.tool, q.args, text)
		}
	}
	if _, err := ask("search", map[string]any{"query": "/(/"}); err == nil {
		t.Error("an invalid pattern is not an error")
	}
}

// question is a person's question, the tool call that the descriptions suggest to a model for it,
// and words that the answer must contain.
type question struct {
	asked, tool string
	args        map[string]any
	want        []string
}

// TestAgentsAsk asks 35 questions about a few sessions. At least 33 answers must be right on the
// first call, with 400 tokens per answer on average.
func TestAgentsAsk(t *testing.T) {
	modeltest.Long(t, "it asks 35 questions")
	root := t.TempDir()
	for _, name := range []string{"testdata/pages/sessions/login-1.jsonl", "testdata/pages/sessions/login-2.jsonl", "testdata/pages/sessions/search.jsonl", "../../testdata/demo.jsonl"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, filepath.Base(name)), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	restored := filepath.Join(root, "internal", "watch", "wait_test.go")
	if err := os.MkdirAll(filepath.Dir(restored), 0o700); err != nil {
		t.Fatal(err)
	}
	var complaints bytes.Buffer
	command := []string{"changes", filepath.Join(root, "demo.jsonl"), "--file", "wait_test.go", "--at", "23", "-o", restored}
	if code, _ := runOnce(t.Context(), command, IO{Out: io.Discard, Err: &complaints, Env: func(string) string { return "" }}); code != 0 {
		t.Fatalf("restoring a file: %s", complaints.String())
	}
	type m = map[string]any
	rightAtOnce(t, root, 33, []question{
		{"Which sessions are there?", "sessions", nil, []string{"4 sessions", "path | time_utc | agent", "login-1.jsonl | 2026-03-02 10:02 | claude-code | claude-sonnet-4-5 | Make the login test pass."}},
		{"What did the agent do last?", "sessions", m{"limit": 1}, []string{"search.jsonl | 2026-03-04", "Why is the search page slow?"}},
		{"Which sessions had errors?", "sessions", m{"where": "has:errors"}, []string{"login-1.jsonl", "demo.jsonl"}},
		{"Which sessions used Opus?", "sessions", m{"where": "model:*opus*"}, []string{"2 sessions", "demo.jsonl", "search.jsonl"}},
		{"Which sessions are about login?", "sessions", m{"query": "title:login"}, []string{"2 sessions", "login-2.jsonl"}},
		{"Where was the salt mentioned?", "search", m{"query": "salt"}, []string{"path login-1.jsonl", "at | role | tool | line", "The hash lacks its salt."}},
		{"What did people ask for about tests?", "search", m{"query": "test role:user"}, []string{"Make the login test pass."}},
		{"Which shell calls failed with exit code 1?", "search", m{"query": "Exit code 1 tool:Bash"}, []string{"path demo.jsonl", "path login-1.jsonl", "| Exit code 1"}},
		{"Did anything time out?", "search", m{"query": "/timed? ?out/i"}, []string{"path search.jsonl", "4 | tool | Bash | Command timed out after 60s"}},
		{"Where do undefined and salt occur together?", "search", m{"query": "undefined salt"}, []string{"all of them", "8 | tool | Bash | user.salt is undefined"}},
		{"Who wrote waitFor in the demo?", "search", m{"query": "waitFor", "path": "demo.jsonl"}, []string{"path demo.jsonl", "waitFor"}},
		{"Was a migration ever mentioned?", "search", m{"query": "database migration"}, []string{"nothing matches"}},
		{"What was the first prompt of login-2?", "show", m{"path": "login-2.jsonl", "at": 0}, []string{"Make the login test pass."}},
		{"How did the search session end?", "show", m{"path": "search.jsonl", "at": -1}, []string{"Shall I filter first?"}},
		{"What did call 7 of login-1 return?", "show", m{"path": "login-1.jsonl", "at": 7}, []string{"npm test -- login", "user.salt is undefined"}},
		{"What failed in login-1?", "show", m{"path": "login-1.jsonl", "query": "is:error"}, []string{"expected 200, got 401", "user.salt is undefined"}},
		{"What did the user say in the demo?", "show", m{"session": "3f9c2b1e", "query": "role:user"}, []string{"Leave the fixtures alone."}},
		{"What happened turn by turn in the demo?", "timeline", m{"path": "demo.jsonl"}, []string{"2 turns", "Fix the flaky watcher test"}},
		{"Which tool is used most?", "tools", nil, []string{"tool  sessions  calls", "Bash  4  11"}},
		{"Which tools failed in the demo?", "tools", m{"path": "demo.jsonl", "limit": 3}, []string{"Bash  5  4"}},
		{"How many calls and errors are there in all?", "stats", nil, []string{"sessions  messages  turns  calls  errors"}},
		{"Why did the demo end?", "stats", m{"path": "demo.jsonl"}, []string{"outcome  finished: end of turn", "calls  15  5 errors"}},
		{"How do the models compare?", "stats", m{"by": "model"}, []string{"claude-opus-4-6", "claude-sonnet-4-5"}},
		{"What did all sessions cost?", "cost", nil, []string{"claude-opus-4-6", "all  4"}},
		{"Which turn of the demo cost most?", "cost", m{"path": "demo.jsonl"}, []string{"turn  responses  cost", "0  8  ~$0.19"}},
		{"How full was the context of the demo?", "context", m{"path": "demo.jsonl"}, []string{"window  200,000"}},
		{"Why did login-2 work and login-1 not?", "diff", m{"path": "login-1.jsonl", "other": "login-2.jsonl"}, []string{"errors  2  1", "first difference at"}},
		{"Which failures are there, and where?", "failures", nil, []string{"failed calls", "count | tool | outcome | reason | sessions | example | at", "string to replace not found in file", "demo.jsonl | 12"}},
		{"Did an agent go round in circles?", "loops", nil, []string{"nothing matches"}},
		{"Which files did the demo change?", "changes", m{"path": "demo.jsonl"}, []string{"2 files", "file | status | state | added", "internal/watch/wait_test.go | created | exact | 13 | 0 | 1 | 23 | 23"}},
		{"What did the demo do to watch.go?", "changes", m{"path": "demo.jsonl", "file": "watch.go"}, []string{"+++ b/internal/watch/watch.go", "#14 0 edit"}},
		{"Which files do the sessions change most?", "changes", m{"limit": 3}, []string{"the most edited first", "login.js | 2"}},
		{"Who wrote wait_test.go?", "blame", m{"file": "internal/watch/wait_test.go"}, []string{"lines | certainty | path | at", "certain | demo.jsonl | 23 | 2026"}},
		{"Who wrote the fourth line?", "blame", m{"file": "internal/watch/wait_test.go:4", "path": "demo.jsonl"}, []string{"1 part", "| demo.jsonl | 23 |"}},
		{"Is the demo intact?", "check", m{"path": "demo.jsonl"}, []string{"32 messages, no problems"}},
	})
}

// TestAgentsAskTheCorpus asks 30 questions about sessions written by agents. A person looked up
// most of the expected words in the files. Five questions expect today's answers and guard against
// a change. At least 28 answers must be right on the first call.
func TestAgentsAskTheCorpus(t *testing.T) {
	t.Parallel()
	corpus := modeltest.Corpus(t)
	modeltest.Long(t, "it reads a corpus")
	type m = map[string]any
	rightAtOnce(t, filepath.Join(corpus, "agents"), 28, []question{
		{"What happened last?", "sessions", m{"limit": 3}, []string{"sessions, the newest first, the first 3"}},
		{"Which sessions failed?", "sessions", m{"where": "end:failed", "limit": 5}, []string{"| failed |"}},
		{"Where was Thai green curry mentioned?", "search", m{"query": "Thai green curry", "limit": 5}, []string{"0ccf1a04", "Thai green curry"}},
		{"Who set DOCKER_API_VERSION?", "search", m{"pattern": "DOCKER_API_VERSION", "limit": 3}, []string{"iflow/session-5de701fc.jsonl"}},
		{"Where did authentication fail?", "search", m{"query": "authentication token", "limit": 3}, []string{"claude_code/agentcmd/full-session-four.jsonl"}},
		{"What fails most often in Codex?", "failures", m{"where": "agent:codex", "limit": 3}, []string{"5 | exec | failure | approval policy is UnlessTrusted"}},
		{"Did an agent wait in a loop?", "loops", nil, []string{"20 | repeat | exec_command sleep 0.5"}},
		{"What was asked in 30530d66?", "timeline", m{"path": "30530d66", "limit": 2}, []string{"turns"}},
		{"Is claude_garbage_middle intact?", "check", m{"session": "claude_garbage_middle.jsonl"}, []string{"could not be read"}},
		{"What did each model cost?", "cost", m{"where": "agent:claude", "by": "model", "limit": 5}, []string{"claude-opus-4-6"}},
		{"Which tools does Claude Code use?", "tools", m{"where": "agent:claude", "limit": 5}, []string{"Bash", "Read"}},
		{"How many calls failed in tau-bench?", "stats", m{"path": "tau_bench/gpt-4o-airline.json"}, []string{"calls 1,164", "73 errors"}},
		{"How many calls does the large Pi session have?", "tools", m{"path": "pi/pi-mono/large-session.jsonl", "limit": 3}, []string{"388 calls of 3 tools", "bash 192 19"}},
		{"What was Crush not allowed to do?", "search", m{"query": "Permission denied", "path": "crush/dbos_crush.db", "limit": 3}, []string{"3", "write", "Permission denied"}},
		{"Which tool fails in Crush?", "tools", m{"where": "agent:crush"}, []string{"view 2 17 3", "edit 1 5 2"}},
		{"How often did OpenHands fail?", "stats", m{"where": "agent:openhands"}, []string{"all 6 242 6 114 48"}},
		{"How many calls has the Codex example?", "tools", m{"path": "codex/irrlicht/01-example-session.jsonl", "limit": 2}, []string{"all", "87"}},
		{"What has Kimi done?", "sessions", m{"where": "agent:kimi", "limit": 3}, []string{"kimi/"}},
		{"What did opencode look for?", "search", m{"query": "tool:grep", "path": "opencode/openagents_raw/parts.json", "limit": 2}, []string{"12 messages in 1 session", "BigPickle"}},
		{"What should SWE-agent solve?", "show", m{"path": "swe_agent/marshmallow_fc.traj", "at": 1}, []string{"marshmallow"}},
		{"Which sessions have calls without a result?", "sessions", m{"where": "is:pending agent:cursor"}, []string{"Step 1: search"}},
		{"What fails in Claude Code?", "failures", m{"where": "agent:claude", "limit": 3}, []string{"count | tool | outcome | reason"}},
		{"Which Claude sessions used Haiku?", "sessions", m{"where": "agent:claude model:*haiku*", "limit": 2}, []string{"haiku"}},
		{"What was iFlow asked?", "show", m{"path": "iflow/session-5de701fc.jsonl", "at": 0}, []string{`DOCKER_API_VERSION="1.46"`}},
		{"What happened in Gemini's task list?", "timeline", m{"path": "gemini_cli/irrlicht/2-3_task-list.jsonl", "limit": 2}, []string{"turn"}},
		{"How do the agents compare?", "stats", m{"by": "agent", "limit": 5}, []string{"Claude Code", "τ-bench 200 5,308"}},
		{"What did the pomodoro session cost?", "cost", m{"path": "claude-code-pomodoro-timer", "limit": 2}, []string{"$"}},
		{"How do the two Codex sessions differ?", "diff", m{"path": "codex/irrlicht/01-example-session.jsonl", "other": "codex/irrlicht/02-flicker-start-session.jsonl"}, []string{"calls", "87", "43"}},
		{"How full was the context of the Codex example?", "context", m{"path": "codex/irrlicht/01-example-session.jsonl"}, []string{"93,615 tokens", "results 66,719"}},
		{"What did the pomodoro session build?", "show", m{"path": "claude-code-pomodoro-timer", "at": 0}, []string{"Pomodoro timer"}},
	})
}

// rightAtOnce asks questions and counts the answers with the expected words.
func rightAtOnce(t *testing.T, root string, least int, questions []question) {
	t.Helper()
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatal(err)
	}
	ask := asks(t, newApp(IO{Env: func(string) string { return "" }}), root)
	counter, tokens, right := token.New(token.O200k), 0, 0
	for _, q := range questions {
		text, err := ask(q.tool, q.args)
		tokens += counter.Count([]byte(text))
		var lacks []string
		for _, want := range q.want {
			if !strings.Contains(strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(want), " ")) {
				lacks = append(lacks, want)
			}
		}
		if err != nil || lacks != nil {
			t.Logf("%s %s %v: %v, lacks %q:\n%s", q.asked, q.tool, q.args, err, lacks, text)
		} else {
			right++
		}
	}
	mean := tokens / len(questions)
	t.Logf("%d of %d right on the first call, %d tokens an answer", right, len(questions), mean)
	if right < least || mean > 400 {
		t.Errorf("%d of %d right, want %d; %d tokens an answer, want at most 400", right, len(questions), least, mean)
	}
}
