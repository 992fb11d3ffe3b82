package shape

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestDeepValuesAreNotTheirSquare: the indentation of nested values is bounded, and
// they stay the same values.
func TestDeepValuesAreNotTheirSquare(t *testing.T) {
	const deep = 5000
	in := strings.Repeat(`{"a":`, deep) + "1" + strings.Repeat("}", deep)
	out, ok := (Layout{2}).AppendValue(nil, []byte(in), 0)
	if !ok || !json.Valid(out) || len(out) > 2*(2*deepestIndent+8)*deep {
		t.Errorf("%d bytes became %d, %t", len(in), len(out), ok)
	}
	if back := strings.Join(strings.Fields(string(out)), ""); back != in {
		t.Errorf("%.80q came back", back)
	}
	if out, _ := (Layout{2}).AppendValue(nil, []byte(`{"a":[1]}`), 0); string(out) != "{\n  \"a\": [\n    1\n  ]\n}" {
		t.Errorf("%q", out)
	}
}
