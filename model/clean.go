package model

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Clean makes text from outside fit for people's eyes: what a tool printed may
// hold escape sequences that retitle a terminal, write its clipboard or hide
// what stands on the screen. The result is valid UTF-8 without escape
// sequences (they vanish whole), without control characters but newline and
// tab, and with bidirectional controls and other invisible format characters
// shown as their code points, such as ⟨U+202E⟩. A carriage return before a
// newline is dropped; another one starts its line afresh, as on a terminal, so
// that of a progress bar the last state shows.
//
// Every writer of text for people calls it; nothing else may decide what is
// safe.
func Clean(s string) string {
	if clean(s) {
		return s
	}
	return string(appendClean(make([]byte, 0, len(s)+16), []byte(s)))
}

// appendClean adds the cleaned text to dst.
func appendClean(dst, text []byte) []byte {
	line := len(dst) // where the line that is being written begins
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '\n':
			dst = append(dst, c)
			line = len(dst)
			i++
		case c == '\r':
			i++
			if i < len(text) && text[i] != '\n' && text[i] != '\r' {
				dst = dst[:line]
			}
		case c == 0x1b:
			i += escapeLen(text[i:])
		case c >= 0x20 && c < 0x7f || c == '\t':
			dst = append(dst, c)
			i++
		case c < utf8.RuneSelf:
			i++ // the other control characters and DEL
		default:
			r, n := utf8.DecodeRune(text[i:])
			switch {
			case r == utf8.RuneError && n <= 1:
				dst = append(dst, "\uFFFD"...)
			case r >= 0x80 && r <= 0x9f:
				n = controlLen(text[i:], r)
			case hidden(r):
				dst = fmt.Appendf(dst, "⟨U+%04X⟩", r)
			default:
				dst = append(dst, text[i:i+n]...)
			}
			i += n
		}
	}
	return dst
}

// CleanLine is Clean for text that must stay on one line: runs of white space
// become one space.
func CleanLine(s string) string {
	if plainLine(s) {
		return s
	}
	return strings.Join(strings.Fields(Clean(s)), " ")
}

// plainLine reports whether s is ASCII that [CleanLine] leaves as it is.
func plainLine(s string) bool {
	space := true
	for i := range len(s) {
		switch c := s[i]; {
		case c == ' ' && !space:
			space = true
		case c <= ' ' || c >= 0x7f:
			return false
		default:
			space = false
		}
	}
	return !space || s == ""
}

func clean(s string) bool {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c < 0x20 && c != '\n' && c != '\t' || c == 0x7f {
				return false
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n <= 1 || r >= 0x80 && r <= 0x9f || hidden(r) {
			return false
		}
		i += n
	}
	return true
}

// hidden reports whether r reorders or hides text: bidirectional controls,
// zero-width characters other than the joiners that scripts and emoji need,
// tag characters, line and paragraph separators.
func hidden(r rune) bool {
	switch {
	case r < 0x061c:
		return r == 0x00ad
	case r == 0x061c, r == 0x180e, r == 0x200b, r == 0x200e, r == 0x200f, r == 0x2028, r == 0x2029, r == 0xfeff:
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r >= 0xfff9 && r <= 0xfffb:
		return true
	}
	return r >= 0xe0000 && r <= 0xe0fff
}

// escapeLen is the length of the escape sequence at the start of b, by ECMA-48:
// CSI up to its final byte, OSC, DCS, APC, PM and SOS up to ST or BEL. An
// unterminated string ends with its line, so that it cannot swallow the rest of
// a text.
func escapeLen(b []byte) int {
	if len(b) < 2 {
		return 1
	}
	switch c := b[1]; {
	case c == '[':
		return 2 + csiLen(b[2:])
	case c == ']' || c == 'P' || c == '_' || c == '^' || c == 'X':
		return 2 + stringLen(b[2:])
	case c >= 0x20 && c <= 0x2f: // nF: intermediates, then a final byte
		i := 1
		for i < len(b) && b[i] >= 0x20 && b[i] <= 0x2f {
			i++
		}
		if i < len(b) && b[i] >= 0x30 && b[i] < 0x7f {
			i++
		}
		return i
	case c >= 0x30 && c < 0x7f:
		return 2
	}
	return 1
}

// controlLen is the length of a sequence that begins with a C1 control, which
// takes two bytes in UTF-8.
func controlLen(b []byte, r rune) int {
	switch r {
	case 0x9b:
		return 2 + csiLen(b[2:])
	case 0x90, 0x98, 0x9d, 0x9e, 0x9f:
		return 2 + stringLen(b[2:])
	}
	return 2
}

func csiLen(b []byte) int {
	for i, c := range b {
		if c >= 0x40 && c < 0x7f {
			return i + 1
		}
		if c < 0x20 || c >= 0x7f {
			return i
		}
	}
	return len(b)
}

func stringLen(b []byte) int {
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == 0x07:
			return i + 1
		case c == 0x1b:
			if i+1 < len(b) && b[i+1] == '\\' {
				return i + 2
			}
			return i
		case c == 0xc2 && i+1 < len(b) && b[i+1] == 0x9c:
			return i + 2
		case c == '\n':
			return i
		}
	}
	return len(b)
}

// SizeOf says n bytes the way people read it: 679 bytes, 18 kB, 2.9 MB.
func SizeOf(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	case n < 9950:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	case n < 999_500:
		return fmt.Sprintf("%.0f kB", float64(n)/1e3)
	case n < 9_950_000:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	case n < 999_500_000:
		return fmt.Sprintf("%.0f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}
