package source

import (
	"context"
	"fmt"
	"io"
	"strings"

	"turns/model/jsonspan"
)

// documentError says where a document stops being readable; what came before it
// was unrolled.
type documentError struct {
	Off int64
	Msg string
	Err error // where reading failed
}

// Error is the message with its position.
func (e *documentError) Error() string {
	return fmt.Sprintf("the document breaks off at byte %d: %s", e.Off, e.Msg)
}

// Unwrap is the error of reading, if that is what it was.
func (e *documentError) Unwrap() error { return e.Err }

// unrollDocument writes a JSON document of any size to sink as records: first, of
// List "", the document with its lists emptied, then each element of its lists in
// document order, of List the pattern. A pattern is keys joined by dots in which
// "*" stands for any key or index; "[]" (or "") is a document that is a list.
// Where a pattern leads to an object, the values of its members are its elements.
// Inside an element nothing is looked for. Several documents one after another
// are unrolled one after another.
//
// The document is read twice, because its rest is complete only at its end and is
// to come first; no more than a window of it is held in memory. One that breaks
// off yields all complete elements, and a *documentError.
func unrollDocument(ctx context.Context, r io.ReaderAt, lists []string, sink *recordSink) error {
	patterns := parsePatterns(lists)
	s := &scanner{ctx: ctx, r: r}
	if sink.memory != nil {
		s.seek(sink.memory.from)
	}
	for s.nextValue() {
		start := s.offset()
		w := walker{scanner: s, patterns: patterns, sink: sink, rest: true}
		restErr := w.run()
		if restErr != nil && ctx.Err() != nil {
			return ctx.Err()
		}
		if sink.err != nil {
			return sink.err
		}
		if len(patterns) == 0 {
			if restErr != nil {
				return restErr
			}
			continue
		}
		s.seek(start)
		w = walker{scanner: s, patterns: patterns, sink: sink}
		if err := w.run(); err != nil {
			return err
		}
		if restErr != nil {
			return restErr
		}
		if b, ok := s.peek(); ok && b == '\n' {
			sink.memory.reached(s.offset() + 1)
		}
	}
	if s.err != nil {
		return s.failure()
	}
	return ctx.Err()
}

type pattern struct {
	name string
	keys []string
}

func parsePatterns(lists []string) []pattern {
	var ps []pattern
	for _, list := range lists {
		if list == "" || list == "[]" {
			ps = append(ps, pattern{name: "[]"})
			continue
		}
		keys := strings.Split(list, ".")
		for i, k := range keys {
			if k == "[]" {
				keys[i] = "*"
			}
		}
		ps = append(ps, pattern{list, keys})
	}
	return ps
}

// walker goes through one value, either for its rest or for the elements of its
// lists.
type walker struct {
	*scanner
	patterns []pattern
	sink     *recordSink
	rest     bool

	closers  []byte // brackets that are open in the rest
	mark     int64  // the rest is sound up to here, but for markEnds
	markEnds []byte
}

func (w *walker) run() error {
	if w.rest {
		w.sink.begin("")
		w.mark = -1
	}
	w.value(w.patterns, 0)
	if !w.rest {
		if w.sink.err != nil {
			return w.sink.err
		}
		if w.err != nil {
			return w.failure()
		}
		return w.sink.err
	}
	if m := w.sink.memory; w.err != nil && m != nil && (w.mark < 0 || m.lists[""] != nil) {
		w.sink.abort() // it is being written anew; the next look sees it whole
		return w.failure()
	}
	if w.err != nil && w.mark >= 0 {
		// Close what was open, so that what there is can be read.
		w.sink.spool.Rollback(w.mark)
		for i := len(w.markEnds) - 1; i >= 0; i-- {
			w.sink.Write(w.markEnds[i : i+1])
		}
	}
	w.sink.end()
	if w.err != nil {
		return w.failure()
	}
	return w.sink.err
}

// put writes to the rest, if that is what is wanted.
func (w *walker) put(b ...byte) {
	if w.rest {
		w.sink.Write(b)
	}
}

