package describe

import (
	"slices"
	"strings"

	"turns/model"
	"turns/query/human"
)

// ArgField is an argument of a call: its name and its JSON value as recorded.
type ArgField struct{ Name, Raw string }

// CallArgs holds the arguments of a call, cut into fields without decoding: an argument of
// megabytes costs only a search for its closing quote.
type CallArgs struct {
	Fields []ArgField
	twice  string // a name with two values; the last one counts
	text   string // the arguments as recorded if they are not an object
}

// argFieldsMax is more arguments than any tool has. Of the fields after it, up to fieldsLook, only
// repeated names are examined.
const argFieldsMax, fieldsLook = 64, 4096

// argTextMax is the number of bytes of an argument that a line can show.
const argTextMax = 4 << 10

// ParseArgs cuts the arguments of a call. It removes wrappers for invalid JSON.
func ParseArgs(c *model.Content) CallArgs {
	a := CallArgs{text: c.Text}
	for range 3 {
		s := strings.TrimLeft(a.text, " \n\r\t")
		if s == "" || s[0] != '{' {
			return a
		}
		a.Fields, a.twice = uniqueFields(s)
		if len(a.Fields) != 1 {
			return a
		}
		switch a.Fields[0].Name {
		case "raw_arguments", "INVALID_JSON", "__raw", "_raw":
			a.text = RawText(a.Fields[0].Raw, len(a.text))
			a.Fields, a.twice = nil, ""
		default:
			return a
		}
	}
	return a
}

// ObjectFields cuts a JSON object. It stops at the first mistake.
func ObjectFields(s string) []ArgField {
	fields, _ := uniqueFields(s)
	return fields
}

// objectArgs returns the fields of a JSON object, with the lookups of arguments.
func objectArgs(s string) *CallArgs { return &CallArgs{Fields: ObjectFields(s)} }

// uniqueFields cuts a JSON object into fields. For a repeated name it returns the last value, like
// JSON parsers, and reports one such name as twice.
func uniqueFields(s string) (fields []ArgField, twice string) {
	i := 1
	for range fieldsLook {
		i = skipSpace(s, i)
		if i < len(s) && s[i] == ',' {
			i = skipSpace(s, i+1)
		}
		if i >= len(s) || s[i] != '"' {
			break
		}
		end := stringEnd(s, i)
		name := RawText(s[i:end], 256)
		i = skipSpace(s, end)
		if i >= len(s) || s[i] != ':' {
			break
		}
		i = skipSpace(s, i+1)
		end = valueEnd(s, i)
		if end <= i {
			break
		}
		n := slices.IndexFunc(fields, func(f ArgField) bool { return f.Name == name })
		switch value := s[i:end]; {
		case n >= 0:
			if fields[n].Raw != value {
				twice = name
			}
			fields[n].Raw = value
		case len(fields) < argFieldsMax:
			fields = append(fields, ArgField{name, value})
		}
		i = end
	}
	return fields, twice
}

func skipSpace(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\n' || s[i] == '\t' || s[i] == '\r') {
		i++
	}
	return i
}

// stringEnd returns the index after the string that begins at i.
func stringEnd(s string, i int) int {
	for j := i + 1; ; {
		k := strings.IndexByte(s[j:], '"')
		if k < 0 {
			return len(s)
		}
		j += k + 1
		slashes := 0
		for b := j - 2; s[b] == '\\'; b-- {
			slashes++
		}
		if slashes%2 == 0 {
			return j
		}
	}
}

// valueEnd returns the index after the JSON value that begins at i.
func valueEnd(s string, i int) int {
	if i >= len(s) {
		return i
	}
	switch s[i] {
	case '"':
		return stringEnd(s, i)
	case '{', '[':
		depth := 0
		for j := i; j < len(s); {
			switch s[j] {
			case '"':
				j = stringEnd(s, j)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return j + 1
				}
			}
			j++
		}
		return len(s)
	}
	j := i
	for j < len(s) && !strings.ContainsRune(",}] \n\t\r", rune(s[j])) {
		j++
	}
	return j
}

