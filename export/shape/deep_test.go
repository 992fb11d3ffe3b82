package shape

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestDeepValuesAreNotTheirSquare: the indentation of nested values is bounded, so that their size
// does not grow with the square of the depth. The values do not change.
func TestDeepValuesAreNotTheirSquare(t *testing.T) {
	const deep = 5000
	in := strings.Repeat(`{"a":`, deep) + "1" + strings.Repeat("}", deep)
	out, ok := (Layout{2}).AppendValue(nil, []byte(in), 0)
	if !ok || !json.Valid(out) || len(out) > 2*(2*64+8)*deep {
		t.Errorf("%d bytes became %d, %t", len(in), len(out), ok)
	}
	if back := strings.Join(strings.Fields(string(out)), ""); back != in {
		t.Errorf("%.80q came back", back)
	}
	for levels, want := range map[int]int{63: 126, 64: 128, 65: 128} { // at most 64 levels are indented
		out, _ := (Layout{2}).AppendValue(nil, []byte(strings.Repeat("[", levels)+"1"+strings.Repeat("]", levels)), 0)
		line := string(out[:strings.IndexByte(string(out), '1')])
		if got := len(line) - strings.LastIndexByte(line, '\n') - 1; got != want {
			t.Errorf("below %d levels a value is indented by %d, want %d", levels, got, want)
		}
	}
	for levels, want := range map[int]bool{10_000: true, 10_001: false} { // the deepest nesting
		if _, ok := (Layout{}).AppendValue(nil, []byte(strings.Repeat("[", levels)+strings.Repeat("]", levels)), 0); ok != want {
			t.Errorf("a value of %d levels is one: %v", levels, ok)
		}
	}
	if out, _ := (Layout{2}).AppendValue(nil, []byte(`{"a":[1]}`), 0); string(out) != "{\n  \"a\": [\n    1\n  ]\n}" {
		t.Errorf("%q", out)
	}
}
