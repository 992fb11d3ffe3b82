// Package parquet reads the rows of Parquet files as lines of JSON: data sets and databases of
// transcripts, with one session or message per row.
package parquet

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"turns/model"
)

// Magic is both the first and the last four bytes of a file.
const Magic = "PAR1"

// Open reads the rows of a file. It checks the declared sizes against the limits first.
func Open(r io.ReaderAt, size int64, limits model.Limits) (rows io.Reader, err error) {
	defer recovered(&err)
	limits = limits.WithDefaults()
	if err := checkFooter(r, size, limits.Value); err != nil {
		return nil, err
	}
	file, err := pq.OpenFile(r, size, pq.SkipPageIndex(true), pq.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("reading Parquet: %w", err)
	}
	if err := checkPages(r, size, file, limits.Value); err != nil {
		return nil, err
	}
	names := columnsOf(file)
	if isOwn(names) {
		return &lines{limits: limits, table: newOwnTable(file, slices.Contains(names, "role"))}, nil
	}
	return &lines{limits: limits, table: &anyTable{file: file, rows: make([]pq.Row, 1), run: runOf(names), unfit: unfit(file.Schema())}}, nil
}

// columnsOf returns the names of the columns.
func columnsOf(file *pq.File) (names []string) {
	for _, f := range file.Schema().Fields() {
		names = append(names, f.Name())
	}
	return names
}

// recovered turns a panic of the library on a damaged file into an error.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("reading Parquet: the file is damaged: %v", r)
	}
}

func checkFooter(r io.ReaderAt, size, limit int64) error {
	var end [8]byte
	if size < 12 {
		return errors.New("reading Parquet: the file is cut off")
	}
	if _, err := r.ReadAt(end[:], size-8); err != nil && err != io.EOF {
		return fmt.Errorf("reading Parquet: %w", err)
	}
	footer := int64(binary.LittleEndian.Uint32(end[:4]))
	switch {
	case string(end[4:]) != Magic:
		return errors.New("reading Parquet: the file has no end: it is cut off, or still being written")
	case footer > size-12:
		return fmt.Errorf("reading Parquet: its footer is said to have %s, and the file has %s", model.SizeOf(footer), model.SizeOf(size))
	case footer > limit:
		return fmt.Errorf("reading Parquet: its footer has %s, and the limit is %s", model.SizeOf(footer), model.SizeOf(limit))
	}
	return nil
}

// checkPages checks the declared sizes of pages against the limit, because the library allocates
// memory for them before it reads.
func checkPages(r io.ReaderAt, size int64, file *pq.File, limit int64) error {
	var protocol thrift.CompactProtocol
	for _, group := range file.Metadata().RowGroups {
		for i := range group.Columns {
			meta := &group.Columns[i].MetaData
			at := meta.DataPageOffset
			if meta.DictionaryPageOffset > 0 && meta.DictionaryPageOffset < at {
				at = meta.DictionaryPageOffset
			}
			end := at + meta.TotalCompressedSize
			if at < 0 || end < at || end > size {
				return errors.New("reading Parquet: a column lies outside of the file")
			}
			for at < end {
				in := &counted{r: bufio.NewReaderSize(io.NewSectionReader(r, at, end-at), 512)}
				var h format.PageHeader
				if err := thrift.NewDecoder(protocol.NewReader(in)).Decode(&h); err != nil {
					return fmt.Errorf("reading Parquet: the head of a page: %w", err)
				}
				if n := int64(max(h.CompressedPageSize, h.UncompressedPageSize)); n > limit || h.CompressedPageSize < 0 || h.UncompressedPageSize < 0 || in.n == 0 {
					return fmt.Errorf("reading Parquet: a page is said to have %s, and the limit is %s", model.SizeOf(n), model.SizeOf(limit))
				}
				at += in.n + int64(h.CompressedPageSize)
			}
		}
	}
	return nil
}

// counted counts the bytes consumed, not those in its buffer.
type counted struct {
	r *bufio.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

func (c *counted) ReadByte() (byte, error) {
	b, err := c.r.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}

// table is the rows of a file. The results of next are valid until the next call.
type table interface {
	// next returns a row as JSON; for a message, run is its session's id as JSON, otherwise nil.
	next() (row, run []byte, err error)
	// names returns the keys for a session's id and its list of messages in lines of messages.
	names() (run, list string)
}

// lines returns the rows as lines. Consecutive messages of a session become one line.
type lines struct {
	limits model.Limits
	table  table
	of     []byte // session of the waiting messages
	wait   []byte
	whole  []byte // the line being read
	out    []byte // the rest of it
	spare  []byte // memory of the previous line
	err    error
}

func (l *lines) Read(p []byte) (int, error) {
	for len(l.out) == 0 && l.err == nil {
		l.err = l.fill()
		if l.err != nil {
			l.end()
		}
	}
	n := copy(p, l.out)
	l.out = l.out[n:]
	if n == 0 {
		return 0, l.err
	}
	return n, nil
}

// fill adds a row.
func (l *lines) fill() (err error) {
	defer recovered(&err)
	row, run, err := l.table.next()
	switch {
	case errors.Is(err, io.EOF):
		return err
	case err != nil:
		return fmt.Errorf("reading Parquet: %w", err)
	}
	l.take(row, run)
	return nil
}

// For speed only: lineBytes is about the maximum length of a line of messages. Each line has its
// session's id, by which readers join them: rows of two sessions may be mixed, and a session may
// have any size.
const lineBytes = 32 << 10

// take adds a row, and outputs the waiting messages if the row is of another session.
func (l *lines) take(row, run []byte) {
	switch {
	case run == nil:
		l.whole = append(append(l.whole[:0], row...), '\n')
		l.out = l.whole
		return
	case l.wait == nil || !bytes.Equal(run, l.of) || int64(len(l.wait)) > min(lineBytes, l.limits.Record/4):
		l.end()
		name, list := l.table.names()
		l.of = append(l.of[:0], run...)
		l.wait = append(append(l.spare[:0], `{"`+name+`":`...), run...)
		l.wait = append(l.wait, `,"`+list+`":[`...)
	default:
		l.wait = append(l.wait, ',')
	}
	l.wait = append(l.wait, row...)
}

// end outputs the waiting messages. All output before them was read.
func (l *lines) end() {
	if l.wait != nil {
		l.whole, l.spare = append(l.wait, "]}\n"...), l.whole
		l.out, l.wait = l.whole, nil
	}
}
