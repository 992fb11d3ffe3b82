package described

import (
	"slices"
	"testing"
)

func TestSteps(t *testing.T) {
	for path, want := range map[string][]string{
		"a.b":         {"a", "b"},
		`a{}."b.c".d`: {"a", "{}", "b.c", "d"},
		"[]":          {""},
		"a[].b[][]":   {"a", "", "b", "", ""},
		`"a.b"`:       {"a.b"},
		`a."b.c"[].d`: {"a", "b.c", "", "d"},
		`a."b.c".d`:   {"a", "b.c", "d"},
		`a."b`:        {"a", `"b`}, // a quote that nothing closes is a part of the key
	} {
		if got := steps(path); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
