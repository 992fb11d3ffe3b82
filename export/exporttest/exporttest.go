// Package exporttest has test helpers for the packages of exports: transcripts from bytes, from the
// user's own corpus, and with hostile texts, and one way to try a format on them.
package exporttest

import (
	"context"
	"encoding/json"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"turns/model"
	"turns/model/load"
	"turns/model/modeltest"
)

// FromBytes loads a transcript as if from a pipe.
func FromBytes(t testing.TB, data, format string) *model.Snapshot {
	t.Helper()
	snap, err := TryBytes(t, data, format)
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// TryBytes is FromBytes with an error as a result.
func TryBytes(t testing.TB, data, format string) (*model.Snapshot, error) {
	c, err := load.Open(context.Background(), "-", load.Options{Stdin: strings.NewReader(data), Format: format, Workers: 1})
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { c.Close() })
	return c.Load(context.Background())
}

// EachOfCorpus calls each with every small transcript of TURNS_CORPUS. Without that variable it
// skips the test.
func EachOfCorpus(t *testing.T, each func(t *testing.T, snap *model.Snapshot)) {
	t.Helper()
	root := modeltest.Corpus(t)
	enough := int64(modeltest.Fewer(3<<20, 1<<20))
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(".json.jsonl", filepath.Ext(path)) || filepath.Ext(path) == "" {
			return err
		}
		if info, err := d.Info(); err != nil || info.Size() > enough {
			return err
		}
		c, err := load.Open(t.Context(), path, load.Options{})
		if err != nil {
			return nil // not a transcript
		}
		defer c.Close()
		snap, err := c.Load(t.Context())
		if snap == nil || err != nil {
			return nil
		}
		t.Run(filepath.Base(path), func(t *testing.T) { each(t, snap) })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func sentence(s string) string {
	b, _ := json.Marshal(s)
	return `{"role":"assistant","content":` + string(b) + "}\n"
}

// HostileTexts try to break out of their place in an export.
func HostileTexts() []string {
	return []string{
		"```\nunclosed", "~~~~\nunclosed\n~~~", "- ```\nout", "1. a\n   ```\nout\n   ```\n", "> ```\nout", "    ```\ncode", "- a\n\n      ```\n  x",
		"<!-- unclosed", "<script>alert(1)</script>", "<pre>", "</script><script>alert(1)", "a ` b\n` <script> `", "`<b>`", "`` ` <pre>", "\\`<pre>`", "\\<pre>",
		"<details><summary>", "<?php", "<![CDATA[", "<https://example.org/a>", "<https://x\"onclick=1>", "# heading\n### User", "a\n===", "---\n", "| a | b |\n|---|---|",
		"````\n```\n", "```a`b\n<pre>", "\t```\n<pre>", "-\t```\nx", "```\n    ```\nx", "  ```\n x\n  ```\n", "* * *\n- - ```\nx", "[x]: <\n", "\x1b[31mred\x1b]52;c;aGk=\x07",
		"\u202eevil\u2066", "a\rb", "\x00\x01", "=1+1", "-cmd|' /C calc'!A0", "@SUM(1)", "+1", "\t=1", " =1", "＝1", `"quoted", and, commas` + "\nlines",
		"10) ```\nx", "1234567890. ```\nx", "- > ```\nx", "```\r\nx\r\n```", "&lt;script&gt;", "~~~ a`b\n<pre>", "``` \n```", "![](javascript:alert(1))",
	}
}

// Hostile returns transcripts in the shape of OpenAI or a similar one; some contain HostileTexts.
func Hostile() []string {
	out := []string{
		`{"role":"user","content":"\ud800"}`, `{"role":"user","content":NaN}`, `{"role":"user","content":"a` + "\x01\xff" + `b"}`, `{"role":"user","content":"\x"}`,
		`{"role":"assistant","content":null,"tool_calls":null}`, `{"role":"assistant","tool_calls":[{"id":"","function":{"name":"","arguments":null}}]}`,
		`{"role":"tool","content":[{"type":"text","text":"x"}]}`, `{"role":"user","content":"x","a":01}`, `{"role":"user","content":"x",}`, `{}`, `[]`, `nope`,
		`{"role":"user","content":"x"}{"role":"user","content":"y"}`, `{"role":"user","content":"x","_metadata":1,"index":2}`, "\xef\xbb\xbf" + `{"role":"user","content":"bom"}`,
		"[{\"role\":\"user\",\n\"content\":\"doc\"}]", `{"role":1,"content":{"a":1}}`, `{"role":"user","content":"x","deep":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`,
	}
	for _, s := range HostileTexts() {
		out = append(out, sentence(s))
	}
	return out
}
