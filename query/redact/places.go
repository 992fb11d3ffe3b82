package redact

import "bytes"

// The forms in which no sign joins a name and its value: lines of a manifest, elements of a
// property list or of a list, cells of a table, words of a command or a sentence.

// placed returns the value of a name in such a form. The name ends at end, and i is the next
// non-blank. ok is false if there is no value.
func (s *scan) placed(begin, end, i int, n *name) (start, stop int, ok bool) {
	switch {
	case s.endsLine(i), hasFold(s.text[i:], "value:"), i > end && s.follows(begin, "printenv "): // a title ends there
		return s.nextLine(begin, i, n)
	case i == end && s.tag(i, "/key") > 0: // in a property list
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
		return s.sentenceValue(i, n)
	}
	return 0, 0, false
}

// sentenceValue returns the value in a sentence: the password is …
func (s *scan) sentenceValue(i int, n *name) (start, stop int, ok bool) {
	t := s.text
	for _, verb := range [...]string{"is: ", "was: ", "is ", "was "} {
		if !hasFold(t[i:], verb) || hasFold(t[i+len(verb):], "not ") {
			continue
		}
		return s.valueAt(s.blank(i+len(verb)), n)
	}
	return 0, 0, false
}

// endsLine reports whether a line ends at i, including lines of a text quoted in JSON.
func (s *scan) endsLine(i int) bool {
	t := s.text
	return t[i] == '\n' || t[i] == '\r' || t[i] == '\\' && i+1 < len(t) && (t[i+1] == 'n' || t[i+1] == 'r')
}

// nextLine returns the value on the line after a name: of "value:" in a manifest, or the output of
// printenv.
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

// bar returns the length of the sign between two table cells at i, 0 if there is none.
func (s *scan) bar(i int) int {
	for _, sign := range [...]string{"|", "│", "┃", "║"} {
		if bytes.HasPrefix(s.text[i:], []byte(sign)) {
			return len(sign)
		}
	}
	return 0
}

// cell reports whether a name begins a table cell: a cell sign or the beginning of a line precedes
// it.
func (s *scan) cell(begin int) bool {
	for i := begin; i > 0 && begin-i < 8; i-- {
		switch s.text[i-1] {
		case ' ', '`', '*':
		default:
			return s.follows(i, "|", "\n", `\n`, "│", "┃", "║")
		}
	}
	return false
}

// cellValue returns the text of the cell at i if it is one word.
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
	if after = s.blank(after); after < len(s.text) && s.bar(after) == 0 && !s.endsLine(after) {
		return 0, 0, false
	}
	n.tight, n.line = true, true
	return i, stop, true
}

// maxTable is the number of bytes after its header to which the scan follows a table column.
const maxTable = 8 << 10

// table returns the text up to the limit of a table, and to the end of a value there.
func (s *scan) table(end int) []byte {
	stop := min(len(s.text), end+maxTable)
	for most := min(len(s.text), stop+maxBare); stop < most && is(s.text[stop], bare); {
		stop++
	}
	return s.text[:stop]
}

// column finds the values below a column header that names a secret, in a Markdown table or a drawn
// one.
func (s *scan) column(begin, end int, a *anchor) {
	t := s.table(end)
	i := s.blank(end)
	if s.cell(begin) && s.columnOfTitle(end, a) {
		return
	}
	if !s.cell(begin) || i < len(t) && s.bar(i) == 0 && !s.endsLine(i) && t[i] != '`' && t[i] != '*' {
		return
	}
	line, at := "\n", bytes.IndexByte(t[end:], '\n')
	if n := bytes.Index(t[end:], []byte(`\n`)); n >= 0 && (at < 0 || n < at) {
		line, at = `\n`, n
	}
	if at < 0 {
		return
	}
	head := max(0, begin-400)
	if n := bytes.LastIndex(t[head:begin], []byte(line)); n >= 0 {
		head += n + len(line)
	}
	column := len(s.bars(head, begin))
	ruled := false
	for from := end + at + len(line); from < len(t); {
		to := len(t)
		if n := bytes.Index(t[from:], []byte(line)); n >= 0 {
			to = from + n
		}
		rule := len(bytes.Trim(t[from:to], "|-:+ ─━│┼├┤═╪║┃\r")) == 0
		if rule == ruled || to-from < 3 {
			return // not a table, or its end
		}
		if rule {
			ruled = true
		} else {
			s.cellOf(from, to, column, a)
		}
		from = to + len(line)
	}
}

// bars returns the positions after the signs between the cells of a line.
func (s *scan) bars(from, to int) (at []int) {
	for i := from; i < to; i++ {
		if n := s.bar(i); n > 0 {
			at = append(at, i+n)
			i += n - 1
		}
	}
	return at
}

// cellOf finds the value in one column of a line.
func (s *scan) cellOf(from, to, column int, a *anchor) {
	bars := append([]int{from}, s.bars(from, to)...)
	if column >= len(bars) {
		return
	}
	start, end := bars[column], to
	for i := start; i < to; i++ {
		if s.bar(i) > 0 {
			end = i
			break
		}
	}
	s.takeCell(start, end, a)
}

// takeCell reports the value between two signs of a table.
func (s *scan) takeCell(start, end int, a *anchor) {
	v := bytes.Trim(s.text[start:end], " `*\t\r")
	start += bytes.Index(s.text[start:end], v)
	for _, c := range v {
		if !is(c, bare) {
			return
		}
	}
	if k := kindsOf(v); len(v) >= 8 && k.digit > 0 && k.lower+k.upper > 1 && random(v) && !placeholder(v) {
		s.hit(start, start+len(v), a)
	}
}

// columnOfTitle is column for a table whose lines were joined with spaces, as in titles. It returns
// false if there is no such table.
func (s *scan) columnOfTitle(end int, a *anchor) bool {
	t := s.table(end)
	if n := bytes.IndexByte(t[end:], '\n'); n >= 0 {
		t = t[:end+n]
	}
	for _, rule := range [...]string{"| |-", "| |:-", "│ ├─"} {
		at := bytes.Index(t[end:], []byte(rule))
		if at < 0 {
			continue
		}
		from := end + at + len(rule)
		to := from
		for to < len(t) && t[to] != ' ' {
			to++
		}
		columns := bytes.Count(t[from:to], []byte("|")) + bytes.Count(t[from:to], []byte("┼")) + bytes.Count(t[from:to], []byte("┤"))
		column := columns - len(s.bars(end, end+at+1))
		// There is an empty cell between two lines.
		bars := s.bars(to, len(t))
		for i := column; column >= 0 && i+1 < len(bars); i += columns + 1 {
			s.takeCell(bars[i], s.barBefore(bars[i+1]), a)
		}
		return true
	}
	return false
}

// barBefore returns the position of the sign that ends at i.
func (s *scan) barBefore(i int) int {
	if s.text[i-1] == '|' {
		return i - 1
	}
	return i - len("│")
}

// nextElement returns the position of the value after a quoted name in a list of two, or after an
// option in a list of words; comma is the position before it. It returns -1 if there is none.
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

// unmarked cuts a value before signs of the surrounding text: a closing tag, an ellipsis, an
// unreadable byte, a colour.
func unmarked(v []byte) []byte {
	for _, end := range [...]string{"</", `\u003c`, "…", "\uFFFD", "\x1b", "␛", "\u2028"} {
		if i := bytes.Index(v, []byte(end)); i > 0 {
			v = v[:i]
		}
	}
	return v
}
