package gptme

import (
	"bytes"
	"slices"

	"turns/model"
	"turns/model/format/kit"
)

// gptme runs calls in the assistant's text: a fenced block whose first word is a tool, a line
// @tool(id): {…}, or an element <tool-use>. A setting selects the notation; one conversation may
// contain all three.

// gptmeTools are the first words of the fenced blocks that gptme runs. It only shows blocks of
// python or bash to the reader.
var gptmeTools = map[string]bool{
	"shell": true, "ipython": true, "save": true, "append": true, "patch": true, "patch_many": true, "morph": true, "read": true,
	"tmux": true, "browser": true, "gh": true, "vision": true, "screenshot": true, "chats": true, "subagent": true, "computer": true,
	"rag": true, "todo": true, "todoread": true, "todowrite": true, "choice": true, "form": true, "complete": true, "restart": true,
	"memory": true, "mcp": true, "lessons": true, "youtube": true, "elicit": true,
}

// gptmeLine holds the offsets of a line in a text, and of the line after it.
type gptmeLine struct{ from, to, next int }

// gptmeNext returns the line that begins at the offset from of a text, whose line breaks may be
// escaped.
func gptmeNext(t model.Text, from int) gptmeLine {
	raw := t.Raw()
	if t.Encoding() != model.JSONString {
		if i := bytes.IndexByte(raw[from:], '\n'); i >= 0 {
			return gptmeLine{from, from + i, from + i + 1}
		}
		return gptmeLine{from, len(raw), len(raw)}
	}
	for at := from; at < len(raw); {
		i := bytes.IndexByte(raw[at:], '\\')
		if i < 0 || at+i+1 >= len(raw) {
			break
		}
		at += i
		if raw[at+1] == 'n' {
			return gptmeLine{from, at, at + 2}
		}
		at += 2
	}
	return gptmeLine{from, len(raw), len(raw)}
}

// GptmeCalls adds a text of the assistant, split into its words and calls in their order.
func GptmeCalls(f *model.Fact, t model.Text) {
	raw := t.Raw()
	done := 0 // the text before this offset is added
	words := func(to int) {
		if part := t.Cut(done, to).TrimSpace(); !part.Empty() {
			f.AddText(model.Words, part)
		}
	}
	for at, misses := 0, 0; at < len(raw) && misses < kit.MaxMisses; {
		line := gptmeNext(t, at)
		at = line.next
		next := 0
		switch b := raw[line.from:line.to]; {
		case kit.HasPrefix(b, "```"):
			next = gptmeFence(f, t, line, func() { words(line.from) })
		case kit.HasPrefix(b, "@"):
			next = gptmeLineCall(f, t, line, func() { words(line.from) })
		case kit.HasPrefix(b, "<tool-use>"):
			next = gptmeElement(f, t, line, func() { words(line.from) })
		}
		if next > 0 {
			at, done = next, next
		} else if kit.HasPrefix(raw[line.from:line.to], "```") {
			_, at = gptmeFenceEnd(t, line) // gptme does not run calls inside it
		} else if next < 0 {
			misses++
		}
	}
	if done == 0 {
		f.AddText(model.Words, t)
		return
	}
	words(len(raw))
}

// gptmeFence adds the call of a fenced block and returns its end; 0 if the block is not a call or
// is not closed.
func gptmeFence(f *model.Fact, t model.Text, line gptmeLine, before func()) int {
	info := bytes.TrimSpace(t.Raw()[line.from+3 : line.to])
	tool, args, _ := bytes.Cut(info, []byte(" "))
	if !gptmeTools[string(tool)] {
		return 0
	}
	end, next := gptmeFenceEnd(t, line)
	if end < 0 {
		return 0
	}
	before()
	b := f.Add(model.ToolCall)
	b.Name = model.PlainText(tool)
	b.Text = t.Cut(line.next, max(line.next, end))
	if args = bytes.TrimSpace(args); len(args) > 0 { // save a.py: the name is on the opening line
		b.Text = t.Cut(line.from+3+bytes.Index(t.Raw()[line.from+3:line.to], args), max(line.next, end))
	}
	b.Text = b.Text.TrimSpace()
	return next
}

// gptmeFenceEnd returns where the inside of a fenced block ends and where the text after it begins.
// Blocks may be nested: an opening fence has a language. end is -1 if the block is not closed.
func gptmeFenceEnd(t model.Text, line gptmeLine) (end, next int) {
	raw := t.Raw()
	depth := 1
	for at := line.next; at < len(raw); {
		l := gptmeNext(t, at)
		at = l.next
		b := bytes.TrimRight(raw[l.from:l.to], " ")
		if !kit.HasPrefix(b, "```") {
			continue
		}
		if len(bytes.Trim(b, "`")) > 0 {
			depth++
		} else if depth--; depth == 0 {
			return l.from, l.next
		}
	}
	return -1, len(raw)
}

