package load

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"

	"turns/model"
	"turns/model/modeltest"
)

// truth is a row of the corpus's table of independent counts.
type truth struct {
	file                   string
	calls, results, errors int // -1: unknown
	bad                    int
	roles                  map[string]int
	tokens                 map[string]float64
	extra                  map[string]any
}

func readTruth(t *testing.T, path string) []truth {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []truth
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		col := strings.Split(lines.Text(), "\t")
		if len(col) < 11 || col[0] == "file" {
			continue
		}
		row := truth{file: col[0], bad: number(col[3]), calls: number(col[4]), results: number(col[5]), errors: number(col[6])}
		_ = json.Unmarshal([]byte(col[7]), &row.roles)
		_ = json.Unmarshal([]byte(col[9]), &row.tokens)
		_ = json.Unmarshal([]byte(col[len(col)-1]), &row.extra)
		rows = append(rows, row)
	}
	return rows
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return n
}

// expected returns the counts of a row in our terms, without those that a family does not record.
func (row truth) expected() map[string]int {
	want := map[string]int{}
	set := func(name string, n int) {
		if n >= 0 {
			want[name] = n
		}
	}
	set("calls", row.calls)
	set("results", row.results)
	set("errors", row.errors)
	role := func(name string, keys ...string) {
		n, said := 0, false
		for _, k := range keys {
			if v, ok := row.roles[k]; ok {
				n, said = n+v, true
			}
		}
		if said {
			set(name, n)
		}
	}
	usage := func(name string, plus []string, minus ...string) {
		n, said := 0.0, false
		for _, k := range plus {
			if v, ok := row.tokens[k]; ok {
				n, said = n+v, true
			}
		}
		for _, k := range minus {
			n -= row.tokens[k]
		}
		if said {
			set(name, int(n))
		}
	}
	switch family, _, _ := strings.Cut(row.file, "/"); family {
	case "claude_code", "claude_stream_json", "iflow":
		role("assistant", "assistant_unique_message_id")
		usage("input", []string{"input_tokens"})
		usage("cache read", []string{"cache_read_input_tokens"})
		usage("cache write", []string{"cache_creation_input_tokens"})
		usage("output", []string{"output_tokens"})
	case "codex":
		usage("input", []string{"input_tokens"}, "cached_input_tokens")
		usage("cache read", []string{"cached_input_tokens"})
		usage("output", []string{"output_tokens"})
	case "codex_exec_json": // the table counts no reasoning and no calls as messages
		usage("input", []string{"input_tokens"}, "cached_input_tokens")
		usage("output", []string{"output_tokens"})
	case "gemini_cli":
		role("user", "user")
		role("assistant", "gemini")
		usage("input", []string{"input"}, "cached")
		usage("cache read", []string{"cached"})
		usage("output", []string{"output", "thoughts"})
	case "qwen_code":
		role("assistant", "assistant")
		usage("input", []string{"promptTokenCount"}, "cachedContentTokenCount")
		usage("cache read", []string{"cachedContentTokenCount"})
		usage("output", []string{"candidatesTokenCount", "thoughtsTokenCount"})
	case "pi", "openclaw":
		role("user", "user")
		role("assistant", "assistant")
		usage("input", []string{"input"})
		usage("cache read", []string{"cacheRead"})
		usage("output", []string{"output"})
	case "kimi":
		usage("input", []string{"inputOther"})
		usage("cache read", []string{"inputCacheRead"})
		usage("cache write", []string{"inputCacheCreation"})
		usage("output", []string{"output"})
	case "kiro_cli":
		role("assistant", "AssistantMessage")
		role("user", "Prompt")
		role("tool", "ToolResults")
	case "antigravity_cli":
		role("assistant", "planner_response")
		role("user", "user_input")
	case "atif":
		usage("input", []string{"prompt_tokens"}, "cached_tokens")
		usage("cache read", []string{"cached_tokens"})
		usage("output", []string{"completion_tokens"})
	case "aider":
		role("user", "user_prompts(#### groups)")
	case "broken", "negatives", "dsh", "opencode", "anthropic_managed_agents", "langsmith", "otel_genai":
	case "sharegpt":
		role("user", "human")
		role("assistant", "gpt")
	case "inspect_ai":
		role("user", "user")
		role("assistant", "assistant")
		role("tool", "tool")
	case "vscode_copilot":
		role("user", "user_requests")
	default:
		for _, r := range []string{"system", "user", "assistant", "tool"} {
			role(r, r)
		}
	}
	return want
}

