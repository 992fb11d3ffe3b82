package fork

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"turns/model/jsonspan"
)

// mark is which messages the record at an offset belongs to.
type mark struct {
	kept, later bool // messages up to the cut, and after it
}

// lineWriter copies the lines of one format. It gets the lines in order, with their marks, in
// two passes.
type lineWriter interface {
	// see gets each line in the first pass, before the first call of line.
	see(line []byte, m mark)
	// line returns the line of the fork, nil to leave it out.
	line(line []byte, m mark) ([]byte, error)
	// end returns the lines with results for the open calls.
	end() ([][]byte, error)
	// follows reports whether the last message includes a line of bookkeeping after it.
	follows(line []byte) bool
	// file returns the path of the fork, for the transcript at path.
	file(path string) string
}

// ofLines returns the writer of a format whose transcripts are JSON lines.
func ofLines(start func(p *Plan) (lineWriter, error)) writer {
	return func(ctx context.Context, p *Plan, o Options) error {
		src := &p.snap.Sources()[p.stream]
		if src.Framed {
			return refuse(toProvider, "a database holds other sessions too, and turns never writes to one")
		}
		p.text = func() (io.ReadCloser, error) {
			return io.NopCloser(io.NewSectionReader(src.Stream, 0, src.Stream.Size())), nil
		}
		w, err := start(p)
		if err != nil {
			return err
		}
		marks, end, err := p.marks()
		if err != nil {
			return err
		}
		return p.copyLines(ctx, o, w, marks, end)
	}
}

// copyLines plans a file of the lines up to an end.
func (p *Plan) copyLines(ctx context.Context, o Options, w lineWriter, marks map[int64]mark, end int64) (err error) {
	if end, err = p.lines(ctx, marks, end, w, func(line []byte, m mark) error { w.see(line, m); return nil }); err != nil {
		return err
	}
	if p.Path = o.Into; p.Path == "" {
		p.Path = w.file(o.Path)
	}
	var written [][]byte // the closing lines are made after all others were seen
	count := func(line []byte, m mark) error {
		l, err := w.line(line, m)
		if err == nil && l == nil {
			p.Left++
		}
		return err
	}
	if _, err := p.lines(ctx, marks, end, nil, count); err != nil {
		return err
	}
	if written, err = w.end(); err != nil {
		return err
	}
	left := p.Left
	p.pieces = []piece{{p.Path, func(out io.Writer) error {
		defer func() { p.Left = left }() // the previous pass counted the dropped lines
		_, err := p.lines(ctx, marks, end, nil, func(line []byte, m mark) error {
			l, err := w.line(line, m)
			if err != nil || l == nil {
				return err
			}
			_, err = out.Write(append(l, '\n'))
			return err
		})
		for _, l := range written {
			if err == nil {
				_, err = out.Write(append(slices.Clip(l), '\n'))
			}
		}
		return err
	}}}
	return nil
}

// marks returns the marks of all records of the transcript, and the end of the last record of
// the fork.
func (p *Plan) marks() (map[int64]mark, int64, error) {
	marks := map[int64]mark{}
	end, elsewhere := int64(0), false
	for i := range p.snap.PartCount() {
		part := p.snap.Part(i)
		pos := p.snap.Pos(part.Msg)
		if pos < 0 {
			continue
		}
		if int(part.Ref.Source) != p.stream {
			elsewhere = elsewhere || pos == p.at
			continue
		}
		m := marks[part.Ref.Off]
		if pos > p.at {
			m.later = true
		} else {
			m.kept = true
			end = max(end, part.Ref.Off+int64(part.Ref.Len))
		}
		marks[part.Ref.Off] = m
	}
	if elsewhere && end == 0 {
		return nil, 0, refuse("turns ls lists the sessions; fork the one that this one goes on from", "message %d is in the transcript of another session, which this one goes on from", p.at)
	}
	return marks, end, nil
}

// eachLine calls each with all lines of the transcript and the bytes at which they begin.
func (p *Plan) eachLine(ctx context.Context, each func(off int64, line []byte) error) error {
	in, err := p.text()
	if err != nil {
		return err
	}
	defer in.Close()
	r := bufio.NewReaderSize(in, 1<<16)
	for at := int64(0); ; {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		line, err := r.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("reading the transcript: %w", err)
		}
		if len(line) > 0 {
			if err := each(at, line); err != nil {
				return err
			}
		}
		if at += int64(len(line)); err != nil {
			return nil
		}
	}
}

// errEnd ends a walk over lines.
var errEnd = errors.New("the end of the fork")

// lines calls each with the lines of the fork: those that begin before end, except lines that only
// later messages need. With follows, end moves after the bookkeeping of the last message. It
// returns the final end. It drops blank lines and lines other than JSON objects.
func (p *Plan) lines(ctx context.Context, marks map[int64]mark, end int64, follows lineWriter, each func(line []byte, m mark) error) (int64, error) {
	offs := slices.Sorted(maps.Keys(marks))
	next := 0
	err := p.eachLine(ctx, func(from int64, line []byte) error {
		to := from + int64(len(line))
		var m mark
		for ; next < len(offs) && offs[next] < to; next++ {
			o := marks[offs[next]]
			m.kept, m.later = m.kept || o.kept, m.later || o.later
		}
		text := bytes.Trim(line, " \t\r\n\x00\ufeff")
		if from >= end {
			if follows == nil || m.later || m.kept || len(text) == 0 || !follows.follows(text) {
				return errEnd
			}
			end = to
		}
		switch {
		case len(text) == 0:
			return nil
		case m.kept && !isOneValue(text):
			return fmt.Errorf("forking the record at byte %d: it is not one JSON object", from)
		case jsonspan.KindOf(text) != jsonspan.Object || !isOneValue(text) || m.later && !m.kept:
			if follows == nil {
				p.Left++
			}
			return nil
		}
		if err := each(text, m); err != nil {
			return fmt.Errorf("forking the record at byte %d: %w", from, err)
		}
		return nil
	})
	if errors.Is(err, errEnd) {
		err = nil
	}
	return end, err
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// isOneValue reports whether a line is one JSON value.
func isOneValue(line []byte) bool {
	_, rest, err := jsonspan.Cut(line)
	return err == nil && len(bytes.TrimSpace(rest)) == 0
}

// sibling returns the path of a file in the same folder as path.
func sibling(path, name string) string { return filepath.Join(filepath.Dir(path), name) }

// ids returns the closed calls by their recorded ids.
func (p *Plan) ids() map[string]*Closed {
	open := map[string]*Closed{}
	for i := range p.Closed {
		open[p.Closed[i].ID] = &p.Closed[i]
	}
	return open
}
