package benchtest

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"testing"
)

// shape is what is known of a JSON value from examples: enough to make the plain
// Go type of it that somebody would write for these records.
type shape struct {
	kinds  map[reflect.Kind]bool
	fields map[string]*shape
	elem   *shape
}

func (s *shape) see(v any) {
	if s.kinds == nil {
		s.kinds, s.fields = map[reflect.Kind]bool{}, map[string]*shape{}
	}
	switch v := v.(type) {
	case map[string]any:
		s.kinds[reflect.Struct] = true
		for name, value := range v {
			if s.fields[name] == nil {
				s.fields[name] = &shape{}
			}
			s.fields[name].see(value)
		}
	case []any:
		s.kinds[reflect.Slice] = true
		if s.elem == nil {
			s.elem = &shape{}
		}
		for _, value := range v {
			s.elem.see(value)
		}
	case string:
		s.kinds[reflect.String] = true
	case float64:
		s.kinds[reflect.Float64] = true
	case bool:
		s.kinds[reflect.Bool] = true
	}
}

// goType is the type for the values seen. Where they differ in kind, one would
// write any.
func (s *shape) goType() reflect.Type {
	if len(s.kinds) != 1 {
		return reflect.TypeFor[any]()
	}
	switch {
	case s.kinds[reflect.String]:
		return reflect.TypeFor[string]()
	case s.kinds[reflect.Float64]:
		return reflect.TypeFor[float64]()
	case s.kinds[reflect.Bool]:
		return reflect.TypeFor[bool]()
	case s.kinds[reflect.Slice]:
		return reflect.SliceOf(s.elem.goType())
	}
	var fields []reflect.StructField
	for i, name := range slices.Sorted(maps.Keys(s.fields)) {
		tag := reflect.StructTag("json:" + strconv.Quote(name))
		if tag.Get("json") != name || name == "-" || name == "" {
			continue // no tag can say this name
		}
		fields = append(fields, reflect.StructField{Name: "F" + strconv.Itoa(i), Type: s.fields[name].goType(), Tag: tag})
	}
	return reflect.StructOf(fields)
}

func TestShape(t *testing.T) {
	var s shape
	for _, text := range []string{`{"a":1,"b":["x"],"c":null}`, `{"a":2.5,"d":{"e":true},"f":"x"}`, `{"f":[1]}`} {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		s.see(v)
	}
	want := `struct { F0 float64 "json:\"a\""; F1 []string "json:\"b\""; F2 interface {} "json:\"c\""; ` +
		`F3 struct { F0 bool "json:\"e\"" } "json:\"d\""; F4 interface {} "json:\"f\"" }`
	if got := s.goType().String(); got != want {
		t.Errorf("the type is %s, want %s", got, want)
	}
}
