package cli

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"turns/model/modeltest"
)

// sums are the numbers that all answers must agree on.
type sums struct {
	Messages int `json:"total_messages"`
	Calls    int `json:"tool_calls"`
	Errors   int `json:"tool_errors"`
	Usage    struct {
		Input  int `json:"input_tokens"`
		Output int `json:"output_tokens"`
	} `json:"usage"`
}

// answerOf decodes the JSON output of a command.
func answerOf(t *testing.T, into any, args ...string) {
	t.Helper()
	_, out, _ := run(t, "", append(args, "--json", "--no-state")...)
	if out == "" { // a file without a session
		return
	}
	if err := json.Unmarshal([]byte(out), into); err != nil {
		t.Fatalf("%q: %v: %.200s", args, err, out)
	}
}

// totals returns the stats, tools by call, and cost of a file or a folder.
func totals(t *testing.T, path string) (all sums, calls int, usd float64) {
	t.Helper()
	answerOf(t, &all, "stats", "--no-tokens", path)
	var tools struct {
		Tools       []toolSum
		InSubagents []toolSum `json:"in_subagents"`
	}
	answerOf(t, &tools, "tools", "--no-tokens", path)
	for _, tool := range slices.Concat(tools.Tools, tools.InSubagents) {
		calls += tool.Calls
	}
	var cost struct {
		Cost     dollarSum // of a folder
		Total    dollarSum // of a file
		Recorded *float64  `json:"recorded_for_session"` // of a file, before the total
	}
	answerOf(t, &cost, "cost", path)
	usd = cost.Cost.USD + cost.Total.USD
	if cost.Recorded != nil {
		usd = *cost.Recorded
	}
	return all, calls, usd
}

// rewoundDollars returns the cost of a file's responses erased by a rewind.
func rewoundDollars(t *testing.T, path string) float64 {
	t.Helper()
	var cost struct{ Rewound dollarSum }
	answerOf(t, &cost, "cost", path)
	return cost.Rewound.USD
}

type toolSum struct {
	Calls int `json:"call_count"`
}

type dollarSum struct{ USD float64 }

// modelOutput sums the output tokens of all models of a folder.
func modelOutput(t *testing.T, dir string) (output int) {
	t.Helper()
	var by struct{ Groups []sums }
	answerOf(t, &by, "stats", dir, "--by", "model")
	for _, g := range by.Groups {
		output += g.Usage.Output
	}
	return output
}

// TestSumsAgree compares the sums over 60 files of the corpus: file by file, as a folder, by model,
// and from an archive.
func TestSumsAgree(t *testing.T) {
	t.Parallel()
	corpus := modeltest.Corpus(t)
	modeltest.Long(t, "it asks about 60 files")
	dir := t.TempDir()
	from := spread(t, corpus, 60)
	var files sums
	calls, models, usd, rewound := 0, 0, 0.0, 0.0
	for i, name := range from {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sub := filepath.Join(dir, "all", string(rune('a'+i/26))+string(rune('a'+i%26)))
		if err := os.MkdirAll(sub, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(sub, filepath.Base(name)), data, 0o600); err != nil {
			t.Fatal(err)
		}
		one, n, dollars := totals(t, sub)
		rewound += rewoundDollars(t, filepath.Join(sub, filepath.Base(name)))
		output := modelOutput(t, sub)
		models += output
		if output != one.Usage.Output {
			t.Errorf("%s: its models have %d output tokens, it %d", name, output, one.Usage.Output)
		}
		files.Messages, files.Calls, files.Errors = files.Messages+one.Messages, files.Calls+one.Calls, files.Errors+one.Errors
		files.Usage.Input, files.Usage.Output = files.Usage.Input+one.Usage.Input, files.Usage.Output+one.Usage.Output
		calls, usd = calls+n, usd+dollars
	}
	same := func(of, dir string) {
		t.Helper()
		all, n, dollars := totals(t, dir)
		if of == "the tables" {
			dollars += rewound
		}
		if all != files || n != calls || math.Abs(dollars-usd) > 1e-6 {
			t.Errorf("%s: %+v, %d calls of tools, $%f; its files %+v, %d, $%f", of, all, n, dollars, files, calls, usd)
		}
	}
	same("the folder", filepath.Join(dir, "all"))
	if output := modelOutput(t, filepath.Join(dir, "all")); output != models {
		t.Errorf("the models of the folder have %d output tokens, those of its files %d", output, models)
	}
	kept := filepath.Join(dir, "kept")
	if code, _, complaints := run(t, "", "archive", filepath.Join(dir, "all"), "--into", kept, "--no-state"); code != 0 {
		t.Fatalf("archive: %s", complaints)
	}
	same("the archive", kept)
	tables := filepath.Join(dir, "tables")
	if code, _, complaints := run(t, "", "export", filepath.Join(dir, "all"), "--to", "parquet", "-o", tables, "--no-state"); code != 0 {
		t.Fatalf("export to tables: %s", complaints)
	}
	same("the tables", tables)
}

