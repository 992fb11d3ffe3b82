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

// Magic is the first and the last bytes of a file.
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

// columnsOf are the names of the columns.
func columnsOf(file *pq.File) (names []string) {
	for _, f := range file.Schema().Fields() {
		names = append(names, f.Name())
	}
	return names
}

// recovered makes an error of what a damaged file lets the library panic with.
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

// checkPages holds the sizes that pages declare against the limit: the library makes room
// for them before it reads.
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

// counted counts what is taken, whatever lies in the buffer.
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

// table are the rows of a file. What next gives is valid until it is called again.
type table interface {
	// next is a row as JSON, and the id of its run as JSON where it is a message; else it is nil.
	next() (row, run []byte, err error)
	// names are what the lines of messages call the id of their run and the list of these.
	names() (run, list string)
}

// lines are the rows as lines. Messages of a run that stand together are a line.
type lines struct {
	limits model.Limits
	table  table
	of     []byte // run of the messages that wait
	wait   []byte
	whole  []byte // the line that is read
	out    []byte // what is left of it
	spare  []byte // memory of the line before
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

// fill takes a row.
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

// lineBytes is about how long a line of messages gets. Lines of a run say its id, by which
// readers put them together: rows of two runs may stand mixed, and a run may be of any size.
const lineBytes = 32 << 10

// take takes a row, and gives the run before it, where there is one.
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

// end gives the messages that wait. What was given before them has been read.
func (l *lines) end() {
	if l.wait != nil {
		l.whole, l.spare = append(l.wait, "]}\n"...), l.whole
		l.out, l.wait = l.whole, nil
	}
}
