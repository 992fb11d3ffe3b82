package benchtest

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"testing"

	goccy "github.com/goccy/go-json"
)

// shape describes JSON values by examples, with enough detail to build the plain Go type that a
// programmer would write for them.
type shape struct {
	kinds  map[reflect.Kind]bool
	fields map[string]*shape
	elem   *shape    // shape of the elements of a list, or of an object whose names are ids
	inside [2]*shape // shapes of the JSON in strings that the parser reads: an object, a list
}

func (s *shape) see(v any, path string, known known) {
	if s.kinds == nil {
		s.kinds, s.fields = map[reflect.Kind]bool{}, map[string]*shape{}
	}
	switch v := v.(type) {
	case map[string]any:
		if slices.Contains(known.maps, path) {
			s.kinds[reflect.Map] = true
			for _, value := range v {
				see(&s.elem, value, path+"/*", known)
			}
			return
		}
		s.kinds[reflect.Struct] = true
		for name, value := range v {
			field := s.fields[name]
			see(&field, value, path+"/"+name, known)
			s.fields[name] = field
		}
	case []any:
		s.kinds[reflect.Slice] = true
		for _, value := range v {
			see(&s.elem, value, path+"/*", known)
		}
	case string:
		s.kinds[reflect.String] = true
		if i := insideOf(v); i >= 0 && slices.Contains(known.inside, path+v[:1]) {
			var value any
			if json.Unmarshal([]byte(v), &value) == nil {
				see(&s.inside[i], value, path, known)
			}
		}
	case float64:
		s.kinds[reflect.Float64] = true
	case bool:
		s.kinds[reflect.Bool] = true
	}
}

func see(s **shape, v any, path string, known known) {
	if *s == nil {
		*s = &shape{}
	}
	(*s).see(v, path, known)
}

// insideOf returns the index in shape.inside for the JSON in a string, or -1 if it does not begin
// as an object or a list.
func insideOf(text string) int {
	switch {
	case len(text) == 0:
		return -1
	case text[0] == '{':
		return 0
	case text[0] == '[':
		return 1
	}
	return -1
}

// goType returns the type for the values seen: any if they are of several kinds.
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
		return reflect.SliceOf(elemType(s))
	case s.kinds[reflect.Map]:
		return reflect.MapOf(reflect.TypeFor[string](), elemType(s))
	}
	var fields []reflect.StructField
	for i, name := range s.names() {
		tag := reflect.StructTag("json:" + strconv.Quote(name))
		fields = append(fields, reflect.StructField{Name: "F" + strconv.Itoa(i), Type: s.fields[name].goType(), Tag: tag})
	}
	return reflect.StructOf(fields)
}

func elemType(s *shape) reflect.Type {
	if s.elem == nil { // all lists and maps were empty
		return reflect.TypeFor[any]()
	}
	return s.elem.goType()
}

// names returns the sorted names of the fields that a struct tag can express.
func (s *shape) names() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(s.fields)), func(name string) bool {
		return reflect.StructTag("json:"+strconv.Quote(name)).Get("json") != name || name == "-" || name == ""
	})
}

// decoder returns a function that decodes a value of the shape, and then the JSON in its strings.
func (s *shape) decoder() func([]byte) error {
	t, inside := s.goType(), s.decodeInside()
	return func(data []byte) error {
		v := reflect.New(t)
		if err := goccy.Unmarshal(data, v.Interface()); err != nil || inside == nil {
			return err
		}
		return inside(v.Elem())
	}
}

// decodeInside returns a function that decodes the JSON in the strings of a decoded value, or nil
// if the parser reads none of them.
func (s *shape) decodeInside() func(reflect.Value) error {
	switch {
	case s.inside[0] != nil || s.inside[1] != nil:
		return s.decodeString()
	case len(s.kinds) != 1:
		return nil
	case s.kinds[reflect.Struct]:
		return s.decodeFields()
	case s.kinds[reflect.Slice] && s.elem != nil:
		if in := s.elem.decodeInside(); in != nil {
			return func(v reflect.Value) error {
				for i := range v.Len() {
					if err := in(v.Index(i)); err != nil {
						return err
					}
				}
				return nil
			}
		}
	}
	return nil
}

func (s *shape) decodeString() func(reflect.Value) error {
	var decode [2]func([]byte) error
	for i, in := range s.inside {
		if in != nil {
			decode[i] = in.decoder()
		}
	}
	return func(v reflect.Value) error {
		if v.Kind() == reflect.Interface {
			v = v.Elem()
		}
		if v.Kind() != reflect.String {
			return nil
		}
		text := v.String()
		if i := insideOf(text); i >= 0 && decode[i] != nil {
			return decode[i]([]byte(text))
		}
		return nil
	}
}

func (s *shape) decodeFields() func(reflect.Value) error {
	type field struct {
		at int
		in func(reflect.Value) error
	}
	var fields []field
	for i, name := range s.names() {
		if in := s.fields[name].decodeInside(); in != nil {
			fields = append(fields, field{i, in})
		}
	}
	if fields == nil {
		return nil
	}
	return func(v reflect.Value) error {
		for _, f := range fields {
			if err := f.in(v.Field(f.at)); err != nil {
				return err
			}
		}
		return nil
	}
}

func TestShape(t *testing.T) {
	var s shape
	known := known{maps: []string{"/m"}, inside: []string{"/m/*/j{"}}
	for _, text := range []string{
		`{"a":1,"b":["x"],"c":null}`, `{"a":2.5,"d":{"e":true},"f":"x"}`, `{"f":[1],"-":1}`,
		`{"m":{"id1":{"j":"{\"g\":1}"},"id2":{"j":"x"}}}`,
	} {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		s.see(v, "", known)
	}
	want := `struct { F0 float64 "json:\"a\""; F1 []string "json:\"b\""; F2 interface {} "json:\"c\""; ` +
		`F3 struct { F0 bool "json:\"e\"" } "json:\"d\""; F4 interface {} "json:\"f\""; ` +
		`F5 map[string]struct { F0 string "json:\"j\"" } "json:\"m\"" }`
	if got := s.goType().String(); got != want {
		t.Errorf("the type is %s, want %s", got, want)
	}
	want = `struct { F0 float64 "json:\"g\"" }`
	if got := s.fields["m"].elem.fields["j"].inside[0].goType().String(); got != want {
		t.Errorf("the type inside is %s, want %s", got, want)
	}
}

// TestInside checks that the decoder decodes the JSON in a string.
func TestInside(t *testing.T) {
	var s shape
	var v any
	if err := json.Unmarshal([]byte(`{"z":1,"a":[{"x":"{\"y\":1}"}]}`), &v); err != nil {
		t.Fatal(err)
	}
	s.see(v, "", known{inside: []string{"/a/*/x{"}})
	decode := s.decoder()
	if err := decode([]byte(`{"a":[{"x":"{\"y\":2}"}]}`)); err != nil {
		t.Error(err)
	}
	if decode([]byte(`{"a":[{"x":"{\"y\":\"no number\"}"}]}`)) == nil {
		t.Error("what the string holds was not decoded")
	}
}
