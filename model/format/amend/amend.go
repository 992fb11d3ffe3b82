// Package amend reads records of a known format with changed names: another spelling, a value
// one level deeper, or a renamed field. It restores the known names before the format parses
// the records, so that the format needs no change.
package amend

import (
	"bytes"
	"strings"

	"turns/model"
	"turns/model/jsonspan"
)

// Change is a difference of records from the form that a format knows.
type Change struct {
	Names *Spelling         // names in another spelling; nil: none
	Inner map[string]string // fields whose value is one level deeper, with its key there
	IDs   bool              // numbers in fields whose name ends in id become texts
	Why   string
}

// Spelling has names in two spellings.
type Spelling struct {
	known   map[string]string // the formats' names, by the spelling in files
	written map[string]string // the spelling in files, by the formats' names; of several, the first
}

// newSpelling returns the Spelling for a map from the spelling in files to the formats' names.
func newSpelling(known map[string]string) *Spelling {
	s := &Spelling{known: known, written: make(map[string]string, len(known))}
	for from, to := range known {
		if first, ok := s.written[to]; !ok || from < first {
			s.written[to] = from
		}
	}
	return s
}

// of returns the formats' spelling of a name.
func (s *Spelling) of(name []byte) (string, bool) {
	if s == nil {
		return "", false
	}
	known, ok := s.known[string(name)]
	return known, ok
}

// in returns the files' spelling of a name.
func (s *Spelling) in(name string) string {
	if s != nil {
		if written, ok := s.written[name]; ok {
			return written
		}
	}
	return name
}

// maxInner limits the depth in a record at which it corrects values one level deeper.
const maxInner = 16

// Apply corrects a value. An invalid value stays unchanged.
func (c *Change) Apply(v []byte) []byte {
	if right, err := c.begun(v); err == nil {
		return right
	}
	return v
}

// begun corrects the part of a value before it is cut off or becomes invalid.
func (c *Change) begun(v []byte) ([]byte, error) {
	cur := jsonspan.New(v)
	right := c.value(make([]byte, 0, len(v)+len(v)/16), &cur, 0)
	return right, cur.Err
}

func (c *Change) value(dst []byte, cur *jsonspan.Cursor, depth int) []byte {
	switch cur.Kind() {
	case jsonspan.Object:
		dst = append(dst, '{')
		first := true
		for cur.Object(); cur.Key(); {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = c.member(dst, cur, depth)
		}
		if cur.Err == nil {
			dst = append(dst, '}')
		}
	case jsonspan.Array:
		dst = append(dst, '[')
		first := true
		for cur.Array(); cur.More(); {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = c.value(dst, cur, depth+1)
		}
		if cur.Err == nil {
			dst = append(dst, ']')
		}
	default:
		from := cur.Pos
		cur.Skip()
		dst = append(dst, cur.Buf[from:min(cur.Pos, len(cur.Buf))]...)
	}
	return dst
}

// member corrects a member of an object.
func (c *Change) member(dst []byte, cur *jsonspan.Cursor, depth int) []byte {
	name := cur.Name
	dst = append(dst, '"')
	if to, ok := c.Names.of(name); ok {
		dst = append(dst, to...)
	} else {
		dst = append(dst, name...)
	}
	dst = append(dst, '"', ':')
	if c.IDs && cur.Kind() == jsonspan.Number && isID(name) {
		return append(append(append(dst, '"'), cur.Skip()...), '"')
	}
	key, ok := c.Inner[string(name)]
	if !ok || depth > maxInner || cur.Kind() != jsonspan.Object {
		return c.value(dst, cur, depth+1)
	}
	inside := cur.Skip()
	if only, held := onlyMember(inside); string(only) == key {
		inside = held
	}
	under := jsonspan.New(inside)
	if dst = c.value(dst, &under, depth+1); under.Err != nil && cur.Err == nil {
		cur.Err = under.Err
	}
	return dst
}

// onlyMember returns the member of an object with exactly one; nil for others.
func onlyMember(v []byte) (name, value []byte) {
	c := jsonspan.New(v)
	c.Object()
	if !c.Key() {
		return nil, nil
	}
	name = c.Name
	if value = c.Skip(); c.Key() || c.Err != nil {
		return nil, nil
	}
	return name, value
}

// Sample returns a corrected sample.
func (c *Change) Sample(s *model.Sample) *model.Sample {
	t := *s
	if t.Doc = nil; s.Doc != nil {
		t.Doc, _ = c.begun(s.Doc)
	}
	t.Records = make([][]byte, len(s.Records))
	for i, v := range s.Records {
		t.Records[i] = c.Apply(v)
	}
	return &t
}

// Format returns a format that reads uncorrected records.
func (c *Change) Format(f *model.Format, m model.Match) *model.Format {
	g := *f
	g.Unroll, g.Split, g.Base, g.Bases = nil, nil, nil, nil
	g.Detect = func(*model.Sample) model.Match { return m }
	known := map[string]string{} // lists by their path in the file
	if f.Lists != nil {
		g.Lists = func(m model.Match) (lists []string) {
			for _, l := range f.Lists(m) {
				lists = append(lists, c.list(l))
			}
			return lists
		}
		for _, l := range f.Lists(m) {
			known[c.list(l)] = l
		}
	}
	g.Parse = func(rec model.Record, fs *model.Facts) error {
		rec.Data = c.Apply(rec.Data)
		if l, ok := known[rec.List]; ok {
			rec.List = l
		}
		return f.Parse(rec, fs)
	}
	return &g
}

// list returns the path of a list as written in the file.
func (c *Change) list(path string) string {
	var keys []string
	for key := range strings.SplitSeq(path, ".") {
		key = c.Names.in(key)
		if keys = append(keys, key); c.Inner[key] != "" {
			keys = append(keys, c.Inner[key])
		}
	}
	return strings.Join(keys, ".")
}

// isID reports whether a name ends like that of an id.
func isID(name []byte) bool {
	return bytes.HasSuffix(name, []byte("id")) || bytes.HasSuffix(name, []byte("Id")) || bytes.HasSuffix(name, []byte("ID"))
}
