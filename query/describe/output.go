package describe

import (
	"slices"
	"strconv"
	"strings"

	"turns/model"
	"turns/query/human"
)

// Output returns the text of a result without the additions of the agent's program: Codex's list of
// texts, Claude Code's number of the result, SWE-agent's state. It returns other texts unchanged.
func Output(text string) string { return withoutState(withoutNumber(scriptOutput(text))) }

// ShellOutput returns the output of a command, without the report that some agents put around
// it.
func ShellOutput(result *model.Content) string { return readShell(Output(result.Text)).text }

// withoutNumber cuts the last line that Claude Code adds to a long result, "[result-id: r7]". A
// later result with the same text refers to it.
func withoutNumber(text string) string {
	const mark = "\n[result-id: r"
	line := strings.TrimRight(text, "\n")
	i := strings.LastIndexByte(line, '\n')
	if i < 0 {
		return text
	}
	number, ok := strings.CutPrefix(line[i:], mark)
	if number, closed := strings.CutSuffix(number, "]"); ok && closed && isNumber(number) {
		return text[:i]
	}
	return text
}

// withoutState cuts the lines that SWE-agent adds to each result: the open file, the folder, and
// the prompt of the shell below them.
func withoutState(text string) string {
	body := strings.TrimRight(text, " \n")
	if !strings.HasSuffix(body, "$") || !strings.Contains(body[max(0, len(body)-tailLook):], stateLines[1]) {
		return text
	}
	for seen := false; ; {
		i := strings.LastIndexByte(body, '\n')
		line := body[i+1:]
		if state := isState(line); !state && (seen || !isPrompt(line)) {
			break
		} else if seen = seen || state; i < 0 {
			return ""
		}
		body = body[:i]
	}
	return body
}

// stateLines begin the lines that SWE-agent prints above its prompt.
var stateLines = [...]string{"(Open file: ", "(Current directory: ", "(Interactive session: ", "(Current preset: "}

