package library

import (
	"bytes"
	"encoding/gob"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"turns/export/outfile"
	"turns/model"
	"turns/model/load"
	"turns/model/source/remote"
)

// listCache keeps summaries between runs, under the XDG cache folder.
type listCache struct {
	path string
	old  map[string]model.Summary
	now  map[string]model.Summary
	made bool // a summary that was not kept yet
}

// openCache reads what was kept; what cannot be read is made anew.
func (l *Library) openCache() *listCache {
	c := &listCache{old: make(map[string]model.Summary), now: make(map[string]model.Summary)}
	if l.o.Cache == "" {
		return c
	}
	c.path = filepath.Join(l.o.Cache, "list-13.gob") // JSON takes four times as long to read
	data, err := outfile.Read(c.path, 64<<20)
	if err != nil || gob.NewDecoder(bytes.NewReader(data)).Decode(&c.old) != nil {
		c.old = make(map[string]model.Summary)
	}
	return c
}

// known is a summary that still holds: the file has neither grown nor been
// written to since.
func (c *listCache) known(path string, info fs.FileInfo) (model.Summary, bool) {
	s, ok := c.old[keptAs(path, info)]
	return s, ok && s.Bytes == info.Size() && s.Written == info.ModTime().UnixMilli()
}

// keep remembers a summary. What a store holds its own size and time do not tell:
// a database has a log beside it.
func (c *listCache) keep(l *load.Listed) {
	if l.Store {
		return
	}
	name := keptAs(l.Path, l.Info)
	c.now[name] = l.Summary
	c.made = c.made || c.old[name] != l.Summary
}

// keptAs is what a file is kept under: two servers may have something under one name, and what
// lies elsewhere may change within the second that its time tells.
func keptAs(path string, info fs.FileInfo) string {
	if info == nil || remote.Mark(info) == "" {
		return path
	}
	return remote.Mark(info) + " " + path
}

// save keeps what is known for the next run. A cache that cannot be written is no
// error: the next list only takes longer.
func (c *listCache) save() {
	if c.path == "" || !c.made || os.MkdirAll(filepath.Dir(c.path), 0o700) != nil {
		return
	}
	for path, s := range c.old {
		if _, ok := c.now[path]; !ok && len(c.now) < 50_000 {
			c.now[path] = s
		}
	}
	_ = c.write()
}

// write writes the cache whole or not at all.
func (c *listCache) write() error {
	_, err := outfile.Write(c.path, 0o600, true, func(w io.Writer) error { return gob.NewEncoder(w).Encode(c.now) })
	return err
}
