package load

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"turns/model/format"
	"turns/model/source"
	"turns/model/source/remote"
)

// Find returns the transcripts at the places: files, folders or patterns. In a folder it finds all
// possible transcripts, and the subfolders with one or several. The error joins the reasons for
// places and folders that it could not list; the list has the others. It ends when ctx ends.
func Find(ctx context.Context, places []string) ([]string, error) {
	f := finder{ctx: ctx, seen: make(map[string]bool)}
	for _, place := range places {
		f.place(place)
	}
	f.paths = slices.DeleteFunc(f.paths, func(path string) bool { return source.Allowed(ctx, path) != nil })
	if err := ctx.Err(); err != nil {
		return f.paths, err
	}
	return f.paths, errors.Join(f.errs...)
}

// finder collects transcripts, each once.
type finder struct {
	ctx   context.Context
	seen  map[string]bool
	paths []string
	errs  []error
	trees trees
}

func (f *finder) add(path string) {
	if !f.seen[path] {
		f.seen[path] = true
		f.paths = append(f.paths, path)
	}
}

// place adds the transcripts of a file, a folder or a pattern.
func (f *finder) place(place string) {
	info, err := remote.Stat(f.ctx, place)
	switch {
	case err == nil && info.IsDir():
		for _, p := range f.walk(place) {
			f.add(p)
		}
		return
	case err == nil:
		f.add(place)
		return
	}
	found, _ := remote.GlobName(f.ctx, place)
	if len(found) == 0 {
		f.errs = append(f.errs, fmt.Errorf("looking for transcripts: %w", err))
	}
	for _, p := range found {
		switch info, err := remote.Stat(f.ctx, p); {
		case err != nil:
		case info.IsDir():
			f.usual(p)
		case info.Mode().IsRegular():
			f.add(p)
		}
	}
}

// usual adds the transcripts below a folder that matches a pattern. Other files next to a session
// that is a folder belong to the agent.
func (f *finder) usual(dir string) {
	all := f.walk(dir)
	whole := slices.Contains(all, dir)
	for _, p := range all {
		if !whole || p == dir || dirOf(p) != dir {
			f.add(p)
		}
	}
}

// folder has the content below a searched folder, with relative names.
type folder struct {
	files  []string
	stores []store
}

// store is a folder that is, as a unit, one transcript or several.
type store struct {
	dir   string
	names []string
}

// walk returns the transcripts below a folder: files by their names, and stores.
func (f *finder) walk(dir string) []string {
	var below folder
	join := filepath.Join
	if at, ok := remote.Parse(dir); ok {
		below, join = f.lookElsewhere(at), joinKeys
	} else {
		f.trees.top(dir)
		below = f.look(dir)
	}
	sent := map[string]bool{}
	for _, name := range below.files {
		if plainName(name) == clineSent {
			sent[path.Dir(name)] = true
		}
	}
	var paths []string
	for _, name := range below.files {
		if plainName(name) == clineShown && sent[path.Dir(name)] {
			continue // the same task, as shown to the user
		}
		if transcriptName(path.Base(name)) && !otherTable(path.Join(filepath.ToSlash(dir), name)) {
			paths = append(paths, join(dir, filepath.FromSlash(name)))
		}
	}
	for _, s := range below.stores {
		paths = append(paths, join(dir, filepath.FromSlash(s.dir)))
	}
	return paths
}

// otherTable reports whether a file is one of the tables that an export writes next to its
// messages, in folders by day and agent. These tables describe the messages.
func otherTable(name string) bool {
	table, _ := exportOf(name)
	switch base := path.Base(name); {
	case table == "runs" && strings.HasPrefix(base, "bare-"):
		return false // sessions without messages
	case table == "messages" && strings.HasPrefix(base, "usage-"):
		return true // usage without a message; the last message of a session also has it
	}
	return slices.Contains([]string{"runs", "calls", "orphans", "labels"}, table)
}

// exportOf returns the table of an export that a file is part of, and the agent of its folder; ""
// if the file is not from an export.
func exportOf(name string) (table, agent string) {
	days := strings.Split(name, "/")
	n := len(days)
	if n < 4 || path.Ext(name) != ".parquet" || !strings.HasPrefix(days[n-3], "day=") {
		return "", ""
	}
	if kept, ok := strings.CutPrefix(days[n-2], "agent="); ok && kept != "__HIVE_DEFAULT_PARTITION__" {
		if agent, _ = url.PathUnescape(kept); agent == "" {
			agent = kept
		}
	}
	return days[n-4], agent
}

