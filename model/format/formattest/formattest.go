// Package formattest tests the formats with the samples of testdata/formats/SLUG: each file
// there has a golden file of how sure its format is of it, and of the facts that the format reads.
// The tests of each family of formats call [Facts] with their own; model/format tests that the
// registry distinguishes them.
package formattest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/model/format/dump"
	"turns/model/format/kit"
	"turns/model/jsonspan"
	"turns/model/modeltest"
)

// Dir returns the folder of the samples, from the folder of the test of any package.
func Dir(t testing.TB) string {
	t.Helper()
	up := "."
	for range 8 {
		if _, err := os.Stat(filepath.Join(up, "go.mod")); err == nil {
			return filepath.Join(up, "testdata", "formats")
		}
		up = filepath.Join(up, "..")
	}
	t.Fatal("no go.mod above the folder of the test")
	return ""
}

// Files returns the samples of a format.
func Files(t testing.TB, slug string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(Dir(t), slug, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(file string) bool {
		info, err := os.Stat(file)
		return err != nil || info.IsDir() || strings.HasSuffix(file, ".golden")
	})
}

// Facts reads every sample of some formats and compares the facts with the golden files, also those
// of [Changes]. A format without a sample fails.
func Facts(t *testing.T, formats ...*model.Format) {
	for _, f := range formats {
		files := Files(t, f.Name)
		if len(files) == 0 {
			t.Errorf("%s has no sample in %s", f.Name, Dir(t))
		}
		for _, file := range files {
			t.Run(f.Name+"/"+filepath.Base(file), func(t *testing.T) {
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				s := Sample(filepath.Base(file), data)
				m := f.Detect(s)
				if m.Score == 0 || m.Reason == "" {
					t.Fatalf("detected with score %d: %q", m.Score, m.Reason)
				}
				Golden(t, file, f, m, s, data)
			})
		}
	}
	Changes(t, formats...)
}

