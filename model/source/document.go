package source

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"turns/model/jsonspan"
)

// documentError reports the position where a document becomes unreadable; the content before it was
// unrolled.
type documentError struct {
	Off int64
	Msg string
	Err error // the read error, if any
}

// Error returns the message with its position.
func (e *documentError) Error() string {
	return fmt.Sprintf("the document breaks off at byte %d: %s", e.Off, e.Msg)
}

// Unwrap returns the read error, or nil.
func (e *documentError) Unwrap() error { return e.Err }

// unrollDocument writes a JSON document of any size to sink as records: first, with List "", the
// document with its lists emptied, then each element of its lists in document order, with the
// pattern as List. A pattern is keys joined by dots in which "*" matches any key or index; "[]" (or
// "") matches a document that is a list. If a pattern matches an object, its elements are the
// values of its members. Patterns do not match inside an element. Several documents in a row are
// unrolled one after the other.
//
// It reads the document twice, because the first record is complete only at the document's end. It
// holds only a window of the document in memory. For a truncated document it writes all complete
// elements and returns a *documentError.
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

// walker walks through one value, either for its rest or for the elements of its lists.
type walker struct {
	*scanner
	patterns []pattern
	sink     *recordSink
	rest     bool

	closers  []byte // closing characters of the open brackets in the rest
	mark     int64  // the rest is valid up to here, apart from markEnds
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
		w.sink.abort() // it is being rewritten; the next check reads all of it
		return w.failure()
	}
	if w.err != nil && w.mark >= 0 {
		// Close the open brackets so that the content so far is readable.
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

// put writes to the rest, if this walk writes the rest.
func (w *walker) put(b ...byte) {
	if w.rest {
		w.sink.Write(b)
	}
}

// sound marks that the rest up to here is valid JSON once its brackets are closed.
func (w *walker) sound() {
	if w.rest {
		w.mark = w.sink.spool.Written()
		w.markEnds = append(w.markEnds[:0], w.closers...)
	}
}

// value walks the next value; active are the patterns whose first depth keys match its path.
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
	return slices.ContainsFunc(active, func(p pattern) bool { return len(p.keys) > depth })
}

// members walks into a container on the path to a list.
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

// nextMember moves to the next element or key of a container, past its comma. At the end it
// consumes the bracket and returns false.
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

// key reads a key with its quotes, and the colon after it. Keys are held in memory, so their length
// is limited.
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

// nesting is the maximum depth of a value.
const nesting = jsonspan.MaxDepth * 10
