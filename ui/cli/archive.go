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

// archiveCommand keeps what agents delete.
func (a *app) archiveCommand() *cobra.Command {
	var into string
	var restore, redacted bool
	cmd := &cobra.Command{
		Use: "archive [FILE|DIR…] --into FOLDER", Short: "Archive transcripts before agents delete them",
		Long: "Keep the files of transcripts, or without a name those of this machine's agents, in a folder of its own:\n" +
			"compressed, under the paths that they had, and only what is new or has grown since the last time. Agents\n" +
			"delete transcripts after some weeks. What was kept stays; the folder is read in place as every other.\n\n" +
			"--restore writes the files of such a folder below another one, byte for byte as they were.",
		Example: "  turns archive --into ~/runs\n  turns archive ~/.claude ~/.codex --into ~/runs\n  turns ls ~/runs\n  turns archive --restore ~/runs --into /",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case into == "":
				return hinted{errors.New("nothing says where to keep them"), "--into names the folder"}
			case restore && redacted:
				return errors.New("--redact takes credentials out of what is kept, and --restore writes what is there")
			case restore && len(args) != 1:
				return hinted{errors.New("--restore takes the folder that keeps transcripts"), "turns archive --restore ~/runs --into /"}
			case restore:
				return a.restore(cmd.Context(), args[0], into)
			}
			return a.keep(cmd.Context(), args, into, redacted)
		},
	}
	f := cmd.Flags()
	f.StringVar(&into, "into", "", "the `FOLDER` that keeps them, or with --restore the one below which they are written")
	f.BoolVar(&restore, "restore", false, "write what a folder keeps as it was")
	f.BoolVar(&redacted, "redact", false, "replace credentials in what is kept: it is not byte for byte what it was")
	f.BoolVar(&a.force, "force", false, "with --restore, write over files that are there")
	return cmd
}

func (a *app) keep(ctx context.Context, names []string, into string, redacted bool) error {
	c, err := a.crowd(ctx, names)
	if err != nil {
		return err
	}
	defer c.lib.Close()
	s, err := keep.Open(into, redacted)
	if err != nil {
		return err
	}
	var counts [keep.Linked + 1]int
	var size, stored int64
	done := 0
	files := a.filesToKeep(c.paths, s, redacted)
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
	fmt.Fprintf(a.Err, "turns: %s new, %s grown, %s written anew, %s as they were; %s kept in %s\n", human.Count(counts[keep.New]+counts[keep.Linked]), human.Count(counts[keep.Grown]),
		human.Count(counts[keep.Anew]), human.Count(counts[keep.Same]), model.SizeOf(size), model.SizeOf(stored))
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(a.Err, "turns: interrupted: the next time goes on")
		return ctx.Err()
	case len(files) == 0:
		return errNoMatch
	}
	return nil
}

// restore writes what a folder keeps below another one.
func (a *app) restore(ctx context.Context, dir, into string) error {
	if info, err := os.Stat(filepath.Join(dir, keep.OwnDir)); err != nil || !info.IsDir() {
		return fmt.Errorf("%q keeps no transcripts", dir)
	}
	s, err := keep.Read(dir)
	if err != nil {
		return err
	}
	written, there := 0, 0
	for e := range s.Entries() {
		if ctx.Err() != nil {
			break
		}
		switch wrote, err := s.Restore(ctx, e, into, a.force); {
		case err != nil && errors.Is(err, os.ErrExist):
			a.complain(hinted{err, "--force writes over it"})
		case err != nil:
			a.complain(err)
		case wrote:
			written++
		default:
			there++
		}
	}
	fmt.Fprintf(a.Err, "turns: %s restored, %s there as they were\n", human.Plural(written, "file"), human.Count(there))
	return ctx.Err()
}

// plainEndings are those of files that are kept as they are, beside databases and pictures:
// they are compressed already.
var plainEndings = []string{".gz", ".zst", ".zip", ".eval", ".parquet", ".pdf"}

// databaseEndings are those of databases of SQLite, which are read where they lie.
var databaseEndings = []string{".db", ".sqlite", ".sqlite3", ".vscdb"}

// pictureEndings are those of pictures, which transcripts name.
var pictureEndings = []string{".png", ".jpg", ".jpeg", ".gif", ".webp"}

// keeping gathers the files that are kept, each once.
type keeping struct {
	app      *app
	redacted bool
	files    []keep.File
	seen     map[string]bool
	folders  map[string]bool // whose pictures are kept
}

// filesToKeep are the files of transcripts, and those that belong to them. Of a transcript that
// is a folder they are all below it.
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

// beside adds what belongs to a transcript: pictures that lie beside it, and the folder that has
// its name, in which agents put results of tools and transcripts of subagents.
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

// below adds all files below a folder. What of it cannot be read is said, and the rest kept.
func (k *keeping) below(dir string, plain bool) {
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			k.app.complain(fmt.Errorf("keeping what is in %q: %w", dir, err))
			return nil
		}
		if d.Type().IsRegular() {
			k.add(p, plain)
		}
		return nil
	})
	if err != nil {
		k.app.complain(fmt.Errorf("keeping what is in %q: %w", dir, err))
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
		k.app.complain(fmt.Errorf("keeping %q: credentials can be replaced in text only", path))
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
