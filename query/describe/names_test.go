package describe

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"turns/model"
	"turns/model/modeltest"
)

// argumentNames are the argument names, in the tools of all agents, that a line, an opened call or
// an edit reads.
const argumentNames = `file_path path filepath filePath absolute_path AbsolutePath absolutePath target_file TargetFile filename file
	notebook_path uri file_name dir_path command cmd commands CommandLine script code chars action old_string old_str oldText old_text oldString
	search TargetContent new_string new_str newText new_text newString replace ReplacementContent new_source content file_text contents CodeContent
	text data patch diff input patchText changes pattern query regex Query glob glob_pattern name_pattern Pattern search_term q directory
	target_directory SearchPath SearchDirectory DirectoryPath folder dir include_directories relative_workspace_path description task title TaskName
	message prompt Prompt instructions subagent_type agent_type agent agentName agent_name type mode todos plan items tasks todoList task_list
	todo_list offset start_line startLine StartLine line_start end_line endLine EndLine line_end question choices options follow_up notes summary
	body objective context result url skill name subject expression thought task_id id questions limit unknown`

// TestArgumentNames: how each argument name changes the line of a call, the opened call and its
// file edits. The golden file has a line for each name that changes anything.
func TestArgumentNames(t *testing.T) {
	var b strings.Builder
	for _, tool := range []string{"Bash", "Read", "Edit", "Grep", "WebFetch", "Task", "TodoWrite", "AskUserQuestion", "mcp__srv__own", "own"} {
		base := `"zz":1`
		if tool == "Read" || tool == "Edit" {
			base = `"path":"a.go"`
		}
		for _, value := range []string{`"some/words.go"`, `7`, `["one","two"]`, `[{"content":"one","status":"done","question":"why","label":"l"}]`} {
			drawn := func(name string) string {
				return strings.ReplaceAll(drawnCall(tool, fmt.Sprintf(`{%q:%s,%s}`, name, value, base)), name, "NAME")
			}
			plain := drawn("unlike")
			for name := range strings.FieldsSeq(argumentNames) {
				if got := drawn(name); got != plain {
					fmt.Fprintf(&b, "%s %s=%s: %s\n", tool, name, value, got)
				}
			}
		}
	}
	// both texts of an edit, under each pair of names
	for _, names := range [][2]string{{"old_string", "new_string"}, {"old_str", "new_str"}, {"oldText", "newText"}, {"old_text", "new_text"},
		{"oldString", "newString"}, {"search", "replace"}, {"TargetContent", "ReplacementContent"}, {"old_string", "new_source"}} {
		got := drawnCall("Edit", fmt.Sprintf(`{"path":"a.go",%q:"was","%s":"is"}`, names[0], names[1]))
		fmt.Fprintf(&b, "Edit %v: %s\n", names, got)
	}
	modeltest.Golden(t, filepath.Join("testdata", "arguments.golden"), b.String())
}

// drawnCall returns a call on a line: its row, its opened arguments and its files.
func drawnCall(tool, args string) string {
	call := &model.Content{Kind: model.ToolCall, ID: "c", Name: tool, Text: args, JSON: true}
	line := Describer{}.Call(call, nil, nil)
	var opened []string
	for _, s := range Arguments(call, nil, nil) {
		opened = append(opened, s.Head+"|"+s.Text)
	}
	edits := ""
	for _, e := range FileEdits(call) {
		edits += fmt.Sprintf(" %v %s %q %q %d-%d", e.Kind, e.Path, e.Old, e.New, e.First, e.Last)
	}
	return fmt.Sprintf("%v %s %q %v %q%s", line.Family, line.Word, line.About, line.Path, opened, edits)
}

