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
	"sync"

	"turns/model"
	"turns/model/source/remote"
)

// Kept is a question about transcripts whose answers the store caches. A transcript that has not
// changed is not read again.
type Kept[T any] struct {
	Name string // folder of the answers in the cache
	Rest string // everything else that the answers depend on, such as prices
	// Ask answers about all sessions of a transcript; Show selects from the answer.
	Ask func(ctx context.Context, t *Loaded) (T, error)
	// Move returns a copy of an answer that names the transcript to where the answer named from. A
	// cached answer names no transcript: from or to is "".
	Move func(answer T, from, to string) T
	Show func(answer T) T // returns the wanted part; nil: all
}

// mapKept is [Map] for a question with cached answers.
func mapKept[T any](ctx context.Context, l *Store, paths []string, k Kept[T]) iter.Seq[Answer[T]] {
	show := k.Show
	if show == nil {
		show = func(answer T) T { return answer }
	}
	q := Query[T]{Ask: func(ctx context.Context, t *Loaded) (T, error) {
		answer, err := k.Ask(ctx, t)
		return show(answer), err
	}}
	cache := openAnswers(l, &k)
	if cache == nil {
		return Map(ctx, l, paths, q)
	}
	q.Ask = func(ctx context.Context, t *Loaded) (T, error) {
		answer, err := k.Ask(ctx, t)
		if _, part := PartOf(t.Path); err == nil && part == nil && t.before != nil && t.before.Mode().IsRegular() && t.Conv.Alone() && t.Unread == nil {
			cache.keep(t, k.Move(answer, t.Path, ""))
		}
		return show(answer), err
	}
	q.Known = func(path string) (known Known[T], ok bool) {
		info, err := remote.Stat(ctx, path)
		if err != nil || !info.Mode().IsRegular() {
			return known, false
		}
		kept, ok := cache.known(path, info)
		if !ok {
			return known, false
		}
		return Known[T]{show(k.Move(kept.Answer, "", path)), damagedBy(kept.Damaged), kept.Moves}, true
	}
	return func(yield func(Answer[T]) bool) {
		defer cache.close()
		Map(ctx, l, paths, q)(yield)
	}
}

// answers are the cached answers to a question: a file for each folder of transcripts, so that few
// are in memory at a time. They are safe for concurrent use.
type answers[T any] struct {
	dir  string
	key  string // the program and the rest of the question, which change the answers
	base string // the working folder, which relative paths start from
	mu   sync.Mutex
	held []*shard[T] // the last used ones, the oldest first
}

// shardsHeld is how many folders are in memory at a time: workers are mostly in the same one.
const shardsHeld = 4

// shard has the answers about the transcripts of a folder.
type shard[T any] struct {
	folder  string
	changed bool
	Key     string
	Files   map[string]keptAnswer[T] // by name
}

// keptAnswer is the answer about a file, as long as the file does not change.
type keptAnswer[T any] struct {
	Size, Written int64
	Mark          string
	Damaged       int  // number of unreadable records
	Moves         bool // the session may continue in another transcript
	Answer        T
}

// openAnswers returns the cached answers to a question; nil if the store has no cache, or if its
// options change the answers.
func openAnswers[T any](l *Store, k *Kept[T]) *answers[T] {
	if l.o.Cache == "" || l.o.Redact || l.o.Choose != nil || l.o.Load.Format != "" || len(l.o.Load.Formats) > 0 ||
		l.o.Load.Agents || l.o.Load.Limits != (model.Limits{}) {
		return nil
	}
	base, err := os.Getwd()
	if err != nil {
		return nil
	}
	h := fnv.New128a()
	_, _ = io.WriteString(h, program()+"\n"+k.Rest)
	return &answers[T]{base: base, dir: filepath.Join(l.o.Cache, k.Name), key: fmt.Sprintf("%x", h.Sum(nil))}
}

// shard returns the answers about a folder.
func (c *answers[T]) shard(folder string) *shard[T] {
	i := slices.IndexFunc(c.held, func(s *shard[T]) bool { return s.folder == folder })
	if i >= 0 {
		s := c.held[i]
		c.held = append(slices.Delete(c.held, i, i+1), s)
		return s
	}
	s := &shard[T]{}
	if !readGob(c.path(folder), 256<<20, s) || s.Key != c.key {
		s = &shard[T]{Key: c.key}
	}
	if s.folder = folder; s.Files == nil {
		s.Files = map[string]keptAnswer[T]{}
	}
	if len(c.held) == shardsHeld {
		c.save(c.held[0])
		c.held = slices.Delete(c.held, 0, 1)
	}
	c.held = append(c.held, s)
	return s
}

func (c *answers[T]) path(folder string) string {
	h := fnv.New128a()
	_, _ = io.WriteString(h, folder)
	return filepath.Join(c.dir, fmt.Sprintf("%x.gob", h.Sum(nil)))
}

// whole returns an absolute path; addresses are absolute already.
func (c *answers[T]) whole(path string) string {
	if remote.Is(path) {
		return path
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(c.base, path)
}

// known returns the cached answer about an unchanged file.
func (c *answers[T]) known(path string, info fs.FileInfo) (kept keptAnswer[T], ok bool) {
	whole := c.whole(path)
	c.mu.Lock()
	defer c.mu.Unlock()
	kept, ok = c.shard(filepath.Dir(whole)).Files[filepath.Base(whole)]
	return kept, ok && kept.Size == info.Size() && kept.Written == info.ModTime().UnixNano() && kept.Mark == remote.Mark(info)
}

// keep caches an answer without the transcript's name, which depends on how the user named it.
func (c *answers[T]) keep(t *Loaded, answer T) {
	whole := c.whole(t.Path)
	info := t.before
	kept := keptAnswer[T]{info.Size(), info.ModTime().UnixNano(), remote.Mark(info), t.Chosen.Snap.Unreadable(), t.moves, answer}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.shard(filepath.Dir(whole))
	s.Files[filepath.Base(whole)], s.changed = kept, true
}

// close writes the new answers. A write failure is not an error: the next question only takes
// longer.
func (c *answers[T]) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.held {
		c.save(s)
	}
	c.held = nil
}

func (c *answers[T]) save(s *shard[T]) {
	if s.changed {
		writeGob(c.path(s.folder), s)
	}
	s.changed = false
}
