package transcripts

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"turns/export/outfile"
	"turns/model"
	"turns/model/load"
	"turns/model/source/remote"
)

// program names this build of the program. What was learned of transcripts is kept under that
// name, and not believed by another build, which may count otherwise: there is no version of a
// cache that whoever changes a rule would have to remember.
func program() string {
	var name string
	if info, ok := debug.ReadBuildInfo(); ok {
		name = info.Main.Version
		for _, s := range info.Settings {
			if strings.HasPrefix(s.Key, "vcs.") {
				name += " " + s.Value
			}
		}
	}
	if exe, err := os.Executable(); err == nil {
		if info, err := os.Stat(exe); err == nil {
			name += fmt.Sprint(" ", info.Size(), info.ModTime().UnixNano())
		}
	}
	return name
}

// listCache keeps summaries between runs, under the XDG cache folder.
type listCache struct {
	path string
	key  string // the program
	old  map[string]model.Summary
	now  map[string]model.Summary
	made bool // a summary that was not kept yet
}

// listKept is what the file of a listCache holds.
type listKept struct {
	Key   string
	Files map[string]model.Summary
}

// openCache reads what was kept; what cannot be read is made anew.
func (l *Store) openCache() *listCache {
	c := &listCache{key: program(), old: map[string]model.Summary{}, now: map[string]model.Summary{}}
	if l.o.Cache == "" {
		return c
	}
	c.path = filepath.Join(l.o.Cache, "list.gob") // JSON takes four times as long to read
	var kept listKept
	if readGob(c.path, 64<<20, &kept) && kept.Key == c.key && kept.Files != nil {
		c.old = kept.Files
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
	if c.path == "" || !c.made {
		return
	}
	for path, s := range c.old {
		if _, ok := c.now[path]; !ok && len(c.now) < 50_000 {
			c.now[path] = s
		}
	}
	writeGob(c.path, listKept{c.key, c.now})
}

// readGob reads what writeGob has kept; false where it cannot be read.
func readGob(path string, most int64, into any) bool {
	data, err := outfile.Read(path, most)
	return err == nil && gob.NewDecoder(bytes.NewReader(data)).Decode(into) == nil
}

// writeGob keeps what was learned; what cannot be kept is learned again.
func writeGob(path string, v any) {
	if os.MkdirAll(filepath.Dir(path), 0o700) == nil {
		_, _ = outfile.Write(path, 0o600, true, func(w io.Writer) error { return gob.NewEncoder(w).Encode(v) })
	}
}
