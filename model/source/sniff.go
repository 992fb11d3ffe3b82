package source

import (
	"bytes"
	"unicode/utf8"

	"turns/model"
	"turns/model/jsonspan"
)

// SampleRecords is the number of records in a sample.
const SampleRecords = 60

// verdict is the judgement of a window.
type verdict struct {
	shape   model.Shape
	records [][]byte
	bad     int
	doc     []byte
	whole   bool
	more    bool // a larger window could change the verdict
}

// judge recognises a stream that begins with win; whole means that win is the entire stream.
func judge(win []byte, whole bool) verdict { return judgeSome(win, whole, SampleRecords) }

// judgeSome is judge with at most most records.
func judgeSome(win []byte, whole bool, most int) verdict {
	text := skipPreface(win)
	if len(text) == 0 {
		v := verdict{more: !whole}
		if whole && bytes.IndexByte(win, 0) >= 0 { // left by a crash
			v.shape = model.Binary
		}
		return v
	}
	if manyObjects(text) {
		return judgeLines(text, whole, most)
	}
	if text[0] == '{' || text[0] == '[' {
		if v, ok := judgeJSON(text, whole, most); ok {
			return v
		}
	}
	return judgeLines(text, whole, most)
}

// manyObjects reports whether text begins with a one-line object followed by another value, as
// nearly all transcripts do. It saves judgeJSON a walk through the object.
func manyObjects(text []byte) bool {
	n := bytes.IndexByte(text, '\n')
	if n < 0 || text[0] != '{' {
		return false
	}
	_, more, err := jsonspan.Cut(text[:n])
	next := bytes.TrimLeft(text[n:], " \t\r\n\x00")
	return err == nil && len(bytes.TrimLeft(more, " \t\r\x00")) == 0 && len(next) > 0 && (next[0] == '{' || next[0] == '[')
}

// skipPreface drops a byte order mark, NUL bytes, white space and comment lines.
func skipPreface(b []byte) []byte {
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	for {
		b = bytes.TrimLeft(b, " \t\r\n\x00")
		if !bytes.HasPrefix(b, []byte("//")) {
			return b
		}
		n := bytes.IndexByte(b, '\n')
		if n < 0 {
			return nil
		}
		b = b[n+1:]
	}
}

// judgeJSON judges a stream that begins with a bracket. It returns false if the bracket only begins
// a line of text, or one of many lines.
func judgeJSON(text []byte, whole bool, most int) (verdict, bool) {
	c := jsonspan.New(text)
	walk(&c)
	value := text[:c.Pos]
	cutOff := c.Err != nil && (c.Pos >= len(bytes.TrimRight(text, " \t\r\n\x00")) || cutString(&c))
	if c.Err != nil && !cutOff {
		return verdict{}, false // damaged or not JSON: judge by the lines
	}
	line := bytes.IndexByte(text, '\n')
	if cutOff {
		switch {
		case line >= 0 && line < len(text)-1 && brokenLine(text[:line]):
			return verdict{}, false
		case line < 0 && !whole:
			return verdict{shape: model.Document, doc: text, more: true}, true
		// a line that is still being written, or a truncated document
		case line < 0 && text[0] == '{':
			return verdict{shape: model.Lines, bad: 1, doc: text}, true
		}
		return verdict{shape: model.Document, doc: text}, true
	}
	rest := bytes.TrimLeft(text[len(value):], " \t\r\n\x00")
	oneLine := bytes.IndexByte(value, '\n') < 0
	switch {
	case oneLine && len(rest) > 0 && (rest[0] == '{' || rest[0] == '[') && text[0] == '{',
		oneLine && len(rest) > 0 && rest[0] == '[':
		v := judgeLines(text, whole, most)
		return v, true
	case oneLine && text[0] == '{' && len(rest) > 0:
		return verdict{}, false // an object, then text
	case oneLine && text[0] == '{':
		v := verdict{shape: model.Lines, records: [][]byte{value}, more: !whole && line < 0}
		if whole {
			v.doc, v.whole = value, true
		}
		return v, true
	case text[0] == '[' && len(rest) > 0 && oneLine && !jsonStart(rest[0]):
		return verdict{}, false // "[12] text"
	}
	v := verdict{shape: model.Document, doc: text, whole: whole && len(rest) == 0}
	if v.whole {
		v.doc = value
	}
	return v, true
}

