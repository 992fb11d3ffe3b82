package tomlfile

import (
	"strings"
	"testing"
)

// TestDeepTextIsRefused: deeply nested text is rejected before it gets expensive, with its line;
// text that only looks deep is accepted.
func TestDeepTextIsRefused(t *testing.T) {
	const n = 8000
	for name, test := range map[string]struct {
		text string
		line int // 0: accepted
	}{
		"key":           {"x = 1\na" + strings.Repeat(".a", n) + " = 1", 2},
		"spaced key":    {"a" + strings.Repeat(" . \"a\"", n) + " = 1", 1},
		"table":         {"[a" + strings.Repeat(".a", n) + "]", 1},
		"inline tables": {"a = " + strings.Repeat("{a = ", n), 1},
		"lists":         {"a = [\n" + strings.Repeat("[", n), 2},
		"both":          {"a = " + strings.Repeat("{a.a.a.a.a = ", 20), 1},
		"after strings": {"a = '''\n'''\nb = \"\\\"\"\nc = '\\'\nd = [" + strings.Repeat("[", n), 5},
		"dots in a string": {"a = \"" + strings.Repeat(".[{", n) + "\"\nb = '" + strings.Repeat(".[{", n) + "'\n" +
			"c = \"\"\"\n" + strings.Repeat("[\n", n) + "\"\"\" # " + strings.Repeat(".[{", n) + "\nd = 1", 0},
		"numbers":     {"a = [" + strings.Repeat("1.5, ", n) + "]", 0},
		"many keys":   {strings.Repeat("[[a]]\nb.c.d = {e = [1]}\n", 100), 0},
		"no end of a": {"a = \"b", -1},
	} {
		var into map[string]any
		_, err := Decode(test.text, &into)
		if test.line < 0 {
			if err == nil {
				t.Errorf("%s: read", name)
			}
			continue
		}
		if (err != nil) != (test.line > 0) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err == nil {
			continue
		}
		if at, msg := Syntax(test.text, err); at.Line != test.line || !strings.Contains(msg, "nested deeper than 32") {
			t.Errorf("%s: %+v %q, want line %d", name, at, msg, test.line)
		}
	}
}
