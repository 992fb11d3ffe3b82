package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
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
	"turns/query/human"
)

// exportFlags shape what an export holds.
type exportFlags struct {
	to                    string
	metadata              bool
	indent, maxContent    int
	csvRaw                bool
	redact, noRedact      bool
	noReasoning, noResult bool
	paths                 string
	model, system         string
	noTools, untilUser    bool
	before                int // see export.Options
	sdk                   int
	columns               []string
	appends               bool
	send                  string
}

func (a *app) exportCommand() *cobra.Command {
	cmd := a.command("export FILE --to FORMAT", "Write the selected messages in another format", "  turns export run.jsonl --to markdown -o run.md",
		func(ctx context.Context, cmd *cobra.Command, arg string) error {
			if a.export.to == tables {
				return a.exportTables(ctx, cmd, []string{arg})
			}
			if err := a.checkExport(); err != nil {
				return err
			}
			return a.about(ctx, cmd, arg, func(res describe.View) error { return a.exportResult(ctx, res, a.export.to) })
		})
	cmd.Flags().StringVarP(&a.export.to, "to", "t", "", "FORMAT: "+strings.Join(exportNames(), ", "))
	cmd.Flags().BoolVar(&a.export.appends, "append", false, "add to tables the runs that are not there yet (parquet)")
	_ = cmd.MarkFlagRequired("to")
	cmd.Flags().StringVar(&a.export.send, "send", "", "send spans to the receiver at `URL` instead of writing them (otlp)")
	cmd.Long = "Write the selected messages in another format:\n\n" + exportHelp()
	a.exportFlags(cmd)
	return a.ofMany(cmd, a.exportMany)
}

// exportMany writes an export of each transcript into the folder that --output names,
// or one behind the other where that makes sense.
func (a *app) exportMany(ctx context.Context, cmd *cobra.Command, names []string) error {
	if a.export.to == tables {
		return a.exportTables(ctx, cmd, names)
	}
	if err := a.checkExport(); err != nil {
		return err
	}
	f, err := formats.Find(a.export.to)
	if err != nil {
		return err
	}
	c, err := a.crowd(ctx, names)
	if err != nil {
		return err
	}
	defer c.lib.Close()
	dir := a.out
	var into map[string]string
	switch info, err := os.Stat(dir); {
	case dir == "" && !slices.Contains([]string{".jsonl", ".txt", ".md"}, f.Ext):
		return hinted{fmt.Errorf("one file as %s holds one transcript, and %s are given", f.Name, human.Count(len(c.paths))), "-o names the folder for a file each"}
	case dir == "":
	case err == nil && !info.IsDir():
		return hinted{fmt.Errorf("%q is a file", dir), "-o names the folder for a file each"}
	default:
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("making the folder for exports: %w", err)
		}
		into = exportFiles(dir, f.Ext, c.paths)
	}
	a.out, c.bare = "", true
	err = a.write(func(w io.Writer) error {
		return c.each(ctx, cmd, w, func(ctx context.Context, a *app, _ *cobra.Command, path string, view describe.View) (bool, error) {
			a.out = into[path]
			return true, a.exportResult(ctx, view, a.export.to)
		})
	})
	return c.end(ctx, err)
}

// exportNames are what --to takes.
func exportNames() []string { return append(formats.Names(), tables) }

// checkExport is an error where --to names no file format, or what is asked of tables is asked of
// a file.
func (a *app) checkExport() error {
	_, err := formats.Find(a.export.to)
	switch {
	case err != nil:
		return fmt.Errorf("%w, %s", err, tables)
	case a.export.appends:
		return errors.New("--append adds to tables, and --to " + a.export.to + " writes none")
	}
	return nil
}

// exportFiles are the files for the exports of transcripts, each its own.
func exportFiles(dir, ext string, paths []string) map[string]string {
	into, taken := map[string]string{}, map[string]bool{}
	for _, path := range paths {
		base := filepath.Base(path)
		stem := strings.TrimSuffix(base, filepath.Ext(base))
		name := stem + ext
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s-%d%s", stem, n, ext)
		}
		taken[name], into[path] = true, filepath.Join(dir, name)
	}
	return into
}

func exportHelp() string {
	var b strings.Builder
	for _, f := range formats.All() {
		fmt.Fprintf(&b, "  %-18s %s\n", f.Name, f.Help)
	}
	fmt.Fprintf(&b, "  %-18s %s\n", tables, tablesHelp)
	return b.String()
}

