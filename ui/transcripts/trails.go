package transcripts

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"turns/model"
	"turns/model/source/remote"
	"turns/query/changes"
	"turns/query/lang"
	"turns/query/session"
)

// TrailsOptions choose the file, and the sessions to search.
type TrailsOptions struct {
	File     string // resolved path
	Searched changes.Searched
	Sessions *lang.Filter // selects sessions, as in lists
}

// Trails collects the lines that transcripts wrote into a file, in order. A transcript that wrote
// none has a nil answer. The store caches the trails of each file, so that an unchanged transcript
// is read once.
func (l *Store) Trails(ctx context.Context, paths []string, o TrailsOptions) iter.Seq[Answer[*changes.Trail]] {
	match := changes.MatchFile(o.File, o.Searched)
	q := Query[*changes.Trail]{
		Holding: [][]byte{[]byte(filepath.Base(filepath.FromSlash(o.File)))},
		Ask: func(ctx context.Context, t *Loaded) (*changes.Trail, error) {
			if !l.Wanted(ctx, t, o.Sessions) {
				return nil, nil
			}
			h, err := changes.Of(ctx, t.Chosen.Snap, nil)
			if err != nil {
				return nil, err
			}
			trail, err := h.Trail(ctx, t.Path, match)
			if err != nil || len(trail.Files) == 0 {
				return nil, err
			}
			trail.Agent = (&session.Session{Summary: model.Summary{Agent: trail.Agent}}).AgentName()
			return trail, nil
		},
	}
	cache := l.openTrails(o)
	if cache == nil {
		return Map(ctx, l, paths, q)
	}
	q.Known = func(path string) (Known[*changes.Trail], bool) {
		trail, ok := cache.known(ctx, path)
		return Known[*changes.Trail]{Answer: trail, Moves: true}, ok
	}
	read := q.Ask
	q.Ask = func(ctx context.Context, t *Loaded) (*changes.Trail, error) {
		trail, err := read(ctx, t)
		if _, part := PartOf(t.Path); err == nil && part == nil && t.before != nil && t.Conv.Alone() && t.Unread == nil {
			cache.keep(t.Path, t.before, trail)
		}
		return trail, err
	}
	return func(yield func(Answer[*changes.Trail]) bool) {
		defer cache.save()
		for a := range Map(ctx, l, paths, q) {
			if a.None && a.Err == nil {
				cache.keepNone(ctx, a.Path)
			}
			if !yield(a) {
				return
			}
		}
	}
}

// trailCache has the trails of one file, by transcript. It is safe for concurrent use.
type trailCache struct {
	path    string
	began   time.Time
	mu      sync.Mutex
	changed bool
	Key     string
	Files   map[string]keptTrail
}

// keptTrail is the trail of a transcript, valid while the transcript is unchanged.
type keptTrail struct {
	Size, Written int64
	Mark          string
	Trail         *packedTrail // nil: it wrote no line of the file
}

// packedTrail is a trail whose lines are joined: decoding a text is cheaper than decoding its
// lines.
type packedTrail struct {
	Trail          changes.Trail // its files without their lines
	Final, Written []string      // of each file
}

// lineEnd separates joined lines; no line contains it.
const lineEnd = "\n"

// pack returns the compact form of a trail, nil if one of its lines contains a line break.
func pack(t *changes.Trail) *packedTrail {
	p := &packedTrail{Trail: *t}
	p.Trail.Files = slices.Clone(t.Files)
	for i := range p.Trail.Files {
		f := &p.Trail.Files[i]
		final, written := strings.Join(f.Final, lineEnd), strings.Join(f.Written, lineEnd)
		if strings.Count(final, lineEnd) != max(len(f.Final)-1, 0) || strings.Count(written, lineEnd) != max(len(f.Written)-1, 0) {
			return nil
		}
		p.Final, p.Written = append(p.Final, final), append(p.Written, written)
		f.Final, f.Written = nil, nil
	}
	return p
}

func (p *packedTrail) unpack() *changes.Trail {
	t := p.Trail
	t.Files = slices.Clone(t.Files)
	for i := range t.Files {
		f := &t.Files[i]
		if len(f.Origins) > 0 {
			f.Final = strings.Split(p.Final[i], lineEnd)
		}
		if len(f.WrittenBy) > 0 {
			f.Written = strings.Split(p.Written[i], lineEnd)
		}
	}
	return &t
}

// trailsMax limits the size of a cache file, and trailFiles the number of these files.
const (
	trailsMax  = 512 << 20
	trailFiles = 24
)

// openTrails reads the cache of a file; nil without a cache, or if the answer depends on more than
// the transcripts.
func (l *Store) openTrails(o TrailsOptions) *trailCache {
	if l.o.Cache == "" || l.o.Choose != nil || l.o.Load.Format != "" || len(l.o.Load.Formats) > 0 || l.o.Load.Limits != (model.Limits{}) || !o.Sessions.Empty() {
		return nil
	}
	h := fnv.New128a()
	_, _ = io.WriteString(h, fmt.Sprint(o.File, "\n", o.Searched, l.o.Redact, l.o.Load.Agents))
	c := &trailCache{path: filepath.Join(l.o.Cache, "blame", fmt.Sprintf("%x.gob", h.Sum(nil))), began: time.Now()}
	if key := program(); !readGob(c.path, trailsMax, c) || c.Key != key || c.Files == nil {
		c.Key, c.Files = key, map[string]keptTrail{}
	}
	return c
}

// known returns the stored trail of a transcript, if the transcript is unchanged.
func (c *trailCache) known(ctx context.Context, path string) (*changes.Trail, bool) {
	info, err := remote.Stat(ctx, path)
	if err != nil || !info.Mode().IsRegular() {
		return nil, false
	}
	c.mu.Lock()
	kept, ok := c.Files[samePath(path)]
	c.mu.Unlock()
	if !ok || kept.Size != info.Size() || kept.Written != info.ModTime().UnixNano() || kept.Mark != remote.Mark(info) {
		return nil, false
	}
	if kept.Trail == nil {
		return nil, true
	}
	trail := kept.Trail.unpack()
	trail.Path = path
	return trail, true
}

func (c *trailCache) keep(path string, info fs.FileInfo, trail *changes.Trail) {
	if !info.Mode().IsRegular() {
		return
	}
	kept := keptTrail{Size: info.Size(), Written: info.ModTime().UnixNano(), Mark: remote.Mark(info)}
	if trail != nil {
		if kept.Trail = pack(trail); kept.Trail == nil {
			return
		}
	}
	c.mu.Lock()
	c.Files[samePath(path)], c.changed = kept, true
	c.mu.Unlock()
}

// keepNone remembers that a transcript does not mention the file. It skips a transcript that
// was written since the question began: that may mention it now.
func (c *trailCache) keepNone(ctx context.Context, path string) {
	if info, err := remote.Stat(ctx, path); err == nil && info.ModTime().Before(c.began.Add(-time.Second)) {
		c.keep(path, info, nil)
	}
}

// save writes the cache for the next question. Failing to write it is not an error.
func (c *trailCache) save() {
	if !c.changed {
		return
	}
	writeGob(c.path, c)
	dir := filepath.Dir(c.path)
	list, err := os.ReadDir(dir)
	if err != nil || len(list) <= trailFiles {
		return
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return writtenAt(b).Compare(writtenAt(a)) })
	for _, old := range list[trailFiles:] {
		_ = os.Remove(filepath.Join(dir, old.Name()))
	}
}

func writtenAt(e fs.DirEntry) time.Time {
	info, err := e.Info()
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
