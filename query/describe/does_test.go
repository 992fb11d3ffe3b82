package describe

import (
	"strings"
	"testing"

	"turns/model"
)

// TestDoes: the actions of calls, by the tool names and arguments of several agents.
func TestDoes(t *testing.T) {
	for _, x := range []struct{ tool, args, want string }{
		{"Bash", `{"command":"go test ./..."}`, "shell"},
		{"exec_command", `{"cmd":"ls"}`, "shell"},
		{"shell", `{"command":["bash","-lc","apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.go\n@@\n-a\n+b\n*** End Patch\nEOF"]}`, "shell edit"},
		{"run_shell_command", `{"command":"sed -i s/a/b/ main.go"}`, "shell edit"},
		{"Edit", `{"file_path":"a.go","old_string":"a","new_string":"b"}`, "edit"},
		{"write_file", `{"path":"a.go","content":"x"}`, "edit"},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Add File: a.go\n+x\n*** End Patch"}`, "edit"},
		{"str_replace_editor", `{"command":"view","path":"a.go"}`, "read"},
		{"str_replace_editor", `{"command":"str_replace","path":"a.go","old_str":"a","new_str":"b"}`, "edit"},
		{"read_file", `{"path":"a.go"}`, "read"},
		{"write_file", `{}`, "edit"},
		{"Grep", `{"pattern":"x"}`, "search"},
		{"WebFetch", `{"url":"https://example.com"}`, "web"},
		{"google_web_search", `{"query":"x"}`, "web"},
		{"mcp__files__write_file", `{"path":"a.go","content":"x"}`, "edit"},
		{"mcp__github__get_issue", `{"number":3}`, ""},
		{"Task", `{"description":"x","prompt":"y"}`, "agent"},
		{"TodoWrite", `{"todos":[]}`, "todo"},
		{"AskUserQuestion", `{"questions":[]}`, "question"},
		{"deploy_it", `{"command":"make deploy"}`, "shell"},
		{"deploy_it", `{"target":"prod"}`, ""},
	} {
		got := strings.Join(Does(&model.Content{Kind: model.ToolCall, Name: x.tool, Text: x.args, JSON: true}), " ")
		if got != x.want {
			t.Errorf("%s %s does %q, want %q", x.tool, x.args, got, x.want)
		}
	}
}