// cutString reports whether reading ended in a string that the end of the text cuts off: strings do
// not continue after the end of their line.
func cutString(c *jsonspan.Cursor) bool {
	msg := c.Err.(*jsonspan.SyntaxError).Msg
	return (msg == "unterminated string" || msg == "unterminated key") && bytes.IndexByte(c.Buf[min(c.Pos, len(c.Buf)):], '\n') < 0
}

func jsonStart(b byte) bool { return b == '{' || b == '[' || b == '/' || b == ',' }

// brokenLine reports whether a line ends inside a string: a line of multi-line JSON never does, a
// damaged line of JSON Lines may.
func brokenLine(line []byte) bool {
	c := jsonspan.New(line)
	c.Skip()
	return c.Err != nil && c.Err.(*jsonspan.SyntaxError).Msg == "unterminated string"
}

// walk reads a value down to its scalars, so that text in brackets is not mistaken for JSON.
func walk(c *jsonspan.Cursor) {
	switch c.Kind() {
	case jsonspan.Object:
		for c.Object(); c.Key(); {
			walk(c)
		}
	case jsonspan.Array:
		for c.Array(); c.More(); {
			walk(c)
		}
	default:
		c.Skip()
	}
}

// judgeLines judges text by its lines, until it has the wanted number of records.
func judgeLines(text []byte, whole bool, most int) verdict {
	var v verdict
	lines := 0
	for rest := text; len(rest) > 0 && len(v.records) < most; {
		line := rest
		if n := bytes.IndexByte(rest, '\n'); n >= 0 {
			line, rest = rest[:n], rest[n+1:]
		} else if rest = nil; !whole {
			break // the window cuts the last line
		}
		line = bytes.Trim(line, " \t\r\x00")
		if len(line) == 0 || bytes.HasPrefix(line, []byte("//")) {
			continue
		}
		lines++
		if start, end := FindJSON(line); end > start {
			v.records = append(v.records, line[start:end])
		} else {
			v.bad++
		}
	}
	switch {
	case len(v.records) == 0 && notText(text):
		v.shape = model.Binary
	case len(v.records)*8 < lines || len(v.records) == 0 && text[0] != '{':
		v.shape = model.Prose
		// A log may begin with a page of text before its first record.
		v.more = !whole && len(v.records) == 0
	default:
		v.shape = model.Lines
		v.more = !whole && len(v.records) == 0
	}
	return v
}

// FindJSON finds the first JSON object, or list of objects, on a line, after any prefix from a CI
// system, a container or a terminal. It returns a list with objects at any depth in full. It
// returns 0, 0 if there is none.
func FindJSON(line []byte) (start, end int) {
	const maxPrefix, maxTries = 1 << 10, 8
	if len(line) > 0 && line[0] == '[' && bytes.IndexByte(line, '{') > 0 {
		if v, rest, err := jsonspan.Cut(line); err == nil && len(bytes.TrimRight(rest, " \t\r\x00")) == 0 && holdsObjects(v) {
			return 0, len(v)
		}
	}
	for tries, at := 0, 0; tries < maxTries && at < len(line) && at <= maxPrefix; at++ {
		if b := line[at]; b != '{' && (b != '[' || at > 0) {
			continue
		}
		next := bytes.TrimLeft(line[at+1:min(len(line), at+64)], " \t")
		if len(next) == 0 || line[at] == '{' && next[0] != '"' && next[0] != '}' || line[at] == '[' && next[0] != '{' {
			continue
		}
		tries++
		if v, rest, err := jsonspan.Cut(line[at:]); err == nil && len(v) > 2 {
			return at, len(line) - len(rest)
		}
	}
	return 0, 0
}

// maxNested limits the nesting of lists around records.
const maxNested = 4

// holdsObjects reports whether a list has an object, directly or in the lists at its beginning.
func holdsObjects(list []byte) bool {
	for range maxNested {
		var inner []byte
		for v := range jsonspan.List(list) {
			switch jsonspan.KindOf(v) {
			case jsonspan.Object:
				return true
			case jsonspan.Array:
				if inner == nil {
					inner = v
				}
			}
		}
		list = inner
	}
	return false
}

// notText reports whether text is binary: NUL bytes inside, or much invalid UTF-8.
func notText(text []byte) bool {
	text = bytes.TrimRight(text[:min(len(text), 8<<10)], "\x00")
	if bytes.IndexByte(text, 0) >= 0 {
		return true
	}
	bad := 0
	for b := text; len(b) > 0; {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 || r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != 0x1b {
			bad++
		}
		b = b[n:]
	}
	return bad*10 > len(text)
}
