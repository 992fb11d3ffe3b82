package described

import (
	"fmt"
	"strings"
	"testing"
)

// Too large descriptions, which would be slow on every record, are refused with the reason.
func TestLargeDescriptionsAreRefused(t *testing.T) {
	rule := "[[rule]]\nat = \"a%d\"\nas = \"message\"\nrole = \"=user\"\ntext = \"t\"\n"
	rules := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, rule, i)
		}
		return b.String()
	}
	for name, c := range map[string]struct{ text, want string }{
		"20,000 rules":            {rules(20_000), "bytes"},
		"300 rules":               {rules(300), "rules"},
		"50,000 alternatives":     {"[[rule]]\ntext = \"" + strings.Repeat("a|", 50_000) + "b\"\n", "alternatives"},
		"alternatives in two":     {"[[rule]]\ntext = \"" + strings.Repeat("a|", 1500) + "b\"\nrole = \"" + strings.Repeat("a|", 1500) + "b\"\n", "alternatives"},
		"a text of a megabyte":    {"# " + strings.Repeat("x", 1<<20) + "\n", "bytes"},
		"257 rules":               {rules(257), "rules"},
		"alternatives in a place": {"[[rule]]\nat = \"" + strings.Repeat("a|", 50_000) + "b\"\n", "alternatives"},
		"alternatives in a role":  {"[[rule]]\nrole = \"" + strings.Repeat("a|", 50_000) + "b\"\n", "alternatives"},
		"alternatives in rules":   {strings.Repeat("[[rule]]\ntext = \""+strings.Repeat("a|", 60)+"b\"\n", 60), "alternatives"},
		"blank lines":             {strings.Repeat("\n", 1<<20), "bytes"},
		"tables in tables":        {"[" + strings.Repeat("a.", 5000) + "a]\nx = 1\n", "deep"},
		"lists in lists":          {"x = " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "\n", "deep"},
		"a name of a megabyte":    {strings.Repeat("k", 1<<20) + " = 1\n", "bytes"},
		"a small one that is not": {rules(3), ""},
	} {
		_, err := Read("x.toml", []byte("name = \"x\"\n"+c.text))
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", name, err)
		}
		if c.want == "" && err != nil && strings.Contains(err.Error(), "may have") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
