package describe

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/querytest"
)

var testDescriber = Describer{Cwd: "/home/ann/app", Home: "/home/ann"}

// describeCase is a call with its result, its outcome and the wanted line.
type describeCase struct {
	tool, args, result string
	state              model.Outcome
	about, outcome     string
	lines              int
}

func (c *describeCase) line() Line {
	call := model.Content{Kind: model.ToolCall, Name: c.tool, Text: c.args, JSON: true}
	row := &model.Call{Outcome: c.state, Result: 1}
	if c.result == "-" {
		row.Result = model.NoID
		return testDescriber.Call(&call, nil, row)
	}
	return testDescriber.Call(&call, &model.Content{Kind: model.ToolResult, Text: c.result}, row)
}

var describeCases = []describeCase{
	// shell commands
	{"Bash", `{"command":"go test -run TestWatch ./internal/watch"}`, "ok", model.Success, "go test -run TestWatch ./internal/watch", "ok", 1},
	{"Bash", `{"command":"cd /home/ann/app && go vet ./... 2>&1"}`, "Exit code 1\n# app\n./x.go:3:2: undefined: waitFor\n", model.Failure, "go vet ./...", "exit 1 · undefined: waitFor", 1},
	{"Bash", `{"command":"cd ~/app; mix test"}`, "Exit code 2\nRunning\n\n  1) test x\n\nFinished in 0.1 seconds\n58 tests, 1 failure\n\nRandomized with seed 1\n", model.Failure, "mix test", "exit 2 · 58 tests, 1 failure", 1},
	{"Bash", `{"command":"cd /home/ann/other && ls"}`, "", model.Success, "cd ~/other && ls", "ok", 1},
	{"Bash", `{"command":"cat <<EOF > x\na\nb\nEOF"}`, "", model.Success, "cat <<EOF > x", "+2 −0", 4},
	{"Bash", `{"command":"git apply - <<'EOF'\n--- a/x.go\n+++ b/x.go\n@@ -1 +1 @@\n-o\n+n\nEOF"}`, "", model.Success, "git apply - x.go", "+1 −1", 7},
	{"Bash", `{"command":"cat <<EOF | patch -p1\n--- a/x.go\n+++ b/x.go\n@@ -1 +1 @@\n-o\n+n\nEOF"}`, "done", model.Success, "cat | patch -p1 x.go", "done", 7},
	{"Bash", `{"command":"sed -i 's/a/b/' x.go y.go"}`, "", model.Success, "sed -i 's/a/b/' x.go y.go", "2 files edited", 1},
	{"Bash", `{"command":"git add -A && git commit -m \"$(cat <<'EOF'\nFix it for X\n\nBody\nEOF\n)\""}`, "", model.Success, `git add -A && git commit -m "Fix it for X"`, "ok", 6},
	{"Bash", `{"command":"git commit -q -F - <<'EOF'\nFix it\nEOF"}`, "", model.Success, `git commit -q -F - "Fix it"`, "ok", 3},
	{"Bash", `{"command":"python3 -c \"\nimport json\nprint(1)\""}`, "1", model.Success, `python3 -c "import json`, "1", 3},
	{"Bash", `{"command":"git add lib/a priv/b"}`, "Exit code 1\nThe following paths are ignored by one of your .gitignore files:\npriv/b\n", model.Failure, "git add lib/a priv/b", "exit 1 · The following paths are ignored by one of your .gitignore files:", 1},
	{"Bash", `{"command":"seq 312"}`, strings.Repeat("a line that is rather long for an outcome, too long in fact\n", 312), model.Success, "seq 312", "312 lines", 1},
	{"Bash", `{"command":"cd x && nl -ba a.ts | sed -n '1,9p'"}`, "     8\ta\n     9\t};", model.Success, "cd x && nl -ba a.ts | sed -n '1,9p'", "2 lines", 1},
	{"Bash", `{"command":"go test ./... | tail -2"}`, "ok a\nok b", model.Success, "go test ./... | tail -2", "ok b", 1},
	{"Bash", `{"command":"ls *.log | xargs rm -v"}`, "removed a\nremoved b", model.Success, "ls *.log | xargs rm -v", "removed b", 1},
	{"Bash", `{"command":"rg -c x | wc -l"}`, "7", model.Success, "rg -c x | wc -l", "7", 1},
	{"Bash", `{"command":"rm -rf /home/ann/app/testdata/old"}`, "The user doesn't want to proceed with this tool use.", model.Denied, "rm -rf testdata/old", "denied by the user", 1},
	{"Bash", `{"command":"go test"}`, "[Request interrupted by user for tool use]", model.Stopped, "go test", "interrupted by the user", 1},
	{"Bash", `{"command":"golangci-lint run"}`, "<tool_use_error>Sibling tool call errored</tool_use_error>", model.Cancelled, "golangci-lint run", "cancelled, sibling call failed", 1},
	{"Bash", `{"command":"sleep 100"}`, "-", model.Unknown, "sleep 100", "no result", 1},
	{"Bash", `{"command":"sleep 100"}`, "-", model.Running, "sleep 100", "running", 1},
	{"Bash", `{"command":"serve"}`, "x", model.Background, "serve", "moved to the background", 1},
	{"Bash", `{"command":"x"}`, "", model.Failure, "x", "error, no message", 1},
	{"Bash", `{"command":"printf '\u001b[31mred\u001b[0m'"}`, "\x1b[31mred\x1b[0m", model.Success, "printf '␛[31mred␛[0m'", "2 hidden · red", 1},
	{"shell", `{"command":["bash","-lc","cd /home/ann/app && ls -la"],"workdir":"/home/ann/app"}`, `{"output":"a\nb\n","metadata":{"exit_code":0,"duration_seconds":0.1}}`, model.Success, "ls -la", "2 lines", 1},
	{"shell", `{"command":["git","commit","-m","two words"]}`, `{"output":"fatal: nothing\n","metadata":{"exit_code":128}}`, model.Failure, "git commit -m 'two words'", "exit 128 · fatal: nothing", 1},
	{"exec_command", `{"cmd":"bash -lc 'go build ./...'","yield_time_ms":1000}`, "Chunk ID: 1a\nWall time: 0.4 seconds\nProcess exited with code 0\nOriginal token count: 0\nOutput:\n", model.Success, "go build ./...", "ok", 1},
	{"exec_command", `{"cmd":"go vet"}`, "Command: /bin/zsh -lc 'go vet'\nChunk ID: 1a\nWall time: 0.4 seconds\nProcess exited with code 1\nOriginal token count: 0\nOutput:\nboom\n", model.Failure, "go vet", "exit 1 · boom", 1},
	{"exec_command", `{"cmd":"go test"}`, "Chunk ID: 1a\nWall time: 10 seconds\nProcess running with session ID 7\nOutput:\nbuilding\n", model.Success, "go test", "building", 1},
	{"run_command", `{"CommandLine":"\"ls -F\"","Cwd":"\"/x\""}`, "a", model.Success, "ls -F", "a", 1},
	{"run_commands", `{"commands":["ls -a","cat x y"]}`, "a", model.Success, "ls -a && cat x y", "a", 1},
	{"shell", `{"command":["apply_patch","*** Begin Patch\n*** Update File: a.go\n@@\n-x\n+y\n+z\n*** End Patch"]}`, "Success", model.Success, "a.go", "+2 −1", 0},
	{"bash", `{"command":"false"}`, "boom\n\nCommand exited with code 3", model.Failure, "false", "exit 3 · boom", 1},
	{"run_shell_command", `{"command":"ls -F"}`, "Command: ls -F\nDirectory: (root)\nOutput: a/\nb\nError: (none)\nExit Code: 0\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 12345", model.Success, "ls -F", "2 lines", 1},
	{"Bash", `{"command":"/home/ann/app/run.sh"}`, "", model.Success, "run.sh", "ok", 1},
	{"Bash", `{"command":"sed -i s/a/b/ x.go"}`, "", model.Success, "sed -i s/a/b/ x.go", "edited", 1},
	{"Bash", `{"command":"rm x"}`, "", model.Denied, "rm x", "denied by the user", 1},
	{"Bash", `{"command":"rm x"}`, "The policy forbids it", model.Denied, "rm x", "denied", 1},
	{"Bash", `{"command":"apply_patch --help"}`, "", model.Success, "apply_patch --help", "ok", 1},
	{"Bash", `{"command":"bash -lc 'cd /home/ann/app && ls'"}`, "", model.Success, "ls", "ok", 1},
	{"Bash", `{"command":"bash -lc 'x'"}`, "", model.Success, "x", "ok", 1},
	{"Bash", `{"command":"bash -lc ''"}`, "", model.Success, "bash -lc ''", "ok", 1},
	{"Bash", `{"command":"bash -lc \"echo \\\"a\\\"\""}`, "", model.Success, `echo "a"`, "ok", 1},
	{"Bash", `{"command":"bash -lc 'echo \\\"a\\\"'"}`, "", model.Success, `echo \"a\"`, "ok", 1},
	{"shell", `{"command":{"command":["ls","-la"]}}`, "", model.Success, "ls -la", "ok", 1},
	{"shell", `{"command":[]}`, "", model.Success, "", "ok", 0},
	{"shell", `{"command":"x"}`, `{"output":"a"}`, model.Success, "x", "a", 1},
	{"shell", `{"command":"x"}`, `{"id":7}`, model.Success, "x", `{"id":7}`, 1},
	{"shell", `{"command":"x"}`, `{"stdout":"","stderr":"boom","exit_code":2}`, model.Failure, "x", "exit 2 · boom", 1},
	{"shell", `{"command":"x"}`, `{"stdout":"a","stderr":"b","exit_code":0}`, model.Success, "x", "a", 1},
	{"Bash", `{"command":"x"}`, "Ran\nExit code: 2\nboom", model.Failure, "x", "exit 2 · boom", 1},
	{"Bash", `{"command":"x"}`, "the Exit code 2 was seen", model.Failure, "x", "error · the Exit code 2 was seen", 1},
	{"Bash", `{"command":"x"}`, "Status: Process exited with code 9\nboom", model.Failure, "x", "exit 9 · boom", 1},
	{"Bash", `{"command":"x"}`, "Exit code -1", model.Failure, "x", "exit -1", 1},
	{"run_shell_command", `{"command":"x"}`, "Output: hello\nExit Code: 0", model.Success, "x", "hello", 1},
	{"run_shell_command", `{"command":"x"}`, "Command: x\nOutput: \nError: (none)\nExit Code: 0", model.Success, "x", "ok", 1},
	{"run_shell_command", `{"command":"x"}`, "Command: x\nOutput: a\nError: boom\nExit Code: 2", model.Failure, "x", "exit 2 · Error: boom", 1},
	{"exec", `{"code":"x"}`, `[{"type":"input_text","text":"Script completed\nOutput:\n"},{"type":"input_text","text":"hello"}]`, model.Success, "x", "hello", 1},
	{"find", `{"id":7}`, `{"status":"error","error_message":"No such item"}`, model.Failure, "7", "error · no such item", 1},
	{"find", `{"id":7}`, `{"success":false,"reason":"Out of stock."}`, model.Failure, "7", "error · out of stock", 1},
	{"find", `{"id":7}`, `{"isError":true,"content":[{"type":"text","text":"boom"}]}`, model.Failure, "7", "error · boom", 1},
	// what programs add to outputs
	{"Bash", `{"command":"x"}`, "a\nb\nthe end\n[result-id: r7]", model.Success, "x", "the end", 1},
	{"Bash", `{"command":"ls"}`, "a\nb\n[result-id: r12]\n", model.Success, "ls", "2 lines", 1},
	{"Bash", `{"command":"x"}`, "[result-id: r7]", model.Success, "x", "[result-id: r7]", 1},
	{"Bash", `{"command":"x"}`, "a\n[result-id: x7]", model.Success, "x", "[result-id: x7]", 1},
	{"Bash", `{"command":"x"}`, "a\n[result-id: r]", model.Success, "x", "[result-id: r]", 1},
	{"Bash", `{"command":"x"}`, "<identical to result [r3] from your Bash call earlier — refer to that output>", model.Success, "x", "same as Bash result r3", 1},
	{"Bash", `{"command":"x"}`, "<identical to result [r3]", model.Success, "x", "<identical to result [r3]", 1},
	{"Bash", `{"command":"x"}`, "<identical to result r3 call earlier — refer to that output>", model.Success, "x", "1 line", 1},
	{"Read", `{"file_path":"a.go"}`, "<identical to result [r12] from your Read call earlier — refer to that output>", model.Success, "a.go", "same as Read result r12", 0},
	{"Read", `{"file_path":"a.go"}`, "1\ta\n2\tb\n[result-id: r2]", model.Success, "a.go", "2 lines", 0},
	{"Bash", `{"command":"x"}`, "(Bash completed with no output)", model.Success, "x", "ok", 1},
	{"bash", `{"command":"x"}`, "(no output)\n", model.Success, "x", "ok", 1},
	{"bash", `{"command":"x"}`, "<system>Tool ran without output or errors</system>", model.Success, "x", "ok", 1},
	{"bash", `{"command":"npm test"}`, "Debugger attached.\n3 passing\nWaiting for the debugger to disconnect...", model.Failure, "npm test", "error · 3 passing", 1},
	{"bash", `{"command":"x"}`, "(no output)", model.Failure, "x", "error, no message", 1},
	{"Bash", `{"command":"sed -i s/a/b/ x.go"}`, "(Bash completed with no output)", model.Success, "sed -i s/a/b/ x.go", "edited", 1},
	{"execute_command", `{"command":"x"}`, "Command executed successfully (exit code 0).\nOutput:\nup to date\n", model.Success, "x", "up to date", 1},
	{"execute_command", `{"command":"x"}`, "Command executed successfully (exit code 0).", model.Success, "x", "ok", 1},
	{"execute_command", `{"command":"x"}`, "Command executed.\nOutput:\n", model.Success, "x", "ok", 1},
	{"execute_command", `{"command":"x"}`, "Command failed with exit code 2.\nOutput:\nboom", model.Failure, "x", "exit 2 · boom", 1},
	{"execute_command", `{"command":"x"}`, "Command executed in terminal within working directory '/x'. Exit code: 0\nOutput:\nall good", model.Success, "x", "all good", 1},
	{"execute_command", `{"command":"x"}`, "Command line tools\nversion 3", model.Success, "x", "version 3", 1},
	{"bash", "rm a.py", "\n(Open file: n/a)\n(Current directory: /repo)\nbash-$", model.Success, "rm a.py", "ok", 1},
	{"bash", "python a.py", "True\n(Open file: /repo/a.py)\n(Current directory: /repo)\nbash-$", model.Success, "python a.py", "True", 1},
	{"bash", "cat x", "a\n(Current directory: /repo)\nb", model.Success, "cat x", "3 lines", 1},
	{"bash", "echo x", "a\nbash-$", model.Success, "echo x", "2 lines", 1},
	{"create", "create a.py", "[File: /repo/a.py (1 lines total)]\n1:\n(Open file: /repo/a.py)\n(Current directory: /repo)\nbash-$", model.Success, "a.py", "a.py, 1 line", 1},
	{"edit", "edit 1:1\nx\nend_edit", "[File: a.py]\n1:x", model.Success, "1:1", "[File: a.py], 16 bytes", 3},
	{"open", "open src/a.py 293", "[File: a.py]\n1:x", model.Success, "src/a.py 293", "[File: a.py], 16 bytes", 1},
	{"edit", "edit 2:2\ny\nend_edit", "Your proposed edit has introduced new syntax error(s).\n\nERRORS:\n- E999 SyntaxError: unmatched ']'\n\nThis is how", model.Failure, "2:2", "error · E999 SyntaxError: unmatched ']'", 3},
	{"submit", "submit", "diff", model.Success, "", "diff", 0},
	// reads
	{"Read", `{"file_path":"a.go","offset":0}`, "x", model.Success, "a.go", "1 line", 0},
	{"Read", `{"file_path":"a.go","offset":0,"limit":10}`, "x", model.Success, "a.go:1-10", "1 line", 0},
	{"Read", `{"file_path":"a.go","offset":123456789}`, "x", model.Success, "a.go:123456789-", "1 line", 0},
	{"Read", `{"file_path":"a.go"}`, "<system-reminder>The file is empty.</system-reminder>", model.Success, "a.go", "0 lines", 0},
	{"Read", `{"file_path":"/home/ann/app/internal/watch_test.go","offset":40,"limit":81}`, strings.Repeat("x\n", 80), model.Success, "internal/watch_test.go:40-120", "80 lines", 0},
	{"Read", `{"file_path":"/home/ann/notes.md"}`, "one", model.Success, "~/notes.md", "1 line", 0},
	{"Read", `{"file_path":"/etc/hosts"}`, "<tool_use_error>File does not exist.</tool_use_error>", model.Failure, "/etc/hosts", "error · file does not exist", 0},
	{"read_file", `{"absolute_path":"C:\\exp\\README.md"}`, "a\nb\n... truncated", model.Success, `C:\exp\README.md`, "3 lines, truncated", 0},
	{"read_files", `{"paths":["a.go","b.go"]}`, "x", model.Success, "2 files", "1 line", 0},
	{"str_replace_editor", `{"command":"view","path":"/home/ann/app/a.py","view_range":[7,-1]}`, "x", model.Success, "a.py:7-", "1 line", 0},
	{"str_replace_editor", `{"command":"view","path":"/home/ann/app/a.py","view_range":[1,20]}`, "x\ny", model.Success, "a.py:1-20", "2 lines", 0},
	// writes
	{"Edit", `{"file_path":"/home/ann/app/w.go","old_string":"a\nb\nc","new_string":"a\nx\ny\nc"}`, "updated", model.Success, "w.go", "+2 −1", 0},
	{"Edit", `{"file_path":"/home/ann/app/w.go","old_string":"a","new_string":"b"}`, "<tool_use_error>String to replace not found in file.\nString: a</tool_use_error>", model.Failure, "w.go", "error · string to replace not found in file", 0},
	{"Write", `{"file_path":"/home/ann/app/n.txt","content":"a\nb\nc\n"}`, "File created successfully at: n.txt", model.Success, "n.txt", "new, 3 lines", 0},
	{"apply_patch", "*** Begin Patch\n*** Add File: new.md\n+a\n+b\n*** End Patch", "Success", model.Success, "new.md", "new, 2 lines", 0},
	{"apply_patch", `{"input":"*** Begin Patch\n*** Update File: a\n+1\n*** Update File: b\n-1\n*** Delete File: c\n"}`, "Success", model.Success, "3 files", "+1 −1", 0},
	{"file_change", `[{"path":"/home/ann/app/w.go","kind":"update"}]`, "", model.Success, "w.go", "", 0},
	{"file_change", `[{"path":"a.go","kind":"update"},{"path":"b.go","kind":"add"}]`, "-", model.Unknown, "2 files", "no result", 0},
	{"MultiEdit", `{"file_path":"x","edits":[{"old_string":"a","new_string":"b"},{"old_string":"","new_string":"c\nd"}]}`, "ok", model.Success, "x", "+3 −1", 0},
	{"Write", `{"file_path":"a","content":""}`, "", model.Success, "a", "0 lines", 0},
	{"Write", `{"file_path":"a","content":"\nb"}`, "", model.Success, "a", "2 lines", 0},
	{"Edit", `{"file_path":"a"}`, "<tool_use_error></tool_use_error>", model.Failure, "a", "error, no message", 0},
	// searches
	{"Grep", `{"pattern":"debounce","path":"/home/ann/app/internal/"}`, strings.Repeat("m\n", 9), model.Success, "debounce  in internal/", "9 matches", 1},
	{"Grep", `{"pattern":"x","output_mode":"files_with_matches"}`, "Found 1 file\na.go", model.Success, "x", "1 match", 1},
	{"Glob", `{"pattern":"**/*.tsx"}`, "No files found", model.Success, "**/*.tsx", "no match", 1},
	{"list_directory", `{"dir_path":"."}`, "a\nb", model.Success, ".", "2 entries", 0},
	// web
	{"WebFetch", `{"url":"https://pkg.go.dev/github.com/fsnotify/fsnotify?tab=doc","prompt":"x"}`, strings.Repeat("x", 48000), model.Success, "pkg.go.dev/github.com/fsnotify/fsnotify", "48 kB", 1},
	{"web_search", `{"query":"go 1.26 release"}`, `{"status":200,"results":[]}`, model.Success, "go 1.26 release", "200, 27 bytes", 1},
	{"web_search", `{"query":"go 1.26"}`, "", model.Success, "go 1.26", "", 1},
	{"WebFetch", `{"url":"x.org"}`, `{"code":100}`, model.Success, "x.org", "100, 12 bytes", 1},
	{"WebFetch", `{"url":"x.org"}`, `{"code":600}`, model.Success, "x.org", "12 bytes", 1},
	// agents, todo lists, questions
	{"Task", `{"description":"Find callers of Watcher.Add","prompt":"long","subagent_type":"Explore"}`, "Three callers", model.Success, "Find callers of Watcher.Add  (Explore)", "Three callers", 0},
	{"TodoWrite", `{"todos":[{"content":"a","status":"completed"},{"content":"make it so","status":"in_progress"},{"content":"c","status":"pending"}]}`, "ok", model.Success, "1 of 3 done, now: make it so", "", 0},
	{"update_plan", `{"plan":[{"status":"completed","step":"a"},{"status":"completed","step":"b"}]}`, "Plan updated", model.Success, "2 of 2 done", "", 0},
	{"AskUserQuestion", `{"questions":[{"question":"Keep the exported Watcher type?","header":"x"}]}`, `User has answered your questions: "Keep the exported Watcher type?"="yes, keep it". You can now continue.`, model.Success, "Keep the exported Watcher type?", "yes, keep it", 1},
	// MCP and other tools
	{"mcp__github__get_issue", `{"owner":"acme","repo":"watch","number":412}`, `{"state":"open","title":"` + strings.Repeat("t", 2100) + `"}`, model.Success, "github: owner=acme repo=watch number=412", "open, title=ttttttttttttttttttttttt…, 2.1 kB", 0},
	{"book_reservation", `{"user_id":"mia_li","origin":"JFK","flights":[{"n":1}]}`, "Error: card declined", model.Failure, `user_id=mia_li origin=JFK flights=[{"n":1}]`, "error · card declined", 0},
	{"get_weather", `{"city":"Oslo"}`, `{"city":"Oslo","temperature":7,"condition":"light rain showers"}`, model.Success, "city=Oslo", "city=Oslo temperature=7 condition=lig…, 64 bytes", 0},
	{"save", `{"id":7}`, `{"success":true,"id":7,"message":"Saved the draft as version 12 of the page."}`, model.Success, "7", "Saved the draft as version 12 of the page.", 1},
	{"save", `{"id":7}`, `{"status":"Saved the draft as 12","id":7,"pages":[1,2,3]}`, model.Success, "7", "Saved the draft as 12, pages: 3 items, 57 bytes", 1},
	{"bash_command", `{"keystrokes":"printf 'a b' > a\n","duration":0.1}`, "New Terminal Output:\n\nroot@box:/app# printf 'a b' > a\n\n", model.Success, "printf 'a b' > a", "edited", 1},
	{"bash_command", `{"keystrokes":"make -s\n"}`, "New Terminal Output:\n\nroot@box:/app# make -s\n", model.Success, "make -s", "ok", 1},
	{"bash_command", `{"keystrokes":"make\n","duration":5}`, "New Terminal Output:\n\nroot@box:/app# make\nbuilt a\nroot@box:/app# ", model.Success, "make", "built a", 1},
	{"bash_command", `{"keystrokes":"ls\n"}`, "New Terminal Output:\n\nroot@box:/app# ls\na\nb\n", model.Success, "ls", "2 lines", 1},
	{"bash_command", `{"keystrokes":"y\n"}`, "New Terminal Output:\n\nRemove a? [y/N]\nbox$ make y", model.Success, "y", "box$ make y", 1},
	{"Skill", `{"skill":"commit"}`, "Launching skill: commit", model.Success, "commit", "Launching skill: commit", 1},
	{"think", `{"thought":"First\nthen"}`, "", model.Success, "First", "", 2},
	{"unknown_tool", `{"raw_arguments":"{\"command\":\"ls\"}"}`, "x", model.Success, "ls", "x", 1},
	{"unknown_tool", `{"a":`, "x", model.Success, `{"a":`, "x", 1},
	{"EnterPlanMode", `{}`, "", model.Failure, "", "error, no message", 0},
}

