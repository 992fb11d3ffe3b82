package codex

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"turns/model"
)

// javaScript reads literal values in JavaScript source.
type javaScript struct {
	source    []byte
	at        int
	constants map[string][]byte // as JSON
}

// deepest is the maximum nesting of values.
const deepest = 64

func isWord(c byte) bool {
	return c == '_' || c == '$' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c >= utf8.RuneSelf
}

// word returns the length in bytes of the identifier at the start of source.
func word(source []byte) int {
	n := 0
	for n < len(source) && isWord(source[n]) {
		n++
	}
	return n
}

// name reads an identifier, perhaps an empty one.
func (j *javaScript) name() []byte {
	from := j.at
	j.at += word(j.source[from:])
	return j.source[from:j.at:j.at]
}

// blank skips spaces and comments.
func (j *javaScript) blank() {
	for j.at < len(j.source) {
		rest := j.source[j.at:]
		switch {
		case rest[0] == ' ' || rest[0] == '\n' || rest[0] == '\t' || rest[0] == '\r':
			j.at++
		case bytes.HasPrefix(rest, []byte("//")):
			line, _, _ := bytes.Cut(rest, []byte("\n"))
			j.at += len(line)
		case bytes.HasPrefix(rest, []byte("/*")):
			_, after, _ := bytes.Cut(rest[2:], []byte("*/"))
			j.at = len(j.source) - len(after)
		default:
			return
		}
	}
}

// take skips the character c and reports whether it was next.
func (j *javaScript) take(c byte) bool {
	if j.at < len(j.source) && j.source[j.at] == c {
		j.at++
		return true
	}
	return false
}

// skipString skips a string or a template with its expressions. It returns false if the string does
// not end.
func (j *javaScript) skipString() bool {
	quote := j.source[j.at]
	for j.at++; j.at < len(j.source); {
		switch c := j.source[j.at]; {
		case c == '\\':
			j.at += 2
		case c == quote:
			j.at++
			return true
		case c == '\n' && quote != '`':
			return false
		case quote == '`' && bytes.HasPrefix(j.source[j.at:], []byte("${")):
			if !j.skipInserted() {
				return false
			}
		default:
			j.at++
		}
	}
	return false
}

// skipInserted skips an expression in a template.
func (j *javaScript) skipInserted() bool {
	depth := 0
	for j.at < len(j.source) {
		switch c := j.source[j.at]; c {
		case '`', '"', '\'':
			if !j.skipString() {
				return false
			}
			continue
		case '{':
			depth++
		case '}':
			depth--
		}
		if j.at++; depth == 0 && j.source[j.at-1] == '}' {
			return true
		}
	}
	return false
}

// skipPattern skips a regular expression.
func (j *javaScript) skipPattern() bool {
	class := false
	for j.at++; j.at < len(j.source); j.at++ {
		switch c := j.source[j.at]; {
		case c == '\\':
			j.at++
		case c == '\n':
			return false
		case c == '[' || c == ']':
			class = c == '['
		case c == '/' && !class:
			j.at++
			return true
		}
	}
	return false
}

// value reads a literal value as JSON. It returns false for a computed value.
func (j *javaScript) value(depth int) (out []byte, ok bool) {
	j.blank()
	if j.at >= len(j.source) || depth > deepest {
		return nil, false
	}
	switch c := j.source[j.at]; {
	case c == '{':
		return j.items("{}", func() ([]byte, bool) { return j.field(depth + 1) })
	case c == '[':
		return j.items("[]", func() ([]byte, bool) { return j.value(depth + 1) })
	case c == '"' || c == '\'' || c == '`' || bytes.HasPrefix(j.source[j.at:], []byte("String.raw`")):
		text, ok := j.text()
		return quoted(text), ok
	case c == '-' || c >= '0' && c <= '9':
		return j.number()
	case isWord(c):
		return j.named(j.name())
	}
	return nil, false
}

// named returns the value of a name.
func (j *javaScript) named(name []byte) (out []byte, ok bool) {
	switch string(name) {
	case "true", "false", "null":
		return name, true
	}
	out, ok = j.constants[string(name)]
	return out, ok
}

func (j *javaScript) number() (out []byte, ok bool) {
	from := j.at
	j.take('-')
	for j.at < len(j.source) && (isWord(j.source[j.at]) || j.source[j.at] == '.') {
		j.at++
	}
	out = j.source[from:j.at:j.at]
	return out, json.Valid(out) // skip numbers in other notations than JSON's
}

