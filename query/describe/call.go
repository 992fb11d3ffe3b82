package describe

import (
	"cmp"
	"strings"

	"turns/model"
	"turns/query"
	"turns/query/human"
)

// callLine builds the line of a call.
type callLine struct {
	Describer
	line   Line
	args   CallArgs
	server string
	call   *model.Content
	result *model.Content // nil: none
	output string         // the output of the call, as a terminal shows it
	row    *model.Call    // nil: unknown
}

// Call describes a call. result is the block with its result, nil if there is none; row is its row
// in the index, nil if unknown.
func (d Describer) Call(call, result *model.Content, row *model.Call) Line {
	c := callLine{Describer: d, call: call, result: result, row: row, args: ParseArgs(call)}
	if result != nil {
		c.output = model.Printed(Output(result.Text))
	}
	family, _, server := FamilyOf(call.Name)
	if family == FamilyOther {
		family = familyByShape(&c.args)
	}
	c.server = server
	c.line = Line{Kind: LineCall, Family: family, Word: ToolWord(call.Name), Block: -1, Call: model.CallID(model.NoRow), State: c.state()}
	if describe := tellers[family]; describe != nil {
		describe(&c)
	} else {
		c.other()
	}
	if same := sameResult(c.output); same != "" {
		c.line.Outcome = same
	}
	if said := c.ended(); said != "" {
		c.line.Outcome = said
	}
	if row != nil && row.InText() {
		c.line.Outcome = joined(strings.TrimSuffix(c.line.Outcome, noMessage), OnlyInText)
	}
	c.line.Warning = c.warn()
	most := 160
	if d.Whole {
		most = WholeMax
	}
	c.line.Outcome = joined(c.line.Warning, human.OneLine(c.line.Outcome, most))
	return c.line
}

// tellers describe the calls of families with special wording.
var tellers = map[Family]func(*callLine){
	FamilyShell: (*callLine).shell, FamilyRead: (*callLine).read, FamilyWrite: (*callLine).write, FamilySearch: (*callLine).search,
	FamilyWeb: (*callLine).web, FamilyAgent: (*callLine).agent, FamilyTodo: (*callLine).todo, FamilyQuestion: (*callLine).question,
}

// Row describes a call, or a result without one.
func (d Describer) Row(c *query.CallOf) Line {
	if c.Call == nil {
		return d.Answer(c)
	}
	return d.Call(c.Call, c.Result, c.Row)
}

// OnlyInText is the outcome of a call that appears only in the text of a script.
const OnlyInText = "known from the script only"

// noMessage is the outcome of a call that failed without a message.
const noMessage = "error, no message"

// Answer describes a further result of a call, or a result without a call.
func (d Describer) Answer(c *query.CallOf) Line {
	line := Line{Kind: LineOrphan, Word: "result", About: c.Standing(), Block: -1, Call: model.CallID(model.NoRow), State: c.Row.Outcome}
	_, line.Again = c.Row.First()
	if result := c.Result; result != nil {
		if result.Name != "" {
			line.Word = ToolWord(result.Name)
		}
		if result.ID != "" {
			line.About += ", " + human.OneLine(result.ID, 60)
		}
		text := model.Printed(result.Text)
		if r := readShell(text); r.hasCode {
			line.Outcome = "exit " + human.Count(r.code)
		} else {
			line.Outcome = lineOrSize(text)
			size := model.SizeOf(int64(len(text)))
			if c.Row.Outcome.Failed() && (text == "" || isStructured(text) || strings.HasSuffix(line.Outcome, size)) { // neither is a cause
				ended := callLine{Describer: d, line: Line{State: c.Row.Outcome}, result: result, row: c.Row, output: text}
				line.Outcome = cmp.Or(ended.ended(), line.Outcome)
			}
			line.Outcome = human.OneLine(line.Outcome, 160)
		}
	}
	if line.Again && c.Tool != "" {
		line.Word = ToolWord(c.Tool)
	}
	return line
}

