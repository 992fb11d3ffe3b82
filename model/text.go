package model

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// Encoding is how the bytes of a [Text] are encoded in their record.
type Encoding uint8

// The encodings of a Text. Absent is the zero value: the record does not have the text.
const (
	Absent     Encoding = iota
	Null                // JSON null or an equivalent
	Plain               // literal bytes
	JSONString          // the inside of a JSON string, escapes unresolved
	JSONValue           // any JSON value except a string; its text is its source
)

// Text is a span of a record with its encoding. It is decoded only by Append, so that the index is
// made without touching text.
type Text struct {
	raw []byte
	enc Encoding
}

// PlainText returns a text of literal bytes. b must not be written to afterwards.
func PlainText(b []byte) Text { return Text{b, Plain} }

// StringText returns s as a literal text. It makes no copy, because the bytes of a text are never
// written.
func StringText(s string) Text { return Text{unsafe.Slice(unsafe.StringData(s), len(s)), Plain} }

// EscapedText returns the text of the inside of a JSON string, between its quotes.
func EscapedText(inside []byte) Text { return Text{inside, JSONString} }

// NullText returns a text recorded as null: empty, but distinct from an empty string.
func NullText() Text { return Text{enc: Null} }

// ValueText returns the text of a raw JSON value: a string's inside, null's null text, or the
// source.
func ValueText(v []byte) Text {
	switch {
	case len(v) == 0:
		return Text{}
	case v[0] == '"' && len(v) >= 2:
		return Text{v[1 : len(v)-1], JSONString}
	case v[0] == 'n':
		return Text{enc: Null}
	}
	return Text{v, JSONValue}
}

// Encoding returns how the text is recorded.
func (t Text) Encoding() Encoding { return t.enc }

// Raw returns the recorded bytes, in the text's encoding.
func (t Text) Raw() []byte { return t.raw }

// Absent reports whether the record does not have the text.
func (t Text) Absent() bool { return t.enc == Absent }

// IsNull reports whether the text was absent or recorded as null.
func (t Text) IsNull() bool { return t.enc <= Null }

// Empty reports whether the text has no bytes.
func (t Text) Empty() bool { return len(t.raw) == 0 }

// Blank reports whether the text is only white space, as far as it shows without decoding more than
// a few escapes.
func (t Text) Blank() bool {
	raw := t.raw
	for len(raw) > 0 {
		switch c := raw[0]; {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			raw = raw[1:]
		case t.enc == JSONString && c == '\\' && len(raw) > 1 && (raw[1] == 'n' || raw[1] == 't' || raw[1] == 'r'):
			raw = raw[2:]
		default:
			return false
		}
	}
	return true
}

// Size returns the number of recorded bytes: an upper bound of the decoded size.
func (t Text) Size() int { return len(t.raw) }

// Hash returns the Key of the recorded bytes.
func (t Text) Hash() Key { return Hash(t.raw) }

// Is reports whether the recorded bytes equal s, which must need no escaping.
func (t Text) Is(s string) bool { return string(t.raw) == s }

// HasPrefix reports whether the recorded bytes begin with s, which must need no escaping.
func (t Text) HasPrefix(s string) bool {
	return len(t.raw) >= len(s) && string(t.raw[:len(s)]) == s
}

// Contains reports whether the recorded bytes contain s, which must need no escaping.
func (t Text) Contains(s string) bool { return bytes.Contains(t.raw, []byte(s)) }

// Cut returns the recorded bytes [from, to) as a text. The caller must not cut an escape.
func (t Text) Cut(from, to int) Text { return Text{t.raw[from:to], t.enc} }

// TrimSpace returns the text without white space, escaped or not, at both ends.
func (t Text) TrimSpace() Text {
	raw := t.raw
	for {
		trimmed := bytes.TrimSpace(raw)
		if t.enc == JSONString {
			for len(trimmed) > 1 && trimmed[0] == '\\' && bytes.IndexByte([]byte("ntr"), trimmed[1]) >= 0 {
				trimmed = trimmed[2:]
			}
			for escapedSpaceEnds(trimmed) {
				trimmed = trimmed[:len(trimmed)-2]
			}
		}
		if len(trimmed) == len(raw) {
			return Text{trimmed, t.enc}
		}
		raw = trimmed
	}
}

// escapedSpaceEnds reports whether the inside of a JSON string ends with \n, \t or \r. After an
// even number of backslashes, the letter is a letter.
func escapedSpaceEnds(raw []byte) bool {
	end := len(raw) - 1
	if end < 1 || bytes.IndexByte([]byte("ntr"), raw[end]) < 0 {
		return false
	}
	return (end-len(bytes.TrimRight(raw[:end], `\`)))%2 == 1
}

// Append adds the decoded text to dst. Lone surrogates of JSON become U+FFFD; invalid UTF-8
// remains unchanged.
func (t Text) Append(dst []byte) []byte {
	if t.enc != JSONString {
		return append(dst, t.raw...)
	}
	return appendUnescaped(dst, t.raw)
}

// AppendBegin adds the decoded text to dst as Append does. If the text is much longer than
// size, it adds only its beginning, more than size bytes.
func (t Text) AppendBegin(dst []byte, size int) []byte {
	// no escape has more than six bytes for one; the last may be cut
	if most := 8*size + 32; len(t.raw) > most {
		t.raw = t.raw[:most]
	}
	return t.Append(dst)
}

// String returns the decoded text, always a copy.
func (t Text) String() string {
	if t.enc != JSONString || bytes.IndexByte(t.raw, '\\') < 0 {
		return string(t.raw)
	}
	return string(appendUnescaped(make([]byte, 0, len(t.raw)), t.raw))
}

func appendUnescaped(dst, raw []byte) []byte {
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 || i+1 >= len(raw) {
			return append(dst, raw...)
		}
		dst = append(dst, raw[:i]...)
		c := raw[i+1]
		raw = raw[i+2:]
		switch c {
		case 'n':
			dst = append(dst, '\n')
		case 't':
			dst = append(dst, '\t')
		case 'r':
			dst = append(dst, '\r')
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'u':
			var r rune
			r, raw = unescapeRune(raw)
			dst = utf8.AppendRune(dst, r)
		default: // '"', '\\', '/', and for invalid escapes the character itself
			dst = append(dst, c)
		}
	}
}

// unescapeRune decodes the digits after \u, joining surrogate pairs.
func unescapeRune(raw []byte) (rune, []byte) {
	r, ok := hex4(raw)
	if !ok {
		return utf8.RuneError, raw
	}
	raw = raw[4:]
	if !utf16.IsSurrogate(r) {
		return r, raw
	}
	if len(raw) >= 6 && raw[0] == '\\' && raw[1] == 'u' {
		if low, ok := hex4(raw[2:]); ok {
			if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
				return both, raw[6:]
			}
		}
	}
	return utf8.RuneError, raw
}

func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
