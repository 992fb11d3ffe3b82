package codex

import (
	"bytes"
	"slices"

	"turns/model"
)

// If no item records the calls of a script, its text shows those that are certain: a call among the
// script's top-level statements, with literal arguments, ran once if the script reached its end. A
// call in a loop, a condition, a block or a function may run any number of times, and the values of
// variables are unknown: such calls are skipped.

// textCall is a call that a script certainly makes according to its text.
type textCall struct {
	name    []byte
	args    model.Text
	awaited bool // its error ends the script
}

// textCalls reads the calls of a script.
type textCalls struct {
	javaScript
	levels []level // the open brackets; the first is the script itself
	// a statement that may not run began here and continues
	unsure bool
	last   token // previous token
	calls  []textCall
}

// level is an open bracket.
type level struct {
	unsure  bool // its content may not run, or run several times
	branch  bool // the same, up to the next comma or semicolon
	awaited bool // the script awaits its content
	body    bool // of a function
}

// token is a word or a character.
type token struct {
	word []byte
	sign byte
}

func (t token) is(word string) bool { return string(t.word) == word }

// callsOfText returns the calls that a script certainly makes if it reaches its end.
func callsOfText(source []byte) []textCall {
	t := textCalls{javaScript: javaScript{source: source}, levels: make([]level, 1, 8)}
	for t.step() {
	}
	if bytes.Contains(source, []byte(".catch")) { // an error may be caught
		for i := range t.calls {
			t.calls[i].awaited = false
		}
	}
	return t.calls
}

func (t *textCalls) top() *level { return &t.levels[len(t.levels)-1] }

// certain reports whether the next token runs once if the script reaches its end.
func (t *textCalls) certain() bool {
	l := t.top()
	return !l.unsure && !l.branch && !t.unsure
}

// step reads a token. It returns false at the end and at unknown syntax.
func (t *textCalls) step() bool {
	t.blank()
	if t.at >= len(t.source) {
		return false
	}
	switch c := t.source[t.at]; {
	case bytes.IndexByte([]byte("\"'`"), c) >= 0:
		if !t.skipString() {
			return false
		}
		t.last = token{sign: c}
		return true
	case c == '/' && !t.divides():
		t.last = token{sign: ')'}
		return t.skipPattern()
	case isWord(c):
		return t.word()
	default:
		return t.sign(c)
	}
}

// divides reports whether a slash divides, which is the case after a value.
func (t *textCalls) divides() bool {
	return t.last.word != nil && !t.last.is("return") || bytes.IndexByte([]byte(")]\"'`"), t.last.sign) >= 0
}

// word reads a name or a number.
func (t *textCalls) word() bool {
	start := len(t.levels) == 1 && t.last.sign != '.'
	member := t.last.sign == '.'
	name := t.name()
	switch string(name) {
	case "return", "throw", "exit":
		if !member && !t.inFunction() {
			return false // the rest may not run
		}
	case "if", "for", "while", "do", "switch", "else", "catch", "finally", "function", "class", "with", "async":
		t.unsure = t.unsure || start
	case "const", "let":
		if start { // a statement begins, whatever ended the previous one
			t.unsure, t.levels[0].branch = false, false
		}
		if string(name) == "const" && start {
			t.last = token{word: name}
			return t.constant()
		}
	case "tools":
		if !member {
			return t.tool()
		}
	}
	t.last = token{word: name}
	return true
}

func (t *textCalls) inFunction() bool {
	return slices.ContainsFunc(t.levels, func(l level) bool { return l.body })
}

// constant reads the literal value of a constant.
func (t *textCalls) constant() bool {
	from := t.at
	t.blank()
	name := t.name()
	if t.blank(); t.take('=') {
		if value, ok := t.value(0); ok && t.statementEnds() {
			if t.constants == nil {
				t.constants = map[string][]byte{}
			}
			t.constants[string(name)] = value
		}
	}
	t.at = from // read it again as tokens
	return true
}