// gptmeLineCall adds the call of a line "@tool(id): {…}", whose arguments may span several lines.
// It returns the end of the call: 0 if the line is not a call, -1 if its arguments are not closed.
func gptmeLineCall(f *model.Fact, t model.Text, line gptmeLine, before func()) int {
	raw := t.Raw()
	open := bytes.IndexByte(raw[line.from:line.to], '(')
	closed := bytes.Index(raw[line.from:line.to], []byte("):"))
	if open < 2 || closed < open+2 {
		return 0
	}
	name, id := raw[line.from+1:line.from+open], raw[line.from+open+1:line.from+closed]
	for _, c := range name {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_') {
			return 0
		}
	}
	args := line.from + closed + 2
	for args < len(raw) && raw[args] == ' ' {
		args++
	}
	end := gptmeObjectEnd(t, args)
	if end < 0 {
		return -1
	}
	before()
	b := f.Add(model.ToolCall)
	b.Name, b.ID, b.Text = model.PlainText(name), model.PlainText(id), t.Cut(args, end)
	return end
}

// gptmeObjectEnd returns the end of the JSON object that begins at the offset at of a text; -1 if
// there is no complete object.
func gptmeObjectEnd(t model.Text, at int) int {
	raw := t.Raw()
	if at >= len(raw) || raw[at] != '{' {
		return -1
	}
	escaped := t.Encoding() == model.JSONString
	depth, quoted, literal := 0, false, false
	for ; at < len(raw); at++ {
		c := raw[at]
		if escaped && c == '\\' && at+1 < len(raw) {
			at++
			if c = raw[at]; c == 'n' || c == 't' || c == 'r' || c == 'u' {
				c = ' ' // the escaped character is not a bracket
			}
		}
		switch {
		case literal:
			literal = false
		case quoted && c == '\\':
			literal = true
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return at + 1
			}
		}
	}
	return -1
}

// gptmeElement adds the call of "<tool-use><tool args="…">…</tool></tool-use>".
func gptmeElement(f *model.Fact, t model.Text, line gptmeLine, before func()) int {
	raw := t.Raw()
	size := bytes.Index(raw[line.from:], []byte("</tool-use>"))
	if size < 0 {
		return -1
	}
	inner := t.Cut(line.from+len("<tool-use>"), line.from+size).TrimSpace()
	in := inner.Raw()
	open := bytes.IndexByte(in, '>')
	last := bytes.LastIndex(in, []byte("</"))
	if len(in) == 0 || in[0] != '<' || open < 2 || last <= open {
		return 0
	}
	name, _, _ := bytes.Cut(in[1:open], []byte(" "))
	before()
	b := f.Add(model.ToolCall)
	b.Name, b.Text = model.PlainText(name), inner.Cut(open+1, last).TrimSpace()
	return line.from + size + len("</tool-use>")
}

// gptmeResults are the beginnings of the system's messages that are results of calls.
var gptmeResults = []string{
	"Ran ", "Executed code block", "Saved to ", "Saved file", "Appended to ", "Patch ", "No output",
	"Error", "Aborted", "Promoted to background", "**Job #", "Shell command timed out", "Command timed out", "Interrupted", "```stdout",
	"```stderr", "Execution declined", "Declined",
}

// gptmeIsResult reports whether a message of the system, which has no id, is the result of a call.
func gptmeIsResult(t model.Text) bool {
	t = t.TrimSpace()
	return slices.ContainsFunc(gptmeResults, t.HasPrefix)
}

// gptmeOutcome returns the outcome of a call from the text of its result.
func gptmeOutcome(t model.Text) model.Outcome {
	raw := t.Raw()
	switch top := kit.Head(t, kit.OutcomeWindow); {
	case kit.HasPrefix(top, "Aborted"), kit.HasPrefix(top, "Execution declined"), kit.HasPrefix(top, "Declined"):
		return model.Denied
	case kit.HasPrefix(top, "Interrupted"):
		return model.Stopped
	case kit.HasPrefix(top, "Promoted to background"):
		return model.Background
	case kit.HasPrefix(top, "Shell command timed out"), kit.HasPrefix(top, "Command timed out"):
		return model.TimedOut
	case kit.HasPrefix(top, "Patch failed"), kit.HasPrefix(top, "Error"):
		return kit.FailureOf(t)
	}
	const mark = "Return code: "
	if i := bytes.LastIndex(raw, []byte(mark)); i >= max(0, len(raw)-kit.OutcomeWindow) {
		if code, ok := kit.LeadingInt(raw[i+len(mark):]); ok && code != 0 {
			return model.Failure
		} else if ok {
			return model.Success
		}
	}
	return kit.OutcomeOfText(t)
}
