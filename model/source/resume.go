package source

import (
	"bytes"

	"turns/model/source/disk"
)

// resumeWindow is the number of bytes of a file, at its start and before the resume position, that
// are compared to detect that the file has only grown.
const resumeWindow = 4 << 10

// resume is the read position in a followed file of several documents. If the file has only grown,
// the next run reads only the appended bytes.
type resume struct {
	from       int64 // start of this run
	off        int64 // after the last document that ended with its line; 0: none
	file       *disk.File
	size       int64 // of the file
	places     map[string]int
	head, tail []byte
}

// start sets the start of the next run: the beginning, unless the file has only grown.
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

// reached records that everything before off, which is the end of a line, was read.
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

// left records the state of the file at the end of a run.
func (m *memory) left(f *disk.File) {
	p := &m.resume
	var ok bool
	if p.head, p.tail, ok = windows(f, p.off); !ok {
		p.off = 0
	}
	p.file, p.size = f, f.Size()
}

// windows returns the first bytes of a file, and those before off.
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