// agentOf returns the agent of a transcript: the one of its folder in an export, otherwise the
// title of its format.
func agentOf(name, title string) string {
	if _, agent := exportOf(filepath.ToSlash(name)); agent != "" {
		return agent
	}
	return title
}

// plainName returns a file's base name without the suffix for compression.
func plainName(name string) string { return strings.TrimSuffix(path.Base(name), ".zst") }

// Cline and its relatives write a task twice: the messages sent to the model, and those shown to
// the user.
const clineSent, clineShown = "api_conversation_history.json", "ui_messages.json"

// look returns the content below a folder. It skips what it cannot list, and records an error.
func (f *finder) look(dir string) folder {
	var below folder
	if f.ctx.Err() != nil {
		return below
	}
	entries, err := os.ReadDir(dir) // on an error, the list is partial
	if err != nil {
		f.errs = append(f.errs, fmt.Errorf("listing a folder: %w", err))
	}
	var inStores []string
	for _, e := range entries {
		switch name := e.Name(); {
		case e.Type().IsRegular():
			below.files = append(below.files, name)
		case e.IsDir() && !skipped(name):
			inStores = append(inStores, below.take(name, f.look(filepath.Join(dir, name)))...)
		case e.Type()&fs.ModeSymlink != 0:
			switch info, err := f.trees.follow(filepath.Join(dir, name)); {
			case err != nil:
				f.errs = append(f.errs, err)
			case info == nil:
			case info.IsDir():
				inStores = append(inStores, below.take(name, f.look(filepath.Join(dir, name)))...)
			default:
				below.files = append(below.files, name)
			}
		}
	}
	below.claim(dir, inStores)
	return below
}

// take adds the content of a subfolder, and returns the names of the files in its stores.
func (f *folder) take(name string, sub folder) (inStores []string) {
	for _, file := range sub.files {
		f.files = append(f.files, name+"/"+file)
	}
	for _, s := range sub.stores {
		s.dir = path.Join(name, s.dir)
		f.stores = append(f.stores, s)
		for _, file := range s.names {
			inStores = append(inStores, name+"/"+file)
		}
	}
	return inStores
}

// claim makes the folder a store if a format recognises it by its names. If a subfolder is also
// one, the store is the folder with a file of its own: a folder of sessions is not a session.
func (f *folder) claim(dir string, inStores []string) {
	names := f.files
	if len(inStores) > 0 {
		names = slices.Concat(f.files, inStores)
	}
	members := format.Members(dir, names)
	if len(members) < 2 {
		return // a single file is judged by its content
	}
	direct := slices.ContainsFunc(members, func(name string) bool { return !strings.Contains(name, "/") })
	if !direct && len(inStores) > 0 {
		below := make(map[string]bool, len(inStores))
		for _, name := range inStores {
			below[name] = true
		}
		if slices.ContainsFunc(members, func(name string) bool { return below[name] }) {
			return
		}
	}
	tops := map[string]bool{}
	for _, name := range members {
		top, _, _ := strings.Cut(name, "/")
		tops[top] = true
	}
	own := store{dir: "."}
	rest := f.files[:0]
	for _, name := range f.files {
		if top, _, _ := strings.Cut(name, "/"); tops[top] {
			own.names = append(own.names, name)
		} else {
			rest = append(rest, name)
		}
	}
	f.files = rest
	f.stores = slices.DeleteFunc(f.stores, func(s store) bool {
		top, _, _ := strings.Cut(s.dir, "/")
		if tops[top] {
			for _, name := range s.names {
				own.names = append(own.names, s.dir+"/"+name)
			}
		}
		return tops[top]
	})
	f.stores = append(f.stores, own)
}

// folderAge returns the last time of writing below a folder, and the total size.
func folderAge(ctx context.Context, dir string, written time.Time) (newest time.Time, size int64) {
	if at, ok := remote.Parse(dir); ok {
		objects, _ := remote.List(ctx, at)
		for _, o := range objects {
			size += o.Size
			if o.Written.After(newest) {
				newest = o.Written
			}
		}
		return newest, size
	}
	newest = written
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			size += info.Size()
			if at := info.ModTime(); at.After(newest) || size == info.Size() {
				newest = at
			}
		}
		return nil
	})
	return newest, size
}

func transcriptName(name string) bool {
	name = strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(name), ".gz"), ".zst")
	for _, ext := range []string{".jsonl", ".ndjson", ".json", ".db", ".sqlite", ".sqlite3", ".eval", ".zip", ".traj", ".vscdb", ".parquet"} {
		if strings.HasSuffix(name, ext) {
			return true
		}
	}
	return name == ".aider.chat.history.md"
}