// TestCommandNames: the programs and words that classify commands and their output.
func TestCommandNames(t *testing.T) {
	for _, cmd := range []string{"cat", "nl", "sed", "head", "tail", "bat", "less", "ls", "tree", "find", "fd", "rg", "grep", "egrep", "git grep", "git show",
		"git diff", "git log", "jq", "sort", "uniq", "cut", "tr", "column", "awk", "Get-Content", "Get-ChildItem", "Select-String", "type", "dir"} {
		if !shows("cd x && "+cmd+" a") || !shows("go build; "+cmd) || shows("make | "+cmd+"x") || shows(cmd+" a && make") {
			t.Errorf("%s only prints", cmd)
		}
	}
	for _, word := range []string{"error", "fail", "fatal", "panic", "exception", "not found", "no such", "cannot", "can't", "could not", "couldn't", "unable",
		"denied", "undefined", "unknown", "invalid", "missing", "refused", "rejected", "conflict", "traceback", "abort", "killed", "timed out",
		"ignored", "unresolved", "unexpected", "expected", "mismatch", "not allowed", "unrecognized"} {
		if !speaksOfFailure("It says: " + strings.ToUpper(word) + ".") {
			t.Errorf("%q speaks of no failure", word)
		}
	}
	for line, want := range map[string]bool{"0 errors": false, "10 errors": true, "100 errors": true, "90 errors": true, "0 failures": false, "0 failed": false, "no errors": false, "0 error(s)": false, "done": false} {
		if got := speaksOfFailure(line); got != want {
			t.Errorf("%q speaks of failure: %v", line, got)
		}
	}
	for word, want := range map[string]TodoState{"completed": TodoDone, "done": TodoDone, "complete": TodoDone, "finished": TodoDone, "in_progress": TodoNow,
		"in-progress": TodoNow, "inprogress": TodoNow, "active": TodoNow, "running": TodoNow, "cancelled": TodoCancelled, "canceled": TodoCancelled, "deleted": TodoDeleted} {
		args := ParseArgs(&model.Content{Kind: model.ToolCall, Name: "TodoWrite", JSON: true, Text: fmt.Sprintf(`{"todos":[{"content":"a","status":%q}]}`, word)})
		if list := args.Todos(9); len(list) != 1 || list[0].State != want {
			t.Errorf("%q: %+v", word, list)
		}
	}
	for tool, want := range map[string]bool{"ExitPlanMode": true, "present_plan": true, "plan_mode_respond": true, "request-approval": true, "ExitSpecMode": true, "plan_exit": true, "plan": false} {
		if AsksLeave(tool) != want {
			t.Errorf("%s asks for leave: %v", tool, !want)
		}
	}
	for tool, want := range map[string]bool{"AskUserQuestion": true, "ExitPlanMode": true, "mcp__x__ask_user": true, "mcp__x__read_file": false, "Read": false} {
		if AsksHuman(tool) != want {
			t.Errorf("%s asks a human: %v", tool, !want)
		}
	}
}

// TestCommandsThatChangeFiles: programs that rewrite their files, some only with a certain option;
// programs that print a file read it.
func TestCommandsThatChangeFiles(t *testing.T) {
	changes := []string{"gofmt -w", "goimports -w", "gofumpt -w", "shfmt -w", "prettier --write", "eslint --fix", "biome --write", "black", "isort", "rustfmt",
		"autopep8 -i", "yapf -i", "clang-format -i", "rubocop -a", "swiftformat", "truncate", "git checkout", "git restore", "git reset", "git stash", "git clean",
		"ruff format", "mix format", "dart format", "cargo fmt", "terraform fmt", "rm", "git rm", "npx prettier --write"}
	for _, cmd := range changes {
		if got := editsOf(cmd + " a.go"); !strings.Contains(got, "a.go") {
			t.Errorf("%s changes %q", cmd, got)
		}
	}
	for _, cmd := range []string{"gofmt -l", "prettier", "eslint", "git status", "ruff check", "cargo build", "terraform plan", "mix test", "dart run", "make"} {
		if got := editsOf(cmd + " a.go"); got != "" {
			t.Errorf("%s changes %q", cmd, got)
		}
	}
	for tool, want := range map[string]string{"delete_file": "delete", "remove-file": "delete", "Delete": "delete", "MoveFile": "move", "rename_file": "move"} {
		call := &model.Content{Kind: model.ToolCall, Name: tool, JSON: true, Text: `{"path":"a.go","destination":"b.go","new_path":"b.go"}`}
		edits := FileEdits(call)
		if f, _, _ := FamilyOf(tool); f != FamilyWrite {
			a := ParseArgs(call)
			edits = a.fileEdits(foldName(tool))
		}
		if len(edits) != 1 || edits[0].Kind.String() != want {
			t.Errorf("%s: %+v", tool, edits)
		}
	}
	for kind, want := range []string{"touch", "write", "append", "replace", "insert", "patch", "delete", "move", "copy", "read"} {
		if got := EditKind(kind).String(); got != want {
			t.Errorf("edit %d is %q, want %q", kind, got, want)
		}
	}
	for family, want := range []string{"", "shell", "read", "write", "search", "web", "agent", "todo", "question", "mcp", "other", ""} {
		if got := Family(family).String(); got != want {
			t.Errorf("family %d is %q, want %q", family, got, want)
		}
	}
}

func editsOf(cmd string) (files string) {
	text, _ := json.Marshal(map[string]string{"command": cmd})
	for _, e := range FileEdits(&model.Content{Kind: model.ToolCall, Name: "Bash", JSON: true, Text: string(text)}) {
		files += e.Kind.String() + " " + e.Path + " "
	}
	return files
}

// TestWordsOfRows: the names of the row kinds and of the message ops.
func TestWordsOfRows(t *testing.T) {
	for i, want := range []string{"user", "assistant", "reasoning", "system", "injected", "call", "result", "media", "other", "event", "unreadable", "", ""} {
		if got := LineKind(i).String(); got != want {
			t.Errorf("row %d is %q, want %q", i, got, want)
		}
	}
	if got := strings.Join(OpNames[:], " "); got != "message note unreadable reset rewind retraction compaction life branch agent usage about end" {
		t.Errorf("bookkeeping is %s", got)
	}
}
