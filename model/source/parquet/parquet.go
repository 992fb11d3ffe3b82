// Package parquet reads the rows of Parquet files as lines of JSON: data sets and databases
// of transcripts, with a run or a message a row.
package parquet

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"turns/model"
)

// Magic is what a file begins and ends with.
const Magic = "PAR1"

// Open reads the rows of a file. What it declares is held against the limits before
// anything is read.
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
	l := &lines{file: file, limits: limits, rows: make([]pq.Row, 1), run: runOf(file), unfit: unfit(file.Schema())}
	return l, nil
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

// runColumns name the run of a row that is a message, the likeliest first.
var runColumns = []string{"transcript_id", "conversation_id", "session_id", "trajectory_id", "dialog_id", "thread_id", "chat_id"}

// runOf is the column that names the run of each row; "" where a row is no message, or
// nothing names its run.
func runOf(file *pq.File) string {
	var names []string
	for _, f := range file.Schema().Fields() {
		names = append(names, f.Name())
	}
	if !slices.Contains(names, "role") || slices.Contains(names, "messages") {
		return ""
	}
	for _, name := range runColumns {
		if slices.Contains(names, name) {
			return name
		}
	}
	return ""
}

// lines are the rows as lines. Messages of a run that stand together are a line.
type lines struct {
	file   *pq.File
	limits model.Limits
	reader *pq.GenericReader[any]
	rows   []pq.Row
	run    string
	of     any // run of the messages that wait
	wait   []byte
	out    []byte
	err    error
	unfit  error // what is told after the last row
	read   int64 // rows
}

func (l *lines) Read(p []byte) (int, error) {
	for len(l.out) == 0 && l.err == nil {
		l.err = l.fill()
		if errors.Is(l.err, io.EOF) {
			if l.end(); l.unfit != nil {
				l.err = fmt.Errorf("reading Parquet: %w", l.unfit)
			}
		}
	}
	n := copy(p, l.out)
	l.out = l.out[n:]
	if n == 0 {
		return 0, l.err
	}
	return n, nil
}

// fill reads a row.
func (l *lines) fill() (err error) {
	defer recovered(&err)
	if l.reader == nil {
		l.reader = pq.NewGenericReader[any](l.file, l.file.Schema())
	}
	n, err := l.reader.ReadRows(l.rows)
	if n == 0 {
		if err == nil {
			err = io.ErrNoProgress
		}
		return err
	}
	plain, err := l.row(l.rows[0])
	if err != nil {
		return fmt.Errorf("reading Parquet: %w", err)
	}
	if l.read++; l.run == "" {
		l.unfit = lost(l.unfit, plain["messages"], l.read)
		line, err := json.Marshal(plain)
		if err != nil {
			return fmt.Errorf("reading Parquet: %w", err)
		}
		l.out = append(line, '\n')
		return nil
	}
	return l.message(plain)
}

// row is a row as JSON has it. A column that is null is not there; the library gives it the
// zero value of its type.
func (l *lines) row(values pq.Row) (map[string]any, error) {
	var row any
	if err := l.file.Schema().Reconstruct(&row, values); err != nil {
		return nil, err
	}
	plain, ok := tidy(row, "").(map[string]any)
	if !ok {
		return nil, fmt.Errorf("a row is %T", row)
	}
	for _, v := range values {
		if v.IsNull() {
			if path := l.file.Schema().Columns()[v.Column()]; len(path) == 1 {
				delete(plain, path[0])
			}
		}
	}
	return plain, nil
}

// lineBytes is about how long a line of messages gets. Lines of a run say its id, by which
// readers put them together: rows of two runs may stand mixed, and a run may be of any size.
const lineBytes = 32 << 10

// message takes a row that is a message, and gives the run before it, where there is one.
func (l *lines) message(row map[string]any) error {
	asChat(row)
	if id := row[l.run]; l.wait == nil || id != l.of || int64(len(l.wait)) > min(lineBytes, l.limits.Record/4) {
		l.end()
		name, err := json.Marshal(id)
		if err != nil {
			return fmt.Errorf("reading Parquet: %w", err)
		}
		l.of, l.wait = id, append(append([]byte(`{"transcript_id":`), name...), `,"messages":[`...)
	} else {
		l.wait = append(l.wait, ',')
	}
	delete(row, l.run)
	line, err := json.Marshal(row)
	if err != nil {
		return fmt.Errorf("reading Parquet: %w", err)
	}
	l.wait = append(l.wait, line...)
	return nil
}

// asChat gives columns of the tables that an export writes, and of Inspect's data frames, the
// names that clients of chat servers have for them.
func asChat(row map[string]any) {
	if text, ok := row["reasoning"]; ok {
		row["reasoning_content"] = text
		delete(row, "reasoning")
	}
	if row["tool_call_error"] != nil {
		row["is_error"] = true
	}
	usage := map[string]any{}
	for _, c := range usageColumns {
		if n, ok := row[c[0]].(int64); ok {
			usage[c[1]] = n
		}
	}
	if len(usage) > 0 && row["usage"] == nil {
		row["usage"] = usage
	}
}

// usageColumns are columns of tokens, and what usage calls them where the input is without
// what came from the cache or went to it.
var usageColumns = [...][2]string{
	{"input_tokens", "input_tokens"}, {"output_tokens", "output_tokens"}, {"reasoning_tokens", "reasoning_tokens"},
	{"input_tokens_cache_read", "cache_read_input_tokens"}, {"input_tokens_cache_write", "cache_creation_input_tokens"},
}

func (l *lines) end() {
	if l.wait != nil {
		l.out, l.wait = append(l.wait, "]}\n"...), nil
	}
}

// nested are columns that hold JSON as text.
var nested = []string{"messages", "tool_calls", "tools", "conversations", "trajectory", "events", "metadata", "agent_args", "model_options", "score"}

// tidy is a value as JSON has it. What is null is not there.
func tidy(v any, name string) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if value = tidy(value, key); value == nil {
				delete(v, key)
			} else {
				v[key] = value
			}
		}
		return v
	case []any:
		for i := range v {
			v[i] = tidy(v[i], "")
		}
		return v
	case []byte:
		return tidy(string(v), name)
	case string:
		if !utf8.ValidString(v) {
			return map[string]any{"$blob": map[string]any{"bytes": len(v)}}
		}
		if s := strings.TrimSpace(v); slices.Contains(nested, name) && len(s) > 1 && (s[0] == '[' || s[0] == '{') && json.Valid([]byte(s)) {
			return json.RawMessage(s)
		}
		return v
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano)
	case float64:
		if v != v || v > 1e308 || v < -1e308 { // JSON has no such number
			return fmt.Sprint(v)
		}
	case float32:
		return tidy(float64(v), name)
	}
	return v
}
