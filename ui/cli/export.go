package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
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
	"turns/model/source/web"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/redact"
	"turns/ui/cli/help"
)

// exportCommand writes sessions in another format.
type exportCommand struct {
	*app
	appends bool
	send    string
}

func (a *app) exportCommand() *cobra.Command {
	c := &exportCommand{app: a}
	cmd := a.command("export FILE", "Write the selected messages in another format",
		"  turns export run.jsonl -o run.html\n  turns export run.jsonl --to markdown -q 'role:user,assistant'\n  turns export ~/.claude/projects --since 7d --to parquet -o tables",
		func(ctx context.Context, arg string) error { return c.run(ctx, []string{arg}, false) })
	a.ofMany(cmd, func(ctx context.Context, names []string) error { return c.run(ctx, names, true) })
	cmd.Long = "Write the selected messages in another format. Without --to, the ending of the file of -o decides.\n\n" + exportHelp()
	f := cmd.Flags()
	oneOf(f, &a.export.to, "to", "t", "Write `FORMAT`", exportNames)
	f.BoolVar(&a.json, "json", false, "Write JSON, as --to json does")
	f.BoolVar(&c.appends, "append", false, "Add only new sessions to existing tables (parquet)")
	f.StringVar(&c.send, "send", "", "Send spans to the receiver at `URL` instead of writing them (otlp)")
	a.limitFlag(cmd, "Write at most `N` messages of each session, as --first does")
	a.shapes(cmd)
	a.tries(f)
	a.selects(cmd)
	a.reads(cmd)
	a.writes(cmd)
	a.timeZoneFlag(cmd)
	return cmd
}

// run exports one session or several.
func (c *exportCommand) run(ctx context.Context, names []string, several bool) error {
	if c.anonymize.dryRun {
		return c.tryExport(ctx, names, several)
	}
	if err := c.format(); err != nil {
		return err
	}
	if c.rows > 0 {
		if c.first.given {
			return hinted{errors.New("--limit and --first exclude each other"), "leave one of them out"}
		}
		c.first = optional{c.rows, true}
	}
	defer func() { c.reportReplaced(c.replacing()) }()
	switch {
	case c.export.to == tables:
		if err := c.checkTables(); err != nil {
			return err
		}
		return c.exportTables(ctx, names, c.appends)
	case c.appends:
		return hinted{fmt.Errorf("--append adds to tables, and %s is a file", c.export.to), "turns export DIR --to " + tables + " --append -o FOLDER"}
	case several:
		return c.exportMany(ctx, names)
	}
	return c.about(ctx, names[0], func(res describe.View) error { return c.exportOne(ctx, res) })
}

// format finds the format: --to, --json, or the ending of the file of -o.
func (c *exportCommand) format() error {
	if c.json {
		if c.export.to != "" && c.export.to != "json" {
			return hinted{fmt.Errorf("--json and --to %s exclude each other", c.export.to), "leave one of them out"}
		}
		c.export.to, c.json = "json", false
	}
	if c.export.to != "" {
		return nil
	}
	ext := strings.ToLower(filepath.Ext(c.out))
	for _, f := range formats.All() {
		if ext != "" && f.Ext == ext { // the first with the extension is the default
			c.export.to = f.Name
			return nil
		}
	}
	hint := "turns export FILE -o run.html, or --to FORMAT; turns export --help lists the formats"
	if ext != "" {
		return hinted{fmt.Errorf("no format has the ending %s; --to FORMAT is required", ext), hint}
	}
	return hinted{errors.New("--to FORMAT is required"), hint}
}

// exportOne writes the export of one session to a file, or sends it.
func (c *exportCommand) exportOne(ctx context.Context, res describe.View) error {
	if c.send == "" {
		return c.exportResult(ctx, res, c.export.to)
	}
	return c.exportTo(ctx, res, c.export.to, func(f export.Format, write func(io.Writer) error) error { return c.post(ctx, f, write) })
}

// exportMany writes one export per transcript into the folder of -o, or one after another to
// standard output if the format allows that.
func (a *exportCommand) exportMany(ctx context.Context, names []string) error {
	f, err := formats.Find(a.export.to)
	if err != nil {
		return err
	}
	c, err := a.crowd(ctx, names)
	if err != nil {
		return err
	}
	defer c.lib.Close()
	if names := a.replacing(); names != nil {
		learnFiles(ctx, names, c.paths)
	}
	dir := a.out
	var into map[string]string
	switch info, err := os.Stat(dir); {
	case dir == "" && !slices.Contains([]string{".jsonl", ".txt", ".md"}, f.Ext):
		return hinted{fmt.Errorf("a %s file has one session, not %s", f.Name, human.Count(len(c.paths))), "-o FOLDER writes a file for each"}
	case dir == "":
	case err == nil && !info.IsDir():
		return hinted{fmt.Errorf("%q is a file", dir), "-o FOLDER writes a file for each session"}
	default:
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("making the folder for exports: %w", err)
		}
		into = a.exportFiles(dir, f.Ext, c.paths)
	}
	a.out, c.bare = "", true
	err = a.write(func(w io.Writer) error {
		return c.each(ctx, w, func(ctx context.Context, worker *app, path string, view describe.View) (bool, error) {
			worker.out = into[path]
			return true, worker.exportResult(ctx, view, a.export.to)
		})
	})
	return c.end(ctx, err)
}

// exportFiles returns the export file of each transcript.
func (a *exportCommand) exportFiles(dir, ext string, paths []string) map[string]string {
	into, taken := map[string]string{}, map[string]bool{}
	names := a.replacing()
	for _, path := range paths {
		base := filepath.Base(path)
		if names != nil {
			base = names.String(base)
		}
		stem := strings.TrimSuffix(base, filepath.Ext(base))
		name := stem + ext
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s-%d%s", stem, n, ext)
		}
		taken[name], into[path] = true, filepath.Join(dir, name)
	}
	return into
}

