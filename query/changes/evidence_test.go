package changes

import (
	"fmt"
	"strings"
	"testing"

	"turns/model"
	"turns/query/describe"
)

// readEvidence reads the recorded fields of the result of a call that writes one file.
func readEvidence(kind describe.EditKind, extra ...model.KeyValue) act {
	e := evidence{
		call: &model.Content{Kind: model.ToolCall, ID: "c"}, result: &model.Content{Kind: model.ToolResult, ID: "c"},
		answer: &model.Message{Extra: extra}, acts: []act{{path: "/a.go", edit: describe.FileEdit{Kind: kind, Path: "a.go"}}},
	}
	e.read()
	return e.acts[0]
}

const (
	oneFile = `{"path":"a.go","before":"old","after":"new"}`
	oneDiff = "--- a.go\n+++ a.go\n@@ -1 +1 @@\n-old\n+new\n"
)

// TestFieldsOfResults: the fields that agents use to record the change of a file.
func TestFieldsOfResults(t *testing.T) {
	for _, c := range []struct{ field, value, want string }{
		{"resultDisplay", oneFile, "contents"}, {"filediff", oneFile, "contents"},
		{"files", "[" + oneFile + "]", "contents"}, {"structured", `{"files":[` + oneFile + "]}", "contents"},
		{"extras", `{"path":"a.go","old_content":"old","new_content":"new"}`, "contents"},
		{"detailedContent", oneDiff, "diff"}, {"diff", oneDiff, "diff"}, {"patch", oneDiff, "diff"},
		{"details", fmt.Sprintf(`{"patch":%q}`, oneDiff), "diff"}, {"exists", "false", "created"}, {"unheard", oneFile, ""},
	} {
		got := ""
		switch a := readEvidence(describe.EditWrite, model.KeyValue{Name: c.field, Value: c.value}); {
		case a.before != nil && a.before.text == "old" && a.after != nil && a.after.text == "new":
			got = "contents"
		case len(a.hunks) == 1:
			got = "diff"
		case a.before != nil && a.before.absent:
			got = "created"
		}
		if got != c.want {
			t.Errorf("%s gives %q, want %q", c.field, got, c.want)
		}
	}
}

// TestNamesInResults: the names of the path, the contents and the diff in a recorded change.
func TestNamesInResults(t *testing.T) {
	display := func(format, name string) act {
		return readEvidence(describe.EditWrite, model.KeyValue{Name: "filediff", Value: fmt.Sprintf(format, name)})
	}
	for name := range strings.FieldsSeq("originalContent before old_content oldContent") {
		if a := display(`{%q:"old"}`, name); a.before == nil || a.before.text != "old" {
			t.Errorf("%s is not the content before", name)
		}
	}
	for name := range strings.FieldsSeq("newContent after new_content") {
		if a := display(`{%q:"new"}`, name); a.after == nil || a.after.text != "new" {
			t.Errorf("%s is not the content after", name)
		}
	}
	for name := range strings.FieldsSeq("fileDiff patch diff") {
		if a := display(`{%q:"--- a.go\n+++ a.go\n@@ -1 +1 @@\n-old\n+new\n"}`, name); len(a.hunks) != 1 {
			t.Errorf("%s is not the diff", name)
		}
	}
	for name := range strings.FieldsSeq("filePath file path file_path fileName relativePath") {
		e := evidence{h: &History{}, acts: []act{{path: "/x/a.go"}, {path: "/x/b.go"}}}
		e.display(fmt.Sprintf(`{%q:"b.go","after":"new"}`, name))
		if e.acts[0].after != nil || e.acts[1].after == nil {
			t.Errorf("%s is not the path", name)
		}
	}
}

// TestLettersOfChanges: the status of a file as one letter, like in version control.
func TestLettersOfChanges(t *testing.T) {
	for status, want := range map[Status]string{Created: "A", Modified: "M", Deleted: "D", Renamed: "R", Written: "W", Unchanged: "="} {
		if got := status.Letter(); got != want {
			t.Errorf("%v has the letter %s, want %s", status, got, want)
		}
	}
	if got := strings.Join(TotalKeys(), " "); got != "file dir session" {
		t.Errorf("the changes of many sessions are grouped by %s", got)
	}
}
