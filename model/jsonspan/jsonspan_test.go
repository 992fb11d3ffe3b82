package jsonspan

import (
	"encoding/json"
	"strings"
	"testing"
)

// collect walks a value as a parser would and returns its strings in order.
func collect(c *Cursor, out *[]string) {
	switch c.Kind() {
	case Object:
		for c.Object(); c.Key(); {
			*out = append(*out, "k:"+string(c.Name))
			collect(c, out)
		}
	case Array:
		for c.Array(); c.More(); {
			collect(c, out)
		}
	default:
		*out = append(*out, string(c.Skip()))
	}
}

func TestWalk(t *testing.T) {
	tests := []struct{ in, want, err string }{
		{`{}`, ``, ``},
		{`[]`, ``, ``},
		{`{"a":1,"b":[true,null,"x\"y"],"c":{"d":{}}}`, `k:a 1 k:b true null "x\"y" k:c k:d`, ``},
		{` { "a" : "\\" } `, `k:a "\\"`, ``},
		{`[1,]`, `1`, ``},
		{`{"a":1`, `k:a 1`, `unexpected end`},
		{`{"a" 1}`, ``, `expected a colon`},
		{`{"a":1 "b":2}`, `k:a 1`, `expected a comma`},
		{`{"a":"x`, `k:a`, `unterminated string`},
		{`{"a":tru}`, `k:a`, `unexpected "tru"`},
		{`{a:1}`, ``, `expected a key`},
		{strings.Repeat("[", 20000), ``, `nested too deeply`},
	}
	for _, test := range tests {
		if test.err == "nested too deeply" {
			c := New([]byte(test.in))
			c.Skip()
			if c.Err == nil || !strings.Contains(c.Err.Error(), test.err) {
				t.Errorf("deep nesting: error %v", c.Err)
			}
			continue
		}
		c := New([]byte(test.in))
		var out []string
		collect(&c, &out)
		got := strings.TrimSpace(strings.Join(out, " "))
		if got != test.want {
			t.Errorf("%s: got %s, want %s", test.in, got, test.want)
		}
		switch {
		case test.err == "" && c.Err != nil:
			t.Errorf("%s: unexpected error %v", test.in, c.Err)
		case test.err != "" && (c.Err == nil || !strings.Contains(c.Err.Error(), test.err)):
			t.Errorf("%s: error %v, want %s", test.in, c.Err, test.err)
		}
	}
}

func TestWrongKindsAreSkipped(t *testing.T) {
	c := New([]byte(`{"a":null,"b":"text","c":[1,2],"d":{"e":5},"f":"12","g":-3.5e1}`))
	var seen []string
	for c.Object(); c.Key(); {
		seen = append(seen, string(c.Name))
		switch string(c.Name) {
		case "a", "b":
			for c.Object(); c.Key(); {
				t.Errorf("%s is not an object", seen)
			}
		case "c":
			if s := c.String(); s != nil {
				t.Errorf("an array is not a string: %q", s)
			}
		case "d":
			for c.Array(); c.More(); {
				t.Errorf("an object is not an array")
			}
		case "f":
			if n, ok := c.Int(); !ok || n != 12 {
				t.Errorf("f = %d, %v", n, ok)
			}
		case "g":
			if n, ok := c.Int(); !ok || n != -35 {
				t.Errorf("g = %d, %v", n, ok)
			}
		}
	}
	if got := strings.Join(seen, ""); got != "abcdfg" || c.Err != nil {
		t.Errorf("keys %q, error %v", got, c.Err)
	}
}

func TestCut(t *testing.T) {
	v, rest, err := Cut([]byte(` {"a":[1,"]"]} {"b":2}`))
	if string(v) != `{"a":[1,"]"]}` || string(rest) != ` {"b":2}` || err != nil {
		t.Errorf("Cut = %s, %s, %v", v, rest, err)
	}
}

func TestGet(t *testing.T) {
	doc := []byte(`{"a":{"b":[1],"c":"x"},"d":null}`)
	if got := string(Get(doc, "a", "b")); got != "[1]" {
		t.Errorf("a.b = %s", got)
	}
	if got := string(GetString(doc, "a", "c")); got != "x" {
		t.Errorf("a.c = %s", got)
	}
	if got := Get(doc, "a", "z"); got != nil {
		t.Errorf("a.z = %s", got)
	}
}

func FuzzWalk(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":[1,{"b":"\\\""}]}`, `[1,2`, `{"a":1}{"b":2}`, "\"\\", `[nul]`, `{"":{"":[]}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c := New(data)
		var out []string
		collect(&c, &out)
		if json.Valid(data) && c.Err != nil {
			t.Errorf("valid JSON refused: %v", c.Err)
		}
		if v, rest, err := Cut(data); err == nil && len(v)+len(rest) > len(data) {
			t.Errorf("Cut gave more than it was given")
		}
	})
}

// TestSkipsDeepValues skips values whose brackets of both kinds nest deeper than 64 levels.
func TestSkipsDeepValues(t *testing.T) {
	for n := range 200 {
		v := strings.Repeat(`[{"":`, n) + "[]" + strings.Repeat("}]", n)
		for _, v := range []string{v, "[" + v + "," + v + `,{"a":[]}]`} {
			if got, rest, err := Cut([]byte(v + "x")); err != nil || string(got) != v || string(rest) != "x" {
				t.Fatalf("%d levels: %v, then %q", 2*n, err, rest)
			}
		}
		if n > 0 && n < 32 { // 63 levels
			if _, _, err := Cut([]byte(strings.Replace(v, "}", "]", 1))); err == nil {
				t.Fatalf("%d levels: a wrong bracket closes", 2*n)
			}
		}
	}
}
