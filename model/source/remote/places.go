package remote

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"turns/model/source/disk"
)

// Object describes a remote file.
type Object struct {
	Key     string
	Size    int64
	Written time.Time
	Tag     string // changes with the content; "" if unknown
	From    string // the server, if other servers have files with the same names
	Folder  bool   // it contains objects
}

// Store is a bucket or a host. It is safe for concurrent use. Its errors name neither the operation
// nor the file, contain no secret, and wrap [fs.ErrNotExist] and [fs.ErrPermission] in these cases.
type Store interface {
	// Stat describes an object or a folder.
	Stat(ctx context.Context, key string) (Object, error)
	// List calls page with the objects whose keys start with the prefix, some at a time as they
	// arrive. A prefix that ends with "/" or is "" names a folder.
	List(ctx context.Context, prefix string, page func([]Object)) error
	// Read fills p with the bytes of an object from off on. It returns an error if the object has
	// changed since it was described.
	Read(ctx context.Context, o Object, p []byte, off int64) error
	Close() error
}

// ErrChanged means that the file changed while turns read it.
var ErrChanged = errors.New("it was changed while it was read")

// Places are the buckets and hosts that a process reads. They cache listings and connections, and
// are safe for concurrent use.
type Places struct {
	open   func(Address) (Store, error)
	life   context.Context // of all reads
	end    context.CancelFunc
	mu     sync.Mutex
	stores map[string]*opening
	lists  map[string]listing // by the listed address
	begun  map[string]*begun  // by the address whose first page was requested
	known  map[string]Object  // objects by address
}

// Local is a [Store] whose files are on this machine.
type Local interface {
	// Local returns the path of a key.
	Local(key string) string
}

// LocalPath returns the path of an address on this machine, "" if it is elsewhere.
func LocalPath(ctx context.Context, name string) string {
	a, ok := Parse(name)
	if !ok || Of(ctx) == nil {
		return ""
	}
	_, s, err := store(ctx, a)
	if here, ok := s.(Local); ok && err == nil {
		return here.Local(a.Key)
	}
	return ""
}

// Put sets the store for the root of an address.
func (p *Places) Put(a Address, s Store) {
	o := &opening{}
	o.once.Do(func() { o.store = s })
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stores[a.At("").String()] = o
}

// opening is a store that is opened once.
type opening struct {
	once  sync.Once
	store Store
	err   error
}

// listing is a list of the objects below an address, in the order of keys.
type listing struct {
	objects []Object
	at      time.Time
}

// NewPlaces returns places that open each bucket and host with open at the first request.
func NewPlaces(open func(Address) (Store, error)) *Places {
	life, end := context.WithCancel(context.Background())
	return &Places{open: open, life: life, end: end, stores: map[string]*opening{}, lists: map[string]listing{}, begun: map[string]*begun{}, known: map[string]Object{}}
}

// Close ends all connections.
func (p *Places) Close() error {
	p.end()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, b := range p.begun {
		b.stop()
	}
	clear(p.begun)
	var errs []error
	for _, o := range p.stores {
		if o.once.Do(func() {}); o.store != nil {
			errs = append(errs, o.store.Close())
		}
	}
	clear(p.stores)
	return errors.Join(errs...)
}

type placesKey struct{}

// With returns a context in which the program reads addresses from these places.
func With(ctx context.Context, p *Places) context.Context {
	return context.WithValue(ctx, placesKey{}, p)
}

// Of returns the places of a context, nil if it has none.
func Of(ctx context.Context) *Places {
	p, _ := ctx.Value(placesKey{}).(*Places)
	return p
}

type pagesKey struct{}

// WithPages returns a context in which listings report the names of files as they arrive, before
// the listing is complete.
func WithPages(ctx context.Context, report func(names []string)) context.Context {
	return context.WithValue(ctx, pagesKey{}, report)
}

func pagesOf(ctx context.Context) func([]string) {
	report, _ := ctx.Value(pagesKey{}).(func([]string))
	return report
}

// errNoPlaces reports a context without places.
var errNoPlaces = errors.New("nothing is read from other places here")

func store(ctx context.Context, a Address) (*Places, Store, error) {
	p := Of(ctx)
	if p == nil {
		return nil, nil, errNoPlaces
	}
	root := a.At("").String()
	p.mu.Lock()
	o := p.stores[root]
	if o == nil {
		o = &opening{}
		p.stores[root] = o
	}
	p.mu.Unlock()
	o.once.Do(func() { o.store, o.err = p.open(a) })
	return p, o.store, o.err
}

// Stat describes a file or a folder like [os.Stat]. For a listed object it uses the cached listing.
func Stat(ctx context.Context, name string) (fs.FileInfo, error) {
	a, ok := Parse(name)
	if !ok {
		return os.Stat(name)
	}
	if p := Of(ctx); p != nil {
		p.mu.Lock()
		o, known := p.known[a.String()]
		p.mu.Unlock()
		if known {
			return info{o}, nil
		}
	}
	return statAgain(ctx, a)
}

func lookError(a Address, err error) error {
	return &fs.PathError{Op: "look at", Path: strconv.Quote(a.Shown()), Err: err}
}

