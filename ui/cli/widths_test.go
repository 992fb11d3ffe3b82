package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"turns/model/modeltest"
)

// tabled are the commands that print tables, and the heads required at each width.
var tabled = []struct{ command, heads string }{
	{"formats", "format"},
	{"stats a.jsonl", "messages"},
	{"stats .", "sessions"},
	{"tools a.jsonl", "tool calls err p95 total"},
	{"tools --files a.jsonl", "file reads edits lines"},
	{"tools .", "tool sessions calls"},
	{"timeline a.jsonl", "# time calls err prompt"},
	{"timeline .", "day sessions turns"},
	{"context a.jsonl --growth --waste", "kind tokens share"},
	{"context a.jsonl --budget 100", "kept"},
	{"cost --messages a.jsonl", "model message input output cost"},
	{"cost .", "model sessions cost"},
	{"failures .", "count runs tool why"},
	{"loops .", "kind times what where"},
	{"log a.jsonl", "calls"},
	{"recap .", "open where"},
	{"check a.jsonl", "INDEX PROBLEM HINT"},
	{"ls .", "when err end path"},
	{"diff --plain a.jsonl b.jsonl", "outcome model"},
	{"diff --plain a.jsonl b.jsonl c.jsonl", "outcome model"},
}

// wideRun returns a session with long names, texts and paths.
func wideRun(n int) string {
	var b strings.Builder
	line := func(second int, role, content, more string) {
		fmt.Fprintf(&b, `{"type":%q,"sessionId":"s-%d","cwd":"/src/app","uuid":"u%d","timestamp":"2026-02-11T10:%02d:%02dZ","message":{"role":%q,%s"content":%s}}`+"\n",
			role, n, second, second/60, second%60, role, more, content)
	}
	usage := `"model":"claude-opus-4-5-20251101","usage":{"input_tokens":1234567,"output_tokens":123456,"cache_read_input_tokens":7654321,"cache_creation_input_tokens":11},`
	line(0, "user", `"Please find out why the 世界 watcher test fails from time to time, mend it, and keep the public API as it is, whatever that takes of you"`, "")
	for i := range 6 {
		id := fmt.Sprintf("t%d", i)
		path := "/src/app/internal/a/rather/deep/folder/with/some/more/names/of/it/watcher_with_a_long_name_test.go"
		name, input := "mcp__github_enterprise__create_pull_request_review_comment", fmt.Sprintf(`{"file_path":%q,"body":"a comment that is longer than any cell"}`, path)
		if i > 1 {
			name = "Edit"
			input = fmt.Sprintf(`{"file_path":%q,"old_string":"a %d","new_string":"b\nc"}`, path, n)
		}
		line(10*i+1, "assistant", fmt.Sprintf(`[{"type":"tool_use","id":%q,"name":%q,"input":%s}]`, id, name, input), `"id":"m`+id+`",`+usage)
		line(10*i+5, "user", fmt.Sprintf(`[{"type":"tool_result","tool_use_id":%q,"is_error":true,"content":"the string to replace was not found in the file, which has changed since"}]`, id), "")
	}
	line(70, "user", `[{"type":"tool_result","tool_use_id":"nobody","content":"42"}]`, "")
	return b.String()
}

// On a terminal no line of a table is wider than the terminal, and the most wanted columns stay.
func TestTablesFitTheTerminal(t *testing.T) {
	dir := t.TempDir()
	for n, name := range []string{"a.jsonl", "b.jsonl", "c.jsonl"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(wideRun(n)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("XDG_DATA_HOME", filepath.Join(dir, ".data"))
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, ".cache"))
	for _, x := range tabled {
		for i, columns := range []int{60, 80, 120, 200} {
			if !modeltest.Some(i, 1) {
				continue
			}
			var out, said bytes.Buffer
			args := append(strings.Fields(x.command), "--color", "never")
			Run(t.Context(), args, IO{Out: &out, Err: &said, Terminal: true, Columns: columns, Env: func(string) string { return "" }})
			text := out.String()
			if text == "" {
				t.Errorf("%s: nothing: %s", x.command, said.String())
			}
			for line := range strings.Lines(text) {
				if w := ansi.StringWidth(strings.TrimSuffix(line, "\n")); w > columns {
					t.Errorf("%s on %d columns: a line has %d: %s", x.command, columns, w, line)
				}
			}
			for head := range strings.FieldsSeq(x.heads) {
				if !strings.Contains(text, head) {
					t.Errorf("%s on %d columns lacks %q:\n%s", x.command, columns, head, text)
				}
			}
		}
	}
}
