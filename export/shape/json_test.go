package shape

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"turns/export"
	"turns/export/exporttest"
	"turns/model"
	"turns/model/modeltest"
	"turns/query"
	"turns/query/describe"
)

func TestSplicedFieldsStay(t *testing.T) {
	const line = `{"z": 1, "role" : "assistant", "content": "a\/b \ud83d \u00e9", "n": 12345678901234567890.10, "e":1E400, "z": 2, "a": {"b":[ ]}}`
	snap := exporttest.FromBytes(t, line+"\n", "openai")
	if got, _ := writtenAs(t, "jsonl", exporttest.Everything(snap), export.Options{}); got != line+"\n" {
		t.Errorf("jsonl: got %s", got)
	}
	got, _ := writtenAs(t, "json", exporttest.Everything(snap), export.Options{Indent: 2})
	for _, want := range []string{`"content": "a\/b \ud83d \u00e9"`, `12345678901234567890.10`, `1E400`, `"z": 1`, `"z": 2`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
	got, _ = writtenAs(t, "jsonl", exporttest.Everything(snap), export.Options{Metadata: true})
	if want := strings.TrimSuffix(line, "}") + `, "index": 0, "token_count": null, "timestamp": null}` + "\n"; got != want {
		t.Errorf("metadata:\ngot  %swant %s", got, want)
	}
	got, _ = writtenAs(t, "dict", exporttest.Everything(snap), export.Options{})
	if want := strings.TrimSuffix(line, "}") + `, "_metadata": {"index": 0, "token_count": null, "role": "assistant"}}`; !strings.Contains(got, want) {
		t.Errorf("dict:\ngot  %s\nwant %s", got, want)
	}
}

func TestShapes(t *testing.T) {
	tests := []struct{ name, format, in, want string }{
		{"wrapper keeps the message", "openai", `{"messages":[{"role":"user","content":"a","x":1.0},{"role":"assistant","content":"b"}],"tools":[]}`,
			`{"role":"user","content":"a","x":1.0}` + "\n" + `{"role":"assistant","content":"b"}`},
		{"parallel results", "anthropic", `[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{"x":1}},{"type":"tool_use","id":"b","name":"g","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"B"},{"type":"tool_result","tool_use_id":"a","content":"A","is_error":true}]}]`,
			`{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}},{"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}]}` + "\n" +
				`{"role":"tool","tool_call_id":"b","name":"g","content":"B","_turns":{"part_of":"1-d147cd9a"}}` + "\n" +
				`{"role":"tool","tool_call_id":"a","name":"f","content":"A","is_error":true,"_turns":{"part_of":"1-d147cd9a"}}`},
		{"image", "anthropic", `[{"role":"user","content":[{"type":"text","text":"see"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}]},{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"ok"}]}]`,
			`{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}}]}` + "\n" +
				`{"role":"assistant","content":"ok","reasoning_content":"hm"}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, _ := writtenAs(t, "jsonl", exporttest.Everything(exporttest.FromBytes(t, test.in, test.format)), export.Options{})
			if got != test.want+"\n" {
				t.Errorf("\ngot  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestNamesOfResults(t *testing.T) {
	// call and result in one message, without ids
	snap := model.FromMessages([]model.Message{{Role: model.Assistant, Blocks: []model.Content{
		{Kind: model.Words, Text: "look"},
		{Kind: model.ToolCall, Name: "ls", Text: `{"p":1}`, JSON: true},
		{Kind: model.ToolResult, Text: "a"},
		{Kind: model.Words, Text: "done"},
	}}})
	got, _ := writtenAs(t, "jsonl", exporttest.Everything(snap), export.Options{Metadata: true})
	list := exporttest.Lines(t, got)
	if len(list) != 3 || list[1]["role"] != "tool" || list[1]["tool_call_id"] != "call_0_0" || list[1]["name"] != "ls" || list[2]["content"] != "done" {
		t.Errorf("got %s", got)
	}
	for _, m := range list {
		if m["index"] != json.Number("0") {
			t.Errorf("index %v", m["index"])
		}
	}
}

func TestJSONIsValid(t *testing.T) {
	for i, in := range exporttest.Hostile() {
		if !modeltest.Some(i, 1) {
			continue
		}
		snap, err := exporttest.TryBytes(t, in, "openai")
		if err != nil {
			continue
		}
		for _, opts := range []export.Options{{}, {Indent: 2, Metadata: true, Redact: true, Workers: 2}, {NoReasoning: true, NoResults: true}} {
			out, _ := writtenAs(t, "json", exporttest.Everything(snap), opts)
			exporttest.Array(t, out)
			if !opts.NoResults { // dict refuses to leave results out
				out, _ = writtenAs(t, "dict", exporttest.Everything(snap), opts)
				exporttest.Array(t, out)
			}
			out, _ = writtenAs(t, "jsonl", exporttest.Everything(snap), opts)
			exporttest.Lines(t, out)
		}
	}
}

// TestRawIsRecorded: the raw export of a whole session equals its file, and that of a part has the
// records of the part.
func TestRawIsRecorded(t *testing.T) {
	var lines []string
	for i := range 3000 {
		lines = append(lines, fmt.Sprintf(`{"role":"user", "content":"%d %s"}`, i, strings.Repeat("x", i%700)))
	}
	in := strings.Join(lines, "\r\n")
	snap := exporttest.FromBytes(t, in, "openai")
	if got, _ := writtenAs(t, "raw", exporttest.Everything(snap), export.Options{}); got != in {
		t.Errorf("the whole differs: %s", modeltest.FirstDifference(got, in))
	}
	part := describe.NewView(query.Everything(snap).Slice(query.SliceSpec{From: 10, To: 900, HasFrom: true, HasTo: true}), nil)
	got, _ := writtenAs(t, "raw", part, export.Options{})
	if want := strings.Join(lines[10:900], "\n") + "\n"; strings.ReplaceAll(got, "\r\n", "\n") != want {
		t.Errorf("a part differs: %s", modeltest.FirstDifference(got, want))
	}
	doc := exporttest.FromBytes(t, "["+strings.Join(lines[:5], ",\n")+"]", "openai")
	got, _ = writtenAs(t, "raw", exporttest.Everything(doc), export.Options{})
	for _, line := range lines[:5] {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("%s is not in\n%s", line, got)
		}
	}
}

// TestWorkers: one worker and several write the same export.
func TestWorkers(t *testing.T) {
	most := modeltest.Fewer(5000, 5000)
	var b strings.Builder
	for i := range most {
		fmt.Fprintf(&b, `{"role":"assistant","content":%q}`+"\n", strings.Repeat(fmt.Sprint(i), i%300))
	}
	view := exporttest.Everything(exporttest.FromBytes(t, b.String(), "openai"))
	for _, name := range []string{"json", "jsonl", "dict"} {
		one, _ := writtenAs(t, name, view, export.Options{Workers: 1})
		many, report := writtenAs(t, name, view, export.Options{Workers: 4})
		if one != many || report.Messages != most {
			t.Errorf("%s differs", name)
		}
	}
}

func TestRedactedJSON(t *testing.T) {
	snap := input(t, "claude.jsonl", "claude-code")
	for _, name := range []string{"json", "jsonl", "dict", "raw"} {
		out, report := writtenAs(t, name, exporttest.Everything(snap), export.Options{Redact: true})
		if strings.Contains(out, "sk-proj-abc") || report.Secrets == 0 {
			t.Errorf("%s: %d secrets\n%s", name, report.Secrets, out)
		}
	}
}

// In a transcript that is not JSON, a private key spans many lines.
func TestRedactedKeyOverLines(t *testing.T) {
	key := "-----BEGIN RSA PRIVATE KEY-----\n" +
		strings.Repeat("MIIEpAIBAAKCAQEAq7Zb3xTnK9vJdW4uYh2RfLsPmEoGiCtQ0NwX8aVkB6y5HzSj\n", 9) + "-----END RSA PRIVATE KEY-----\n"
	snap := exporttest.FromBytes(t, "# aider chat started at 2026-01-01 10:00:00\n\n#### the key?\n\nIt is:\n\n"+key+
		"\n#### "+strings.ReplaceAll(key, "\n", "\n#### ")+"more\n\nDone.\n", "aider")
	all := exporttest.Everything(snap)
	part := describe.NewView(query.Everything(snap).Slice(query.SliceSpec{From: 1, To: 3, HasFrom: true, HasTo: true}), nil)
	for name, view := range map[string]describe.View{"everything": all, "a part": part} {
		out, report := writtenAs(t, "raw", view, export.Options{Redact: true})
		if strings.Contains(out, "MIIE") || strings.Count(out, "[redacted:private-key]") != 2 || report.Secrets != 2 {
			t.Errorf("%s, %d secrets:\n%s", name, report.Secrets, out)
		}
	}
}

// TestStrings compares the writer of strings with the standard library's.
