package people

import (
	"encoding/csv"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"turns/export"
	"turns/export/exporttest"
	"turns/query"
	"turns/query/describe"
)

func callWith(t *testing.T, name, args string) string {
	t.Helper()
	quoted, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return `[{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"` + name + `","arguments":` + string(quoted) + `}}]}]`
}

// TestMarkdownArgumentsAreJSON: any arguments can be read back from their code block, so that
// different arguments look different.
func TestMarkdownArgumentsAreJSON(t *testing.T) {
	for _, args := range []string{
		`{"path":".","deep":true}`, `{"path":".   deep: true"}`, `{"path":".\ndeep: true"}`, `{"num":"5"}`, `{"num":5}`,
		`{"query":"a: b","limit":5,"note":"","nul":null}`, `[1,2]`, `null`, `{"q":"日本語 é 😀 \\u00e9"}`,
	} {
		out := markdownOf(t, callWith(t, "ls", args))
		_, out, _ = strings.Cut(out, "```json\n")
		out, _, _ = strings.Cut(out, "\n```")
		var got, want any
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Errorf("%s became %q", args, out)
		}
		if json.Unmarshal([]byte(args), &want) != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s became %s", args, out)
		}
	}
}

// TestMarkdownReadableArguments: Markdown shows a command or a diff if it expresses all arguments,
// otherwise JSON.
func TestMarkdownReadableArguments(t *testing.T) {
	for _, c := range []struct{ name, args, want string }{
		{"Bash", `{"command":"ls -la"}`, "```bash\nls -la\n```"},
		{"Bash", `{"command":"ls -la","timeout":5}`, "```json\n{\n  \"command\": \"ls -la\",\n  \"timeout\": 5\n}\n```"},
		{"Edit", `{"file_path":"/x/a.go","old_string":"foo()","new_string":"bar()"}`, "```diff\n-foo()\n+bar()\n```"},
		{"Edit", `{"file_path":"/x/a.go","old_string":"foo()","new_string":"bar()","replace_all":true}`, "```json\n{"},
		{"Edit", `{"file_path":"a.txt","old_string":"x\n","new_string":"y"}`, "```json\n{"},
		{"Edit", `{"file_path":"a.txt","old_string":"x","new_string":"y\n"}`, "```json\n{"},
		{"Edit", `{"file_path":"a.txt","old_string":"","new_string":"y"}`, "```json\n{"},
		{"Write", `{"file_path":"a.txt","content":"y\n"}`, "```diff\n+y\n```"},
		{"Write", `{"file_path":"a.txt","content":"y"}`, "```json\n{"},
		{"ls", `{"q":"\u65e5\ud83d\ude00\u0007"}`, "日😀\\u0007"},
		{"ls", `not json`, "```\nnot json\n```"},
	} {
		if out := markdownOf(t, callWith(t, c.name, c.args)); !strings.Contains(out, c.want) {
			t.Errorf("%s %s:\n%s", c.name, c.args, out)
		}
	}
}

func markdownOf(t *testing.T, in string) string {
	t.Helper()
	var out strings.Builder
	if _, err := WriteMarkdown(t.Context(), &out, describe.NewView(query.Everything(exporttest.FromBytes(t, in, "openai")), nil), export.Options{}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestCSVKeepsCharacters: carriage returns stay, and raw cells equal the recorded text.
func TestCSVKeepsCharacters(t *testing.T) {
	const said = "a\r\nb\rc\u200bd\x1b[31m=1"
	quoted, err := json.Marshal(said)
	if err != nil {
		t.Fatal(err)
	}
	snap := exporttest.FromBytes(t, `[{"role":"user","content":`+string(quoted)+`},{"role":"tool","tool_call_id":"1","content":`+string(quoted)+`}]`, "openai")
	for _, raw := range []bool{false, true} {
		var out strings.Builder
		if _, err := WriteCSV(t.Context(), &out, describe.NewView(query.Everything(snap), nil), export.Options{CSVRaw: raw}); err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(out.String(), "\r\n", "\r\r\n") // the reader drops a \r before \n
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil || len(rows) != 3 {
			t.Fatal(err, rows)
		}
		for _, row := range rows[1:] {
			if got := row[2]; raw && got != said || !strings.HasPrefix(got, "a\r\nb\rc") {
				t.Errorf("raw %v: %q", raw, got)
			}
		}
	}
}
