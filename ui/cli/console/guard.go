package console

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"turns/model"
	"turns/query/human"
)

// Guard is a writer for the output of a program on another machine. It passes text, tabs, line
// breaks and colours, and makes all other control and hidden characters visible. After Most bytes
// it fails with ErrEndless.
type Guard struct {
	W    io.Writer
	Most int64 // 0: unlimited
	Data bool  // for a file or another program: keep invisible characters

	line []byte // incomplete last line
	n    int64
}

// ErrEndless is the error for output over the limit.
var ErrEndless = errors.New("it prints without end")

// guardLine is the size from which a long line is written in parts.
const guardLine = 64 << 10

// Write writes the output.
func (g *Guard) Write(p []byte) (int, error) {
	if g.n += int64(len(p)); g.Most > 0 && g.n > g.Most {
		return 0, ErrEndless
	}
	g.line = append(g.line, p...)
	end := bytes.LastIndexByte(g.line, '\n') + 1
	if end == 0 && len(g.line) > guardLine {
		end = len(human.Peek(string(g.line), len(g.line)-256))
	}
	if end == 0 {
		return len(p), nil
	}
	_, err := g.W.Write(g.clean(g.line[:end]))
	g.line = append(g.line[:0], g.line[end:]...)
	return len(p), err
}

// Flush writes an incomplete last line.
func (g *Guard) Flush() error {
	_, err := g.W.Write(g.clean(g.line))
	g.line = nil
	return err
}

func (g *Guard) clean(text []byte) []byte {
	var out []byte
	for len(text) > 0 {
		i := bytes.IndexByte(text, 0x1b)
		if i < 0 {
			i = len(text)
		}
		out = append(out, g.plain(string(text[:i]))...)
		text = text[i:]
		if n := human.ColourLen(string(text[:min(len(text), 64)])); n > 0 {
			out, text = append(out, text[:n]...), text[n:]
		} else if len(text) > 0 {
			out, text = append(out, "␛"...), text[1:]
		}
	}
	return out
}

// plain cleans text without escape characters.
func (g *Guard) plain(s string) string {
	if !g.Data {
		return model.Clean(s)
	}
	var b bytes.Buffer
	for _, r := range s {
		if r < 0x20 && r != '\n' && r != '\t' && r != '\r' || r >= 0x7f && r <= 0x9f {
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