// state returns how the call ended, according to its row or its blocks.
func (c *callLine) state() model.Outcome {
	switch {
	case c.row != nil && c.row.Outcome == model.Unknown && c.row.InText():
		return model.Success // its script has ended
	case c.row != nil:
		return c.row.Outcome
	case c.result != nil && c.result.Outcome != model.Unknown:
		return c.result.Outcome
	case c.result != nil:
		return model.Success
	}
	return c.call.Outcome
}

// about sets the subject of the call to the first line of a text.
func (c *callLine) about(s string) {
	first, lines := FirstLine(s)
	c.line.About, c.line.Lines = first, lines
}

// aboutPath sets the subject of the call to a path, followed by rest.
func (c *callLine) aboutPath(p, rest string) {
	p = human.OneLine(c.PathOf(p), LineMax)
	c.line.About, c.line.Path = p+rest, [2]int{0, len(p)}
}

// ended returns how a call ended if it did not simply succeed; "" leaves the wording to its family.
func (c *callLine) ended() string {
	text := strings.ToLower(human.Peek(c.output, 600))
	byUser := func(s string) string {
		if text == "" || strings.Contains(text, "user") {
			return s + " by the user"
		}
		return s
	}
	switch c.line.State {
	case model.Denied:
		return byUser("denied")
	case model.Stopped:
		return byUser("interrupted")
	case model.Cancelled:
		if strings.Contains(text, "sibling") || strings.Contains(text, "parallel") {
			return "cancelled, sibling call failed"
		}
		return "cancelled"
	case model.TimedOut:
		return "timed out"
	case model.Background:
		return "moved to the background"
	case model.Running:
		return "running"
	case model.Failure:
		if c.line.Family != FamilyShell {
			return c.complaint()
		}
	case model.Half:
		return strings.TrimSuffix("partly · "+c.line.Outcome, " · ")
	}
	if c.result == nil && (c.row == nil || c.row.Result == model.NoID && !c.row.InText()) && !c.line.State.Failed() && c.line.State != model.Success {
		return "no result"
	}
	return ""
}

// complaint returns the error message of a tool.
func (c *callLine) complaint() string {
	text := c.output
	for _, tag := range [...]string{"<tool_use_error>", "<error>"} {
		if _, rest, ok := strings.Cut(human.Peek(text, 4096), tag); ok {
			text = rest
			if i := strings.Index(text, "</"); i >= 0 {
				text = text[:i]
			}
		}
	}
	if _, rest, ok := strings.Cut(human.Peek(text, 4096), "\nERRORS:\n- "); ok { // SWE-agent's editor
		text = rest
	}
	if strings.HasPrefix(text, "{") {
		if said := objectMessage(objectArgs(human.Peek(text, 64<<10))); said != "" {
			text = model.Printed(said)
		}
	}
	first, _ := FirstLine(text)
	if _, rest, ok := strings.Cut(strings.TrimLeft(text, " \n\t\r"), "\n"); ok && heads(first) {
		if said, _ := FirstLine(rest); said != "" {
			first, text = said, rest
		}
	}
	if c.Whole {
		if quoted := openQuote(text); quoted != "" {
			first = human.OneLine(quoted, WholeMax)
		}
	}
	for _, prefix := range [...]string{"Error: ", "error: ", "ERROR: ", "Error executing tool: ", "Error - ", "Error:", "Failed: "} {
		first = strings.TrimPrefix(first, prefix)
	}
	first = strings.TrimSuffix(first, ".")
	if first == "" {
		return noMessage
	}
	return "error · " + lowerFirst(first)
}

// objectMessage returns the message of a failed result in an object, "" if it has none. The names
// are those of many tools, of ADK and of MCP.
func objectMessage(fields *CallArgs) string {
	said := fields.Get("error", "message", "error_message", "detail", "reason", "output", "content", "error_code")
	if strings.HasPrefix(said, "{") {
		return objectArgs(said).Get("message", "error", "detail", "text")
	}
	return said
}

// openQuote returns the beginning of a text, up to the line that ends a quotation begun in its
// first line; "" if the first line begins no quotation.
func openQuote(text string) string {
	text = strings.TrimLeft(human.Peek(text, WholeMax), " \n\t\r")
	first, rest, more := strings.Cut(text, "\n")
	if !more || strings.Count(first, "`")%2 == 0 {
		return ""
	}
	quoted, after, closed := strings.Cut(rest, "`")
	if !closed {
		return text
	}
	line, _, _ := strings.Cut(after, "\n")
	return first + "\n" + quoted + "`" + line
}

