package formats

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"turns/export"
	"turns/model"
	"turns/model/load"
	"turns/model/modeltest"
)

// TestJSONIsReadBack writes the samples of all formats as JSON and opens what was
// written as a user would, without saying what it is: the same must have been said,
// called and answered, and what is superseded must still be.
func TestJSONIsReadBack(t *testing.T) {
	eachSample(t, func(t *testing.T, snap *model.Snapshot) {
		if len(snap.Sessions()) != 1 {
			return // several conversations become one list
		}
		out, _ := written(t, "json", everything(snap), export.Options{})
		back := readBack(t, "run.json", out)
		want, got := substance(t, snap), substance(t, back)
		if besideResults(t, snap) { // OpenAI's tool messages have one text, including those words
			want, got = whatToolsSay(t, want, snap), whatToolsSay(t, got, back)
		}
		if d := modeltest.FirstDifference(strings.Join(got, "\n"), strings.Join(want, "\n")); !slices.Equal(got, want) {
			t.Errorf("%s\nfrom\n%s", d, out)
		}
	})
}

// eachSample opens the samples of all formats that hold a conversation.
func eachSample(t *testing.T, each func(t *testing.T, snap *model.Snapshot)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "formats", "*", "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, ".golden") || strings.Contains(file, ".rows.") || !modeltest.SomeNamed(file, 1) {
			continue
		}
		t.Run(filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file), func(t *testing.T) {
			if snap := detected(t, file); snap != nil && snap.Len() > 0 {
				each(t, snap)
			}
		})
	}
}

// readBack opens what was written as a user would, without saying what it is.
func readBack(t *testing.T, name, text string) *model.Snapshot {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return detected(t, path)
}

// detected opens a file as what it proves to be, nil where it is no conversation.
func detected(t *testing.T, path string) *model.Snapshot {
	t.Helper()
	c, err := load.Open(t.Context(), path, load.Options{})
	if err != nil {
		return nil
	}
	t.Cleanup(func() { c.Close() })
	snap, err := c.Load(t.Context())
	if snap == nil {
		t.Fatalf("%s: %v", path, err)
	}
	return snap // an error says what else was not read
}

// TestTitlesOfPartsAreNotTheSessions: the title of a document or a source in a message is that of
// the part, in the original and in its export.
func TestTitlesOfPartsAreNotTheSessions(t *testing.T) {
	for _, part := range []string{
		`{"type":"source-url","sourceId":"s","url":"https://go.dev","title":"Go"}`,
		`{"type":"document","title":"Go","source":{"type":"text","media_type":"text/plain","data":"x"}}`,
	} {
		text := `[{"role":"user","content":"search"},{"role":"assistant","content":[` + part + `,{"type":"text","text":"Found."}]}]`
		for range 2 {
			snap := readBack(t, "run.json", text)
			if title := snap.Sessions()[0].Field("title"); title != "" {
				t.Errorf("%s: the session has the title %q", text, title)
			}
			text, _ = written(t, "json", everything(snap), export.Options{})
		}
	}
}

// substance is what a conversation says: the words of each speaker, the calls and
// how they ended, results without a call. Where the words of a message stand among its
// calls is not compared, since OpenAI's messages have one text, before the calls; nor
// is compaction, which an event behind a message may tell of.
func substance(t *testing.T, s *model.Snapshot) (out []string) {
	t.Helper()
	if s == nil {
		return nil
	}
	const lifecycle = model.Invalidated | model.Superseded | model.Archived
	var words [model.Other + 1]strings.Builder
	for pos := range s.Len() {
		id := s.At(pos)
		m, err := s.Body(context.Background(), id)
		if err != nil {
			t.Fatal(err)
		}
		for i := range m.Blocks {
			if b := &m.Blocks[i]; b.Kind == model.Words && strings.TrimSpace(b.Text) != "" {
				fmt.Fprintln(&words[m.Role], b.Text)
			}
		}
		for _, c := range s.Calls(id) {
			out = append(out, fmt.Sprintf("call of %s, failed %v, answered %v, %v", s.Name(c.Tool), c.Outcome.Failed(), c.Result != model.NoID, m.Flags&lifecycle))
		}
	}
	for i := range s.CallCount() {
		if c := s.Call(model.CallID(i)); c.Msg == model.NoID && c.Result != model.NoID && s.Pos(c.Result) >= 0 {
			out = append(out, fmt.Sprintf("result without a call of %s, failed %v", s.Name(c.Tool), c.Outcome.Failed()))
		}
	}
	for role := range words {
		out = append(out, model.Role(role).String()+" says "+strings.Join(strings.Fields(words[role].String()), " "))
	}
	return out
}

// besideResults reports whether a tool's message has words before or behind a result.
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

// whatToolsSay replaces the words of tools in the substance of a conversation by these words and
// all results, in their order.
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

// TestFailureToldElsewhere writes a result that does not say that its call failed: a span says so.
func TestFailureToldElsewhere(t *testing.T) {
	const trace = `"traceId":"0af7651916cd43dd8448eb211c80319c","startTimeUnixNano":"1781295600000000000","endTimeUnixNano":"1781295601000000000"`
	for _, said := range []string{
		`"gen_ai.output.messages":"[{\"role\":\"assistant\",\"parts\":[CALL,RESULT]}]"`,
		`"gen_ai.output.messages":"[{\"role\":\"assistant\",\"parts\":[CALL]},{\"role\":\"tool\",\"parts\":[RESULT]}]"`,
	} {
		said = strings.NewReplacer(
			"CALL", `{\"type\":\"tool_call\",\"id\":\"c1\",\"name\":\"look_up\",\"arguments\":{}}`,
			"RESULT", `{\"type\":\"tool_call_response\",\"id\":\"c1\",\"response\":\"gone\"}`).Replace(said)
		snap := readBack(t, "spans.jsonl", `{`+trace+`,"spanId":"00f067aa0ba902b7","name":"chat m","attributes":{"gen_ai.operation.name":"chat",`+said+`}}
{`+trace+`,"spanId":"00f067aa0ba902b8","name":"execute_tool look_up","status":{"code":2},"attributes":{"gen_ai.operation.name":"execute_tool","gen_ai.tool.name":"look_up","gen_ai.tool.call.id":"c1","error.type":"timeout"}}
`)
		out, _ := written(t, "json", everything(snap), export.Options{})
		if strings.Count(out, `"is_error":true`) != 1 {
			t.Errorf("%s\nfrom\n%s", out, said)
		}
	}
}
