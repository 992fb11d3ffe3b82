// Package envelope reads records of a format inside of other records: in the lines of a log
// collector, the events of a bus, the rows of a data set. They may be JSON or a string with
// JSON, up to three levels deep.
//
// The format of the inner records reads them. The envelope adds its own facts: the time if the
// record has none, and for a row of an evaluation its score and the other fields next to the
// conversation.
package envelope

import (
	"slices"
	"strings"

	"turns/model"
	"turns/model/jsonspan"
)

// maxDepth limits the fields in the path to a record.
const maxDepth = 3

// sure is the minimum score of a format that recognises its records, rather than a fallback.
const sure = 30

// A Finder looks into envelopes.
type Finder struct {
	// Detect returns the format of a sample, which may be the content of an envelope.
	Detect func(*model.Sample) (*model.Format, model.Match)
	// Moment returns the time in a raw JSON value.
	Moment func([]byte) model.Moment
	// Weak is the lowest score of a format to accept if no other recognises the content; 0: none.
	Weak int
}

// step is one step of the path from a record to its content.
type step struct {
	name string // of the field; "" for each element of a list
}

// path leads from a record to its content. A string in the path is parsed as JSON.
type path []step

// String returns the path as people write it.
func (p path) String() string {
	var b strings.Builder
	for i, s := range p {
		switch {
		case s.name == "":
			b.WriteString("[]")
			continue
		case i > 0:
			b.WriteByte('.')
		}
		b.WriteString(s.name)
	}
	return b.String()
}

// Find looks into the records of a sample, or into its document. It returns a format that reads
// the envelopes, nil if no format recognises their content.
func (f Finder) Find(s *model.Sample) (*model.Format, model.Match) {
	outer := s.Records
	if s.Shape == model.Document {
		outer = [][]byte{s.Doc}
	} else if s.Shape != model.Lines || len(outer) == 0 {
		return nil, model.Match{}
	}
	w := &wrapped{finder: f, document: s.Shape == model.Document, many: len(outer) > 1, whole: s.Whole || s.Shape == model.Lines}
	if s.Shape == model.Lines && s.Bad > 0 && w.holdsDocuments(nil, outer) {
		return w.format()
	}
	if w.search(nil, outer, maxDepth) {
		w.time = f.timeField(w.path, outer)
		return w.format()
	}
	if w.weak.inner != nil {
		w.content = w.weak
		w.time = f.timeField(w.path, outer)
		return w.format()
	}
	return nil, model.Match{}
}

// search tries the contents of values, the largest fields first.
func (w *wrapped) search(p path, values [][]byte, depth int) bool {
	if len(p) > 0 && w.holds(p, values) {
		return true
	}
	if lists := only(values, jsonspan.Array); len(lists)*2 > len(values) {
		p = append(slices.Clip(p), step{})
		return w.search(p, inside(lists, step{}), depth)
	}
	if depth == 0 {
		return false
	}
	for _, name := range largest(values) {
		s := step{name}
		if w.search(append(slices.Clip(p), s), inside(values, s), depth-1) {
			return true
		}
	}
	return false
}

// holds reports whether a format recognises the values at a path, and if so stores it.
func (w *wrapped) holds(p path, values [][]byte) bool {
	list := records(values)
	if len(list) > 0 && (w.many || len(list) > 1 || p[len(p)-1].name == "") {
		inner := &model.Sample{Shape: model.Lines, Records: list, Whole: w.whole}
		f, m := w.finder.Detect(inner)
		if w.take(content{path: p, inner: f, match: m, documents: f != nil && f.Lists != nil && f.Lists(m) != nil}) {
			return true
		}
	}
	return w.holdsDocuments(p, values)
}

// take stores a format that recognises the content. For a weak one it returns false, and stores the
// first of these separately.
func (w *wrapped) take(c content) bool {
	switch {
	case c.inner == nil || !c.inner.AsIs(c.match):
		return false
	case c.match.Score >= sure:
		w.content = c
		return true
	case w.finder.Weak > 0 && c.match.Score >= w.finder.Weak && w.weak.inner == nil:
		w.weak = c
	}
	return false
}

// holdsDocuments is holds for values that are separate documents.
func (w *wrapped) holdsDocuments(p path, values [][]byte) bool {
	if len(values) == 0 {
		return false
	}
	f, m := w.detectDocument(values[0])
	// only by chance if another value does not look like one
	if len(values) > 1 && m.Score > 0 {
		if _, other := w.detectDocument(values[len(values)/2]); other.Score < min(sure, m.Score) {
			return false
		}
	}
	return w.take(content{path: p, inner: f, match: m, documents: true, isList: jsonspan.KindOf(values[0]) == jsonspan.Array})
}

