package codex

import (
	"bytes"
	"strconv"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// scriptCalls returns the key that matches a call of a script with the item that completes it: by
// the tool's name, or for a command (scriptRuns) by its text.
func scriptCalls(name []byte) model.Key { return model.HashString("calls").With(name) }

func scriptRuns(command model.Text) model.Key {
	return model.HashString("runs").With(command.Append(nil))
}

// emitScript records the calls in the text of a script, to find out later which of several scripts
// an item belongs to.
func emitScript(f *model.Fact, text model.Text) {
	if !text.Contains("tools.") {
		return
	}
	for source := text.Append(nil); ; {
		at := bytes.Index(source, []byte("tools."))
		if at < 0 {
			return
		}
		source = source[at+len("tools."):]
		name := source[:word(source)]
		source = source[len(name):]
		if len(name) == 0 || len(source) == 0 || source[0] != '(' {
			continue
		}
		key := scriptCalls(toolOf(name))
		if string(name) == "exec_command" {
			if command, ok := commandOf(source[1:]); ok {
				key = scriptRuns(model.PlainText(command))
			}
		}
		f.Calls = append(f.Calls, key)
	}
}

// commandOf returns the command from the arguments of exec_command if it is a plain string: {cmd:
// "…"}, in any quotes.
func commandOf(source []byte) (command []byte, ok bool) {
	source = bytes.TrimLeft(source, " \n\t\r{\"'")
	rest, ok := bytes.CutPrefix(source, []byte("cmd"))
	if !ok {
		return nil, false
	}
	rest = bytes.TrimLeft(rest, "\"' \n\t\r")
	if len(rest) == 0 || rest[0] != ':' {
		return nil, false
	}
	j := javaScript{source: bytes.TrimLeft(rest[1:], " \n\t\r")}
	return j.text()
}

// emitInText adds the calls that a script certainly made according to its text. It is for scripts
// whose calls no item records.
func (l *codexLine) emitInText(script, text model.Text) {
	if script.Empty() || !text.Contains("tools") {
		return
	}
	calls := callsOfText(text.Append(nil))
	if len(calls) == 0 {
		return
	}
	f := l.addMessage(model.Assistant)
	f.Join = model.InText
	for i := range calls {
		c := f.Add(model.ToolCall)
		id := strconv.AppendInt(append(script.Append(nil), '/'), int64(i+1), 10)
		c.ID, c.Name, c.Text = model.PlainText(id), model.PlainText(toolOf(calls[i].name)), calls[i].args
		c.Key, c.Within, c.Nesting = model.Hash(id), script.Hash(), model.OfText
		if calls[i].awaited && throws(string(calls[i].name)) {
			c.Outcome = model.Success
		}
	}
}

// toolOf returns the name that items use for a tool of scripts.
func toolOf(name []byte) []byte {
	if string(name) == "web__run" {
		return []byte("web_search")
	}
	return name
}

// throws reports whether a failed call of the tool ends a script that waits for it. Commands return
// their exit code instead, and MCP servers an error flag.
func throws(tool string) bool {
	return tool == "apply_patch" || tool == "update_plan" || tool == "view_image"
}

// failedItself reports whether a script failed with a JavaScript error. Such errors have a type;
// errors of tools are plain texts (openai/codex, codex-rs/code-mode/src/runtime/value.rs).
func failedItself(output []byte) bool {
	for part := range jsonspan.List(output) {
		rest, ok := bytes.CutPrefix(kit.Inside(jsonspan.Get(part, "text")), []byte(`Script error:\n`))
		if kind := rest[:word(rest)]; ok && bytes.HasSuffix(kind, []byte("Error")) {
			return true
		}
	}
	return false
}
