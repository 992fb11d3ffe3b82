package amend

import (
	_ "embed"
	"fmt"
	"iter"
	"strings"
	"sync"

	"turns/model"
	"turns/model/format/described"
)

//go:embed usual.tsv
var usualNames string

// usualName is a name that formats give to a part of a transcript.
type usualName struct {
	name   string
	kinds  string // of the values of a field that no format knows
	strict string // of the values of a field that some format reads as another part
}

var usual = sync.OnceValue(func() (list []usualName) {
	for line := range strings.Lines(usualNames) {
		if f := strings.Fields(line); line[0] != '#' && len(f) > 1 {
			list = append(list, usualName{f[0], f[1], f[len(f)-1]})
		}
	}
	return list
})

// usualBits are the bits of the usual names.
var usualBits = sync.OnceValue(func() map[string]uint64 {
	bits := map[string]uint64{}
	for i, u := range usual() {
		bits[u.name] = 1 << i
	}
	return bits
})

// The bounds of the search for renamed fields.
const (
	maxRenames = 40
	maxNames   = 8
	maxOthers  = 10        // tries of fields that other formats know
	maxRead    = 128 << 10 // bytes, of all tries
)

// Renames returns the changes that take one field of a sample for one that formats ask for and that
// is never in the same object. Values of the same kind are all that is required, so a caller must
// compare what each change makes of the sample. If a format knows the sample, its other fields
// stay; if none does, the sample must have words such as user or tool_call.
func (w *Seen) Renames(known bool) iter.Seq[*Change] {
	return func(yield func(*Change) bool) {
		if !known && !w.speaks {
			return
		}
		tried := 0
		strange, others := w.renamed()
		for pass, names := range [...][]string{strange, others} {
			last := maxRenames
			if pass > 0 {
				last = min(last, tried+maxOthers)
			}
			for i, u := range usual() {
				kinds := u.kinds
				if pass > 0 {
					kinds = u.strict
				}
				for _, from := range names {
					f := w.names[from]
					if from == u.name || f.nearby&(1<<i) != 0 || !f.of(kinds) || namesID(from) && !namesID(u.name) {
						continue
					}
					if tried++; tried > last || tried*w.bytes > maxRead || !yield(&Change{
						Names: newSpelling(map[string]string{from: u.name}),
						Why:   fmt.Sprintf("%s is read as %s", from, u.name),
					}) {
						return
					}
				}
			}
		}
	}
}

// namesID reports whether a name is that of an id, such as sessionId, which has no other meaning.
func namesID(name string) bool {
	return strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "ID")
}

// Hidden returns the change that gives the fields of c a name that no format asks for: a format
// that then reads less of the records reads these fields.
func (c *Change) Hidden() *Change {
	names := map[string]string{}
	for from := range c.Names.known {
		names[from] = "-"
	}
	return &Change{Names: newSpelling(names)}
}

// renamed are the fields that may have other names elsewhere: first those that no format asks for,
// then those that some other format asks for. A usual name has its usual meaning, but kind and type
// are the same.
func (w *Seen) renamed() (strange, others []string) {
	for _, name := range w.order {
		switch {
		case name == model.ReadBackField: // only an export of turns has it
		case !knownWords()[name] && !knownNames()[name]:
			strange = append(strange, name)
		case usualBits()[name] == 0 || name == "kind":
			others = append(others, name)
		}
	}
	return strange[:min(len(strange), maxNames)], others
}

// of reports whether some values of a field are of one of the kinds; only speakers must be all of
// its texts.
func (f *field) of(kinds string) bool {
	for _, k := range kinds {
		if f.kinds&bit(k) != 0 && (k != 's' || f.kinds&bit('n') == 0) {
			return true
		}
	}
	return false
}

// scalar counts a value that is neither an object nor a list.
func (w *Seen) scalar(f *field, v []byte) {
	const longestWord = 64
	if len(v) < 2 || v[0] != '"' {
		return
	}
	text := string(v[1 : len(v)-1])
	class := described.NoClass
	if len(text) < longestWord {
		class = described.ClassOf(text)
	}
	w.speaks = w.speaks || class != described.NoClass
	if f == nil {
		return
	}
	if longID(text) {
		f.add('i')
		return
	}
	f.add('t')
	if len(text) > 1 && (text[0] == '{' || text[0] == '[' && text[1] == '{') {
		f.add('j')
	}
	if strings.ContainsRune(text, ' ') {
		f.add('p')
	} else if len(text) < longestWord {
		f.add('w')
	}
	if class != described.NoClass && described.SpeakerOf(text) != described.NoClass {
		f.add('s')
	} else {
		f.add('n')
	}
}

// longID reports whether a text is a long hexadecimal number or a UUID: no name and no content.
func longID(text string) bool {
	const shortestID = 16
	return len(text) >= shortestID && strings.ContainsAny(text, "0123456789") && strings.Trim(text, "0123456789abcdefABCDEF-") == ""
}

// add records the kind of a value.
func (f *field) add(kind rune) { f.kinds |= bit(kind) }

func bit(kind rune) uint32 { return 1 << (kind - 'a') }
