package model

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// marks has the beginnings of a sample's strings, so that testing for a mark is cheap if no string
// begins like it. It is filled on first use.
type marks struct {
	doc     []byte
	records [][]byte
	begun   []uint64 // a set of hashes; nil: not filled yet
}

// For speed only: the number of bytes at the start of marks to compare: of all marks, and of longer
// ones.
const (
	shortMark = 4
	longMark  = 6
	marksBits = 16
)

// Remembering returns a sample that scans itself once for all marks that formats ask for. It is not
// safe for concurrent use.
func (s *Sample) Remembering() *Sample {
	t := *s
	t.marks = &marks{doc: s.Doc, records: s.Records}
	return &t
}

// Has reports whether a mark appears in the document or a record of the sample.
func (s *Sample) Has(mark string) bool {
	if s.Lacks(mark) {
		return false
	}
	if s.Shape == Document {
		return bytes.Contains(s.Doc, []byte(mark))
	}
	return slices.ContainsFunc(s.Records, func(line []byte) bool { return bytes.Contains(line, []byte(mark)) })
}

// Lacks reports whether a mark certainly does not appear in the sample. If it returns false, the
// mark may appear.
func (s *Sample) Lacks(mark string) bool {
	return s.marks != nil && s.marks.of(s) && !s.marks.may(mark)
}

// of reports whether m belongs to the content of the sample: a copied sample may have other
// content.
func (m *marks) of(s *Sample) bool {
	return len(m.doc) == len(s.Doc) && len(m.records) == len(s.Records) &&
		(len(s.Doc) == 0 || &m.doc[0] == &s.Doc[0]) && (len(s.Records) == 0 || &m.records[0] == &s.Records[0])
}

// may reports whether the mark could be in the sample.
func (m *marks) may(mark string) bool {
	if len(mark) < shortMark || mark[0] != '"' {
		return true
	}
	if m.begun == nil {
		m.begun = make([]uint64, 1<<marksBits/64)
		m.fill(m.doc)
		for _, line := range m.records {
			m.fill(line)
		}
	}
	n := shortMark
	if len(mark) >= longMark {
		n = longMark
	}
	var word [8]byte
	copy(word[:], mark[:n])
	h := markHash(binary.LittleEndian.Uint64(word[:]))
	return m.begun[h/64]>>(h%64)&1 == 1
}

// fill adds the bytes after each quotation mark of v.
func (m *marks) fill(v []byte) {
	for at := 0; ; at++ {
		i := bytes.IndexByte(v[at:], '"')
		if i < 0 {
			return
		}
		at += i
		var word uint64
		if at+8 <= len(v) {
			word = binary.LittleEndian.Uint64(v[at:])
		} else {
			var last [8]byte
			copy(last[:], v[at:])
			word = binary.LittleEndian.Uint64(last[:])
		}
		for _, h := range [...]uint64{markHash(word << (64 - 8*shortMark) >> (64 - 8*shortMark)), markHash(word << (64 - 8*longMark) >> (64 - 8*longMark))} {
			m.begun[h/64] |= 1 << (h % 64)
		}
	}
}

// markHash maps the first bytes of a mark to a bit of the set.
func markHash(word uint64) uint64 { return word * 0x9e3779b97f4a7c15 >> (64 - marksBits) }
