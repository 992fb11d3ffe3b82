package shape

import (
	"context"
	"io"
	"runtime"
	"sync"

	"turns/model"
	"turns/query"
)

// encoder writes messages one after another; each worker has its own.
type encoder interface {
	// message appends the elements of a message in the format, each after its separator. prev is
	// the previous message in the selection, NoID for the first.
	message(ctx context.Context, dst []byte, id, prev model.ID) ([]byte, error)
}

// For speed only: the limits of a run, and the size of a piece of its output.
const (
	runBytes    = 512 << 10 // of texts per run
	runMessages = 1024
	chunkBytes  = 256 << 10
)

// run is a group of neighbouring messages. Its output arrives in pieces, so that a large message is
// not in memory twice.
type run struct {
	ids  []model.ID
	prev model.ID
	out  chan []byte
}

// pipe encodes messages on several workers and writes them in order. The first element has no
// separator before it.
type pipe struct {
	w       io.Writer
	sel     query.Selection
	sep     string
	workers int
	chunks  sync.Pool
}

func newPipe(w io.Writer, sel query.Selection, sep string, workers int) *pipe {
	if workers <= 0 {
		workers = min(runtime.GOMAXPROCS(0), 4)
	}
	return &pipe{w: w, sel: sel, sep: sep, workers: workers}
}

// write returns when everything is written, or with the first error. No goroutine outlives it.
func (p *pipe) write(ctx context.Context, encoders []encoder) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var workers []func(*run)
	for _, e := range encoders {
		workers = append(workers, func(r *run) {
			if err := p.encode(ctx, e, r); err != nil {
				stop(err)
			}
			close(r.out)
		})
	}
	skip := len(p.sep)
	for r := range query.InOrder(ctx, workers, 2*len(encoders), p.runs, func(r *run) { close(r.out) }) {
		for chunk := range r.out {
			if ctx.Err() == nil {
				if _, err := p.w.Write(chunk[skip:]); err != nil {
					stop(err)
				}
			}
			skip = 0
			p.free(chunk)
		}
	}
	return context.Cause(ctx)
}

// runs divides the selection. Messages of one record stay together, so that it is parsed once.
func (p *pipe) runs(yield func(*run) bool) {
	ids, snap := p.sel.IDs, p.sel.Snap
	prev := model.NoID
	for from := 0; from < len(ids); {
		size, to := 0, from
		for to < len(ids) {
			if to > from && (size >= runBytes || to-from >= runMessages) && !sameRecord(snap, ids[to-1], ids[to]) {
				break
			}
			size += int(snap.HeadRow(ids[to]).Size)
			to++
		}
		if !yield(&run{ids[from:to], prev, make(chan []byte, 4)}) {
			return
		}
		prev = ids[to-1]
		from = to
	}
}

// sameRecord reports whether a message begins in the record in which the previous one ends.
func sameRecord(snap *model.Snapshot, before, id model.ID) bool {
	a, b := snap.HeadRow(before).LastPart, snap.HeadRow(id).LastPart
	if a == model.NoRow || b == model.NoRow {
		return false
	}
	x, y := snap.Part(int(a)).Ref, snap.Part(int(b)).Ref
	return x.Off == y.Off && x.Source == y.Source
}

func (p *pipe) encode(ctx context.Context, e encoder, r *run) error {
	buf := p.chunk()
	prev := r.prev
	for _, id := range r.ids {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		var err error
		if buf, err = e.message(ctx, buf, id, prev); err != nil {
			return err
		}
		prev = id
		if len(buf) >= chunkBytes {
			select {
			case r.out <- buf:
				buf = p.chunk()
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
	if len(buf) == 0 {
		p.free(buf)
		return nil
	}
	select {
	case r.out <- buf:
	case <-ctx.Done():
	}
	return nil
}

func (p *pipe) chunk() []byte {
	if b, ok := p.chunks.Get().(*[]byte); ok {
		return (*b)[:0]
	}
	return make([]byte, 0, chunkBytes+chunkBytes/4)
}

func (p *pipe) free(b []byte) {
	if cap(b) <= 4*chunkBytes { // one huge message must not stay in memory
		p.chunks.Put(&b)
	}
}