// statementEnds reports whether the statement ends here: at a semicolon, a comma, the end, or a
// line break before a word.
func (t *textCalls) statementEnds() bool {
	from := t.at
	t.blank()
	if t.at >= len(t.source) || t.source[t.at] == ';' || t.source[t.at] == ',' {
		return true
	}
	return bytes.IndexByte(t.source[from:t.at], '\n') >= 0 && isWord(t.source[t.at]) &&
		!bytes.HasPrefix(t.source[t.at:], []byte("in")) // in, instanceof
}

// tool reads a call of a tool, after the name of the tools object.
func (t *textCalls) tool() bool {
	awaits := t.last.is("await") || t.top().awaited && (t.last.sign == '[' || t.last.sign == ',')
	t.last = token{word: []byte("tools")}
	from := t.at
	name := t.member()
	if len(name) == 0 {
		t.at = from
		t.blank()
		return t.at >= len(t.source) || t.source[t.at] != '=' // otherwise tools is reassigned
	}
	behind := t.at
	args, ok := t.arguments()
	if ok && t.certain() {
		end := t.at
		t.blank()
		chained := t.at < len(t.source) && t.source[t.at] == '.' // .then, .catch
		t.at = end
		t.calls = append(t.calls, textCall{name: name, args: args, awaited: awaits && !chained})
		t.last = token{sign: ')'}
		return true
	}
	t.at = behind
	return true
}

// member reads .name or ["name"]. It returns nil for anything else.
func (t *textCalls) member() []byte {
	t.blank()
	if t.take('.') {
		t.blank()
		return t.name()
	}
	if !t.take('[') {
		return nil
	}
	t.blank()
	name, ok := t.text()
	if t.blank(); !ok || !t.take(']') {
		return nil
	}
	return name
}

// arguments reads the parenthesized arguments of a call: none, or one literal value.
func (t *textCalls) arguments() (args model.Text, ok bool) {
	t.blank()
	if !t.take('(') {
		return args, false
	}
	if t.blank(); t.take(')') {
		return model.ValueText([]byte("{}")), true
	}
	value, ok := t.value(0)
	if t.blank(); t.take(',') {
		t.blank()
	}
	if !ok || !t.take(')') {
		return args, false
	}
	if bytes.HasPrefix(value, []byte{'"'}) { // a text, such as a patch
		return model.PlainText(model.ValueText(value).Append(nil)), true
	}
	return model.ValueText(value), true
}

// sign reads a token that is not a word.
func (t *textCalls) sign(c byte) bool {
	t.at++
	two := byte(0)
	if t.at < len(t.source) {
		two = t.source[t.at]
	}
	switch {
	case c == '(' || c == '[' || c == '{':
		t.open(c)
	case c == ')' || c == ']' || c == '}':
		if len(t.levels) == 1 {
			return false
		}
		t.levels = t.levels[:len(t.levels)-1]
		if c == '}' && len(t.levels) == 1 {
			t.unsure = false
		}
	case c == ';' || c == ',':
		t.top().branch = false
		if c == ';' && len(t.levels) == 1 {
			t.unsure = false
		}
	case c == '?', c == two && (c == '&' || c == '|'):
		t.top().branch = true
	case c == '=' && two == '>':
		t.at++
		t.top().branch = true
		t.last = token{sign: '>'} // the body of a function follows
		return true
	}
	t.last = token{sign: c}
	return true
}

// open opens a level.
func (t *textCalls) open(c byte) {
	outer := t.top()
	l := level{unsure: outer.unsure || outer.branch || t.unsure || c == '{'}
	switch c {
	case '[':
		l.awaited = outer.awaited && t.last.sign == '('
	case '(':
		head := bytes.TrimRight(t.source[:t.at-1], " \t\r\n")
		head, all := bytes.CutSuffix(head, []byte("Promise.all"))
		l.awaited = all && bytes.HasSuffix(bytes.TrimRight(head, " \t\r\n"), []byte("await"))
	case '{':
		l.body = t.last.sign == '>' || t.last.sign == ')' && t.function()
	}
	t.levels = append(t.levels, l)
}

// function reports whether the statement is a function, so that the opening block is its body.
func (t *textCalls) function() bool {
	line := t.source[:t.at]
	line = line[max(0, bytes.LastIndexAny(line[:len(line)-1], ";}\n")):]
	return bytes.Contains(line, []byte("function"))
}
