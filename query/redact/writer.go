package redact

import (
	"bytes"
	"io"
)

// Writer replaces secrets in its input, line by line. It examines a private key of several lines in
// one piece. Close writes the rest.
type Writer struct {
	redactor *Redactor
	to       io.Writer
	rest     []byte // an incomplete line or key
	clean    []byte
	replaced int
	learns   *Names // only learns from the text, without output
}

// Writer returns a writer that passes redacted text on to another.
func (r *Redactor) Writer(to io.Writer) *Writer { return &Writer{redactor: r, to: to} }

// Replaced returns the number of replaced credentials.
func (w *Writer) Replaced() int { return w.replaced }

// Write accepts text cut at any position.
func (w *Writer) Write(p []byte) (int, error) {
	for at := 0; at < len(p); {
		n := bytes.IndexByte(p[at:], '\n') + 1
		if n == 0 {
			w.rest = append(w.rest, p[at:]...)
			break
		}
		text := p[at : at+n]
		at += n
		if len(w.rest) > 0 {
			w.rest = append(w.rest, text...)
			text = w.rest
		}
		if len(text) < maxPEM && opensKey(text) {
			if len(w.rest) == 0 {
				w.rest = append(w.rest, text...)
			}
			continue
		}
		if err := w.hand(text); err != nil {
			return at, err
		}
	}
	return len(p), nil
}

func (w *Writer) hand(text []byte) error {
	if w.learns != nil {
		w.learns.Learn(text)
		w.rest = w.rest[:0]
		return nil
	}
	var n int
	w.clean, n = w.redactor.Redact(w.clean[:0], text)
	w.replaced += n
	w.rest = w.rest[:0]
	_, err := w.to.Write(w.clean)
	return err
}

// Close writes the rest. It does not close the underlying writer.
func (w *Writer) Close() error {
	if len(w.rest) == 0 {
		return nil
	}
	return w.hand(w.rest)
}

// opensKey reports whether the text ends in a private key that is incomplete: its first line is at
// the end of a line, and its last line is missing.
func opensKey(text []byte) bool {
	at := bytes.LastIndex(text, []byte("-----BEGIN "))
	if at < 0 {
		return false
	}
	first, more, _ := bytes.Cut(text[at:], []byte("\n"))
	first = bytes.TrimRight(first, " \t\r")
	return bytes.HasSuffix(first, []byte("-----")) && bytes.Contains(first, []byte("PRIVATE KEY")) &&
		!bytes.Contains(more, []byte("-----END "))
}
