package dialect

import (
	"bytes"
	"slices"
	"strings"

	"turns/model"
	"turns/model/jsonspan"
	"turns/query/provider"
)

// shapes are the objects that a provider accepts, by type, each with its fields: "text:s!
// citations:a" is one with a required text and an optional list. Objects with other fields, or with
// fields of another kind, are not copied.
//
//	s S     string; not an empty one        n b j  number, true or false, anything
//	o a     object, list                    0      null
//	d u     base64 data; a URL or a data: URL
//	=name   object of that shape            @name  object of the shape name/type
//	*kind   list with such elements         x|y    one of both
//	{x,y}   one of these strings
type shapes map[string][]shapeField

type shapeField struct {
	name  string
	kinds []string
	must  bool
}

func compile(list map[string]string) shapes {
	out := make(shapes, len(list))
	for name, fields := range list {
		compiled := []shapeField{}
		for f := range strings.FieldsSeq(fields) {
			name, kind, ok := strings.Cut(f, ":")
			if !ok {
				kind = "s"
			}
			kind, must := strings.CutSuffix(kind, "!")
			compiled = append(compiled, shapeField{name, strings.Split(kind, "|"), must})
		}
		out[name] = compiled
	}
	return out
}

// of returns the shape of a type: tool-x has the shape tool-*.
func (sh shapes) of(typ string) ([]shapeField, bool) {
	if fields, ok := sh[typ]; ok {
		return fields, true
	}
	if start, _, ok := strings.Cut(typ, "-"); ok {
		fields, ok := sh[start+"-*"]
		return fields, ok
	}
	return nil, false
}

// fits reports whether an object has the shape of a type.
func (sh shapes) fits(typ string, v []byte) bool {
	fields, ok := sh.of(typ)
	if !ok || jsonspan.KindOf(v) != jsonspan.Object {
		return false
	}
	found := 0
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		i := 0
		for i < len(fields) && fields[i].name != string(c.Name) {
			i++
		}
		if i == len(fields) || !sh.one(fields[i].kinds, c.Skip()) {
			return false
		}
		if fields[i].must {
			found++
		}
	}
	for _, f := range fields {
		if f.must {
			found--
		}
	}
	return c.Err == nil && found == 0
}

func (sh shapes) one(kinds []string, v []byte) bool {
	return slices.ContainsFunc(kinds, func(k string) bool { return sh.is(k, v) })
}

// simple are the kinds that the kind of a JSON value decides.
var simple = map[string]jsonspan.Kind{
	"s": jsonspan.String, "n": jsonspan.Number, "b": jsonspan.Bool, "o": jsonspan.Object, "a": jsonspan.Array, "0": jsonspan.Null,
}

func (sh shapes) is(kind string, v []byte) bool {
	if k, ok := simple[kind]; ok {
		return jsonspan.KindOf(v) == k
	}
	switch kind[0] {
	case 'j':
		return true
	case '=':
		return sh.fits(kind[1:], v)
	case '@':
		return sh.fits(kind[1:]+"/"+string(jsonspan.GetString(v, "type")), v)
	case '*':
		n := 0
		c := jsonspan.New(v)
		if c.Kind() != jsonspan.Array {
			return false
		}
		for c.Array(); c.More(); n++ {
			if !sh.is(kind[1:], c.Skip()) {
				return false
			}
		}
		return n > 0 && c.Err == nil
	}
	if jsonspan.KindOf(v) != jsonspan.String || len(v) <= 2 {
		return false
	}
	switch {
	case kind[0] == '{':
		text := model.ValueText(v).String()
		return !strings.Contains(text, ",") && strings.Contains(","+kind[1:len(kind)-1]+",", ","+text+",")
	case kind == "d":
		a := provider.AttachmentOf(&model.Content{Name: "x/x", Text: model.ValueText(v).String()})
		return a != nil && a.Data != "" && !bytes.HasPrefix(v, []byte(`"data:`))
	case kind == "u":
		a := provider.AttachmentOf(&model.Content{Text: model.ValueText(v).String()})
		return a != nil && (a.URL != "" || bytes.HasPrefix(v, []byte(`"data:`)))
	}
	return true // S
}

// native reports whether a recorded block is in the provider's format.
func (s *spec) native(raw []byte) bool {
	if raw == nil {
		return false
	}
	_, typ := kindOf(raw)
	return s.own.fits(typ, raw)
}
