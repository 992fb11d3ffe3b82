package lang

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Candidate is a possible text at the cursor.
type Candidate struct {
	Text  string // text to insert, quoted if necessary; a key has its colon
	Count int    // number of occurrences; 0: unknown or none
	Note  string // one line of help
}

// Completion is possible replacements of src[From:To].
type Completion struct {
	From, To   int
	Key        Key  // of the offered values
	Values     bool // Candidates are values of Key, not keys
	Candidates []Candidate
}

// Complete returns completions for the cursor, a byte offset in src: keys, or values of a key.
// values returns the values in a session (tools, models), with counts, for the text before the
// cursor, best first. It may be nil.
func Complete(src string, cursor int, values func(key Key, prefix string) []Candidate) Completion {
	cursor = min(max(cursor, 0), len(src))
	l := NewLexer(src)
	for {
		l.off += spacesOf(src[l.off:])
		for l.off < len(src) && strings.IndexByte("()|-!", src[l.off]) >= 0 {
			l.off++
			l.off += spacesOf(src[l.off:])
		}
		if l.off >= cursor {
			return completeKeys("", cursor, ahead(src, cursor, true))
		}
		start := l.off
		if n := keyLen(src[start:]); n > 0 {
			if l.off += n + 1; cursor < l.off {
				return completeKeys(src[start:cursor], start, l.off)
			}
			if c, ok := completeValue(l, src[start:start+n], cursor, values); ok {
				return c
			}
			continue
		}
		switch skipTerm(l, false); {
		case cursor > l.off || src[start] == '"' || src[start] == '/' && l.off-start > 1 && l.src[l.off-1] == '/':
			if cursor <= l.off {
				return Completion{From: cursor, To: cursor}
			}
		default:
			return completeKeys(src[start:cursor], start, ahead(src, cursor, true))
		}
	}
}

// completeValue completes the value at the cursor after a key, or skips all values.
func completeValue(l *lexer, name string, cursor int, values func(Key, string) []Candidate) (Completion, bool) {
	key := LangLookup(name)
	opStart := l.off
	if key == nil || key.Kind != TakesText {
		l.op()
	}
	op := l.src[opStart:l.off]
	if cursor < l.off { // within the operator
		return Completion{From: cursor, To: cursor}, true
	}
	for {
		start := l.off
		skipTerm(l, true)
		if cursor <= l.off {
			if key == nil {
				return Completion{From: cursor, To: cursor}, true
			}
			c := completeValues(key, l.src[start:cursor], op, values)
			c.From, c.To = start, l.off
			return c, true
		}
		if !l.comma() {
			return Completion{}, false
		}
	}
}

// skipTerm skips one value, valid or not: text is usually incomplete while typing.
func skipTerm(l *lexer, inValue bool) {
	start := l.off
	if l.off == len(l.src) {
		return
	}
	switch l.src[l.off] {
	case '"':
		if _, err := l.quoted(inValue); err != nil && l.off == start {
			l.off = len(l.src)
		}
		return
	case '/':
		if _, ok := l.Regex(inValue); ok {
			return
		}
	}
	l.off = ahead(l.src, start, !inValue)
}

// ahead returns the end of the word around off.
func ahead(src string, off int, commas bool) int {
	for i, r := range src[off:] {
		if unicode.IsSpace(r) || r == ')' || r == '|' || r == '(' && i > 0 || r == ',' && !commas {
			return off + i
		}
	}
	return len(src)
}

