package filter

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"turns/model"
	"turns/query/lang"
)

// textMatcher finds one value of a term in a text. A word matches in any case. ASCII letters match
// only ASCII letters, because the search of recorded bytes folds only ASCII and must not rule out
// matches.
type textMatcher struct {
	word  string // of a word, folded
	ascii bool   // the word is ASCII
	re    *regexp.Regexp
	holds []string // of a regex: every match contains one of these; nil if unknown
	exact bool     // a text with one of holds matches
	lits  [][]byte // recorded bytes must contain one of these; nil: they cannot rule a message out
}

// newTextMatcher compiles a value; word patterns never fail.
func newTextMatcher(v *lang.Value) (*textMatcher, error) {
	if v.Form != lang.FormRegex {
		return newWordMatcher(v.Text), nil
	}
	engine, err := compileRegex(v)
	if err != nil {
		return nil, err
	}
	t := &textMatcher{re: engine}
	lits, fold, exact := lang.LangLiterals(v.Regexp)
	if len(lits) == 0 {
		return t, nil
	}
	if !fold && len(lits) <= 4 {
		t.holds, t.exact = lits, exact
	}
	for _, lit := range lits {
		if fold {
			lit = textPlainFold(lit)
		}
		if textPlainRun(lit) < 3 {
			t.lits = nil
			break
		}
		t.lits = append(t.lits, []byte(lit))
	}
	return t, nil
}

func newWordMatcher(word string) *textMatcher {
	t := &textMatcher{word: textFold(word), ascii: textASCII(word)}
	if textPlainRun(word) >= 3 {
		t.lits = [][]byte{[]byte(word)}
	}
	return t
}

// textMaxProgram limits the size of a compiled regex. A larger one would need minutes for a long
// line, and the search cannot be interrupted.
const textMaxProgram = 10_000

// compileRegex compiles the regex of a value. It fails if it is invalid or too large.
func compileRegex(v *lang.Value) (*regexp.Regexp, error) {
	prog, err := syntax.Compile(v.Regexp.Simplify())
	if err != nil {
		return nil, fmt.Errorf("compiling regex %q: %w", v.Text, err)
	}
	size := 0
	for i := range prog.Inst {
		size += 1 + len(prog.Inst[i].Rune)
	}
	if size > textMaxProgram {
		return nil, fmt.Errorf("compiling regex %.80q: it has %d steps, the most is %d: words with \"or\" between them may be as many as you like", v.Text, size, textMaxProgram)
	}
	re, err := regexp.Compile(v.Pattern())
	if err != nil {
		return nil, fmt.Errorf("compiling regex %q: %w", v.Text, err)
	}
	return re, nil
}

// textValid returns s with U+FFFD for each run of broken UTF-8, as on the screen.
func textValid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// match reports whether the value is somewhere in s.
func (t *textMatcher) match(s string) bool {
	if t.re == nil {
		return t.hasWord(s)
	}
	if t.holds != nil {
		found := false
		for _, lit := range t.holds {
			if found = strings.Contains(s, lit); found {
				break
			}
		}
		if !found || t.exact {
			return found
		}
	}
	return t.re.MatchString(textValid(s))
}

// ranges returns the matching byte ranges of s, at most limit. s must be valid UTF-8 for a regex.
func (t *textMatcher) ranges(s string, limit int) [][2]int {
	var out [][2]int
	if t.re == nil && t.word == "" {
		return nil
	}
	if t.re == nil {
		next := t.words(s)
		for from := 0; len(out) < limit; {
			start, end := next(from)
			if start < 0 {
				return out
			}
			out = append(out, [2]int{start, end})
			from = end
		}
		return out
	}
	for _, at := range t.re.FindAllStringIndex(s, limit) {
		if at[1] > at[0] || len(out) == 0 { // of empty ones, one for the line
			out = append(out, [2]int{at[0], at[1]})
		}
	}
	return out
}

// hasWord reports whether the word is somewhere in s. Most texts have it letter by letter, so
// the search that skips invisible characters is the last one.
func (t *textMatcher) hasWord(s string) bool {
	switch {
	case t.word == "", t.ascii && model.IndexFold(s, t.word, strings.IndexByte) >= 0:
		return true
	case t.plain(s):
		return false
	}
	start, _ := t.indexFolded(s, 0)
	return start >= 0
}

// words returns a function that returns the first position of the word at or after from, -1 if
// there is none. from must not decrease between calls.
func (t *textMatcher) words(s string) func(from int) (start, end int) {
	switch {
	case t.word == "":
		return func(from int) (int, int) { return from, from }
	case t.plain(s):
		finder := model.NewFoldFinder(s, t.word, strings.IndexByte)
		return func(from int) (int, int) {
			if i := finder.Next(from); i >= 0 {
				return i, i + len(t.word)
			}
			return -1, -1
		}
	}
	return func(from int) (int, int) { return t.indexFolded(s, from) }
}

// indexFolded returns the first position at or after from that folds to the word, -1 if there is
// none.
func (t *textMatcher) indexFolded(s string, from int) (start, end int) {
	first, _ := utf8.DecodeRuneInString(t.word)
	for i := from; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if textFoldRune(r) == first {
			if end := textPrefix(s[i:], t.word); end >= 0 {
				return i, i + end
			}
		}
		i += n
	}
	return -1, -1
}

// plain reports whether the word can only be in s byte by byte: the word is ASCII, and s has no
// invisible characters, which may be between two letters.
func (t *textMatcher) plain(s string) bool {
	return t.ascii && model.NextInvisible(unsafe.Slice(unsafe.StringData(s), len(s)), 0) == len(s)
}

// textPrefix returns the length of the beginning of s that folds to word, -1 if there is none. It
// skips invisible characters between two letters.
func textPrefix(s, word string) int {
	i := 0
	for _, want := range word {
		for {
			if i == len(s) {
				return -1
			}
			r, n := utf8.DecodeRuneInString(s[i:])
			i += n
			if textFoldRune(r) == want {
				break
			}
			if i == n || !model.Invisible(r) {
				return -1
			}
		}
	}
	return i
}

// textFold folds every rune of s.
func textFold(s string) string { return strings.Map(textFoldRune, s) }

// textFoldRune maps all runes that differ only in case to the same one; ASCII only to ASCII.
func textFoldRune(r rune) rune {
	if r < utf8.RuneSelf {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		if f >= utf8.RuneSelf {
			least = min(least, f)
		}
	}
	return least
}

func textASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// textPlainRun returns the length of the longest run of lit that every JSON writer records
// unchanged. Runs shorter than three are useless.
func textPlainRun(lit string) int {
	best, run := 0, 0
	for i := range len(lit) {
		if b := lit[i]; b >= 0x20 && b < 0x7f && b != '"' && b != '\\' && b != '/' {
			run++
			best = max(best, run)
		} else {
			run = 0
		}
	}
	return best
}

// textPlainFold returns the longest part of lit that only ASCII letters can match: K may also be
// the Kelvin sign, and s the long s.
func textPlainFold(lit string) string {
	best := ""
	for _, part := range strings.FieldsFunc(lit, func(r rune) bool { return r >= utf8.RuneSelf || strings.ContainsRune("kKsS", r) }) {
		if textPlainRun(part) > textPlainRun(best) {
			best = part
		}
	}
	return best
}
