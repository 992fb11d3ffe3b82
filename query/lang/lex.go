package lang

import (
	"fmt"
	"math"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Pos is a position in the source of a query.
type Pos struct {
	Off int // in bytes, from 0
	Col int // in runes, from 1
}

// SyntaxError reports a mistake in a query and its place.
type SyntaxError struct {
	Src string // the query as typed
	Off int    // byte offset of the mistake
	// column of the mistake in runes, from 1; one past the end if something is missing there
	Col  int
	Msg  string // the mistake, in one line of lower case
	Hint string // what to write instead; may be empty
}

// Error names the query and the column, then the message, then the hint.
func (e *SyntaxError) Error() string {
	src := e.Src[:min(len(e.Src), 1000)]
	if r := []rune(src); len(r) > 80 {
		src = string(r[:79]) + "…"
	}
	s := fmt.Sprintf("filter %q, column %d: %s", src, e.Col, e.Msg)
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// tokenKind is the kind of a token.
type tokenKind uint8

const (
	tokEOF    tokenKind = iota
	tokOpen             // (
	tokClose            // )
	tokAnd              // AND, &&
	tokOr               // |, ||, OR
	tokNot              // - or ! right before a term, NOT
	tokKey              // name and colon; text is the name
	tokWord             // text as written
	tokString           // text without quotes and escapes
	tokRegex            // text between the slashes, flags after them
	tokNone             // a missing value
)

// lexeme is a token for the parser.
type lexeme struct {
	kind  tokenKind
	pos   Pos
	End   int // offset of the next byte
	text  string
	flags string
}

// lexer splits a query into tokens. The same bytes have different meanings before and after a colon
// (a comma, an operator), so the parser calls the method for its position: term at the beginning of
// a term, op and value after a key.
type lexer struct {
	src  string
	off  int
	mark Pos // a position of known column, so that columns cost one pass over the source
}

// NewLexer returns a lexer at the start of a query.
func NewLexer(src string) *lexer { return &lexer{src: src, mark: Pos{Col: 1}} }

// pos returns the position of an offset.
func (l *lexer) pos(off int) Pos {
	if off < l.mark.Off {
		l.mark = Pos{Col: 1}
	}
	l.mark = Pos{Off: off, Col: l.mark.Col + utf8.RuneCountInString(l.src[l.mark.Off:off])}
	return l.mark
}

func (l *lexer) errorf(off int, hint, format string, args ...any) *SyntaxError {
	p := l.pos(off)
	return &SyntaxError{Src: l.src, Off: p.Off, Col: p.Col, Msg: fmt.Sprintf(format, args...), Hint: hint}
}

// token makes a token of the source from start to the lexer's position.
func (l *lexer) token(kind tokenKind, start int, text string) lexeme {
	return lexeme{kind: kind, pos: l.pos(start), End: l.off, text: text}
}

// term reads the next token where a term, a bracket or a connective is valid.
func (l *lexer) term() (lexeme, *SyntaxError) {
	l.off += spacesOf(l.src[l.off:])
	start := l.off
	if start == len(l.src) {
		return l.token(tokEOF, start, ""), nil
	}
	switch l.src[start] {
	case '(':
		l.off++
		return l.token(tokOpen, start, "("), nil
	case ')':
		l.off++
		return l.token(tokClose, start, ")"), nil
	case '|':
		l.off++
		if strings.HasPrefix(l.src[l.off:], "|") {
			l.off++
		}
		return l.token(tokOr, start, "|"), nil
	case '-', '!':
		return l.sign()
	case '"':
		return l.quoted(false)
	case '/':
		if tok, ok := l.Regex(false); ok {
			return tok, nil
		}
	}
	if n := keyLen(l.src[start:]); n > 0 {
		l.off += n + 1
		return l.token(tokKey, start, l.src[start:start+n]), nil
	}
	tok, err := l.word(false)
	if err != nil {
		return tok, err
	}
	switch tok.text {
	case "AND", "&&":
		tok.kind = tokAnd
	case "OR":
		tok.kind = tokOr
	case "NOT":
		tok.kind = tokNot
	}
	return tok, nil
}

// sign reads the minus or exclamation mark that negates the next term. Two of them, or a single one
// without a term, are more likely a searched text (--no-verify) than a double negation.
func (l *lexer) sign() (lexeme, *SyntaxError) {
	start := l.off
	sign := l.src[start : start+1]
	l.off++
	rest := l.src[l.off:]
	text := l.src[start : start+chunkOf(l.src[start:])]
	if rest == "" || spacesOf(rest) > 0 || rest[0] == ')' || rest[0] == '|' {
		return lexeme{}, l.errorf(start, "to look for the text, quote it: "+quoted(text),
			"%s negates the term right after it, and there is none", sign)
	}
	if rest[0] == '-' || rest[0] == '!' {
		return lexeme{}, l.errorf(start, "to look for the text, quote it: "+quoted(text), "a term is negated once")
	}
	return l.token(tokNot, start, sign), nil
}

// op reads the operator after a key, if there is one.
func (l *lexer) op() (Op, bool) {
	rest := l.src[l.off:]
	for _, c := range [...]struct {
		text string
		op   Op
	}{{">=", OpGe}, {"<=", OpLe}, {">", OpGt}, {"<", OpLt}, {"=", OpEq}} {
		if strings.HasPrefix(rest, c.text) {
			l.off += len(c.text)
			return c.op, true
		}
	}
	return OpEq, false
}

// value reads one value after a key, its operator or a comma.
func (l *lexer) value() (lexeme, *SyntaxError) {
	start := l.off
	rest := l.src[start:]
	if rest == "" || spacesOf(rest) > 0 || strings.IndexByte(")|,", rest[0]) >= 0 {
		return l.token(tokNone, start, ""), nil
	}
	switch rest[0] {
	case '(':
		return lexeme{}, l.errorf(start, "several values take commas: role:user,tool", "a group cannot follow a key")
	case '"':
		return l.quoted(true)
	case '/':
		if tok, ok := l.Regex(true); ok {
			return tok, nil
		}
	}
	return l.word(true)
}

// comma skips the comma between two values.
func (l *lexer) comma() bool {
	if strings.HasPrefix(l.src[l.off:], ",") {
		l.off++
		return true
	}
	return false
}

// word reads a word. An opening bracket or a quote inside it is an error: to continue or to stop
// there would silently search for a different text.
func (l *lexer) word(inValue bool) (lexeme, *SyntaxError) {
	start := l.off
	for l.off < len(l.src) {
		rest := l.src[l.off:]
		if spacesOf(rest) > 0 || rest[0] == ')' || rest[0] == '|' || inValue && rest[0] == ',' {
			break
		}
		if rest[0] == '(' || rest[0] == '"' {
			chunk := l.src[start : start+chunkOf(l.src[start:])]
			if rest[0] == '(' && strings.Contains(chunk, "(") && strings.HasPrefix(l.src[start+len(chunk):], ")") {
				chunk += ")"
			}
			return lexeme{}, l.errorf(l.off, "quote the whole: "+quoted(chunk), "%q in the middle of a word", rest[:1])
		}
		_, n := utf8.DecodeRuneInString(rest)
		l.off += n
	}
	return l.token(tokWord, start, l.src[start:l.off]), nil
}

// quoted reads a string in quotes. Only \" and \\ are escapes, so "C:\new" and "\d" mean what they
// show.
func (l *lexer) quoted(inValue bool) (lexeme, *SyntaxError) {
	start := l.off
	var b strings.Builder
	for i := start + 1; i < len(l.src); i++ {
		switch c := l.src[i]; {
		case c == '\\' && i+1 < len(l.src) && (l.src[i+1] == '"' || l.src[i+1] == '\\'):
			i++
			b.WriteByte(l.src[i])
		case c == '"':
			l.off = i + 1
			if !endsTerm(l.src[l.off:], inValue) {
				return lexeme{}, l.errorf(l.off, `inside quotes, write \" for a quote`, "a space is missing after the closing quote")
			}
			return l.token(tokString, start, b.String()), nil
		default:
			b.WriteByte(c)
		}
	}
	return lexeme{}, l.errorf(start, `to look for a quote itself, write "\""`, "this quote is not closed")
}

// Regex reads /pattern/flags, if the slash begins one: flags and the end of a term must follow the
// next unescaped slash. Otherwise the slash begins a path.
func (l *lexer) Regex(inValue bool) (lexeme, bool) {
	start := l.off
	end := -1
	for i := start + 1; i < len(l.src); i++ {
		if l.src[i] == '\\' {
			i++
		} else if l.src[i] == '/' {
			end = i
			break
		}
	}
	if end <= start+1 { // none, or two adjacent slashes
		return lexeme{}, false
	}
	stop, flags := end+1, ""
	for stop < len(l.src) && strings.IndexByte("imsU", l.src[stop]) >= 0 {
		if strings.IndexByte(flags, l.src[stop]) < 0 {
			flags += l.src[stop : stop+1]
		}
		stop++
	}
	if !endsTerm(l.src[stop:], inValue) {
		return lexeme{}, false
	}
	l.off = stop
	tok := l.token(tokRegex, start, l.src[start+1:end])
	tok.flags = flags
	return tok, true
}

// endsTerm reports whether a value may end before s.
func endsTerm(s string, inValue bool) bool {
	return s == "" || s[0] == ')' || s[0] == '|' || inValue && s[0] == ',' || spacesOf(s) > 0
}

// spacesOf returns the length of the white space at the beginning of s.
func spacesOf(s string) int {
	for i, r := range s {
		if !unicode.IsSpace(r) {
			return i
		}
	}
	return len(s)
}

// chunkOf returns the length of s up to white space, a pipe or a closing bracket: the probable
// extent of an invalid word.
func chunkOf(s string) int {
	if i := strings.IndexFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r == '|' || r == ')' }); i >= 0 {
		return i
	}
	return len(s)
}

