package source

import (
	"bytes"

	"turns/model"
)

// Glance judges a file of lines by the bytes that it begins with, as [Open] does,
// for whoever has read them already: a list of thousands of files opens each but
// once. whole says that the bytes are the whole file; most is how many records are
// looked at, 0 as many as Open would. It is false for what has to be opened to be
// judged: a container, a document, a first record that does not end among these
// bytes.
func Glance(path string, begin []byte, whole bool, most int) (*model.Sample, bool) {
	c := magic(begin[:min(len(begin), 16)])
	switch {
	case len(begin) == 0, c == zipBytes, c == sqliteBytes, c == parquetBytes, c.encoded(),
		!whole && bytes.IndexByte(begin, '\n') < 0:
		return nil, false
	}
	if most == 0 {
		most = SampleRecords
	}
	v := judgeSome(begin, whole, most)
	if v.more && !whole || v.shape != model.Lines {
		return nil, false
	}
	return v.sample(path, begin), true
}

// sample is what a verdict tells the formats. win is what was judged.
func (v *verdict) sample(path string, win []byte) *model.Sample {
	s := &model.Sample{Path: path, Shape: v.shape, Records: v.records, Bad: v.bad, Doc: v.doc, Whole: v.whole}
	if v.shape == model.Document && !v.whole {
		s.Doc = closed(v.doc)
	}
	if v.shape == model.Prose || v.shape == model.Lines {
		s.Text = skipPreface(win)
	}
	return s
}

// Compressed reports whether a file that begins with these bytes is a compressed
// stream, whose size says little of what it holds.
func Compressed(begin []byte) bool { return magic(begin[:min(len(begin), 16)]).encoded() }

// IsDatabase reports whether a file that begins with these bytes is a database of
// SQLite.
func IsDatabase(begin []byte) bool { return magic(begin[:min(len(begin), 16)]) == sqliteBytes }
