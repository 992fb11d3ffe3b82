package describe

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"turns/model"
	"turns/query"
	"turns/query/human"
)

// ShownKind is the kind of a piece of an opened item.
type ShownKind uint8

// The kinds of pieces.
const (
	ShownText     ShownKind = iota // lines as recorded
	ShownMarkdown                  // what people and models write to each other
	ShownCode                      // in the language Lang
	ShownDiff                      // lines with their signs, of the file Head
	ShownJSON
	ShownFacts // short arguments and numbers by name
)

// Shown is a piece of an opened call or result. The screen and the exports for people draw the same
// pieces. Texts are as recorded: the code that draws them cleans them.
type Shown struct {
	Kind ShownKind
	Head string // heading of the piece: the name of an argument, the path of a diff
	Lang string
	Text string
}

// Counts returns the numbers of lines that a diff adds and removes.
func (s *Shown) Counts() string { return plusMinus(patchLines(s.Text)) }

// Language returns the language for a fence around the piece.
func (s *Shown) Language() string {
	switch s.Kind {
	case ShownDiff:
		return "diff"
	case ShownJSON:
		return "json"
	}
	return s.Lang
}

// Arguments returns the arguments of a call as pieces: a command, a diff for each file, a prompt, a
// todo list, a question with its options, and the rest by name. result has the chosen option of a
// question; answer, its message, has the line numbers of an edit. Both may be nil.
func Arguments(call, result *model.Content, answer *model.Message) []Shown {
	return numbered(arguments(call, result), answer)
}

func arguments(call, result *model.Content) []Shown {
	return append(argumentsShown(call, result), notesShown(call)...)
}

func argumentsShown(call, result *model.Content) []Shown {
	a := ParseArgs(call)
	text := strings.TrimSpace(a.text)
	if text == "" || text == "{}" {
		return nil
	}
	f, _, _ := FamilyOf(call.Name)
	if text[0] != '{' || len(a.Fields) == 0 || a.twice != "" || !json.Valid([]byte(text)) {
		if isPatch(text) {
			return patchDiffs(a.text, "")
		}
		return plainShown("", a.text)
	}
	if f == FamilyOther || f == FamilyMCP {
		f = familyByShape(&a)
	}
	var shown []Shown
	var used []string
	switch f {
	case FamilyShell:
		if cmd := a.command(len(text)); cmd != "" {
			used = a.names(argsCommand)
			if shown = shellParts(cmd); shown == nil && len(patchFiles(cmd)) > 0 && strings.Contains(human.Peek(cmd, 64), "apply_patch") {
				shown = patchDiffs(patchWord(cmd), "")
			}
			if shown == nil {
				shown = []Shown{{Kind: ShownCode, Lang: "bash", Text: cmd}}
			}
		}
	case FamilyWrite:
		shown, used = a.edits(len(text))
	case FamilyTodo:
		shown, used = a.todos()
	case FamilyQuestion:
		shown, used = a.questions(result)
	}
	return append(shown, a.rest(used)...)
}

// names returns the first of the names with a value other than null.
func (a *CallArgs) names(names []string) []string {
	for _, name := range names {
		if a.Raw(name) != "" {
			return []string{name}
		}
	}
	return nil
}

// argsAsked and argsOptions are the names of a question to the user and of its options.
var (
	argsAsked   = []string{"question", "title", "text", "prompt", "message"}
	argsOptions = []string{"options", "choices", "follow_up", "suggestions"}
)

// proseArgs are arguments with text for people.
var proseArgs = []string{
	"prompt", "Prompt", "plan", "body", "message", "instructions", "description", "content", "text", "task", "summary", "comment", "thought", "markdown", "notes",
	"result", "question", "context", "objective", "details",
}

// rest returns the arguments that no piece shows yet: short ones together, each long text under its
// name, and intended JSON as JSON.
func (a *CallArgs) rest(used []string) []Shown {
	var short, long []Shown
	for i := range a.Fields {
		f := &a.Fields[i]
		if f.Raw == "" || slices.Contains(used, f.Name) {
			continue
		}
		switch {
		case f.Raw[0] == '"':
			text := stringText(f.Raw)
			switch one := !strings.Contains(text, "\n") && utf8.RuneCountInString(text) <= 200; {
			case one:
				short = append(short, Shown{Head: f.Name, Text: text})
			case slices.Contains(proseArgs, f.Name):
				long = append(long, Shown{Kind: ShownMarkdown, Head: f.Name, Text: text})
			default:
				long = append(long, plainShown(f.Name, text)...)
			}
		case len(f.Raw) > 100 && (f.Raw[0] == '{' || f.Raw[0] == '['):
			long = append(long, Shown{Kind: ShownJSON, Head: f.Name, Text: f.Raw})
		default:
			short = append(short, Shown{Head: f.Name, Text: f.Raw})
		}
	}
	if len(short) == 0 {
		return long
	}
	return append([]Shown{{Kind: ShownFacts, Text: joinShort(short)}}, long...)
}

