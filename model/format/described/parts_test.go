package described

import (
	"fmt"
	"testing"
)

// TestPartNames: the key of each part of a rule sets only that part.
func TestPartNames(t *testing.T) {
	for i, name := range PartNames {
		d, err := Read("own.toml", fmt.Appendf(nil, "name = \"own\"\n[[rule]]\n%s = \"x\"\n", name))
		if err != nil {
			t.Errorf("part %d, %q: %v", i, name, err)
			continue
		}
		for n, value := range d.Rules[0].Paths() {
			if (*value != "") != (n == i) {
				t.Errorf("%s = \"x\" sets %s to %q", name, PartNames[n], *value)
			}
		}
	}
}
