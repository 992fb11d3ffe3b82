package cline

import (
	"bytes"
	"slices"

	"turns/model"
	"turns/model/format/kit"
)

// Before Cline used the APIs' tool calls, a call was an XML element in the assistant's text. Its
// result was a text in the next user message that begins with "[read_file for 'a.go'] Result:".

// clineTools are the names of the elements that are calls.
var clineTools = []string{
	"read_file", "write_to_file", "replace_in_file", "apply_diff", "insert_content", "search_and_replace", "search_files",
	"list_files", "list_code_definition_names", "execute_command", "browser_action", "use_mcp_tool", "access_mcp_resource",
	"new_task", "switch_mode", "fetch_instructions", "update_todo_list", "codebase_search", "web_fetch", "new_rule",
	"load_mcp_documentation", "edit_file", "generate_image", "run_slash_command",
}

// clineCalls splits the calls from the assistant's texts.
func clineCalls(f *model.Fact) {
	for i := 0; i < len(f.Blocks); i++ {
		b := f.Blocks[i]
		if b.Kind != model.Words {
			continue
		}
		name, from, inner, end, to := clineElementIn(b.Text)
		if name == "" {
			continue
		}
		parts := make([]model.Block, 0, 3)
		if before := b.Text.Cut(0, from); !before.Blank() {
			parts = append(parts, model.Block{Kind: model.Words, Text: before.TrimSpace()})
		}
		parts = append(parts, model.Block{Kind: model.ToolCall, Name: model.StringText(name), Text: b.Text.Cut(inner, end).TrimSpace()})
		next := i + len(parts)
		if after := b.Text.Cut(to, b.Text.Size()); !after.Blank() {
			parts = append(parts, model.Block{Kind: model.Words, Text: after.TrimSpace()})
		}
		f.Blocks = slices.Replace(f.Blocks, i, i+1, parts...)
		i = next - 1
	}
}

// clineElementIn finds the first element of a call in a text: <name> begins at from, its content
// spans inner to end, and to is the end of the element. name is "" if there is none.
func clineElementIn(t model.Text) (name string, from, inner, end, to int) {
	raw := t.Raw()
	from = len(raw)
	for at := 0; at < len(raw); at++ {
		i := bytes.IndexByte(raw[at:], '<')
		if i < 0 {
			break
		}
		at += i
		if name = clineToolAt(raw[at+1:]); name != "" {
			from = at
			break
		}
	}
	if name == "" {
		return "", 0, 0, 0, 0
	}
	inner = from + len(name) + 2
	for at := inner; ; at++ {
		i := bytes.Index(raw[at:], []byte("</"))
		if i < 0 { // the answer was cut off
			return name, from, inner, len(raw), len(raw)
		}
		if at += i; clineToolAt(raw[at+2:]) == name {
			return name, from, inner, at, at + len(name) + 3
		}
	}
}

func clineToolAt(b []byte) string {
	for _, name := range clineTools {
		if kit.HasPrefix(b, name) && len(b) > len(name) && b[len(name)] == '>' {
			return name
		}
	}
	return ""
}

// clineResults turns the user's texts that are results into result blocks. The result is the text
// after the heading or, if that is empty, the next text. native: the calls are blocks, also those
// that ask the user.
func clineResults(f *model.Fact, native bool) {
	for i := 0; i < len(f.Blocks); i++ {
		b := &f.Blocks[i]
		if b.Kind != model.Words {
			continue
		}
		name, at := clineHeading(b.Text)
		if name == nil {
			continue
		}
		text := b.Text.Cut(at, b.Text.Size()).TrimSpace()
		if text.Empty() && i+1 < len(f.Blocks) && f.Blocks[i+1].Kind == model.Words && !kit.IsInjected(f.Blocks[i+1].Text) {
			if next, _ := clineHeading(f.Blocks[i+1].Text); next == nil {
				text = f.Blocks[i+1].Text
				f.Blocks = slices.Delete(f.Blocks, i+1, i+2)
			}
		}
		r := model.Block{Kind: model.ToolResult, Name: clineTool(name), Text: text}
		if asksUser(name, text) && !kit.IsInjected(text) {
			b.Text = text
			if native { // the words of the user answer the call
				r.Text, r.Outcome = model.Text{}, model.Success
				f.Blocks = slices.Insert(f.Blocks, i, r)
				i++
			}
			continue
		}
		switch window := kit.Head(text, kit.OutcomeWindow); {
		case kit.Contains(window, "The user denied this operation"):
			r.Outcome = model.Denied
		case kit.Contains(window, "The tool execution failed with the following error"), kit.HasPrefix(window, "<error>"):
			r.Outcome = kit.FailureOf(text)
		default:
			r.Outcome = kit.OutcomeOfText(text)
		}
		f.Blocks[i] = r
	}
}

// asking are the tools that speak to the user: the text after their heading is the user's.
var asking = []string{"ask_followup_question", "plan_mode_respond"}

// notContent begins the result of attempt_completion that has the user's words.
const notContent = "The user has provided feedback on the results"

func asksUser(name []byte, result model.Text) bool {
	return slices.Contains(asking, string(name)) || string(name) == "attempt_completion" && result.HasPrefix(notContent)
}

// clineTool returns the name of the call that a heading names.
func clineTool(heading []byte) model.Text {
	if string(heading) == "subagents" {
		return model.StringText("use_subagents")
	}
	return model.EscapedText(heading)
}

// clineHeading reads "[read_file for 'a.go'] Result:" at the beginning of a text. It returns the
// tool and the offset of the result. The name is nil for any other text.
func clineHeading(t model.Text) (name []byte, at int) {
	const mark = "] Result:"
	heading, _, found := bytes.Cut(kit.Head(t, longestHeading), []byte(mark))
	name, _, _ = bytes.Cut(bytes.TrimPrefix(heading, []byte("[")), []byte(" "))
	if !found || !kit.HasPrefix(heading, "[") || !isToolName(name) {
		return nil, 0
	}
	return name, len(heading) + len(mark)
}

// longestHeading is the most bytes of a heading, which repeats the model's question.
const longestHeading = 20_000

// isToolName reports whether a word is spelled like Cline's tool names.
func isToolName(word []byte) bool {
	for _, c := range word {
		if c != '_' && (c < 'a' || c > 'z') {
			return false
		}
	}
	return len(word) > 0
}
