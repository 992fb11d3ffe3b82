package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"turns/export"
	"turns/export/formats"
	"turns/export/outfile"
	"turns/export/people"
	"turns/model"
	"turns/query/describe"
	"turns/ui/cli/help"
)

// shapingFlags are the flags added by shapes.
var shapingFlags = []string{
	"metadata", "indent", "max-content-length", "columns", "csv-raw", "redact", "no-redact", "anonymize", "no-reasoning", "no-results", "paths",
	"model", "system", "no-tools", "until-user", "sdk",
}

// shapes adds the flags that shape an export to a command.
func (a *app) shapes(cmd *cobra.Command) {
	f, e := cmd.Flags(), &a.export
	f.BoolVar(&e.metadata, "metadata", false, "Add index, token_count and timestamp (json, jsonl)")
	f.IntVar(&e.indent, "indent", 2, "Indent JSON by `N` spaces; 0 for one line")
	f.IntVar(&e.maxContent, "max-content-length", 500, "Cut CSV content at `N` characters; 0 for none")
	f.StringSliceVar(&e.columns, "columns", nil, "Add `COLUMNS` to CSV")
	annotate(f.Lookup("columns"), help.FlagValues, people.Columns()...)
	f.BoolVar(&e.csvRaw, "csv-raw", false, "Write CSV cells as recorded, with formulas and invisible characters")
	f.BoolVar(&e.redact, "redact", false, "Redact secrets in all formats")
	f.BoolVar(&e.noRedact, "no-redact", false, "Do not redact secrets in formats for people")
	f.BoolVar(&e.noReasoning, "no-reasoning", false, "Leave reasoning out")
	f.BoolVar(&e.noResult, "no-results", false, "Leave tool results out")
	oneOf(f, &e.paths, "paths", "", "Write paths as `KIND` (formats for people: relative by default)", choices("relative", "absolute"))
	f.StringVar(&e.model, "model", "", "Name model `NAME` in a request")
	f.StringVar(&e.system, "system", "", "Replace the system prompt in formats for providers with `TEXT` or the text of a file")
	f.BoolVar(&e.noTools, "no-tools", false, "Declare no tools in a request")
	f.BoolVar(&e.untilUser, "until-user", false, "End a request with the last prompt or result")
	f.IntVar(&e.sdk, "sdk", 7, "Write for `VERSION` 5, 6 or 7 of the Vercel AI SDK (vercel)")
	if f.Lookup("encoding") == nil {
		a.encodes(cmd)
	}
	a.anonymizes(cmd)
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		for _, name := range shapingFlags {
			if cmd.Flags().Changed(name) {
				e.given = append(e.given, name)
			}
		}
		return run(cmd, args)
	}
}

// shapesNothing returns an error if a flag that shapes exports is set but the command writes none:
// a user who redacts a list must not believe that it worked.
func (a *app) shapesNothing() error {
	if len(a.export.given) == 0 {
		return nil
	}
	return hinted{fmt.Errorf("--%s shapes an export, and this command prints none", a.export.given[0]), "--to FORMAT writes the selection as an export"}
}

// exportResult writes an export, and reports the parts that the format cannot express and the
// redacted values.
func (a *app) exportResult(ctx context.Context, res describe.View, to string) error {
	return a.exportTo(ctx, res, to, func(_ export.Format, write func(io.Writer) error) error { return a.write(write) })
}

// exportTo is exportResult with a custom function that writes the export.
func (a *app) exportTo(ctx context.Context, res describe.View, to string, put func(export.Format, func(io.Writer) error) error) error {
	f, err := formats.Find(to)
	if err != nil {
		return err
	}
	opts, err := a.exportOptions(ctx, res, f)
	if err != nil {
		return err
	}
	var report export.Report
	a.asData = !f.People || f.Ext == ".csv" // cells contain texts as recorded
	err = put(f, func(w io.Writer) (err error) {
		report, err = f.Write(ctx, w, res, opts)
		return err
	})
	if err != nil {
		return fmt.Errorf("exporting as %s: %w", f.Name, err)
	}
	for _, note := range report.Notes {
		fmt.Fprintf(a.Err, "turns: %s\n", model.CleanLine(note))
	}
	if res.Len() == 0 && a.narrowed() {
		return nothing("no message matches")
	}
	return nil
}

// exportOptions returns the export options for the flags.
func (a *app) exportOptions(ctx context.Context, res describe.View, f export.Format) (export.Options, error) {
	e := &a.export
	opts := export.Options{
		Metadata: e.metadata, Indent: e.indent, MaxContent: e.maxContent, CSVRaw: e.csvRaw,
		Redact: e.redact || f.People && !e.noRedact, Absolute: e.paths == "absolute" || e.paths == "" && !f.People,
		NoReasoning: e.noReasoning, NoResults: e.noResult, Now: time.Now(), Zone: a.zone(),
		Counter: a.counter(res.Snap),
		Columns: e.columns, Part: a.cut(), Before: e.before,
		Names: a.replacing(), Model: e.model, NoTools: e.noTools, UntilUser: e.untilUser, SDK: e.sdk,
	}
	err := e.check(f)
	if err != nil {
		return opts, err
	}
	if opts.System, err = e.prompt(); err != nil {
		return opts, err
	}
	opts.Labels, err = a.here(ctx, res.Snap)
	return opts, err
}

// check returns an error if a flag needs a feature that the format lacks.
func (e *exportFlags) check(f export.Format) error {
	for _, name := range e.columns {
		if known := people.Columns(); !slices.Contains(known, name) {
			return unknown("--columns", name, known)
		}
	}
	switch {
	case slices.Contains(e.given, "sdk") && (e.sdk < 5 || e.sdk > 7):
		return hinted{fmt.Errorf("unknown --sdk %d", e.sdk), "valid: 5, 6, 7"}
	case f.Provider:
		return nil
	case e.model != "" || e.system != "" || e.noTools || e.untilUser:
		return fmt.Errorf("--model, --system, --no-tools and --until-user shape exports for providers, and %s is not one", f.Name)
	}
	return nil
}

// prompt returns the system prompt that replaces the recorded one: the content of the file with
// that name, otherwise the text itself; nil for none.
func (e *exportFlags) prompt() (*string, error) {
	text := e.system
	if text == "" {
		return nil, nil
	}
	if info, err := os.Stat(text); err == nil && info.Mode().IsRegular() {
		data, err := outfile.Read(text, 16<<20)
		if err != nil {
			return nil, fmt.Errorf("reading the system prompt: %w", err)
		}
		text = strings.TrimRight(string(data), "\n")
	}
	return &text, nil
}
