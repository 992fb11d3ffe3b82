package model

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math/bits"
	"unicode/utf8"
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// JSONSpecial returns the first place at or after i of a byte that a JSON string must escape: a
// control character, a quote or a backslash. It checks eight bytes at a time.
func JSONSpecial(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		quote, slash := x^(ones*'"'), x^(ones*'\\')
		hit := (x-ones*0x20)&^x | (quote-ones)&^quote | (slash-ones)&^slash
		if hit &= highs; hit != 0 {
			return i + bits.TrailingZeros64(hit)/8
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c < 0x20 || c == '"' || c == '\\' {
			return i
		}
	}
	return len(b)
}

// JSONOf returns a value as JSON on one line, like json.Marshal, but with <, > and & as they are.
func JSONOf(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// AppendQuoted adds text as a JSON string with its quotes. It escapes as little as JSON allows;
// invalid UTF-8 becomes U+FFFD.
func AppendQuoted(dst, text []byte) []byte {
	dst = append(dst, '"')
	dst = AppendInside(dst, text)
	return append(dst, '"')
}

// replaced returns b with U+FFFD for each byte of invalid UTF-8, like readers of JSON;
// bytes.ToValidUTF8 writes only one for a run of them.
func replaced(b []byte) []byte { return []byte(string([]rune(string(b)))) }

// AppendInside adds text as the inside of a JSON string.
func AppendInside(dst, text []byte) []byte {
	if !utf8.Valid(text) {
		text = replaced(text)
	}
	for start := 0; ; {
		i := JSONSpecial(text, start)
		dst = append(dst, text[start:i]...)
		if i == len(text) {
			return dst
		}
		dst = appendEscape(dst, text[i])
		start = i + 1
	}
}

const hexDigits = "0123456789abcdef"

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\t':
		return append(dst, '\\', 't')
	case '\r':
		return append(dst, '\\', 'r')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// AppendRecorded adds the recorded inside of a JSON string. The reader of records is lenient, so
// invalid JSON is repaired: control characters are escaped, unknown escapes lose their backslash,
// invalid UTF-8 and incomplete \u escapes become U+FFFD.
func AppendRecorded(dst, raw []byte) []byte {
	if !utf8.Valid(raw) {
		raw = replaced(raw)
	}
	for start := 0; ; {
		i := JSONSpecial(raw, start)
		if i == len(raw) {
			return append(dst, raw[start:]...)
		}
		if raw[i] != '\\' {
			dst = append(dst, raw[start:i]...)
			dst = appendEscape(dst, raw[i])
			start = i + 1
			continue
		}
		n := JSONEscape(raw[i:])
		if n > 0 {
			dst = append(dst, raw[start:i+n]...)
			start = i + n
			continue
		}
		dst = append(dst, raw[start:i]...)
		if start = i + 1; start == len(raw) {
			return append(dst, '\\', '\\')
		}
		if raw[start] == 'u' { // as in reading
			dst = append(dst, "\uFFFD"...)
			start++
		}
	}
}

// JSONEscape returns the length of the escape at the start of b, 0 if there is none.
func JSONEscape(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(b) < 6 {
			return 0
		}
		for _, c := range b[2:6] {
			if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
				return 0
			}
		}
		return 6
	}
	return 0
}

// AppendInside adds the text as the inside of a JSON string: unchanged if it was recorded as one.
func (t Text) AppendInside(dst []byte) []byte {
	if t.enc == JSONString {
		return AppendRecorded(dst, t.raw)
	}
	return AppendInside(dst, t.raw)
}

// Inside returns the recorded bytes; ok is true if they are a valid inside of a JSON string.
func (t Text) Inside() ([]byte, bool) { return t.raw, t.enc == JSONString && isInside(t.raw) }

// isInside reports whether recorded bytes are the valid inside of a JSON string.
func isInside(raw []byte) bool {
	if !utf8.Valid(raw) {
		return false
	}
	for i := JSONSpecial(raw, 0); i < len(raw); i = JSONSpecial(raw, i) {
		n := 0
		if raw[i] == '\\' {
			n = JSONEscape(raw[i:])
		}
		if n == 0 {
			return false
		}
		i += n
	}
	return true
}
