package dialect_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"turns/export"
	"turns/export/dialect"
	"turns/export/exporttest"
	"turns/model"
	"turns/model/modeltest"
	"turns/query/provider"
)

// TestMessagesThatNoLongerHold: the body of a provider omits invalidated, superseded and archived
// messages, and its report counts them; a format that records the session contains them.
func TestMessagesThatNoLongerHold(t *testing.T) {
	snap := exporttest.FromBytes(t, `[{"id":"m0","role":"user","content":[{"type":"text","text":"ARCHIVED words"}],"interaction_id":"i","validity_state":"archived"},
{"id":"m1","role":"user","content":[{"type":"text","text":"Update"}],"interaction_id":"i","validity_state":"active"},
{"id":"m2","role":"assistant","content":[{"type":"text","text":"SUPERSEDED words"}],"interaction_id":"i","validity_state":"superseded","superseded_by":"m4"},
{"id":"m3","role":"assistant","content":[{"type":"text","text":"INVALIDATED words"}],"interaction_id":"i","validity_state":"invalidated","invalidated_by":"t"},
{"id":"m4","role":"assistant","content":[{"type":"text","text":"It holds."}],"interaction_id":"i","validity_state":"active"}]`, "agent-c")
	for _, f := range dialect.Formats() {
		rules, err := provider.Find(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		out, report := written(t, f.Name, exporttest.Everything(snap), export.Options{})
		said := slices.Contains(report.Notes, "3 messages were left out: invalidated, superseded or archived")
		gone := !strings.Contains(out, "ARCHIVED") && !strings.Contains(out, "SUPERSEDED") && !strings.Contains(out, "INVALIDATED")
		if gone == rules.Record || said == rules.Record || !strings.Contains(out, "It holds.") {
			t.Errorf("%s: left out %v, said %q\n%s", f.Name, gone, report.Notes, out)
		}
	}
}

// TestAnthropicBodiesEndWithoutSpace: an Anthropic body that ends with an answer has no white space
// at the end of its last text, for every end of a conversation.
func TestAnthropicBodiesEndWithoutSpace(t *testing.T) {
	texts := []string{"done", "done ", "done\n", " \t\n", "", "done\u00a0", "done\u3000\n", "do ne \r\n", "\u2028"}
	for seed := range uint64(modeltest.Fewer(2000, 500)) {
		r := rand.New(rand.NewPCG(seed, 3))
		text := func() model.Content { return model.Content{Kind: model.Words, Text: texts[r.IntN(len(texts))]} }
		msgs := []model.Message{{Role: model.User, Blocks: []model.Content{{Kind: model.Words, Text: "go"}}}}
		for i := range r.IntN(5) {
			m := model.Message{Role: []model.Role{model.User, model.Assistant, model.Assistant, model.System, model.Tool}[r.IntN(5)]}
			for range r.IntN(4) {
				m.Blocks = append(m.Blocks, text())
			}
			if m.Role == model.Assistant && r.IntN(4) == 0 {
				m.Blocks = append(m.Blocks, model.Content{Kind: model.ToolCall, ID: fmt.Sprint("c", i), Name: "f", Text: "{}"})
			}
			if m.Role == model.Assistant && r.IntN(4) == 0 {
				m.Blocks = append(m.Blocks, model.Content{Kind: model.Reasoning, Text: "hm "})
			}
			if r.IntN(3) == 0 {
				m.Blocks = append(m.Blocks, text())
			}
			msgs = append(msgs, m)
		}
		out, _ := written(t, "anthropic", exporttest.Everything(model.FromMessages(msgs)), export.Options{UntilUser: seed%5 == 0})
		if end := lastAnswer(t, out); end != strings.TrimRightFunc(end, unicode.IsSpace) {
			t.Fatalf("seed %d: the body ends with %q\n%s", seed, end, out)
		}
	}
}

// lastAnswer returns the last text of an Anthropic body that ends with a text of the model, or "".
func lastAnswer(t *testing.T, body string) string {
	t.Helper()
	var request struct {
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal([]byte(body), &request); err != nil {
		t.Fatal(err)
	}
	n := len(request.Messages)
	if n == 0 || request.Messages[n-1].Role != "assistant" {
		return ""
	}
	content := request.Messages[n-1].Content
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var blocks []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(content, &blocks); err != nil {
		t.Fatal(err)
	}
	if n := len(blocks); n > 0 && blocks[n-1].Type == "text" {
		return blocks[n-1].Text
	}
	return ""
}
