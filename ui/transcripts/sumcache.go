package transcripts

import (
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"turns/model"
	"turns/model/source/remote"
	"turns/query/lang"
	"turns/query/many"
	"turns/query/session"
	"turns/query/summary"
)

// sumCache keeps the sums of runs between runs of the program, a file for each folder
// of transcripts, so that little of it is in memory at a time. It is for use by several
// goroutines.
type sumCache struct {
	dir  string
	key  string // the program and the prices: others sum otherwise
	mu   sync.Mutex
	held []*sumShard // those that were used last, the oldest first
}

// sumsHeld is how many folders are in memory at a time: workers are mostly in one.
const sumsHeld = 4

// sumShard is what is kept of the transcripts of a folder.
type sumShard struct {
	folder  string
	changed bool
	Key     string
	Files   map[string]sumsKept // by name
}

// sumsKept is what was summed of a file, as long as it does not change.
type sumsKept struct {
	Size, Written int64
	Mark          string
	Damaged       int // number of unreadable records
	Runs          []*many.Run
}

// openSums is the cache of sums; nil where nothing is kept, or where what was chosen of
// runs, or how they are read, is not what is kept.
func (l *Store) openSums(o TotalsOptions, prices summary.PriceTable) *sumCache {
	if l.o.Cache == "" || l.o.Redact || l.o.Choose != nil || o.Tokens || l.o.Load.Format != "" || len(l.o.Load.Formats) > 0 || l.o.Load.Agents ||
		l.o.Load.Limits != (model.Limits{}) || len(session.NewFilter(o.Sessions, lang.TimeRef{}).Unanswered()) > 0 {
		return nil
	}
	h := fnv.New128a()
	_, _ = io.WriteString(h, program())
	for _, name := range slices.Sorted(maps.Keys(prices)) {
		fmt.Fprintln(h, name, prices[name])
	}
	return &sumCache{dir: filepath.Join(l.o.Cache, "sums"), key: fmt.Sprintf("%x", h.Sum(nil))}
}

// shard is that of a folder.
func (c *sumCache) shard(folder string) *sumShard {
	i := slices.IndexFunc(c.held, func(s *sumShard) bool { return s.folder == folder })
	if i >= 0 {
		s := c.held[i]
		c.held = append(slices.Delete(c.held, i, i+1), s)
		return s
	}
	s := &sumShard{}
	if !readGob(c.path(folder), 256<<20, s) || s.Key != c.key {
		s = &sumShard{Key: c.key}
	}
	if s.folder = folder; s.Files == nil {
		s.Files = map[string]sumsKept{}
	}
	if len(c.held) == sumsHeld {
		c.save(c.held[0])
		c.held = slices.Delete(c.held, 0, 1)
	}
	c.held = append(c.held, s)
	return s
}

func (c *sumCache) path(folder string) string {
	h := fnv.New128a()
	_, _ = io.WriteString(h, folder)
	return filepath.Join(c.dir, fmt.Sprintf("%x.gob", h.Sum(nil)))
}

// wholePath is a path from wherever it is asked for; an address is one already.
func wholePath(path string) (string, error) {
	if remote.Is(path) {
		return path, nil
	}
	return filepath.Abs(path)
}

// known are the sums of a file that has not changed since.
func (c *sumCache) known(path string, info fs.FileInfo) (runs []*many.Run, damaged int, ok bool) {
	whole, err := wholePath(path)
	if err != nil {
		return nil, 0, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	kept, ok := c.shard(filepath.Dir(whole)).Files[filepath.Base(whole)]
	if !ok || kept.Size != info.Size() || kept.Written != info.ModTime().UnixNano() || kept.Mark != remote.Mark(info) {
		return nil, 0, false
	}
	now := time.Now()
	for _, r := range kept.Runs {
		run := *r
		run.Live = run.Path == "" && session.Live(&run.Summary, now)
		run.Path = path + run.Path
		runs = append(runs, &run)
	}
	return runs, kept.Damaged, true
}

// keep remembers the sums of a file. What its runs are called depends on how it was named.
func (c *sumCache) keep(path string, info fs.FileInfo, runs []*many.Run, damaged int) {
	kept := make([]*many.Run, len(runs))
	for i, r := range runs {
		run := *r
		run.Path = strings.TrimPrefix(run.Path, path)
		kept[i] = &run
	}
	whole, err := wholePath(path)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.shard(filepath.Dir(whole))
	s.Files[filepath.Base(whole)], s.changed = sumsKept{info.Size(), info.ModTime().UnixNano(), remote.Mark(info), damaged, kept}, true
}

// close writes what was learned. A cache that cannot be written is no error: the next
// answer only takes longer.
func (c *sumCache) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.held {
		c.save(s)
	}
	c.held = nil
}

func (c *sumCache) save(s *sumShard) {
	if s.changed {
		writeGob(c.path(s.folder), s)
	}
	s.changed = false
}
