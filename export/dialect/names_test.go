package dialect

import (
	"bytes"
	"regexp"
	"testing"

	"turns/export"
	"turns/export/exporttest"
	"turns/model"
	"turns/query/provider"
)

// TestNamesOfRecordedTexts: a recorded block matches a text that it contains under any of these
// names.
func TestNamesOfRecordedTexts(t *testing.T) {
	for raw, kind := range map[string]model.BlockKind{
		`{"type":"text","text":"x"}`: model.Words, `{"type":"text","content":"x"}`: model.Words,
		`{"type":"thinking","thinking":"x"}`: model.Reasoning, `{"type":"reasoning","text":"x"}`: model.Reasoning,
		`{"type":"reasoning","reasoning":"x"}`: model.Reasoning, `{"type":"reasoning","content":"x"}`: model.Reasoning,
	} {
		if !recordedAs(&provider.WireBlock{Content: model.Content{Kind: kind, Text: "x"}}, []byte(raw)) {
			t.Errorf("%s is not recorded as its text", raw)
		}
		if recordedAs(&provider.WireBlock{Content: model.Content{Kind: kind, Text: "other"}}, []byte(raw)) {
			t.Errorf("%s is recorded as another text", raw)
		}
	}
}

// TestReasonsOfStops checks the names in spans for the reasons why a model stopped.
func TestReasonsOfStops(t *testing.T) {
	reason := regexp.MustCompile(`finish_reason\\*":\\*"(\w+)`)
	for stop, want := range map[model.Stop]string{
		model.StopTool: "tool_call", model.StopLength: "length", model.StopRefusal: "content_filter", model.StopError: "error", model.StopEnd: "stop",
	} {
		var b bytes.Buffer
		m := model.Message{Role: model.Assistant, Stop: stop, Blocks: []model.Content{{Kind: model.Words, Text: "x"}}}
		for _, f := range Formats() {
			if f.Name != "otlp" {
				continue
			}
			if _, err := f.Write(t.Context(), &b, exporttest.Everything(model.FromMessages([]model.Message{m})), export.Options{}); err != nil {
				t.Fatal(err)
			}
		}
		if got := reason.FindStringSubmatch(b.String()); got == nil || got[1] != want {
			t.Errorf("%v is written as %q, want %q", stop, got, want)
		}
	}
}
