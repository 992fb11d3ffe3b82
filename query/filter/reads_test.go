package filter

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/lang"
)

// countingStream counts the bytes read from it.
type countingStream struct {
	evalStream
	read *atomic.Int64
}

func (s countingStream) ReadAt(p []byte, off int64) (int, error) {
	n, err := s.evalStream.ReadAt(p, off)
	s.read.Add(int64(n))
	return n, err
}

// TestMatchesAreReadOnce: if every small message matches, several workers together read the file
// once for the search and about once to decide, because each works on its own stretch.
func TestMatchesAreReadOnce(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	var msgs []model.Message
	for i := range 20_000 {
		msgs = append(msgs, model.Message{Role: model.User, Blocks: []model.Content{{Kind: model.Words, Text: fmt.Sprintf("zebra %d", i)}}})
	}
	s := evalSourced(rand.New(rand.NewPCG(1, 2)), model.FromMessages(msgs), msgs)
	src := &s.Sources()[0]
	stream := countingStream{src.Stream.(evalStream), new(atomic.Int64)}
	src.Stream = stream
	f, err := lang.Parse("zebra")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Apply(context.Background(), query.Everything(s), f, Env{})
	if err != nil || len(r.IDs) != len(msgs) || len(r.Blocks) != len(msgs) {
		t.Fatal(len(r.IDs), len(r.Blocks), err)
	}
	if read, size := stream.read.Load(), stream.Size(); read > 3*size {
		t.Errorf("read %d bytes of %d", read, size)
	}
}
