package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"turns/export/keep"
	"turns/export/outfile"
	"turns/model"
	"turns/model/source/remote"
	"turns/query/human"
	"turns/query/redact"
)

// archiveCommand copies transcripts to a folder, or writes them back.
type archiveCommand struct {
	app               *app
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
			case c.restores && (c.app.anonymize.on || c.app.anonymize.dryRun):
				return errors.New("--anonymize, --dry-run and --restore exclude each other: an archive is restored as it is")
			case a.json && !c.app.anonymize.dryRun:
				return hinted{errors.New("--json prints what --dry-run lists"), "turns archive --into ~/runs --anonymize --dry-run --json"}
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
	f.BoolVar(&a.json, "json", false, "With --dry-run, print JSON")
	a.anonymizes(cmd)
	a.tries(f)
	f.BoolVar(&a.force, "force", false, "With --restore, overwrite existing files")
	return cmd
}

func (a *archiveCommand) archive(ctx context.Context, names []string) error {
	if err := onlyHere(append(names[:len(names):len(names)], a.into)); err != nil {
		return err
	}
	c, err := a.app.crowd(ctx, names)
	if err != nil {
		return err
	}
	defer c.lib.Close()
	if a.app.anonymize.dryRun {
		return a.try(ctx, c.paths)
	}
	replaced := a.replacedNames()
	s, err := keep.Open(a.into, keep.Options{Redact: a.redacts, Names: replaced})
	if err != nil {
		return err
	}
	a.reportDamaged(s)
	var counts [keep.Linked + 1]int
	var size, stored int64
	done := 0
	files := a.app.filesToKeep(c.paths, s, a.textOnly(replaced))
	if replaced != nil {
		learnFiles(ctx, replaced, pathsOf(files))
	}
	s.All(ctx, files, func(f keep.File, change keep.Change, e *keep.Entry, err error) {
		if done++; ctx.Err() != nil {
			return
		}
		c.shown.set(int64(done), int64(len(files)))
		if err != nil {
			c.shown.done()
			a.app.complain(err)
			return
		}
		counts[change]++
		size, stored = size+e.Size, stored+e.Stored
	})
	c.shown.done()
	if err := s.Close(); err != nil {
		return err
	}
	fmt.Fprintf(a.app.Err, "turns: %s\n", archived(&counts, size, stored))
	if replaced != nil {
		a.app.reportReplaced(replaced)
		if err := a.saveStanding(replaced); err != nil {
			a.app.complain(err)
		}
	}
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(a.app.Err, "turns: interrupted: the same command continues")
		return ctx.Err()
	case len(files) == 0:
		return nothing("")
	}
	return nil
}

// onlyHere returns an error for the first name that is not a path of this machine.
func onlyHere(names []string) error {
	for _, name := range names {
		if address, ok := remote.Parse(name); ok {
			name = address.Shown()
		} else if name != "-" && !strings.Contains(name, "://") {
			continue
		}
		return hinted{fmt.Errorf("%q is not a path of this machine", name), "archive copies files of this machine to a folder of it: copy them here first"}
	}
	return nil
}

// archived summarises an archive run in a line: files, changes and sizes.
func archived(counts *[keep.Linked + 1]int, size, stored int64) string {
	total := 0
	for _, n := range counts {
		total += n
	}
	var parts []string
	for _, part := range []struct {
		n    int
		what string
	}{{counts[keep.New] + counts[keep.Linked], "new"}, {counts[keep.Grown], "grown"}, {counts[keep.Rewritten], "rewritten"}, {counts[keep.Same], "unchanged"}} {
		if part.n > 0 {
			parts = append(parts, human.Count(part.n)+" "+part.what)
		}
	}
	if parts == nil {
		return "archived 0 files"
	}
	return fmt.Sprintf("archived %s (%s): %s -> %s", human.Plural(total, "file"), strings.Join(parts, ", "), model.SizeOf(size), model.SizeOf(stored))
}

