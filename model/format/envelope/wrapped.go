package envelope

import (
	"strings"
	"sync"

	"turns/model"
	"turns/model/jsonspan"
)

// wrapped is a format of envelopes.
type wrapped struct {
	content
	weak     content // the first one found with a low score
	finder   Finder
	document bool     // the document is the envelope, not each line
	many     bool     // there are several envelopes
	whole    bool     // the document was seen in full
	time     []string // keys that lead to an envelope's time of writing
	facts    sync.Pool
}

// content is the place of the records in envelopes, and their format.
type content struct {
	path      path
	inner     *model.Format
	match     model.Match
	documents bool // each envelope contains a document
	isList    bool // the document is a list
}

// format returns the format that reads the envelopes.
func (w *wrapped) format() (*model.Format, model.Match) {
	f, m := *w.inner, w.match
	f.Unroll, f.Split, f.Base, f.Bases, f.Children = nil, nil, nil, nil, nil
	f.Parse = w.parse
	f.Lists = nil
	if lists := w.lists(); lists != nil {
		f.Lists = func(model.Match) []string { return lists }
	}
	if len(w.path) > 0 {
		m.Reason += ", inside of " + w.path.String()
	}
	f.Detect = func(*model.Sample) model.Match { return m }
	return &f, m
}

// prefix returns the path up to its first list, and whether it has one.
func (w *wrapped) prefix() (keys []string, list bool) {
	for _, s := range w.path {
		if s.name == "" {
			return keys, true
		}
		keys = append(keys, s.name)
	}
	return keys, false
}

// lists returns the lists by which a document envelope is cut.
func (w *wrapped) lists() []string {
	if !w.document {
		return nil
	}
	keys, list := w.prefix()
	switch {
	case list && len(keys) == 0:
		return []string{"[]"}
	case list:
		return []string{strings.Join(keys, ".")}
	case w.inner.Lists == nil:
		return nil
	}
	var lists []string
	for _, l := range w.inner.Lists(w.match) {
		lists = append(lists, outerList(keys, l))
	}
	return lists
}

// outerList returns the path in the document for a list of the inner format.
func outerList(keys []string, list string) string {
	prefix := strings.Join(keys, ".")
	if list == "[]" || list == "" {
		return prefix
	}
	return prefix + "." + list
}

// parse adds the facts of an envelope's content.
func (w *wrapped) parse(rec model.Record, fs *model.Facts) error {
	if w.document {
		return w.parseDocument(rec, fs)
	}
	return w.parseAt(rec, w.path, fs)
}

// parseDocument parses a record of a document that is an envelope.
func (w *wrapped) parseDocument(rec model.Record, fs *model.Facts) error {
	keys, list := w.prefix()
	switch {
	case list && rec.List != "":
		return w.parseAt(rec, w.path[len(keys)+1:], fs)
	case list:
		return rest(rec, fs)
	}
	r := &reading{wrapped: w, fs: fs, rec: rec}
	if rec.List == "" {
		r.path(rec.Data, w.path, false)
		return r.end()
	}
	for _, l := range w.inner.Lists(w.match) {
		if rec.List == outerList(keys, l) {
			rec.List = l
			break
		}
	}
	rec.Variant = w.match.Variant
	return w.inner.Parse(rec, fs)
}

func (w *wrapped) parseAt(rec model.Record, p path, fs *model.Facts) error {
	r := &reading{wrapped: w, fs: fs, rec: rec, row: w.many && w.isRow(p)}
	c := jsonspan.New(rec.Data)
	v := c.Skip()
	if c.Err != nil {
		return c.Err
	}
	if w.isRow(p) {
		r.about(v, p[0].name)
	}
	if len(w.time) > 0 {
		r.time = w.finder.Moment(jsonspan.Get(v, w.time...))
	}
	about := fs.Len()
	r.path(v, p, w.documents)
	if r.row && fs.Len() > about { // the format inside may name its conversation by another key
		for i := range about {
			fs.At(i).Session = fs.At(about).Session
		}
	}
	if !c.Done() {
		fs.Rest = len(rec.Data) - c.Pos
	}
	return r.end()
}

// isRow reports whether each record has a separate conversation, as a list.
func (w *wrapped) isRow(p path) bool {
	return len(p) >= 1 && p[0].name != "" && (p[len(p)-1].name == "" || w.documents && w.isList)
}

// rest adds the fields of a document without its records.
func rest(rec model.Record, fs *model.Facts) error {
	f := fs.Add(model.About)
	c := jsonspan.New(rec.Data)
	keepFields(&c, f, "")
	return c.Err
}

