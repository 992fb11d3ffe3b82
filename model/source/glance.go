package source

import (
	"bytes"
	"cmp"

	"turns/model"
)

// Glance makes the sample of a file of lines from its first bytes, as [Open] does, for callers that
// have read them already: a list of thousands of files opens each only once. whole means that the
// bytes are the complete file; most is the number of records to read, 0 for as many as Open reads.
// It returns false if only Open can judge: for a container, a document, or a first record that does
// not end in these bytes.
func Glance(path string, begin []byte, whole bool, most int) (*model.Sample, bool) {
	c := magic(begin[:min(len(begin), 16)])
	switch {
	case len(begin) == 0, c == zipBytes, c == sqliteBytes, c == parquetBytes, c.encoded(),
		!whole && bytes.IndexByte(begin, '\n') < 0:
		return nil, false
	}
	most = cmp.Or(most, SampleRecords)
	v := judgeSome(begin, whole, most)
	if v.more && !whole || v.shape != model.Lines {
		return nil, false
	}
	return v.sample(path, begin), true
}

// sample makes the sample for the formats from a verdict on the bytes in win.
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

// Compressed reports whether a file with these first bytes is a compressed stream, whose size does
// not show the size of its content.
func Compressed(begin []byte) bool { return magic(begin[:min(len(begin), 16)]).encoded() }

// IsDatabase reports whether a file that begins with these bytes is a SQLite database.
func IsDatabase(begin []byte) bool { return magic(begin[:min(len(begin), 16)]) == sqliteBytes }
