package summary

import (
	"context"
	"strings"
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/querytest"
)

// TestFiles: each call counts once per file; changed lines count only for successful edits.
func TestFiles(t *testing.T) {
	fails := querytest.Result("4", "no match")
	fails.Outcome = model.Failure
	edit := `{"file_path":"a.go","old_string":"x","new_string":"y\nz"}`
	s := model.FromMessages([]model.Message{
		querytest.Message(model.User, "q"),
		querytest.Message(model.Assistant, "", querytest.Call("1", "Read", `{"file_path":"a.go"}`), querytest.Call("2", "Read", `{"file_path":"b.go"}`)),
		querytest.Tool(querytest.Result("1", "text")), querytest.Tool(querytest.Result("2", "text")),
		querytest.Message(model.Assistant, "", querytest.Call("3", "Edit", edit)), querytest.Tool(querytest.Result("3", "ok")),
		querytest.Message(model.Assistant, "", querytest.Call("4", "Edit", edit)), querytest.Tool(fails),
		querytest.Message(model.Assistant, "", querytest.Call("5", "Bash", `{"command":"ls"}`)), querytest.Tool(querytest.Result("5", "a.go")),
	})
	a, err := Files(context.Background(), query.Everything(s), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `2 files, 1 of them edited

file  reads  edits  lines  err  tokens  first  last
a.go      1      2  +2 −1    1       –     #1    #6
b.go      1      ·      ·    ·       –     #1    #1
`
	if got := a.Doc().String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	var b strings.Builder
	if err := a.WriteJSON(&b); err != nil || !strings.Contains(b.String(), `"lines_added": 2`) {
		t.Errorf("%v:\n%s", err, b.String())
	}
	if none, err := Files(context.Background(), query.Selection{Snap: s, IDs: []model.ID{s.At(0)}}, nil); err != nil || len(none.Files) != 0 {
		t.Errorf("a prompt touches %v, %v", none.Files, err)
	}
}