// exportHelp lists the export formats in a Markdown table.
func exportHelp() string {
	var b strings.Builder
	b.WriteString("| format | content |\n|---|---|\n")
	for _, f := range formats.All() {
		fmt.Fprintf(&b, "| %s | %s |\n", f.Name, strings.ReplaceAll(f.Help, "|", `\|`))
	}
	fmt.Fprintf(&b, "| %s | %s |\n", tables, tablesHelp)
	return b.String()
}

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
	oneOf(f, &e.paths, "paths", "", "Write paths as `KIND` (formats for people: relative by default)", words("relative", "absolute"))
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

// shapesNothing returns an error if a flag that shapes exports is set but no export is written: a
// user who redacts a list must not believe that it worked.
func (a *app) shapesNothing() error {
	if len(a.export.given) == 0 {
		return nil
	}
	return hinted{fmt.Errorf("--%s shapes an export, and this command prints none", a.export.given[0]), "--to FORMAT writes the selection as an export"}
}

// exportResult writes an export, and reports what the format cannot express and what was redacted.
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

// tryExport lists the replacements that an export of transcripts would make.
func (c *exportCommand) tryExport(ctx context.Context, names []string, several bool) error {
	asJSON := c.json
	c.json = false
	if asJSON && c.export.to == "" {
		c.export.to = "raw"
	}
	if err := c.format(); err != nil {
		return err
	}
	if c.export.to == tables {
		c.export.to = "jsonl" // it has the same texts
	}
	f, err := formats.Find(c.export.to)
	if err != nil {
		return err
	}
	replaced := c.replacing()
	redacts := c.export.redact || f.People && !c.export.noRedact
	if replaced == nil && !redacts {
		return hinted{errors.New("--dry-run lists what --anonymize and --redact replace"), "turns export FILE --anonymize --dry-run"}
	}
	counting := c.counting(replaced, redacts)
	try := func(ctx context.Context, a *app, res describe.View) error {
		opts, err := a.exportOptions(ctx, res, f)
		if err != nil {
			return err
		}
		opts.Names, opts.Redact = nil, false
		if replaced != nil {
			if err := export.LearnNames(ctx, replaced, res.Snap); err != nil {
				return err
			}
		}
		to := counting.Writer(io.Discard)
		_, err = f.Write(ctx, to, res, opts)
		return errors.Join(err, to.Close())
	}
	if several {
		if err := c.tryMany(ctx, names, replaced, try); err != nil {
			return err
		}
	} else if err := c.about(ctx, names[0], func(res describe.View) error { return try(ctx, c.app, res) }); err != nil {
		return err
	}
	return c.printReplaced(counting.Names(), asJSON)
}

// tryMany does a dry run for several transcripts.
func (c *exportCommand) tryMany(ctx context.Context, names []string, replaced *redact.Names, try func(context.Context, *app, describe.View) error) error {
	all, err := c.crowd(ctx, names)
	if err != nil {
		return err
	}
	defer all.lib.Close()
	if replaced != nil {
		learnFiles(ctx, replaced, all.paths)
	}
	all.bare = true
	err = all.each(ctx, io.Discard, func(ctx context.Context, worker *app, _ string, view describe.View) (bool, error) {
		return true, try(ctx, worker, view)
	})
	return all.end(ctx, err)
}

// tracesPath is the path at which OTLP receivers accept spans over HTTP
// (opentelemetry.io/docs/specs/otlp).
const tracesPath = "/v1/traces"

// post sends the lines of an export, one request per line, and reports on stderr how many spans the
// receiver rejected.
func (a *exportCommand) post(ctx context.Context, f export.Format, write func(w io.Writer) error) error {
	if f.Name != "otlp" {
		return hinted{fmt.Errorf("--send sends spans, and %s has none", f.Name), "--to otlp writes spans"}
	}
	for _, path := range a.inputs {
		if web.IsURL(path) && len(a.header) > 0 {
			return hinted{errors.New("-H would go to the server of the transcript and to the one of --send"), "export to a file first, and send that"}
		}
	}
	header, err := parseHeaders(a.header)
	if err != nil {
		return err
	}
	to := a.send
	if u, err := url.Parse(to); err == nil && strings.Trim(u.Path, "/") == "" {
		u.Path = tracesPath
		to = u.String()
	}
	s, err := web.NewSender(to, "application/json", web.Options{Header: header})
	if err != nil {
		return err
	}
	defer s.Close()
	p := &posting{ctx: ctx, s: s}
	if err := write(p); err != nil {
		return err
	}
	fmt.Fprintf(a.Err, "turns: sent %s to %s\n", human.Plural(p.sent, "request"), web.Shown(to))
	if p.refused > 0 {
		return fmt.Errorf("sending spans: the server left out %s: %s", human.Plural(p.refused, "span"), cmp.Or(p.why, "it names no reason"))
	}
	return nil
}

// checkTables returns an error if flags need features that tables lack.
func (a *exportCommand) checkTables() error {
	if a.out == "" {
		return hinted{errors.New("tables need a folder"), "-o FOLDER names it"}
	}
	for _, name := range a.export.given {
		if !slices.Contains([]string{"redact", "no-redact", "anonymize", "no-reasoning", "no-results"}, name) {
			return fmt.Errorf("--%s does not shape tables", name)
		}
	}
	if a.send != "" {
		return errors.New("--send sends spans, not tables")
	}
	if a.appends && a.force {
		return errors.New("--append and --force exclude each other: one extends the tables, one replaces them")
	}
	return nil
}
