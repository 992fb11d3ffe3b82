package redact

import "bytes"

// The places in which a name and its value are not joined by a sign: lines of a manifest, elements
// of a property list, elements of a list, cells of a table, words of a command or a sentence.

// placed returns the value that is placed behind a name which ends at end, where i is the next that
// is not blank. ok is false if there is no such place.
func (s *scan) placed(begin, end, i int, n *name) (start, stop int, ok bool) {
	switch {
	case s.endsLine(i):
		return s.nextLine(begin, i, n)
	case i == end && s.tag(i, "/key") > 0: // of a property list
		i = s.white(i + s.tag(i, "/key"))
		if width := s.tag(i, "string"); width > 0 {
			n.value = true
			return s.element(i + width)
		}
	case s.bar(i) > 0 && s.cell(begin):
		return s.cellValue(i+s.bar(i), n)
	case i > end && !n.quoted && (s.follows(begin, "setenv ", "configure set ") || s.follows(begin, "set ", "SET ") && kindsOf(n.text).lower == 0):
		n.env, n.tight = true, true
		return s.valueAt(i, n)
	case i > end && !n.quoted:
		return s.said(i, n)
	}
	return 0, 0, false
}

// said is the value of a sentence: the password is …
func (s *scan) said(i int, n *name) (start, stop int, ok bool) {
	t := s.text
	for _, verb := range [...]string{"is: ", "was: ", "is ", "was "} {
		if !hasFold(t[i:], verb) || hasFold(t[i+len(verb):], "not ") {
			continue
		}
		return s.valueAt(s.blank(i+len(verb)), n)
	}
	return 0, 0, false
}

// endsLine reports whether a line ends at i, be it in a text that is quoted in JSON.
func (s *scan) endsLine(i int) bool {
	t := s.text
	return t[i] == '\n' || t[i] == '\r' || t[i] == '\\' && i+1 < len(t) && (t[i+1] == 'n' || t[i+1] == 'r')
}

// nextLine is the value on the line after a name: of "value:" in a manifest, or what printenv wrote.
func (s *scan) nextLine(begin, i int, n *name) (start, stop int, ok bool) {
	from := begin
	for from > 0 && (quote(s.text[from-1]) || s.text[from-1] == '\\') {
		from--
	}
	i = s.white(i)
	switch {
	case s.follows(from, "name: ", "key: ") && hasFold(s.text[i:], "value:"):
		i = s.blank(i + len("value:"))
	case s.follows(from, "printenv "):
	default:
		return 0, 0, false
	}
	if i == len(s.text) {
		return 0, 0, false
	}
	n.env, n.tight, n.quoted = true, true, false
	return s.valueAt(i, n)
}

// bar is the length of the sign between two cells of a table that begins at i, 0 for none.
func (s *scan) bar(i int) int {
	for _, sign := range [...]string{"|", "│", "┃", "║"} {
		if bytes.HasPrefix(s.text[i:], []byte(sign)) {
			return len(sign)
		}
	}
	return 0
}

// cell reports whether a name begins a cell of a table: a sign or the beginning of a line is
// before it.
func (s *scan) cell(begin int) bool {
	for i := begin; i > 0 && begin-i < 8; i-- {
		switch c := s.text[i-1]; {
		case c == ' ' || c == '`' || c == '*':
		default:
			return c == '|' || c == '\n' || bytes.HasSuffix(s.text[:i], []byte("│")) || bytes.HasSuffix(s.text[:i], []byte("┃")) || bytes.HasSuffix(s.text[:i], []byte("║"))
		}
	}
	return false
}

// cellValue is the text of the cell that begins at i, if it is one word.
func (s *scan) cellValue(i int, n *name) (start, stop int, ok bool) {
	for i = s.blank(i); i < len(s.text) && s.text[i] == '`'; i++ {
		n.tight = true
	}
	stop = i
	for stop < len(s.text) && is(s.text[stop], bare) && s.bar(stop) == 0 {
		stop++
	}
	after := stop
	for after < len(s.text) && s.text[after] == '`' {
		after++
	}
	if after = s.blank(after); after < len(s.text) && s.bar(after) == 0 && s.text[after] != '\n' {
		return 0, 0, false
	}
	n.tight, n.line = true, true
	return i, stop, true
}

// nextElement steps from the comma after a quoted name to the value behind it in a list of two, or
// behind an option in a list of words, or returns -1.
func (s *scan) nextElement(begin, comma int) int {
	t := s.text
	i := begin
	for i > 0 && (quote(t[i-1]) || t[i-1] == '\\') {
		i--
	}
	for i > 0 && (t[i-1] == ' ' || t[i-1] == '\n' || t[i-1] == '\t') {
		i--
	}
	if i == 0 || t[i-1] != '[' && (t[i-1] != ',' || t[begin] != '-') {
		return -1
	}
	return s.white(comma + 1)
}

// unmarked cuts a value before what ends it in a text that is not its own: a closing tag, an
// ellipsis where it was cut, a byte that could not be read, a colour.
func unmarked(v []byte) []byte {
	for _, end := range [...]string{"</", `\u003c`, "…", "\uFFFD", "\x1b", "␛", "\u2028"} {
		if i := bytes.Index(v, []byte(end)); i > 0 {
			v = v[:i]
		}
	}
	return v
}