func TestDescribeCalls(t *testing.T) {
	for _, c := range describeCases {
		got := c.line()
		if got.About != c.about || got.Outcome != c.outcome || got.Lines != c.lines {
			t.Errorf("%s %.80s\n got %q, %q, %d lines\nwant %q, %q, %d lines", c.tool, c.args, got.About, got.Outcome, got.Lines, c.about, c.outcome, c.lines)
		}
		if got.Path[1] > len(got.About) || got.Path[0] > got.Path[1] {
			t.Errorf("%s: path at %v of %q", c.tool, got.Path, got.About)
		}
	}
}

func TestFamilyOf(t *testing.T) {
	for _, c := range []struct {
		tool   string
		family Family
		word   string
		server string
	}{
		{"Bash", FamilyShell, "Bash", ""}, {"run_shell_command", FamilyShell, "run_shell_command", ""}, {"container.exec", FamilyShell, "container.exec", ""},
		{"mcp__github__get_issue", FamilyMCP, "get_issue", "github"}, {"AskUserQuestion", FamilyQuestion, "AskUser", ""},
		{"linear___find", FamilyMCP, "find", "linear"}, {"functions.exec_command", FamilyShell, "exec_command", ""}, {"weather", FamilyOther, "weather", ""},
		{"", FamilyOther, "tool", ""}, {"mcp__", FamilyOther, "mcp__", ""}, {"TodoWrite", FamilyTodo, "TodoWrite", ""}, {"web_fetch", FamilyWeb, "web_fetch", ""},
	} {
		if f, word, server := FamilyOf(c.tool); f != c.family || word != c.word || server != c.server {
			t.Errorf("%q is %v %q of %q", c.tool, f, word, server)
		}
	}
}

