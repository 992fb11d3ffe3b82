package shape

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"

	"turns/export"
	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/redact"
)

// WriteRaw writes the records of the selection as recorded: for a whole conversation all of them,
// including bookkeeping; otherwise the records of its messages, each once.
func WriteRaw(ctx context.Context, w io.Writer, view describe.View, opts export.Options) (export.Report, error) {
	sel := view.Selection
	r := rawWriter{snap: sel.Snap, out: bufio.NewWriterSize(w, rawBuffer), reader: NewItemReader(sel.Snap)}
	if opts.Redact {
		r.redact = redact.New()
	}
	report := export.Report{Messages: len(sel.IDs)}
	if len(sel.Snap.Sources()) == 0 {
		return WriteJSONL(ctx, w, view, opts) // a conversation without records
	}
	err := opts.Verbatim()
	switch {
	case err != nil:
		return export.Report{}, err
	case len(sel.IDs) == sel.Snap.Len():
		err = r.sources(ctx, usedSources(sel))
	default:
		err = r.messages(ctx, sel.IDs)
	}
	if err == nil {
		err = written(0, r.out.Flush())
	}
	report.Secrets = r.secrets
	return report, err
}

type rawWriter struct {
	snap   *model.Snapshot
	out    *bufio.Writer
	reader *ItemReader
	redact *redact.Redactor

	secrets int // replaced secrets
}

// For speed only: rawBuffer is the size of the output buffer.
const rawBuffer = 1 << 20

// usedSources reports the streams of the selected messages, and the first one. Streams of subagents
// count only if their messages are selected.
func usedSources(sel query.Selection) []bool {
	used := make([]bool, len(sel.Snap.Sources()))
	used[0] = true
	for _, id := range sel.IDs {
		if p := sel.Snap.HeadRow(id).LastPart; p != model.NoRow {
			used[sel.Snap.Part(int(p)).Ref.Source] = true
		}
	}
	return used
}

// sources copies whole streams. It copies streams of framed records line by line, without the path
// of the list at the beginning.
func (r *rawWriter) sources(ctx context.Context, used []bool) error {
	for i := range used {
		if !used[i] {
			continue
		}
		src := &r.snap.Sources()[i]
		size := src.Stream.Size()
		in := make([]byte, rawBuffer)
		out := func(b []byte) error { return r.add(b) }
		var clean *redact.Writer
		if r.redact != nil {
			clean = r.redact.Writer(r.out)
			out = func(b []byte) error { return written(clean.Write(b)) }
		}
		line := lineCopier{out: out, framed: src.Framed}
		for off := int64(0); off < size; {
			if err := ctx.Err(); err != nil {
				return err
			}
			n, e := src.Stream.ReadAt(in[:min(int64(len(in)), size-off)], off)
			if n == 0 {
				return fmt.Errorf("reading at %d of %q: %w", off, src.Path, e)
			}
			off += int64(n)
			if err := line.write(in[:n]); err != nil {
				return err
			}
		}
		if clean != nil {
			if err := written(0, clean.Close()); err != nil {
				return err
			}
			r.secrets += clean.Replaced()
		}
	}
	return nil
}

// lineCopier removes the text up to the tab of each framed line. Writes may cut lines at any
// position.
type lineCopier struct {
	out    func([]byte) error
	framed bool
	inData bool // after the tab
}

func (c *lineCopier) write(b []byte) error {
	if !c.framed {
		return c.out(b)
	}
	for len(b) > 0 {
		if !c.inData {
			i := bytes.IndexByte(b, '\t')
			if i < 0 {
				return nil
			}
			b, c.inData = b[i+1:], true
			continue
		}
		n := bytes.IndexByte(b, '\n') + 1
		c.inData = n == 0
		n = cmp.Or(n, len(b))
		if err := c.out(b[:n]); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// messages writes the records of some messages, each record once. Messages of one record are
// neighbours.
func (r *rawWriter) messages(ctx context.Context, ids []model.ID) error {
	var seen [64]model.Ref
	next := 0
	for i := range seen {
		seen[i].Off = -1
	}
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return err
		}
	parts:
		for _, p := range r.snap.Parts(id) {
			for _, s := range seen {
				if s.Off == p.Ref.Off && s.Source == p.Ref.Source {
					continue parts
				}
			}
			seen[next%len(seen)] = p.Ref
			next++
			src := &r.snap.Sources()[p.Ref.Source]
			r.reader.pinned = false
			line, err := r.reader.bytes(src, p.Ref)
			if err != nil {
				return fmt.Errorf("reading %d bytes at %d of %q: %w", p.Ref.Len, p.Ref.Off, src.Path, err)
			}
			_, data := cutList(src, line)
			if r.redact != nil {
				clean, n := r.redact.Redact(nil, data)
				data, r.secrets = clean, r.secrets+n
			}
			if err := r.add(data); err != nil {
				return err
			}
			if len(data) == 0 || data[len(data)-1] != '\n' {
				if err := r.add([]byte{'\n'}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (r *rawWriter) add(b []byte) error { return written(r.out.Write(b)) }

func written(_ int, err error) error {
	if err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	return nil
}
