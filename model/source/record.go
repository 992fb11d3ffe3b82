package source

import "bytes"

// A framed record is a line: its list, a tab, its JSON on one line. JSON strings cannot contain raw
// newlines, so a newline is white space, or an error that an escape repairs.

// appendList appends a list's name. It replaces tabs and newlines (of a hostile member name), which
// would break the frame.
func appendList(dst []byte, list string) []byte {
	for i := range len(list) {
		switch b := list[i]; b {
		case '\t', '\n', '\r':
			dst = append(dst, '_')
		default:
			dst = append(dst, b)
		}
	}
	return dst
}

// appendFlat appends JSON without its newlines.
func appendFlat(dst, json []byte) []byte {
	if bytes.IndexByte(json, '\n') < 0 && bytes.IndexByte(json, '\r') < 0 {
		return append(dst, json...)
	}
	var f flattener
	return f.flat(dst, json)
}

// flattener removes newlines from JSON that arrives in pieces: runs of white space with a newline
// become one space, newlines inside strings become escapes.
type flattener struct {
	quoted, escaped, spaced bool
}

func (f *flattener) flat(dst, p []byte) []byte {
	for len(p) > 0 {
		if f.quoted {
			n := f.quotedRun(p)
			dst = appendEscaped(dst, p[:n])
			p = p[n:]
			continue
		}
		n := bytes.IndexByte(p, '"')
		if n < 0 {
			n = len(p)
		} else {
			n++
			f.quoted = true
		}
		dst = f.outside(dst, p[:n])
		p = p[n:]
	}
	return dst
}

// quotedRun returns how many bytes of p, which begins inside a string, belong to the string.
func (f *flattener) quotedRun(p []byte) int {
	for i := 0; i < len(p); {
		if f.escaped {
			f.escaped = false
			i++
			continue
		}
		n := bytes.IndexByte(p[i:], '"')
		run := p[i:]
		if n >= 0 {
			run = p[i : i+n]
		}
		slashes := 0
		for slashes < len(run) && run[len(run)-1-slashes] == '\\' {
			slashes++
		}
		i += len(run)
		switch {
		case slashes%2 == 1:
			f.escaped = true
		case n >= 0:
			f.quoted = false
			return i + 1
		}
	}
	return len(p)
}

func (f *flattener) outside(dst, p []byte) []byte {
	for _, b := range p {
		switch b {
		case '\n', '\r', '\t', ' ':
			f.spaced = true
			continue
		}
		if f.spaced {
			f.spaced = false
			dst = append(dst, ' ')
		}
		dst = append(dst, b)
	}
	return dst
}

func appendEscaped(dst, p []byte) []byte {
	if bytes.IndexByte(p, '\n') < 0 && bytes.IndexByte(p, '\r') < 0 {
		return append(dst, p...)
	}
	for _, b := range p {
		switch b {
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		default:
			dst = append(dst, b)
		}
	}
	return dst
}

// CutRecord splits the line of a record. For many lines, a [Cutter] does it without allocating.
func CutRecord(line []byte) (list string, data []byte) {
	name, data := cut(line)
	return string(name), data
}

func cut(line []byte) (list, data []byte) {
	line = bytes.TrimSuffix(line, []byte{'\n'})
	tab := bytes.IndexByte(line, '\t')
	if tab < 0 {
		return nil, line
	}
	return line[:tab], line[tab+1:]
}

// Cutter splits lines of records. It reuses the names of lists, so that a record costs no
// allocation. The zero value is ready; it is not safe for concurrent use.
type Cutter struct{ lists map[string]string }

// Cut returns the list of a record ("" for none) and its bytes, like CutRecord.
func (c *Cutter) Cut(line []byte) (list string, data []byte) {
	name, data := cut(line)
	if len(name) == 0 {
		return "", data
	}
	if list, ok := c.lists[string(name)]; ok {
		return list, data
	}
	if c.lists == nil || len(c.lists) > 10_000 { // member names of a large folder: start again
		c.lists = make(map[string]string)
	}
	list = string(name)
	c.lists[list] = list
	return list, data
}
