package redact

import (
	"bytes"
	"io"
)

// Writer replaces the credentials of what is written through it, a line at a time. A private key
// that runs over lines is looked at whole. What is left at the end is written by Close.
type Writer struct {
	redactor *Redactor
	to       io.Writer
	rest     []byte // whose end is not there yet: of a line, or of a key
	clean    []byte
	replaced int
}

// Writer returns a writer that hands on to another what holds no credential.
func (r *Redactor) Writer(to io.Writer) *Writer { return &Writer{redactor: r, to: to} }

// Replaced is how many credentials were replaced.
func (w *Writer) Replaced() int { return w.replaced }

// Write takes text that may be cut anywhere.
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
	var n int
	w.clean, n = w.redactor.Redact(w.clean[:0], text)
	w.replaced += n
	w.rest = w.rest[:0]
	_, err := w.to.Write(w.clean)
	return err
}

// Close writes what is left. It does not close what it writes to.
func (w *Writer) Close() error {
	if len(w.rest) == 0 {
		return nil
	}
	return w.hand(w.rest)
}

// opensKey reports whether the first line of a private key stands at the end of a line of its own,
// and its last line is not there yet.
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
