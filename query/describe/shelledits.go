package describe

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"turns/query/human"
)

// shellParts splits a command that edits files: each here document for a file becomes a diff, each
// patch a diff for each file, a program becomes code of its language, and an edit in place its
// files and scripts. It returns nil for any other command.
func shellParts(cmd string) []Shown {
	var shown []Shown
	found := false
	for _, p := range heredocs(cmd) {
		if code := strings.TrimRight(p.code, "\n"); code != "" {
			shown = append(shown, Shown{Kind: ShownCode, Lang: "bash", Text: code})
		}
		switch {
		case p.tag == "":
			continue
		case p.patches:
			shown = append(shown, patchDiffs(p.body, "")...)
		case p.lang != "":
			shown = append(shown, Shown{Kind: ShownCode, Lang: p.lang, Text: p.body})
		default:
			shown = append(shown, Shown{Kind: ShownDiff, Head: p.file, Text: signed("+", splitLines(p.body))})
		}
		found = true
	}
	for _, e := range inPlaceEdits(cmd, "") {
		if len(e.scripts) > 0 {
			if !found {
				shown, found = []Shown{{Kind: ShownCode, Lang: "bash", Text: cmd}}, true
			}
			shown = append(shown, Shown{Kind: ShownFacts, Text: "edits: " + strings.Join(e.files, ", ") + "   by: " + strings.Join(e.scripts, "; ")})
		}
	}
	if !found {
		return nil
	}
	return shown
}

// heredoc is a piece of a command: code, and the here document that its last line begins. The last
// piece has no document.
type heredoc struct {
	code, body, tag string
	file            string // file that the document is written to
	appends         bool   // the document is appended to the file
	patches         bool   // the document is an applied patch
	lang            string // the document is a program in this language
}

// heredocs splits a command into pieces at the here documents whose use is known. Others remain
// code. It returns nil if a document has no end.
func heredocs(cmd string) []heredoc {
	var pieces []heredoc
	var text strings.Builder
	p, other := heredoc{}, "" // other ends a document that is code
	for line := range strings.Lines(cmd) {
		plain := strings.TrimRight(line, "\r\n")
		end := strings.TrimLeft(plain, "\t")
		switch {
		case p.tag != "" && end == p.tag:
			p.body = text.String()
			pieces = append(pieces, p)
			p = heredoc{}
			text.Reset()
			continue
		case p.tag != "":
		case other != "":
			if end == other {
				other = ""
			}
		default:
			if q := hereLine(plain); q.file != "" || q.patches || q.lang != "" {
				p = q
				p.code = text.String() + line
				text.Reset()
				continue
			} else if other = q.tag; other != "" && !strings.Contains(cmd, "\n"+other) {
				other = "" // it was none
			}
		}
		text.WriteString(line)
	}
	if len(pieces) == 0 || p.tag != "" {
		return nil
	}
	return append(pieces, heredoc{code: text.String()})
}

// hereLangs are the languages of the interpreters that read a program from a here document.
var hereLangs = map[string]string{"python": "python", "python3": "python", "node": "javascript", "ruby": "ruby", "perl": "perl"}