// lowerFirst lowercases the first letter, unless the word is a name.
func lowerFirst(s string) string {
	if len(s) > 1 && s[0] >= 'A' && s[0] <= 'Z' && s[1] >= 'a' && s[1] <= 'z' {
		word, _, _ := strings.Cut(s, " ")
		if !strings.ContainsFunc(word[1:], func(r rune) bool { return r >= 'A' && r <= 'Z' || r == '(' || r == '.' || r == ':' }) {
			return string(s[0]+'a'-'A') + s[1:]
		}
	}
	return s
}

// shortOutcome is the maximum width of a last line that can describe a success.
const shortOutcome = 48

func (c *callLine) shell() {
	cmd := c.command(&c.args)
	if strings.Contains(human.Peek(cmd, 64), "apply_patch") {
		if files := patchFiles(cmd); len(files) > 0 {
			c.line.Family = FamilyWrite
			c.patch(cmd, files)
			return
		}
	}
	edits := c.shellEdits(cmd)
	if c.args.Raw("session_id") != "" && c.args.command(argTextMax) == "" {
		cmd = ""
		c.line.About = "waits for session " + human.OneLine(c.args.Get("session_id"), 20)
	} else {
		c.about(edits.about(withSubject(cmd)))
		c.line.About = c.Paths(c.line.About)
		c.line.Lines = textLines(cmd)
	}
	if c.result == nil {
		return
	}
	r := readShell(c.output)
	out := strings.TrimRight(withoutEcho(r.text, cmd), " \n\t\r")
	failed := c.line.State == model.Failure
	if !failed && r.hasCode && r.code != 0 {
		failed = c.row == nil
		if c.row != nil && c.line.State == model.Success { // reported as a success by the tool
			c.line.Outcome = "exit " + human.Count(r.code) + suffix(tellingLine(out))
			return
		}
	}
	if failed {
		c.line.Outcome = "error" + suffix(tellingLine(out))
		if r.hasCode {
			c.line.Outcome = "exit " + human.Count(r.code) + suffix(tellingLine(out))
		} else if out == "" {
			c.line.Outcome = noMessage
		}
		return
	}
	if c.line.Outcome = shellSuccess(cmd, out); out == "" && edits.outcome != "" {
		c.line.Outcome = edits.outcome
	}
}

// withSubject puts the first line of a here document into the command that reads it: the subject of
// a commit, the first line of a program.
func withSubject(cmd string) string {
	first, rest, ok := strings.Cut(cmd, "\n")
	if ok && (strings.HasSuffix(first, ` -c "`) || strings.HasSuffix(first, " -c '") || strings.HasSuffix(first, " -e '") || strings.HasSuffix(first, ` -e "`)) {
		return first + strings.TrimLeft(rest, " \t\n") // the program begins on the next line
	}
	before, _, here := strings.Cut(first, "<<")
	if !ok || !here || !strings.Contains(before, "git commit") && !strings.Contains(before, "gh pr ") {
		return cmd
	}
	subject, _, _ := strings.Cut(strings.TrimLeft(rest, " \t\n"), "\n")
	start := strings.TrimSuffix(strings.TrimSpace(before), "cat")
	start = strings.TrimRight(strings.TrimSpace(start), "\"$(")
	return strings.TrimSpace(start) + ` "` + strings.TrimSpace(subject) + `"`
}

func suffix(s string) string {
	if s == "" {
		return ""
	}
	return " · " + s
}

// shellSuccess returns the last line of an output if it is short and describes how the command
// went, otherwise the number of lines.
func shellSuccess(cmd, out string) string {
	if out == "" {
		return "ok"
	}
	if n := textLines(out); n > 1 && shows(cmd) {
		return human.Plural(n, "line")
	}
	last := out[strings.LastIndexByte(out, '\n')+1:]
	if len(last) <= 4*shortOutcome {
		last = model.CleanLine(last)
		if last != "" && human.Width(last) <= shortOutcome && !boring(last) {
			return last
		}
	}
	return human.Plural(textLines(out), "line")
}

