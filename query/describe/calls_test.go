package describe

import (
	"strings"
	"testing"

	"turns/model"
	"turns/query/querytest"
)

// moreCalls are calls with unusual arguments, and their lines.
var moreCalls = []describeCase{
	// reads
	{"Read", `{"file_path":"a.go","offset":40}`, "x", model.Success, "a.go:40-", "1 line", 0},
	{"read_file", `{"path":"a.go","end_line":9}`, "x", model.Success, "a.go:1-9", "1 line", 0},
	{"read_files", `{"paths":["/home/ann/app/a.go"]}`, "x", model.Success, "a.go", "1 line", 0},
	{"Read", `{"file_path":"a.go"}`, "one\ntwo\n<system-reminder>be careful</system-reminder>", model.Success, "a.go", "2 lines", 0},
	// writes
	{"apply_patch", "*** Begin Patch\n*** Update File: a.go\n@@\n-x\n+y\n*** End Patch", "no such context", model.Failure, "a.go", "error · no such context", 0},
	{"Edit", `{"file_path":"a.go","old_string":"same","new_string":"same"}`, "ok", model.Success, "a.go", "+0 −0", 0},
	{"edit", `{"path":"a.go","patch":"--- a.go\n+++ a.go\n@@\n-x\n+y\n+z\n"}`, "ok", model.Success, "a.go", "+2 −1", 0},
	{"edit", `{"path":"a.go"}`, "written", model.Success, "a.go", "written", 0},
	{"apply_patch", `{"changes":{"/home/ann/app/a.go":{"add":{"content":"x"}}}}`, "ok", model.Success, "a.go", "ok", 0},
	{"apply_patch", `{"changes":{"a.go":{},"b.go":{}}}`, "ok", model.Success, "2 files", "ok", 0},
	// searches
	{"Grep", `{"pattern":"x"}`, "no such file or match", model.Success, "x", "no match", 1},
	{"list_directory", `{}`, "a\nb", model.Success, ".", "2 entries", 0},
	// todo lists
	{"TodoWrite", `{"todos":"[{\"content\":\"a\",\"done\":true},{\"content\":\"b\"},\"c\"]"}`, "", model.Success, "1 of 3 done", "", 0},
	{"TodoWrite", `{"todos":[{"content":"a","status":"completed","done":true},{"content":"b"}]}`, "", model.Success, "1 of 2 done", "", 0},
	// questions
	{"AskUserQuestion", `{"questions":["Keep it?","Rename it?"]}`, `{"answer":"yes"}`, model.Success, "Keep it? and 1 more", "yes", 1},
	{"ask_followup_question", `{"question":"Keep it?","follow_up":["yes","no"]}`, "yes", model.Success, "Keep it?", "yes", 1},
	// agents
	{"invoke_subagent", `{"Subagents":[{"Prompt":"Look for it","Role":"explorer"},{"Prompt":"Test it"}]}`, "-", model.Running, "2 agents: Look for it  (explorer)", "running", 0},
	// endings
	{"Read", `{"file_path":"x"}`, `{"error":{"message":"quota exceeded"}}`, model.Failure, "x", "error · quota exceeded", 0},
	{"Bash", `{"command":"x"}`, "y", model.TimedOut, "x", "timed out", 1},
	{"Bash", `{"command":"x"}`, "Exit code 1\nno match", model.Success, "x", "exit 1 · no match", 1},
	{"write_stdin", `{"session_id":7,"yield_time_ms":1000}`, "", model.Success, "waits for session 7", "ok", 0},
	{"write_stdin", `{"session_id":7,"chars":"y"}`, "", model.Success, "y", "ok", 1},
	{"write_stdin", `{"session_id":7,"chars":""}`, "", model.Success, "waits for session 7", "ok", 0},
}

func TestDescribeMoreCalls(t *testing.T) {
	for _, c := range moreCalls {
		got := c.line()
		if about := strings.Join(strings.Fields(got.About), " "); about != strings.Join(strings.Fields(c.about), " ") || got.Outcome != c.outcome || got.Lines != c.lines {
			t.Errorf("%s %.80s\n got %q, %q, %d lines\nwant %q, %q, %d lines", c.tool, c.args, got.About, got.Outcome, got.Lines, c.about, c.outcome, c.lines)
		}
	}
}

// TestFamilyByShape: the arguments of an unknown tool decide its family.
func TestFamilyByShape(t *testing.T) {
	for args, want := range map[string]Family{
		`{"todos":[]}`:                            FamilyTodo,
		`{"questions":["x"]}`:                     FamilyQuestion,
		`{"subagent_type":"Explore"}`:             FamilyAgent,
		`{"cmd":"ls"}`:                            FamilyShell,
		`{"path":"a","content":"x"}`:              FamilyWrite,
		`{"pattern":"x"}`:                         FamilySearch,
		`{"url":"https://x"}`:                     FamilyWeb,
		`{"path":"a","command":"what is it for"}`: FamilyOther,
	} {
		a := ParseArgs(&model.Content{Name: "unknown", Text: args})
		if got := familyByShape(&a); got != want {
			t.Errorf("%s is of the family %v, want %v", args, got, want)
		}
	}
}

