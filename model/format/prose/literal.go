package prose

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"turns/model"
	"turns/model/jsonspan"
)

// lookForLiterals finds output of Python's print: dictionaries in single quotes, and objects
// like HumanMessage(content='Hi').
func lookForLiterals(text []byte) *layout {
	if !bytes.ContainsAny(text[:min(len(text), 4096)], "'(") {
		return nil
	}
	l := &layout{"what Python printed", false, cutLiteral, emitLiteral}
	for rest, n := text, 0; len(rest) > 0 && n < maxSampled; n++ {
		piece, size := cutLiteral(rest, true)
		if bytes.Contains(emitLiteral(nil, piece), []byte(":")) {
			return l
		}
		rest = rest[size:]
	}
	return nil
}

// beginsLiteral returns the offset of an object or a list on a line, -1 for none. It must be at the
// beginning or after a name: "messages = [".
func beginsLiteral(line []byte) int {
	at := 0
	if name, rest, ok := bytes.Cut(line, []byte("=")); ok && len(name) < 40 && !bytes.ContainsAny(name, "'\"([{") {
		at = len(name) + 1 + len(rest) - len(bytes.TrimLeft(rest, " "))
	}
	if at < len(line) && (line[at] == '[' || line[at] == '{') {
		return at
	}
	rest := line[at:]
	if n := len(rest) - len(bytes.TrimLeft(rest, nameLetters)); n > 3 && n < len(rest) && rest[n] == '(' && rest[0] >= 'A' && rest[0] <= 'Z' {
		return at
	}
	return -1
}

const nameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_."

// cutLiteral cuts after the object that begins on a line, or before the next line with one.
func cutLiteral(text []byte, eof bool) ([]byte, int) {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	if at := beginsLiteral(line); at >= 0 {
		p := literal{text: text, at: at, most: 8*len(text) + 1024}
		if p.value(0); !p.failed {
			return text[:p.at], p.at
		}
		if p.at >= len(text) && !eof {
			return nil, 0
		}
	}
	return cutBefore(text, eof, func(line []byte) bool { return beginsLiteral(line) >= 0 })
}

// emitLiteral appends an object or a list as JSON.
func emitLiteral(dst, piece []byte) []byte {
	at := beginsLiteral(piece)
	if at < 0 {
		return dst
	}
	p := literal{text: piece, at: at, most: 8*len(piece) + 1024}
	if p.value(0); p.failed {
		return dst
	}
	if c := jsonspan.New(p.out); c.Kind() != jsonspan.Object && c.Kind() != jsonspan.Array {
		return dst
	}
	return append(dst, p.out...)
}

// literal reads the text of a Python object and writes it as JSON.
type literal struct {
	text   []byte
	at     int
	out    []byte
	most   int
	failed bool
}

// maxLiteral is the maximum nesting of objects.
const maxLiteral = 60

func (p *literal) spaces() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

func (p *literal) peek() byte {
	if p.spaces(); p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *literal) take(c byte) bool {
	if p.peek() != c {
		return false
	}
	p.at++
	return true
}

func (p *literal) value(depth int) {
	c := p.peek()
	switch {
	case depth > maxLiteral || len(p.out) > p.most || c == 0:
		p.failed = true
	case c == '[':
		p.list(']', depth)
	case c == '(':
		p.list(')', depth)
	case c == '{':
		p.dictionary(depth)
	case p.quoted():
	case c == '<': // <Role.USER: 'user'>, <object at 0x7f>
		p.enum()
	default:
		p.word(depth)
	}
}

// list writes the elements of brackets as a list. One value in parentheses is that value.
func (p *literal) list(end byte, depth int) {
	from := len(p.out)
	p.out = append(p.out, '[')
	if n, commas := p.items(end, func(int) { p.value(depth + 1) }); end == ')' && n == 1 && commas == 0 {
		p.out = append(p.out[:from], p.out[from+1:]...)
		return
	}
	p.out = append(p.out, ']')
}

// items reads items to the end of brackets, and returns how many items and commas it read.
func (p *literal) items(end byte, item func(n int)) (n, commas int) {
	for p.at++; !p.failed && !p.take(end); n++ {
		if n > 0 {
			p.out = append(p.out, ',')
		}
		if item(n); p.take(',') {
			commas++
		} else if p.peek() != end {
			p.failed = true
		}
	}
	return n, commas
}

// dictionary writes an object, or a set as a list.
func (p *literal) dictionary(depth int) {
	from, set := len(p.out), false
	p.out = append(p.out, '{')
	p.items('}', func(n int) {
		name := len(p.out)
		p.value(depth + 1)
		switch {
		case p.failed:
		case n == 0 && p.peek() != ':':
			set = true
		case !set && !p.take(':'):
			p.failed = true
		case !set:
			if p.out[name] != '"' { // a number
				key := bytes.Clone(p.out[name:])
				p.out = model.AppendQuoted(p.out[:name], key)
			}
			p.out = append(p.out, ':')
			p.value(depth + 1)
		}
	})
	if set {
		p.out[from] = '['
		p.out = append(p.out, ']')
		return
	}
	p.out = append(p.out, '}')
}

