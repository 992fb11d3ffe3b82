package amend

import (
	_ "embed"
	"fmt"
	"iter"
	"strings"
	"sync"

	"turns/model/format/described"
)

//go:embed usual.tsv
var usualNames string

// usual are the names that formats give to what every transcript has, with the kinds of their
// values.
var usual = sync.OnceValue(func() (list [][2]string) {
	for line := range strings.Lines(usualNames) {
		if name, kinds, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok && line[0] != '#' {
			list = append(list, [2]string{name, kinds})
		}
	}
	return list
})

// usualBits are the bits of the usual names.
var usualBits = sync.OnceValue(func() map[string]uint64 {
	bits := map[string]uint64{}
	for i, u := range usual() {
		bits[u[0]] = 1 << i
	}
	return bits
})

// The bounds of the search for renamed fields.
const (
	maxRenames = 40
	maxNames   = 8
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
		names := w.renamed(known)
		for i, u := range usual() {
			for _, from := range names {
				f := w.names[from]
				if from == u[0] || f.beside&(1<<i) != 0 || !f.of(u[1]) {
					continue
				}
				if tried++; tried > maxRenames || tried*w.bytes > maxRead || !yield(&Change{
					Names: newSpelling(map[string]string{from: u[0]}),
					Why:   fmt.Sprintf("%s is read as %s", from, u[0]),
				}) {
					return
				}
			}
		}
	}
}

// renamed are the fields that may have other names elsewhere: those that no format asks for. If all
// are known and no format knows the sample, they are the known ones.
func (w *Seen) renamed(known bool) (names []string) {
	var others []string
	for _, name := range w.order {
		if !knownWords()[name] && !knownNames()[name] {
			names = append(names, name)
		} else if !known {
			others = append(others, name)
		}
	}
	if len(names) == 0 {
		names = others
	}
	return names[:min(len(names), maxNames)]
}

// of reports whether the values of a field are of one of the kinds.
func (f *field) of(kinds string) bool {
	for _, k := range kinds {
		if f.kinds&(1<<(k-'a')) != 0 {
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
	text := v[1 : len(v)-1]
	w.speaks = w.speaks || len(text) < longestWord && described.ClassOf(string(text)) != described.NoClass
	if f == nil {
		return
	}
	f.kinds |= 1 << ('t' - 'a')
	if len(text) > 1 && text[0] == '{' {
		f.kinds |= 1 << ('j' - 'a')
	}
	if len(text) < longestWord && !strings.ContainsRune(string(text), ' ') {
		f.kinds |= 1 << ('w' - 'a')
	}
}