// sound notes that the rest, with its brackets closed, is JSON up to here.
func (w *walker) sound() {
	if w.rest {
		w.mark = w.sink.spool.Written()
		w.markEnds = append(w.markEnds[:0], w.closers...)
	}
}

// value walks the value that comes next; active are the patterns of which depth
// keys led here.
func (w *walker) value(active []pattern, depth int) {
	b := w.skipSpace()
	if b == '{' || b == '[' {
		for _, p := range active {
			if len(p.keys) == depth && (depth > 0 || b == '[') {
				w.put(b, b+2) // "[]" and "{}" are two apart in ASCII
				w.sound()
				w.elements(p.name)
				return
			}
		}
		if deeper(active, depth) {
			w.members(active, depth)
			return
		}
	}
	if w.rest {
		w.copyValue(w.sink)
	} else {
		w.copyValue(nil)
	}
}

func deeper(active []pattern, depth int) bool {
	for _, p := range active {
		if len(p.keys) > depth {
			return true
		}
	}
	return false
}

// members walks into a container that lies on the way to a list.
func (w *walker) members(active []pattern, depth int) {
	open := w.take()
	w.put(open)
	w.closers = append(w.closers, open+2)
	w.sound()
	next := make([]pattern, 0, len(active))
	for first := true; w.err == nil; first = false {
		if !w.nextMember(open+2, first) {
			break
		}
		var key []byte
		if open == '{' {
			if key = w.key(); w.err != nil {
				return
			}
		}
		if !first {
			w.put(',')
		}
		if open == '{' && w.rest {
			w.put(key...)
			w.put(':')
		}
		next = next[:0]
		for _, p := range active {
			if len(p.keys) > depth && (p.keys[depth] == "*" || len(key) > 1 && p.keys[depth] == string(key[1:len(key)-1])) {
				next = append(next, p)
			}
		}
		w.value(next, depth+1)
		if w.err == nil {
			w.sound()
		}
	}
	if w.err != nil {
		return
	}
	w.closers = w.closers[:len(w.closers)-1]
	w.put(open + 2)
	w.sound()
}

// elements walks a list; its elements are records.
func (w *walker) elements(name string) {
	if w.rest {
		w.copyValue(nil)
		return
	}
	open := w.take()
	for first := true; w.err == nil && w.sink.err == nil; first = false {
		if !w.nextMember(open+2, first) {
			return
		}
		if open == '{' {
			w.key()
		}
		if w.err != nil {
			return
		}
		w.sink.begin(name)
		w.copyValue(w.sink)
		if w.err != nil {
			w.sink.abort()
			return
		}
		w.sink.end()
	}
}

// nextMember moves to the next element or key of a container, past its comma; at
// the end it consumes the bracket.
func (w *walker) nextMember(closing byte, first bool) bool {
	b := w.skipSpace()
	if b == ',' && !first {
		w.take()
		b = w.skipSpace()
	} else if b != closing && !first && w.err == nil {
		w.fail(fmt.Sprintf("expected a comma, found %q", b))
	}
	if w.err != nil {
		return false
	}
	if b == closing {
		w.take()
		return false
	}
	return true
}

// key reads a key with its quotes, and the colon after it. A key is held in
// memory: it is bounded by what a key of sense can be.
func (w *walker) key() []byte {
	if b := w.skipSpace(); b != '"' {
		if w.err == nil {
			w.fail(fmt.Sprintf("expected a key, found %q", b))
		}
		return nil
	}
	k := keyBuffer{max: 64 << 10}
	w.copyValue(&k)
	if w.err != nil {
		return nil
	}
	if k.over {
		w.fail("a key is too long")
		return nil
	}
	if b := w.skipSpace(); b != ':' {
		if w.err == nil {
			w.fail("expected a colon after the key")
		}
		return nil
	}
	w.take()
	return k.b
}

type keyBuffer struct {
	b    []byte
	max  int
	over bool
}

func (k *keyBuffer) Write(p []byte) (int, error) {
	if len(k.b)+len(p) > k.max {
		k.over = true
		return len(p), nil
	}
	k.b = append(k.b, p...)
	return len(p), nil
}

// nesting is the deepest that a value may be.
const nesting = jsonspan.MaxDepth * 10
