package describe

import (
	"cmp"
	"strings"

	"turns/model"
	"turns/query/human"
	"turns/query/patch"
)

// patchFiles returns the files of a patch in the notation of apply_patch, or of a unified diff.
func patchFiles(patch string) []string {
	var files []string
	for line := range strings.SplitSeq(patch, "\n") {
		name := ""
		for _, mark := range [...]string{"*** Update File: ", "*** Add File: ", "*** Delete File: ", "+++ b/"} {
			if rest, ok := strings.CutPrefix(line, mark); ok {
				name = strings.TrimSpace(rest)
			}
		}
		if name != "" && (len(files) == 0 || files[len(files)-1] != name) {
			files = append(files, name)
		}
	}
	return files
}

// patchLines returns the numbers of lines that a patch adds and removes.
func patchLines(patch string) (added, gone int) {
	head := 0 // lines that name the files of the hunk below
	lines := strings.Split(patch, "\n")
	for i, line := range lines {
		if i+2 < len(lines) && isUnifiedHead(lines[i:]) {
			head = 2
		}
		switch head--; {
		case head >= 0:
		case strings.HasPrefix(line, "+"):
			added++
		case strings.HasPrefix(line, "-"):
			gone++
		}
	}
	return added, gone
}

func (c *callLine) patch(patch string, files []string) {
	if len(files) == 1 {
		c.aboutPath(files[0], "")
	} else {
		c.line.About = human.Plural(len(files), "file")
	}
	c.line.Lines = 0
	added, gone := patchLines(patch)
	if c.line.State == model.Failure {
		c.line.Outcome = c.complaint()
		return
	}
	c.line.Outcome = plusMinus(added, gone)
	if strings.Contains(patch, "*** Add File: ") && len(files) == 1 {
		c.line.Outcome = "new, " + human.Plural(added, "line")
	}
}

func plusMinus(added, gone int) string { return "+" + human.Count(added) + " −" + human.Count(gone) }

// patchMax is how many bytes of a patch are examined.
const patchMax = 1 << 20

func (c *callLine) write() {
	p := c.args.Get(argsPath...)
	// str_replace_editor
	if cmd := c.args.Get("command"); p != "" && (cmd == "view" || cmd == "read") {
		c.line.Family = FamilyRead
		c.read()
		return
	}
	if p == "" && c.patched() {
		return
	}
	if p == "" {
		c.other()
		return
	}
	c.aboutPath(p, "")
	if edits := c.args.Raw("edits", "replacements", "ReplacementChunks", "changes"); edits != "" && edits[0] == '[' {
		added, gone := 0, 0
		for _, item := range ListItems(edits, 256) {
			a, g := objectArgs(item).change()
			added, gone = added+a, gone+g
		}
		c.line.Outcome = plusMinus(added, gone)
		return
	}
	switch {
	case c.args.Raw(argsNew...) != "" || c.args.Raw(argsOld...) != "":
		c.line.Outcome = plusMinus(c.args.change())
	case c.args.Raw(argsContent...) != "":
		text := human.Plural(rawLines(c.args.Raw(argsContent...)), "line")
		if ReportsCreated(c.output) {
			text = "new, " + text
		}
		c.line.Outcome = text
	case c.args.Raw(argsPatch...) != "":
		c.line.Outcome = plusMinus(patchLines(RawText(c.args.Raw(argsPatch...), patchMax)))
	case c.result != nil:
		c.line.Outcome = lineOrSize(c.output)
	}
}

// patched describes a call whose only argument is a patch.
func (c *callLine) patched() bool {
	patch := human.Peek(c.args.text, patchMax)
	if strings.HasPrefix(patch, "[") {
		return c.changes(patch)
	}
	if raw := c.args.Raw(argsPatch...); raw != "" {
		if raw[0] == '[' || raw[0] == '{' {
			return c.changes(raw)
		}
		patch = RawText(raw, patchMax)
	}
	files := patchFiles(patch)
	if len(files) == 0 {
		return false
	}
	c.patch(patch, files)
	return true
}

// changes describes a list of changed files, or an object with paths as names.
func (c *callLine) changes(raw string) bool {
	var paths []string
	if raw[0] == '[' {
		for _, item := range ListItems(raw, argFieldsMax) {
			paths = append(paths, pathIn(item))
		}
	} else {
		for _, f := range ObjectFields(raw) {
			paths = append(paths, f.Name)
		}
	}
	switch len(paths) {
	case 0:
		return false
	case 1:
		c.aboutPath(paths[0], "")
	default:
		c.line.About = human.Plural(len(paths), "file")
	}
	if c.result != nil {
		c.line.Outcome = lineOrSize(c.output)
	}
	return true
}

// change returns the numbers of lines that a replacement adds and removes, without the common lines
// at the beginning and the end of both sides.
func (a *CallArgs) change() (added, gone int) {
	before, after := RawText(a.Raw(argsOld...), patchMax), RawText(a.Raw(argsNew...), patchMax)
	if before == after {
		return 0, 0
	}
	x, y := splitLines(before), splitLines(after)
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	same := commonLines(x, y)
	return len(y) - same, len(x) - same
}

func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

// commonLines returns the length of the longest common subsequence, 0 if the texts are too long
// to compare.
func commonLines(x, y []string) int {
	if len(x)*len(y) > 1<<16 {
		return 0
	}
	return len(patch.LinePairs(x, y))
}