// stringText decodes a JSON string; if that fails, it returns about its text.
func stringText(raw string) string {
	var s string
	if json.Unmarshal([]byte(raw), &s) != nil {
		return RawText(raw, len(raw))
	}
	return s
}

// besidesWidth is the width of lines with short arguments.
const besidesWidth = 76

// joinShort joins short arguments, as many per line as fit.
func joinShort(list []Shown) string {
	var b strings.Builder
	at := 0
	for _, s := range list {
		one := s.Head + ": " + s.Text
		w := human.Width(one)
		switch {
		case b.Len() == 0:
		case at+w+3 > besidesWidth:
			b.WriteByte('\n')
			at = 0
		default:
			b.WriteString("   ")
			at += 3
		}
		b.WriteString(one)
		at += w
	}
	return b.String()
}

// plainShown returns a text of unknown meaning: as JSON, a diff, or lines.
func plainShown(head, text string) []Shown {
	t := strings.TrimSpace(text)
	switch {
	case t == "":
		return nil
	case isJSON(t):
		return []Shown{{Kind: ShownJSON, Head: head, Text: t}}
	case strings.HasPrefix(t, "diff --git ") || strings.HasPrefix(t, "@@ ") || strings.HasPrefix(t, "--- ") && strings.Contains(t, "\n+++ "):
		return []Shown{{Kind: ShownDiff, Head: head, Text: text}}
	}
	return []Shown{{Head: head, Text: text}}
}

func isJSON(s string) bool {
	return len(s) <= jsonMax && (s[0] == '{' || s[0] == '[') && json.Valid([]byte(s))
}

// jsonMax is the maximum size of JSON that is laid out.
const jsonMax = 1 << 20

// todoSigns are the states of todo items in Markdown.
var todoSigns = [...]string{
	TodoOpen: "- [ ] ", TodoNow: "- [ ] **now:** ", TodoDone: "- [x] ", TodoCancelled: "- [ ] *cancelled:* ", TodoDeleted: "- [ ] ",
}

// todos returns the todo list among the arguments, with states.
func (a *CallArgs) todos() ([]Shown, []string) {
	var b strings.Builder
	for _, todo := range a.Todos(fieldsLook) {
		if todo.State == TodoNone {
			b.WriteString("- " + human.OneLine(todo.Text, len(todo.Text)) + "\n")
			continue
		}
		b.WriteString(todoSigns[todo.State] + strings.Join(strings.Fields(todo.Text), " "))
		if todo.Priority != "" && todo.Priority != "medium" {
			b.WriteString(" (" + todo.Priority + ")")
		}
		b.WriteByte('\n')
	}
	if b.Len() == 0 {
		return nil, nil
	}
	return []Shown{{Kind: ShownMarkdown, Text: b.String()}}, a.names(argsTodo)
}

// questions returns the questions to the user with their options; the chosen ones are ticked.
func (a *CallArgs) questions(result *model.Content) ([]Shown, []string) {
	list := ListItems(a.Raw("questions"), argFieldsMax)
	if len(list) == 0 {
		if a.Get(argsAsked...) == "" {
			return nil, nil
		}
		var b strings.Builder
		a.question(&b, result)
		return []Shown{{Kind: ShownMarkdown, Text: b.String()}}, append(a.names(argsOptions), append(a.names(argsAsked), "header")...)
	}
	var b strings.Builder
	for _, item := range list {
		if !strings.HasPrefix(item, "{") {
			b.WriteString(RawText(item, len(item)) + "\n\n")
			continue
		}
		objectArgs(item).question(&b, result)
	}
	return []Shown{{Kind: ShownMarkdown, Text: b.String()}}, []string{"questions"}
}

