package formattest

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/model/format/dump"
	"turns/model/jsonspan"
	"turns/model/modeltest"
)

// changes is a checksum of the facts that a format reads from a sample with one change, for many
// changes.
type changes struct {
	t      *testing.T
	f      *model.Format
	sum    uint32
	n      int
	read   int // bytes of the changed texts
	facts  model.Facts
	out    bytes.Buffer
	places map[string]bool // whose values were changed
}

// maxRead limits the bytes of changed texts for a sample, and so the time of the test.
const maxRead = 2 << 20

// Changes compares what some formats read from their samples with one change each with the golden
// file of the format: a value that is absent, empty, of another kind or a little larger, a missing
// or unknown record, a missing or repeated line of text. The golden file has a checksum for each
// sample, as all those facts would be too many. With -v the test prints the sum after each change:
// compare its output before and after to find the first different change.
func Changes(t *testing.T, formats ...*model.Format) {
	for _, f := range formats {
		files := Files(t, f.Name)
		if len(files) == 0 {
			continue
		}
		t.Run(f.Name+"/changes", func(t *testing.T) {
			var sums strings.Builder
			for _, file := range files {
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&sums, "%s: %s\n", filepath.Base(file), changesOf(t, f, Sample(filepath.Base(file), data), data))
			}
			modeltest.Golden(t, filepath.Join(Dir(t), f.Name, "changes.golden"), sums.String())
		})
	}
}

func changesOf(t *testing.T, f *model.Format, s *model.Sample, data []byte) string {
	c := changes{t: t, f: f, places: map[string]bool{}}
	m := f.Detect(s)
	if s.Text != nil || f.Split != nil && f.Split(m) != nil {
		c.lines(m, s, data)
	}
	for _, rec := range Cut(f, m, s, data) {
		c.values("parse "+rec.List+keysOf(rec.Data), rec.Data, func(changed []byte) {
			c.out.Reset()
			c.parse(model.Record{Ref: model.Ref{Len: uint32(len(changed))}, List: rec.List, Variant: rec.Variant, Data: changed})
			c.add(changed)
		})
	}
	if s.Doc != nil {
		c.values("detect", s.Doc, func(doc []byte) { c.detect(s, s.Records, doc, s.Text, s.Bad) })
	}
	c.records(s)
	return fmt.Sprintf("%d changes, %08x", c.n, c.sum)
}

// add adds the output to the sum.
func (c *changes) add(from []byte) {
	c.n++
	c.sum = crc32.Update(c.sum, crc32.IEEETable, c.out.Bytes())
	if testing.Verbose() {
		c.t.Logf("%08x %s", c.sum, from)
	}
}

func (c *changes) parse(rec model.Record) {
	c.facts.Clear()
	if err := c.f.Parse(rec, &c.facts); err != nil {
		fmt.Fprintf(&c.out, "error %v\n", err)
	}
	fmt.Fprintf(&c.out, "rest %d\n", c.facts.Rest)
	dump.New(&c.out).Facts(&c.facts)
}

// detect adds the match of a sample of the same shape.
func (c *changes) detect(like *model.Sample, records [][]byte, doc, text []byte, bad int) {
	m := c.f.Detect(&model.Sample{
		Path: like.Path, Shape: like.Shape, Records: records, Doc: doc, Whole: like.Whole, Text: text,
		Tables: like.Tables, Rows: like.Rows, Names: like.Names, Bad: bad,
	})
	c.out.Reset()
	fmt.Fprintf(&c.out, "score %d variant %d: %s\n", m.Score, m.Variant, m.Reason)
	c.add([]byte(m.Reason))
}

// records changes the values of records, and how many there are, for their detection.
func (c *changes) records(s *model.Sample) {
	for i, record := range s.Records {
		c.values("detect"+keysOf(record), record, func(changed []byte) {
			records := slices.Clone(s.Records)
			records[i] = changed
			c.detect(s, records, s.Doc, s.Text, s.Bad)
		})
	}
	n := len(s.Records)
	for _, kept := range []int{1, 2, 3} {
		c.detect(s, s.Records[:min(n, kept)], s.Doc, s.Text, s.Bad)
	}
	for _, unknown := range []int{1, n - 1, n, n + 1, 3 * n} {
		others := slices.Repeat([][]byte{[]byte(`{"unknown":1}`)}, max(unknown, 0))
		c.detect(s, slices.Concat(others, s.Records), s.Doc, s.Text, s.Bad)
		c.detect(s, slices.Concat(s.Records, others), s.Doc, s.Text, s.Bad)
		c.detect(s, s.Records, s.Doc, s.Text, s.Bad+max(unknown, 0))
	}
}

