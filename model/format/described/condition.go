package described

import (
	"bytes"
	"fmt"
	"strings"

	"turns/model/jsonspan"
)

// condition is something that an object must have.
type condition struct {
	path   []string
	key    []byte // the longest key of the path: where it does not stand, nothing does
	not    bool
	values []string // nil: whatever
	slot   int      // of the frame
}

// parseConditions parses a set: what " & " parts must hold together.
func parseConditions(text string) (set []condition, err error) {
	for part := range strings.SplitSeq(text, " & ") {
		c, err := parseCondition(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		set = append(set, c)
	}
	return set, nil
}

func parseCondition(text string) (condition, error) {
	c := condition{}
	path, values, said := strings.Cut(text, "=")
	if path, c.not = strings.CutPrefix(path, "!"); strings.TrimSpace(path) == "" {
		return c, &pathError{text, fmt.Sprintf("the condition %q names no field", text)}
	}
	if c.path = steps(strings.TrimSpace(path)); said {
		c.values = strings.Split(values, "|")
	}
	for _, key := range c.path {
		if len(key) > len(c.key) && key != Pairs {
			c.key = []byte(key)
		}
	}
	return c, nil
}

// holdsIn asks an object.
func (c *condition) holdsIn(v []byte) bool {
	if !bytes.Contains(v, c.key) { // to search is quicker than to read
		return c.not
	}
	if one := jsonspan.Get(v, c.path...); one != nil { // no lists on the way
		return c.has(one) != c.not
	}
	holds := false
	if len(c.path) > 1 {
		each(v, c.path, func(v []byte) { holds = holds || c.has(v) })
	}
	return holds != c.not
}

// has reports whether a value is what the condition asks for, but for its "not".
func (c *condition) has(v []byte) bool {
	if len(v) == 0 || v[0] == 'n' {
		return false
	}
	if c.values == nil {
		return true
	}
	if v[0] == '"' {
		v = v[1 : len(v)-1]
	}
	for _, value := range c.values {
		if string(v) == value {
			return true
		}
	}
	return false
}
