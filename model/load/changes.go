package load

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"turns/model/source/remote"
)

// Changes finds the transcripts of some places, and then those written since its last look. It only
// reads sizes and times.
type Changes struct {
	places []string
	seen   map[string]written
	// Unlisted joins the errors of the places that the last look could not list.
	Unlisted error
}

// NewChanges watches places, in the forms that [Find] accepts.
func NewChanges(places []string) *Changes { return &Changes{places: places} }

// written has the values that change when a transcript is written, including those of a database's
// log.
type written struct{ size, at, log, logAt int64 }

// Look returns the transcripts written since the last look (the first time: all of them), and the
// removed ones. It returns none if ctx ends.
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

// Know records the size of a file and its time of writing in Unix ns, so that Look does not report
// this state.
func (c *Changes) Know(path string, size, at int64) { c.seen[path] = written{size: size, at: at} }

// Forget makes the next Look report a transcript.
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

// maybeDatabase reports whether a file has a typical extension of a database.
func maybeDatabase(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".db", ".sqlite", ".sqlite3", ".vscdb":
		return true
	}
	return false
}
