package describe

import (
	"fmt"
	"strings"
	"testing"

	"turns/model"
)

// toolCall returns a call with JSON arguments.
func toolCall(tool, args string) *model.Content {
	return &model.Content{Kind: model.ToolCall, ID: "c", Name: tool, Text: args, JSON: true}
}

// TestNamesOfAPath: each argument name that tools use for a file path is recognized.
func TestNamesOfAPath(t *testing.T) {
	for name := range strings.FieldsSeq(`file_path path filepath filePath absolute_path AbsolutePath absolutePath target_file TargetFile
		filename file notebook_path uri file_name dir_path`) {
		edits := FileEdits(toolCall("Read", fmt.Sprintf(`{%q:"a.go"}`, name)))
		if len(edits) != 1 || edits[0].Path != "a.go" {
			t.Errorf("a read of %s: %+v", name, edits)
		}
	}
}

// TestNamesOfAnAgent: each argument name for the kind of a subagent is shown after its task.
func TestNamesOfAnAgent(t *testing.T) {
	for name := range strings.FieldsSeq("subagent_type agent_type agent agentName agent_name type mode") {
		line := Describer{}.Call(toolCall("Task", fmt.Sprintf(`{"prompt":"Look",%q:"explorer"}`, name)), nil, nil)
		if line.About != "Look  (explorer)" {
			t.Errorf("%s: %q", name, line.About)
		}
	}
	for length, want := range map[int]string{59: "Look  (" + strings.Repeat("k", 59) + ")", 60: "Look"} {
		line := Describer{}.Call(toolCall("Task", fmt.Sprintf(`{"prompt":"Look","agent":%q}`, strings.Repeat("k", length))), nil, nil)
		if line.About != want {
			t.Errorf("a kind of %d letters: %q, want %q", length, line.About, want)
		}
	}
}

// TestNamesOfAPatch: each argument name for a patch leads to the changed file.
func TestNamesOfAPatch(t *testing.T) {
	for name := range strings.FieldsSeq("patch diff input patchText changes") {
		edits := FileEdits(toolCall("apply_patch", fmt.Sprintf(`{%q:"*** Begin Patch\n*** Update File: a.go\n@@\n-x\n+y\n*** End Patch"}`, name)))
		if len(edits) != 1 || edits[0].Path != "a.go" {
			t.Errorf("%s: %+v", name, edits)
		}
	}
}

// TestLongTextsForPeople: a long argument of prose is opened as Markdown, any other as plain text.
func TestLongTextsForPeople(t *testing.T) {
	kindOf := func(name string) ShownKind {
		shown := Arguments(toolCall("own", fmt.Sprintf(`{%q:"one\ntwo"}`, name)), nil, nil)
		if len(shown) != 1 || shown[0].Head != name {
			t.Fatalf("%s: %+v", name, shown)
		}
		return shown[0].Kind
	}
	for name := range strings.FieldsSeq(`prompt Prompt plan body message instructions description content text task summary comment thought
		markdown notes result question context objective details`) {
		if kindOf(name) != ShownMarkdown {
			t.Errorf("%s is not opened as Markdown", name)
		}
	}
	if kindOf("code_block") != ShownText {
		t.Error("any argument is opened as Markdown")
	}
}

// TestShortArguments: a text of up to 200 characters is shown inline, a longer one under its name;
// a value of more than 100 bytes is opened as JSON.
func TestShortArguments(t *testing.T) {
	for args, want := range map[string]ShownKind{
		`{"a":"` + strings.Repeat("é", 200) + `"}`:    ShownFacts,
		`{"a":"` + strings.Repeat("é", 201) + `"}`:    ShownText,
		`{"a":[` + strings.Repeat("1", 98) + `]}`:     ShownFacts,
		`{"a":[` + strings.Repeat("1", 99) + `]}`:     ShownJSON,
		`{"a":{"b":` + strings.Repeat("1", 98) + `}}`: ShownJSON,
		`{"a":` + strings.Repeat("1", 101) + `}`:      ShownFacts,
	} {
		if shown := Arguments(toolCall("own", args), nil, nil); len(shown) != 1 || shown[0].Kind != want {
			t.Errorf("%.30s… of %d bytes: %+v", args, len(args), shown)
		}
	}
}

// TestShortArgumentsShareLines: short arguments share a line of up to 76 columns.
func TestShortArgumentsShareLines(t *testing.T) {
	for last, want := range map[int]int{36: 1, 37: 2} {
		fields := []Shown{{Head: "a", Text: strings.Repeat("x", 31)}, {Head: "b", Text: strings.Repeat("y", last)}}
		if text := joinShort(fields); strings.Count(text, "\n")+1 != want {
			t.Errorf("%d columns on %q", 34+3+3+last, text)
		}
	}
}

// TestNamesOfOptions: each argument name for the options of a question shows them as a list.
func TestNamesOfOptions(t *testing.T) {
	for name := range strings.FieldsSeq("options choices follow_up suggestions") {
		shown := Arguments(toolCall("AskUserQuestion", fmt.Sprintf(`{"question":"Keep it?",%q:["yes","no"]}`, name)), nil, nil)
		if len(shown) != 1 || !strings.Contains(shown[0].Text, "- [ ] yes\n- [ ] no\n") {
			t.Errorf("%s: %+v", name, shown)
		}
	}
}