// detectDocument recognises a document; a one-line document also looks like a line.
func (w *wrapped) detectDocument(doc []byte) (*model.Format, model.Match) {
	f, m := w.finder.Detect(&model.Sample{Shape: model.Document, Doc: doc, Whole: w.whole})
	if jsonspan.KindOf(doc) == jsonspan.Object && w.whole {
		line := &model.Sample{Shape: model.Lines, Records: [][]byte{doc}, Doc: doc, Whole: true}
		if g, n := w.finder.Detect(line); n.Score >= m.Score {
			return g, n
		}
	}
	return f, m
}

// records returns the values that may be records: objects, and lists that begin with a text, such
// as the name of a method and its result. Other lists contain records.
func records(values [][]byte) [][]byte {
	var list [][]byte
	for _, v := range values {
		if kind := jsonspan.KindOf(v); kind == jsonspan.Object || kind == jsonspan.Array && jsonspan.IsTuple(v) {
			list = append(list, v)
		}
	}
	return list
}

func only(values [][]byte, kind jsonspan.Kind) [][]byte {
	var list [][]byte
	for _, v := range values {
		if jsonspan.KindOf(v) == kind {
			list = append(list, v)
		}
	}
	return list
}

// maxInside limits the inner values to check.
const maxInside = 60

// inside returns the values that a step leads to; of a cut value, the available part.
func inside(values [][]byte, s step) (list [][]byte) {
	for _, v := range values {
		c := jsonspan.New(v)
		if s.name == "" {
			for c.Array(); len(list) < maxInside && c.More(); {
				if e := reach(&c); e != nil {
					list = append(list, e)
				}
			}
			continue
		}
		for c.Object(); c.Key(); {
			if string(c.Name) == s.name {
				if e := reach(&c); e != nil {
					list = append(list, e)
				}
				break
			}
			c.Skip()
		}
	}
	return list
}

// reach consumes a value that may contain others: an object, a list, or JSON in a string. Of a cut
// value it returns the available part; nil for other values.
func reach(c *jsonspan.Cursor) []byte {
	switch c.Kind() {
	case jsonspan.Object, jsonspan.Array:
		from := c.Pos
		if v := c.Skip(); c.Err == nil {
			return v
		}
		return c.Buf[from:]
	case jsonspan.String:
		return unpack(c.String())
	}
	c.Skip()
	return nil
}

// unpack returns the JSON in the inside of a string; nil for other text.
func unpack(text []byte) []byte {
	for len(text) > 0 && (text[0] == ' ' || text[0] == '\n') {
		text = text[1:]
	}
	if len(text) < 2 || text[0] != '{' && text[0] != '[' {
		return nil
	}
	data := model.EscapedText(text).Append(make([]byte, 0, len(text)))
	v, _, err := jsonspan.Cut(data)
	if err != nil {
		return nil
	}
	return v
}

// maxFields limits the fields of an envelope to search.
const maxFields = 2

// largest returns the fields with most of the values' bytes, if at least half of the values have
// them.
func largest(values [][]byte) []string {
	type field struct {
		name        string
		size, count int
	}
	var fields []field
	for _, v := range values {
		c := jsonspan.New(v)
		for c.Object(); c.Key(); {
			name := string(c.Name)
			c.Kind()
			from := c.Pos
			holds := reach(&c) != nil
			if !holds {
				continue
			}
			i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
			if i < 0 {
				if len(fields) >= 64 {
					continue
				}
				i, fields = len(fields), append(fields, field{name: name})
			}
			fields[i].size += min(c.Pos, len(c.Buf)) - from
			fields[i].count++
		}
	}
	fields = slices.DeleteFunc(fields, func(f field) bool { return f.count*2 < len(values) })
	slices.SortStableFunc(fields, func(a, b field) int { return b.size - a.size })
	var names []string
	for _, f := range fields[:min(maxFields, len(fields))] {
		names = append(names, f.name)
	}
	return names
}

// timeField returns the path of the field with the time of writing, next to the records or above:
// the innermost one.
func (f Finder) timeField(p path, outer [][]byte) []string {
	var found, way []string
	values := outer
	for _, s := range p {
		if name := f.timeName(values); name != "" {
			found = append(slices.Clip(way), name)
		}
		if s.name == "" {
			break // a time above a list does not belong to its elements
		}
		way = append(slices.Clip(way), s.name)
		values = inside(values, s)
	}
	return found
}

// timeNames are parts of the names of time fields.
var timeNames = []string{"timestamp", "time", "ts", "date", "created", "at"}

func (f Finder) timeName(values [][]byte) string {
	best, rank := "", len(timeNames)
	for _, v := range values[:min(3, len(values))] {
		c := jsonspan.New(v)
		for c.Object(); c.Key(); {
			name := string(c.Name)
			low := strings.ToLower(name)
			r := slices.IndexFunc(timeNames, func(part string) bool {
				return low == part || len(part) > 2 && strings.Contains(low, part) || strings.HasSuffix(low, "_"+part)
			})
			if v := c.Skip(); r >= 0 && r < rank && f.Moment(v).Ms != 0 {
				best, rank = name, r
			}
		}
	}
	return best
}
