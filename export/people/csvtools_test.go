package people

import (
	"strings"
	"testing"

	"turns/export"
	"turns/model"
	"turns/query"
	"turns/query/describe"
)

// TestEachResultHasItsTool: every result has the name of its tool, also one in the message of its
// call and the second one of a call.
func TestEachResultHasItsTool(t *testing.T) {
	call := func(id, tool string) model.Content {
		return model.Content{Kind: model.ToolCall, ID: id, Name: tool, Text: "{}"}
	}
	result := func(id, text string) model.Content {
		return model.Content{Kind: model.ToolResult, ID: id, Text: text}
	}
	snap := model.FromMessages([]model.Message{
		{Role: model.Assistant, Blocks: []model.Content{call("a", "ls"), result("a", "in"), call("b", "cat")}},
		{Role: model.Tool, Blocks: []model.Content{result("b", "first")}},
		{Role: model.Tool, Blocks: []model.Content{result("b", "second")}},
	})
	var b strings.Builder
	if _, err := WriteCSV(t.Context(), &b, describe.NewView(query.Everything(snap), nil), export.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"0,tool,in,ls,a,", "1,tool,first,cat,b,", "2,tool,second,cat,b,"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing:\n%s", want, b.String())
		}
	}
}
