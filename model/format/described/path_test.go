package described

import (
	"fmt"
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
		`a{}."b."[]`:  {"a", "{}", "b.", ""},
		`a."b`:        {"a", `"b`}, // a quote that nothing closes is a part of the key
	} {
		if got := steps(path); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// TestEach follows paths through lists of pairs, the text of JSON and keys that begin alike.
func TestEach(t *testing.T) {
	for _, c := range []struct{ data, path, want string }{
		{`{"p.0.r":"a","x":1,"p.1.r":"b"}`, `"p."[].r`, `["a" "b"]`},
		{`{"p.0.c.0.t":"a","p.0.c.1.t":"b","p.0.d":{"e":1}}`, `"p."[]`, `[{"c":[{"t":"a"},{"t":"b"}],"d":{"e":1}}]`},
		{`{"a":[{"k":"p.0.r","v":{"s":"a"}},{"k":"q","v":{"s":"b"}}]}`, `a{}."p."[].r`, `["a"]`},
		{`{"a":[{"k":"p.0.r","v":{"s":"a"}},{"k":"q","v":{"s":"b"}}]}`, `a{}.q.s`, `["b"]`},
		{`{"a":"{\"b\":[1,2]}"}`, `a.b[]`, `[1 2]`},
		{`{"p.":1,"q.0.r":"a"}`, `"p."[]`, `[]`},
	} {
		var got []string
		each([]byte(c.data), steps(c.path), func(v []byte) { got = append(got, string(v)) })
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s of %s: %s, want %s", c.path, c.data, got, c.want)
		}
	}
}