// TestOpenedInOtherWays opens calls and results whose texts are in uncommon fields.
func TestOpenedInOtherWays(t *testing.T) {
	long := strings.Repeat("word ", 60) + "end"
	list := `["` + strings.Repeat("x", 120) + `"]`
	for _, c := range []struct{ tool, args, result, want string }{
		{"TodoWrite", `{"todos":"[{\"content\":\"a\",\"done\":true},\"b\"]"}`, "", "markdown []\n- [x] a\n- b\n"},
		{"TodoWrite", `{"todos":[{"content":"a","status":"cancelled","priority":"high"}]}`, "", "markdown []\n- [ ] *cancelled:* a (high)\n"},
		{"TodoWrite", `{"todos":[]}`, "", "facts []\ntodos: []\n"},
		{"ask_followup_question", `{"question":"Keep it?","follow_up":["yes","no"]}`, `{"answer":"no"}`, "markdown []\nKeep it?\n\n- [ ] yes\n- [x] no\n"},
		{"ask_followup_question", `{"question":"Keep it?","follow_up":["yes","no"]}`, " yes\n", "markdown []\nKeep it?\n\n- [x] yes\n- [ ] no\n"},
		{"AskUserQuestion", `{"questions":["Keep it?"]}`, "", "markdown []\nKeep it?\n"},
		{"AskUserQuestion", `{"other":"x"}`, "", "facts []\nother: x\n"},
		{"Foo", `{"query":"` + long + `"}`, "", "text [query]\n" + long + "\n"},
		{"Foo", `{"prompt":"` + long + `"}`, "", "markdown [prompt]\n" + long + "\n"},
		{"Foo", `{"list":` + list + `}`, "", "json [list]\n" + list + "\n"},
		{"Foo", `{"a":"` + long[:60] + `","b":"` + long[:20] + `"}`, "", "facts []\na: " + long[:60] + "\nb: " + long[:20] + "\n"},
	} {
		var result *model.Content
		if c.result != "" {
			result = &model.Content{Text: c.result}
		}
		if got := written(Arguments(&model.Content{Name: c.tool, Text: c.args}, result, nil)); got != c.want {
			t.Errorf("%s %s\ngot  %q\nwant %q", c.tool, c.args, got, c.want)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"# Found", "markdown []\n# Found\n"},
		{`["a","b"]`, "json []\n[\"a\",\"b\"]\n"},
		{`[1,{"type":"text","text":"x"}]`, "json []\n[1,{\"type\":\"text\",\"text\":\"x\"}]\n"},
		{`{"output":"x\ny","error":"none"}`, "markdown []\nx\ny\nfacts []\nerror: none\n"},
		{`{"output":"x","data":` + strings.Repeat("1", 401) + `}`, "json []\n{\"output\":\"x\",\"data\":" + strings.Repeat("1", 401) + "}\n"},
	} {
		if got := written(Result(&model.Content{Text: c.text}, FamilyAgent)); got != c.want {
			t.Errorf("%s\ngot  %q\nwant %q", c.text, got, c.want)
		}
	}
	diff := Shown{Kind: ShownDiff, Text: "@@\n-x\n+y\n+z\n"}
	if diff.Counts() != "+2 −1" || diff.Language() != "diff" || (&Shown{Kind: ShownJSON}).Language() != "json" || (&Shown{Kind: ShownCode, Lang: "bash"}).Language() != "bash" {
		t.Errorf("a diff counts %s as %s", diff.Counts(), diff.Language())
	}
}

// TestTextsWithoutEnd: RawText may cut an argument anywhere, but never inside a character.
func TestTextsWithoutEnd(t *testing.T) {
	for _, c := range []struct {
		raw   string
		limit int
		want  string
	}{
		{`"a\nb"`, 10, "a\nb"},
		{`"abc\n"`, 4, "abc"},  // cut inside an escape
		{`"ab\\c"`, 4, `ab\`},  // an escaped backslash before the limit
		{`"a\u00e9b"`, 5, "a"}, // cut inside a \u escape
		{`["a","b c"]`, 20, `["a","b c"]`},
	} {
		if got := RawText(c.raw, c.limit); got != c.want {
			t.Errorf("%s to %d is %q, want %q", c.raw, c.limit, got, c.want)
		}
	}
	m := querytest.Null(model.Assistant, model.Content{Kind: model.ToolCall, Name: "Bash", Text: `{"command" : "ls" , `})
	if got := testDescriber.Call(&m.Blocks[0], nil, nil); got.About == "" {
		t.Error("a call that is still written has no line")
	}
}
