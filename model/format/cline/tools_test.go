package cline

import (
	"strings"
	"testing"

	"turns/model"
)

// TestElementsOfCline: elements with these names in the assistant's text are calls.
func TestElementsOfCline(t *testing.T) {
	for name := range strings.FieldsSeq(`read_file write_to_file replace_in_file apply_diff insert_content search_and_replace search_files list_files
		list_code_definition_names execute_command browser_action use_mcp_tool access_mcp_resource new_task switch_mode fetch_instructions update_todo_list
		codebase_search web_fetch new_rule load_mcp_documentation edit_file generate_image run_slash_command unknown_tool`) {
		var fs model.Facts
		f := fs.Add(model.Say)
		f.Role = model.Assistant
		f.AddText(model.Words, model.StringText("Now.\n<"+name+">\n<path>a.go</path>\n</"+name+">"))
		clineCalls(f)
		call := ""
		for i := range f.Blocks {
			if f.Blocks[i].Kind == model.ToolCall {
				call = f.Blocks[i].Name.String()
			}
		}
		if want := strings.TrimPrefix(name, "unknown_tool"); call != want {
			t.Errorf("%s calls %q", name, call)
		}
	}
}

// TestHeadingsOfCline: a result begins with the tool and at most 20,000 bytes about its call.
func TestHeadingsOfCline(t *testing.T) {
	long := func(n int) string {
		return "[read_file " + strings.Repeat("x", n-len("[read_file ] Result:")) + "] Result:"
	}
	for text, want := range map[string]string{
		"[read_file for 'a.go'] Result:\nb": "read_file", "[read_file] Result:b": "read_file", "[subagents] Result:": "subagents",
		"read_file] Result:": "", "[] Result:": "", "[Read] Result:": "", "[read~] Result:": "", "[read_file] b": "", "": "", long(20_000): "read_file", long(20_001): "",
	} {
		name, at := clineHeading(model.StringText(text))
		if string(name) != want || want != "" && !strings.HasSuffix(text[:at], "] Result:") {
			t.Errorf("%.40q has the heading %q, and the result is at %d", text, name, at)
		}
	}
}
