package amend

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"

	"turns/model"
	"turns/model/jsonspan"
)

// known are the names of fields that the formats read, of several words each: the test of this
// package writes the file.
//
//go:embed names.txt
var known string

var knownNames = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for name := range strings.FieldsSeq(known) {
		names[name] = true
	}
	return names
})

// all has the known names by their other spelling, and strange only those whose other spelling no
// format has.
var (
	all     = sync.OnceValue(func() *Spelling { return respellings(func(string) bool { return true }) })
	strange = sync.OnceValue(func() *Spelling { return respellings(func(other string) bool { return !knownNames()[other] }) })
)

func respellings(take func(other string) bool) *Spelling {
	names := map[string]string{}
	for name := range knownNames() {
		if other := respelled(name); other != name && take(other) {
			names[other] = name
		}
	}
	return newSpelling(names)
}

// The limits of the part of a sample to check.
const (
	maxRecords = 12
	maxSeen    = 512
	maxDepth   = 12
	maxBytes   = 1 << 20
)

// seen collects the names and values of a sample.
type seen struct {
	names map[string]*field
	order []string
	bytes int
}

// field has statistics on the values of one name.
type field struct {
	objects int    // values that are objects
	single  int    // objects with one member
	key     string // key of that member
	mixed   bool   // several such keys
	numbers int    // values that are numbers
}

// Look returns the possible changes in a sample, the likeliest first; nil for most samples.
func Look(s *model.Sample) []*Change {
	w := &seen{names: map[string]*field{}}
	switch s.Shape {
	case model.Lines:
		for i := range min(maxRecords, len(s.Records)) {
			w.look(s.Records[i])
		}
	case model.Document:
		w.look(s.Doc)
	}
	return slices.Concat(w.spellings(), w.inner(), w.ids())
}

func (w *seen) look(v []byte) {
	if w.bytes += len(v); w.bytes <= maxBytes || w.bytes == len(v) {
		c := jsonspan.New(v[:min(len(v), maxBytes)])
		w.value(&c, nil, 0)
	}
}

func (w *seen) value(c *jsonspan.Cursor, of *field, depth int) {
	switch kind := c.Kind(); {
	case depth > maxDepth:
		c.Skip()
	case kind == jsonspan.Object:
		n, key := 0, []byte(nil)
		for c.Object(); c.Key(); n++ {
			key = c.Name
			f := w.field(key)
			if f != nil && c.Kind() == jsonspan.Number {
				f.numbers++
			}
			w.value(c, f, depth+1)
		}
		if of != nil && c.Err == nil {
			of.object(n, key)
		}
	case kind == jsonspan.Array:
		for c.Array(); c.More(); {
			w.value(c, nil, depth+1)
		}
	default:
		c.Skip()
	}
}

func (w *seen) field(name []byte) *field {
	f := w.names[string(name)]
	if f == nil && len(w.names) < maxSeen {
		f = &field{}
		w.names[string(name)] = f
		w.order = append(w.order, string(name))
	}
	return f
}

func (f *field) object(members int, key []byte) {
	if f.objects++; members != 1 {
		return
	}
	if f.single++; f.single == 1 {
		f.key = string(key)
	} else if f.key != string(key) {
		f.mixed = true
	}
}

// spellings returns the changes that restore the formats' spelling. It considers names that no
// format has in the given spelling, but one has in the other.
func (w *seen) spellings() []*Change {
	odd, both := 0, false
	for _, k := range w.order {
		if _, other := all().of([]byte(k)); !other {
			continue
		}
		if knownNames()[k] {
			both = true
		} else {
			odd++
		}
	}
	if odd == 0 {
		return nil
	}
	why := fmt.Sprintf("%d names are spelled another way", odd)
	changes := []*Change{{Names: strange(), Why: why}}
	if both { // otherwise the other change has the same effect
		changes = append(changes, &Change{Names: all(), Why: why})
	}
	return changes
}

// respelled returns a name in the other spelling: toolCall as tool_call, and vice versa.
func respelled(name string) string {
	if strings.Contains(strings.Trim(name, "_"), "_") {
		return camel(name)
	}
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

func camel(name string) string {
	var b strings.Builder
	up := false
	for i, r := range name {
		switch {
		case r == '_' && i > 0:
			up = true
		case up:
			b.WriteRune(unicode.ToUpper(r))
			up = false
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// maxInnerFields limits the fields with values one level deeper.
const maxInnerFields = 6

// maxWrapper is the length of the longest key of a wrapper.
const maxWrapper = 16

// wraps reports whether a key may be that of a wrapper, such as value, data or $text: a plain word
// that formats do not read, and that does not describe the object.
func wraps(key string) bool {
	switch key {
	case "", "type", "kind", "id", "name":
		return false
	}
	plain := func(r rune) bool { return unicode.IsLetter(r) || r == '_' || r == '$' }
	return len(key) <= maxWrapper && strings.IndexFunc(key, func(r rune) bool { return !plain(r) }) < 0 && !knownNames()[key]
}

// inner returns the changes that unwrap values from objects with that single member.
func (w *seen) inner() []*Change {
	byKey := map[string]map[string]string{}
	for _, k := range w.order {
		f := w.names[k]
		if f.objects == 0 || f.mixed || f.single*10 < f.objects*9 || !wraps(f.key) {
			continue
		}
		if byKey[f.key] == nil {
			byKey[f.key] = map[string]string{}
		}
		if len(byKey[f.key]) < maxInnerFields {
			byKey[f.key][k] = f.key
		}
	}
	var list []*Change
	for _, key := range slices.Sorted(maps.Keys(byKey)) {
		for _, k := range slices.Sorted(maps.Keys(byKey[key])) {
			if len(list) < maxInnerFields {
				list = append(list, &Change{Inner: map[string]string{k: key}, Why: fmt.Sprintf("what %s says stands in its %s", k, key)})
			}
		}
	}
	return list
}

// ids returns the change that turns numeric ids into texts.
func (w *seen) ids() []*Change {
	for _, k := range w.order {
		if w.names[k].numbers > 1 && isID([]byte(k)) {
			return []*Change{{IDs: true, Why: "ids are numbers"}}
		}
	}
	return nil
}