func TestDescribeWords(t *testing.T) {
	block := func(kind model.BlockKind, text string) []model.Content {
		return []model.Content{{Kind: kind, Text: text}}
	}
	for _, c := range []struct {
		name  string
		m     model.Message
		about string
		lines int
		out   string
	}{
		{"first line", querytest.Message(model.User, "\n\n  Fix it \t now\nplease\n"), "Fix it now", 2, ""},
		{"heading", querytest.Message(model.Assistant, "## The **plan**\n\nx"), "The plan", 3, ""},
		{"list number stays", querytest.Message(model.Assistant, "1. One is the first"), "1. One is the first", 1, ""},
		{"code stays", querytest.Message(model.Assistant, "Need `lazy_html`."), "Need `lazy_html`.", 1, ""},
		{"white space only", querytest.Message(model.Assistant, " \n\t "), "", 0, ""},
		{"rule first", querytest.Message(model.Assistant, "---\nwords"), "words", 2, ""},
		{"interrupted", model.Message{Role: model.Assistant, Flags: model.Interrupted, Blocks: block(model.Words, "so")}, "so", 1, "interrupted by the user"},
		{"superseded", model.Message{Role: model.Assistant, Flags: model.Superseded, By: "#33", Blocks: block(model.Words, "so")}, "so", 1, "superseded by #33"},
		{"refused", model.Message{Role: model.Assistant, Stop: model.StopRefusal, Blocks: block(model.Words, "no")}, "no", 1, "refused"},
		{"cut", model.Message{Role: model.Assistant, Stop: model.StopLength, Blocks: block(model.Words, "and")}, "and", 1, "cut at the limit"},
		{"reasoning", querytest.Null(model.Assistant, querytest.Thinks("**Look**\nat it")), "Look", 2, ""},
		{"encrypted", querytest.Null(model.Assistant, model.Content{Kind: model.Reasoning, Size: 1400}), "encrypted, 1.4 kB", 0, ""},
		{"not recorded", querytest.Null(model.Assistant, querytest.Thinks("")), "not recorded", 0, ""},
		{"injected", model.Message{Role: model.User, Flags: model.Injected, Blocks: block(model.Words, "<environment_context>\n  <cwd>/x</cwd>\n</environment_context>")}, "environment_context: <cwd>/x</cwd>", 3, ""},
		{"image", querytest.Null(model.User, model.Content{Kind: model.Media, Name: "image/png", Size: 412_000}), "image/png", 0, "412 kB"},
		{"image by its address", querytest.Null(model.User, model.Content{Kind: model.Media, Name: "image/png", Text: "https://x/a.png"}), "image/png  https://x/a.png", 0, ""},
		{"file by its id", querytest.Null(model.User, model.Content{Kind: model.Media, Name: "file", Text: "file_1"}), "file  file_1", 0, ""},
		{"small image", querytest.Null(model.User, model.Content{Kind: model.Media, Name: "image/png", Text: "iVBORw0K"}), "image/png", 0, "6 bytes"},
		{"image in its address", querytest.Null(model.User, model.Content{Kind: model.Media, Name: "image/png", Text: "data:image/png;base64,iVBORw0K"}), "image/png", 0, "6 bytes"},
		{"image with its pixels", querytest.Null(model.User, model.Content{Kind: model.Media, Name: "image/png", Text: "iVBORw0KGgoAAAANSUhEUgAAAAQAAAAICAYAAAA="}), "image/png", 0, "4×8, 30 bytes"},
		{"redacted", querytest.Null(model.Assistant, model.Content{Kind: model.Reasoning, Name: "redacted_thinking"}), "redacted", 0, ""},
		{"encrypted without a size", querytest.Null(model.Assistant, model.Content{Kind: model.Reasoning, Name: "encrypted"}), "encrypted", 0, ""},
		{"escape", querytest.Message(model.User, "a\x1b]52;c;eA==\x07b\u202ec"), "a␛]52;c;eA==␇b⟨U+202E⟩c", 1, "2 hidden"},
	} {
		got := testDescriber.words(&c.m, 0)
		if got.About != c.about || got.Lines != c.lines || got.Outcome != c.out {
			t.Errorf("%s: got %q, %d lines, %q", c.name, got.About, got.Lines, got.Outcome)
		}
	}
}