// keyLen returns the length of the name at the beginning of s if a colon follows it, otherwise 0.
func keyLen(s string) int {
	for i, r := range s {
		switch {
		case r == ':':
			return i
		case unicode.IsLetter(r), i > 0 && (unicode.IsDigit(r) || r == '_' || r == '-'):
		default:
			return 0
		}
	}
	return 0
}

// foldRune maps all runes that differ only in case to the same one.
func foldRune(r rune) rune {
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return least
}

// For speed only: LangMaxLits is the maximum number of literals from a pattern. Searching for more
// costs more than it saves.
const LangMaxLits = 32

// For speed only: maxLiteral is the maximum length of a literal. Longer ones rule out no more.
const maxLiteral = 1000

// literals describes the matches of a part of a pattern: each contains one of lits; if whole is
// set, each is one of them. A part with unknown matches has the empty string.
type literals struct {
	lits  []string
	whole bool
	fold  bool
}

// LangLiterals returns literals of which every match of re contains at least one, or nil if there
// are none. With fold, case may differ, in the sense of unicode.SimpleFold: K matches the Kelvin
// sign. With exact, every text that contains one matches.
func LangLiterals(re *syntax.Regexp) (lits []string, fold, exact bool) {
	known := literalsOf(re, 0)
	for _, s := range known.lits {
		// U+FFFD also matches any invalid byte
		if s == "" || strings.ContainsRune(s, utf8.RuneError) {
			return nil, false, false
		}
	}
	return known.lits, known.fold, known.whole && !asserts(re)
}

