package cli

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestOpenTelemetrySDK receives spans of an agent that traces itself with OpenTelemetry's SDK for
// JavaScript: two sessions without texts, then two with texts, in one spool. Each has two calls,
// one of which times out. .ci/with-npm installs the SDK.
func TestOpenTelemetrySDK(t *testing.T) {
	const dir = "../../export/consumers"
	if os.Getenv("TURNS_CONSUMERS") == "" {
		t.Skip("TURNS_CONSUMERS is not set: the OpenTelemetry SDK is not run")
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "@opentelemetry", "sdk-trace-node")); err != nil {
		t.Skip("the package \"@opentelemetry/sdk-trace-node\" is not installed: npm ci")
	}
	url, spool, stop := listening(t)
	took := map[string]float64{}
	for i, args := range [][]string{{"json"}, {"proto"}, {"json", "texts"}, {"proto", "texts"}} {
		cmd := exec.Command("node", append([]string{"otel.mjs", url}, args...)...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		var one map[string]float64
		if err := json.Unmarshal(out, &one); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		for name, ms := range one {
			took[name] += ms / 1000
		}
		if all, calls, _ := totals(t, spool); calls != 2*(i+1) || all.Errors != i+1 {
			t.Errorf("after %d sessions: %d calls, %d errors", i+1, calls, all.Errors)
		}
	}
	stop()
	checkSDK(t, spool, took)
}

// checkSDK compares the answers about a spool of four sessions with the seconds of each tool.
func checkSDK(t *testing.T, spool string, took map[string]float64) {
	t.Helper()
	var stats sums
	answerOf(t, &stats, "stats", "--no-tokens", spool)
	if stats.Calls != 8 || stats.Errors != 4 || stats.Usage.Input != 400 || stats.Usage.Output != 80 {
		t.Errorf("%+v, want 8 calls, 4 errors, 400 tokens in and 80 out", stats)
	}
	var tools struct {
		Tools []struct {
			Name      string `json:"tool_name"`
			Calls     int    `json:"call_count"`
			Errors    int    `json:"tool_errors"`
			Durations struct {
				Total float64 `json:"total_seconds"`
				Known int
			}
		}
	}
	answerOf(t, &tools, "tools", "--no-tokens", spool)
	if len(took) != 2 || len(tools.Tools) != 2 {
		t.Errorf("%+v, want %v", tools, took)
	}
	for _, tool := range tools.Tools {
		d := tool.Durations
		if tool.Calls != 4 || d.Known != 4 || (tool.Errors == 4) != (tool.Name == "read_wind") || math.Abs(d.Total-took[tool.Name]) > 0.01 {
			t.Errorf("%+v, want 4 calls of %f s", tool, took[tool.Name])
		}
	}
}
