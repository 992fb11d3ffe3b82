package describe

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"turns/model"
	"turns/query/human"
)

// CommandOf returns the complete command of a call, "" if its arguments have none.
func CommandOf(call *model.Content) string {
	a := ParseArgs(call)
	return a.command(len(call.Text))
}

// command returns about the first limit bytes of the command in the arguments.
func (a *CallArgs) command(limit int) string {
	raw := a.Raw(argsCommand...)
	if raw == "" {
		return ""
	}
	switch raw[0] {
	case '[':
		return commandOf(ListItems(raw, fieldsLook), limit)
	case '{': // {"command": {"command": […]}}
		inner := objectArgs(raw)
		if r := inner.Raw(argsCommand...); r != "" && r[0] != '{' {
			return inner.command(limit)
		}
	}
	return RawText(raw, limit)
}

// command returns the subject of a shell call: the command without the wrapper that every call of
// the session has.
func (d Describer) command(a *CallArgs) string {
	cmd := a.command(argTextMax)
	if cmd == "" && a.Raw(argsCommand...) == "" {
		cmd = human.Peek(a.text, argTextMax)
	}
	return d.unwrap(cmd)
}

// commandOf joins the words of a command with shell quoting. It joins several complete commands to
// a sequence.
func commandOf(items []string, limit int) string {
	words := make([]string, len(items))
	for i, item := range items {
		words[i] = RawText(item, limit)
	}
	if len(words) == 3 && isShell(words[0]) && strings.HasPrefix(words[1], "-") && strings.HasSuffix(words[1], "c") {
		return words[2]
	}
	if len(words) > 0 && strings.ContainsAny(words[0], " \t") {
		return strings.Join(words, " && ")
	}
	for i, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\"'$`|&;<>()") {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// isShell reports whether a word starts a shell, not a program with a similar name.
func isShell(word string) bool {
	switch folder, name := path.Split(word); folder {
	case "", "/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/":
		word = name
	}
	switch word {
	case "bash", "sh", "zsh", "dash", "fish", "bash.exe", "pwsh", "powershell", "powershell.exe":
		return true
	}
	return false
}

// unwrap drops uninformative parts: cd to the session's folder, a shell around the command,
// redirections that join the streams.
func (d Describer) unwrap(cmd string) string {
	for range 4 {
		cmd = dropShell(d.dropCd(strings.TrimSpace(cmd)))
	}
	first, rest, many := strings.Cut(cmd, "\n")
	first = strings.ReplaceAll(first, " 2>&1", "")
	if many {
		return first + "\n" + rest
	}
	return first
}

// dropCd drops "cd <session folder> &&".
func (d Describer) dropCd(cmd string) string {
	rest, ok := strings.CutPrefix(cmd, "cd ")
	if !ok || d.Cwd == "" {
		return cmd
	}
	end, skip := strings.Index(rest, "&&"), 2
	if semi := strings.IndexAny(rest, ";\n"); semi >= 0 && (end < 0 || semi < end) {
		end, skip = semi, 1
	}
	if end < 0 {
		return cmd
	}
	folder := strings.Trim(strings.TrimSpace(rest[:end]), `"'`)
	if strings.HasPrefix(folder, "~") {
		folder = d.Home + folder[1:]
	}
	if path.Clean(folder) != path.Clean(d.Cwd) || strings.ContainsAny(folder, "$`|&;<>()*?[]{}!\\\n\r\x1b'\"") {
		return cmd // keep it visible where the command is sent, or what else it does
	}
	return strings.TrimSpace(rest[end+skip:])
}

// dropShell drops "bash -lc '…'" around a command, and "timeout 60" before it.
func dropShell(cmd string) string {
	word, rest, ok := strings.Cut(cmd, " ")
	if !ok {
		return cmd
	}
	if word == "timeout" {
		limit, command, ok := strings.Cut(strings.TrimSpace(rest), " ")
		if ok && limit != "" && strings.Trim(limit, "0123456789.smhd") == "" {
			return command
		}
		return cmd
	}
	if !isShell(word) {
		return cmd
	}
	flag, script, ok := strings.Cut(strings.TrimSpace(rest), " ")
	if !ok || !strings.HasPrefix(flag, "-") || strings.ContainsFunc(flag[1:], func(r rune) bool { return !unicode.IsLetter(r) }) || !strings.HasSuffix(strings.ToLower(flag), "c") && !strings.EqualFold(flag, "-command") {
		return cmd
	}
	script = strings.TrimSpace(script)
	if len(script) < 3 || script[0] != '\'' && script[0] != '"' {
		return cmd
	}
	quote := script[:1]
	if script[len(script)-1:] != quote { // a long command that was cut, or more than one word
		if len(cmd) < argTextMax-8 {
			return cmd
		}
		return script[1:]
	}
	inside := script[1 : len(script)-1]
	if quote == "'" {
		return strings.ReplaceAll(inside, `'\''`, "'")
	}
	return strings.NewReplacer(`\"`, `"`, `\$`, "$", "\\`", "`", `\\`, `\`).Replace(inside)
}

// tailLook is how many bytes at the end of an output are searched for the line that explains a
// failure.
const tailLook = 32 << 10

// tellingLine returns the line of a failed output that explains why: the last that mentions a
// failure, otherwise the last.
func tellingLine(text string) string {
	cut := len(text) > tailLook
	tail := text[max(0, len(text)-tailLook):]
	last, known, head, next := "", "", "", "" // next follows the examined line
	for tail != "" {
		i := strings.LastIndexByte(tail, '\n')
		if i < 0 && cut {
			break // its beginning is missing
		}
		line := strings.TrimLeft(strings.TrimSpace(tail[i+1:]), "│ ") // Terraform draws a frame
		switch {
		case line == "" || boring(line):
		case heads(line) && next == "":
			head = line
		case speaksOfFailure(line):
			if known = line; heads(line) {
				known = next
			}
		default:
			last, next = cmp.Or(last, line), line
		}
		if known != "" {
			break
		}
		tail = tail[:max(i, 0)]
	}
	known = cmp.Or(known, last, head)
	return model.CleanLine(withoutPlace(human.CutBytes(known, 400)))
}

// heads reports whether a line only labels the lines after it: "ERROR:", "stderr output:".
func heads(line string) bool { return strings.HasSuffix(line, ":") && strings.Count(line, " ") < 2 }

// isPrompt reports whether a line is the prompt of a shell, or the state that SWE-agent prints
// above it.
func isPrompt(line string) bool {
	if isState(line) {
		return true
	}
	rest := strings.TrimRight(line, "$#% >")
	return rest != line && len(line) < 80 && !strings.ContainsAny(rest, " \t") && (strings.HasSuffix(line, "$") || strings.HasSuffix(line, "#")) &&
		(rest == "" || strings.ContainsAny(rest, "-@:~"))
}

// showing are programs that only print: their output does not show how they went.
var showing = [...]string{
	"cat", "nl", "sed", "head", "tail", "bat", "less", "ls", "tree", "find", "fd", "rg", "grep", "egrep", "git grep", "git show", "git diff", "git log", "jq",
	"sort", "uniq", "cut", "tr", "column", "awk", "Get-Content", "Get-ChildItem", "Select-String", "type", "dir",
}

// shows reports whether the last pipeline of a command line, at its first and last program, only
// prints.
func shows(cmd string) bool {
	cmd = dropShell(strings.TrimSpace(cmd))
	if strings.Contains(cmd, "\n") {
		return false
	}
	cmd = cmd[strings.LastIndex(cmd, "&& ")+1:]
	cmd = strings.TrimLeft(cmd[strings.LastIndex(cmd, "; ")+1:], "& ")
	return isShowing(cmd) && isShowing(strings.TrimLeft(cmd[strings.LastIndex(cmd, "| ")+1:], " "))
}

func isShowing(cmd string) bool {
	for _, name := range showing {
		if rest, ok := strings.CutPrefix(cmd, name); ok && (rest == "" || rest[0] == ' ') {
			return true
		}
	}
	return false
}

// afterFailure begin the lines that test runners and package managers print after a failure,
// whatever its cause.
var afterFailure = [...]string{
	"npm error A complete log of this run", "npm ERR! A complete log of this run", "npm error command ", "npm ERR! command ", "npm error Lifecycle script ",
	"npm ERR! Lifecycle script ", "npm error path ", "npm ERR! path ", "npm error workspace ", "npm ERR! workspace ", "npm error location ", "npm ERR! location ",
	"npm error code ELIFECYCLE", "npm ERR! code ELIFECYCLE", "npm error code 1", "npm ERR! code 1", "npm error code 2", "npm ERR! code 2",
	"ELIFECYCLE ", "Command exited with code ", "Command failed with exit code ", "FAIL\t",
}

// boring reports whether a line is uninformative: rules, brackets, closing tags, advice, prompts.
func boring(line string) bool {
	if line == "FAIL" || slices.ContainsFunc(afterFailure[:], func(s string) bool { return strings.HasPrefix(line, s) }) {
		return true
	}
	if strings.HasPrefix(line, "</") || strings.HasPrefix(line, "<system-reminder") || strings.HasPrefix(line, "hint: ") {
		return true
	}
	if isPrompt(line) || line == "Waiting for the debugger to disconnect..." { // Node.js, in the terminal of an editor
		return true
	}
	return strings.Trim(line, "-=*_#~^|+.()[]{}<> \t") == ""
}

var failureWords = [...]string{
	"error", "fail", "fatal", "panic", "exception", "not found", "no such", "cannot", "can't", "could not", "couldn't", "unable",
	"denied", "undefined", "unknown", "invalid", "missing", "refused", "rejected", "conflict", "traceback", "abort", "killed", "timed out",
	"ignored", "unresolved", "expected", "mismatch", "not allowed", "unrecognized",
}

func speaksOfFailure(line string) bool {
	low := strings.ToLower(human.Peek(line, 400))
	for _, no := range [...]string{"0 errors", "0 failures", "0 failed", "no errors", "0 error(s)"} {
		if i := strings.Index(low, no); i == 0 || i > 0 && (low[i-1] < '0' || low[i-1] > '9') {
			low = strings.ReplaceAll(low, no, "")
		}
	}
	return slices.ContainsFunc(failureWords[:], func(w string) bool { return strings.Contains(low, w) })
}

// withoutPlace drops the file and line that compilers print before their messages.
func withoutPlace(line string) string {
	for range 2 {
		i := strings.Index(line, ": ")
		if i <= 0 || strings.ContainsAny(line[:i], " \t") || !strings.Contains(line[:i], ":") {
			break
		}
		last := line[strings.LastIndexByte(line[:i], ':')+1 : i]
		if _, err := strconv.Atoi(last); err != nil {
			break
		}
		line = line[i+2:]
	}
	return line
}
