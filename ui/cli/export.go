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

	"github.com/spf13/cobra"

	"turns/export"
	"turns/export/formats"
	"turns/model/source/web"
	"turns/query/answer"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/redact"
)

// exportCommand writes sessions in another format.
type exportCommand struct {
	app     *app
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
	if c.app.anonymize.dryRun {
		return c.tryExport(ctx, names, several)
	}
	if err := c.format(); err != nil {
		return err
	}
	if c.app.rows > 0 {
		if c.app.first.given {
			return hinted{errors.New("--limit and --first exclude each other"), "leave one of them out"}
		}
		c.app.first = optional{c.app.rows, true}
	}
	defer func() { c.app.reportReplaced(c.app.replacing()) }()
	switch {
	case c.app.export.to == tables:
		if err := c.checkTables(); err != nil {
			return err
		}
		return c.app.exportTables(ctx, names, c.appends)
	case c.appends:
		return hinted{fmt.Errorf("--append adds to tables, and %s is a file", c.app.export.to), "turns export DIR --to " + tables + " --append -o FOLDER"}
	case several:
		return c.exportMany(ctx, names)
	}
	return c.app.about(ctx, names[0], func(res describe.View) error { return c.exportOne(ctx, res) })
}

// format finds the format: --to, --json, or the ending of the file of -o.
func (c *exportCommand) format() error {
	if c.app.json {
		if c.app.export.to != "" && c.app.export.to != "json" {
			return hinted{fmt.Errorf("--json and --to %s exclude each other", c.app.export.to), "leave one of them out"}
		}
		c.app.export.to, c.app.json = "json", false
	}
	if c.app.export.to != "" {
		return nil
	}
	ext := strings.ToLower(filepath.Ext(c.app.out))
	for _, f := range formats.All() {
		if ext != "" && f.Ext == ext { // the first with the extension is the default
			c.app.export.to = f.Name
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
		return c.app.exportResult(ctx, res, c.app.export.to)
	}
	return c.app.exportTo(ctx, res, c.app.export.to, func(f export.Format, write func(io.Writer) error) error { return c.post(ctx, f, write) })
}

// exportMany writes one export per transcript into the folder of -o, or one after another to
// standard output if the format allows that.
func (a *exportCommand) exportMany(ctx context.Context, names []string) error {
	f, err := formats.Find(a.app.export.to)
	if err != nil {
		return err
	}
	c, err := a.app.crowd(ctx, names)
	if err != nil {
		return err
	}
	defer c.lib.Close()
	if names := a.app.replacing(); names != nil {
		learnFiles(ctx, names, c.paths)
	}
	dir := a.app.out
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
	a.app.out, c.bare = "", true
	err = a.app.write(func(w io.Writer) error {
		return c.each(ctx, w, func(ctx context.Context, worker *app, path string, view describe.View) (bool, error) {
			worker.out = into[path]
			return true, worker.exportResult(ctx, view, a.app.export.to)
		})
	})
	return c.end(ctx, err)
}

// exportFiles returns the export file of each transcript.
func (a *exportCommand) exportFiles(dir, ext string, paths []string) map[string]string {
	into, taken := map[string]string{}, map[string]bool{}
	names := a.app.replacing()
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
	t := answer.NewTable("format", "content")
	for _, f := range formats.All() {
		t.Add(f.Name, f.Help)
	}
	t.Add(tables, tablesHelp)
	return answer.Alone(t).Markdown()
}

// tryExport lists the replacements that an export of transcripts would make.
func (c *exportCommand) tryExport(ctx context.Context, names []string, several bool) error {
	asJSON := c.app.json
	c.app.json = false
	if asJSON && c.app.export.to == "" {
		c.app.export.to = "raw"
	}
	if err := c.format(); err != nil {
		return err
	}
	if c.app.export.to == tables {
		c.app.export.to = "jsonl" // it has the same texts
	}
	f, err := formats.Find(c.app.export.to)
	if err != nil {
		return err
	}
	replaced := c.app.replacing()
	redacts := c.app.export.redact || f.People && !c.app.export.noRedact
	if replaced == nil && !redacts {
		return hinted{errors.New("--dry-run lists what --anonymize and --redact replace"), "turns export FILE --anonymize --dry-run"}
	}
	counting := c.app.counting(replaced, redacts)
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
	} else if err := c.app.about(ctx, names[0], func(res describe.View) error { return try(ctx, c.app, res) }); err != nil {
		return err
	}
	return c.app.printReplaced(counting.Names(), asJSON)
}

// tryMany does a dry run for several transcripts.
func (c *exportCommand) tryMany(ctx context.Context, names []string, replaced *redact.Names, try func(context.Context, *app, describe.View) error) error {
	all, err := c.app.crowd(ctx, names)
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
	for _, path := range a.app.inputs {
		if web.IsURL(path) && len(a.app.header) > 0 {
			return hinted{errors.New("-H would go to the server of the transcript and to the one of --send"), "export to a file first, and send that"}
		}
	}
	header, err := parseHeaders(a.app.header)
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
	fmt.Fprintf(a.app.Err, "turns: sent %s to %s\n", human.Plural(p.sent, "request"), web.Shown(to))
	if p.refused > 0 {
		return fmt.Errorf("sending spans: the server left out %s: %s", human.Plural(p.refused, "span"), cmp.Or(p.why, "it names no reason"))
	}
	return nil
}

// checkTables returns an error if flags need features that tables lack.
func (a *exportCommand) checkTables() error {
	if a.app.out == "" {
		return hinted{errors.New("tables need a folder"), "-o FOLDER names it"}
	}
	for _, name := range a.app.export.given {
		if !slices.Contains([]string{"redact", "no-redact", "anonymize", "no-reasoning", "no-results"}, name) {
			return fmt.Errorf("--%s does not shape tables", name)
		}
	}
	if a.send != "" {
		return errors.New("--send sends spans, not tables")
	}
	if a.appends && a.app.force {
		return errors.New("--append and --force exclude each other: one extends the tables, one replaces them")
	}
	return nil
}