// Samples reads every sample with the format that detect finds, which must be that of the sample's
// folder, and compares the facts with the golden files. Packages that many formats are made of use
// it as their test: a change there changes the facts.
func Samples(t *testing.T, detect func(*model.Sample) (*model.Format, model.Match)) {
	slugs, err := os.ReadDir(Dir(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, slug := range slugs {
		for _, file := range Files(t, slug.Name()) {
			t.Run(slug.Name()+"/"+filepath.Base(file), func(t *testing.T) {
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				s := Sample(filepath.Base(file), data)
				f, m := detect(s)
				if f.Name != slug.Name() {
					t.Fatalf("detected as %s (score %d: %s)", f.Name, m.Score, m.Reason)
				}
				if m.Reason == "" {
					t.Errorf("no reason is given")
				}
				Golden(t, file, f, m, s, data)
			})
		}
	}
}

// Places checks that a format finds its messages under each of some keys of a document: "a.b" is the
// list under b of the object under a, "[]" the document itself.
func Places(t *testing.T, f *model.Format, messages string, paths ...string) {
	t.Helper()
	for _, path := range paths {
		doc := messages
		if path != kit.WholeList {
			for _, key := range slices.Backward(strings.Split(path, ".")) {
				doc = fmt.Sprintf("{%q:%s}", key, doc)
			}
		}
		m := f.Detect(Sample("x.json", []byte(doc)))
		if m.Score == 0 || !slices.Equal(f.Lists(m), []string{path}) {
			t.Errorf("%s: messages under %s have the score %d, in the lists %q", f.Name, path, m.Score, f.Lists(m))
		}
	}
}

// Records checks that a format recognises some records, each in its own file, with a score.
func Records(t *testing.T, f *model.Format, score int, records ...string) {
	t.Helper()
	for _, record := range records {
		if m := f.Detect(Sample("x.jsonl", []byte(record+"\n"))); m.Score != score {
			t.Errorf("%s has the score %d for %s, want %d", f.Name, m.Score, record, score)
		}
	}
}

// Golden compares the match and the facts of a sample with the golden file next to it.
func Golden(t *testing.T, file string, f *model.Format, m model.Match, s *model.Sample, data []byte) {
	t.Helper()
	got := fmt.Appendf(nil, "score %d variant %d: %s\n%s", m.Score, m.Variant, m.Reason, Dump(f, m, s, data))
	if bytes.Contains(got, []byte(" extend")) && !f.Deltas {
		t.Errorf("a text goes on in a later record, and the format does not say that it has deltas")
	}
	modeltest.Golden(t, file+".facts.golden", string(got))
}

// Lines parses each line of a file as a record. It compares the facts, each under its line, with
// the golden file next to it.
func Lines(t *testing.T, file string, parse func(model.Record, *model.Facts) error) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	var fs model.Facts
	for line := range bytes.Lines(data) {
		out.Write(line)
		fs.Clear()
		if err := parse(model.Record{Data: bytes.TrimSpace(line), Ref: model.Ref{Len: uint32(len(line))}}, &fs); err != nil {
			fmt.Fprintf(&out, "error %v\n", err)
		}
		if err := dump.Write(&out, &fs); err != nil {
			t.Fatal(err)
		}
	}
	modeltest.Golden(t, file+".golden", out.String())
}

// Dump returns the facts of all records of a sample, printed.
func Dump(f *model.Format, m model.Match, s *model.Sample, data []byte) []byte {
	var out bytes.Buffer
	d := dump.New(&out)
	var fs model.Facts
	for _, rec := range Cut(f, m, s, data) {
		for {
			fs.Clear()
			err := f.Parse(rec, &fs)
			if err != nil {
				fmt.Fprintf(&out, "error %v\n", err)
				break
			}
			if fs.Len() == 0 {
				fmt.Fprintf(&out, "NO FACT\n")
			}
			rest := fs.Rest
			d.Facts(&fs)
			if rest <= 0 || rest >= len(rec.Data) {
				break
			}
			rec.Ref.Off += int64(len(rec.Data) - rest)
			rec.Data = rec.Data[len(rec.Data)-rest:]
		}
	}
	return out.Bytes()
}

// Sample returns a file with the given name and data in the form that detection receives. It
// determines the shape in a simple way, sufficient for samples: a name that ends in .rows.jsonl is
// a database, a folder or an archive.
func Sample(path string, data []byte) *model.Sample {
	s := &model.Sample{Path: path}
	if strings.HasSuffix(path, ".rows.jsonl") {
		return rowsSample(s, data)
	}
	v, rest, err := jsonspan.Cut(data)
	kind := jsonspan.KindOf(v)
	switch {
	case err == nil && len(bytes.TrimSpace(rest)) == 0 && (kind == jsonspan.Object || kind == jsonspan.Array) && !strings.HasSuffix(path, "l"):
		s.Shape, s.Doc, s.Whole = model.Document, v, true
		return s
	case err != nil && !strings.HasSuffix(path, "l") && len(data) > 0 && (data[0] == '{' || data[0] == '['):
		s.Shape, s.Doc = model.Document, data
		return s
	}
	for line := range bytes.Lines(data) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || len(s.Records) >= 60 {
			continue
		}
		v, _, err := jsonspan.Cut(line)
		if kind := jsonspan.KindOf(v); err == nil && (kind == jsonspan.Object || kind == jsonspan.Array && bytes.HasPrefix(v, []byte("[{"))) {
			s.Records = append(s.Records, v)
		} else {
			s.Bad++
		}
	}
	if len(s.Records) == 0 {
		s.Shape, s.Text = model.Prose, data
	}
	return s
}

func rowsSample(s *model.Sample, data []byte) *model.Sample {
	first, _, _ := bytes.Cut(data, []byte("\n"))
	var head struct {
		Tables map[string][]string
		Names  []string
	}
	if err := json.Unmarshal(first, &head); err != nil {
		panic(err)
	}
	s.Shape, s.Tables, s.Names = model.Database, head.Tables, head.Names
	if head.Tables == nil {
		s.Shape = model.Folder
	}
	return s
}

