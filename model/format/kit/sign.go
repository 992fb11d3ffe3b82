package kit

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	"turns/model/jsonspan"
)

// Signs are conditions that recognise records. Each is one or more conditions joined by " & ":
//
//	type                  a field of that name, whatever its value
//	!type                 no such field
//	type=user|tool.*      its value; "*" stands for the rest of a word
//	message.role:string   its value is a string (object, list, filled: not empty)
//	content[].type=text   any element of a list
//	parts[0](id & type)   the first element has all of these fields
//	id|uuid               one field or the other
//
// "[]" and "[0]" also mean the members of an object.
//
// Each begins with a vote: "+" for a record of the format, "~" for a possible one, "-" for
// an impossible one, and "x" for one that excludes the format. No vote means "+". The first true
// sign decides; if none does, the record cannot be of the format.
type Signs []string

// The votes.
const (
	Excluded = iota - 2
	Unfit
	Possible
	Certain
)

// sign is a parsed line of Signs.
type sign struct {
	vote  int
	when  []condition
	marks []string // a record that meets the sign has one of them
}

var voteOf = map[byte]int{'+': Certain, '~': Possible, '-': Unfit, 'x': Excluded}

// parse parses the lines; like regexp.MustCompile it panics on an invalid one.
func (s Signs) parse() []sign {
	list := make([]sign, 0, len(s))
	for _, line := range s {
		one := sign{vote: Certain}
		if vote, ok := voteOf[line[0]]; ok && strings.HasPrefix(line[1:], " ") {
			one.vote, line = vote, line[2:]
		}
		one.when = parseConditions(line)
		for i := range one.when {
			one.marks = better(one.marks, one.when[i].marks())
		}
		list = append(list, one)
	}
	return list
}

// better returns the list of marks with the longer shortest mark: the rarer one.
func better(a, b []string) []string {
	if shortest(b) > shortest(a) {
		return b
	}
	return a
}

func shortest(marks []string) int {
	if len(marks) == 0 {
		return 0
	}
	n := len(marks[0])
	for _, m := range marks {
		n = min(n, len(m))
	}
	return n
}

// vote returns the vote of the first sign that a record meets.
func vote(signs []sign, v []byte) int {
next:
	for i := range signs {
		for k := range signs[i].when {
			if !signs[i].when[k].holds(v) {
				continue next
			}
		}
		return signs[i].vote
	}
	return Unfit
}

// Judge returns a function that returns the vote of a record.
func Judge(lines ...string) func(v []byte) int {
	signs := sync.OnceValue(Signs(lines).parse)
	return func(v []byte) int { return vote(signs(), v) }
}

// Meets returns a function that reports whether a record is certainly of the format.
func Meets(lines ...string) func(v []byte) bool {
	judge := Judge(lines...)
	return func(v []byte) bool { return judge(v) == Certain }
}

// condition is a requirement for a record.
type condition struct {
	paths []path // alternatives
	not   bool
	value Value
	inner []condition
}

// path is the steps to a field.
type path struct {
	steps []string
	key   []byte // the longest step: a search for it is faster than reading
}

// firstElement is the step to the first element of a list; "[]" is the step to each.
const firstElement = "[0]"

func parseConditions(text string) (list []condition) {
	depth, from := 0, 0
	for i := 0; i <= len(text); i++ {
		switch {
		case i == len(text) || depth == 0 && strings.HasPrefix(text[i:], " & "):
			list = append(list, newCondition(text[from:i]))
			from = i + 3
		case text[i] == '(':
			depth++
		case text[i] == ')':
			depth--
		}
	}
	return list
}

func newCondition(text string) (c condition) {
	text, c.not = strings.CutPrefix(text, "!")
	at := strings.IndexAny(text, "(=:")
	switch {
	case at < 0:
		at = len(text)
	case text[at] == '(':
		c.inner = parseConditions(strings.TrimSuffix(text[at+1:], ")"))
	default:
		if err := c.value.Parse(text[at:]); err != nil {
			panic(err)
		}
	}
	for way := range strings.SplitSeq(text[:at], "|") {
		c.paths = append(c.paths, newPath(way))
	}
	return c
}

func newPath(text string) (p path) {
	for step := range strings.SplitSeq(text, ".") {
		key, list := step, ""
		if at := strings.IndexByte(step, '['); at >= 0 {
			key, list = step[:at], step[at:]
		}
		if key != "" {
			p.steps = append(p.steps, key)
		}
		if len(key) > len(p.key) {
			p.key = []byte(key)
		}
		if list != "" {
			p.steps = append(p.steps, list)
		}
	}
	return p
}

