package lang

import (
	"errors"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxDepth is the maximum nesting of groups and negations. It limits the stack of all code that
// walks the tree.
const maxDepth = 200

// maxBytes is the maximum length of a query.
const maxBytes = 64 << 10

// Parse parses a query. The error is a *SyntaxError.
func Parse(src string) (*Filter, error) {
	if len(src) > maxBytes {
		return nil, &SyntaxError{Src: src, Off: maxBytes, Col: maxBytes + 1, Msg: "the filter is longer than 64 kB", Hint: "a regular expression or a key=a,b,c may say the same"}
	}
	p := &parser{lex: NewLexer(src)}
	root, err := p.query()
	if err != nil {
		return nil, err
	}
	return &Filter{root: root, src: src}, nil
}

// parser turns tokens into the tree, with a method for each rule of the grammar.
type parser struct {
	lex   *lexer
	tok   lexeme
	depth int

	regexes int // total size of the regular expressions
}

func (p *parser) next() (err *SyntaxError) {
	p.tok, err = p.lex.term()
	return err
}

func (p *parser) errorf(hint, format string, args ...any) *SyntaxError {
	return p.lex.errorf(p.tok.pos.Off, hint, format, args...)
}

// query = [ or ] .
func (p *parser) query() (Node, error) {
	if err := p.next(); err != nil {
		return nil, err
	}
	if p.tok.kind == tokEOF {
		return nil, nil
	}
	n, err := p.or()
	if err == nil && p.tok.kind == tokClose {
		err = p.errorf("", "this ) closes nothing")
	}
	if err != nil {
		return nil, err
	}
	return n, nil
}

// or = and { "|" and } .
func (p *parser) or() (Node, *SyntaxError) {
	first, err := p.and()
	if err != nil || p.tok.kind != tokOr {
		return first, err
	}
	or := &Or{Pos: first.Position()}
	for n := first; ; {
		if inner, ok := n.(*Or); ok { // a group in brackets: they make no difference
			or.Kids = append(or.Kids, inner.Kids...)
		} else {
			or.Kids = append(or.Kids, n)
		}
		if p.tok.kind != tokOr {
			return or, nil
		}
		if err := p.next(); err != nil {
			return nil, err
		}
		if n, err = p.and(); err != nil {
			return nil, err
		}
	}
}

// and = unary { [ "AND" ] unary } .
func (p *parser) and() (Node, *SyntaxError) {
	first, err := p.unary()
	if err != nil {
		return nil, err
	}
	kids := []Node{first}
	for {
		switch p.tok.kind {
		case tokEOF, tokClose, tokOr:
			if len(kids) == 1 {
				return first, nil
			}
			return &And{Pos: first.Position(), Kids: kids}, nil
		case tokAnd:
			if err := p.next(); err != nil {
				return nil, err
			}
		}
		n, err := p.unary()
		if err != nil {
			return nil, err
		}
		kids = append(kids, n)
	}
}

// unary = [ "-" | "!" | "NOT" ] primary .
func (p *parser) unary() (Node, *SyntaxError) {
	if p.tok.kind != tokNot {
		return p.primary()
	}
	pos := p.tok.pos
	if err := p.down(); err != nil {
		return nil, err
	}
	n, err := p.unary()
	if err != nil {
		return nil, err
	}
	p.depth--
	if not, ok := n.(*Not); ok {
		return not.Kid, nil
	}
	return &Not{Pos: pos, Kid: n}, nil
}

// down skips a token that nests.
func (p *parser) down() *SyntaxError {
	if p.depth++; p.depth > maxDepth {
		return p.errorf("", "nested deeper than %d", maxDepth)
	}
	return p.next()
}

// primary = "(" or ")" | [ key ":" ] value .
func (p *parser) primary() (Node, *SyntaxError) {
	switch p.tok.kind {
	case tokOpen:
		return p.group()
	case tokKey:
		return p.keyed()
	case tokWord, tokString, tokRegex:
		v, err := p.value(&keyTable[0], p.tok)
		if err != nil {
			return nil, err
		}
		t := &Term{Pos: p.tok.pos, Values: []Value{v}}
		return t, p.next()
	case tokEOF:
		return nil, p.errorf("", "a term is missing at the end")
	case tokClose:
		return nil, p.errorf("", "a term is missing before )")
	}
	text := p.lex.src[p.tok.pos.Off:p.tok.End]
	hint := ""
	if p.tok.kind == tokAnd || unicode.IsUpper(rune(text[0])) {
		hint = "to look for the text, quote it: " + quoted(text)
	}
	return nil, p.errorf(hint, "a term is missing before %s", text)
}

func (p *parser) group() (Node, *SyntaxError) {
	open := p.tok
	if err := p.down(); err != nil {
		return nil, err
	}
	if p.tok.kind == tokClose {
		return nil, p.lex.errorf(open.pos.Off, `to look for the text, quote it: "()"`, "this group is empty")
	}
	n, err := p.or()
	if err != nil {
		return nil, err
	}
	if p.tok.kind != tokClose {
		return nil, p.lex.errorf(open.pos.Off, "", "this ( is not closed")
	}
	p.depth--
	return n, p.next()
}

// keyed = key ":" [ op ] value { "," value } .
func (p *parser) keyed() (Node, *SyntaxError) {
	key := LangLookup(p.tok.text)
	if key == nil {
		return nil, p.unknownKey()
	}
	t := &Term{Pos: p.tok.pos, Key: key.Key, Op: key.Op}
	start := p.lex.off
	startPos := p.lex.pos(start)
	if key.Kind != TakesText {
		if err := p.operator(key, t); err != nil {
			return nil, err
		}
	}
	for {
		tok, err := p.lex.value()
		if err != nil {
			return nil, err
		}
		p.tok = tok
		if tok.kind == tokNone {
			return nil, p.missingValue(key, t, start)
		}
		if len(t.Values) == 0 {
			p.tok.pos = startPos // a mistake in a value is reported from its operator on
		}
		v, err := p.value(key, p.tok)
		if err != nil {
			return nil, err
		}
		v.Pos = tok.pos
		t.Values = append(t.Values, v)
		if err := p.fits(key, t, &v); err != nil {
			return nil, err
		}
		if !p.lex.comma() {
			return t, p.next()
		}
		if t.Op != OpEq {
			return nil, p.lex.errorf(p.lex.off-1, "several conditions take |: ("+key.Name+":… | "+key.Name+":…)",
				"%s takes one value, not a list", howWritten(key, t.Op))
		}
	}
}

// operator reads the operator of t if its key has one.
func (p *parser) operator(key *KeyInfo, t *Term) *SyntaxError {
	start := p.lex.off
	op, ok := p.lex.op()
	if !ok {
		return nil
	}
	written := p.lex.src[start:p.lex.off]
	switch {
	case key.Key == KeyTime && key.Name != "time":
		return p.lex.errorf(start, "write time:"+written+"… instead", "%s takes no operator", key.Name)
	case op != OpEq && !key.Kind.Ordered():
		return p.lex.errorf(start, "to look for the text, quote it: "+key.Name+":"+quoted(written+"…"),
			"%s takes no operator", key.Name)
	}
	if off := p.lex.off; off < len(p.lex.src) && strings.IndexByte("<>=", p.lex.src[off]) >= 0 {
		return p.lex.errorf(off, "operators are > >= < <= and =", "this is one operator too many")
	}
	t.Op = op
	return nil
}

// fits checks a value against the operator of its term.
func (p *parser) fits(key *KeyInfo, t *Term, v *Value) *SyntaxError {
	switch {
	case v.Form == FormRange && t.Op != OpEq:
		return p.errorf("", "%s takes one value, not a range", howWritten(key, t.Op))
	case v.Form == FormScalar && t.Op == OpEq && v.Lo.Time.Form == MomentAgo:
		return p.errorf("write after:"+v.Lo.Text+" for what came since, or before:"+v.Lo.Text, "%s takes a date or a time of day", key.Name)
	}
	return nil
}

func howWritten(key *KeyInfo, op Op) string {
	if key.Op != OpEq {
		return key.Name
	}
	return op.String()
}

func (p *parser) missingValue(key *KeyInfo, t *Term, start int) *SyntaxError {
	if len(t.Values) > 0 {
		return p.errorf("", "a value is missing after the comma")
	}
	if p.lex.off > start {
		return p.errorf("", "%s wants a value after %s", key.Name, p.lex.src[start:p.lex.off])
	}
	return p.errorf("", "%s wants a value: %s", key.Name, key.examples())
}

func (p *parser) unknownKey() *SyntaxError {
	start := p.tok.pos.Off
	chunk := p.lex.src[start : start+chunkOf(p.lex.src[start:])]
	if r := []rune(chunk); len(r) > 60 {
		chunk = string(r[:60]) + "…"
	}
	hint := "to look for the text, quote it: " + quoted(chunk)
	if near := nearestKey(p.tok.text); near != "" {
		return p.errorf(hint, "unknown key %q, did you mean %s:", p.tok.text, near)
	}
	return p.errorf(hint, "unknown key %q", p.tok.text)
}

// value makes the value of a key from a token.
func (p *parser) value(key *KeyInfo, tok lexeme) (Value, *SyntaxError) {
	v := Value{Pos: tok.pos, Text: tok.text}
	if tok.kind == tokRegex {
		if key.Kind.Ordered() || key.Kind == TakesEnum {
			return v, p.errorf("", "%s takes no regex, but %s", key.Name, key.examples())
		}
		return v, p.regex(&v, tok)
	}
	switch {
	case key.Kind == TakesEnum:
		v.Form = FormEnum
		if v.Text = key.enum(tok.text); v.Text == "" {
			return v, p.unknownValue(key, tok.text)
		}
	case key.Kind.Ordered():
		if msg := parseRange(key, tok.text, &v); msg != "" {
			return v, p.errorf("", "%s", msg)
		}
	case (key.Kind == TakesWhole || key.Kind == TakesPath) && tok.kind == tokWord && strings.ContainsAny(tok.text, "*?"):
		v.Form = FormGlob
	}
	return v, nil
}

func (p *parser) unknownValue(key *KeyInfo, text string) *SyntaxError {
	names := make([]string, len(key.Values))
	for i := range key.Values {
		names[i] = key.Values[i].Name
	}
	if near := nearest(text, names); near != "" {
		return p.errorf("", "%s knows no %q, did you mean %s:%s", key.Name, text, key.Name, near)
	}
	return p.errorf(key.Name+" takes "+strings.Join(names, ", "), "%s knows no %q", key.Name, text)
}

// regex validates a pattern, so that only valid ones reach the engine, and stores it parsed for its
// literals.
func (p *parser) regex(v *Value, tok lexeme) *SyntaxError {
	v.Form, v.Flags = FormRegex, tok.flags
	flags := syntax.Perl
	for _, c := range tok.flags {
		switch c {
		case 'i':
			flags |= syntax.FoldCase
		case 's':
			flags |= syntax.DotNL
		case 'm':
			flags &^= syntax.OneLine
		case 'U':
			flags |= syntax.NonGreedy
		}
	}
	re, err := syntax.Parse(tok.text, flags)
	if err == nil {
		v.Regexp = re
		if p.regexes += regexSize(re); p.regexes > maxRegexes {
			return p.errorf("smaller numbers in {…}, or fewer of them", "the regular expressions are too large together")
		}
		return nil
	}
	start := tok.End - len(tok.flags) - 1 - len(tok.text) // of the pattern
	msg := err.Error()
	if e := (*syntax.Error)(nil); errors.As(err, &e) {
		start += regexOffset(tok.text, e)
		msg = e.Code.String()
	}
	return p.lex.errorf(start, "", "regex: %s", msg)
}

// maxRegexes limits the total size of the regular expressions of a query to about 10 ms for
// compiling and 10 MB. A query of 40 kB may have 2,000 of /(.|\s){900}/, which is 500 MB.
const maxRegexes = 200_000

// regexSize returns about the size of the program of a regular expression.
func regexSize(re *syntax.Regexp) int {
	size := 1 + len(re.Rune)/8
	for _, sub := range re.Sub {
		size += regexSize(sub)
	}
	if re.Op == syntax.OpRepeat {
		size *= max(re.Min, re.Max, 1)
	}
	return size
}

// regexOffset returns the position of the mistake in the pattern. The package only reports its
// text, and for brackets the complete pattern.
func regexOffset(pattern string, e *syntax.Error) int {
	switch e.Code {
	case syntax.ErrInvalidUTF8:
		for i, r := range pattern {
			if _, n := utf8.DecodeRuneInString(pattern[i:]); r == utf8.RuneError && n == 1 {
				return i
			}
		}
	case syntax.ErrMissingParen, syntax.ErrUnexpectedParen:
		var open []int
		class := false
		for i := 0; i < len(pattern); i++ {
			switch c := pattern[i]; {
			case c == '\\':
				i++
			case class:
				class = c != ']'
			case c == '[':
				class = true
			case c == '(':
				open = append(open, i)
			case c == ')' && len(open) == 0:
				return i
			case c == ')':
				open = open[:len(open)-1]
			}
		}
		if len(open) > 0 {
			return open[len(open)-1]
		}
	}
	return max(strings.Index(pattern, e.Expr), 0)
}
