package describe

import (
	"strings"
	"testing"

	"turns/model"
)

// written joins pieces into one text, for test tables.
func written(pieces []Shown) string {
	var b strings.Builder
	for i := range pieces {
		p := &pieces[i]
		b.WriteString([...]string{"text", "markdown", "code", "diff", "json", "facts"}[p.Kind] + " [" + p.Head + "]\n" + strings.TrimRight(p.Text, "\n") + "\n")
	}
	return b.String()
}

func TestArguments(t *testing.T) {
	for _, c := range []struct{ tool, args, result, want string }{
		{"Bash", `{"command":"git commit -m \"$(cat <<'EOF'\nFix it\n\nBody\nEOF\n)\"","description":"commits"}`, "",
			"code []\ngit commit -m \"$(cat <<'EOF'\nFix it\n\nBody\nEOF\n)\"\nfacts []\ndescription: commits\n"},
		{"shell", `{"command":["bash","-lc","apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.go\n@@ func main() {\n-x\n+y\n*** Add File: b.go\n+z\n*** Delete File: c.go\n*** End Patch\nEOF"]}`, "",
			"code []\napply_patch <<'EOF'\ndiff [a.go]\n@@ func main() {\n-x\n+y\ndiff [new b.go]\n+z\ndiff [deleted c.go]\n\n"},
		{"Bash", `{"command":"patch -p1 <<E\n--- a/x.go\t2026\n+++ b/x.go\t2026\n@@ -1 +1 @@\n-o\n+n\n--- a/y.go\n+++ /dev/null\n@@ -1 +0,0 @@\n-y\nE\nls"}`, "",
			"code []\npatch -p1 <<E\ndiff [x.go]\n--- a/x.go\t2026\n+++ b/x.go\t2026\n@@ -1 +1 @@\n-o\n+n\ndiff [deleted y.go]\n--- a/y.go\n+++ /dev/null\n@@ -1 +0,0 @@\n-y\ncode []\nls\n"},
		{"apply_patch", "*** Begin Patch\n*** Update File: a.go\n@@\n-x\n+y\n*** End Patch", "", "diff [a.go]\n@@\n-x\n+y\n"},
		{"Edit", `{"file_path":"w.go","old_string":"a\nb","new_string":"a\nc","replace_all":true}`, "", "diff [w.go]\n a\n-b\n+c\nfacts []\nreplace_all: true\n"},
		{"MultiEdit", `{"file_path":"x","edits":[{"old_string":"a","new_string":"b"},{"old_string":"","new_string":"c"}]}`, "", "diff [x]\n@@ edit 1 @@\n-a\n+b\n@@ edit 2 @@\n+c\n"},
		{"Write", `{"file_path":"n.txt","content":"a\nb\n"}`, "", "diff [n.txt]\n+a\n+b\n"},
		{"TodoWrite", `{"todos":[{"content":"Do A","status":"completed"},{"content":"Do B","status":"in_progress"},{"content":"Do C","status":"pending"}]}`, "",
			"markdown []\n- [x] Do A\n- [ ] **now:** Do B\n- [ ] Do C\n"},
		{"update_plan", `{"explanation":"why","plan":[{"step":"One","status":"pending"}]}`, "", "markdown []\n- [ ] One\nfacts []\nexplanation: why\n"},
		{"AskUserQuestion", `{"questions":[{"question":"Which?","header":"Auth","options":[{"label":"JWT","description":"short"},{"label":"OAuth"}]}]}`,
			`User has answered your questions: "Which?"="OAuth". You can now continue`, "markdown []\n**Auth** Which?\n\n- [ ] JWT: short\n- [x] OAuth\n"},
		{"Task", `{"subagent_type":"Explore","description":"find it","prompt":"# Look\n\nfor <T>"}`, "", "facts []\nsubagent_type: Explore   description: find it\nmarkdown [prompt]\n# Look\n\nfor <T>\n"},
		{"ExitPlanMode", `{"plan":"# Plan\n\n1. one"}`, "", "markdown [plan]\n# Plan\n\n1. one\n"},
		{"mcp__x__y", `{"owner":"me","n":12,"comments":[{"path":"a.go"}],"none":null}`, "", "facts []\nowner: me   n: 12   comments: [{\"path\":\"a.go\"}]   none: null\n"},
		{"Read", `{"file_path":"a.go","limit":3}`, "", "facts []\nfile_path: a.go   limit: 3\n"},
		{"Foo", "free text", "", "text []\nfree text\n"},
		{"Foo", `{"a":"\"x\""}`, "", "facts []\na: \"x\"\n"},
		{"shell", `{"command":["apply_patch","*** Begin Patch\n*** Update File: a.go\n@@\n-it's\n+y\n*** End Patch"]}`, "", "diff [a.go]\n@@\n-it's\n+y\n"},
		{"Bash", `{"command":"apply_patch --help"}`, "", "code []\napply_patch --help\n"},
		{"Write", `{"file_path":"n.txt","content":""}`, "", "diff [n.txt]\n\n"},
		{"apply_patch", `{"input":"diff --git a/x.go b/x.go\nindex 1..2\n--- a/x.go\n+++ b/x.go\n@@ -1 +1 @@\n-o\n+n\n"}`, "",
			"diff [x.go]\nindex 1..2\n--- a/x.go\n+++ b/x.go\n@@ -1 +1 @@\n-o\n+n\n"},
		{"AskUserQuestion", `{"questions":[{"question":"Which?","options":["JWT","OAuth","none"]}]}`, `"Which?"="JWT, OAuth"`,
			"markdown []\nWhich?\n\n- [x] JWT\n- [x] OAuth\n- [ ] none\n"},
		{"Foo", "{}", "", ""},
	} {
		var result *model.Content
		if c.result != "" {
			result = &model.Content{Kind: model.ToolResult, Text: c.result}
		}
		if got := written(Arguments(&model.Content{Name: c.tool, Text: c.args}, result, nil)); got != c.want {
			t.Errorf("%s %s\ngot  %q\nwant %q", c.tool, c.args, got, c.want)
		}
	}
}

