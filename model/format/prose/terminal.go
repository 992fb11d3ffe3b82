package prose

import (
	"bytes"
	"strings"

	"turns/model"
)

// The beginnings of lines in copied or exported screens of terminal agents: Claude Code's /export
// since 1.0 and Codex's.
var (
	promptMarks = []string{"❯ ", "> ", "› "}
	answerMarks = []string{"⏺ ", "● ", "• "}
	resultMark  = lazy(`(?m)^\s*[⎿└] ?`)
	// Bash(ls -la), Read(main.go), mcp__files__list (MCP)(path: "/")
	screenCall = lazy(`(?s)^([A-Z][\w.-]*(?: [A-Z]\w*)?|\w+__\w+)(?: \(MCP\))?\((.*)\)\s*$`)
)

// lookForScreens finds text copied from the screen of an agent: prompts, answers and calls, each
// after a mark.
func lookForScreens(text []byte) *layout {
	prompts, answers, results := 0, 0, 0
	for line := range bytes.Lines(text) {
		switch screenMark(line) {
		case model.User:
			prompts++
		case model.Assistant:
			answers++
		}
		if resultMark().Match(line) {
			results++
		}
	}
	if prompts == 0 || answers == 0 || results == 0 && !bytes.Contains(text[:min(len(text), 2048)], []byte("Claude Code")) {
		return nil
	}
	return &layout{"the screen of an agent", true, cutScreen, emitScreen}
}

// screenMark returns the speaker from a line on.
func screenMark(line []byte) model.Role {
	if hasMark(line, promptMarks) != "" {
		return model.User
	}
	if hasMark(line, answerMarks) != "" {
		return model.Assistant
	}
	return model.NoRole
}

func hasMark(line []byte, marks []string) string {
	for _, mark := range marks {
		if bytes.HasPrefix(line, []byte(mark)) && len(bytes.TrimSpace(line)) > len(strings.TrimSpace(mark)) {
			return mark
		}
	}
	return ""
}

// cutScreen cuts before the next mark.
func cutScreen(text []byte, eof bool) ([]byte, int) {
	return cutBefore(text, eof, func(line []byte) bool { return screenMark(line) != model.NoRole })
}

// emitScreen appends a prompt, an answer or a call with its result.
func emitScreen(dst, piece []byte) []byte {
	role := screenMark(piece)
	if role == model.NoRole {
		return dst
	}
	mark := hasMark(piece, append(promptMarks[:len(promptMarks):len(promptMarks)], answerMarks...))
	body := piece[len(mark):]
	if role == model.User {
		return appendParts(dst, who{role: role}, unwrapped(body), nil)
	}
	head, result, answered := body, []byte(nil), false
	if at := resultMark().FindIndex(body); at != nil {
		head, result, answered = body[:at[0]], resultMark().ReplaceAll(body[at[0]:], nil), true
	}
	m := screenCall().FindSubmatch(bytes.TrimSpace(unwrapped(head)))
	if m == nil {
		return appendParts(dst, who{role: role}, unwrapped(body), nil)
	}
	result = unwrapped(result)
	t := tool{id: idOf(piece, 0), name: string(m[1]), args: string(m[2]), result: string(result), answered: answered}
	t.failed = bytes.HasPrefix(result, []byte("Error")) || bytes.HasPrefix(result, []byte("Interrupted"))
	return appendParts(dst, who{role: role}, nil, []tool{t})
}

// unwrapped returns a text without the white space that a screen adds around its lines.
func unwrapped(text []byte) []byte {
	var out []byte
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, " \t\r\n")
		for range 2 {
			line = bytes.TrimPrefix(line, []byte(" "))
		}
		out = append(append(out, line...), '\n')
	}
	return bytes.TrimSpace(out)
}
