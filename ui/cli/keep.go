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

// keepCommand keeps what agents delete.
func (a *app) keepCommand() *cobra.Command {
	var into string
	var restore, redacted bool
	cmd := &cobra.Command{
		Use: "keep [FILE|DIR…] --into DIR", Short: "Keep transcripts in a folder of its own, where they stay when agents delete them",
		Long: "Keep the files of transcripts, or without a name those of this machine's agents, in a folder of its own:\n" +
			"compressed, under the paths that they had, and only what is new or has grown since the last time. Agents\n" +
			"delete transcripts after some weeks. What was kept stays; the folder is read in place as every other.\n\n" +
			"--restore writes the files of such a folder below another one, byte for byte as they were.",
		Example: "  turns keep --into ~/runs\n  turns keep ~/.claude ~/.codex --into ~/runs\n  turns ls ~/runs\n  turns keep --restore ~/runs --into /",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case into == "":
				return hinted{errors.New("nothing says where to keep them"), "--into names the folder"}
			case restore && redacted:
				return errors.New("--redact takes credentials out of what is kept, and --restore writes what is there")
			case restore && len(args) != 1:
				return hinted{errors.New("--restore takes the folder that keeps transcripts"), "turns keep --restore ~/runs --into /"}
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

// plainEndings are those of files that are kept as they are: compressed ones, and
// databases, which are read where they lie.
var plainEndings = []string{".gz", ".zst", ".zip", ".eval", ".parquet", ".db", ".sqlite", ".sqlite3", ".vscdb", ".db-wal", ".sqlite-wal", ".sqlite3-wal", ".vscdb-wal"}

// filesToKeep are the files of transcripts. Of one that is a folder they are all below it.
func (a *app) filesToKeep(paths []string, s *keep.Store, redacted bool) []keep.File {
	var files []keep.File
	seen := map[string]bool{}
	add := func(path string, plain bool) {
		if seen[path] {
			return
		}
		seen[path] = true
		plain = plain || slices.Contains(plainEndings, strings.ToLower(filepath.Ext(path)))
		if redacted && slices.Contains(plainEndings, strings.ToLower(filepath.Ext(path))) {
			a.complain(fmt.Errorf("keeping %q: credentials can be replaced in text only", path))
			return
		}
		files = append(files, keep.File{Path: path, Plain: plain})
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if s.Holds(path) || strings.Contains(path, "://") || path == "-" {
			continue
		}
		if err == nil && info.IsDir() {
			err := filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
				if err == nil && d.Type().IsRegular() {
					add(p, true)
				}
				return err
			})
			if err != nil {
				a.complain(fmt.Errorf("keeping what is in %q: %w", path, err))
			}
			continue
		}
		add(path, false) // what cannot be read is said in its turn
		if _, err := os.Stat(path + "-wal"); err == nil {
			add(path+"-wal", true)
		}
	}
	return files
}

// restore writes what a folder keeps below another one.
func (a *app) restore(ctx context.Context, dir, into string) error {
	if info, err := os.Stat(filepath.Join(dir, keep.OwnDir)); err != nil || !info.IsDir() {
		return fmt.Errorf("%q keeps no transcripts", dir)
	}
	s, err := keep.Open(dir, false)
	if err != nil {
		return err
	}
	defer s.Close()
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