// counted returns our counts of a snapshot.
func counted(s *model.Snapshot) map[string]int {
	got := map[string]int{}
	for _, r := range []string{"calls", "results", "errors", "input", "cache read", "cache write", "output"} {
		got[r] = 0
	}
	add := func(name string, n uint32) {
		if n != model.NoTokens {
			got[name] += int(n)
		}
	}
	for _, id := range s.LiveIDs() {
		got[s.HeadRow(id).Role.String()]++
		if u, ok := s.Tokens(id); ok {
			add("input", u.Input)
			add("cache read", u.CacheRead)
			add("cache write", u.CacheWrite)
			add("output", u.Output)
		}
	}
	totals := map[string]int{}
	for _, t := range s.Totals() {
		to := got
		if t.Usage.Scope == model.Total {
			to = totals
		}
		to["input"] += int(max(t.Usage.Input, 0))
		to["cache read"] += int(max(t.Usage.CacheRead, 0))
		to["cache write"] += int(max(t.Usage.CacheWrite, 0))
		to["output"] += int(max(t.Usage.Output, 0))
	}
	maps.Copy(got, totals)
	for i := range s.CallCount() {
		c := s.Call(model.CallID(i))
		of := c.Msg
		if of == model.NoID {
			of = c.Result
		}
		if s.Pos(of) < 0 || s.HeadRow(of).Flags&model.Inherited != 0 {
			continue
		}
		if c.Flags&model.OrphanCall == 0 {
			got["calls"]++
		}
		if c.Result != model.NoID {
			got["results"]++
		}
		if c.Outcome.Failed() {
			got["errors"]++
		}
	}
	return got
}

// TestCorpus compares every file of the corpus with its independent counts. For differences in
// which we are right, testdata/differences.tsv has the reason.
func TestCorpus(t *testing.T) {
	corpus := modeltest.Corpus(t)
	known := readDifferences(t)
	for _, row := range readTruth(t, filepath.Join(corpus, "agents", "TRUTH.tsv")) {
		path := filepath.Join(corpus, "agents", row.file)
		c, err := Open(context.Background(), path, Options{Limits: model.Limits{Queries: slowQueries}})
		if err != nil {
			report(t, known, row.file, "open", err.Error())
			continue
		}
		snap, err := c.Load(context.Background())
		if snap == nil {
			report(t, known, row.file, "load", err.Error())
			c.Close()
			continue
		}
		got, want := counted(snap), row.expected()
		var names []string
		for name := range want {
			names = append(names, name)
		}
		sort.Strings(names)
		for _, name := range names {
			if got[name] != want[name] {
				report(t, known, row.file, name, fmt.Sprintf("%d, the table has %d", got[name], want[name]))
			}
		}
		readAll(t, row.file, snap)
		c.Close()
	}
	for k := range known {
		t.Errorf("%s is listed as a difference, but there is none", k)
	}
}

// readAll reads every body: the indexed parts must exist.
func readAll(t *testing.T, file string, s *model.Snapshot) {
	for n := range s.Rows() {
		if _, err := s.Body(context.Background(), model.ID(n)); err != nil {
			t.Errorf("%s: row %d: %v", file, n, err)
			return
		}
	}
}

func report(t *testing.T, known map[string]string, file, field, what string) {
	key := file + "\t" + field
	if why, ok := known[key]; ok {
		delete(known, key)
		t.Logf("%s: %s: %s: %s", file, field, what, why)
		return
	}
	t.Errorf("%s: %s: %s", file, field, what)
}

func readDifferences(t *testing.T) map[string]string {
	data, err := os.ReadFile("testdata/differences.tsv")
	if err != nil {
		t.Fatal(err)
	}
	known := make(map[string]string)
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		col := strings.SplitN(line, "\t", 3)
		if len(col) != 3 {
			t.Fatalf("testdata/differences.tsv: %q has no three columns", line)
		}
		known[col[0]+"\t"+col[1]] = col[2]
	}
	return known
}