func literalsOf(re *syntax.Regexp, depth int) literals {
	none := literals{lits: []string{""}}
	if depth > maxDepth {
		return none
	}
	switch re.Op {
	case syntax.OpLiteral:
		return literals{[]string{string(re.Rune)}, true, re.Flags&syntax.FoldCase != 0}
	case syntax.OpCharClass:
		l := literals{whole: true}
		for i := 0; i+1 < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				if l.lits = append(l.lits, string(r)); len(l.lits) > LangMaxLits {
					return none
				}
			}
		}
		if len(l.lits) == 0 { // matches nothing
			return none
		}
		return l
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary,
		syntax.OpNoWordBoundary:
		return literals{lits: []string{""}, whole: true}
	case syntax.OpCapture:
		return literalsOf(re.Sub[0], depth+1)
	case syntax.OpPlus:
		l := literalsOf(re.Sub[0], depth+1)
		l.whole = false
		return l
	case syntax.OpRepeat:
		if re.Min > 0 {
			l := literalsOf(re.Sub[0], depth+1)
			l.whole = l.whole && re.Min == 1 && re.Max == 1
			return l
		}
	case syntax.OpQuest:
		if l := literalsOf(re.Sub[0], depth+1); l.whole {
			l.lits = append(l.lits, "")
			return l
		}
	case syntax.OpAlternate:
		l := literals{whole: true}
		for i, sub := range re.Sub {
			s := literalsOf(sub, depth+1)
			l.whole = l.whole && s.whole && (i == 0 || l.fold == s.fold)
			l.fold = l.fold || s.fold
			if l.lits = append(l.lits, s.lits...); len(l.lits) > LangMaxLits {
				return none
			}
		}
		return l
	case syntax.OpConcat:
		return concatLiterals(re.Sub, depth)
	}
	return none
}

// concatLiterals joins consecutive parts as long as they are whole, and returns the best run.
func concatLiterals(subs []*syntax.Regexp, depth int) literals {
	best, run := literals{lits: []string{""}}, literals{lits: []string{""}, whole: true}
	whole := true
	keep := func(l literals) {
		if worth(l) > worth(best) {
			best = literals{lits: l.lits, fold: l.fold}
		}
	}
	for _, sub := range subs {
		s := literalsOf(sub, depth+1)
		empty := len(s.lits) == 1 && s.lits[0] == "" // an assertion has no case
		small := len(run.lits)*len(s.lits) <= LangMaxLits && len(run.lits[0]) < maxLiteral
		sameCase := empty || s.fold == run.fold || worth(run) == 0 && len(run.lits) == 1
		if s.whole && small && sameCase {
			joined := make([]string, 0, len(run.lits)*len(s.lits))
			for _, a := range run.lits {
				for _, b := range s.lits {
					joined = append(joined, a+b)
				}
			}
			run.lits, run.fold = joined, run.fold || s.fold
			continue
		}
		whole = false
		keep(run)
		keep(s)
		run = literals{lits: []string{""}, whole: true}
		if s.whole {
			run = s
		}
	}
	if whole {
		return run
	}
	keep(run)
	return best
}

// worth returns the length of the shortest literal: longer ones rule out more.
func worth(l literals) int {
	n := math.MaxInt
	for _, s := range l.lits {
		n = min(n, len(s))
	}
	return n
}

// asserts reports whether a pattern has assertions.
func asserts(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return true
	}
	return slices.ContainsFunc(re.Sub, asserts)
}
