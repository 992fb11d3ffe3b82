package label

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
	"unsafe"

	"turns/model/jsonspan"
)

// Read reads the lines of a store and counts the unreadable ones. Its result is that of
// encoding/json, at ten times the speed. The lines share memory with data, which must no longer
// change.
func Read(data []byte) (lines []Line, bad int) {
	all := unsafe.String(unsafe.SliceData(data), len(data))
	lines = make([]Line, 0, bytes.Count(data, []byte{'\n'})+1)
	var places []Place // allocated many at a time
	for from := 0; from < len(data); {
		end := len(data)
		if n := bytes.IndexByte(data[from:], '\n'); n >= 0 {
			end = from + n
		}
		r := reader{c: jsonspan.New(data[from:end]), text: all[from:end], places: &places}
		from = end + 1
		if r.c.Done() {
			continue
		}
		lines = append(lines, Line{})
		if l := &lines[len(lines)-1]; !r.line(l) || l.Valid() != nil {
			lines, bad = lines[:len(lines)-1], bad+1
		}
	}
	return lines, bad
}

// reader reads a line. Its strings are parts of one text.
type reader struct {
	c      jsonspan.Cursor
	text   string
	places *[]Place
}

// string returns a string without copying it, unless it has escapes.
func (r *reader) string(to *string) {
	v := r.c.String()
	at := r.c.Pos - 1 - len(v)
	switch {
	case len(v) == 0:
		*to = ""
	case bytes.IndexByte(v, '\\') < 0 && at > 0:
		*to = r.text[at : at+len(v)]
	default:
		_ = json.Unmarshal([]byte(`"`+string(v)+`"`), to)
	}
}

func (r *reader) number() int {
	n, _ := r.c.Int()
	return int(n)
}

func (r *reader) line(l *Line) bool {
	c := &r.c
	if c.Kind() != jsonspan.Object {
		return false
	}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "id":
			r.string(&l.ID)
		case "time":
			var at string
			r.string(&at)
			l.Time, _ = time.Parse(time.RFC3339Nano, at)
		case "by":
			r.string(&l.By)
		case "undo":
			r.string(&l.Undo)
		case "run":
			r.run(&l.Run)
		case "scope":
			r.string((*string)(&l.Scope))
		case "at":
			if c.Kind() != jsonspan.Object {
				c.Skip()
				continue
			}
			l.At = r.newPlace()
			r.place(l.At)
		default:
			r.mark(&l.Mark)
		}
	}
	return c.Err == nil && c.Done()
}

// newPlace returns one of the places that were allocated together.
func (r *reader) newPlace() *Place {
	if len(*r.places) == 0 {
		*r.places = make([]Place, 256)
	}
	p := &(*r.places)[0]
	*r.places = (*r.places)[1:]
	return p
}

func (r *reader) mark(m *Mark) {
	switch string(r.c.Name) {
	case "kind":
		r.string((*string)(&m.Kind))
	case "name":
		r.string(&m.Name)
	case "value":
		m.Value = json.Number(strings.Trim(string(r.c.Skip()), `"`))
	case "note":
		r.string(&m.Text)
	default:
		r.c.Skip()
	}
}

func (r *reader) run(to *Run) {
	c := &r.c
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "session":
			r.string(&to.Session)
		case "opens":
			r.string(&to.Opens)
		case "path":
			r.string(&to.Path)
		case "number":
			to.Number = r.number()
		default:
			c.Skip()
		}
	}
}

func (r *reader) place(to *Place) {
	c := &r.c
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "message":
			r.string(&to.Message)
		case "call":
			r.string(&to.Call)
		case "hash":
			r.string(&to.Hash)
		case "before":
			r.string(&to.Before)
		case "after":
			r.string(&to.After)
		case "text":
			r.string(&to.Text)
		case "index":
			to.Index = r.number()
		case "line":
			to.Line = uint16(r.number())
		case "rule":
			to.Rule = uint8(r.number())
		default:
			c.Skip()
		}
	}
}
