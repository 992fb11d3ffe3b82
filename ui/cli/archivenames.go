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

	"turns/export/keep"
	"turns/export/outfile"
	"turns/query/redact"
)

// textOnly is the flag that leaves files other than text out of an archive, "" for none.
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

// standingName is the file of the replacements that archives have used. It is in the private folder
// of states, never in an archive: another run continues an archive with the same replacements.
const standingName = "anonymized.json"

// standing are the names to replace in an archive, with the replacements of earlier runs; nil if
// names stay.
func (a *archiveCommand) standing() *redact.Names {
	if a.replacing() == nil {
		return nil
	}
	known := map[string]string{}
	if dir := a.stateDir(); dir != "" {
		text, err := outfile.Read(filepath.Join(dir, standingName), 64<<20)
		if err == nil {
			err = json.Unmarshal(text, &known)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			a.complain(fmt.Errorf("reading the replacements of earlier archives: %w", err))
		}
	}
	return a.namesWith(known)
}

// saveStanding keeps the replacements for the next run.
func (a *archiveCommand) saveStanding(names *redact.Names) error {
	dir := a.stateDir()
	if dir == "" {
		return nil
	}
	text, err := json.Marshal(names.Standing())
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

// try lists what an archive would replace.
func (a *archiveCommand) try(ctx context.Context, paths []string) error {
	names := a.standing()
	if names == nil && !a.redacts {
		return hinted{errors.New("--dry-run lists what --anonymize and --redact replace"), "turns archive --into ~/runs --anonymize --dry-run"}
	}
	s, err := keep.Read(a.into)
	if err != nil {
		return err
	}
	files := pathsOf(a.filesToKeep(paths, s, a.textOnly(names)))
	if names != nil {
		learnFiles(ctx, names, files)
	}
	counting := a.counting(names, a.redacts)
	for _, path := range files {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if names != nil {
			names.String(path)
		}
		f, err := os.Open(path)
		if err != nil {
			a.complain(err)
			continue
		}
		to := counting.Writer(io.Discard)
		_, err = io.Copy(to, f)
		if err = errors.Join(err, to.Close(), f.Close()); err != nil {
			a.complain(fmt.Errorf("reading %q: %w", path, err))
		}
	}
	return a.printReplaced(counting.Names(), a.json)
}