// completeKeys offers keys that begin with the typed text, and such conditions (is:error).
func completeKeys(typed string, from, to int) Completion {
	c := Completion{From: from, To: to}
	prefix := strings.ToLower(strings.TrimSuffix(typed, ":"))
	var others []Candidate
	for i := 1; i < len(keyTable); i++ {
		k := &keyTable[i]
		found := Candidate{Text: k.Name + ":", Note: k.Help}
		if strings.HasPrefix(k.Name, prefix) {
			c.Candidates = append(c.Candidates, found)
		} else if slices.ContainsFunc(k.Aliases, func(a string) bool { return strings.HasPrefix(a, prefix) }) {
			others = append(others, found)
		}
	}
	c.Candidates = append(c.Candidates, others...)
	if utf8.RuneCountInString(prefix) < 2 {
		return c
	}
	for _, k := range keyTable[1:] {
		if k.Key != KeyIs && k.Key != KeyHas {
			continue
		}
		for _, v := range k.Values {
			if strings.HasPrefix(v.Name, prefix) {
				c.Candidates = append(c.Candidates, Candidate{Text: k.Name + ":" + v.Name, Note: v.Help})
			}
		}
	}
	return c
}

// completeValues offers values that begin with the typed text, then those that contain it.
func completeValues(key *KeyInfo, typed, op string, values func(Key, string) []Candidate) Completion {
	c := Completion{Key: key.Key, Values: true}
	plain := typed
	if strings.HasPrefix(typed, `"`) {
		plain = strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(strings.TrimSuffix(typed[1:], `"`))
	}
	var found []Candidate
	if values != nil {
		found = slices.Clone(values(key.Key, plain))
	}
	for i := range key.Values {
		v := &key.Values[i]
		at := slices.IndexFunc(found, func(c Candidate) bool { return strings.EqualFold(c.Text, v.Name) })
		if at < 0 {
			found = append(found, Candidate{Text: v.Name, Note: v.Help})
		} else if found[at].Note == "" {
			found[at].Note = v.Help
		}
	}
	if key.Kind.Ordered() {
		if _, isNumber := parseNumber(plain); isNumber && key.Kind == TakesDuration {
			for _, unit := range [...]string{"ms", "s", "m", "h"} {
				found = append(found, Candidate{Text: plain + unit})
			}
		}
		for _, e := range key.Examples {
			compares := strings.ContainsAny(e, "<>=") || strings.Contains(e, "..")
			offered := slices.ContainsFunc(found, func(c Candidate) bool { return c.Text == e })
			if plain == "" && op == "" || !compares && !offered {
				found = append(found, Candidate{Text: e})
			}
		}
	}
	prefix := strings.ToLower(plain)
	var inside []Candidate
	for _, f := range found {
		text := strings.ToLower(f.Text)
		starts, has := strings.HasPrefix(text, prefix), strings.Contains(text, prefix)
		if !key.Kind.Ordered() { // an example is used unchanged
			f.Text = Quote(f.Text)
		}
		if starts {
			c.Candidates = append(c.Candidates, f)
		} else if has && utf8.RuneCountInString(prefix) > 1 { // one letter is in nearly all values
			inside = append(inside, f)
		}
	}
	c.Candidates = append(c.Candidates, inside...)
	if key.Kind == TakesWhole && key.Any != "" && plain == "" {
		c.Candidates = append(c.Candidates, Candidate{Text: "*", Note: key.Any})
	}
	return c
}

// Quote formats a value so that Parse reads it back unchanged: bare if possible, otherwise in
// quotes.
func Quote(value string) string {
	switch value {
	case "", "AND", "OR", "NOT", "&&":
		return quoted(value)
	}
	if strings.IndexByte(`-!/<>=`, value[0]) >= 0 || keyLen(value) > 0 || strings.ContainsAny(value, `()|",*?`) ||
		strings.ContainsFunc(value, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return quoted(value)
	}
	return value
}

func quoted(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}

// String returns the key as written before the colon; "" for KeyAny.
func (k Key) String() string {
	for i := range keyTable {
		if keyTable[i].Key == k {
			return keyTable[i].Name
		}
	}
	return ""
}

// ValueKind is the syntax of a key's values and how they match.
type ValueKind uint8

// The kinds of values.
const (
	TakesText     ValueKind = iota // substring or regex
	TakesWhole                     // whole value, with globs, or regex
	TakesPath                      // whole path or its last parts, with globs, or regex
	TakesEnum                      // a name from a list
	TakesNumber                    // whole number, range
	TakesCount                     // number with k, M, G
	TakesSize                      // bytes, kB, MB, GB, KiB, …
	TakesCost                      // decimal, perhaps after $
	TakesDecimal                   // decimal
	TakesDuration                  // with a unit
	TakesTime                      // time of day, date, instant, 2h, yesterday
)

