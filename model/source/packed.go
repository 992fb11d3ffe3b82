package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// maxDepth is the maximum nesting of archives.
const maxDepth = 3

// packed returns the members of an archive that form its only transcript: the conversations of an
// account's export, which may be split into several documents, or the one packed file. It returns
// nil if the format has to select the members.
func packed(names []string) []string {
	var exported, all []string
	for _, name := range names {
		base := path.Base(name)
		switch {
		case strings.HasPrefix(name, "__MACOSX/"), strings.HasPrefix(base, "."):
		case isConversations(base):
			exported = append(exported, name)
			fallthrough
		default:
			all = append(all, name)
		}
	}
	switch {
	case len(exported) > 0:
		slices.Sort(exported)
		return exported
	case len(all) == 1 && !strings.HasPrefix(all[0], "_"):
		return all
	}
	return nil
}

// isConversations reports whether a name is conversations.json or of the form
// conversations-000.json.
func isConversations(base string) bool {
	rest, ok := strings.CutPrefix(base, "conversations")
	if !ok {
		return false
	}
	if rest, ok = strings.CutSuffix(rest, ".json"); !ok {
		return false
	}
	return rest == "" || rest[0] == '-' && len(rest) > 1 && strings.Trim(rest[1:], "0123456789") == ""
}

// unpack reads members of an archive as if they were the file.
func (s *Source) unpack(a *archive, names []string) {
	if len(names) == 1 {
		s.fill(&memberReader{open: func() (io.ReadCloser, error) { return a.open(names[0]) }, name: names[0]})
		return
	}
	j := &listJoiner{}
	for _, name := range names {
		j.members = append(j.members, &memberReader{open: func() (io.ReadCloser, error) { return a.open(name) }, name: name})
	}
	s.fill(j)
}

// tryUnpack reads an archive's only transcript. It returns false if the archive has more.
func (s *Source) tryUnpack(ctx context.Context, a *archive) bool {
	names, err := a.names(ctx)
	if err != nil {
		return false
	}
	if names = packed(names); names == nil || s.depth >= maxDepth {
		return false
	}
	s.depth++
	s.unpack(a, names)
	return true
}

// memberReader opens a member at the first read.
type memberReader struct {
	open func() (io.ReadCloser, error)
	name string
	r    io.ReadCloser
}

func (m *memberReader) Read(p []byte) (int, error) {
	if m.r == nil {
		r, err := m.open()
		if err != nil {
			return 0, fmt.Errorf("read %q: %w", m.name, err)
		}
		m.r = r
	}
	n, err := m.r.Read(p)
	if err == io.EOF {
		m.r.Close()
	} else if err != nil {
		err = fmt.Errorf("read %q: %w", m.name, err)
	}
	return n, err
}

// listJoiner reads several documents that are lists as one list. A document that is not a list
// stays as it is.
type listJoiner struct {
	members []*memberReader
	out     []byte // pending output
	held    []byte // a closing bracket, perhaps that of the list, and the bytes after it
	begun   bool   // some of this member was read
	opened  bool   // the joined list was opened
	inside  bool   // this member is a list
	filled  bool   // an element was output
	// this member's next element needs a comma before it
	separate bool
	err      error
}

func (j *listJoiner) Read(p []byte) (int, error) {
	for len(j.out) == 0 && j.err == nil {
		j.fill()
	}
	n := copy(p, j.out)
	j.out = j.out[n:]
	if n == 0 {
		return 0, j.err
	}
	return n, nil
}

func (j *listJoiner) fill() {
	if len(j.members) == 0 {
		if j.err = io.EOF; j.opened {
			j.out, j.opened = append(j.out, "]\n"...), false
		}
		return
	}
	buf := make([]byte, 32<<10)
	n, err := j.members[0].Read(buf)
	j.take(buf[:n])
	switch {
	case errors.Is(err, io.EOF):
		if !j.inside {
			j.out = append(append(j.out, j.held...), '\n')
		}
		j.held, j.begun, j.inside = nil, false, false
		j.members = j.members[1:]
	case err != nil:
		j.err = err
	}
}

// take adds bytes of a member to the output.
func (j *listJoiner) take(b []byte) {
	if !j.begun {
		if b = skipPreface(b); len(b) == 0 {
			return
		}
		j.begun = true
		if j.inside = b[0] == '[' && (j.opened || !j.filled); j.inside {
			b = b[1:]
			if !j.opened {
				j.out, j.opened = append(j.out, '['), true
				j.filled = false
			}
			j.separate = j.filled
		}
	}
	if !j.inside {
		j.out, j.filled = append(j.out, b...), true
		return
	}
	b = append(j.held, b...)
	j.held = nil
	if i := bytes.LastIndexByte(b, ']'); i >= 0 && len(bytes.TrimSpace(b[i+1:])) == 0 {
		j.held, b = bytes.Clone(b[i:]), b[:i]
	}
	if len(bytes.TrimSpace(b)) > 0 {
		if j.separate {
			j.out, j.separate = append(j.out, ','), false
		}
		j.filled = true
	}
	j.out = append(j.out, b...)
}