func TestDescribeMessage(t *testing.T) {
	s := model.FromMessages(querytest.Run())
	var all []string
	for id := range model.ID(s.Rows()) {
		lines, err := testDescriber.Message(context.Background(), query.NewPairs(s), id)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range lines {
			all = append(all, strings.TrimSpace(strings.Join([]string{l.Kind.String(), l.Word, l.About, l.Outcome}, "|")))
		}
	}
	want := []string{
		"system|system|You are careful.|", "injected|injected|environment_context: cwd is /work/app|", "user|user|Fix the flaky test|",
		"assistant|assistant|I'll read the test first.|", "reasoning|reasoning|The test sleeps.|", "call|Read|/work/app/watch_test.go:40-120|3 lines",
		"call|Bash|cd /work/app && go test ./...|exit 1 · undefined: waitFor", "assistant|assistant|Fixed it.|", "user|user|go on|",
		"call|Bash|go vet ./...|no result", "result|result|result without a call, c9|late",
	}
	if got := strings.Join(all, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s", got)
	}
}

// TestFailedResultsSayWhy: a failed result without a call shows its error, not its size.
func TestFailedResultsSayWhy(t *testing.T) {
	for text, want := range map[string]string{
		`{"type":"web_search_tool_result_error","error_code":"max_uses_exceeded"}`:        "error · max_uses_exceeded",
		"Cannot execute multiple commands at once.\nRun each command alone or chain them": "error · cannot execute multiple commands at once",
		"": "error, no message",
	} {
		call := query.CallOf{Row: &model.Call{Outcome: model.Failure}, Result: &model.Content{Kind: model.ToolResult, Text: text, Outcome: model.Failure}}
		if got := testDescriber.Row(&call).Outcome; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestDescribeNotes(t *testing.T) {
	for _, c := range []struct {
		m     model.Message
		about string
		kind  LineKind
	}{
		{model.Message{Op: model.Note, Name: "hook_progress"}, "hook_progress", LineEvent},
		{model.Message{Op: model.Note, Name: "title", Extra: []model.KeyValue{{Name: "title", Value: "A run"}}}, "title: title=A run", LineEvent},
		{model.Message{Op: model.Unreadable, Err: errors.New("line 412: invalid character 'x'")}, "line 412: invalid character 'x'", LineUnreadable},
		{model.Message{Op: model.Compact, Time: querytest.T0, Name: "auto"}, "compacted 20:41:40, auto", LineRule},
		{model.Message{Op: model.Rewind}, "rewound", LineRule},
	} {
		if got := testDescriber.Note(&c.m); got.About != c.about || got.Kind != c.kind {
			t.Errorf("got %q %v, want %q", got.About, got.Kind, c.about)
		}
	}
	if got := FoldedNotes([]EventCount{{"hook", 1200}, {"snapshot", 2}}); got.About != "1,200 hook, 2 snapshot" {
		t.Errorf("got %q", got.About)
	}
}

func TestShortenPath(t *testing.T) {
	for _, c := range []struct {
		path string
		room int
		want string
	}{
		{"test/spotter_web/live/session_live_test.exs", 60, "test/spotter_web/live/session_live_test.exs"},
		{"test/spotter_web/live/session_live_test.exs", 43, "test/spotter_web/live/session_live_test.exs"},
		{"test/spotter_web/live/session_live_test.exs", 33, "test/…/live/session_live_test.exs"},
		{"test/spotter_web/live/session_live_test.exs", 23, "…/session_live_test.exs"},
		{"test/spotter_web/live/session_live_test.exs", 36, "test/…/live/session_live_test.exs"},
		{"test/spotter_web/live/session_live_test.exs", 30, "test/…/session_live_test.exs"},
		{"test/spotter_web/live/session_live_test.exs", 26, "…/session_live_test.exs"},
		{"test/spotter_web/live/session_live_test.exs", 10, "session_l…"},
		{"/usr/share/doc/x/README", 20, "/usr/…/doc/x/README"},
		{"a", 1, "a"}, {"abc", 1, "…"}, {"abc", 0, ""},
	} {
		if got := ShortenPath(c.path, c.room); got != c.want {
			t.Errorf("%q in %d is %q, want %q", c.path, c.room, got, c.want)
		}
	}
}

func TestNewDescriber(t *testing.T) {
	d := NewDescriber(&model.Session{Fields: []model.KeyValue{{Name: "cwd", Value: "/Users/ann/app"}}})
	for cwd, want := range map[string]string{"/home/ann": "/home/ann", "/root": "/root", "/root/app": "/root", "/work/app": "", "": ""} {
		if got := NewDescriber(&model.Session{Fields: []model.KeyValue{{Name: "cwd", Value: cwd}}}).Home; got != want {
			t.Errorf("in %q the home directory is %q, want %q", cwd, got, want)
		}
	}
	for path, want := range map[string]string{
		"/Users/ann/app/x.go": "x.go", "/Users/ann/app2/x.go": "~/app2/x.go", "/Users/bob": "/Users/bob", "/Users/ann/app": ".", "rel/x": "rel/x", "file:///Users/ann/app/y": "y",
	} {
		if got := d.PathOf(path); got != want {
			t.Errorf("%q is %q, want %q", path, got, want)
		}
	}
}

// TestWholeComplaint: with Whole, an error is not cut inside or after a quotation.
func TestWholeComplaint(t *testing.T) {
	long := strings.Repeat("f(x);", 60)
	for said, want := range map[string]string{
		"Old text `a` is not there.\nTry again.":            "error · old text `a` is not there",
		"ERROR:\nOld text `a\n\tb` is not in /w/x.go.\nTry": "error · old text `a b` is not in /w/x.go",
		"Old text `" + long + "` is not there.":             "error · old text `" + long + "` is not there",
		"X":                                                 "error · X",
		"Azure fell":                                        "error · azure fell",
		"Zap failed":                                        "error · zap failed",
		"BufA fell":                                         "error · BufA fell",
		"BufZ fell":                                         "error · BufZ fell",
		"Old text `a\nb":                                    "error · old text `a b",
	} {
		words := testDescriber
		words.Whole = true
		row := model.Call{Outcome: model.Failure}
		line := words.Call(&model.Content{Kind: model.ToolCall, Name: "Edit"}, &model.Content{Kind: model.ToolResult, Text: said}, &row)
		if line.Outcome != want {
			t.Errorf("%q is shown as %q, want %q", said, line.Outcome, want)
		}
	}
}

// FuzzDescribe: for any input, a line is a single line of clean text.
func FuzzDescribe(f *testing.F) {
	for _, c := range describeCases {
		f.Add(c.tool, c.args, c.result, uint8(c.state))
	}
	f.Fuzz(func(t *testing.T, tool, args, result string, state uint8) {
		call := model.Content{Kind: model.ToolCall, Name: tool, Text: args}
		res := model.Content{Kind: model.ToolResult, Text: result}
		row := model.Call{Outcome: model.Outcome(state % 10)}
		m := querytest.Message(model.Assistant, result)
		for _, line := range []Line{
			testDescriber.Call(&call, &res, &row), testDescriber.Call(&call, nil, nil), testDescriber.Answer(&query.CallOf{Row: &model.Call{}, Result: &res}), testDescriber.words(&m, 0),
		} {
			for _, s := range []string{line.Word, line.About, line.Outcome} {
				if s != model.CleanLine(s) && strings.Join(strings.Fields(s), " ") != model.CleanLine(s) {
					t.Errorf("%q is not clean", s)
				}
			}
			if line.Path[1] > len(line.About) || line.Path[0] > line.Path[1] {
				t.Errorf("path at %v of %q", line.Path, line.About)
			}
		}
	})
}

// FuzzJSONString: encoding/json reads what model.AppendQuoted writes.
func FuzzJSONString(f *testing.F) {
	for _, s := range []string{"", "a\"b\\c\n\t\r\x00\x1f", "é\xff\u2028", strings.Repeat("x", 100)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		b := model.AppendQuoted(nil, []byte(s))
		var got string
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatal(err)
		}
		if got != strings.ToValidUTF8(s, "\uFFFD") && got != string([]rune(s)) {
			t.Errorf("%q is read as %q", s, got)
		}
	})
}