// TestEnvelopesOfResults: if a result is an object with one of these fields, only the field's text
// is shown.
func TestEnvelopesOfResults(t *testing.T) {
	opened := func(name string) string {
		shown := Result(&model.Content{Kind: model.ToolResult, Text: fmt.Sprintf(`{%q:"one\ntwo","code":0}`, name)}, FamilyOther)
		return shown[0].Text
	}
	for name := range strings.FieldsSeq("output stdout aggregated_output aggregatedOutput stderr content result text error") {
		if got := opened(name); got != "one\ntwo" {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := opened("lines"); !strings.HasPrefix(got, "{") {
		t.Errorf("any name is an envelope: %q", got)
	}
}

// TestSignsOfTodos: the states of a todo list as Markdown.
func TestSignsOfTodos(t *testing.T) {
	for status, want := range map[string]string{
		"pending": "- [ ] a\n", "running": "- [ ] **now:** a\n", "done": "- [x] a\n", "canceled": "- [ ] *cancelled:* a\n", "deleted": "- [ ] a\n",
	} {
		shown := Arguments(toolCall("TodoWrite", fmt.Sprintf(`{"todos":[{"content":"a","status":%q}]}`, status)), nil, nil)
		if len(shown) != 1 || shown[0].Text != want {
			t.Errorf("%s: %+v", status, shown)
		}
	}
}

// TestSigns checks the sign of each kind of row, and of each outcome of a call.
func TestSigns(t *testing.T) {
	for kind, want := range map[LineKind]string{
		LineUser: "❯", LineAssistant: "●", LineReasoning: "~", LineSystem: "▪", LineMedia: "▣", LineInjected: "◦", LineUnreadable: "?",
		LineOrphan: "?", LineEvent: "·",
	} {
		if got := (&Line{Kind: kind}).Glyph(); got != want {
			t.Errorf("%v has the sign %s, want %s", kind, got, want)
		}
	}
	for outcome, want := range map[model.Outcome]string{
		model.Success: "✓", model.Failure: "✗", model.Denied: "⊘", model.Stopped: "■", model.Cancelled: "■", model.TimedOut: "■",
		model.Running: "◌", model.Unknown: "◌", model.Half: "½", model.Background: "✓",
	} {
		if got := (&Line{Kind: LineCall, State: outcome}).Glyph(); got != want {
			t.Errorf("a call that ended with %v has the sign %s, want %s", outcome, got, want)
		}
	}
	for _, kind := range []LineKind{LineAssistant, LineOrphan} {
		if got := (&Line{Kind: kind, State: model.Failure}).Glyph(); got != "✗" {
			t.Errorf("%v has the sign %s after a failure, want ✗", kind, got)
		}
	}
}

// TestInterpretersOfHereDocuments: a here document for an interpreter is shown as code in its
// language.
func TestInterpretersOfHereDocuments(t *testing.T) {
	for program, lang := range map[string]string{"python": "python", "python3": "python", "node": "javascript", "ruby": "ruby", "perl": "perl"} {
		shown := shellParts(program + " <<'EOF'\nprint(1)\nEOF\n")
		if len(shown) != 2 || shown[1].Lang != lang || shown[1].Text != "print(1)\n" {
			t.Errorf("%s: %+v", program, shown)
		}
	}
}

// TestReadersOfFiles: the programs that print the files among their arguments.
func TestReadersOfFiles(t *testing.T) {
	for cmd := range strings.SplitSeq("cat,nl,head -n 5,tail -20,bat,sed -n 1p,less", ",") {
		if touched := shellTouches(cmd+" a.go", ""); len(touched) != 1 || touched[0].Path != "a.go" || touched[0].Edit {
			t.Errorf("%s: %+v", cmd, touched)
		}
	}
	if touched := shellTouches("wc a.go", ""); touched != nil {
		t.Errorf("wc: %+v", touched)
	}
}

// TestReportsOfAShell: a report has labelled lines around the output.
func TestReportsOfAShell(t *testing.T) {
	for text, want := range map[string]string{
		"Output: a\nExit Code: 2": "a 2", "\nExit Code: 3": " 3", "Command: ls\nOutput: a\nb\nError: (none)\nExit Code: 0\nSignal: 0\nBackground PIDs: 7\nProcess Group PGID: 8": "a\nb 0",
		"Output: a\nError: bad": "a\nError: bad none", "Output: (empty)\nExit Code: 1": " 1", "a": "a none",
		"Output: a\nExit Code: 2" + strings.Repeat("x", 8<<10): "a\nExit Code: 2" + strings.Repeat("x", 8<<10) + " none",
	} {
		r := readReport(text)
		got := r.text + " none"
		if r.hasCode {
			got = fmt.Sprint(r.text, " ", r.code)
		}
		if got != want {
			t.Errorf("%.40q is %.60q, want %.60q", text, got, want)
		}
	}
}

// TestCommandsInTheFolder: a command does not repeat the folder of the session.
func TestCommandsInTheFolder(t *testing.T) {
	d := Describer{Cwd: "/h/p", Home: "/h"}
	for cmd, want := range map[string]string{
		"cd /h/p && ls": "ls", "cd /h/p; ls": "ls", "cd /h/p\nls": "ls", "cd /h/p/ && ls": "ls", `cd "/h/p" && ls`: "ls", "cd ~/p && ls": "ls",
		"cd /h/p && a; b": "a; b", "cd /h/p; a && b": "a && b", "cd /h && ls": "cd /h && ls", "cd /h/p": "cd /h/p", "ls": "ls", "cd $P && ls": "cd $P && ls",
	} {
		if got := d.dropCd(cmd); got != want {
			t.Errorf("%q is shown as %q, want %q", cmd, got, want)
		}
	}
	if got := (Describer{}).dropCd("cd . && ls"); got != "cd . && ls" {
		t.Errorf("without a folder: %q", got)
	}
}
