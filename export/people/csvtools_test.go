package people

import (
	"strings"
	"testing"
	"time"

	"turns/export"
	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/label"
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

// TestCellsOfATable: the columns on request of a call, its result, their time and their labels.
func TestCellsOfATable(t *testing.T) {
	call := func(id, tool string) model.Content {
		return model.Content{Kind: model.ToolCall, ID: id, Name: tool, Text: `{"a":1}`}
	}
	snap := model.FromMessages([]model.Message{
		{Role: model.User, Time: 1_700_000_000_000, Blocks: []model.Content{{Kind: model.Words, Text: "éééé"}}},
		{Role: model.Assistant, Blocks: []model.Content{call("a", "ls"), call("b", "cat")}},
		{Role: model.Tool, Blocks: []model.Content{{Kind: model.ToolResult, ID: "a", Text: "=1+1", Outcome: model.Failure, Took: 1500 * time.Millisecond},
			{Kind: model.Media, Name: "image/png", Size: 9, ID: "a"}}},
		{Role: model.User, Blocks: []model.Content{{Kind: model.Media, Name: "image/png", Size: 9}}},
	})
	mark := func(id model.ID, call model.CallID, name string) label.Placed {
		return label.Placed{Line: label.Line{ID: name, Mark: label.Mark{Kind: label.Label, Name: name}}, ID: id, Call: call}
	}
	none := model.CallID(model.NoRow)
	labels := label.NewHere(snap, []label.Placed{mark(0, none, "asked"), mark(1, none, "both"), mark(1, snap.Calls(1)[1].ID, "second")})
	written := func(o export.Options) string {
		var b strings.Builder
		if _, err := WriteCSV(t.Context(), &b, describe.NewView(query.Everything(snap), nil), o); err != nil {
			t.Fatal(err)
		}
		_, rows, _ := strings.Cut(b.String(), "\n")
		return rows
	}
	for _, c := range []struct {
		name string
		o    export.Options
		want string
	}{
		{"all columns", export.Options{Columns: []string{"time", "arguments", "duration", "outcome"}, Labels: labels}, `0,user,éééé,,,,2023-11-14T22:13:20.000Z,,,,#asked
1,assistant,,ls,a,,,"{""a"":1}",1.5,failure,#both
1,assistant,,cat,b,,,"{""a"":1}",,,#second
2,tool,"'=1+1
[image/png, 9 bytes]",ls,a,,,,1.5,failure,
3,user,"[image/png, 9 bytes]",,,,,,,,
`},
		{"four letters", export.Options{MaxContent: 4, CSVRaw: true}, `0,user,éééé,,,
1,assistant,,ls,a,
1,assistant,,cat,b,
2,tool,=1+1...,ls,a,
3,user,[ima...,,,
`},
	} {
		if got := written(c.o); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}
