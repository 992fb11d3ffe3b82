package described

import (
	"fmt"
	"strings"
	"testing"
)

// TestSizesOfDescriptions: a description has at most 200 rules, 2,000 alternatives and 256 kB.
func TestSizesOfDescriptions(t *testing.T) {
	rules := func(n int) string {
		return "name = \"own\"\n" + strings.Repeat("[[rule]]\nas = \"message\"\nrole = \"=user\"\ntext = \"t\"\n", n)
	}
	for _, c := range []struct {
		rule, text string
		refused    string
	}{
		{"200 rules", rules(200), ""},
		{"201 rules", rules(201), "a description may have 200 rules, this one has 201"},
		{"2,000 alternatives", rules(1) + "# " + strings.Repeat("|", 2000), ""},
		{"2,001 alternatives", rules(1) + "# " + strings.Repeat("|", 2001), "a description may have 2000 alternatives, this one has 2001"},
		{"256 kB", fmt.Sprintf("%-262144s", rules(1)), ""},
		{"a byte more", fmt.Sprintf("%-262145s", rules(1)), "a description may have 262144 bytes, this one has 262145"},
	} {
		_, err := Read("own.toml", []byte(c.text))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if (got == "") != (c.refused == "") || !strings.Contains(got, c.refused) {
			t.Errorf("%s: %q, want %q", c.rule, got, c.refused)
		}
	}
}