// reading is the parsing of one envelope.
type reading struct {
	*wrapped
	fs   *model.Facts
	rec  model.Record
	row  bool
	time model.Moment
	err  error
}

// path follows the path to the envelope's content and parses it.
func (r *reading) path(v []byte, p path, documents bool) {
	if len(p) == 0 {
		if documents {
			r.documentOf(v)
		} else {
			r.record(v, "")
		}
		return
	}
	c := jsonspan.New(v)
	if p[0].name == "" {
		for c.Array(); c.More(); {
			if e := reach(&c); e != nil && c.Err == nil {
				r.path(e, p[1:], documents)
			}
		}
		return
	}
	for c.Object(); c.Key(); {
		if string(c.Name) != p[0].name {
			c.Skip()
			continue
		}
		if e := reach(&c); e != nil {
			r.path(e, p[1:], documents)
		}
	}
}

// record parses one record of the format inside.
func (r *reading) record(v []byte, list string) {
	sub, _ := r.facts.Get().(*model.Facts)
	if sub == nil {
		sub = new(model.Facts)
	}
	defer r.facts.Put(sub)
	rec := r.rec
	rec.Data, rec.List, rec.Variant = v, list, r.match.Variant
	rec.Ref.Off += int64(r.fs.Len()) // distinguishes ids made from the position
	sub.Clear()
	sub.Within(r.fs)
	if err := r.inner.Parse(rec, sub); err != nil {
		r.err = err
		return
	}
	for i := range sub.Len() {
		f := sub.At(i)
		if f.Time.Ms == 0 {
			f.Time = r.time
		}
		if r.row {
			f.Session = r.session().Join(f.Session)
		}
	}
	r.fs.Take(sub)
}

func (r *reading) session() model.Key { return model.HashNumber("conversation", r.rec.Ref.Off) }

// documentOf parses a document: its rest, then the elements of its lists.
func (r *reading) documentOf(doc []byte) {
	var lists []string
	if r.inner.Lists != nil {
		lists = r.inner.Lists(r.match)
	}
	if lists == nil {
		r.record(doc, "")
		return
	}
	for _, part := range Cut(doc, lists) {
		r.record(part.Data, part.List)
	}
}

// end ensures that no envelope is lost.
func (r *reading) end() error {
	if r.fs.Len() > 0 {
		return nil
	}
	if r.err != nil {
		return r.err
	}
	f := r.fs.Add(model.Note)
	f.Name, f.Time = model.StringText("record"), r.time
	f.AddText(model.OtherBlock, model.ValueText(r.rec.Data))
	return nil
}

// scores are names of fields with the result of a run.
var scores = map[string]bool{"score": true, "reward": true, "passed": true, "resolved": true, "success": true, "correct": true, "is_correct": true}

// about adds a row's fields next to its conversation.
func (r *reading) about(v []byte, list string) {
	f := r.fs.Add(model.Note)
	f.Name = model.StringText("row")
	if r.row {
		f.Session = r.session()
	}
	c := jsonspan.New(v)
	keepFields(&c, f, list)
	c = jsonspan.New(v)
	for c.Object(); c.Key(); {
		if !scores[string(c.Name)] {
			c.Skip()
			continue
		}
		x, ok := score(c.Skip())
		if !ok {
			continue
		}
		end := r.fs.Add(model.End)
		end.Score, end.HasScore = x, true
		if r.row {
			end.Session = r.session()
		}
		switch {
		case x == 1:
			end.Outcome = model.Success
		case x == 0:
			end.Outcome = model.Failure
		case x > 0 && x < 1:
			end.Outcome = model.Half
		}
		return
	}
}

// score returns a number, with true as 1 and false as 0.
func score(v []byte) (x float64, ok bool) {
	switch string(v) {
	case "true":
		return 1, true
	case "false":
		return 0, true
	}
	if jsonspan.KindOf(v) != jsonspan.Number {
		return 0, false
	}
	c := jsonspan.New(v)
	x, ok = c.Float()
	return x, ok && x-x == 0
}

// keepFields adds the fields of an object except one as extra fields.
func keepFields(c *jsonspan.Cursor, f *model.Fact, but string) {
	for c.Object(); c.Key(); {
		name := c.Name
		if v := c.Skip(); string(name) != but && len(v) > 0 && v[0] != 'n' {
			f.KeepNamed(name, model.ValueText(v))
		}
	}
}
