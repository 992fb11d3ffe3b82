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

// Object is what is known of a file that lies elsewhere.
type Object struct {
	Key     string
	Size    int64
	Written time.Time
	Tag     string // another one when the content is; "" where nobody knows
	From    string // the server, where another has things under the same names
	Folder  bool   // others lie below it
}

// Store is a bucket or a host. It is for use by several goroutines. Its errors say neither
// what was done nor to what, wrap [fs.ErrNotExist] and [fs.ErrPermission] where that is why,
// and hold no secret.
type Store interface {
	// Stat tells of an object, or of a folder.
	Stat(ctx context.Context, key string) (Object, error)
	// List gives the objects whose keys begin with the prefix, some at a time as they come. What
	// prefix ends with "/" or is "" names a folder.
	List(ctx context.Context, prefix string, page func([]Object)) error
	// Read fills p with the bytes of an object from off on. It fails where the object is not
	// the one that is described any more.
	Read(ctx context.Context, o Object, p []byte, off int64) error
	Close() error
}

// ErrChanged says that what was being read was written anew meanwhile.
var ErrChanged = errors.New("it was changed while it was read")

// Places are the buckets and hosts that a run of the program reads from: they are asked
// once what a listing told, and connections are kept. They are for use by several
// goroutines.
type Places struct {
	open   func(Address) (Store, error)
	life   context.Context // of all reads
	end    context.CancelFunc
	mu     sync.Mutex
	stores map[string]*opening
	lists  map[string]listing // by the address that was listed
	begun  map[string]*begun  // by the address of which the first page was asked for
	known  map[string]Object  // by address
}

// opening is a store that is opened once.
type opening struct {
	once  sync.Once
	store Store
	err   error
}

// listing is what lay below an address, in the order of keys.
type listing struct {
	objects []Object
	at      time.Time
}

// NewPlaces opens buckets and hosts with a function when they are first asked for.
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

// With gives a context in which addresses are read from these places.
func With(ctx context.Context, p *Places) context.Context {
	return context.WithValue(ctx, placesKey{}, p)
}

// Of is the places of a context, nil where it has none.
func Of(ctx context.Context) *Places {
	p, _ := ctx.Value(placesKey{}).(*Places)
	return p
}

type pagesKey struct{}

// WithPages gives a context in which what is listed is told of as it comes, by the names of
// files, before all of it is there.
func WithPages(ctx context.Context, tell func(names []string)) context.Context {
	return context.WithValue(ctx, pagesKey{}, tell)
}

func pagesOf(ctx context.Context) func([]string) {
	tell, _ := ctx.Value(pagesKey{}).(func([]string))
	return tell
}

// errNoPlaces says that nobody gave the context a way out.
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

// Stat tells of a file or a folder as [os.Stat] does. Of an object that was listed it tells
// what the listing told.
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
	return statAnew(ctx, a)
}

func lookError(a Address, err error) error {
	return &fs.PathError{Op: "look at", Path: strconv.Quote(a.Shown()), Err: err}
}

func statAnew(ctx context.Context, a Address) (fs.FileInfo, error) {
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

// living is a context that ends with the places, too.
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

// Mark tells a file from what lay in its place before, and from what another server has under
// its name, beyond size and time; "" where these have to do.
func Mark(i fs.FileInfo) string {
	o, _ := i.Sys().(Object)
	if o.Tag+o.From == "" {
		return ""
	}
	return o.From + " " + o.Tag
}

// Open opens a file to read ranges of it. ctx ends its reads, too.
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

// freshFor is how long a listing is taken for what there is. One question asks for the same
// folder several times: whether it is one, whether it is a transcript as a whole, what lies
// in it.
const freshFor = 3 * time.Second

// maxObjects is how many objects of a listing are looked at.
const maxObjects = 2_000_000

// Glob gives the files in a folder, or below it, whose names match a pattern as
// [path/filepath.Glob] has it. The folder is no pattern.
func Glob(ctx context.Context, dir, pattern string) ([]string, error) {
	a, ok := Parse(dir)
	if !ok {
		return filepath.Glob(filepath.Join(quoted(dir), filepath.FromSlash(pattern)))
	}
	return glob(ctx, a, path.Join(quoted(a.Key), pattern))
}

// GlobName is Glob of a pattern that is an address as a whole.
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
	// a listing serves all patterns in its folder
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

// covering is the part of a listing that was made of a prefix, or of one that it begins
// with.
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

func quoted(s string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(s)
}

// info is an object as files are told of.
type info struct{ Object }

func (i info) Name() string       { return path.Base(i.Key) }
func (i info) Size() int64        { return i.Object.Size }
func (i info) ModTime() time.Time { return i.Written }
func (i info) IsDir() bool        { return i.Folder }
func (i info) Sys() any           { return i.Object }

// SameFile reports whether another is of the same place, whatever lies there now.
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