func (c *callLine) read() {
	p := c.args.Get(argsPath...)
	rest := ""
	switch first, last := c.args.lineRange(); {
	case last > 0:
		rest = ":" + plain(max(first, 1)) + "-" + plain(last)
	case first > 0:
		rest = ":" + plain(first) + "-"
	}
	if p == "" {
		if raw := c.args.Raw("paths", "files", "file_paths"); raw != "" && raw[0] == '[' {
			list := ListItems(raw, argFieldsMax)
			if len(list) == 1 {
				p = pathIn(list[0])
			} else {
				c.line.About = human.Plural(len(list), "file")
			}
		}
	}
	if p != "" {
		c.aboutPath(p, rest)
	} else if c.line.About == "" {
		c.other()
		return
	}
	c.line.Outcome = c.readOutcome()
}

// pathIn returns the path of an item that is a path or an object with one.
func pathIn(raw string) string {
	if raw != "" && raw[0] == '{' {
		return objectArgs(raw).Get(argsPath...)
	}
	return RawText(raw, argTextMax)
}

func (c *callLine) readOutcome() string {
	if c.result == nil || c.result.Null { // some tools do not record what they read
		return ""
	}
	if size := c.result.Size; size > int64(len(c.result.Text)) {
		return strings.TrimPrefix(model.CleanLine(c.result.Name)+", "+model.SizeOf(size), ", ")
	}
	text := c.output
	if i := strings.LastIndex(text, "<system-reminder>"); i >= 0 && len(text)-i < 4096 {
		text = text[:i]
	}
	n := textLines(strings.TrimRight(text, "\n "))
	said := human.Plural(n, "line")
	tail := strings.ToLower(text[max(0, len(text)-300):])
	if strings.Contains(tail, "truncated") || strings.Contains(strings.ToLower(human.Peek(text, 200)), "truncated") {
		said += ", truncated"
	}
	return said
}

func (c *callLine) web() {
	url := c.args.Get("url", "Url", "uri", "link")
	query := c.args.Get(argsPattern...)
	switch {
	case url != "":
		c.about(shortURL(url))
	case query != "":
		c.about(query)
	default:
		c.other()
	}
	text := c.output
	if text == "" {
		return // some agents record only that the call ended
	}
	c.line.Outcome = model.SizeOf(int64(len(text)))
	if strings.HasPrefix(text, "{") {
		if n, ok := objectArgs(text).number("code", "status", "statusCode", "status_code"); ok && n >= 100 && n < 600 {
			c.line.Outcome = plain(n) + ", " + c.line.Outcome
		}
	}
}

func shortURL(url string) string {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = rest
	}
	url = strings.TrimPrefix(url, "www.")
	if i := strings.IndexAny(url, "?#"); i > 0 {
		url = url[:i]
	}
	return strings.TrimSuffix(url, "/")
}

func (c *callLine) agent() {
	task := c.args.Get(argsTask...)
	kind := ""
	for _, name := range argsKind {
		if kind = c.args.Get(name); kind != "" && kind != task {
			break
		}
	}
	if task == "" {
		if raw := c.args.Raw("Subagents", "agents", "tasks"); raw != "" {
			list := ListItems(RawText(raw, 64<<10), argFieldsMax)
			if len(list) > 0 {
				first := objectArgs(list[0])
				task, kind = first.Get(argsTask...), first.Get("TypeName", "Role", "agent_type", "agent")
			}
			if len(list) > 1 {
				task = human.Plural(len(list), "agent") + ": " + task
			}
		}
	}
	if task == "" {
		c.other()
	} else {
		c.about(task)
		c.line.Lines = 0
		if kind != "" && len(kind) < 60 {
			c.line.About += "  (" + model.CleanLine(kind) + ")"
		}
	}
	c.line.Outcome = lineOrSize(c.output)
}

// plain formats a number without commas, as line numbers and ports are written.
func plain(n int) string { return strings.ReplaceAll(human.Count(n), ",", "") }
