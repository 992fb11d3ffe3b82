package described

import (
	"bytes"
	"slices"
	"strings"

	"turns/model/jsonspan"
)

// maxGathered limits the depth of trees from dotted names.
const maxGathered = 12

// isPrefix reports whether a step of a path matches all keys with that beginning.
func isPrefix(key string) bool { return strings.HasSuffix(key, ".") && len(key) > 1 }

// gathered has the dotted names and the values of a tree: "0.role" and "0.content".
type gathered struct {
	names  []string
	values [][]byte
}

// Gather combines the members of an object, or of a list of pairs, whose names start with a prefix.
// The result is a list if numbers follow the prefix, and nil if there are no such members.
func Gather(v []byte, prefix string, depth int) []byte {
	var g gathered
	c := jsonspan.New(v)
	pairs := c.Kind() == jsonspan.Array
	members(&c, func(name, v []byte) {
		rest, ok := strings.CutPrefix(string(name), prefix)
		if !ok || rest == "" {
			return
		}
		if pairs {
			v = untyped(v)
		}
		g.names, g.values = append(g.names, rest), append(g.values, v)
	})
	if len(g.names) == 0 || c.Err != nil {
		return nil
	}
	return g.append(nil, depth)
}

// untyped returns the value in an object that names its type: {"stringValue": "ls"}.
func untyped(v []byte) []byte {
	c := jsonspan.New(v)
	if c.Kind() != jsonspan.Object {
		return v
	}
	var one []byte
	n := 0
	for c.Object(); c.Key(); n++ {
		one = c.Skip()
	}
	if n != 1 || c.Err != nil {
		return v
	}
	return one
}

// append writes the tree, with its branches in order of appearance.
func (g *gathered) append(dst []byte, depth int) []byte {
	var keys []string
	branches := map[string]*gathered{}
	for i, name := range g.names {
		key, rest, _ := strings.Cut(name, ".")
		if depth >= maxGathered {
			key, rest = name, ""
		}
		if branches[key] == nil {
			branches[key] = &gathered{}
			keys = append(keys, key)
		}
		branches[key].names, branches[key].values = append(branches[key].names, rest), append(branches[key].values, g.values[i])
	}
	list := !slices.ContainsFunc(keys, func(key string) bool { return strings.Trim(key, "0123456789") != "" })
	open, shut := byte('{'), byte('}')
	if list {
		open, shut = '[', ']'
	}
	dst = append(dst, open)
	for i, key := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		if !list {
			dst = append(append(append(dst, '"'), key...), '"', ':')
		}
		if b := branches[key]; b.names[0] == "" {
			dst = append(dst, bytes.TrimSpace(b.values[0])...)
		} else {
			dst = b.append(dst, depth+1)
		}
	}
	return append(dst, shut)
}
