package cli

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// smithRun is the tested part of a run as the SDK sent it.
type smithRun struct {
	Name  string
	Kind  string    `json:"run_type"`
	Start time.Time `json:"start_time"`
	End   int64     `json:"end_time"`
}

func (r *smithRun) seconds() float64 { return float64(r.End-r.Start.UnixMilli()) / 1000 }

// checkLangSmith compares the answers about a recorded agent with its runs: two calls, one of them
// failed, with their durations, and the time and tokens of the model.
func checkLangSmith(t *testing.T, path string, hidden bool) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	took, model := map[string]float64{}, 0.0
	for line := range strings.Lines(string(data)) {
		var r smithRun
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		switch r.Kind {
		case "tool":
			took[r.Name] = r.seconds()
		case "llm":
			model += r.seconds()
		}
	}
	var tools struct {
		Tools []struct {
			Name      string `json:"tool_name"`
			Calls     int    `json:"call_count"`
			Durations struct {
				Total   float64 `json:"total_seconds"`
				Known   int
				Derived int
			}
		}
	}
	answerOf(t, &tools, "tools", "--no-tokens", path)
	if len(took) != 2 || len(tools.Tools) != 2 {
		t.Errorf("%s: %+v, want %v", path, tools, took)
	}
	for _, tool := range tools.Tools {
		if d := &tool.Durations; tool.Calls != 1 || d.Known != 1 || d.Derived != 0 || math.Abs(d.Total-took[tool.Name]) > 0.0015 {
			t.Errorf("%s: %+v, want one call of %f s", path, tool, took[tool.Name])
		}
	}
	var stats struct {
		sums
		Time struct {
			Model float64 `json:"model_seconds"`
		}
	}
	answerOf(t, &stats, "stats", "--no-tokens", path)
	if stats.Calls != 2 || stats.Errors != 1 || stats.Usage.Output != 30 || stats.Usage.Input != 80 {
		t.Errorf("%s: %+v", path, stats.sums)
	}
	if !hidden && math.Abs(stats.Time.Model-model) > 0.003 {
		t.Errorf("%s: the model took %f s, its runs %f", path, stats.Time.Model, model)
	}
}

// TestLangSmith reads traces sent by the SDK for JavaScript, version 0.12.0, with texts and with
// hidden ones.
func TestLangSmith(t *testing.T) {
	dir := "../../testdata/formats/langsmith"
	checkLangSmith(t, filepath.Join(dir, "js-sdk.jsonl"), false)
	checkLangSmith(t, filepath.Join(dir, "js-sdk-hidden.jsonl"), true)
}

// TestLangSmithSDK runs the SDK itself. It needs Node and the packages that .ci/with-npm installs.
func TestLangSmithSDK(t *testing.T) {
	if os.Getenv("TURNS_CONSUMERS") == "" {
		t.Skip("TURNS_CONSUMERS is not set: the LangSmith SDK is not run")
	}
	const dir = "../../export/consumers"
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "langsmith")); err != nil {
		t.Skip("the package \"langsmith\" is not installed: npm ci")
	}
	for _, hide := range []string{"", "hide"} {
		cmd := exec.Command("node", "langsmith.mjs", hide)
		cmd.Dir = dir
		runs, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "runs.jsonl")
		if err := os.WriteFile(path, runs, 0o600); err != nil {
			t.Fatal(err)
		}
		checkLangSmith(t, path, hide != "")
	}
}
