package describe

import (
	"path"
	"slices"
	"strings"

	"turns/model"
	"turns/query/human"
)

// stateNames are the fields of a structured result with its state.
var stateNames = []string{"state", "status", "outcome", "result"}

// saidNames are the fields of a structured result with its text, best first.
var saidNames = []string{
	"message", "output", "stdout", "content", "result", "text", "answer", "response", "summary", "description", "data",
}

// stateWords returns the state in a structured result, shown before the rest of it.
func stateWords(text string) string {
	if !strings.HasPrefix(text, "{") {
		return ""
	}
	fields := objectArgs(text)
	for _, name := range stateNames {
		if raw := fields.Raw(name); raw != "" && raw[0] != '{' && raw[0] != '[' {
			if text := human.OneLine(RawText(raw, 200), 24); text != "" && !strings.HasSuffix(text, "…") {
				return text + ", "
			}
		}
	}
	return ""
}

// otherOutcome describes the result of an unknown tool: the state in a structured result, and its
// line.
func otherOutcome(text string) string {
	state := stateWords(text)
	line := lineOrSize(text)
	if line+", " == state {
		return line
	}
	return state + line
}

// lineOrSize returns the line of a result: one short line in full, of more lines the first
// informative one and the size. A structured result is described by its text, by the number of its
// items or by its fields; if it has none of these, by its size.
func lineOrSize(text string) string {
	if isStructured(text) && len(text) > shortOutcome {
		size := model.SizeOf(int64(len(text)))
		if n := itemCount(text); n != "" {
			return n + ", " + size
		}
		said := saidIn(text)
		if said == "" {
			switch facts, whole := shortFacts(text); {
			case facts == "":
				return size
			case whole && human.Width(facts) <= shortOutcome:
				return facts
			default:
				return human.CutText(facts, shortOutcome-10) + ", " + size
			}
		}
		text = said
	}
	first, lines := tellingStart(text)
	switch {
	case lines <= 1:
		return human.CutText(first, shortOutcome)
	case isStructured(text):
		return model.SizeOf(int64(len(text)))
	}
	return human.CutText(first, shortOutcome-10) + ", " + model.SizeOf(int64(len(text)))
}

// isStructured reports whether a text begins as an object or a list in JSON does.
func isStructured(text string) bool {
	if text == "" || text[0] != '{' && text[0] != '[' {
		return false
	}
	inside := strings.TrimLeft(human.Peek(text[1:], 256), " \t\r\n")
	if inside == "" {
		return len(text) == 1
	}
	if text[0] == '{' {
		return inside[0] == '"' || inside[0] == '}'
	}
	return strings.IndexByte(`{["]-0123456789`, inside[0]) >= 0 || slices.ContainsFunc([]string{"true", "false", "null"}, func(s string) bool { return strings.HasPrefix(inside, s) })
}

// shownFile returns the file and its number of lines from the line that SWE-agent puts above the
// lines that it shows: "[File: /repo/a.py (18 lines total)]".
func shownFile(text string) string {
	line, _ := FirstLine(human.Peek(text, LineMax))
	name, ok := strings.CutPrefix(line, "[File: ")
	name, ok2 := strings.CutSuffix(name, " lines total)]")
	i := strings.LastIndex(name, " (")
	if !ok || !ok2 || i < 0 || !isNumber(name[i+2:]) {
		return ""
	}
	lines, _ := exitNumber(name[i+2:])
	return path.Base(name[:i]) + ", " + human.Plural(lines, "line")
}

// labelsMax limits the labels above a text: each costs a reading of the text.
const labelsMax = 4

// tellingStart is FirstLine without the lines at the beginning that only label the text below them,
// such as "New Terminal Output:". It looks below at most labelsMax labels.
func tellingStart(text string) (string, int) {
	first, lines := FirstLine(text)
	rest := text
	for range labelsMax {
		if !strings.HasSuffix(first, ":") || human.Width(first) > shortOutcome {
			break
		}
		_, below, more := strings.Cut(strings.TrimLeft(rest, " \t\r\n"), "\n")
		next, n := FirstLine(below)
		if !more || next == "" {
			break
		}
		first, lines, rest = next, n, below
	}
	return first, lines
}

// saidIn returns the text in a structured result: of a list of content blocks, or of the field
// that describes how the call went. It returns "" if there is none.
func saidIn(text string) string {
	if len(text) > itemsLook {
		return ""
	}
	if text[0] == '[' {
		return blockTexts(text)
	}
	fields := objectArgs(text)
	for _, name := range saidNames {
		switch raw := fields.Raw(name); {
		case raw == "" || raw[0] == '{':
		case raw[0] == '[':
			if said := blockTexts(raw); said != "" {
				return said
			}
		case raw[0] == '"':
			said := strings.TrimSpace(model.Printed(RawText(raw, len(raw))))
			if isStructured(said) {
				return saidIn(said)
			}
			if said != "" && (len(fields.Fields) == 1 || strings.ContainsAny(said, " \n")) { // not just a word for its state
				return said
			}
		}
	}
	return ""
}

// blockTexts joins the texts of a list of content blocks. It returns "" for other lists.
func blockTexts(list string) string {
	var texts []string
	for _, item := range ListItems(list, argFieldsMax) {
		raw := ""
		if strings.HasPrefix(item, "{") {
			raw = objectArgs(item).Raw("text")
		}
		if raw == "" || raw[0] != '"' {
			return ""
		}
		texts = append(texts, RawText(raw, len(raw)))
	}
	return strings.TrimSpace(model.Printed(strings.Join(texts, "\n")))
}

// shortFacts returns the short fields of an object, except its state, and whether these are all.
func shortFacts(text string) (facts string, whole bool) {
	if text[0] != '{' || len(text) > itemsLook {
		return "", false
	}
	var said []string
	whole = true
	for _, f := range ObjectFields(text) {
		switch value := human.OneLine(RawText(f.Raw, 200), 24); {
		case slices.Contains(stateNames, f.Name) && !isStructured(f.Raw):
		case isStructured(f.Raw) || len(said) == otherMax:
			whole = false
		case value != "":
			said = append(said, model.CleanLine(f.Name)+"="+value)
			whole = whole && !strings.HasSuffix(value, "…")
		}
	}
	return strings.Join(said, " "), whole
}

// itemsLook and itemsMax limit the size and the items of a structured result whose row has a count.
const itemsLook, itemsMax = 64 << 10, 1000

// itemCount returns the number of items in a result that consists of a JSON list, "3 items", or of
// an object with a single list, "flights: 3 items". It returns "" for other texts, and for a list
// of content blocks.
func itemCount(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > itemsLook {
		return ""
	}
	name := ""
	if strings.HasPrefix(text, "{") {
		list := ""
		for _, f := range ObjectFields(text) {
			if strings.HasPrefix(f.Raw, "[") {
				if list != "" {
					return ""
				}
				name, list = f.Name, f.Raw
			}
		}
		text = list
	}
	if !strings.HasSuffix(text, "]") || strings.HasPrefix(text, `[{"type":`) {
		return ""
	}
	n := len(ListItems(text, itemsMax))
	if n == itemsMax || human.Width(name) > 24 {
		return ""
	}
	if name != "" {
		name += ": "
	}
	return model.CleanLine(name + human.Plural(n, "item"))
}