func (a *CallArgs) question(b *strings.Builder, result *model.Content) {
	if head := a.Get("header"); head != "" {
		b.WriteString("**" + head + "** ")
	}
	asked := a.Get(argsAsked...)
	b.WriteString(asked + "\n\n")
	answer := ""
	if result != nil {
		answer = answerTo(asked, result.Text)
	}
	for _, raw := range ListItems(a.Raw(argsOptions...), argFieldsMax) {
		label, about := RawText(raw, argTextMax), ""
		if strings.HasPrefix(raw, "{") {
			o := objectArgs(raw)
			label, about = o.Get("label", "title", "text", "name", "value", "answer"), o.Get("description")
		}
		sign := "- [ ] "
		if label != "" && slices.Contains(strings.Split(answer, ", "), label) || label == answer {
			sign = "- [x] "
		}
		b.WriteString(sign + label)
		if about != "" {
			b.WriteString(": " + strings.Join(strings.Fields(about), " "))
		}
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
}

// answerTo returns the user's answer to a question, if the result has it.
func answerTo(asked, result string) string {
	if _, rest, ok := strings.Cut(result, `"`+asked+`"="`); ok {
		answer, _, _ := strings.Cut(rest, `"`)
		return answer
	}
	if strings.HasPrefix(result, "{") {
		return objectArgs(result).Get("answer", "response", "text", "value")
	}
	return strings.TrimSpace(result)
}

// Result returns the result of a tool as pieces: the text without the envelopes around it, and the
// other parts of the envelopes by name.
func Result(b *model.Content, f Family) []Shown {
	return append(resultShown(b.Text, f, 4), notesShown(b)...)
}

// notesShown returns the recorded fields of a block other than its text.
func notesShown(b *model.Content) []Shown {
	var short []Shown
	for _, note := range query.Notes(b) {
		short = append(short, Shown{Head: note.Name, Text: RawText(note.Value, 400)})
	}
	if len(short) == 0 {
		return nil
	}
	return []Shown{{Kind: ShownFacts, Text: joinShort(short)}}
}

// envelopes are the names under which results store their text.
var envelopes = []string{"output", "stdout", "aggregated_output", "aggregatedOutput", "stderr", "content", "result", "text", "error"}

func resultShown(text string, f Family, depth int) []Shown {
	t := strings.TrimSpace(text)
	if t == "" {
		return nil
	}
	if depth > 0 && len(t) <= 16<<20 {
		switch {
		case t[0] == '[':
			if shown := contentList(t, f, depth); shown != nil {
				return shown
			}
		case t[0] == '"' && json.Valid([]byte(t)):
			return resultShown(stringText(t), f, depth-1)
		case t[0] == '{':
			if shown := envelope(t, f, depth); shown != nil {
				return shown
			}
		}
	}
	shown := plainShown("", text)
	if len(shown) == 1 && shown[0].Kind == ShownText && (f == FamilyAgent || f == FamilyWeb) {
		shown[0].Kind = ShownMarkdown
	}
	return shown
}

// contentList returns a list of {"type":"text","text":…}, as MCP and providers write it; nil for
// any other text.
func contentList(t string, f Family, depth int) []Shown {
	if !strings.Contains(t[:min(len(t), 200)], `"type"`) || !json.Valid([]byte(t)) {
		return nil
	}
	var shown []Shown
	for _, item := range ListItems(t, fieldsLook) {
		if !strings.HasPrefix(item, "{") {
			return nil
		}
		part := objectArgs(item)
		raw := part.Raw("text")
		if part.Get("type") == "" || !strings.HasPrefix(raw, `"`) || part.Get("type") != "text" && !strings.HasSuffix(part.Get("type"), "put_text") {
			return nil
		}
		shown = append(shown, resultShown(stringText(raw), f, depth-1)...)
		part.Fields = slices.DeleteFunc(part.Fields, func(f ArgField) bool { return f.Name == "type" || f.Name == "text" || f.Raw == "null" })
		shown = append(shown, part.rest(nil)...)
	}
	return shown
}

// envelope returns an object that has the text of a result and a few facts; nil for any other.
func envelope(t string, f Family, depth int) []Shown {
	fields, twice := uniqueFields(t)
	if twice != "" || len(fields) > 12 || !json.Valid([]byte(t)) {
		return nil
	}
	var shown []Shown
	rest := CallArgs{}
	carries := false
	for _, field := range fields {
		text := slices.Contains(envelopes, field.Name) && (field.Raw[0] == '"' || field.Name == "content" && field.Raw[0] == '[')
		if !text {
			if len(field.Raw) > 400 {
				return nil // this is data
			}
			rest.Fields = append(rest.Fields, field)
			continue
		}
		inner := field.Raw
		if inner[0] == '"' {
			inner = stringText(inner)
		}
		if slices.Contains([]string{"result", "text", "error", "content"}, field.Name) && field.Raw[0] == '"' && len(fields) > 1 && !strings.Contains(inner, "\n") {
			rest.Fields = append(rest.Fields, field)
			continue
		}
		carries = true
		pieces := resultShown(inner, f, depth-1)
		if len(pieces) > 0 && len(shown) > 0 && pieces[0].Head == "" {
			pieces[0].Head = field.Name
		}
		shown = append(shown, pieces...)
	}
	if !carries {
		return nil
	}
	return append(shown, rest.rest(nil)...)
}
