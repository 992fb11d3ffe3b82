package remote

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"sync"
	"time"

	"turns/model/source/disk"
)

// AtOnce is, for speed only, the number of remote files to request in parallel: the work is mostly
// waiting for answers.
const AtOnce = 32

// For speed only: a file is read in blocks, some of which are cached. Sequential reads fetch more
// each time, because a request takes as long as the transfer of many bytes.
const (
	blockSize = 64 << 10
	maxAhead  = 2 << 20
	maxKept   = 8 << 20 / blockSize
	maxAtOnce = 4 << 20
)

// file is an object that is read in ranges.
type file struct {
	ctx    context.Context
	places *Places
	store  Store
	at     Address
	looks  *looks // of a followed file; nil: the file stays as it was when opened

	mu     sync.Mutex
	object Object
	blocks map[int64][]byte
	order  []int64 // of the cached blocks, the oldest first
	next   int64   // end of the last read
	ahead  int64   // size of the last read-ahead
}

// Stat describes the object; of a followed one, the current state.
func (f *file) Stat() (fs.FileInfo, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.looks == nil {
		return info{f.object}, nil
	}
	i, err := f.looks.look(f.ctx, f.at)
	if err != nil {
		return nil, err
	}
	if now := i.(info).Object; now != f.object {
		f.object = now // followers compare the bytes read with the current ones
		clear(f.blocks)
		f.order = nil
	}
	return i, nil
}

// Close frees the cache.
func (f *file) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.blocks, f.order = map[int64][]byte{}, nil
	return nil
}

// ReadAt reads as [io.ReaderAt] does.
func (f *file) ReadAt(p []byte, off int64) (n int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if off < 0 || off >= f.object.Size {
		return 0, io.EOF
	}
	if left := f.object.Size - off; int64(len(p)) > left {
		p, err = p[:left], io.EOF
	}
	if off == f.next && off > 0 {
		f.ahead = min(max(2*f.ahead, blockSize), maxAhead)
	} else {
		f.ahead = 0
	}
	for n < len(p) {
		block, why := f.block(off+int64(n), off+int64(len(p)))
		if why != nil {
			return n, why
		}
		n += copy(p[n:], block)
	}
	f.next = off + int64(n)
	return n, err
}

// block returns the cached bytes from off on, up to the end of their block. It fetches missing
// bytes, up to the end of the read and the read-ahead.
func (f *file) block(off, end int64) ([]byte, error) {
	at := off / blockSize
	if b := f.blocks[at]; b != nil {
		return b[off-at*blockSize:], nil
	}
	from := at * blockSize
	to := min(end, from+maxAtOnce)
	for b := at; b*blockSize < to; b++ { // skip cached blocks
		if f.blocks[b] != nil {
			to = b * blockSize
			break
		}
	}
	if to = (to + blockSize - 1) / blockSize * blockSize; to >= end {
		to += f.ahead
	}
	to = min(to, f.object.Size)
	data := make([]byte, to-from)
	ctx, stop := f.places.living(f.ctx)
	defer stop()
	if err := f.store.Read(ctx, f.object, data, from); err != nil {
		if errors.Is(err, ErrChanged) {
			f.places.forget(f.at)
		}
		return nil, err
	}
	for len(f.order) > maxKept {
		delete(f.blocks, f.order[0])
		f.order = f.order[1:]
	}
	for b := at; b*blockSize < to; b++ {
		if f.blocks[b] == nil {
			f.order = append(f.order, b)
		}
		f.blocks[b] = data[b*blockSize-from : min((b+1)*blockSize, to)-from]
	}
	return f.blocks[at][off-from:], nil
}

// looks caches the answers about addresses until the next tick. A check of a followed file asks
// several times for the state of the path and of the open file: one request answers all.
type looks struct {
	mu         sync.Mutex
	statResult map[Address]statResult
}

type statResult struct {
	info fs.FileInfo
	err  error
}

func (l *looks) look(ctx context.Context, a Address) (fs.FileInfo, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t, ok := l.statResult[a]
	if !ok {
		t.info, t.err = statAgain(ctx, a)
		l.statResult[a] = t
	}
	return t.info, t.err
}

func (l *looks) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.statResult)
}

// System reads remote files for addresses, and local ones for other names. With follow it checks
// remote files only every few seconds, because each check is a request, and may cost money.
func System(ctx context.Context, follow bool) disk.System {
	if !follow {
		return disk.System{
			Stat: func(name string) (fs.FileInfo, error) { return Stat(ctx, name) },
			Open: func(name string) (disk.Handle, error) { return Open(ctx, name) },
			Deaf: true,
		}
	}
	l := &looks{statResult: map[Address]statResult{}}
	every, ok := ctx.Value(everyKey{}).(time.Duration)
	if !ok {
		every = followEvery
	}
	return disk.System{
		Stat: func(name string) (fs.FileInfo, error) {
			a, _ := Parse(name)
			return l.look(ctx, a)
		},
		Open: func(name string) (disk.Handle, error) {
			h, err := Open(ctx, name)
			if f, ok := h.(*file); ok {
				f.looks = l
			}
			return h, err
		},
		Tick: func(d time.Duration) (<-chan time.Time, func()) {
			l.forget() // the wait is for a new answer
			t := time.NewTimer(max(d, every))
			return t.C, func() { t.Stop() }
		},
		Deaf: true,
	}
}

// For speed only: followEvery is the polling interval for followed remote files, unless the context
// has another ([WithEvery]).
const followEvery = 5 * time.Second

type everyKey struct{}

// WithEvery returns a context in which followed remote files are checked at this interval. Tests
// use it, because a test that waits for several checks would take half a minute.
func WithEvery(ctx context.Context, every time.Duration) context.Context {
	return context.WithValue(ctx, everyKey{}, every)
}
