package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

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
