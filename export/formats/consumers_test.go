package formats_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"turns/export"
	"turns/export/formats"
	"turns/model/load"
	"turns/query"
	"turns/query/describe"
)

// targets are the formats that the libraries read, with the models that their requests need.
var targets = []struct {
	to, model string
	sdk       int
}{
	{to: "openai", model: "gpt-5"}, {to: "openai-responses", model: "gpt-5"}, {to: "openai-finetune"}, {to: "anthropic", model: "claude-sonnet-4-5"},
	{to: "gemini"}, {to: "vercel", sdk: 5}, {to: "vercel", sdk: 6}, {to: "vercel", sdk: 7}, {to: "vercel-ui"}, {to: "langchain"}, {to: "sharegpt"},
}

// entry is an export for the libraries to read.
type entry struct {
	Sample string `json:"sample"`
	To     string `json:"to"`
	SDK    int    `json:"sdk"`
	File   string `json:"file"`
}

// atConsumers changes to the folder with the current versions of the libraries that read exports.
// They need Node and the packages of the folder's package-lock.json. Without TURNS_CONSUMERS or one
// of the named packages, it skips the test; .ci/with-npm sets the former and installs the latter.
func atConsumers(t *testing.T, packages ...string) {
	t.Helper()
	if os.Getenv("TURNS_CONSUMERS") == "" {
		t.Skip("TURNS_CONSUMERS is not set: exports are not put to other people's programs")
	}
	t.Chdir("../consumers")
	for _, name := range append(packages, "") {
		if _, err := os.Stat("node_modules/" + name); err != nil {
			t.Skipf("the package %q is not installed: npm ci", name)
		}
	}
}

// TestConsumers exports every sample, and the corpus if there is one, and reads the exports with
// the libraries. It takes a minute, so it runs only if TURNS_CONSUMERS is set.
func TestConsumers(t *testing.T) {
	atConsumers(t)
	dir := t.TempDir()
	var list []entry
	roots := []string{"../../testdata", "../formats/testdata/in", "../dialect/testdata/in"}
	if corpus := os.Getenv("TURNS_CORPUS"); corpus != "" {
		roots = append(roots, corpus)
	}
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				list = append(list, exportAll(t, dir, path, len(list))...)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	data, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	index := filepath.Join(dir, "index.json")
	if err := os.WriteFile(index, data, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("node", "--max-old-space-size=4096", "check.mjs", index).CombinedOutput()
	t.Logf("%d exports\n%s", len(list), out)
	if err != nil {
		t.Error(err)
	}
}

// enough is the size in bytes above which exportAll skips a transcript.
const enough = 1 << 20

func exportAll(t *testing.T, dir, path string, n int) (list []entry) {
	if info, err := os.Stat(path); err != nil || info.Size() > enough {
		return nil
	}
	c, err := load.Open(context.Background(), path, load.Options{})
	if err != nil {
		return nil // not a transcript
	}
	defer c.Close()
	snap, err := c.Load(context.Background())
	if err != nil || snap == nil || snap.Len() == 0 {
		return nil
	}
	view := describe.NewView(query.Everything(snap), nil)
	for i, target := range targets {
		f, err := formats.Find(target.to)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if _, err := f.Write(context.Background(), &b, view, export.Options{Model: target.model, SDK: target.sdk}); err != nil {
			t.Errorf("%s to %s: %v", path, target.to, err)
			continue
		}
		if len(bytes.TrimSpace(b.Bytes())) == 0 {
			continue
		}
		file := filepath.Join(dir, fmt.Sprintf("%d-%d.json", n, i))
		if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		list = append(list, entry{strings.TrimPrefix(path, "../"), target.to, target.sdk, file})
	}
	return list
}
