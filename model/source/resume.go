package source

import (
	"bytes"

	"turns/model/source/disk"
)

// resumeWindow is how much of a file, at its beginning and before the place where it was left, is
// compared to tell that it has only grown.
const resumeWindow = 4 << 10

// resume is how far a followed file of documents, one after another, was read: of one that has
// only grown no more than what was appended is read.
type resume struct {
	from       int64 // where this run begins
	off        int64 // behind the last document that ended with its line; 0: none did
	file       *disk.File
	size       int64 // of the file
	places     map[string]int
	head, tail []byte
}

// start finds where the next run begins: at the beginning, unless the file has only grown.
func (m *memory) start(f *disk.File) {
	p := &m.resume
	if p.from = 0; p.off == 0 || p.file == nil || !p.file.SameAs(f) || f.Size() <= p.size {
		return
	}
	if head, tail, ok := windows(f, p.off); !ok || !bytes.Equal(head, p.head) || !bytes.Equal(tail, p.tail) {
		return
	}
	p.from = p.off
	for name, at := range p.places {
		m.lists[name].at = at
	}
}

// reached says that all before a place, which ends a line, was read.
func (m *memory) reached(off int64) {
	if m == nil {
		return
	}
	p := &m.resume
	if p.off = off; p.places == nil {
		p.places = map[string]int{}
	}
	for name, l := range m.lists {
		p.places[name] = l.at
	}
}

// left remembers what the file was like when a run came to its end.
func (m *memory) left(f *disk.File) {
	p := &m.resume
	var ok bool
	if p.head, p.tail, ok = windows(f, p.off); !ok {
		p.off = 0
	}
	p.file, p.size = f, f.Size()
}

// windows are the bytes that a file begins with, and those before a place.
func windows(f *disk.File, off int64) (head, tail []byte, ok bool) {
	n := min(off, resumeWindow)
	head, tail = make([]byte, n), make([]byte, n)
	for _, w := range []struct {
		bytes []byte
		at    int64
	}{{head, 0}, {tail, off - n}} {
		if got, _ := f.ReadAt(w.bytes, w.at); got < len(w.bytes) {
			return nil, nil, false
		}
	}
	return head, tail, true
}
