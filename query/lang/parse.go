package lang

import (
	"errors"
	"fmt"
	"math"
	"regexp/syntax"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// langDepth is how deep groups and negations may nest. It bounds the stack of everything that walks the tree.
const langDepth = 200

// MaxBytes is how long a query may be.
const MaxBytes = 64 << 10

// Parse reads a query. The error is a *SyntaxError.
func Parse(src string) (*Filter, error) {
	if len(src) > MaxBytes {
		return nil, &SyntaxError{Src: src, Off: MaxBytes, Col: MaxBytes + 1, Msg: "the filter is longer than 64 kB", Hint: "a regular expression or a key=a,b,c may say the same"}
	}
	p := &parser{lex: NewLexer(src)}
	root, err := p.query()
	if err != nil {
		return nil, err
	}
	return &Filter{root: root, src: src}, nil
}

// parser turns tokens into the tree, a method for each rule of the grammar.
type parser struct {
	lex   *lexer
	tok   langToken
	depth int

	regexes int // how large the regular expressions are
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
	if p.tok.kind == langEOF {
		return nil, nil
	}
	n, err := p.or()
	if err == nil && p.tok.kind == langClose {
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
	if err != nil || p.tok.kind != langOr {
		return first, err
	}
	or := &Or{Pos: first.Position()}
	for n := first; ; {
		if inner, ok := n.(*Or); ok { // a group in brackets; the brackets change nothing
			or.Kids = append(or.Kids, inner.Kids...)
		} else {
			or.Kids = append(or.Kids, n)
		}
		if p.tok.kind != langOr {
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
		case langEOF, langClose, langOr:
			if len(kids) == 1 {
				return first, nil
			}
			return &And{Pos: first.Position(), Kids: kids}, nil
		case langAnd:
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
	if p.tok.kind != langNot {
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

// down steps over a token that nests.
func (p *parser) down() *SyntaxError {
	if p.depth++; p.depth > langDepth {
		return p.errorf("", "nested deeper than %d", langDepth)
	}
	return p.next()
}

// primary = "(" or ")" | [ key ":" ] value .
func (p *parser) primary() (Node, *SyntaxError) {
	switch p.tok.kind {
	case langOpen:
		return p.group()
	case langKey:
		return p.keyed()
	case langWord, langString, langRegex:
		v, err := p.value(&langKeys[0], p.tok)
		if err != nil {
			return nil, err
		}
		t := &Term{Pos: p.tok.pos, Values: []Value{v}}
		return t, p.next()
	case langEOF:
		return nil, p.errorf("", "a term is missing at the end")
	case langClose:
		return nil, p.errorf("", "a term is missing before )")
	}
	text := p.lex.src[p.tok.pos.Off:p.tok.End]
	hint := ""
	if p.tok.kind == langAnd || unicode.IsUpper(rune(text[0])) {
		hint = "to look for the text, quote it: " + langQuoted(text)
	}
	return nil, p.errorf(hint, "a term is missing before %s", text)
}

func (p *parser) group() (Node, *SyntaxError) {
	open := p.tok
	if err := p.down(); err != nil {
		return nil, err
	}
	if p.tok.kind == langClose {
		return nil, p.lex.errorf(open.pos.Off, `to look for the text, quote it: "()"`, "this group is empty")
	}
	n, err := p.or()
	if err != nil {
		return nil, err
	}
	if p.tok.kind != langClose {
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
		if tok.kind == langNone {
			return nil, p.missingValue(key, t, start)
		}
		if len(t.Values) == 0 {
			p.tok.pos = startPos // a mistake in a value is shown from its operator on
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
				"%s takes one value, not a list", langHow(key, t.Op))
		}
	}
}

// operator reads the operator of t where its key has one.
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
		return p.lex.errorf(start, "to look for the text, quote it: "+key.Name+":"+langQuoted(written+"…"),
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
		return p.errorf("", "%s takes one value, not a range", langHow(key, t.Op))
	case v.Form == FormScalar && t.Op == OpEq && v.Lo.Time.Form == MomentAgo:
		return p.errorf("write after:"+v.Lo.Text+" for what came since, or before:"+v.Lo.Text, "%s takes a date or a time of day", key.Name)
	}
	return nil
}

func langHow(key *KeyInfo, op Op) string {
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
	chunk := p.lex.src[start : start+langChunk(p.lex.src[start:])]
	if r := []rune(chunk); len(r) > 60 {
		chunk = string(r[:60]) + "…"
	}
	hint := "to look for the text, quote it: " + langQuoted(chunk)
	if near := langNearestKey(p.tok.text); near != "" {
		return p.errorf(hint, "unknown key %q, did you mean %s:", p.tok.text, near)
	}
	return p.errorf(hint, "unknown key %q", p.tok.text)
}

// value makes a value of a token as the key wants it.
func (p *parser) value(key *KeyInfo, tok langToken) (Value, *SyntaxError) {
	v := Value{Pos: tok.pos, Text: tok.text}
	if tok.kind == langRegex {
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
		if msg := langRange(key, tok.text, &v); msg != "" {
			return v, p.errorf("", "%s", msg)
		}
	case (key.Kind == TakesWhole || key.Kind == TakesPath) && tok.kind == langWord && strings.ContainsAny(tok.text, "*?"):
		v.Form = FormGlob
	}
	return v, nil
}

func (p *parser) unknownValue(key *KeyInfo, text string) *SyntaxError {
	names := make([]string, len(key.Values))
	for i := range key.Values {
		names[i] = key.Values[i].Name
	}
	if near := langNearest(text, names); near != "" {
		return p.errorf("", "%s knows no %q, did you mean %s:%s", key.Name, text, key.Name, near)
	}
	return p.errorf(key.Name+" takes "+strings.Join(names, ", "), "%s knows no %q", key.Name, text)
}

// regex checks a pattern, so that only good ones reach the engine, and keeps it parsed for its literals.
func (p *parser) regex(v *Value, tok langToken) *SyntaxError {
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
		start += langRegexOff(tok.text, e)
		msg = e.Code.String()
	}
	return p.lex.errorf(start, "", "regex: %s", msg)
}

// maxRegexes bounds the regular expressions of a query together: some 10 ms to compile
// them, and 10 MB. A query of 40 kB may have 2,000 of /(.|\s){900}/, which is 500 MB.
const maxRegexes = 200_000

// regexSize is about how large the program of a regular expression is.
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

// langRegexOff is where in the pattern the mistake is. The package only tells the text of it, and for brackets the whole pattern.
func langRegexOff(pattern string, e *syntax.Error) int {
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

// langRange reads a scalar or a range of them into v and says what is wrong.
func langRange(key *KeyInfo, text string, v *Value) string {
	lo, hi, isRange := strings.Cut(text, "..")
	v.Form, v.Text = FormScalar, ""
	if !isRange {
		s, msg := langScalar(key, text)
		v.Lo, v.Hi = s, s
		return msg
	}
	if lo == "" && hi == "" {
		return key.Name + " wants an end of the range: " + key.examples()
	}
	v.Form = FormRange
	var msg string
	if lo != "" {
		if v.Lo, msg = langScalar(key, lo); msg != "" {
			return msg
		}
	}
	if hi != "" {
		if v.Hi, msg = langScalar(key, hi); msg != "" {
			return msg
		}
	}
	if v.Lo == nil || v.Hi == nil {
		return ""
	}
	a, b := v.Lo, v.Hi
	if clock := MomentClock; key.Kind == TakesTime && (a.Time.Form == clock) != (b.Time.Form == clock) {
		return "a range goes from date to date, or from time of day to time of day"
	}
	dated := a.Time.Form == b.Time.Form && (a.Time.Form == MomentDate || a.Time.Form == MomentInstant) && a.Time.At.After(b.Time.At)
	days := a.Time.Form == b.Time.Form && a.Time.Days < b.Time.Days
	ago := a.Time.Form == MomentAgo && b.Time.Form == MomentAgo && a.Time.Dur < b.Time.Dur
	if a.Num > b.Num || a.Dur > b.Dur || dated || days || ago {
		return fmt.Sprintf("the range is empty: %s comes after %s", a.Text, b.Text)
	}
	return ""
}

// langScalar reads one number, size, duration or time and says what is wrong.
func langScalar(key *KeyInfo, text string) (*Scalar, string) {
	s := &Scalar{Text: text}
	var ok bool
	switch key.Kind {
	case TakesDuration:
		if s.Dur, s.Step, ok = langDuration(text); ok {
			return s, ""
		}
		return nil, key.Name + " wants a unit: " + key.examples()
	case TakesTime:
		if s.Time, ok = langMoment(text); ok {
			return s, ""
		}
		return nil, key.Name + " wants a time: " + key.examples()
	case TakesSize, TakesCount:
		s.Num, ok = langUnits(text, key.Kind)
	case TakesCost:
		s.Num, ok = langNumber(strings.TrimPrefix(text, "$"))
	default:
		s.Num, ok = langNumber(text)
		ok = ok && s.Num == math.Trunc(s.Num)
	}
	if ok {
		return s, ""
	}
	return nil, key.Name + " wants a number: " + key.examples()
}

// langNumber reads digits with at most one point; no signs, exponents or names of numbers.
func langNumber(s string) (float64, bool) {
	if s == "" || strings.Trim(s, "0123456789.") != "" {
		return 0, false
	}
	x, err := strconv.ParseFloat(s, 64)
	return x, err == nil
}

// langUnits reads 1.5k, 2M, 18kB. As elsewhere on the screen, a kB is 1000 bytes and a KiB 1024.
func langUnits(s string, kind ValueKind) (float64, bool) {
	n := len(s) - len(strings.TrimLeft(s, "0123456789."))
	x, ok := langNumber(s[:n])
	unit := strings.ToLower(strings.TrimSpace(s[n:]))
	base := 1000.0
	if kind == TakesSize {
		if strings.HasSuffix(unit, "ib") {
			base, unit = 1024, strings.TrimSuffix(unit, "ib")
		} else {
			unit = strings.TrimSuffix(unit, "b")
		}
	}
	switch unit {
	case "":
	case "k":
		x *= base
	case "m":
		x *= base * base
	case "g":
		x *= base * base * base
	default:
		return 0, false
	}
	return x, ok
}

// langDuration reads 500ms, 1.5s, 1h30m, 2d and also gives the value of the last place written.
func langDuration(s string) (d, step time.Duration, ok bool) {
	var total float64
	if s == "" {
		return 0, 0, false
	}
	for s != "" {
		n := len(s) - len(strings.TrimLeft(s, "0123456789."))
		x, isNumber := langNumber(s[:n])
		_, decimals, _ := strings.Cut(s[:n], ".")
		s = s[n:]
		m := strings.IndexAny(s, "0123456789.")
		if m < 0 {
			m = len(s)
		}
		unit := langUnit(s[:m])
		if !isNumber || unit == 0 {
			return 0, 0, false
		}
		s = s[m:]
		total += x * float64(unit)
		step = unit
		for range min(len(decimals), 19) {
			step /= 10
		}
	}
	if step = max(step, 1); total >= math.MaxInt64/2 {
		return 0, 0, false
	}
	return time.Duration(math.Round(total)), step, true
}

func langUnit(s string) time.Duration {
	switch s {
	case "ns":
		return time.Nanosecond
	case "us", "µs", "μs":
		return time.Microsecond
	case "ms":
		return time.Millisecond
	case "s":
		return time.Second
	case "m", "min":
		return time.Minute
	case "h":
		return time.Hour
	case "d":
		return 24 * time.Hour
	case "w":
		return 7 * 24 * time.Hour
	}
	return 0
}

// langMoment reads a time in one of its forms.
func langMoment(s string) (Moment, bool) {
	switch strings.ToLower(s) {
	case "today":
		return Moment{Form: MomentDay, Unit: UnitDay}, true
	case "yesterday":
		return Moment{Form: MomentDay, Days: 1, Unit: UnitDay}, true
	}
	for _, l := range [...]struct {
		layout string
		form   MomentForm
		unit   time.Duration
	}{
		{"15:04", MomentClock, time.Minute},
		{"15:04:05", MomentClock, time.Second},
		{"2006-01-02", MomentDate, UnitDay},
		{"2006-01", MomentDate, UnitMonth},
		{"2006-01-02T15:04", MomentDate, time.Minute},
		{"2006-01-02 15:04", MomentDate, time.Minute},
		{"2006-01-02T15:04:05", MomentDate, time.Second},
		{"2006-01-02 15:04:05", MomentDate, time.Second},
		{"2006-01-02T15:04Z07:00", MomentInstant, time.Minute},
		{"2006-01-02T15:04:05Z07:00", MomentInstant, time.Second},
	} {
		t, err := time.Parse(l.layout, s)
		if err != nil {
			continue
		}
		m := Moment{Form: l.form, Unit: l.unit}
		if t.Nanosecond() > 0 {
			m.Unit = time.Millisecond
		}
		if l.form == MomentClock {
			m.Dur = time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute + time.Duration(t.Second())*time.Second +
				time.Duration(t.Nanosecond())
		} else {
			m.At = t.UTC()
		}
		return m, true
	}
	d, _, ok := langDuration(s)
	return Moment{Form: MomentAgo, Dur: d}, ok
}