// Ordered reports whether values of the kind can be compared, with operators and ranges.
func (k ValueKind) Ordered() bool { return k >= TakesNumber }

// KeyInfo describes one name of a key. Times have several names, each with its operator.
type KeyInfo struct {
	Key     Key
	Name    string
	Aliases []string
	Kind    ValueKind
	Op      Op // operator implied by the name: after means OpGe
	Help    string
	// for error messages; for ordered kinds also for completion
	Examples []string
	Any      string      // meaning of *
	Values   []EnumValue // all values of TakesEnum; the usual ones of role
}

// EnumValue is one possible name for a key.
type EnumValue struct {
	Name    string
	Help    string
	Aliases []string
}

// Keys lists all keys, in the order of the help.
func Keys() []KeyInfo { return slices.Clone(keyTable[1:]) }

// examples joins the examples for a sentence.
func (k *KeyInfo) examples() string {
	last := len(k.Examples) - 1
	if last < 1 {
		return strings.Join(k.Examples, "")
	}
	return strings.Join(k.Examples[:last], ", ") + " or " + k.Examples[last]
}

// enum returns the canonical spelling of a name, "" for an unknown one.
func (k *KeyInfo) enum(text string) string {
	text = strings.ToLower(text)
	for i := range k.Values {
		if v := &k.Values[i]; v.Name == text || slices.Contains(v.Aliases, text) {
			return v.Name
		}
	}
	return ""
}

// LangLookup finds a key by name or alias, in any case; nil if there is none.
func LangLookup(name string) *KeyInfo {
	name = strings.ToLower(name)
	for i := 1; i < len(keyTable); i++ {
		if k := &keyTable[i]; k.Name == name || slices.Contains(k.Aliases, name) {
			return k
		}
	}
	return nil
}

// nearestKey returns the most similar key to s, or "".
func nearestKey(s string) string {
	var names []string
	for i := 1; i < len(keyTable); i++ {
		names = append(append(names, keyTable[i].Name), keyTable[i].Aliases...)
	}
	return nearest(s, names)
}

// Add returns the filter with one more term, or with its negation. It skips an existing term, and
// replaces the opposite one. The rest of the source does not change.
func (f *Filter) Add(term string, negate bool) (*Filter, error) {
	add, err := Parse(term)
	if err != nil || add.root == nil {
		return f, err
	}
	opposite := Node(&Not{Kid: add.root})
	if not, ok := add.root.(*Not); ok {
		opposite = not.Kid
	}
	if negate {
		add.root, opposite = opposite, add.root
	}
	var kids []Node
	switch root := f.Root().(type) {
	case nil:
	case *And:
		kids = slices.Clone(root.Kids)
	default:
		kids = []Node{root}
	}
	for i, k := range kids {
		if sameNode(k, add.root) {
			return f, nil
		}
		if sameNode(k, opposite) {
			kids[i] = add.root
			return Parse(allTexts(kids))
		}
	}
	src := strings.TrimSpace(f.Source())
	if _, ok := f.Root().(*Or); ok {
		src = "(" + src + ")"
	}
	added := allTexts([]Node{add.root})
	if _, ok := add.root.(*Term); !ok && strings.ContainsRune(added, ' ') && !strings.HasPrefix(added, "-") && src != "" {
		added = "(" + added + ")"
	}
	want := allTexts(append(kids, add.root))
	if both, err := Parse(strings.TrimSpace(src + " " + added)); err == nil && both.String() == want {
		return both, nil
	}
	return Parse(want) // a slash in the new term made earlier text a regex: rewrite the source
}

// allTexts prints the conjunction of nodes.
func allTexts(kids []Node) string {
	f := &Filter{}
	switch len(kids) {
	case 0:
	case 1:
		f.root = kids[0]
	default:
		f.root = &And{Kids: kids}
	}
	return f.String()
}