// hereLine returns how a command line uses the here document that it begins.
func hereLine(line string) heredoc {
	before, after, ok := strings.Cut(line, "<<")
	if !ok || strings.HasPrefix(after, "<") || strings.Contains(after, "<<") {
		return heredoc{}
	}
	words := strings.Fields(strings.TrimPrefix(after, "-"))
	if len(words) == 0 {
		return heredoc{}
	}
	h := heredoc{tag: strings.TrimRight(strings.Trim(words[0], `'"\`), ";)|&")}
	if h.tag == "" || strings.Trim(h.tag, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.!") != "" {
		return heredoc{}
	}
	_, rest, _ := strings.Cut(after, words[0])
	if strings.HasSuffix(words[0], "|") || strings.HasSuffix(words[0], ";") {
		rest = words[0][len(words[0])-1:] + rest
	}
	var last simpleCommand // the command that reads the document
	for c := range shellCommands(before, "") {
		last = c
	}
	last = simpleCommand{words: last.words, dir: last.dir}
	first := true
	for c := range shellCommands("x "+rest, last.dir) {
		if first { // words after the document's tag belong to its program
			last.words, first = append(last.words, c.words[1:]...), false
			continue
		}
		prog, _ := last.program()
		if !c.piped || last.writes() != "" || last.patches() {
			break
		} else if prog != "cat" {
			return heredoc{tag: h.tag}
		}
		last = c
	}
	prog, _ := last.program()
	switch {
	case last.patches():
		h.patches = true
	case prog == "cat" || prog == "tee":
		h.file, h.appends = last.writes(), last.appends()
	case last.writes() == "":
		h.lang = hereLangs[prog]
	}
	return h
}

// program returns the name of the program of a command, and its arguments.
func (c *simpleCommand) program() (name string, args []string) {
	words := c.words
	for len(words) > 0 && (words[0] == "sudo" || words[0] == "env" || words[0] == "then" || words[0] == "do" || words[0] == "uv" || words[0] == "run" ||
		strings.Contains(words[0], "=") && !strings.HasPrefix(words[0], "-")) {
		words = words[1:]
	}
	if len(words) == 0 {
		return "", nil
	}
	return path.Base(words[0]), words[1:]
}

// patches reports whether a command applies a patch from its input.
func (c *simpleCommand) patches() bool {
	prog, args := c.program()
	return prog == "apply_patch" || prog == "patch" || prog == "git" && len(args) > 0 && args[0] == "apply"
}

// patchWord returns the patch among the words of a command line, without its quotes. It returns the
// line if no word is a patch.
func patchWord(line string) string {
	for c := range shellCommands(line, "") {
		if i := slices.IndexFunc(c.words, isPatch); i >= 0 {
			return c.words[i]
		}
	}
	return line
}

// writes returns the file to which a command writes its output or input; "" if there is none.
func (c *simpleCommand) writes() string {
	file := ""
	for i, word := range c.words {
		next := ""
		if i+1 < len(c.words) {
			next = c.words[i+1]
		}
		switch {
		case word == ">" || word == ">>" || word == "1>":
			file = next
		case strings.HasPrefix(word, ">") && !strings.HasPrefix(word, ">&"):
			file = strings.TrimLeft(word, ">|")
		}
	}
	if prog, args := c.program(); prog == "tee" {
		for _, word := range args {
			if !strings.HasPrefix(word, "-") && !strings.Contains(word, ">") {
				file = word
				break
			}
		}
	}
	return c.path(file)
}

// appends reports whether a command appends to the file that it writes.
func (c *simpleCommand) appends() bool {
	prog, args := c.program()
	for _, word := range args {
		if strings.HasPrefix(word, ">>") || prog == "tee" && (word == "-a" || word == "--append") {
			return true
		}
	}
	return false
}

// inPlaceEdit is an edit with unknown lines: its files and scripts.
type inPlaceEdit struct{ files, scripts []string }

// inPlaceEdits returns the edits in place of sed and perl, the redirected output of echo, printf
// and cat, and the files that a program in a here document writes.
func inPlaceEdits(cmd, dir string) []inPlaceEdit {
	code, edits := cmd, []inPlaceEdit(nil)
	if strings.Contains(cmd, "<<") {
		var b strings.Builder
		for _, p := range heredocs(cmd) {
			b.WriteString(p.code)
			if p.lang == "python" {
				edits = append(edits, inPlaceEdit{files: pythonWrites(p.body)})
			}
		}
		code = b.String()
	}
	for c := range shellCommands(code, dir) {
		switch prog, args := c.program(); prog {
		case "sed", "gsed", "perl":
			if e := c.inPlace(prog, args); len(e.files) > 0 {
				edits = append(edits, e)
			}
		case "echo", "printf":
			if file := c.writes(); file != "" {
				edits = append(edits, inPlaceEdit{files: []string{file}})
			}
		}
	}
	return edits
}

// inPlace returns the edit of a sed or perl with the option to edit in place.
func (c *simpleCommand) inPlace(prog string, args []string) (e inPlaceEdit) {
	in, plain := false, false
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case plain || arg == "" || arg[0] != '-':
			if file := c.path(arg); len(e.scripts) == 0 && arg != "" {
				e.scripts = append(e.scripts, arg)
			} else if file != "" {
				e.files = append(e.files, file)
			}
		case arg == "--":
			plain = true
		case arg == "-e" || arg == "--expression":
			if i++; i < len(args) {
				e.scripts = append(e.scripts, args[i])
			}
		case strings.HasPrefix(arg, "--expression="):
			e.scripts = append(e.scripts, arg[len("--expression="):])
		case strings.HasPrefix(arg, "--"):
			in = in || strings.HasPrefix(arg, "--in-place")
		default:
			letters := strings.TrimLeft(arg[1:], "0123456789")
			at := strings.IndexByte(letters, 'i')
			in = in || at >= 0
			if strings.HasSuffix(letters, "e") && (at < 0 || prog == "perl") {
				if i++; i < len(args) {
					e.scripts = append(e.scripts, args[i])
				}
			}
		}
	}
	if !in {
		return inPlaceEdit{}
	}
	return e
}

// pythonNames matches assignments of a path to a name, pythonFiles writes to a path or such a name.
var (
	pythonNames = regexp.MustCompile(`(?m)^[ \t]*(\w+)[ \t]*=[ \t]*(?:(?:pathlib\.)?Path\()?['"]([^'"\n]+)['"]\)?[ \t]*$`)
	pythonFiles = regexp.MustCompile(`\bopen\(\s*(?:(\w+)|['"]([^'"\n]+)['"])\s*,\s*(?:mode\s*=\s*)?['"][rwax+bt]*[wax+]|(?:\b(\w+)|Path\(['"]([^'"\n]+)['"]\))\.write_(?:text|bytes)\(`)
)

// pythonWrites returns the files that a program writes, if the code names them.
func pythonWrites(code string) []string {
	names := map[string]string{}
	for _, m := range pythonNames.FindAllStringSubmatch(code, -1) {
		names[m[1]] = m[2]
	}
	var files []string
	seen := map[string]bool{"": true}
	for _, m := range pythonFiles.FindAllStringSubmatch(code, -1) {
		file := m[2] + m[4]
		if name := m[1] + m[3]; name != "" {
			file = names[name]
		}
		if !seen[file] {
			seen[file] = true
			files = append(files, file)
		}
	}
	return files
}

// readers are programs that print the files in their arguments.
var readers = map[string]bool{"cat": true, "nl": true, "head": true, "tail": true, "bat": true, "sed": true, "less": true}

// shellTouches returns the files that the commands of a line print or edit in place, if their names
// are plain.
func shellTouches(cmd, dir string) []Touch {
	cmd = dropShell(strings.TrimSpace(cmd))
	var touched []Touch
	for _, e := range inPlaceEdits(cmd, dir) {
		for _, file := range e.files {
			touched = append(touched, Touch{Path: file, Edit: true})
		}
	}
	if strings.Contains(cmd, "\n") {
		return touched
	}
	for c := range shellCommands(cmd, dir) {
		prog, args := c.program()
		script := prog == "sed"
		if !readers[prog] || script && (len(args) == 0 || !strings.HasPrefix(args[0], "-n")) {
			continue // it may write
		}
		for i, word := range args {
			file := c.path(word)
			switch {
			case strings.HasPrefix(word, "-") || strings.Trim(word, "0123456789") == "":
			case strings.HasPrefix(word, ">") || i > 0 && strings.Trim(args[i-1], "12>") == "" && args[i-1] != "":
			case script:
				script = false
			case file != "":
				touched = append(touched, Touch{Path: file})
			}
		}
	}
	return touched
}

// shellEdited describes the files that a command edits, for its row.
type shellEdited struct {
	patched []string // files of patches that the first line of the command does not name
	outcome string   // the outcome if the command prints nothing itself
}

func (c *callLine) shellEdits(cmd string) (e shellEdited) {
	if strings.Contains(cmd, "<<") { // a cut command lacks the end of its document
		cmd = c.unwrap(c.args.command(patchMax))
	}
	added, gone, diffs := 0, 0, 0
	for _, p := range shellParts(cmd) {
		if p.Kind != ShownDiff {
			continue
		}
		plus, minus := patchLines(p.Text)
		added, gone, diffs = added+plus, gone+minus, diffs+1
		if !strings.Contains(cmd[:strings.IndexByte(cmd, '\n')], p.Head) {
			e.patched = append(e.patched, p.Head)
		}
	}
	edited := 0
	for _, in := range inPlaceEdits(cmd, "") {
		edited += len(in.files)
	}
	switch {
	case diffs > 0:
		e.outcome = plusMinus(added, gone)
	case edited > 1:
		e.outcome = human.Plural(edited, "file") + " edited"
	case edited > 0:
		e.outcome = "edited"
	}
	return e
}

// about replaces the patch in a command with the files of the patch.
func (e *shellEdited) about(cmd string) string {
	first, rest, ok := strings.Cut(cmd, "\n")
	before, after, here := strings.Cut(first, "<<")
	if !ok || !here || len(e.patched) == 0 {
		return cmd
	}
	_, after, _ = strings.Cut(strings.TrimLeft(after, "- "), " ")
	return strings.Join(append(strings.Fields(before+" "+after), strings.Join(e.patched, ", ")), " ") + "\n" + rest
}