func isState(line string) bool {
	return strings.HasSuffix(line, ")") && slices.ContainsFunc(stateLines[:], func(s string) bool { return strings.HasPrefix(line, s) })
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// sameResult returns what replaces a result that Claude Code returned before: from "<identical to
// result [r3] from your Read call earlier — refer to that output>", "same as Read result r3".
func sameResult(text string) string {
	rest, refers := strings.CutPrefix(text, "<identical to result [")
	rest, whole := strings.CutSuffix(rest, " call earlier — refer to that output>")
	number, tool, ok := strings.Cut(rest, "] from your ")
	if !refers || !whole || !ok {
		return ""
	}
	return model.CleanLine("same as " + tool + " result " + number)
}

// silent are the texts that programs record for a command without output.
var silent = [...]string{
	"(no output)", "(Bash completed with no output)", "<system>Tool ran without output or errors</system>", "Tool ran without output or errors",
}

// scriptOutput returns the texts of an output that Codex records as a list, without the header
// before the script's output. If the script failed, it returns only the error. It returns other
// texts unchanged.
func scriptOutput(text string) string {
	if !strings.HasPrefix(text, `[{"type":"input_text"`) {
		return text
	}
	var said []string
	for _, item := range ListItems(text, argFieldsMax) {
		part := objectArgs(item).Get("text")
		if why, failed := strings.CutPrefix(part, "Script error:\n"); failed {
			return why
		}
		if len(said) > 0 || !strings.HasSuffix(part, "\nOutput:\n") {
			said = append(said, part)
		}
	}
	return strings.Join(said, "\n")
}

// shellResult is the output of a command, without the text that its tool adds.
type shellResult struct {
	text    string
	code    int
	hasCode bool
}

// readShell parses the ways in which agents record how a command ended.
func readShell(text string) shellResult {
	r := shellResult{text: text}
	if strings.HasPrefix(text, "{") && len(text) < 16<<20 {
		fields := objectArgs(text)
		out := fields.Raw("output", "stdout", "aggregated_output", "aggregatedOutput")
		code := fields.Raw("exit_code", "exitCode", "returncode")
		if meta := fields.Raw("metadata"); meta != "" && meta[0] == '{' && code == "" {
			code = objectArgs(meta).Raw("exit_code", "exit", "exitCode")
		}
		if out != "" || code != "" {
			r.text = RawText(out, len(out))
			if errs := fields.Raw("stderr"); r.text == "" && errs != "" {
				r.text = RawText(errs, len(errs))
			}
			r.text = model.Printed(r.text)
			r.code, r.hasCode = exitNumber(code)
			return r
		}
	}
	if slices.Contains(silent[:], strings.TrimSpace(human.Peek(text, 80))) {
		return shellResult{}
	}
	if r, ok := readChunk(text); ok {
		return r
	}
	if strings.HasPrefix(text, "Command: ") || strings.HasPrefix(text, "Output: ") {
		return readReport(text)
	}
	if above, out, ok := cutSentence(text); ok {
		r.text = out
		if _, code, ok := strings.Cut(strings.ToLower(above), "exit code"); ok {
			r.code, r.hasCode = exitNumber(strings.TrimLeft(code, ": "))
		}
		return r
	}
	head := human.Peek(text, 512)
	for _, mark := range [...]string{"Exit code ", "Exit code: ", "Process exited with code ", "<returncode>", "Exit Code: ", "exit code: "} {
		i := strings.Index(head, mark)
		if i < 0 || i > 0 && head[i-1] != '\n' && mark != "Process exited with code " {
			continue
		}
		if r.code, r.hasCode = exitNumber(head[i+len(mark):]); !r.hasCode {
			continue
		}
		if out := strings.Index(head, "\nOutput:\n"); out >= 0 {
			r.text = text[out+len("\nOutput:\n"):]
		} else if i == 0 {
			_, r.text, _ = strings.Cut(text, "\n")
		}
		return r
	}
	tail := text[max(0, len(text)-200):]
	for _, mark := range [...]string{"exited with code ", "exit code: ", "exit code ", "exit status ", "Exit Code: ", "Exit code: "} {
		i := strings.LastIndex(tail, mark)
		if i < 0 {
			continue
		}
		if r.code, r.hasCode = exitNumber(tail[i+len(mark):]); r.hasCode {
			if at := strings.LastIndexByte(text, '\n'); at >= 0 && len(text)-at <= len(tail)-i+40 && mark != "exit status " {
				r.text = text[:at]
			}
			return r
		}
	}
	return r
}

// withoutEcho cuts the lines of a terminal around the output of a command: the title of Terminus,
// the prompt with the command, and the next prompt.
func withoutEcho(text, cmd string) string {
	text, ok := cutTerminal(text)
	if !ok {
		return text
	}
	first, rest, _ := strings.Cut(text, "\n")
	if before, ok := strings.CutSuffix(first, strings.TrimSpace(cmd)); ok && isPrompt(strings.TrimSpace(before)) {
		text = rest
	}
	if i := strings.LastIndexByte(text, '\n'); isPrompt(text[i+1:]) {
		text = text[:max(i, 0)]
	}
	return text
}

// terminalTitles are the titles that Terminus puts above the lines of its terminal.
var terminalTitles = [...]string{"New Terminal Output:", "Current Terminal Screen:"}

// cutTerminal returns the lines of a terminal without their title; ok is false without a title.
func cutTerminal(text string) (lines string, ok bool) {
	for _, title := range terminalTitles {
		if lines, ok := strings.CutPrefix(text, title); ok {
			return strings.TrimSpace(lines), true
		}
	}
	return text, false
}

// cutSentence cuts the sentence that Cline and Roo Code put above an output: "Command executed
// successfully (exit code 0).", with the line "Output:" below it.
func cutSentence(text string) (above, output string, ok bool) {
	above, output, _ = strings.Cut(text, "\n")
	if !strings.HasPrefix(above, "Command executed") && !strings.HasPrefix(above, "Command failed with exit code ") {
		return "", "", false
	}
	rest, ok := strings.CutPrefix(output, "Output:")
	return above, strings.TrimPrefix(rest, "\n"), ok || output == ""
}

// readChunk parses the output of Codex's commands, which may still run. Lines with labels are above
// it, since version 0.118 also the command.
func readChunk(text string) (r shellResult, ok bool) {
	chunk := text
	if strings.HasPrefix(text, "Command: ") {
		if at := strings.Index(text, "\nChunk ID: "); at >= 0 {
			chunk = text[at+1:]
		}
	}
	if !strings.HasPrefix(chunk, "Chunk ID: ") {
		return r, false
	}
	labels, out, ok := strings.Cut(chunk, "\nOutput:\n")
	if !ok {
		return r, false
	}
	r.text = out
	if _, code, ended := strings.Cut(labels, "\nProcess exited with code "); ended {
		r.code, r.hasCode = exitNumber(code)
	}
	return r, true
}

// readReport parses a report of labelled lines, as Gemini's shell writes it.
func readReport(text string) shellResult {
	r := shellResult{text: text}
	tail := text[max(0, len(text)-600):]
	if i := strings.LastIndex(tail, "\nExit Code: "); i >= 0 {
		r.code, r.hasCode = exitNumber(tail[i+len("\nExit Code: "):])
	}
	if _, output, ok := strings.Cut(text, "Output: "); ok {
		r.text = output
	}
	for _, label := range [...]string{"\nProcess Group PGID: ", "\nBackground PIDs: ", "\nSignal: ", "\nExit Code: ", "\nError: "} {
		if i := strings.LastIndex(r.text, label); i >= 0 && len(r.text)-i < 8<<10 {
			if label == "\nError: " && !strings.HasPrefix(r.text[i+len(label):], "(none)") {
				continue
			}
			r.text = r.text[:i]
		}
	}
	if r.text == "(empty)" {
		r.text = ""
	}
	return r
}

func exitNumber(s string) (int, bool) {
	end := 0
	for end < len(s) && (s[end] >= '0' && s[end] <= '9' || end == 0 && s[end] == '-') {
		end++
	}
	n, err := strconv.Atoi(s[:end])
	return n, err == nil
}