// marks returns strings, one of which a record has if it meets the condition; nil: unknown.
func (c *condition) marks() (marks []string) {
	if c.not {
		return nil
	}
	for _, p := range c.paths {
		if len(p.key) == 0 {
			marks = nil
			break
		}
		marks = append(marks, `"`+string(p.key)+`"`)
	}
	for i := range c.inner {
		marks = better(marks, c.inner[i].marks())
	}
	return better(marks, c.value.marks())
}

// holds reports whether a record meets the condition.
func (c *condition) holds(v []byte) bool {
	for i := range c.paths {
		if p := &c.paths[i]; bytes.Contains(v, p.key) && c.found(v, p.steps) {
			return !c.not
		}
	}
	return c.not
}

// within is like holds for a value that begins with an object.
func (c *condition) within(v []byte) bool {
	for i := range c.paths {
		if c.found(v, c.paths[i].steps) {
			return !c.not
		}
	}
	return c.not
}

// found reports whether a value, which may be cut off, meets the condition.
func (c *condition) found(v []byte, steps []string) bool {
	for ; len(steps) > 0; steps = steps[1:] {
		if steps[0][0] == '[' {
			return c.foundIn(v, steps)
		}
		at := jsonspan.New(v)
		for at.Object(); ; at.Skip() {
			if !at.Key() {
				return false
			}
			if string(at.Name) == steps[0] {
				break
			}
		}
		if at.Kind() == jsonspan.End {
			return false
		}
		v = at.Buf[at.Pos:]
	}
	for i := range c.inner {
		if !c.inner[i].within(v) {
			return false
		}
	}
	return c.value.MeetsAt(v)
}

// foundIn checks the elements of a list, or the members of an object.
func (c *condition) foundIn(v []byte, steps []string) bool {
	most := SampleLimit
	if steps[0] == firstElement {
		most = 1
	}
	at := jsonspan.New(v)
	isObject := at.Kind() == jsonspan.Object
	if !isObject && at.Kind() != jsonspan.Array {
		return false
	}
	if !isObject || !at.Object() {
		at.Array()
	}
	for ; most > 0; most-- {
		switch {
		case isObject && !at.Key(), !isObject && !at.More(), at.Kind() == jsonspan.End:
			return false
		case c.found(at.Buf[at.Pos:], steps[1:]):
			return true
		}
		at.Skip()
	}
	return false
}

// Value is the part of a condition about the value of a field. Every value meets the zero Value.
type Value struct {
	words []word
	kind  byte // the first letter of its name
}

// word is a value, or the beginning of one.
type word struct {
	text   string
	begins bool
}

// valueKinds are the kinds of values that a condition can require.
const valueKinds = "string object list filled"

// Parse reads the part of a condition after the path: "=user|tool.*" or ":string". A "*" at the end
// is the rest of the word.
func (t *Value) Parse(text string) error {
	if kind, ok := strings.CutPrefix(text, ":"); ok {
		if !strings.Contains(valueKinds, kind) || kind == "" {
			return fmt.Errorf("there is no kind %q of value; the kinds are %s", kind, valueKinds)
		}
		t.kind = kind[0]
		return nil
	}
	for text := range strings.SplitSeq(strings.TrimPrefix(text, "="), "|") {
		w := word{text: text}
		if len(text) > 1 { // a single "*" is a word
			w.text, w.begins = strings.CutSuffix(text, "*")
		}
		t.words = append(t.words, w)
	}
	return nil
}

func (t *Value) marks() (marks []string) {
	for _, w := range t.words {
		mark := `"` + w.text
		if !w.begins {
			mark += `"`
		}
		marks = append(marks, mark)
	}
	return marks
}

// MeetsAt reports whether the value at the beginning of v meets the condition.
func (t *Value) MeetsAt(v []byte) bool {
	if t.words == nil && t.kind != 'f' {
		return t.isKind(v)
	}
	c := jsonspan.New(v)
	return t.Meets(c.Skip())
}

func (t *Value) isKind(v []byte) bool {
	switch t.kind {
	case 's':
		return jsonspan.KindOf(v) == jsonspan.String
	case 'o':
		return jsonspan.KindOf(v) == jsonspan.Object
	case 'l':
		return jsonspan.KindOf(v) == jsonspan.Array
	case 'f':
		return !IsEmpty(v)
	}
	return true
}

// Meets reports whether a value meets the condition.
func (t *Value) Meets(v []byte) bool {
	if t.words == nil {
		return t.isKind(v)
	}
	if len(v) > 1 && v[0] == '"' {
		v = v[1 : len(v)-1]
	}
	for i := range t.words {
		if w := &t.words[i]; w.begins && bytes.HasPrefix(v, []byte(w.text)) || !w.begins && string(v) == w.text {
			return true
		}
	}
	return false
}
