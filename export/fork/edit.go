package fork

import (
	"encoding/json"

	"turns/model"
	"turns/model/jsonspan"
)

// object copies a JSON object. edit gets each field with its recorded value, and returns the value
// to write, nil to leave the field out. The copy has the fields more at its end. Values are copied
// byte for byte.
func object(raw []byte, edit func(name string, value []byte) []byte, more ...field) ([]byte, error) {
	out := make([]byte, 0, len(raw)+128)
	out = append(out, '{')
	c := jsonspan.New(raw)
	for c.Object(); c.Key(); {
		name := c.Name
		value := c.Skip()
		if c.Err != nil {
			break
		}
		if value = edit(string(name), value); value == nil {
			continue
		}
		out = append(out, '"')
		out = append(append(out, name...), `":`...)
		out = append(append(out, value...), ',')
	}
	if c.Err != nil {
		return nil, c.Err
	}
	for _, f := range more {
		out = append(append(append(append(append(out, '"'), f.name...), `":`...), f.value...), ',')
	}
	if out[len(out)-1] == ',' {
		out = out[:len(out)-1]
	}
	return append(out, '}'), nil
}

// field is a field to add.
type field struct {
	name  string
	value []byte
}

// array copies the elements of a JSON array as edit returns them; it drops an element if edit
// returns nil.
func array(raw []byte, edit func(i int, element []byte) ([]byte, error)) ([]byte, error) {
	out := []byte{'['}
	i := 0
	for e := range jsonspan.List(raw) {
		v, err := edit(i, e)
		if err != nil {
			return nil, err
		}
		if i++; v != nil {
			out = append(append(out, v...), ',')
		}
	}
	if len(out) > 1 {
		out = out[:len(out)-1]
	}
	return append(out, ']'), nil
}

// quote returns a string as JSON.
func quote(s string) []byte {
	raw, _ := json.Marshal(s) // a string never fails
	return raw
}

// inside returns the text of a JSON string, "" for another value.
func inside(v []byte) string {
	if jsonspan.KindOf(v) != jsonspan.String {
		return ""
	}
	return model.ValueText(v).String()
}

// get returns the text of the string at a path, "" if there is none.
func get(v []byte, path ...string) string { return inside(jsonspan.Get(v, path...)) }

// encode returns a value as JSON. The values of this package never fail.
func encode(v any) []byte {
	raw, _ := json.Marshal(v)
	return raw
}