// TestFilesAgreeWithTheirCopies compares the sums of 60 files of the corpus with those of a
// folder with only that file, of its tables, and of its spans.
func TestFilesAgreeWithTheirCopies(t *testing.T) {
	t.Parallel()
	corpus := modeltest.Corpus(t)
	modeltest.Long(t, "it asks about 60 files")
	for _, name := range spread(t, corpus, 60) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			folder, tables, spans := filepath.Join(dir, "folder"), filepath.Join(dir, "tables"), filepath.Join(dir, "spans.jsonl")
			if err := os.Mkdir(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(folder, filepath.Base(name))
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			file, calls, usd := totals(t, path)
			rewound := rewoundDollars(t, path) // in no copy
			if file.Messages == 0 {
				t.Skip("no conversation")
			}
			told := "" // notes of an export about numbers that its format cannot express
			for _, args := range [][]string{{"export", folder, "--to", "parquet", "-o", tables}, {"export", path, "--to", "otlp", "-o", spans}} {
				code, _, complaints := run(t, "", append(args, "--no-state")...)
				if code != 0 {
					t.Fatalf("%q: %s", args, complaints)
				}
				told = complaints
			}
			for _, copied := range []string{folder, tables, spans} {
				if copied == spans && (strings.Contains(told, "left out") || strings.Contains(told, "usage recorded only")) {
					continue // the export reports it
				}
				if copied != folder {
					usd -= rewound
					rewound = 0
				}
				got, n, dollars := totals(t, copied)
				if got != file || n != calls || math.Abs(dollars-usd) > 1e-6 {
					t.Errorf("%s: %+v, %d calls of tools, $%f; the file %+v, %d, $%f", filepath.Base(copied), got, n, dollars, file, calls, usd)
				}
			}
		})
	}
}