// quoted writes a string, joined with the strings next to it. It returns false if there is no
// string.
func (p *literal) quoted() bool {
	var text []byte
	found := false
	for {
		at := p.at
		for at < len(p.text) && at < p.at+2 && strings.IndexByte("rRbBuUfF", p.text[at]) >= 0 {
			at++
		}
		if at >= len(p.text) || p.text[at] != '\'' && p.text[at] != '"' {
			break
		}
		raw := strings.ContainsAny(string(p.text[p.at:at]), "rR")
		p.at = at
		if text = p.unquoted(text, raw); p.failed {
			return true
		}
		found = true
		p.spaces()
	}
	if found {
		p.out = model.AppendQuoted(p.out, text)
	}
	return found
}

// unquoted appends the text of a quoted string.
func (p *literal) unquoted(dst []byte, raw bool) []byte {
	quote := p.text[p.at : p.at+1]
	if bytes.HasPrefix(p.text[p.at:], bytes.Repeat(quote, 3)) {
		quote = p.text[p.at : p.at+3]
	}
	p.at += len(quote)
	for p.at < len(p.text) {
		switch {
		case bytes.HasPrefix(p.text[p.at:], quote):
			p.at += len(quote)
			return dst
		case p.text[p.at] == '\\' && p.at+1 < len(p.text):
			dst = p.escape(dst, raw)
		case p.text[p.at] == '\n' && len(quote) == 1:
			p.failed = true
			return dst
		default:
			dst = append(dst, p.text[p.at])
			p.at++
		}
	}
	p.failed = true
	return dst
}

// escapes maps the characters after a backslash to their meanings.
var escapes = map[byte]string{'n': "\n", 't': "\t", 'r': "\r", '\\': "\\", '\'': "'", '"': "\"", '\n': "", '0': "\x00", 'a': "\a", 'b': "\b", 'f': "\f", 'v': "\v"}

func (p *literal) escape(dst []byte, raw bool) []byte {
	c := p.text[p.at+1]
	if p.at += 2; raw {
		return append(dst, '\\', c)
	}
	end := min(p.at+map[byte]int{'x': 2, 'u': 4, 'U': 8}[c], len(p.text))
	if n, err := strconv.ParseUint(string(p.text[p.at:end]), 16, 32); err == nil && n <= unicode.MaxRune {
		p.at = end
		return utf8.AppendRune(dst, rune(n)) //nolint:gosec // in range
	}
	if text, ok := escapes[c]; ok {
		return append(dst, text...)
	}
	return append(dst, '\\', c)
}

// enum writes the value of an enumeration, or the text of another object.
func (p *literal) enum() {
	inside, _, closed := bytes.Cut(p.text[p.at+1:], []byte(">"))
	if !closed {
		p.at, p.failed = len(p.text), true
		return
	}
	p.at += len("<>") + len(inside)
	if _, v, ok := bytes.Cut(inside, []byte(": ")); ok {
		inside = bytes.Trim(v, `'"`)
	}
	p.out = model.AppendQuoted(p.out, inside)
}

// pythonWords are the names of values.
var pythonWords = map[string]string{"True": "true", "False": "false", "None": "null", "true": "true", "false": "false", "null": "null", "nan": "null", "inf": "null"}

// word writes a number, the name of a value, or an object by its class and its fields.
func (p *literal) word(depth int) {
	rest := p.text[p.at:]
	n := len(rest) - len(bytes.TrimLeft(rest, nameLetters+"+-"))
	word := string(rest[:n])
	p.at += n
	if v, ok := pythonWords[word]; ok {
		p.out = append(p.out, v...)
		return
	}
	if n > 0 && p.at < len(p.text) && p.text[p.at] == '(' {
		p.object(word, depth)
		return
	}
	if c := jsonspan.New([]byte(word)); n > 0 && c.Kind() == jsonspan.Number {
		if _, ok := c.Float(); ok && c.Done() {
			p.out = append(p.out, word...)
			return
		}
	}
	p.failed = true
}

// object writes the fields of an object, with its class as the type: HumanMessage(content='Hi') has
// the type human.
func (p *literal) object(class string, depth int) {
	class = class[strings.LastIndexByte(class, '.')+1:]
	typed := false
	p.out = append(p.out, '{')
	n, _ := p.items(')', func(n int) {
		p.spaces()
		rest := p.text[p.at:]
		size := len(rest) - len(bytes.TrimLeft(rest, nameLetters))
		name := string(rest[:size])
		if p.at+size < len(p.text) && rest[size] == '=' && size > 0 {
			p.at += size + 1
		} else {
			name = "value" + strconv.Itoa(n)
		}
		typed = typed || name == "type" || name == "role"
		p.out = append(model.AppendQuoted(p.out, []byte(name)), ':')
		p.value(depth + 1)
	})
	if message := strings.TrimSuffix(strings.TrimSuffix(class, "Chunk"), "Message"); !typed {
		if message != "" && message != class {
			class = strings.ToLower(message)
		}
		if n > 0 {
			p.out = append(p.out, ',')
		}
		p.out = model.AppendQuoted(append(p.out, `"type":`...), []byte(class))
	}
	p.out = append(p.out, '}')
}
