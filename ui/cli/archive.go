package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"turns/export/keep"
	"turns/model"
	"turns/query/human"
)

// archiveCommand copies transcripts to a folder, or writes them back.
type archiveCommand struct {
	*app
	into              string
	restores, redacts bool
}

func (a *app) archiveCommand() *cobra.Command {
	c := &archiveCommand{app: a}
	cmd := &cobra.Command{
		Use: "archive [FILE|DIR…] --into FOLDER", Short: "Archive transcripts before agents delete them",
		Long: "Copy transcripts to a folder, compressed, under the paths that they had. Without a name, archive copies the sessions on this machine. " +
			"Each call copies only new and grown transcripts. turns reads the folder like any other.\n\n" +
			"--restore writes the files of an archive below another folder, byte for byte as they were.",
		Example: "  turns archive --into ~/runs\n  turns archive ~/.claude ~/.codex --into ~/runs\n  turns ls ~/runs\n  turns archive --restore ~/runs --into /",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case c.into == "":
				return hinted{errors.New("--into FOLDER is required"), "turns archive --into ~/runs"}
			case c.restores && c.redacts:
				return errors.New("--redact and --restore exclude each other: an archive is restored as it is")
			case c.restores && len(args) != 1:
				return hinted{errors.New("--restore needs the folder of an archive"), "turns archive --restore ~/runs --into /"}
			case c.restores:
				return c.restore(cmd.Context(), args[0])
			}
			return c.archive(cmd.Context(), args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&c.into, "into", "", "Archive in `FOLDER`; with --restore, write below it")
	f.BoolVar(&c.restores, "restore", false, "Write the files of an archive as they were")
	f.BoolVar(&c.redacts, "redact", false, "Replace secrets in the copies, which then differ from the files")
	f.BoolVar(&a.force, "force", false, "With --restore, overwrite existing files")
	return cmd
}

func (a *archiveCommand) archive(ctx context.Context, names []string) error {
	c, err := a.crowd(ctx, names)
	if err != nil {
		return err
	}
	defer c.lib.Close()
	s, err := keep.Open(a.into, a.redacts)
	if err != nil {
		return err
	}
	a.sayDamaged(s)
	var counts [keep.Linked + 1]int
	var size, stored int64
	done := 0
	files := a.filesToKeep(c.paths, s, a.redacts)
	s.All(ctx, files, func(f keep.File, change keep.Change, e *keep.Entry, err error) {
		if done++; ctx.Err() != nil {
			return
		}
		c.shown.set(int64(done), int64(len(files)))
		if err != nil {
			c.shown.done()
			a.complain(err)
			return
		}
		counts[change]++
		size, stored = size+e.Size, stored+e.Stored
	})
	c.shown.done()
	if err := s.Close(); err != nil {
		return err
	}
	fmt.Fprintf(a.Err, "turns: %s\n", archived(&counts, size, stored))
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(a.Err, "turns: interrupted: the same command continues")
		return ctx.Err()
	case len(files) == 0:
		return nothing("")
	}
	return nil
}

// archived is what was done, in a line: how many files, which of them changed, and their sizes.
func archived(counts *[keep.Linked + 1]int, size, stored int64) string {
	total := 0
	for _, n := range counts {
		total += n
	}
	var parts []string
	for _, part := range []struct {
		n    int
		what string
	}{{counts[keep.New] + counts[keep.Linked], "new"}, {counts[keep.Grown], "grown"}, {counts[keep.Anew], "rewritten"}, {counts[keep.Same], "unchanged"}} {
		if part.n > 0 {
			parts = append(parts, human.Count(part.n)+" "+part.what)
		}
	}
	if parts == nil {
		return "archived 0 files"
	}
	return fmt.Sprintf("archived %s (%s): %s -> %s", human.Plural(total, "file"), strings.Join(parts, ", "), model.SizeOf(size), model.SizeOf(stored))
}

// sayDamaged reports lines of an archive's index that could not be read.
func (a *app) sayDamaged(s *keep.Store) {
	if n := s.Damaged(); n > 0 {
		a.complain(fmt.Errorf("%s of the archive's index could not be read", human.Plural(n, "line")))
	}
}

// restore writes the files of an archive below another folder.
func (a *archiveCommand) restore(ctx context.Context, dir string) error {
	if info, err := os.Stat(filepath.Join(dir, keep.OwnDir)); err != nil || !info.IsDir() {
		return fmt.Errorf("%q is not an archive", dir)
	}
	s, err := keep.Read(dir)
	if err != nil {
		return err
	}
	a.sayDamaged(s)
	written, there := 0, 0
	for e := range s.Entries() {
		if ctx.Err() != nil {
			break
		}
		switch wrote, err := s.Restore(ctx, e, a.into, a.force); {
		case err != nil && errors.Is(err, os.ErrExist):
			a.complain(hinted{err, "--force overwrites it"})
		case err != nil:
			a.complain(err)
		case wrote:
			written++
		default:
			there++
		}
	}
	fmt.Fprintf(a.Err, "turns: restored %s, %s unchanged\n", human.Plural(written, "file"), human.Count(there))
	return ctx.Err()
}

// plainEndings are the endings of files that the archive does not compress, besides databases and
// images: they are compressed already.
var plainEndings = []string{".gz", ".zst", ".zip", ".eval", ".parquet", ".pdf"}

// databaseEndings are the endings of SQLite databases, which turns reads in place.
var databaseEndings = []string{".db", ".sqlite", ".sqlite3", ".vscdb"}

// pictureEndings are the endings of images, which transcripts name.
var pictureEndings = []string{".png", ".jpg", ".jpeg", ".gif", ".webp"}

// keeping collects the files to archive, each once.
type keeping struct {
	app      *app
	redacted bool
	files    []keep.File
	seen     map[string]bool
	folders  map[string]bool // whose pictures are kept
}

// filesToKeep lists the files of transcripts and those that belong to them. For a transcript that
// is a folder, these are all files below it.
func (a *app) filesToKeep(paths []string, s *keep.Store, redacted bool) []keep.File {
	k := &keeping{app: a, redacted: redacted, seen: map[string]bool{}, folders: map[string]bool{}}
	var single []string
	for _, path := range paths {
		if s.Holds(path) || strings.Contains(path, "://") || path == "-" {
			continue
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			k.below(path, true)
			continue
		}
		k.add(path, false) // what cannot be read is said in its turn
		single = append(single, path)
	}
	for _, path := range single {
		k.beside(path)
	}
	return k.files
}

// beside adds the files that belong to a transcript: images in the same folder, and the folder of
// the same name, in which agents put tool results and transcripts of subagents.
func (k *keeping) beside(path string) {
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
	list, _ := os.ReadDir(dir) // the transcript in it was found, or its error is said
	for _, d := range list {
		if d.Type().IsRegular() && hasEnding(d.Name(), pictureEndings) {
			k.add(filepath.Join(dir, d.Name()), true)
		}
	}
}

// below adds all files below a folder. It reports the ones that it cannot read and goes on.
func (k *keeping) below(dir string, plain bool) {
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

func (k *keeping) add(path string, plain bool) {
	if k.seen[path] {
		return
	}
	k.seen[path] = true
	for _, log := range []string{"-wal", "-journal"} {
		if base, ok := strings.CutSuffix(path, log); ok && isFile(base) {
			return // it comes with its database
		}
	}
	database := hasEnding(path, databaseEndings) || isFile(path+"-wal")
	binary := database || hasEnding(path, plainEndings) || hasEnding(path, pictureEndings)
	if k.redacted && binary {
		k.app.complain(fmt.Errorf("archiving %q: --redact works on text only", path))
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