func (c *callLine) search() {
	pattern := c.args.Get(argsPattern...)
	folder := ""
	switch text := strings.TrimSpace(c.args.text); { // ReAct: the argument may be a plain text
	case len(c.args.Fields) > 0 || text == "{}":
	case strings.Contains(strings.ToLower(c.call.Name), "list"):
		folder = text
	default:
		pattern = text
	}
	if raw := c.args.Raw(argsFolder...); raw != "" {
		folder = c.args.plainText(raw)
	}
	if folder == "" {
		folder = c.args.Get("include", "glob", "file_pattern", "includePattern")
		if folder == pattern {
			folder = ""
		}
	}
	entries := false
	switch {
	case pattern != "":
		c.about(pattern)
		if folder != "" && folder != c.Cwd && folder != "." {
			from := len(c.line.About) + len("  in ")
			c.line.About += "  in " + human.OneLine(c.PathOf(folder), LineMax)
			c.line.Path = [2]int{from, len(c.line.About)}
		}
	case folder != "":
		c.aboutPath(folder, "")
		entries = true
	case len(c.args.Fields) == 0:
		c.line.About = "."
		entries = true
	default:
		c.other()
		return
	}
	if c.result != nil && !c.result.Null {
		c.line.Outcome = searchOutcome(c.output, entries)
	}
}

// searchOutcome returns the number of matches: as the tool reports it, otherwise by its lines.
func searchOutcome(text string, entries bool) string {
	text = strings.TrimSpace(text)
	low := strings.ToLower(human.Peek(text, 120))
	switch {
	case text == "" || text == "[]" || strings.HasPrefix(low, "no matches") || strings.HasPrefix(low, "no files") ||
		strings.HasPrefix(low, "no results") || strings.HasPrefix(low, "found 0"):
		return "no match"
	case strings.HasPrefix(low, "found "):
		if n, ok := exitNumber(low[len("found "):]); ok {
			return human.Plural(n, "match", "matches")
		}
	case strings.HasPrefix(low, "no "):
		return "no match"
	}
	n := textLines(text)
	if entries {
		return human.Plural(n, "entry", "entries")
	}
	return human.Plural(n, "match", "matches")
}

func (c *callLine) todo() {
	items := c.args.Todos(256)
	if len(items) == 0 {
		c.other()
		return
	}
	done, now := 0, ""
	for _, item := range items {
		switch {
		case item.State == TodoDone:
			done++
		case item.State == TodoNow && now == "":
			now, _ = FirstLine(item.Text)
		}
	}
	c.line.About = human.Count(done) + " of " + human.Count(len(items)) + " done"
	if now != "" {
		c.line.About += ", now: " + human.OneLine(now, LineMax)
	}
}

func (c *callLine) question() {
	asked := c.args.Get("question", "prompt", "message", "text")
	if raw := c.args.Raw("questions"); raw != "" {
		if list := ListItems(raw, 16); len(list) > 0 {
			if list[0] != "" && list[0][0] == '{' {
				asked = objectArgs(list[0]).Get("question", "title", "text", "prompt")
			} else {
				asked = RawText(list[0], argTextMax)
			}
			if len(list) > 1 {
				asked += "  and " + human.Count(len(list)-1) + " more"
			}
		}
	}
	if asked == "" {
		c.other()
		return
	}
	c.about(asked)
	answer := human.Peek(c.output, argTextMax)
	if _, rest, ok := strings.Cut(answer, `"="`); ok { // … "question"="answer". You can now …
		answer, _, _ = strings.Cut(rest, `"`)
	} else if strings.HasPrefix(answer, "{") {
		answer = cmp.Or(objectArgs(answer).Get("answer", "response", "text", "value"), answer)
	}
	c.line.Outcome, _ = FirstLine(answer)
}

// argsTelling are the most informative arguments, best first.
var argsTelling = []string{
	"file_path", "filePath", "filepath", "absolute_path", "AbsolutePath", "absolutePath", "target_file", "TargetFile", "notebook_path",
	"query", "pattern", "regex", "path", "command", "cmd", "CommandLine", "url", "question", "title", "name", "skill", "task",
	"description", "prompt", "message", "subject", "text", "content", "expression", "thought", "task_id", "plan", "id",
}

// MostTelling returns the index of the most informative field among those that fit, by name; -1 for
// none.
func (a *CallArgs) MostTelling(fits func(*ArgField) bool) int {
	for _, name := range argsTelling {
		for i := range a.Fields {
			if a.Fields[i].Name == name && fits(&a.Fields[i]) {
				return i
			}
		}
	}
	return -1
}

// otherMax is how many arguments of an unknown tool a line shows.
const otherMax = 6

func (c *callLine) other() {
	main := -1
	if c.server == "" {
		main = c.args.MostTelling(func(f *ArgField) bool {
			return f.Raw != "null" && f.Raw != `""` && f.Raw[0] != '{' && f.Raw[0] != '['
		})
	}
	var parts []string
	if c.server != "" {
		parts = append(parts, model.CleanLine(c.server)+":")
	}
	if main >= 0 {
		text, lines := FirstLine(RawText(c.args.Fields[main].Raw, argTextMax))
		parts = append(parts, human.OneLine(c.PathOf(text), LineMax))
		c.line.Lines = lines
	}
	for i := range c.args.Fields {
		if f := &c.args.Fields[i]; i != main && len(parts) < otherMax {
			if value := human.OneLine(RawText(f.Raw, 200), 60); value != "" {
				parts = append(parts, model.CleanLine(f.Name)+"="+value)
			}
		}
	}
	if len(c.args.Fields) == 0 {
		given := strings.TrimPrefix(c.args.text+" ", c.call.Name+" ") // SWE-agent: the name begins the text
		if text, lines := FirstLine(given); text != "" && text != "{}" {
			parts = append(parts, c.PathOf(text))
			c.line.Lines = lines
		}
	}
	c.line.About = human.OneLine(strings.Join(parts, " "), LineMax)
	if c.result != nil && c.line.Outcome == "" {
		c.line.Outcome = cmp.Or(shownFile(c.output), otherOutcome(c.output))
	}
}