// TestDescribeCostsTheLine: the line of a long text needs few allocations.
func TestDescribeCostsTheLine(t *testing.T) {
	m := querytest.Message(model.Assistant, "first\n"+strings.Repeat("x", 8<<20))
	if n := testing.AllocsPerRun(3, func() { testDescriber.words(&m, 0) }); n > 40 {
		t.Errorf("%v allocations", n)
	}
}

// TestCompactionOfPartlyRecordedUsage: unrecorded token counts (-1) count as 0.
func TestCompactionOfPartlyRecordedUsage(t *testing.T) {
	answer := querytest.Message(model.Assistant, "ok")
	answer.Usage = &model.Usage{Input: 30_256, CacheRead: -1, CacheWrite: -1, Output: 5, Reasoning: -1}
	s := model.FromMessages([]model.Message{querytest.Message(model.User, "hello"), answer, {Op: model.Compact, Name: "auto"}})
	m, err := s.Body(t.Context(), model.ID(2))
	if err != nil {
		t.Fatal(err)
	}
	if got := testDescriber.Rule(s, m).About; !strings.Contains(got, "from 30.3k tokens") {
		t.Errorf("says %q", got)
	}
}

// TestEndOfATurn: if a log records the outcome of each turn, the failure of the last turn does not
// mark an earlier successful one as failed.
func TestEndOfATurn(t *testing.T) {
	g := querytest.NewGrowing()
	g.Ix.Sessions[0] = model.Session{Ended: true, Outcome: model.Failure, Reason: "turn.failed"}
	var ids []model.ID
	for _, outcome := range []model.Outcome{model.Success, model.Failure, model.Unknown} {
		g.Add(model.Head{Op: model.Say})
		id := g.Add(model.Head{Op: model.End})
		g.Ix.Events = append(g.Ix.Events, model.Event{At: id, Op: model.End, N: int64(outcome)})
		ids = append(ids, id)
	}
	s := g.Snapshot()
	for i, want := range []Line{
		{About: "finished", State: model.Success},
		{About: "ended", State: model.Failure},
		{About: "ended", State: model.Unknown},
	} {
		m := model.Message{ID: ids[i], Op: model.End, Name: []string{"turn.completed", "turn.failed", ""}[i]}
		got := Describer{}.Rule(s, &m)
		if got.About != want.About || got.State != want.State {
			t.Errorf("end %d is %q, %v, want %q, %v", i, got.About, got.State, want.About, want.State)
		}
	}
}
