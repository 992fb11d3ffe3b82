package load

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"turns/model/source/remote"
)

// Changes finds the transcripts of some places, and after that those that were
// written since it looked. It looks at sizes and times only.
type Changes struct {
	places []string
	seen   map[string]written
	// Unlisted joins why some of the places could not be listed at the last look.
	Unlisted error
}

// NewChanges looks at places as [Find] takes them.
func NewChanges(places []string) *Changes { return &Changes{places: places} }

// written is what changes when a transcript is written to: of a database its log
// counts too.
type written struct{ size, at, log, logAt int64 }

// Look gives the transcripts that are new or were written since the last look, all
// the first time, and those that are gone; none where ctx ended it.
func (c *Changes) Look(ctx context.Context) (changed, gone []string) {
	seen := make(map[string]written, len(c.seen))
	paths, err := Find(ctx, c.places)
	if ctx.Err() != nil {
		return nil, nil
	}
	c.Unlisted = err
	for _, path := range paths {
		w, ok := writtenTo(ctx, path)
		if !ok {
			continue
		}
		seen[path] = w
		if before, known := c.seen[path]; !known || before != w {
			changed = append(changed, path)
		}
	}
	for path := range c.seen {
		if _, still := seen[path]; !still {
			gone = append(gone, path)
		}
	}
	c.seen = seen
	return changed, gone
}

// Know says that what a file had when it was looked at is known: its size, and when it was written
// to in Unix ns.
func (c *Changes) Know(path string, size, at int64) { c.seen[path] = written{size: size, at: at} }

// Forget has the next look tell of a transcript.
func (c *Changes) Forget(path string) { delete(c.seen, path) }

func writtenTo(ctx context.Context, path string) (w written, ok bool) {
	info, err := remote.Stat(ctx, path)
	if err != nil {
		return w, false
	}
	at, size := info.ModTime(), info.Size()
	if info.IsDir() {
		at, size = folderAge(ctx, path, at)
	}
	w.size, w.at = size, at.UnixNano()
	if maybeDatabase(path) && !remote.Is(path) {
		if info, err := os.Stat(path + "-wal"); err == nil {
			w.log, w.logAt = info.Size(), info.ModTime().UnixNano()
		}
	}
	return w, true
}

// maybeDatabase reports whether a file is named as databases are.
func maybeDatabase(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".db", ".sqlite", ".sqlite3", ".vscdb":
		return true
	}
	return false
}