// RawText returns about the first limit bytes of a raw JSON value: the text of a string, "" for
// null, the source of any other value. Some formats record arguments as JSON inside a string;
// RawText decodes that string as well.
func RawText(raw string, limit int) string {
	if raw == "" || raw == "null" {
		return ""
	}
	if raw[0] != '"' {
		return human.CutBytes(raw, limit)
	}
	inside := strings.TrimPrefix(raw, `"`)
	if stringEnd(raw, 0) == len(raw) {
		inside = strings.TrimSuffix(inside, `"`)
	}
	if len(inside) > limit {
		inside = cutEscaped(inside, limit)
	}
	text := inside
	if strings.IndexByte(inside, '\\') >= 0 {
		text = model.EscapedText([]byte(inside)).String()
	}
	if len(text) >= 2 && text[0] == '"' && text[len(text)-1] == '"' && stringEnd(text, 0) == len(text) {
		return RawText(text, limit)
	}
	return text
}

// cutEscaped cuts the inside of a JSON string without cutting an escape in two.
func cutEscaped(s string, n int) string {
	s = human.CutBytes(s, n)
	if i := strings.LastIndexByte(s, '\\'); i >= 0 && len(s)-i < 6 {
		slashes := 0
		for j := i; j >= 0 && s[j] == '\\'; j-- {
			slashes++
		}
		if slashes%2 == 1 {
			s = s[:i]
		}
	}
	return s
}

// rawLines returns the number of lines in the text of a raw JSON string.
func rawLines(raw string) int {
	if len(raw) < 2 || raw[0] != '"' {
		return textLines(raw)
	}
	inside := raw[1 : len(raw)-1]
	n, last := 1, -1
	for i := 0; ; {
		k := strings.IndexByte(inside[i:], '\\')
		if k < 0 || i+k+1 >= len(inside) {
			break
		}
		i += k + 1
		if inside[i] == 'n' {
			n++
			last = i
		}
		i++
	}
	if last == len(inside)-1 {
		n--
	}
	if inside == "" {
		return 0
	}
	return n
}

// textLines returns the number of lines in a text. A final newline does not start another line.
func textLines(s string) int {
	if s == "" {
		return 0
	}
	n := strings.Count(s, "\n")
	if s[len(s)-1] != '\n' {
		n++
	}
	return n
}

// Raw returns the JSON value of the first of the names that exists, "" for none.
func (a *CallArgs) Raw(names ...string) string {
	for _, name := range names {
		for i := range a.Fields {
			if a.Fields[i].Name == name && a.Fields[i].Raw != "null" {
				return a.Fields[i].Raw
			}
		}
	}
	return ""
}

// Get returns the text of the first of the names that has one.
func (a *CallArgs) Get(names ...string) string {
	for _, name := range names {
		if raw := a.Raw(name); raw != "" {
			if text := a.plainText(raw); text != "" {
				return text
			}
		}
	}
	return ""
}

// plainText returns a value as one text. It joins the texts of a list with spaces.
func (a *CallArgs) plainText(raw string) string {
	if raw[0] != '[' {
		return RawText(raw, argTextMax)
	}
	list := ListItems(raw, argFieldsMax)
	for i, item := range list {
		list[i] = RawText(item, argTextMax)
	}
	return strings.Join(list, " ")
}

// number returns an integer argument; ok is false if there is none.
func (a *CallArgs) number(names ...string) (n int, ok bool) {
	s := a.Get(names...)
	if s == "" || len(s) > 9 {
		return 0, false
	}
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = 10*n + int(s[i]-'0')
	}
	return n, true
}

// ListItems cuts a JSON list into at most that many raw values.
func ListItems(raw string, most int) []string {
	raw = strings.TrimLeft(raw, " \n\r\t")
	if raw == "" || raw[0] != '[' {
		return nil
	}
	var items []string
	for i := 1; len(items) < most; {
		i = skipSpace(raw, i)
		if i < len(raw) && raw[i] == ',' {
			i = skipSpace(raw, i+1)
		}
		if i >= len(raw) || raw[i] == ']' {
			break
		}
		end := valueEnd(raw, i)
		if end <= i {
			break
		}
		items = append(items, raw[i:end])
		i = end
	}
	return items
}
