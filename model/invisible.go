package model

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf8"
)

// hides reports whether r, which has n bytes at s[i], reorders or hides text: bidirectional
// controls, characters without a width, fillers, tags, line and paragraph separators. Joiners and
// variation selectors hide nothing if a script or an emoji needs them.
func hides(s string, i int, r rune, n int) bool {
	if r < 0x034f {
		return r == 0x00ad
	}
	if !Invisible(r) {
		return false
	}
	switch {
	case r == 0x200c || r == 0x200d:
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		after, _ := utf8.DecodeRuneInString(s[i+n:])
		return !(joining(before) && joining(after) || r == 0x200d && pictured(before) && pictured(after))
	case r >= 0xe0100 && r <= 0xe01ef:
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		return !unicode.Is(unicode.Han, before)
	case selector(r):
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		return i == 0 || before < 0xa0 && !strings.ContainsRune("0123456789#*", before) || Invisible(before)
	}
	return true
}

// Invisible reports whether r is blank or has no width on a screen, so that it can hide inside
// a word.
func Invisible(r rune) bool {
	if r < 0x034f {
		return r == 0x00ad
	}
	switch {
	case r < 0x2000:
		return r == 0x034f || r == 0x061c || r == 0x115f || r == 0x1160 || r == 0x17b4 || r == 0x17b5 || r >= 0x180b && r <= 0x180f
	case r < 0x2070:
		return r >= 0x200b && r <= 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2060
	case r < 0xfe00:
		return r == 0x3164
	case r < 0x10000:
		return r <= 0xfe0f || r == 0xfeff || r == 0xffa0 || r >= 0xfff0 && r <= 0xfffb
	}
	return r >= 0x1bca0 && r <= 0x1bca3 || r >= 0x1d173 && r <= 0x1d17a || r >= 0xe0000 && r <= 0xe0fff
}

// selector reports whether r selects how the character before it is drawn.
func selector(r rune) bool {
	return r >= 0xfe00 && r <= 0xfe0f || r >= 0x180b && r <= 0x180d || r == 0x180f
}

// joining reports whether r is of a script in which joiners change the shape of letters.
func joining(r rune) bool {
	return r >= 0x0600 && r <= 0x109f && !Invisible(r) || r >= 0x1780 && r <= 0x18af && !Invisible(r) || r >= 0xa840 && r <= 0xabff
}

// pictured reports whether r may be a part of a joined emoji.
func pictured(r rune) bool {
	return r == 0xfe0f || r >= 0x1f000 && r <= 0x1faff || r >= 0x2190 && r <= 0x2bff && unicode.IsSymbol(r)
}

// NextInvisible returns the first place at or after from of an invisible character, raw or as an
// escape of JSON, or len(b) for none. It may also find a few other characters.
func NextInvisible(b []byte, from int) int {
	return nextEscaped(b, from, nextRaw(b, from))
}

// nextEscaped is NextInvisible for escapes before end; it returns end for none.
func nextEscaped(b []byte, from, end int) int {
	for i := from; ; i += 2 {
		k := bytes.Index(b[i:end], []byte(`\u`))
		if k < 0 {
			return end
		}
		if i += k; i+6 <= len(b) {
			if r, ok := hex4(b[i+2 : i+6]); ok && (Invisible(r) || r == 0xdb40 || r == 0xd82f || r == 0xd834) {
				return i
			}
		}
	}
}

// nextRaw is NextInvisible for unescaped characters.
func nextRaw(b []byte, from int) int {
	for i := from; i < len(b); i++ {
		for i+16 <= len(b) && (binary.LittleEndian.Uint64(b[i:])|binary.LittleEndian.Uint64(b[i+8:]))&highs == 0 {
			i += 16
		}
		if i == len(b) {
			break
		}
		if c := b[i]; c == 0xc2 || c == 0xcd || c == 0xd8 || c >= 0xe1 && c <= 0xe3 || c >= 0xef {
			if r, _ := utf8.DecodeRune(b[i:]); Invisible(r) {
				return i
			}
		}
	}
	return len(b)
}
