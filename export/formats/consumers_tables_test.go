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

// TestTablesInDuckDB asks DuckDB the questions that the README has for it, and the
// program itself the same.
func TestTablesInDuckDB(t *testing.T) {
	if os.Getenv("TURNS_CONSUMERS") == "" {
		t.Skip("TURNS_CONSUMERS is not set: exports are not put to other people's programs")
	}
	atConsumers(t)
	if _, err := os.Stat("node_modules/@duckdb"); err != nil {
		t.Skip("the packages are not installed: npm ci")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "turns")
	run(t, "go", "build", "-o", program, "../..")
	runs := os.Getenv("TURNS_TABLES") // another folder of transcripts
	if runs == "" {
		runs = "../../testdata"
	}
	out := filepath.Join(dir, "out")
	run(t, program, "export", runs, "--to", "parquet", "-o", out, "--no-labels")
	page, err := os.ReadFile("../../ui/cli/help/tables.md")
	if err != nil {
		t.Fatal(err)
	}
	_, questions, _ := strings.Cut(string(page), "In DuckDB, ")
	_, questions, _ = strings.Cut(questions, "```sql\n")
	questions, _, _ = strings.Cut(questions, "```")
	script, err := filepath.Abs("tables.mjs")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", script)
	cmd.Dir, cmd.Stdin, cmd.Stderr = dir, strings.NewReader(questions), os.Stderr
	data, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var answers [3][]map[string]any
	if err := json.Unmarshal(data, &answers); err != nil {
		t.Fatal(err)
	}
	same(t, answers[0], "tool", sums(t, program, "tools", runs), map[string]string{"calls": "call_count"})
	same(t, answers[1], "agent", sums(t, program, "stats", runs, "--by", "agent"), map[string]string{"runs": "sessions", "messages": "total_messages", "output": "output_tokens"})
	same(t, answers[2], "project", sums(t, program, "stats", runs, "--by", "project"), map[string]string{"failed": "tool_errors"})
}

// run runs a program that must not fail; 2 says that a part of what was asked could not be read.
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

// sums are the groups of an answer of the program by their keys, or the tools by their names; the
// usage of a group is among its numbers.
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
	for _, row := range answer.InSubagents { // a table has the calls of both
		name, _ := row["tool_name"].(string)
		if byKey[name] == nil {
			byKey[name] = map[string]any{}
		}
		byKey[name]["call_count"] = number(byKey[name]["call_count"]) + number(row["call_count"])
	}
	return byKey
}

// same compares numbers that two programs have under the same key.
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
