package described

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"turns/model"
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
		`a."b`:        {"a", `"b`}, // an unclosed quote is a part of the key
		`"".b`:        {`""`, "b"}, // and so are quotes without a key
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
		{`{".":1,".a":2}`, `"."`, `[1]`},
		{`{"a":[{"k":"q","v":1}]}`, `a{}`, `[]`},
		{`{"a":"{\"b\":1"}`, `a.b`, `[]`},
		{`{"a":{"b":1,"c":[`, `a.b`, `[1]`}, // cut values
		{`{"a":[{"b":1},{"b":2,"c":`, `a[].b`, `[1 2]`},
		{`{"a":["x","y`, `a[]`, `["x"]`},
		{`{"a":"x`, `a`, `[]`},
		{`{"a":[{"k":"q","v":"b`, `a{}.q`, `[]`},
	} {
		var got []string
		each([]byte(c.data), steps(c.path), func(v []byte) { got = append(got, cmp.Or(string(v), "nothing")) })
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s of %s: %s, want %s", c.path, c.data, got, c.want)
		}
	}
}

// TestOutcome reads the outcome of a call from different fields, including one for success.
func TestOutcome(t *testing.T) {
	for _, c := range []struct {
		path, data string
		want       model.Outcome
	}{
		{"failed", `{"failed":true}`, model.Failure},
		{"failed", `{"failed":false}`, model.Success},
		{"r.success", `{"r":{"success":true}}`, model.Success},
		{"r.success", `{"r":{"success":false}}`, model.Failure},
		{"ok", `{"ok":true}`, model.Success},
		{"code", `{"code":0}`, model.Success},
		{"code", `{"code":2}`, model.Failure},
		{"error", `{"error":"no such file"}`, model.Failure},
	} {
		var got model.Outcome
		kit := Kit{
			Moment:  func([]byte) model.Moment { return model.Moment{} },
			Result:  func(_ *model.Fact, _, _ model.Text, _ []byte, o model.Outcome) { got = o },
			Outcome: func([]byte) (model.Outcome, bool) { return model.Unknown, false },
			Keep:    func(*model.Fact, []byte, []byte) {},
		}
		f, err := Compile(&Format{Name: "x", Rules: []Rule{{As: "result", Result: "r", Error: c.path}}}, kit)
		if err != nil {
			t.Fatal(err)
		}
		var fs model.Facts
		if err := f.Parse(model.Record{Data: []byte(c.data)}, &fs); err != nil || got != c.want {
			t.Errorf("%s of %s: %v, %v, want %v", c.path, c.data, got, err, c.want)
		}
	}
}
