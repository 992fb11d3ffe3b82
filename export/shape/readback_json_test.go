package shape

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"turns/export"
	"turns/export/exporttest"
	"turns/model"
	"turns/model/modeltest"
	"turns/query/describe"
)

// TestJSONIsReadBack writes the samples of all formats as JSON and opens the export as a user
// would, without naming its format: it has the same texts, calls and results, and superseded
// messages are still superseded.
func TestJSONIsReadBack(t *testing.T) {
	exporttest.EachSample(t, func(t *testing.T, snap *model.Snapshot) {
		if len(snap.Sessions()) != 1 {
			return // several conversations become one list
		}
		out, _ := writtenAs(t, "json", exporttest.Everything(snap), export.Options{})
		back := exporttest.ReadBack(t, "run.json", out)
		want, got := exporttest.Substance(t, snap), exporttest.Substance(t, back)
		if besideResults(t, snap) { // OpenAI's tool messages join these words with the result
			want, got = whatToolsSay(t, want, snap), whatToolsSay(t, got, back)
		}
		if d := modeltest.FirstDifference(strings.Join(got, "\n"), strings.Join(want, "\n")); !slices.Equal(got, want) {
			t.Errorf("%s\nfrom\n%s", d, out)
		}
	})
}

// TestTitlesOfPartsAreNotTheSessions: the title of a document or a source in a message does not
// become the title of the session, in the original and in its export.
func TestTitlesOfPartsAreNotTheSessions(t *testing.T) {
	for _, part := range []string{
		`{"type":"source-url","sourceId":"s","url":"https://go.dev","title":"Go"}`,
		`{"type":"document","title":"Go","source":{"type":"text","media_type":"text/plain","data":"x"}}`,
	} {
		text := `[{"role":"user","content":"search"},{"role":"assistant","content":[` + part + `,{"type":"text","text":"Found."}]}]`
		for range 2 {
			snap := exporttest.ReadBack(t, "run.json", text)
			if title := snap.Sessions()[0].Field("title"); title != "" {
				t.Errorf("%s: the session has the title %q", text, title)
			}
			text, _ = writtenAs(t, "json", exporttest.Everything(snap), export.Options{})
		}
	}
}

// besideResults reports whether a tool message has words before or after a result.
func besideResults(t *testing.T, s *model.Snapshot) bool {
	t.Helper()
	for pos := range s.Len() {
		m, err := s.Body(t.Context(), s.At(pos))
		if err != nil {
			t.Fatal(err)
		}
		has := func(kind model.BlockKind) bool {
			return slices.ContainsFunc(m.Blocks, func(b model.Content) bool { return b.Kind == kind })
		}
		if m.Role == model.Tool && has(model.ToolResult) && has(model.Words) {
			return true
		}
	}
	return false
}

// whatToolsSay replaces the words of tool messages in the substance of a conversation with one line
// of these words and all results, in their order.
func whatToolsSay(t *testing.T, list []string, s *model.Snapshot) []string {
	t.Helper()
	var said []string
	for pos := range s.Len() {
		m, err := s.Body(t.Context(), s.At(pos))
		if err != nil {
			t.Fatal(err)
		}
		for i := range m.Blocks {
			if b := &m.Blocks[i]; b.Kind == model.ToolResult || b.Kind == model.Words && m.Role == model.Tool {
				said = append(said, strings.Fields(b.Text)...)
			}
		}
	}
	words := model.Tool.String() + " says "
	list = slices.DeleteFunc(list, func(line string) bool { return strings.HasPrefix(line, words) })
	return append(list, words+strings.Join(said, " "))
}

// TestFailureToldElsewhere writes a result without a mark of failure; a span reports the failure.
func TestFailureToldElsewhere(t *testing.T) {
	const trace = `"traceId":"0af7651916cd43dd8448eb211c80319c","startTimeUnixNano":"1781295600000000000","endTimeUnixNano":"1781295601000000000"`
	for _, said := range []string{
		`"gen_ai.output.messages":"[{\"role\":\"assistant\",\"parts\":[CALL,RESULT]}]"`,
		`"gen_ai.output.messages":"[{\"role\":\"assistant\",\"parts\":[CALL]},{\"role\":\"tool\",\"parts\":[RESULT]}]"`,
	} {
		said = strings.NewReplacer(
			"CALL", `{\"type\":\"tool_call\",\"id\":\"c1\",\"name\":\"look_up\",\"arguments\":{}}`,
			"RESULT", `{\"type\":\"tool_call_response\",\"id\":\"c1\",\"response\":\"gone\"}`).Replace(said)
		snap := exporttest.ReadBack(t, "spans.jsonl", `{`+trace+`,"spanId":"00f067aa0ba902b7","name":"chat m","attributes":{"gen_ai.operation.name":"chat",`+said+`}}
{`+trace+`,"spanId":"00f067aa0ba902b8","name":"execute_tool look_up","status":{"code":2},"attributes":{"gen_ai.operation.name":"execute_tool","gen_ai.tool.name":"look_up","gen_ai.tool.call.id":"c1","error.type":"timeout"}}
`)
		out, _ := writtenAs(t, "json", exporttest.Everything(snap), export.Options{})
		if strings.Count(out, `"is_error":true`) != 1 {
			t.Errorf("%s\nfrom\n%s", out, said)
		}
	}
}

