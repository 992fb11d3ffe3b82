package redact

import (
	"bytes"
	"slices"
)

// The forms in which languages write a name and its value, other than name = "value".

// assigns reports whether an assignment operator is at i: ?= += .= ||=
func (s *scan) assigns(i int) bool {
	for _, op := range [...]string{"?=", "+=", ".=", "||=", "??="} {
		if bytes.HasPrefix(s.text[i:], []byte(op)) {
			return true
		}
	}
	return false
}

// quotedOnly returns the value at i if it is quoted.
func (s *scan) quotedOnly(i int, n *name) (start, stop int, ok bool) {
	start, stop, ok = s.valueAt(s.blank(i), n)
	return start, stop, ok && n.value
}

// typed skips the type of a declaration and its = and returns the start of the value, or -1.
func (s *scan) typed(i int) int {
	t := s.text
	j := i
	for j < len(t) && j-i < 40 && (is(t[j], dotted) || bytes.IndexByte([]byte("[]*<>?"), t[j]) >= 0) {
		j++
	}
	if k := s.blank(j); j > i && k > j && k < len(t) && t[k] == '=' {
		return k + 1
	}
	return -1
}

// secondArgument returns the start of the argument after a quoted name in a call of a setter, or
// -1. comma is the comma after the name's quote.
func (s *scan) secondArgument(begin, comma int) int {
	t := s.text
	i := begin - 1 // the quote
	for i > 0 && t[i-1] == '\\' {
		i--
	}
	if i < 1 || t[i-1] != '(' {
		return -1
	}
	end := i - 1
	for i = end; i > 0 && end-i < 40 && is(t[i-1], word); {
		i--
	}
	if !settingWords.in(t[i:end]) {
		return -1
	}
	i = s.blank(comma + 1)
	for j := i; j < len(t) && j-i < 16; j++ {
		if quote(t[j]) {
			return i
		}
		if t[j] != '\\' {
			break
		}
	}
	return -1
}

var settingWords = newWordSet("set", "put", "define", "add", "env", "property", "header", "insert", "append", "store", "with", "config")

// setter reports whether a function's name is that of a setter.
func setter(name []byte) bool {
	return hasFold(name, "set") || hasFold(name, "with") || hasFold(name, "add")
}

func hasFold(t []byte, lit string) bool {
	return len(t) >= len(lit) && bytes.EqualFold(t[:len(lit)], []byte(lit))
}

// follows reports whether one of the texts ends where the name begins.
func (s *scan) follows(begin int, texts ...string) bool {
	return slices.ContainsFunc(texts, func(before string) bool { return bytes.HasSuffix(s.text[:begin], []byte(before)) })
}

// beginsLine reports whether only white space and a list mark precede i in its line.
func (s *scan) beginsLine(i int) bool {
	for n := 0; i > 0 && n < 64; n++ {
		switch c := s.text[i-1]; {
		case c == '\n':
			return true
		case c == 'n' && i > 1 && s.text[i-2] == '\\':
			return true
		case c != ' ' && c != '\t' && c != '-':
			return false
		}
		i--
	}
	return i == 0
}

// element returns the text of an XML element that begins at i, without surrounding white space.
func (s *scan) element(i int) (start, stop int, ok bool) {
	start = s.white(i)
	for stop = start; stop < len(s.text) && stop-start < 1000 && bytes.IndexByte([]byte("<\"\\\n"), s.text[stop]) < 0 && s.tagSign(stop, '<') == 0; {
		stop++
	}
	end := s.white(stop)
	for stop > start && s.text[stop-1] == ' ' {
		stop--
	}
	return start, stop, s.tagSign(end, '<') > 0
}

// white skips white space, including escaped white space.
func (s *scan) white(i int) int {
	t := s.text
	for from := i; i < len(t) && i-from < 80; i++ {
		switch {
		case t[i] == ' ' || t[i] == '\t' || t[i] == '\n' || t[i] == '\r':
		case t[i] == '\\' && i+1 < len(t) && bytes.IndexByte([]byte("\\nrt"), t[i+1]) >= 0:
			if t[i+1] != '\\' {
				i++
			}
		default:
			return i
		}
	}
	return i
}
