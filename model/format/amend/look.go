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

// words are those of one word.
//
//go:embed words.txt
var words string

var (
	knownNames = sync.OnceValue(func() map[string]bool { return setOf(known) })
	knownWords = sync.OnceValue(func() map[string]bool { return setOf(words) })
)

func setOf(list string) map[string]bool {
	names := map[string]bool{}
	for name := range strings.FieldsSeq(list) {
		names[name] = true
	}
	return names
}

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

// Seen is the names in a sample and what their values are.
type Seen struct {
	names  map[string]*field
	order  []string
	bytes  int
	speaks bool // a word says who speaks, or what a record is
}

// field has statistics on the values of one name.
type field struct {
	objects int    // values that are objects
	single  int    // objects with one member
	key     string // key of that member
	mixed   bool   // several such keys
	numbers int    // values that are numbers
	kinds   uint32 // of its values: a bit for the letter of each
	nearby  uint64 // the usual names that some object with it has, by their place in the table
}

// Changes returns what may have changed in a sample besides one name, the likeliest first; nil for
// most.
func (w *Seen) Changes() []*Change { return slices.Concat(w.spellings(), w.inner(), w.ids()) }

// Look reads the names in a sample.
func Look(s *model.Sample) *Seen {
	w := &Seen{names: map[string]*field{}}
	switch s.Shape {
	case model.Lines:
		for i := range min(maxRecords, len(s.Records)) {
			w.look(s.Records[i])
		}
	case model.Document:
		w.look(s.Doc)
	}
	return w
}

func (w *Seen) look(v []byte) {
	if w.bytes += len(v); w.bytes <= maxBytes || w.bytes == len(v) {
		c := jsonspan.New(v[:min(len(v), maxBytes)])
		w.value(&c, nil, 0)
	}
}

func (w *Seen) value(c *jsonspan.Cursor, of *field, depth int) {
	switch kind := c.Kind(); {
	case depth > maxDepth:
		c.Skip()
	case kind == jsonspan.Object:
		n, key := 0, []byte(nil)
		var in []*field
		var nearby uint64
		for c.Object(); c.Key(); n++ {
			key = c.Name
			nearby |= usualBits()[string(key)]
			f := w.field(key)
			if f != nil {
				in = append(in, f)
				switch c.Kind() {
				case jsonspan.Number:
					f.numbers++
				case jsonspan.Object:
					f.add('o')
				}
			}
			w.value(c, f, depth+1)
		}
		for _, f := range in {
			f.nearby |= nearby
		}
		if of != nil && c.Err == nil {
			of.object(n, key)
		}
	case kind == jsonspan.Array:
		var in field
		for c.Array(); c.More(); {
			w.value(c, &in, depth+1)
		}
		if of != nil && (in.objects > 0 || in.kinds&(bit('l')|bit('p')) != 0) {
			of.add('l')
		}
	default:
		w.scalar(of, c.Skip())
	}
}

func (w *Seen) field(name []byte) *field {
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

// spellings are the changes that write names as formats have them: where no format has
// some as they are, but one has them in the other spelling.
func (w *Seen) spellings() []*Change {
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

// inner are the changes that take values out of objects with that one member.
func (w *Seen) inner() []*Change {
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

// ids is the change that makes texts of ids that are numbers.
func (w *Seen) ids() []*Change {
	for _, k := range w.order {
		if w.names[k].numbers > 1 && isID([]byte(k)) {
			return []*Change{{IDs: true, Why: "ids are numbers"}}
		}
	}
	return nil
}
