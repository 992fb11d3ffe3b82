package console

import (
	"fmt"
	"io"
	"unicode/utf8"

	"turns/model"
)

// Escaper escapes data for a terminal. JSON and original records have texts as recorded, and JSON
// itself only escapes characters below the space. Escaper writes all others that could steer a
// terminal or deceive the eye as JSON escapes, so that the JSON stays equivalent.
type Escaper struct {
	W    io.Writer // terminal
	rest []byte    // incomplete character at the end of a write
}

// Write writes the text with escapes for unsafe characters.
func (e *Escaper) Write(p []byte) (int, error) {
	written := len(p)
	if len(e.rest) > 0 {
		p = append(e.rest, p...)
		e.rest = nil
	}
	out := make([]byte, 0, len(p)+64)
	for i := 0; i < len(p); {
		c := p[i]
		if c < utf8.RuneSelf {
			if c < 0x20 && c != '\n' && c != '\t' || c == 0x7f {
				out = fmt.Appendf(out, `\u%04x`, c)
			} else {
				out = append(out, c)
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(p[i:])
		switch {
		case r == utf8.RuneError && n <= 1 && !utf8.FullRune(p[i:]):
			e.rest = append([]byte(nil), p[i:]...)
			n = len(e.rest)
		case r == utf8.RuneError && n <= 1:
			out = append(out, "\uFFFD"...)
		case r <= 0x9f, r < 0x10000 && r != 0xfe0f && model.Invisible(r):
			// U+FE0F only colours emoji
			out = fmt.Appendf(out, `\u%04x`, r)
		case r >= 0x10000 && model.Invisible(r):
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			out = append(out, p[i:i+n]...)
		}
		i += n
	}
	if _, err := e.W.Write(out); err != nil {
		return 0, err
	}
	return written, nil
}

// Flush writes a replacement for an incomplete character.
func (e *Escaper) Flush() error {
	if len(e.rest) == 0 {
		return nil
	}
	e.rest = nil
	_, err := io.WriteString(e.W, "\uFFFD")
	return err
}