func (a *app) exportFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&a.export.metadata, "metadata", false, "add index, token_count and timestamp (json, jsonl)")
	f.IntVar(&a.export.indent, "indent", 2, "indent JSON by N spaces; 0 for one line")
	f.IntVar(&a.export.maxContent, "max-content-length", 500, "cut CSV content at N characters; 0 for none")
	f.StringSliceVar(&a.export.columns, "columns", nil, "add columns to CSV: "+strings.Join(people.Columns(), ", "))
	f.BoolVar(&a.export.csvRaw, "csv-raw", false, "leave CSV cells that a spreadsheet would run as formulas")
	f.BoolVar(&a.export.redact, "redact", false, "replace credentials in formats that keep them")
	f.BoolVar(&a.export.noRedact, "no-redact", false, "keep credentials in formats for people")
	f.BoolVar(&a.export.noReasoning, "no-reasoning", false, "leave reasoning out")
	f.BoolVar(&a.export.noResult, "no-results", false, "leave tool results out")
	f.StringVar(&a.export.model, "model", "", "the `NAME` of the model in a request")
	f.StringVar(&a.export.system, "system", "", "replace the system prompt in formats for providers: `TEXT` or a file")
	f.BoolVar(&a.export.noTools, "no-tools", false, "declare no tools in a request")
	f.BoolVar(&a.export.untilUser, "until-user", false, "end a request with the last prompt or result")
	f.IntVar(&a.export.sdk, "sdk", 7, "version of the Vercel AI SDK: 5, 6 or 7 (vercel)")
	f.StringVar(&a.export.paths, "paths", "", "relative (default for people's formats) or absolute paths")
	if f.Lookup("encoding") == nil {
		f.StringVar(&a.encoding, "encoding", "", "count tokens with NAME: o200k, cl100k, p50k or r50k (default by model)")
	}
}

// shapesExport is an error where a flag that shapes exports is given, and no export
// is written: who redacts a list must not believe that it was done.
func shapesExport(cmd *cobra.Command) error {
	for _, name := range [...]string{"metadata", "indent", "max-content-length", "columns", "csv-raw", "redact", "no-redact", "no-reasoning", "no-results", "paths",
		"model", "system", "no-tools", "until-user", "sdk"} {
		if cmd.Flags().Changed(name) {
			return hinted{fmt.Errorf("--%s shapes an export, and none is written", name), "--to FORMAT writes the selection as one"}
		}
	}
	return nil
}

// exportResult writes a selection and says on stderr what had to be left out or
// was redacted.
func (a *app) exportResult(ctx context.Context, res describe.View, to string) error {
	f, err := formats.Find(to)
	if err != nil {
		return err
	}
	e := &a.export
	opts := export.Options{
		Metadata: e.metadata, Indent: e.indent, MaxContent: e.maxContent, CSVRaw: e.csvRaw,
		Redact: e.redact || f.People && !e.noRedact, Absolute: e.paths == "absolute" || e.paths == "" && !f.People,
		NoReasoning: e.noReasoning, NoResults: e.noResult, Now: time.Now(), Zone: a.zone(),
		Counter: a.counter(res.Snap),
	}
	opts.Columns, opts.Part, opts.Before = e.columns, a.part, e.before
	opts.Model, opts.NoTools, opts.UntilUser, opts.SDK = e.model, e.noTools, e.untilUser, e.sdk
	if err := e.check(f); err != nil {
		return err
	}
	if opts.System, err = e.prompt(); err != nil {
		return err
	}
	if opts.Labels, err = a.here(ctx, res.Snap); err != nil {
		return err
	}
	var report export.Report
	a.asData = !f.People
	write := func(w io.Writer) error {
		report, err = f.Write(ctx, w, res, opts)
		return err
	}
	if e.send != "" {
		err = a.send(ctx, f, write)
	} else {
		err = a.write(write)
	}
	if err != nil {
		return fmt.Errorf("exporting as %s: %w", f.Name, err)
	}
	for _, note := range report.Notes {
		fmt.Fprintf(a.Err, "turns: %s\n", model.CleanLine(note))
	}
	return a.matched(res)
}

// check is an error where a flag asks for what the format does not have.
func (e *exportFlags) check(f export.Format) error {
	switch {
	case e.sdk < 5 || e.sdk > 7:
		return fmt.Errorf("--sdk %d is not known; versions are 5, 6 and 7", e.sdk)
	case f.Provider:
		return nil
	case e.model != "" || e.system != "" || e.noTools || e.untilUser:
		return fmt.Errorf("--model, --system, --no-tools and --until-user shape exports for providers; %s is none", f.Name)
	}
	return nil
}

// prompt is the system prompt that is to stand in place of the recorded one: the text
// of a file of that name, else the text itself. nil is none.
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
