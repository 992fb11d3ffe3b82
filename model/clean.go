package model

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Clean makes text from outside safe to show, and hides no part of it. Control characters except
// newline and tab become their pictures (␛[31m, ␍, ␇). Other characters that hide or reorder text
// become their code points (⟨U+202E⟩), and invalid UTF-8 becomes U+FFFD. It drops a carriage return
// before a newline. [Marks] counts the replacements.
//
// Every writer of text for people calls Clean; no other code decides if text is safe. The one
// exception is the output of programs, which [Printed] shows as a terminal would.
func Clean(s string) string {
	if clean(s) {
		return s
	}
	dst := make([]byte, 0, len(s)+64)
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c < 0x7f || c == '\t' || c == '\n' {
			dst = append(dst, c)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n <= 1:
			dst = append(dst, "\uFFFD"...)
		case r == '\r' && endsLine(s[i:]):
		case r < 0x20:
			dst = utf8.AppendRune(dst, 0x2400+r)
		case r == 0x7f:
			dst = append(dst, "␡"...)
		case r <= 0x9f || hides(s, i, r, n):
			dst = fmt.Appendf(dst, "⟨U+%04X⟩", r)
		default:
			dst = append(dst, s[i:i+n]...)
		}
		i += n
	}
	return string(dst)
}

// Printed is Clean for the output of programs: escape sequences and other control characters
// vanish, and a carriage return restarts its line, so that a progress bar shows its last state.
func Printed(s string) string {
	if clean(s) {
		return s
	}
	var dst []byte
	line := 0 // start of the current line
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c < 0x7f || c == '\t' || c == '\n' {
			dst = append(dst, c)
			if i++; c == '\n' {
				line = len(dst)
			}
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\r':
			if i+1 < len(s) && s[i+1] != '\n' && s[i+1] != '\r' {
				dst = dst[:line]
			}
		case control(r):
			n = sequenceLen(s[i:], r)
		default:
			dst = append(dst, s[i:i+n]...)
		}
		i += n
	}
	return Clean(string(dst))
}

// Marks counts the places of s that Clean shows as marks: a control sequence, or a run of hiding
// characters.
func Marks(s string) int {
	if clean(s) {
		return 0
	}
	n, last := 0, -1
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\r' && endsLine(s[i:]):
		case control(r):
			size = max(size, sequenceLen(s[i:], r))
			n++
		case hides(s, i, r, size):
			if last != i {
				n++
			}
			last = i + size
		}
		i += size
	}
	return n
}

// endsLine reports whether a carriage return belongs to a newline.
func endsLine(s string) bool { return strings.HasPrefix(strings.TrimLeft(s, "\r"), "\n") }

// control reports whether r is a control character that no text needs.
func control(r rune) bool {
	return r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r <= 0x9f
}

// sequenceLen returns the length of the control sequence at the start of s, which begins with r.
func sequenceLen(s string, r rune) int {
	switch {
	case r == 0x1b:
		return escapeLen(s)
	case r >= 0x80:
		return controlLen(s, r)
	}
	return 1
}

// CleanLine is Clean for text that must stay on one line: runs of white space become one space.
func CleanLine(s string) string {
	if plainLine(s) {
		return s
	}
	return strings.Join(strings.Fields(Clean(s)), " ")
}

// plainLine reports whether s is ASCII that [CleanLine] leaves unchanged.
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
		if r == utf8.RuneError && n <= 1 || r >= 0x80 && r <= 0x9f || hides(s, i, r, n) {
			return false
		}
		i += n
	}
	return true
}

// escapeLen returns the length of the escape sequence at the start of b, by ECMA-48: CSI up to its
// final byte, OSC, DCS, APC, PM and SOS up to ST or BEL. An unterminated string ends with its line,
// so that it cannot swallow the rest of a text.
func escapeLen(b string) int {
	if len(b) < 2 {
		return 1
	}
	switch c := b[1]; {
	case c == '[':
		return 2 + csiLen(b[2:])
	case c == ']' || c == 'P' || c == '_' || c == '^' || c == 'X':
		return 2 + stringLen(b[2:])
	case c >= 0x20 && c <= 0x2f: // nF: intermediate bytes, then a final byte
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

// controlLen returns the length of a sequence that begins with a C1 control, which has two bytes in
// UTF-8.
func controlLen(b string, r rune) int {
	switch r {
	case 0x9b:
		return 2 + csiLen(b[2:])
	case 0x90, 0x98, 0x9d, 0x9e, 0x9f:
		return 2 + stringLen(b[2:])
	}
	return 2
}

func csiLen(b string) int {
	for i := range len(b) {
		c := b[i]
		if c >= 0x40 && c < 0x7f {
			return i + 1
		}
		if c < 0x20 || c >= 0x7f {
			return i
		}
	}
	return len(b)
}

func stringLen(b string) int {
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

// SizeOf returns n bytes in a form for people: 679 bytes, 18 kB, 2.9 MB.
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

// CutWords returns at most n bytes of s, cut after a word. It never cuts inside a token or an
// address, because half a secret would not be recognised any more: if s begins with a longer one,
// the result is empty.
func CutWords(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for ; n > 0; n-- {
		if c := s[n]; c <= ' ' || utf8.RuneStart(c) && (c >= utf8.RuneSelf || s[n-1] >= utf8.RuneSelf) {
			return strings.TrimRight(s[:n], " \t\r\n")
		}
	}
	return ""
}