// Cut returns the records of a sample as the loader would.
func Cut(f *model.Format, m model.Match, s *model.Sample, data []byte) []model.Record {
	var recs []model.Record
	add := func(list string, off int, v []byte) {
		recs = append(recs, model.Record{Ref: model.Ref{Off: int64(off), Len: uint32(len(v))}, List: list, Variant: m.Variant, Data: v})
	}
	switch {
	case s.Shape == model.Database || s.Shape == model.Folder:
		_, rows, _ := bytes.Cut(data, []byte("\n"))
		for line := range bytes.Lines(rows) {
			if line = bytes.TrimSpace(line); len(line) > 0 {
				add(string(jsonspan.GetString(line, "list")), 0, jsonspan.Get(line, "data"))
			}
		}
	case f.Split != nil && f.Split(m) != nil:
		split := f.Split(m)
		for off := 0; off < len(data); {
			rec, n := split.Split(data[off:], true)
			if n <= 0 {
				break
			}
			if len(rec.Data) > 0 {
				rec.Ref.Off = int64(off)
				rec.Variant = m.Variant
				recs = append(recs, rec)
			}
			off += n
		}
	case s.Shape == model.Document:
		cutDocument(f, m, s.Doc, add)
	default:
		off := 0
		for line := range bytes.Lines(data) {
			if v := bytes.TrimSpace(line); len(v) > 0 {
				add("", off, v)
			}
			off += len(line)
		}
	}
	return recs
}

// cutDocument passes add the document with empty lists, then the elements of the lists in the order
// of their paths.
func cutDocument(f *model.Format, m model.Match, doc []byte, add func(list string, off int, v []byte)) {
	var paths []string
	if f.Lists != nil {
		paths = f.Lists(m)
	}
	if len(paths) == 0 {
		add("", 0, doc)
		return
	}
	w := docCutter{doc: doc, paths: paths}
	c := jsonspan.New(doc)
	w.walk(&c, "")
	if c.Err == nil {
		w.rest = append(w.rest, doc[w.done:]...)
	} else {
		slices.Reverse(w.open)
		w.rest = append(w.rest, w.open...)
	}
	add("", 0, w.rest)
	for _, e := range w.elems {
		add(e.path, e.off, doc[e.off:e.end])
	}
}

type docCutter struct {
	doc, rest []byte
	open      []byte // closing brackets for a truncated document
	done      int
	paths     []string
	elems     []docElement
}

type docElement struct {
	path     string
	off, end int
}

func (w *docCutter) match(path string) (list string, deeper bool) {
	at := strings.Split(path, ".")
	for _, p := range w.paths {
		want := strings.Split(p, ".")
		if len(want) < len(at) {
			continue
		}
		ok := true
		for i := range at {
			ok = ok && (want[i] == "*" || want[i] == at[i])
		}
		if ok && len(want) == len(at) {
			return p, false
		}
		deeper = deeper || ok
	}
	return "", deeper
}

func (w *docCutter) walk(c *jsonspan.Cursor, path string) {
	list, deeper := w.match(path)
	if path == "" {
		list, deeper = "", true
		if c.Kind() == jsonspan.Array && slices.Contains(w.paths, kit.WholeList) {
			list = kit.WholeList
		}
	}
	if k := c.Kind(); list != "" && (k == jsonspan.Array || k == jsonspan.Object) {
		w.rest = append(w.rest, w.doc[w.done:c.Pos]...)
		w.elements(c, list, k)
		w.done = c.Pos
		return
	}
	join := func(name string) string {
		if path == "" {
			return name
		}
		return path + "." + name
	}
	switch {
	case deeper && c.Kind() == jsonspan.Object:
		w.open = append(w.open, '}')
		for c.Object(); c.Key(); {
			w.walk(c, join(string(c.Name)))
		}
	case deeper && c.Kind() == jsonspan.Array:
		w.open = append(w.open, ']')
		i := 0
		for c.Array(); c.More(); i++ {
			w.walk(c, join(fmt.Sprint(i)))
		}
	default:
		c.Skip()
		return
	}
	if c.Err == nil {
		w.open = w.open[:len(w.open)-1]
	}
}

// elements adds the elements of a list, or the members of an object used as one.
func (w *docCutter) elements(c *jsonspan.Cursor, list string, k jsonspan.Kind) {
	if k == jsonspan.Object {
		w.rest = append(w.rest, "{}"...)
		for c.Object(); c.Key(); {
			w.element(c, list)
		}
		return
	}
	w.rest = append(w.rest, "[]"...)
	for c.Array(); c.More(); {
		w.element(c, list)
	}
}

func (w *docCutter) element(c *jsonspan.Cursor, list string) {
	if v := c.Skip(); c.Err == nil {
		w.elems = append(w.elems, docElement{list, c.Pos - len(v), c.Pos})
	}
}
