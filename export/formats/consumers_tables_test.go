package formats_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestTablesInDuckDB exports the samples and the corpus as tables. DuckDB answers the queries of
// "turns help tables" as the program answers the same questions, and three readers of Parquet read
// the same rows from every file.
func TestTablesInDuckDB(t *testing.T) {
	atConsumers(t, "@duckdb", "hyparquet", "parquet-wasm")
	program := filepath.Join(t.TempDir(), "turns")
	run(t, "go", "build", "-o", program, "../..")
	for _, runs := range []string{"../../testdata", os.Getenv("TURNS_CORPUS")} {
		if runs == "" {
			t.Log("TURNS_CORPUS names no folder of transcripts")
			continue
		}
		dir := t.TempDir()
		run(t, program, "export", runs, "--to", "parquet", "-o", filepath.Join(dir, "out"), "--no-labels")
		queriesAgree(t, program, runs, dir)
		readersAgree(t, filepath.Join(dir, "out"))
	}
}

// atScript runs a script of the consumers in a folder and decodes its output.
func atScript(t *testing.T, name, dir, input string, into any) {
	t.Helper()
	script, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", script)
	cmd.Dir, cmd.Stdin, cmd.Stderr = dir, strings.NewReader(input), os.Stderr
	data, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

// readersAgree compares the rows and sums of every table between the readers of Parquet.
func readersAgree(t *testing.T, tables string) {
	t.Helper()
	var answer struct {
		Sums    map[string]map[string]map[string]float64
		Refused []string
	}
	atScript(t, "readers.mjs", tables, "", &answer)
	for _, refusal := range answer.Refused {
		t.Error(refusal)
	}
	want := answer.Sums["duckdb"]
	if want["messages"]["rows"] == 0 || want["calls"]["rows"] == 0 {
		t.Errorf("DuckDB reads %v", want)
	}
	for reader, got := range answer.Sums {
		for table, sums := range want {
			if !maps.Equal(got[table], sums) {
				t.Errorf("%s reads %s as %v, DuckDB as %v", reader, table, got[table], sums)
			}
		}
	}
	if runs, messages := want["runs"]["output_tokens"], want["messages"]["output_tokens"]; runs != messages {
		t.Errorf("%v output tokens in runs, %v in messages", runs, messages)
	}
	if runs, calls := want["runs"]["call_count"], want["calls"]["rows"]; runs != calls {
		t.Errorf("%v calls in runs, %v rows in calls", runs, calls)
	}
}

// queriesAgree compares the answers of DuckDB to the queries of the help page with those of turns.
func queriesAgree(t *testing.T, program, runs, dir string) {
	t.Helper()
	page, err := os.ReadFile("../../ui/cli/help/tables.md")
	if err != nil {
		t.Fatal(err)
	}
	_, questions, _ := strings.Cut(string(page), "In DuckDB, ")
	_, questions, _ = strings.Cut(questions, "```sql\n")
	questions, _, _ = strings.Cut(questions, "```")
	var answers [4][]map[string]any
	atScript(t, "tables.mjs", dir, questions, &answers)
	same(t, answers[0], "tool", sums(t, program, "tools", runs), map[string]string{"calls": "call_count", "errors": "tool_errors"})
	byAgent := sums(t, program, "stats", runs, "--by", "agent")
	same(t, answers[1], "agent", byAgent, map[string]string{"runs": "sessions", "messages": "total_messages", "output": "output_tokens"})
	same(t, answers[2], "project", sums(t, program, "stats", runs, "--by", "project"), map[string]string{"failed": "tool_errors"})
	same(t, answers[3], "agent", byAgent, map[string]string{"output": "output_tokens"})
}

// run runs a program that must not fail. It accepts exit code 2, which reports unreadable parts.
func run(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != 2 {
		t.Fatalf("%s %q: %v\n%s", name, args, err, said.Bytes())
	}
	return out
}

// sums runs turns and returns its groups by key, or its tools by name. It merges the usage of a
// group into the group's numbers.
func sums(t *testing.T, program string, args ...string) map[string]map[string]any {
	t.Helper()
	var answer struct {
		Groups, Tools []map[string]any
		InSubagents   []map[string]any `json:"in_subagents"`
	}
	if err := json.Unmarshal(run(t, program, append(args, "--json")...), &answer); err != nil {
		t.Fatal(err)
	}
	byKey := map[string]map[string]any{}
	for _, row := range append(answer.Groups, answer.Tools...) {
		key, _ := cmp.Or(row["key"], row["tool_name"]).(string)
		if usage, ok := row["usage"].(map[string]any); ok {
			maps.Copy(row, usage)
		}
		byKey[key] = row
	}
	for _, row := range answer.InSubagents { // a table includes the calls of subagents
		name, _ := row["tool_name"].(string)
		if byKey[name] == nil {
			byKey[name] = map[string]any{}
		}
		for _, column := range []string{"call_count", "tool_errors"} {
			byKey[name][column] = number(byKey[name][column]) + number(row[column])
		}
	}
	return byKey
}

// same compares the numbers of DuckDB with those of turns under the same key.
func same(t *testing.T, rows []map[string]any, key string, want map[string]map[string]any, columns map[string]string) {
	t.Helper()
	if len(rows) == 0 {
		t.Errorf("no rows by %s", key)
	}
	for _, row := range rows {
		name, _ := row[key].(string)
		if name == "" && key == "tool" {
			name = "unknown"
		}
		for column, ours := range columns {
			if got, want := number(row[column]), number(want[name][ours]); got != want {
				t.Errorf("%s %q: DuckDB has %v %s, turns has %v", key, name, got, column, want)
			}
		}
	}
}

func number(v any) float64 {
	switch v := v.(type) {
	case float64:
		return v
	case string:
		n, _ := strconv.ParseFloat(v, 64)
		return n
	}
	return 0
}
