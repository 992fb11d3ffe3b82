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

// program returns the name of this build. Caches about transcripts are valid only for the build
// that wrote them, because another one may count differently. So caches need no version number to
// be updated with each change of a rule.
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

// listCache stores summaries between runs, in the XDG cache folder.
type listCache struct {
	path string
	key  string // the program
	old  map[string]model.Summary
	now  map[string]model.Summary
	made bool // there is a new summary to store
}

// listKept is the content of a listCache's file.
type listKept struct {
	Key   string
	Files map[string]model.Summary
}

// openCache reads the stored summaries. An unreadable cache is rebuilt.
func (l *Store) openCache() *listCache {
	c := &listCache{key: program(), old: map[string]model.Summary{}, now: map[string]model.Summary{}}
	if l.o.Cache == "" {
		return c
	}
	c.path = filepath.Join(l.o.Cache, "list.gob") // reading JSON takes four times as long
	var kept listKept
	if readGob(c.path, 64<<20, &kept) && kept.Key == c.key && kept.Files != nil {
		c.old = kept.Files
	}
	return c
}

// known returns a summary that is still valid: the file has neither grown nor been written to
// since.
func (c *listCache) known(path string, info fs.FileInfo) (model.Summary, bool) {
	s, ok := c.old[keptAs(path, info)]
	return s, ok && s.Bytes == info.Size() && s.Written == info.ModTime().UnixMilli()
}

// keep stores a summary, except for a store: size and time do not show all changes there, because a
// database has a log next to it.
func (c *listCache) keep(l *load.Listed) {
	if l.Store {
		return
	}
	name := keptAs(l.Path, l.Info)
	c.now[name] = l.Summary
	c.made = c.made || c.old[name] != l.Summary
}

// keptAs returns the key of a file. Two servers may have a file with the same name, and a remote
// file may change within the second of its recorded time.
func keptAs(path string, info fs.FileInfo) string {
	if info == nil || remote.Mark(info) == "" {
		return path
	}
	return remote.Mark(info) + " " + path
}

// save writes the summaries for the next run. A write failure is not an error: the next list only
// takes longer.
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

// readGob reads a file from writeGob; false if it is unreadable.
func readGob(path string, most int64, into any) bool {
	data, err := outfile.Read(path, most)
	return err == nil && gob.NewDecoder(bytes.NewReader(data)).Decode(into) == nil
}

// writeGob stores a value in a cache and ignores errors.
func writeGob(path string, v any) {
	if os.MkdirAll(filepath.Dir(path), 0o700) == nil {
		_, _ = outfile.Write(path, 0o600, true, func(w io.Writer) error { return gob.NewEncoder(w).Encode(v) })
	}
}