func statAgain(ctx context.Context, a Address) (fs.FileInfo, error) {
	p, s, err := store(ctx, a)
	if err != nil {
		return nil, lookError(a, err)
	}
	ctx, stop := p.living(ctx)
	defer stop()
	o, err := s.Stat(ctx, a.Key)
	if err != nil {
		p.forget(a)
		return nil, lookError(a, err)
	}
	p.know(a, o)
	return info{o}, nil
}

// living returns a context that ends with ctx or with the places.
func (p *Places) living(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(p.life, cancel)
	return ctx, func() { stop(); cancel() }
}

func (p *Places) know(a Address, o Object) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known[a.String()] = o
}

func (p *Places) forget(a Address) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.known, a.String())
}

// Mark identifies the content of a file more precisely than size and time; "" if only these are
// known.
func Mark(i fs.FileInfo) string {
	o, _ := i.Sys().(Object)
	if o.Tag+o.From == "" {
		return ""
	}
	return o.From + " " + o.Tag
}

// Open opens a file to read ranges of it. ctx also ends its reads.
func Open(ctx context.Context, name string) (disk.Handle, error) {
	a, ok := Parse(name)
	if !ok {
		return disk.System{}.WithDefaults().Open(name)
	}
	i, err := Stat(ctx, name)
	if err != nil {
		return nil, err
	}
	return open(ctx, a, i.(info).Object)
}

func open(ctx context.Context, a Address, o Object) (disk.Handle, error) {
	p, s, err := store(ctx, a)
	if err != nil {
		return nil, err
	}
	return &file{ctx: ctx, places: p, store: s, at: a, object: o, blocks: map[int64][]byte{}}, nil
}

// freshFor is how long a cached listing is valid. One command asks for the same folder several
// times: whether it is a folder, whether it is a single transcript, which files it has.
const freshFor = 3 * time.Second

// maxObjects limits the objects of a listing.
const maxObjects = 2_000_000

// Glob returns the files in a folder, or below it, whose names match a pattern of
// [path/filepath.Glob]. The folder is not interpreted as a pattern.
func Glob(ctx context.Context, dir, pattern string) ([]string, error) {
	a, ok := Parse(dir)
	if !ok {
		return filepath.Glob(filepath.Join(QuoteGlob(dir), filepath.FromSlash(pattern)))
	}
	return glob(ctx, a, path.Join(QuoteGlob(a.Key), pattern))
}

// GlobName is like Glob, for a pattern that includes the address.
func GlobName(ctx context.Context, name string) ([]string, error) {
	a, ok := Parse(name)
	if !ok {
		return filepath.Glob(name)
	}
	return glob(ctx, a, a.Key)
}

func glob(ctx context.Context, a Address, pattern string) ([]string, error) {
	if !strings.ContainsAny(pattern, `*?[`) {
		return nil, nil
	}
	fixed := pattern[:strings.IndexAny(pattern, `*?[\`)]
	// one listing serves all patterns in its folder
	fixed = fixed[:strings.LastIndexByte(fixed, '/')+1]
	objects, ok := Of(ctx).covering(a, fixed)
	if !ok {
		var err error
		if objects, err = list(ctx, a.At(fixed), false); err != nil {
			return nil, err
		}
	}
	var found []string
	for _, o := range objects {
		if is, err := path.Match(pattern, o.Key); err != nil {
			return nil, err
		} else if is {
			found = append(found, a.At(o.Key).String())
		}
	}
	return found, nil
}

// covering returns the objects with a prefix from a cached listing of it or of a shorter prefix.
func (p *Places) covering(a Address, prefix string) ([]Object, bool) {
	if p == nil {
		return nil, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for end := len(prefix); end >= 0; end-- {
		if end > 0 && prefix[end-1] != '/' {
			continue
		}
		l, ok := p.lists[a.At(prefix[:end]).String()]
		if !ok {
			continue
		}
		from, _ := slices.BinarySearchFunc(l.objects, prefix, func(o Object, key string) int { return cmp.Compare(o.Key, key) })
		to := from
		for to < len(l.objects) && strings.HasPrefix(l.objects[to].Key, prefix) {
			to++
		}
		return l.objects[from:to], true
	}
	return nil, false
}

// QuoteGlob returns a pattern of [path/filepath.Glob] that matches only s.
func QuoteGlob(s string) string {
	if !strings.ContainsAny(s, "*?[") { // nearly all names; a replacer is a table of kilobytes
		return s
	}
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(s)
}

// info is an object as a FileInfo.
type info struct{ Object }

func (i info) Name() string       { return path.Base(i.Key) }
func (i info) Size() int64        { return i.Object.Size }
func (i info) ModTime() time.Time { return i.Written }
func (i info) IsDir() bool        { return i.Folder }
func (i info) Sys() any           { return i.Object }

// SameFile reports whether other has the same key, whatever its current content.
func (i info) SameFile(other fs.FileInfo) bool {
	o, ok := other.(info)
	return ok && o.Key == i.Key
}

func (i info) Mode() fs.FileMode {
	if i.Folder {
		return fs.ModeDir | 0o500
	}
	return 0o400
}