func TestResult(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"output":"a\nb\n","metadata":{"exit_code":0,"duration_seconds":0.1}}`, "text []\na\nb\nfacts []\nmetadata: {\"exit_code\":0,\"duration_seconds\":0.1}\n"},
		{`[{"type":"text","text":"{\"name\":\"app\"}"},{"type":"text","text":"two"}]`, "json []\n{\"name\":\"app\"}\ntext []\ntwo\n"},
		{`[{"type":"text","text":"one","note":null,"n":1}]`, "text []\none\nfacts []\nn: 1\n"},
		{`{"result":"one"}`, "text []\none\n"},
		{`{"output":"x","stderr":""}`, "text []\nx\n"},
		{`{"output":"x","a":` + strings.Repeat("1", 400) + `}`, "text []\nx\nfacts []\na: " + strings.Repeat("1", 400) + "\n"},
		{`{"content":[{"type":"text","text":"one"}],"isError":false}`, "text []\none\nfacts []\nisError: false\n"},
		{`"{\"stdout\":\"x\\ny\",\"stderr\":\"oh\"}"`, "text []\nx\ny\ntext [stderr]\noh\n"},
		{`{"title":"Flaky","state":"open"}`, "json []\n{\"title\":\"Flaky\",\"state\":\"open\"}\n"},
		{`[{"type":"image","data":"x"}]`, "json []\n[{\"type\":\"image\",\"data\":\"x\"}]\n"},
		{"diff --git a/x b/x\n-1\n+2\n", "diff []\ndiff --git a/x b/x\n-1\n+2\n"},
		{"plain\n", "text []\nplain\n"}, {"", ""}, {"{broken", "text []\n{broken\n"},
	} {
		if got := written(Result(&model.Content{Text: c.text}, FamilyShell)); got != c.want {
			t.Errorf("%s\ngot  %q\nwant %q", c.text, got, c.want)
		}
	}
}

// TestEditsAreNumbered: an edit has the line numbers of the patch in its answer if that patch
// contains the whole change; otherwise it shows the arguments of the call.
func TestEditsAreNumbered(t *testing.T) {
	call := model.Content{Name: "Edit", Text: `{"file_path":"a.go","old_string":"b","new_string":"c"}`}
	plain := "diff [a.go]\n-b\n+c\n"
	for _, c := range []struct{ patch, want string }{
		{`[{"oldStart":7,"oldLines":2,"newStart":7,"newLines":2,"lines":[" a","-b","+c"]}]`, "diff [a.go]\n@@ -7,2 +7,2 @@\n a\n-b\n+c\n"},
		{`[{"oldStart":7,"oldLines":1,"newStart":7,"newLines":1,"lines":["-b","+x"]}]`, plain},
		{`[{"oldStart":7,"oldLines":1,"newStart":7,"newLines":1,"lines":["-x","+c"]}]`, plain},
		{`[{"oldLines":2,"lines":["-b","+c"]}]`, plain}, {`[]`, plain}, {`no JSON`, plain}, {"", plain},
	} {
		answer := &model.Message{Extra: []model.KeyValue{{Name: "structuredPatch", Value: c.patch}}}
		if got := written(Arguments(&call, nil, answer)); got != c.want {
			t.Errorf("%s: %q, want %q", c.patch, got, c.want)
		}
	}
}

// TestTwoEditsAreNotNumbered: the recorded patch of a call with two diffs may belong to either.
func TestTwoEditsAreNotNumbered(t *testing.T) {
	call := model.Content{Name: "apply_patch", Text: "*** Begin Patch\n*** Update File: a.go\n@@\n-b\n+c\n*** Update File: d.go\n@@\n-b\n+c\n*** End Patch"}
	answer := &model.Message{Extra: []model.KeyValue{{Name: "structuredPatch", Value: `[{"oldStart":7,"newStart":7,"lines":["-b","+c"]}]`}}}
	if got, want := written(Arguments(&call, nil, answer)), "diff [a.go]\n@@\n-b\n+c\ndiff [d.go]\n@@\n-b\n+c\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestDiffsOfTwoTexts: a diff shows up to three equal lines on each side of a change and counts the
// others.
func TestDiffsOfTwoTexts(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"a\nb", "a", " a\n-b\n"},
		{"a\nb", "b", "-a\n b\n"},
		{"1\n2\n3\nx\n4\n5\n6", "1\n2\n3\ny\n4\n5\n6", " 1\n 2\n 3\n-x\n+y\n 4\n 5\n 6\n"},
		{"0\n1\n2\n3\nx\n4\n5\n6\n7", "0\n1\n2\n3\ny\n4\n5\n6\n7", " ⋯ 1 line as before\n 1\n 2\n 3\n-x\n+y\n 4\n 5\n 6\n ⋯ 1 line as before\n"},
	} {
		if got := LineDiff(c.before, c.after); got != c.want {
			t.Errorf("from %q to %q: %q, want %q", c.before, c.after, got, c.want)
		}
	}
}