// spread returns n transcripts of a folder, evenly spread over its files, none of them large.
func spread(t *testing.T, corpus string, n int) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(filepath.Join(corpus, "agents"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, "broken") || !slices.Contains([]string{".json", ".jsonl"}, filepath.Ext(path)) {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Size() < 200_000 {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var some []string
	for i := range min(n, len(all)) {
		some = append(some, all[i*len(all)/min(n, len(all))])
	}
	return some
}

// TestArchivesKeepLinks archives the folder of each agent of the corpus. The numbers must stay the
// same, although a fork counts without its parent's part, subagents belong to their session, and
// results are in separate files.
func TestArchivesKeepLinks(t *testing.T) {
	t.Parallel()
	corpus := modeltest.Corpus(t)
	modeltest.Long(t, "it archives the whole corpus")
	folders, err := filepath.Glob(filepath.Join(corpus, "agents", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() || filepath.Base(folder) == "negatives" || filepath.Base(folder) == "broken" {
			continue // not from an agent
		}
		kept := filepath.Join(t.TempDir(), "kept")
		if code, _, complaints := run(t, "", "archive", folder, "--into", kept, "--no-state"); code != 0 {
			t.Fatalf("%s: %s", folder, complaints)
		}
		want, wantCalls, wantUSD := totals(t, folder)
		got, calls, usd := totals(t, kept)
		if got != want || calls != wantCalls || math.Abs(usd-wantUSD) > 1e-6 {
			t.Errorf("%s: %+v, %d calls of tools, $%f; archived %+v, %d, $%f", filepath.Base(folder), want, wantCalls, wantUSD, got, calls, usd)
		}
	}
}

// TestSubagentsCountOnce records a cost that includes three subagents: one named by a call, one of
// a workflow that no call names, and one whose call has no result. Every query for the cost of the
// folder must return the recorded one.
func TestSubagentsCountOnce(t *testing.T) {
	dir := t.TempDir()
	writeSubagents(t, dir)
	folder, kept := filepath.Join(dir, "p"), filepath.Join(dir, "kept")
	if code, _, complaints := run(t, "", "archive", folder, "--into", kept, "--no-state"); code != 0 {
		t.Fatal(complaints)
	}
	for _, of := range []string{folder, kept} {
		for _, flags := range [][]string{nil, {"--subagents"}} {
			var cost struct{ Cost dollarSum }
			answerOf(t, &cost, append([]string{"cost", of}, flags...)...)
			var all struct {
				sums
				Sessions int
			}
			answerOf(t, &all, append([]string{"stats", "--no-tokens", of}, flags...)...)
			sessions := 4
			if flags != nil {
				sessions = 1
			}
			if math.Abs(cost.Cost.USD-1) > 1e-9 || all.Messages != 9 || all.Usage.Output != 4000 || all.Sessions != sessions {
				t.Errorf("%s %v: $%f, %+v", filepath.Base(of), flags, cost.Cost.USD, all)
			}
		}
	}
}

// writeSubagents writes a session with a recorded cost of $1 and three subagents into the folder p.
// Each response costs $0.018 by list prices.
func writeSubagents(t *testing.T, dir string) {
	t.Helper()
	line := func(kind, id, agent, message string) string {
		return fmt.Sprintf(`{"type":%q,"uuid":%q,"isSidechain":%t,"agentId":%q,"cwd":"/src","sessionId":"s","version":"2.1.0","timestamp":"2026-02-11T22:00:01Z","message":%s}`+"\n",
			kind, id, agent != "", agent, message)
	}
	said := func(id, content string) string {
		return fmt.Sprintf(`{"id":%q,"type":"message","role":"assistant","model":"claude-sonnet-4-5","usage":{"input_tokens":1000,"output_tokens":1000},"content":[%s]}`, id, content)
	}
	agent := func(name string) string {
		return line("user", name+"1", name, `{"role":"user","content":"look"}`) + line("assistant", name+"2", name, said("m"+name, `{"type":"text","text":"seen"}`))
	}
	for name, text := range map[string]string{
		"p/s.jsonl": line("user", "u1", "", `{"role":"user","content":"go"}`) +
			line("assistant", "a1", "", said("m1", `{"type":"tool_use","id":"t1","name":"Agent","input":{}},{"type":"tool_use","id":"t2","name":"Agent","input":{}}`)) +
			strings.Replace(line("user", "u2", "", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}`),
				`"cwd"`, `"toolUseResult":{"status":"completed","agentId":"named"},"cwd"`, 1) +
			`{"type":"cost-state","sessionId":"s","totalCostUSD":1,"modelUsage":{}}` + "\n",
		"p/s/subagents/agent-named.jsonl":               agent("named"),
		"p/s/subagents/agent-open.jsonl":                agent("open"),
		"p/s/subagents/workflows/wf_1/agent-flow.jsonl": agent("flow"),
		"p/s/subagents/workflows/wf_1/journal.jsonl":    `{"type":"started","key":"v2:1","agentId":"flow"}` + "\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestErrorsNeverExceedCalls: wherever an answer about a file or the folder has calls next to
// errors, there are no more errors than calls and results without a call, and no rate exceeds 1.
func TestErrorsNeverExceedCalls(t *testing.T) {
	t.Parallel()
	corpus := modeltest.Corpus(t)
	modeltest.Long(t, "it asks about 60 files")
	seen := 0
	ask := func(args ...string) {
		t.Helper()
		var doc any
		answerOf(t, &doc, args...)
		seen += checkErrors(t, strings.Join(args, " "), doc)
	}
	for _, name := range spread(t, corpus, 60) {
		for _, command := range []string{"stats", "tools", "timeline", "lanes"} {
			ask(command, name)
		}
	}
	agents := filepath.Join(corpus, "agents")
	for _, by := range []string{"model", "tool", "day", "project", "agent", "session"} {
		ask("stats", agents, "--by", by)
	}
	ask("tools", agents, "--by", "session")
	if seen < 300 {
		t.Errorf("%d objects have calls and errors, want 300", seen)
	}
}

// checkErrors compares the calls and errors of all objects in a JSON value, and returns how many
// objects have both.
func checkErrors(t *testing.T, from string, v any) (n int) {
	t.Helper()
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			n += checkErrors(t, from, e)
		}
	case map[string]any:
		for _, pair := range [][2]string{{"calls", "errors"}, {"call_count", "error_count"}, {"tool_calls", "tool_errors"}} {
			calls, ok := v[pair[0]].(float64)
			errors, also := v[pair[1]].(float64)
			if !ok || !also {
				continue
			}
			alone, _ := v["orphan_results"].(float64)
			if n++; errors > calls+alone {
				t.Errorf("%s: %v errors of %v calls and %v results without one", from, errors, calls, alone)
			}
		}
		for key, e := range v {
			if rate, ok := e.(float64); ok && strings.HasSuffix(key, "error_rate") && rate > 1 {
				t.Errorf("%s: %s is %v", from, key, rate)
			}
			n += checkErrors(t, from, e)
		}
	}
	return n
}
