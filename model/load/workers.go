package load

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"turns/model"
	"turns/model/source"
)

// worker parses the lines of blocks.
type worker struct {
	*indexer
	parsed model.Facts
	cutter source.Cutter
}

// team is the state of the workers of one advance. Each reads and parses the next block of the
// stream. The worker that finishes the earliest block then passes all finished blocks to the
// builder, in order. So no goroutine only waits for others, and a block stays with the core that
// has it in its cache.
type team struct {
	*indexer
	end    int64
	last   bool
	blocks chan struct{} // one for each block in progress, to limit how far a worker runs ahead

	cutting sync.Mutex // guards the next fields, and the stream's position
	taken   int        // number of blocks
	ended   bool
	err     error

	full atomic.Bool // the index reached a limit

	handing  sync.Mutex     // guards the next fields
	ready    map[int]*block // parsed, by number
	applied  int            // number of blocks
	applying bool           // a worker is passing blocks to the builder
	mistake  any            // value of the builder's panic
}

// advanceTogether is advance with several workers.
func (x *indexer) advanceTogether(ctx context.Context, end int64, last bool) error {
	defer x.readTail(end)
	x.makeFree()
	t := &team{indexer: x, end: end, last: last, blocks: make(chan struct{}, cap(x.free)), ready: make(map[int]*block)}
	var wg sync.WaitGroup
	for range x.workers {
		wg.Go(func() { t.work(ctx) })
	}
	wg.Wait()
	x.free, x.long = nil, nil // appended bytes need only one block
	if t.mistake != nil {
		panic(t.mistake) // here the caller can still restore the terminal
	}
	return t.err
}

func (t *team) work(ctx context.Context) {
	w := worker{indexer: t.indexer}
	for {
		t.blocks <- struct{}{}
		b := t.newBlock()
		n, ok := t.take(ctx, b)
		if !ok {
			t.recycle(b)
			<-t.blocks
			return
		}
		w.facts(b)
		t.hand(n, b)
	}
}

// take fills the block with the next lines and returns its number.
func (t *team) take(ctx context.Context, b *block) (n int, ok bool) {
	t.cutting.Lock()
	defer t.cutting.Unlock()
	if t.ended || t.full.Load() {
		return 0, false
	}
	more, err := t.cut(ctx, b, t.end, t.last)
	if err != nil || !more {
		t.ended, t.err = true, err
		return 0, false
	}
	t.taken++
	return t.taken - 1, true
}

// hand stores a parsed block, and applies the due blocks unless another worker is doing that.
func (t *team) hand(n int, b *block) {
	t.handing.Lock()
	defer t.handing.Unlock()
	t.ready[n] = b
	if t.applying {
		return
	}
	t.applying = true
	for b := t.ready[t.applied]; b != nil; b = t.ready[t.applied] {
		delete(t.ready, t.applied)
		t.applied++
		t.handing.Unlock()
		mistake := t.tryApply(b)
		<-t.blocks
		t.handing.Lock()
		if mistake != nil {
			t.mistake = mistake
		}
	}
	t.applying = false
}

// tryApply is apply, and returns the value of a panic. After a panic it applies no more blocks.
func (t *team) tryApply(b *block) (mistake any) {
	if t.mistake != nil {
		return nil
	}
	defer func() { t.full.Store(t.over != nil) }()
	defer func() {
		if v := recover(); v != nil {
			mistake = fmt.Sprintf("%v\n%s", v, debug.Stack())
		}
	}()
	t.apply(b)
	return nil
}