// maxLines is how many lines of a text are changed.
const maxLines = 40

// lines leaves out, empties and repeats each line of a text.
func (c *changes) lines(m model.Match, s *model.Sample, data []byte) {
	all := slices.Collect(bytes.Lines(data))
	for i, line := range all[:min(len(all), maxLines)] {
		for _, changed := range []string{"", "\n", string(line) + string(line), "> " + string(line)} {
			text := slices.Concat(bytes.Join(all[:i], nil), []byte(changed), bytes.Join(all[i+1:], nil))
			c.out.Reset()
			for _, rec := range Cut(c.f, m, s, text) {
				c.parse(rec)
			}
			c.add(text)
			if s.Text != nil {
				c.detect(s, nil, nil, text, s.Bad)
			}
		}
	}
}

// keysOf is the keys of a record. Of records with the same keys one is changed.
func keysOf(record []byte) string {
	if jsonspan.KindOf(record) != jsonspan.Object {
		return ""
	}
	var keys []byte
	c := jsonspan.New(record)
	for c.Object(); c.Key(); c.Skip() {
		keys = append(append(keys, ' '), c.Name...)
	}
	return string(keys)
}

// values calls use with each change of the first value at each place of a JSON text.
func (c *changes) values(place string, text []byte, use func(changed []byte)) {
	at := jsonspan.New(text)
	c.value(place, text, &at, use)
}

func (c *changes) value(place string, text []byte, at *jsonspan.Cursor, use func([]byte)) {
	kind := at.Kind()
	from := *at
	value := at.Skip()
	if at.Err != nil {
		return
	}
	end := at.Pos
	splice := func(from, to int, with string) {
		if c.read += len(text); c.read > maxRead {
			return
		}
		use(slices.Concat(text[:from], []byte(with), text[to:]))
	}
	if !c.places[place] {
		c.places[place] = true
		for _, with := range insteadOf(kind, string(value)) {
			splice(end-len(value), end, with)
		}
	}
	switch *at = from; kind {
	case jsonspan.Object:
		for at.Object(); at.Key(); {
			inner := place + "." + string(at.Name)
			if name := []byte(`"` + string(at.Name) + `"`); !c.places[inner] {
				if key := bytes.LastIndex(text[:at.Pos], name); key >= 0 {
					splice(key, key+len(name), `"unknown"`)
				}
			}
			c.value(inner, text, at, use)
		}
	case jsonspan.Array:
		for at.Array(); at.More(); {
			element := *at
			c.value(place+"["+keysOf(element.Skip())+"]", text, at, use)
		}
	default:
		at.Skip()
	}
}

// insteadOf is other values for a value.
func insteadOf(kind jsonspan.Kind, value string) []string {
	switch kind {
	case jsonspan.String:
		return []string{`""`, `"x"`, `7`, `[]`}
	case jsonspan.Number:
		return []string{"0", "-1", "1", `"7"`}
	case jsonspan.Object:
		return []string{"{}", `"x"`, "[" + value + "]"}
	case jsonspan.Array:
		return []string{"[]", "{}", `"x"`, "[" + value + "]"}
	}
	return []string{"true", "false", "null", `"x"`}
}

// maxRewritten is the size of the largest sample that Rewritten reads.
const maxRewritten = 16 << 10

// Rewritten writes one sample of each format in other ways, such as inside other records, detects
// those that differ, and compares the matches with a golden file. A line of it has the match and a
// checksum of the facts.
func Rewritten(t *testing.T, golden string, detect func(*model.Sample) (*model.Format, model.Match), ways func(data []byte) [][]byte) {
	t.Helper()
	slugs, err := os.ReadDir(Dir(t))
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for _, slug := range slugs {
		file := Files(t, slug.Name())[0]
		name := filepath.Base(file)
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if s := Sample(name, data); len(data) > maxRewritten || s.Shape != model.Lines && s.Shape != model.Document {
			continue
		}
		for i, written := range ways(data) {
			if bytes.Equal(written, data) {
				continue
			}
			s := Sample(name, written)
			f, m := detect(s)
			fmt.Fprintf(&lines, "%s/%s %d: %s %d variant %d: %s, %08x\n", slug.Name(), name, i, f.Name, m.Score, m.Variant, m.Reason,
				crc32.ChecksumIEEE(Dump(f, m, s, written)))
		}
	}
	modeltest.Golden(t, golden, lines.String())
}
