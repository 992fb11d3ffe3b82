package codex

import (
	"bytes"

	"turns/model"
)

// scriptCalls is what a call of a script and the item that completes it are known by: the tool's
// name, or of a command its text.
func scriptCalls(name []byte) model.Key { return model.HashString("calls").With(name) }

func scriptRuns(command model.Text) model.Key {
	return model.HashString("runs").With(command.Append(nil))
}

// tellScript tells what the text of a script calls, to know later to which of several scripts an
// item belongs.
func tellScript(f *model.Fact, text model.Text) {
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
		key := scriptCalls(name)
		if string(name) == "exec_command" {
			if command, ok := commandOf(source[1:]); ok {
				key = scriptRuns(model.PlainText(command))
			}
		}
		f.Calls = append(f.Calls, key)
	}
}

// word is how many bytes of an identifier source begins with.
func word(source []byte) int {
	n := 0
	for n < len(source) && (source[n] == '_' || source[n] == '$' || source[n]|0x20 >= 'a' && source[n]|0x20 <= 'z' || source[n] >= '0' && source[n] <= '9') {
		n++
	}
	return n
}

// commandOf is the command of the arguments of exec_command, where it is a plain string: that of
// {cmd: "…"}, in whatever quotes.
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
	return literal(bytes.TrimLeft(rest[1:], " \n\t\r"))
}

// literal is the text of the string of JavaScript that source begins with; false where it has
// values in it, or an escape that few write.
func literal(source []byte) (text []byte, ok bool) {
	if len(source) == 0 || bytes.IndexByte([]byte("\"'`"), source[0]) < 0 {
		return nil, false
	}
	quote := source[0]
	for i := 1; i < len(source); i++ {
		switch c := source[i]; {
		case c == quote:
			return text, true
		case c == '$' && quote == '`' && i+1 < len(source) && source[i+1] == '{':
			return nil, false
		case c == '\\' && i+1 < len(source):
			i++
			at := bytes.IndexByte([]byte("ntr\\\"'`/"), source[i])
			if at < 0 {
				return nil, false
			}
			text = append(text, "\n\t\r\\\"'`/"[at])
		default:
			text = append(text, c)
		}
	}
	return nil, false
}
