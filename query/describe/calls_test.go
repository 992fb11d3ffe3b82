package describe

import (
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/query"
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
	{"search", "height of Huascarán", "6,768 m", model.Success, "height of Huascarán", "1 match", 1},
	{"list_directory", "docs", "a\nb", model.Success, "docs", "2 entries", 0},
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
		{`"a\n"`, 3, "a\n"},
		{`"\nb"`, 1, ""},
		{`"a\u00e9b"`, 7, "aé"},
		{`"\u00e9b"`, 6, "é"},
		{`"\"\""`, 10, ""}, // JSON in a string
		{`"`, 10, ""},
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

// TestCallsCutAnywhere: arguments that end anywhere have the fields before the end, the last of them
// possibly in part.
func TestCallsCutAnywhere(t *testing.T) {
	for _, args := range []string{
		`{"command" : "ls \"a\"\n" , "list": ["a", 1 , {"b":"]"}], "n": 12}`,
		`{"path":"a.go","content":"one\ntwo\\","edits":[{"old_string":"a","new_string":"b"}]}`,
		`{"path":"a.go","patch":"--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y"}`,
	} {
		whole := ObjectFields(args)
		for end := range args {
			for i, f := range ObjectFields(args[:end]) {
				if f.Name != whole[i].Name || !strings.HasPrefix(whole[i].Raw, f.Raw) {
					t.Errorf("%s has %s: %s", args[:end], f.Name, f.Raw)
				}
			}
			for _, tool := range []string{"Bash", "Write", "apply_patch"} {
				call := model.Content{Kind: model.ToolCall, Name: tool, Text: args[:end]}
				if line := testDescriber.Call(&call, nil, nil); line.Kind != LineCall {
					t.Errorf("%s %s is %v", tool, args[:end], line.Kind)
				}
				Arguments(&call, nil, nil)
				FileEdits(&call)
			}
		}
	}
	for raw, want := range map[string]string{`[1,,2]`: "1", `[1,2`: "1 2", `[1,2,3]`: "1 2", ` [ "a" , `: `"a"`, `[`: ""} {
		if got := strings.Join(ListItems(raw, 2), " "); got != want {
			t.Errorf("the first two of %s are %s, want %s", raw, got, want)
		}
	}
}

// TestStateOfACall: the row in the index decides how a call ended, without a row its blocks.
func TestStateOfACall(t *testing.T) {
	fromText := model.Call{Result: model.NoID}
	fromText.MadeInText(3)
	for _, c := range []struct {
		result *model.Content
		row    *model.Call
		state  model.Outcome
		want   string
	}{
		{nil, nil, model.Unknown, "no result"},
		{&model.Content{}, nil, model.Success, "ok"},
		{&model.Content{Text: "Exit code 1\nboom"}, nil, model.Success, "exit 1 · boom"},
		{&model.Content{Text: "boom", Outcome: model.Failure}, nil, model.Failure, "error · boom"},
		{nil, &fromText, model.Success, OnlyInText},
		{&model.Content{}, &model.Call{Outcome: model.Half}, model.Half, "partly · ok"},
	} {
		line := testDescriber.Call(toolCall("Bash", `{"command":"ls"}`), c.result, c.row)
		if line.State != c.state || line.Outcome != c.want {
			t.Errorf("%+v %+v: %v %q, want %v %q", c.result, c.row, line.State, line.Outcome, c.state, c.want)
		}
	}
	again := query.CallOf{Row: &model.Call{Flags: model.Again}, Tool: "mcp__x__look", Result: &model.Content{Name: "other"}}
	if line := testDescriber.Answer(&again); !line.Again || line.Word != "look" {
		t.Errorf("a further result of a call is %+v", line)
	}
}

// TestResultsWithoutText: a read or a search whose result the transcript does not record has no
// number of lines.
func TestResultsWithoutText(t *testing.T) {
	for tool, empty := range map[string]string{"Read": "0 lines", "Grep": "no match"} {
		call := toolCall(tool, `{"path":"a.go","pattern":"x"}`)
		for _, null := range []bool{false, true} {
			want := empty
			if null {
				want = ""
			}
			line := testDescriber.Call(call, &model.Content{Kind: model.ToolResult, Null: null}, nil)
			if line.Outcome != want || line.State != model.Success {
				t.Errorf("%s, recorded %v: %v %q, want %q", tool, !null, line.State, line.Outcome, want)
			}
		}
	}
}

// TestCallsOfScripts: the calls that a script made follow it, in their order.
func TestCallsOfScripts(t *testing.T) {
	g := querytest.NewGrowing()
	msg := g.Add(model.Head{Op: model.Say})
	made := func(inside uint32) model.CallID {
		return model.CallID(g.Ix.Calls.Append(model.Call{Msg: msg, Inside: inside, Prev: model.NoRow}))
	}
	other := made(0)
	script := made(0)
	first, second := made(uint32(script)+1), made(uint32(script)+1)
	inner := made(uint32(first) + 1)
	far := model.CallID(g.Ix.Calls.Append(model.Call{Msg: msg + 1, Inside: uint32(script) + 1}))
	s := g.Snapshot()
	for call, want := range map[model.CallID]int{other: 0, script: 0, first: 1, inner: 2, far: 0, model.CallID(model.NoRow): 0} {
		if got := Depth(s, call); got != want {
			t.Errorf("call %d is inside of %d others, want %d", call, got, want)
		}
	}
	var lines []Line
	for _, call := range []model.CallID{script, other, first, inner, second} {
		lines = append(lines, Line{Kind: LineCall, Call: call})
	}
	lines = append(lines, Line{Kind: LineUser, Call: model.CallID(model.NoRow)})
	var got []model.CallID
	for _, l := range byMaker(s, lines) {
		got = append(got, l.Call)
	}
	if want := []model.CallID{script, first, inner, second, other, model.CallID(model.NoRow)}; !slices.Equal(got, want) {
		t.Errorf("the calls are in the order %v, want %v", got, want)
	}
}

// TestUnread: only a file of records without a message is called unread.
func TestUnread(t *testing.T) {
	snap := func(format, why string, ops ...model.Op) *model.Snapshot {
		g := querytest.NewGrowing()
		g.Ix.Sources = []model.Source{{Format: format, Why: why}}
		for _, op := range ops {
			g.Add(model.Head{Op: op})
		}
		return g.Snapshot()
	}
	for _, c := range []struct {
		s    *model.Snapshot
		want string
	}{
		{nil, ""},
		{snap(RawFormat, "no role", model.Note), "no role"},
		{snap(RawFormat, "", model.Note), "no conversation was recognised"},
		{snap(RawFormat, "no role"), ""},
		{snap(RawFormat, "no role", model.Note, model.Say), ""},
		{snap("claude", "no role", model.Note), ""},
	} {
		if got := Unread(c.s); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
