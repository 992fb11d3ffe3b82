package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"turns/model"
	"turns/model/stitch"
)

// An unreadable part of a stream (a bad sector, a lost server) becomes a row with the error. It
// extends from the record where reading failed to the end of the line where reading succeeds again.
// The content before and after it is read as usual.

// damage records the unreadable parts for an indexer.
type damage struct {
	holes int
	first error
}

// err returns nil if everything was readable.
func (d *damage) err() error {
	switch d.holes {
	case 0:
		return nil
	case 1:
		return d.first
	}
	return fmt.Errorf("%w (and %d more places cannot be read)", d.first, d.holes-1)
}

// torn reports whether err means that a followed file is being truncated. The source will report
// that, and the file will be read again.
func (x *indexer) torn(err error) bool { return x.follows && errors.Is(err, io.ErrUnexpectedEOF) }

// skip replaces a block's lines by a hole for the unreadable part at off. For a stream that is
// closed, or truncated while followed, it returns the error instead.
func (x *indexer) skip(b *block, end int64, err error) error {
	if x.torn(err) || errors.Is(err, os.ErrClosed) || errors.Is(err, context.Canceled) {
		return err
	}
	b.buf, b.big = b.buf[:0], append(b.big[:0], tooLarge{x.off, x.holeSize(end)})
	x.hole(err)
	return nil
}

func (x *indexer) hole(err error) {
	if x.damage.holes++; x.damage.first == nil {
		x.damage.first = err
	}
}

// read implements ReadAt of the stream. After a complete failure it reads again in small pieces, up
// to the first that fails twice: the failure may be temporary, or due to a single place.
func (x *indexer) read(p []byte, off int64) (n int, err error) {
	if n, err = x.stream.ReadAt(p, off); n > 0 || err == nil || errors.Is(err, io.EOF) {
		return n, err
	}
	for again := false; n < len(p); {
		k, pieceErr := x.stream.ReadAt(p[n:min(n+holeStep, len(p))], off+int64(n))
		n += k
		switch {
		case pieceErr == nil:
			again = false
		case again || k > 0:
			return n, pieceErr
		default:
			again = true
		}
	}
	return n, nil
}

// The step over an unreadable part: small pieces first, because mostly one sector is bad, then ever
// larger ones, because a lost device has billions.
const (
	holeStep  = 4 << 10
	holeSteps = 64
)

// holeSize returns the number of bytes from off to the end of the first line after the unreadable
// part.
func (x *indexer) holeSize(end int64) int64 {
	buf := make([]byte, holeStep)
	step := int64(holeStep)
	for at, tries := x.off, 0; at < end; {
		n, err := x.stream.ReadAt(buf[:min(holeStep, end-at)], at)
		if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 {
			return at + int64(i) + 1 - x.off
		}
		at += int64(n)
		if n > 0 || err == nil {
			continue
		}
		if tries++; tries > holeSteps {
			step *= 2
		}
		at += step - at%holeStep
	}
	return end - x.off
}

// unfinished reports whether the line that begins with head, and does not end before end, is
// certainly incomplete: more of it is available already, or its last bytes cannot end a value. So a
// line of a hundred megabytes that arrives in pieces is read once, not once per piece.
func (x *indexer) unfinished(head []byte, end int64) bool {
	if end < x.stream.Size() {
		return true
	}
	if data := trimLine(head); len(data) == 0 || data[0] != '{' && data[0] != '[' {
		return false
	}
	tail := make([]byte, min(64, end-x.off))
	if _, err := x.stream.ReadAt(tail, end-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return false // reading all of it returns the error
	}
	tail = bytes.TrimRight(tail, " \t\r\n\x00")
	return len(tail) > 0 && tail[len(tail)-1] != '}' && tail[len(tail)-1] != ']'
}

// failed is a stream whose reads return an error.
type failed struct{ err error }

func (f failed) ReadAt([]byte, int64) (int, error) { return 0, f.err }
func (f failed) Size() int64                       { return 1 }

// missing adds a row for the missing content of an ended source.
func (c *Conversation) missing(err error) {
	src := model.Source{
		Stream: failed{err}, Path: c.src.Path(), Format: c.format.Name, Title: c.format.Title, Why: c.match.Reason, Variant: c.match.Variant,
		Parse: func(model.Record, *model.Facts) error { return err },
	}
	batch := stitch.NewBatch()
	batch.AddUnreadable(model.Ref{Len: 1, Source: c.builder.AddSource(src)})
	c.builder.Apply(batch)
}
