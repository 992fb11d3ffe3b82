package described

import (
	"bytes"
	"fmt"
	"strings"

	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// condition is a requirement for an object.
type condition struct {
	path  []string
	key   []byte // the longest key of the path; without it no value is found
	not   bool
	value kit.Value
	slot  int // slot of the frame
}

// parseConditions parses a set: all " & " parts must be true.
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
	path, values, hasValues := strings.Cut(text, "=")
	if path, c.not = strings.CutPrefix(path, "!"); strings.TrimSpace(path) == "" {
		return c, &pathError{text, fmt.Sprintf("the condition %q names no field", text)}
	}
	if c.path = steps(strings.TrimSpace(path)); hasValues {
		if err := c.value.Parse("=" + values); err != nil {
			return c, &pathError{text, err.Error()}
		}
	}
	for _, key := range c.path {
		if len(key) > len(c.key) && key != Pairs {
			c.key = []byte(key)
		}
	}
	return c, nil
}

// holdsIn reports whether an object meets the condition.
func (c *condition) holdsIn(v []byte) bool {
	if !bytes.Contains(v, c.key) { // searching is faster than reading
		return c.not
	}
	if one := jsonspan.Get(v, c.path...); one != nil { // no lists in the path
		return c.has(one) != c.not
	}
	holds := false
	each(v, c.path, func(v []byte) { holds = holds || c.has(v) })
	return holds != c.not
}

// has reports whether a value meets the condition, ignoring its "not".
func (c *condition) has(v []byte) bool {
	return len(v) > 0 && v[0] != 'n' && c.value.Meets(v)
}
