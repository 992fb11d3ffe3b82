package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"turns/export/outfile"
	"turns/model"
	"turns/model/format"
	"turns/model/format/described"
	"turns/model/load"
)

// openAs opens a transcript in the format that was asked for, or in one of the user's
// own, or in whatever it is.
func (a *app) openAs(ctx context.Context, file string, opts load.Options) (*load.Conversation, error) {
	if err := a.readAs(&opts); err != nil {
		return nil, err
	}
	return load.Open(ctx, file, opts)
}

// readAs puts the format that was asked for, and those of the user, into options.
func (a *app) readAs(opts *load.Options) error {
	opts.Format, opts.Formats = a.format, nil
	if a.own != nil {
		opts.Formats = a.own()
	}
	if a.formatFile == "" {
		return nil
	}
	f, err := readFormat(a.formatFile)
	if err != nil {
		return err
	}
	opts.Format, opts.Formats = f.Name, []*model.Format{f}
	return nil
}

// ownFormats are the formats in the user's folder. One that is wrong is said, and
// keeps nobody from reading what it has nothing to do with.
func (a *app) ownFormats() (own []*model.Format) {
	config, err := os.UserConfigDir()
	if err != nil {
		return nil // nobody has a folder, nobody has formats
	}
	files, _ := filepath.Glob(filepath.Join(config, "turns", "formats", "*.toml"))
	for _, file := range files {
		f, err := readFormat(file)
		if err != nil {
			a.complain(err)
			continue
		}
		own = append(own, f)
	}
	return own
}

func readFormat(file string) (*model.Format, error) {
	text, err := outfile.Read(file, maxFormat)
	if err != nil {
		return nil, fmt.Errorf("reading a format: %w", err)
	}
	return format.Own(file, text)
}

// maxFormat bounds the description of a format; the longest that is inferred has 20 kB.
const maxFormat = 1 << 20

// checkFormat says what each rule of a format takes of a file, and what is left.
func (a *app) checkFormat(ctx context.Context, file, arg string) error {
	text, err := outfile.Read(file, maxFormat)
	if err != nil {
		return fmt.Errorf("reading a format: %w", err)
	}
	f, tally, err := format.Checked(file, text)
	if err != nil {
		return err
	}
	c, err := load.Open(ctx, arg, load.Options{Stdin: a.In, Format: f.Name, Formats: []*model.Format{f}, Workers: 1})
	if err != nil {
		return err
	}
	defer c.Close()
	matched := c.Matched()
	if _, err := c.Load(ctx); err != nil {
		a.complain(err)
	}
	return a.write(func(w io.Writer) error { return writeTally(w, tally, matched) })
}

func writeTally(w io.Writer, t *described.Tally, matched bool) error {
	if !matched {
		fmt.Fprintln(w, "match does not hold: the file would not be taken for this format")
	}
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for i, r := range t.Rules {
		as := r.As
		if as == "" {
			as = "message"
		}
		at := r.At
		if at == "" {
			at = "record"
		}
		fmt.Fprintf(tw, "rule %d\t%s\t%s\ttook %d", i+1, at, as, r.Count)
		for _, part := range described.PartNames {
			if n := r.Parts[part]; n > 0 {
				fmt.Fprintf(tw, "\t%s %d", part, n)
			}
		}
		fmt.Fprintln(tw)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	if t.Left == 0 {
		_, err := fmt.Fprintln(w, "nothing is left")
		return err
	}
	fmt.Fprintf(w, "%d are left, which no rule takes:\n", t.Left)
	kinds := make([]string, 0, len(t.Kinds))
	for kind := range t.Kinds {
		kinds = append(kinds, kind)
	}
	slices.SortFunc(kinds, func(a, b string) int {
		if n := t.Kinds[b] - t.Kinds[a]; n != 0 {
			return n
		}
		if a < b {
			return -1
		}
		return 1
	})
	for _, kind := range kinds[:min(20, len(kinds))] {
		fmt.Fprintf(w, "  %d %s\n", t.Kinds[kind], kind)
	}
	return nil
}