// reportDamaged reports lines of an archive's index that could not be read.
func (a *archiveCommand) reportDamaged(s *keep.Store) {
	if n := s.Damaged(); n > 0 {
		a.app.complain(fmt.Errorf("%s of the archive's index could not be read", human.Plural(n, "line")))
	}
}

// restore writes the files of an archive below another folder.
func (a *archiveCommand) restore(ctx context.Context, dir string) error {
	if err := onlyHere([]string{dir, a.into}); err != nil {
		return err
	}
	if info, err := os.Stat(filepath.Join(dir, keep.OwnDir)); err != nil || !info.IsDir() {
		return fmt.Errorf("%q is not an archive", dir)
	}
	s, err := keep.Read(dir)
	if err != nil {
		return err
	}
	a.reportDamaged(s)
	written, there := 0, 0
	for e := range s.Entries() {
		if ctx.Err() != nil {
			break
		}
		switch wrote, err := s.Restore(ctx, e, a.into, a.app.force); {
		case err != nil && errors.Is(err, os.ErrExist):
			a.app.complain(hinted{err, "--force overwrites it"})
		case err != nil:
			a.app.complain(err)
		case wrote:
			written++
		default:
			there++
		}
	}
	fmt.Fprintf(a.app.Err, "turns: restored %s, %s unchanged\n", human.Plural(written, "file"), human.Count(there))
	return ctx.Err()
}

// textOnly returns the flag that excludes files other than text from an archive, "" for none.
func (a *archiveCommand) textOnly(names *redact.Names) string {
	switch {
	case a.redacts:
		return "--redact"
	case names != nil:
		return "--anonymize"
	}
	return ""
}

func pathsOf(files []keep.File) []string {
	paths := make([]string, len(files))
	for i := range files {
		paths[i] = files[i].Path
	}
	return paths
}

// standingName is the file with the replacements used by archives. It is in the private state
// folder, never in an archive: a later run continues an archive with the same replacements.
const standingName = "anonymized.json"

// replacedNames returns the names to replace in an archive, with the replacements of earlier runs;
// nil to replace none.
func (a *archiveCommand) replacedNames() *redact.Names {
	if a.app.replacing() == nil {
		return nil
	}
	known := map[string]string{}
	if dir := a.app.stateDir(); dir != "" {
		text, err := outfile.Read(filepath.Join(dir, standingName), 64<<20)
		if err == nil {
			err = json.Unmarshal(text, &known)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			a.app.complain(fmt.Errorf("reading the replacements of earlier archives: %w", err))
		}
	}
	return a.app.namesWith(known)
}

// saveStanding stores the replacements for the next run.
func (a *archiveCommand) saveStanding(names *redact.Names) error {
	dir := a.app.stateDir()
	if dir == "" {
		return nil
	}
	text, err := json.Marshal(names.Replacements())
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		_, err = outfile.Write(filepath.Join(dir, standingName), 0o600, true, func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("writing the replacements for the next archive: %w", err)
	}
	return nil
}

// try lists the replacements that an archive would make.
func (a *archiveCommand) try(ctx context.Context, paths []string) error {
	names := a.replacedNames()
	if names == nil && !a.redacts {
		return hinted{errors.New("--dry-run lists what --anonymize and --redact replace"), "turns archive --into ~/runs --anonymize --dry-run"}
	}
	s, err := keep.Read(a.into)
	if err != nil {
		return err
	}
	files := pathsOf(a.app.filesToKeep(paths, s, a.textOnly(names)))
	if names != nil {
		learnFiles(ctx, names, files)
	}
	counting := a.app.counting(names, a.redacts)
	for _, path := range files {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if names != nil {
			names.String(path)
		}
		f, err := os.Open(path)
		if err != nil {
			a.app.complain(err)
			continue
		}
		to := counting.Writer(io.Discard)
		_, err = io.Copy(to, f)
		if err = errors.Join(err, to.Close(), f.Close()); err != nil {
			a.app.complain(fmt.Errorf("reading %q: %w", path, err))
		}
	}
	return a.app.printReplaced(counting.Names(), a.app.json)
}