// TestCauseOfSupersededResultIsReadBack: an export keeps the id of the message that replaces a
// result.
func TestCauseOfSupersededResultIsReadBack(t *testing.T) {
	const text = `[{"id":"m1","role":"assistant","interaction_id":"i","validity_state":"active","content":[{"type":"tool_use","tool_id":"c","tool_name":"ls","parameters":{}}]},` +
		`{"id":"m2","role":"tool","interaction_id":"i","validity_state":"superseded","superseded_by":"m3","content":[{"type":"tool_result","tool_id":"c","tool_name":"ls","result":"x"},{"type":"tool_result","tool_id":"c2","tool_name":"ls","result":"y"}]},` +
		`{"id":"m3","role":"assistant","interaction_id":"i","validity_state":"active","content":[{"type":"text","text":"ok"}]}]`
	first := exporttest.FromBytes(t, text, "agent-c")
	out, _ := writtenAs(t, "json", exporttest.Everything(first), export.Options{})
	for name, snap := range map[string]*model.Snapshot{"recorded": first, "read back": exporttest.ReadBack(t, "run.json", out)} {
		m, err := snap.Body(t.Context(), snap.At(1))
		if err != nil {
			t.Fatal(err)
		}
		if got := describe.Fate(m); got != "superseded by m3" {
			t.Errorf("%s: %q in %s", name, got, out)
		}
	}
}

// TestOrderOfBlocksIsReadBack: reasoning without text keeps its place and kind, and texts that an
// export joins read back as several.
func TestOrderOfBlocksIsReadBack(t *testing.T) {
	answer := func(content string) string {
		return `[{"id":"m0","role":"user","interaction_id":"i","validity_state":"active","content":[{"type":"text","text":"go"}]},` +
			`{"id":"m1","role":"assistant","interaction_id":"i","validity_state":"active","content":[` + content + `]}]`
	}
	const call = `{"type":"tool_use","tool_id":"c","tool_name":"ls","parameters":{}}`
	for _, c := range []struct{ content, blocks string }{
		{`{"type":"thinking","redacted":true,"thought":"EncAbc"},` + call, "reasoning redacted, call "},
		{`{"type":"thinking","thought":"plan"},{"type":"thinking","redacted":true},{"type":"text","text":"see"},{"type":"thinking","redacted":true},` + call, "reasoning plan, reasoning redacted, text see, reasoning redacted, call "},
		{call + `,{"type":"text","text":"a\n\\n\nb"},{"type":"text","text":"c\\"},{"type":"thinking","thought":"late\n"},{"type":"thinking","thought":"r"}`, "call , text a\n\\n\nb, text c\\, reasoning late\n, reasoning r"},
		{`{"type":"text","text":""},{"type":"text","text":"\n"},` + call, "text , text \n, call "},
	} {
		text := answer(c.content)
		for range 3 {
			snap := exporttest.ReadBack(t, "run.json", text)
			m, err := snap.Body(t.Context(), snap.At(1))
			if err != nil {
				t.Fatal(err)
			}
			var blocks []string
			for i := range m.Blocks {
				b := &m.Blocks[i]
				what := b.Text
				switch {
				case b.Kind == model.ToolCall:
					what = ""
				case b.Kind == model.Reasoning && what == "":
					what = describe.NoReasoning(b)
				}
				blocks = append(blocks, b.Kind.String()+" "+what)
			}
			if got := strings.Join(blocks, ", "); got != c.blocks {
				t.Errorf("%q, not %q, from\n%s", got, c.blocks, text)
			}
			text, _ = writtenAs(t, "json", exporttest.Everything(snap), export.Options{})
		}
	}
}

// TestTextsOfUsersAreReadBack: several texts of a user stay separate, and documents stay documents.
func TestTextsOfUsersAreReadBack(t *testing.T) {
	text := `{"model":"claude-sonnet-4-5","system":"s","messages":[{"role":"user","content":[{"type":"text","text":"first\nline"},{"type":"text","text":"second"}]},` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"ls","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"r"},` +
		`{"type":"document","title":"Colours","context":"for a test","source":{"type":"text","media_type":"text/plain","data":"blue\ngreen"}},{"type":"text","text":"which?"}]}]}`
	want := `"first\nline" ""; "second" ""; "blue\ngreen" "document · title: Colours · context: for a test"; "which?" ""; `
	for range 3 {
		snap := exporttest.ReadBack(t, "run.json", text)
		got := ""
		for pos := range snap.Len() {
			m, err := snap.Body(t.Context(), snap.At(pos))
			if err != nil {
				t.Fatal(err)
			}
			for i := range m.Blocks {
				if b := &m.Blocks[i]; m.Role == model.User && b.Kind == model.Words {
					got += fmt.Sprintf("%q %q; ", b.Text, describe.Circumstance(b))
				}
			}
		}
		if got != want {
			t.Errorf("%s, not %s, from\n%s", got, want, text)
		}
		text, _ = writtenAs(t, "json", exporttest.Everything(snap), export.Options{})
	}
}
