package model_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"turns/model"
	"turns/model/stitch"
)

// memory is a stream with bytes that a test may change.
type memory struct{ data []byte }

func (m *memory) Size() int64 { return int64(len(m.data)) }

func (m *memory) ReadAt(p []byte, off int64) (int, error) {
	if off >= m.Size() {
		return 0, io.EOF
	}
	n := copy(p, m.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// notebook is a conversation in an invented format: "user KEY TEXT", "assistant KEY TEXT", "used
// TOTAL", "retract KEY", and "all LINE;LINE" for several lines in one record.
type notebook struct {
	t       *testing.T
	stream  memory
	builder *stitch.Builder
	source  uint16
	parsed  int // number of records parsed for bodies
}

func newNotebook(t *testing.T) *notebook {
	n := &notebook{t: t, builder: stitch.New(model.Arrival, false, model.NewBodyCache(1<<20))}
	n.source = n.builder.AddSource(model.Source{Stream: &n.stream, Parse: func(rec model.Record, fs *model.Facts) error {
		n.parsed++
		return parseNote(rec, fs)
	}})
	return n
}

func parseNote(rec model.Record, fs *model.Facts) error {
	words := strings.SplitN(string(rec.Data), " ", 3)
	switch words[0] {
	case "used":
		f := fs.Add(model.Meter)
		total, err := strconv.ParseInt(words[1], 10, 64)
		f.Usage = model.Usage{Scope: model.Counter, Output: total}
		return err
	case "all": // several lines in one record
		for line := range strings.SplitSeq(string(rec.Data[len("all "):]), ";") {
			if err := parseNote(model.Record{Ref: rec.Ref, Data: []byte(line)}, fs); err != nil {
				return err
			}
		}
		return nil
	case "retract":
		fs.Add(model.Retract).Target = model.HashString(words[1])
		return nil
	}
	f := fs.Add(model.Say)
	f.Role, _ = model.ParseRole(words[0])
	f.Key = model.HashString(words[1])
	f.AddText(model.Words, model.StringText(words[2]))
	return nil
}

func (n *notebook) write(lines ...string) *model.Snapshot {
	n.t.Helper()
	batch := stitch.NewBatch()
	var facts model.Facts
	for _, line := range lines {
		ref := model.Ref{Off: n.stream.Size(), Len: uint32(len(line)), Source: n.source}
		n.stream.data = append(n.stream.data, line...)
		facts.Clear()
		if err := parseNote(model.Record{Ref: ref, Data: []byte(line)}, &facts); err != nil {
			n.t.Fatal(err)
		}
		batch.Add(ref, &facts)
	}
	n.builder.Apply(batch)
	return n.builder.Snapshot()
}

func body(t *testing.T, s *model.Snapshot, id model.ID) *model.Message {
	t.Helper()
	m, err := s.Body(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestBodiesAreThoseOfTheirSnapshot: a message amended after its first reading has its new content
// in the later snapshot, and still the old one in the earlier snapshot.
func TestBodiesAreThoseOfTheirSnapshot(t *testing.T) {
	n := newNotebook(t)
	first := n.write("user u1 hello", "assistant a1 hi", "user u2 more", "assistant a2 yes")
	if m := body(t, first, 3); m.Usage != nil || m.Pos != 3 {
		t.Fatalf("first: %+v, position %d", m.Usage, m.Pos)
	}
	second := n.write("used 10")
	if m := body(t, second, 3); m.Usage == nil || m.Usage.Output != 10 {
		t.Errorf("the usage that came is not shown: %+v", m.Usage)
	}
	third := n.write("used 25")
	if m := body(t, third, 3); m.Usage == nil || m.Usage.Output != 25 {
		t.Errorf("the usage that grew is not shown: %+v", m.Usage)
	}
	if m := body(t, first, 3); m.Usage != nil {
		t.Errorf("the first snapshot has a usage that came later: %+v", m.Usage)
	}
	fourth := n.write("retract u2")
	if m := body(t, fourth, 3); m.Pos != 2 {
		t.Errorf("behind what was taken back the answer is at %d", m.Pos)
	}
	if m := body(t, third, 3); m.Pos != 3 {
		t.Errorf("in the snapshot before that the answer is at %d", m.Pos)
	}
}

// TestRecordsReadByTurnsAreParsedOnce reads alternating messages of two records, as the screen does
// for two concurrent senders: it parses each record once.
func TestRecordsReadByTurnsAreParsedOnce(t *testing.T) {
	n := newNotebook(t)
	n.write("all user u1 a;user u2 b;user u3 c")
	snap := n.write("all user u4 d;user u5 e;user u6 f")
	n.parsed = 0
	for _, id := range []model.ID{0, 3, 1, 4, 2} {
		body(t, snap, id)
	}
	n.write("user u7 g")
	body(t, n.builder.Snapshot(), 5)
	if n.parsed != 2 {
		t.Errorf("two records were parsed %d times", n.parsed)
	}
}

// TestOtherTextIsNotShown: if another message is at the place of the indexed one, reading it is an
// error.
func TestOtherTextIsNotShown(t *testing.T) {
	for name, read := range map[string]func(*model.Snapshot, model.ID) error{
		"body": func(s *model.Snapshot, id model.ID) error {
			_, err := s.Body(context.Background(), id)
			return err
		},
		"blocks": func(s *model.Snapshot, id model.ID) error {
			_, err := s.NewReader().Blocks(context.Background(), id)
			return err
		},
	} {
		n := newNotebook(t)
		s := n.write("user u1 hello", "assistant a1 hi")
		n.stream.data = bytes.Replace(n.stream.data, []byte("u1 hello"), []byte("u9 other"), 1)
		if err := read(s, 0); !errors.Is(err, model.ErrChanged) {
			t.Errorf("%s: reading another message gives %v", name, err)
		}
		if err := read(s, 1); err != nil {
			t.Errorf("%s: reading the one behind it gives %v", name, err)
		}
	}
}

// wide is a stream with more bytes than any single read should request.
type wide struct {
	size, most int64
}

func (w *wide) Size() int64 { return w.size }

func (w *wide) ReadAt(p []byte, _ int64) (int, error) {
	w.most = max(w.most, int64(len(p)))
	clear(p)
	return len(p), nil
}

// TestSearchLeavesHugeRecords: Maybe reads no bytes of a record over the limit and returns it as a
// possible match.
func TestSearchLeavesHugeRecords(t *testing.T) {
	const limit = 1 << 20
	stream := &wide{size: 40 << 20}
	b := stitch.New(model.Arrival, false, model.NewBodyCache(1<<20))
	source := b.AddSource(model.Source{Stream: stream, Limit: limit, Parse: parseNote})
	batch := stitch.NewBatch()
	off := int64(0)
	for _, size := range []uint32{100, 100, 30 << 20, 100} {
		batch.AddUnreadable(model.Ref{Off: off, Len: size, Source: source})
		off += int64(size)
	}
	b.Apply(batch)
	found, ok := b.Snapshot().Maybe(t.Context(), [][]byte{[]byte("literal")}, nil)
	if !ok {
		t.Fatal("it cannot tell")
	}
	if got := slices.Collect(found); !slices.Contains(got, 2) {
		t.Errorf("rows %v, without the one that was not looked at", got)
	}
	if stream.most > limit {
		t.Errorf("%d bytes were read at once", stream.most)
	}
}

// TestSearchEndsWithItsCaller: a caller that stops early does not wait, not even for errors.
func TestSearchEndsWithItsCaller(t *testing.T) {
	n := newNotebook(t)
	lines := make([]string, 3000)
	for i := range lines {
		lines[i] = "user u" + strconv.Itoa(i) + " literal " + strings.Repeat("x", 4000)
	}
	found, ok := n.write(lines...).Maybe(t.Context(), [][]byte{[]byte("literal")}, nil)
	if !ok {
		t.Fatal("it cannot tell")
	}
	defer func() {
		if recover() == nil {
			t.Error("what went wrong was lost")
		}
	}()
	for range found {
		panic("the caller fails")
	}
}
