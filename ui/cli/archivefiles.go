package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"turns/export/keep"
)

// plainEndings are the endings of compressed files. Like databases and images, the archive stores
// them unchanged.
var plainEndings = []string{".gz", ".zst", ".zip", ".eval", ".parquet", ".pdf"}

// databaseEndings are the endings of SQLite databases, which turns reads in place.
var databaseEndings = []string{".db", ".sqlite", ".sqlite3", ".vscdb"}

// pictureEndings are the endings of images, which transcripts name.
var pictureEndings = []string{".png", ".jpg", ".jpeg", ".gif", ".webp"}

// filesToArchive collects the files to archive, each once.
type filesToArchive struct {
	app      *app
	textOnly string // the flag that only works on text; "": none
	files    []keep.File
	seen     map[string]bool
	folders  map[string]bool // folders whose images were listed
}

// filesToKeep lists the files of transcripts and the files that belong to them. If the
// transcript is a folder, these are all files below it.
func (a *app) filesToKeep(paths []string, s *keep.Store, textOnly string) []keep.File {
	k := &filesToArchive{app: a, textOnly: textOnly, seen: map[string]bool{}, folders: map[string]bool{}}
	var single []string
	for _, path := range paths {
		if s.Holds(path) || strings.Contains(path, "://") || path == "-" {
			continue
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			k.below(path, true)
			continue
		}
		k.add(path, false) // the copy reports an unreadable file
		single = append(single, path)
	}
	for _, path := range single {
		k.addRelated(path)
	}
	return k.files
}

// addRelated adds the files of a transcript: images in the same folder, and the folder of the same
// name, in which agents store tool results and transcripts of subagents.
func (k *filesToArchive) addRelated(path string) {
	if stem := strings.TrimSuffix(path, filepath.Ext(path)); stem != path {
		if info, err := os.Lstat(stem); err == nil && info.IsDir() {
			k.below(stem, false)
		}
	}
	dir := filepath.Dir(path)
	if k.folders[dir] {
		return
	}
	k.folders[dir] = true
	list, _ := os.ReadDir(dir) // the copy of the transcript reports errors
	for _, d := range list {
		if d.Type().IsRegular() && hasEnding(d.Name(), pictureEndings) {
			k.add(filepath.Join(dir, d.Name()), true)
		}
	}
}

// below adds all files below a folder. It reports unreadable ones and continues.
func (k *filesToArchive) below(dir string, plain bool) {
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			k.app.complain(fmt.Errorf("archiving files below %q: %w", dir, err))
			return nil
		}
		if d.Type().IsRegular() {
			k.add(p, plain)
		}
		return nil
	})
	if err != nil {
		k.app.complain(fmt.Errorf("archiving files below %q: %w", dir, err))
	}
}

func (k *filesToArchive) add(path string, plain bool) {
	if k.seen[path] {
		return
	}
	k.seen[path] = true
	for _, log := range []string{"-wal", "-journal"} {
		if base, ok := strings.CutSuffix(path, log); ok && isFile(base) {
			return // part of its database
		}
	}
	database := hasEnding(path, databaseEndings) || isFile(path+"-wal")
	binary := database || hasEnding(path, plainEndings) || hasEnding(path, pictureEndings)
	if k.textOnly != "" && binary {
		k.app.complain(fmt.Errorf("archiving %q: %s works on text only", path, k.textOnly))
		return
	}
	k.files = append(k.files, keep.File{Path: path, Plain: plain || binary, Database: database})
}

func hasEnding(name string, endings []string) bool {
	return slices.Contains(endings, strings.ToLower(filepath.Ext(name)))
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
