package cli

import (
	"encoding/json"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"turns/model/modeltest"
)

// sums are the numbers of an answer that must be the same however one asks.
type sums struct {
	Messages int `json:"total_messages"`
	Calls    int `json:"tool_calls"`
	Errors   int `json:"tool_errors"`
	Usage    struct {
		Input  int `json:"input_tokens"`
		Output int `json:"output_tokens"`
	} `json:"usage"`
}

// answerOf decodes what a command prints as JSON.
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

// totals asks a folder for stats, tools by call, cost, and tokens by model.
func totals(t *testing.T, dir string) (all sums, calls int, usd float64) {
	t.Helper()
	answerOf(t, &all, "stats", dir)
	var tools struct {
		Tools []struct {
			Calls int `json:"call_count"`
		}
	}
	answerOf(t, &tools, "tools", dir)
	for _, tool := range tools.Tools {
		calls += tool.Calls
	}
	var cost struct {
		Cost struct{ USD float64 }
	}
	answerOf(t, &cost, "cost", dir)
	return all, calls, cost.Cost.USD
}

// modelOutput adds up the output tokens of all models of a folder.
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
	corpus := os.Getenv("TURNS_CORPUS")
	if corpus == "" {
		t.Skip("TURNS_CORPUS is not set")
	}
	modeltest.Long(t, "it asks about 60 files")
	dir := t.TempDir()
	from := spread(t, corpus, 60)
	var files sums
	calls, models, usd := 0, 0, 0.0
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
		output := modelOutput(t, sub)
		models += output
		// Responses that a rewind erased cost money and are in the rows of their models, in no
		// other sum.
		if output != one.Usage.Output && !strings.Contains(name, "rewind") {
			t.Errorf("%s: its models have %d output tokens, it %d", name, output, one.Usage.Output)
		}
		files.Messages, files.Calls, files.Errors = files.Messages+one.Messages, files.Calls+one.Calls, files.Errors+one.Errors
		files.Usage.Input, files.Usage.Output = files.Usage.Input+one.Usage.Input, files.Usage.Output+one.Usage.Output
		calls, usd = calls+n, usd+dollars
	}
	same := func(of, dir string) {
		t.Helper()
		all, n, dollars := totals(t, dir)
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
}

// spread returns n transcripts of a folder that are not large, spread over its files.
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
