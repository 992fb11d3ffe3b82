package source

import (
	"bytes"
	"errors"
	"hash/maphash"

	"turns/model"
	"turns/model/jsonspan"
	"turns/model/source/spool"
)

// errRewritten reports a change before the end of the content, which needs a new stream.
var errRewritten = errors.New("rewritten")

// recordSink writes records to a spool. With a memory it writes only records that are new to the
// memory.
type recordSink struct {
	spool  *spool.Spool
	memory *memory
	held   bool   // records become visible when release is called
	gather bool   // many records become visible at a time: all are available already
	meter  *meter // of a database, whose rows may exceed its size; nil: none
	most   int64  // maximum number of records; 0: no limit
	count  int64
	list   string
	start  int64 // of the record
	data   int64 // of its JSON
	sum    maphash.Hash
	buf    []byte
	err    error
}

func newSink(spool *spool.Spool, m *memory) *recordSink {
	k := &recordSink{spool: spool, memory: m}
	if m != nil {
		k.sum.SetSeed(m.seed)
	}
	return k
}

func (k *recordSink) begin(list string) {
	if k.err != nil {
		return
	}
	if k.count++; k.most > 0 && k.count > k.most {
		k.err = model.Limits{Records: k.most}.WithDefaults().Beyond("records", "what follows after so many records is left out")
		return
	}
	k.list = list
	k.start = k.spool.Written()
	k.buf = append(appendList(k.buf[:0], list), '\t')
	k.data = k.start + int64(len(k.buf))
	if _, err := k.spool.Write(k.buf); err != nil {
		k.err = err
	}
	k.sum.Reset()
}

// Write appends to the current record; p must not contain newlines.
func (k *recordSink) Write(p []byte) (int, error) {
	if k.err != nil {
		return 0, k.err
	}
	if k.memory != nil {
		k.sum.Write(p)
	}
	if k.meter != nil {
		k.meter.out.Add(int64(len(p)))
		if k.err = k.meter.spent(); k.err != nil {
			k.abort()
			return 0, k.err
		}
	}
	n, err := k.spool.Write(p)
	if err != nil {
		k.err = err
	}
	return n, err
}

func (k *recordSink) abort() { k.spool.Rollback(k.start) }

// end completes the record, or removes it if it is known.
func (k *recordSink) end() {
	if k.err != nil {
		return
	}
	if k.memory != nil {
		known, err := k.memory.record(k)
		if err != nil {
			k.err = err
		}
		if known || err != nil {
			k.abort()
			return
		}
	}
	if _, err := k.spool.Write([]byte{'\n'}); err != nil {
		k.err = err
		return
	}
	if !k.held && !(k.gather && k.spool.Written()-k.spool.Size() < gathered) {
		k.spool.Commit()
	}
}

// For speed only: gathered is how many bytes become visible at a time: each time, readers check
// again.
const gathered = 256 << 10

// release makes the held records visible, or removes them all.
func (k *recordSink) release(good bool) {
	if good {
		k.spool.Commit()
		return
	}
	k.spool.Rollback(k.spool.Size())
}

// record writes a complete record.
func (k *recordSink) record(list string, json []byte) {
	k.begin(list)
	if bytes.IndexByte(json, '\n') >= 0 || bytes.IndexByte(json, '\r') >= 0 {
		k.buf = appendFlat(k.buf[:0], json)
		json = k.buf
	}
	k.Write(json)
	k.end()
}

// memory remembers the last unrolling of a followed container: a hash of each record by its list
// and place.
type memory struct {
	seed  maphash.Seed
	loose bool // a changed record is written again instead of all
	lists map[string]*listMemory
	resume
}

type listMemory struct {
	sums []uint64
	at   int // position of this run
}

func newMemory() *memory {
	return &memory{seed: maphash.MakeSeed(), lists: map[string]*listMemory{}}
}

// begin starts another run.
func (m *memory) begin() {
	for _, l := range m.lists {
		l.at = 0
	}
}

// end completes a run: records that it did not reach are gone.
func (m *memory) end() error {
	if m.blank() {
		return nil // truncated to be rewritten; the next check reads all of it
	}
	for _, l := range m.lists {
		if l.at < len(l.sums) && !m.loose {
			return errRewritten
		}
	}
	return nil
}

// blank reports whether a run found no records.
func (m *memory) blank() bool {
	for _, l := range m.lists {
		if l.at > 0 {
			return false
		}
	}
	return true
}

// record reports whether k's record is unchanged at its place.
func (m *memory) record(k *recordSink) (known bool, err error) {
	l := m.lists[k.list]
	if l == nil {
		l = &listMemory{}
		m.lists[k.list] = l
	}
	sum := k.sum.Sum64()
	at := l.at
	l.at++
	if at >= len(l.sums) {
		l.sums = append(l.sums, sum)
		return false, nil
	}
	if l.sums[at] == sum {
		return true, nil
	}
	l.sums[at] = sum
	if m.loose || k.list == "" {
		return false, nil
	}
	return false, errRewritten
}

// maxLooked is the maximum size of a record that content returns.
const maxLooked = 16 << 20

// content returns the JSON of the current record, nil if it is too large.
func (k *recordSink) content() []byte {
	if k.spool.Written()-k.data > maxLooked {
		return nil
	}
	b, err := k.spool.Pending(k.data)
	if err != nil {
		return nil
	}
	return b
}

// complete reports whether the record is a complete value, so that a last line without a newline is
// not still being written.
func (k *recordSink) complete() bool {
	_, _, err := jsonspan.Cut(k.content())
	return err == nil
}
