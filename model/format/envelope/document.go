package envelope

import (
	"strings"

	"turns/model/jsonspan"
)

// Part is a record of a document; with list "" it is the document without its lists.
type Part struct {
	List string
	Data []byte
}

// Cut cuts a document in memory by its lists, as package source cuts files.
func Cut(doc []byte, lists []string) []Part {
	d := cutter{}
	var active []way
	for _, l := range lists {
		w := way{name: l}
		if l != "[]" && l != "" {
			w.keys = strings.Split(strings.ReplaceAll(l, "[]", "*"), ".")
		}
		active = append(active, w)
	}
	d.value(doc, active, 0)
	return append([]Part{{"", d.rest}}, d.parts...)
}

type way struct {
	name string
	keys []string
}

type cutter struct {
	rest  []byte
	parts []Part
}

func (d *cutter) value(v []byte, active []way, depth int) {
	kind, deeper := jsonspan.KindOf(v), false
	for _, w := range active {
		if len(w.keys) > depth {
			deeper = true
		} else if kind == jsonspan.Array || kind == jsonspan.Object && depth > 0 {
			d.elements(v, w.name)
			return
		}
	}
	if !deeper || kind != jsonspan.Array && kind != jsonspan.Object {
		d.rest = append(d.rest, v...)
		return
	}
	c := jsonspan.New(v)
	next, first := make([]way, 0, len(active)), true
	member := func(name []byte) {
		if !first {
			d.rest = append(d.rest, ',')
		}
		first, next = false, next[:0]
		for _, w := range active {
			if len(w.keys) > depth && (w.keys[depth] == "*" || name != nil && w.keys[depth] == string(name)) {
				next = append(next, w)
			}
		}
		if name != nil {
			d.rest = append(append(append(d.rest, '"'), name...), '"', ':')
		}
		d.value(c.Skip(), next, depth+1)
	}
	if kind == jsonspan.Array {
		d.rest = append(d.rest, '[')
		for c.Array(); c.More(); {
			member(nil)
		}
		d.rest = append(d.rest, ']')
		return
	}
	d.rest = append(d.rest, '{')
	for c.Object(); c.Key(); {
		member(c.Name)
	}
	d.rest = append(d.rest, '}')
}

func (d *cutter) elements(v []byte, list string) {
	c := jsonspan.New(v)
	if jsonspan.KindOf(v) == jsonspan.Array {
		d.rest = append(d.rest, '[', ']')
		for c.Array(); c.More(); {
			if e := c.Skip(); c.Err == nil {
				d.parts = append(d.parts, Part{list, e})
			}
		}
		return
	}
	d.rest = append(d.rest, '{', '}')
	for c.Object(); c.Key(); {
		if e := c.Skip(); c.Err == nil {
			d.parts = append(d.parts, Part{list, e})
		}
	}
}
