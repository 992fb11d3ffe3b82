package source

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"maps"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"

	"turns/model"
)

// rowEncoder turns rows into JSON objects.
type rowEncoder struct {
	names  []string       // as JSON
	packed []bool         // columns that may be MessagePack; nil: none
	wire   [][]*wireField // of columns with protocol buffers; nil: none
	values []any
	owner  int   // column with the session's id, -1: none
	limit  int64 // of an inflated blob
	line   []byte
}

// encode returns the row in values, its first column, and its session column (nil: none) as JSON.
// The results are valid until the next call.
func (e *rowEncoder) encode() (line, key, session []byte) {
	b := append(e.line[:0], '{')
	from, to := 0, 0
	ownFrom, ownTo := 0, 0
	for i, v := range e.values {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, e.names[i]...)
		b = append(b, ':')
		start := len(b)
		blob, ok := v.([]byte)
		if ok = ok && e.packed != nil && e.packed[i]; ok {
			if json, whole := msgpackJSON(b, blob); whole {
				b = json
			} else {
				b, ok = b[:start], false
			}
		}
		if fields := e.fieldsOf(i); fields != nil && !ok {
			if json, whole := wireJSON(b, asBlob(v), fields); whole {
				b, ok = json, true
			} else {
				b = b[:start]
			}
		}
		if !ok {
			b = e.appendValue(b, v)
		}
		if i == 0 {
			from, to = start, len(b)
		}
		if i == e.owner {
			ownFrom, ownTo = start, len(b)
		}
	}
	e.line = append(b, '}')
	if ownTo > 0 {
		session = e.line[ownFrom:ownTo]
	}
	return e.line, e.line[from:to], session
}

func (e *rowEncoder) fieldsOf(column int) []*wireField {
	if e.wire == nil {
		return nil
	}
	return e.wire[column]
}

// asBlob returns the bytes of a blob, which a driver may pass as text.
func asBlob(v any) []byte {
	switch v := v.(type) {
	case []byte:
		return v
	case string:
		return []byte(v)
	}
	return nil
}

func (e *rowEncoder) appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case float64:
		switch {
		case math.IsInf(v, 1):
			return append(b, "1e999"...)
		case math.IsInf(v, -1):
			return append(b, "-1e999"...)
		case math.IsNaN(v):
			return append(b, "null"...)
		}
		return strconv.AppendFloat(b, v, 'g', -1, 64)
	case bool:
		return strconv.AppendBool(b, v)
	case string:
		if !utf8.ValidString(v) {
			marked := make([]byte, 0, len(v)+64)
			for _, r := range v { // one mark for each byte
				marked = utf8.AppendRune(marked, r)
			}
			return model.AppendQuoted(b, marked)
		}
		return model.AppendQuoted(b, []byte(v))
	case time.Time:
		return model.AppendQuoted(b, []byte(timeText(v)))
	case []byte:
		return e.appendBlob(b, v)
	}
	return append(b, "null"...)
}

// appendBlob appends the text in a blob, or its size if it is not text.
func (e *rowEncoder) appendBlob(b, blob []byte) []byte {
	text := blob
	if r := inflater(blob); r != nil {
		if inflated, err := io.ReadAll(io.LimitReader(r, e.limit+1)); err == nil && int64(len(inflated)) <= e.limit {
			text = inflated
		}
		r.Close()
	}
	if utf8.Valid(text) && bytes.IndexByte(text, 0) < 0 {
		return model.AppendQuoted(b, text)
	}
	b = append(b, `{"$blob":{"bytes":`...)
	b = strconv.AppendInt(b, int64(len(blob)), 10)
	return append(b, "}}"...)
}

// inflater returns a reader of a compressed blob's content, nil if it seems uncompressed.
func inflater(blob []byte) io.ReadCloser {
	if len(blob) < 6 {
		return nil
	}
	switch magic(blob) {
	case gzipBytes:
		if r, err := gzip.NewReader(bytes.NewReader(blob)); err == nil {
			return r
		}
	case zstdBytes:
		r, err := zstd.NewReader(bytes.NewReader(blob), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20), zstd.WithDecoderLowmem(true))
		if err == nil {
			return r.IOReadCloser()
		}
	}
	if blob[0]&0x0f == 8 && (int(blob[0])<<8|int(blob[1]))%31 == 0 {
		if r, err := zlib.NewReader(bytes.NewReader(blob)); err == nil {
			return r
		}
	}
	return nil
}

// rowMemory remembers a followed database as of the last read. New rows after the known ones, and
// rows rewritten under their key, continue the same stream. A deleted row, or a new row between
// known rows of its session, needs a new stream: readers of the old one could not learn of it.
type rowMemory struct {
	rows map[model.Key]*rowState
	keys map[model.Key]bool // of the last run
	live map[model.Key]bool // of this run
	// sessions of the list with new rows in this run
	fresh map[model.Key]bool
	list  string
	moved bool // a known row follows a new one of its session
}

type rowState struct {
	had, has int // identical rows: in the last run, and so far in this one
}

func newRowMemory() *rowMemory {
	return &rowMemory{rows: map[model.Key]*rowState{}, keys: map[model.Key]bool{}, live: map[model.Key]bool{}, fresh: map[model.Key]bool{}}
}

// sessionColumns are the query columns with the session's id.
var sessionColumns = [...]string{"session", "session_id"}

// known reports whether the row was there before, and remembers it. session is the value of its
// session column, nil if it has none.
func (m *rowMemory) known(list string, key, session, line []byte) bool {
	if list != m.list {
		m.list = list
		clear(m.fresh)
	}
	space := model.HashString("list " + list)
	id := space.With(key)
	m.live[id] = true
	switch of := space.With(session); {
	case session == nil:
	case !m.keys[id]:
		m.fresh[of] = true
	case m.fresh[of]:
		m.moved = true
	}
	sum := space.With(line)
	s := m.rows[sum]
	if s == nil {
		s = &rowState{}
		m.rows[sum] = s
	}
	s.has++
	return s.has <= s.had
}

// rewritten reports whether the database changed in a way that needs a new stream.
func (m *rowMemory) rewritten() bool {
	if m.moved {
		return true
	}
	for key := range m.keys {
		if !m.live[key] {
			return true
		}
	}
	return false
}

// begun reports whether the database was read before.
func (m *rowMemory) begun() bool { return len(m.keys) > 0 }

// finish ends a run. kept reports whether its output stays, complete whether it reached all rows.
func (m *rowMemory) finish(kept, complete bool) {
	switch {
	case kept && complete:
		m.keys, m.live = m.live, m.keys
	case kept:
		maps.Copy(m.keys, m.live)
	}
	clear(m.live)
	m.list, m.moved = "", false
	clear(m.fresh)
	for sum, s := range m.rows {
		switch {
		case kept && complete:
			s.had = s.has
		case kept:
			s.had = max(s.had, s.has)
		}
		if s.has = 0; s.had == 0 {
			delete(m.rows, sum)
		}
	}
}