// items reads the items between brackets, each with a function.
func (j *javaScript) items(brackets string, item func() ([]byte, bool)) (out []byte, ok bool) {
	j.at++
	out = []byte{brackets[0]}
	for {
		if j.blank(); j.take(brackets[1]) {
			return append(out, brackets[1]), true
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		one, ok := item()
		if j.blank(); !ok || !j.take(',') && (j.at >= len(j.source) || j.source[j.at] != brackets[1]) {
			return nil, false
		}
		out = append(out, one...)
	}
}

// field reads a field of an object.
func (j *javaScript) field(depth int) (out []byte, ok bool) {
	key, plain, ok := j.key()
	if !ok {
		return nil, false
	}
	var value []byte
	if j.blank(); j.take(':') {
		value, ok = j.value(depth)
	} else { // {cmd}
		value, ok = j.named(key)
		ok = ok && plain
	}
	return append(append(quoted(key), ':'), value...), ok
}

// key reads the key of a field; plain is one without quotes.
func (j *javaScript) key() (key []byte, plain, ok bool) {
	if key = j.name(); len(key) > 0 {
		return key, true, true
	}
	if j.at < len(j.source) && (j.source[j.at] == '"' || j.source[j.at] == '\'') {
		key, ok = j.text()
	}
	return key, false, ok
}

// text reads a string. It returns false if it contains expressions or does not end.
func (j *javaScript) text() (text []byte, ok bool) {
	raw := bytes.HasPrefix(j.source[j.at:], []byte("String.raw`"))
	if raw {
		j.at += len("String.raw")
	}
	if j.at >= len(j.source) || bytes.IndexByte([]byte("\"'`"), j.source[j.at]) < 0 {
		return nil, false
	}
	quote := j.source[j.at]
	text = []byte{}
	for j.at++; j.at < len(j.source); {
		switch c := j.source[j.at]; {
		case c == quote:
			j.at++
			return text, true
		case c == '\n' && quote != '`', c == '$' && quote == '`' && j.at+1 < len(j.source) && j.source[j.at+1] == '{':
			return nil, false
		case c == '\\' && raw:
			if j.at+1 >= len(j.source) {
				return nil, false
			}
			text = append(text, c, j.source[j.at+1]) // neither ends the text
			j.at += 2
		case c == '\\':
			if text, ok = j.escape(text); !ok {
				return nil, false
			}
		default:
			text = append(text, c)
			j.at++
		}
	}
	return nil, false
}

// escape reads a backslash and the rest of its escape.
func (j *javaScript) escape(text []byte) (out []byte, ok bool) {
	if j.at+1 >= len(j.source) {
		return nil, false
	}
	c := j.source[j.at+1]
	j.at += 2
	switch {
	case c == 'u' || c == 'x':
		return j.code(text, c)
	case c == '\n':
		return text, true // the text continues on the next line
	case c >= '0' && c <= '9':
		return append(text, 0), c == '0'
	}
	if at := bytes.IndexByte([]byte("ntrbfv"), c); at >= 0 {
		c = "\n\t\r\b\f\v"[at]
	}
	return append(text, c), true
}

// code reads the digits of \x41, of \u0041, which may be half a character, or of \u{41}.
func (j *javaScript) code(text []byte, kind byte) (out []byte, ok bool) {
	first, ok := j.digits(kind)
	if !ok {
		return nil, false
	}
	if utf16.IsSurrogate(first) && bytes.HasPrefix(j.source[j.at:], []byte(`\u`)) {
		j.at += 2
		second, ok := j.digits('u')
		return utf8.AppendRune(text, utf16.DecodeRune(first, second)), ok
	}
	return utf8.AppendRune(text, first), true
}

func (j *javaScript) digits(kind byte) (r rune, ok bool) {
	rest := j.source[j.at:]
	n, skip := 4, 0
	if kind == 'x' {
		n = 2
	} else if len(rest) > 0 && rest[0] == '{' {
		rest, skip = rest[1:], 2
		n = bytes.IndexByte(rest, '}')
	}
	if n <= 0 || n > 6 || n > len(rest) {
		return 0, false
	}
	v, err := strconv.ParseUint(string(rest[:n]), 16, 32)
	j.at += n + skip
	return rune(v & 0x1FFFFF), err == nil
}

// quoted returns a text as JSON.
func quoted(text []byte) []byte {
	v, _ := model.JSONOf(string(text)) // every text can be encoded
	return v
}
