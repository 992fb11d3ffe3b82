package load

import (
	"bytes"
	"fmt"

	"turns/model"
	"turns/model/stitch"
)

// A run of at least manyEqual equal lines that are short and not messages becomes one row: a file
// of millions of them has no more information.
const (
	manyEqual = 64
	shortLine = 256
)

// equalLines returns the number of bytes at the start of data that are lines equal to the first, of
// size bytes. It returns size if these are too few to share.
func equalLines(data []byte, size int) int {
	if size > shortLine || len(data) < manyEqual*size || !bytes.Equal(data[:size], data[size:2*size]) {
		return size
	}
	end := 2 * size
	for end+size <= len(data) && bytes.Equal(data[:size], data[end:end+size]) {
		end += size
	}
	if end < manyEqual*size {
		return size
	}
	return end
}

// shared makes one row of a run of equal lines and parses only the first. It returns false if each
// line counts separately.
func (x *indexer) shared(batch *stitch.Batch, facts *model.Facts, run []byte, size int, off int64) bool {
	facts.Clear()
	ref := model.Ref{Off: off, Len: uint32(len(run) - 1), Source: x.source}
	if x.parse(model.Record{Ref: ref, Data: run[:size-1]}, facts) != nil || facts.Len() != 1 || facts.Rest > 0 {
		return false
	}
	f := facts.At(0)
	if f.Op != model.Note || f.Key != 0 || f.Record != 0 || f.Target != 0 || f.Usage.Scope != model.NoUsage {
		return false
	}
	f.Name = model.PlainText(fmt.Appendf(nil, "%s, %d times", f.Name, len(run)/size))
	batch.Add(ref, facts)
	return true
}

// spent returns an error if the builder left facts out because of a limit.
func (x *indexer) spent() error {
	rows, cells := x.builder.Left()
	left := fmt.Sprintf("what follows record %d is left out", x.builder.Rows())
	switch {
	case rows:
		return x.limits.Beyond("records", left)
	case cells:
		return x.limits.Beyond("rows", left)
	}
	return nil
}

// leave ends a conversation whose index reached a limit: it adds a row about the omitted part, and
// stops reading and unpacking.
func (c *Conversation) leave(err error) {
	if c.left {
		return
	}
	c.left, c.ended = true, true
	c.src.Stop()
	c.err = err
	c.builder.Bound(stitch.Bounds{})
	c.missing(err)
}
