package cli

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"turns/export/outfile"
	"turns/model"
	"turns/model/format"
	"turns/model/load"
	"turns/model/source/remote"
	"turns/query/describe"
	"turns/query/redact"
	"turns/ui/cli/help"
	"turns/ui/transcripts"
)

// reads adds the flags for reading transcripts to a command.
func (a *app) reads(cmd *cobra.Command) {
	a.readsAs(cmd)
	under(cmd, help.Input, func(f *pflag.FlagSet) {
		f.BoolVar(&a.subagents, "subagents", false, "Include subagents whose transcripts are separate files")
		f.StringArrayVar(&a.max, "max", nil, "Raise or lower a safety limit: `NAME=VALUE`, such as records=5M or value=1GB (turns help limits)")
		f.StringArrayVarP(&a.header, "header", "H", nil, "Send `HEADER` (\"Name: value\") if FILE is a URL")
	})
	a.usesLabels(cmd)
	if cmd.Flags().Lookup("limit") == nil { // the former name of --max
		cmd.Flags().Var(&rowLimit{max: &a.max}, "limit", "")
		hide(cmd.Flags(), "limit")
	}
}

// readsAs adds the flags that select a format to a command.
func (a *app) readsAs(cmd *cobra.Command) {
	under(cmd, help.Input, func(f *pflag.FlagSet) {
		f.StringVar(&a.from, "from", "", "Read as `FORMAT` instead of detecting it (turns formats lists them; former name --format)")
		f.StringVar(&a.formatFile, "format-file", "", "Read as the format that `FILE` describes (turns formats --infer writes one)")
	})
}

// usesLabels adds the flags of labels to a command.
func (a *app) usesLabels(cmd *cobra.Command) {
	under(cmd, help.Input, func(f *pflag.FlagSet) {
		f.StringVar(&a.labelFile, "label-file", "", "Use `FILE` as the label store")
		f.BoolVar(&a.noLabels, "no-labels", false, "Do not read labels")
	})
}

// open opens a transcript and reads it in full.
func (a *app) open(ctx context.Context, arg string) (*load.Conversation, *model.Snapshot, error) {
	p := a.progress("reading")
	defer p.done()
	c, err := a.openOnly(ctx, arg, p)
	if err != nil {
		return nil, nil, err
	}
	snap, err := a.load(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	if file, _ := transcripts.PartOf(arg); snap.Rows() == 0 && transcripts.IsFolder(ctx, file) {
		c.Close()
		return nil, nil, errFolder(file)
	}
	if a.opened == nil {
		a.opened = map[*model.Snapshot]string{}
	}
	a.opened[snap] = arg
	return c, snap, nil
}

// openOnly opens a transcript without reading it.
func (a *app) openOnly(ctx context.Context, arg string, p *progress) (*load.Conversation, error) {
	header, err := parseHeaders(a.header)
	if err != nil {
		return nil, err
	}
	limits, err := a.limits(4 << 20)
	if err != nil {
		return nil, err
	}
	file, part := transcripts.PartOf(arg)
	a.inputs = append(a.inputs, file)
	return a.openAs(ctx, file, load.Options{Session: part, Stdin: a.In, Header: header, Agents: a.subagents, Limits: limits, Progress: p.set})
}

// load reads a transcript in full, and closes it if no part can be read. It reports missing parts.
func (a *app) load(ctx context.Context, c *load.Conversation) (*model.Snapshot, error) {
	snap, err := c.Load(ctx)
	if snap == nil {
		c.Close()
		return nil, err
	}
	why := err
	if why == nil {
		why = transcripts.PartialReadError(snap)
	}
	if why != nil {
		a.complain(transcripts.UnreadAt(c.Path(), why))
	}
	if path := c.Path(); err == nil && snap.Rows() == 0 {
		if info, serr := remote.Stat(ctx, path); serr == nil && info.Mode().IsRegular() && info.Size() == 0 {
			a.complain(fmt.Errorf("%q is empty", path))
		}
	}
	if a.Redact {
		snap = redact.Snapshot(snap)
	}
	return snap, nil
}

// parseHeaders parses the headers of -H.
func parseHeaders(lines []string) (http.Header, error) {
	if len(lines) == 0 {
		return nil, nil
	}
	h := make(http.Header)
	for _, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		if !ok || strings.TrimSpace(name) == "" || strings.ContainsAny(line, "\r\n") {
			return nil, hinted{fmt.Errorf("-H %q: a header is \"Name: value\"", line), "write -H 'Authorization: Bearer …'"}
		}
		h.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	return h, nil
}

// openAs opens a transcript in the format of the flags, otherwise in the detected one.
func (a *app) openAs(ctx context.Context, file string, opts load.Options) (*load.Conversation, error) {
	if err := a.readAs(&opts); err != nil {
		return nil, err
	}
	return load.Open(ctx, file, opts)
}

// readAs sets the format of the flags, and the user's formats, in options.
func (a *app) readAs(opts *load.Options) error {
	opts.Format, opts.Formats = a.from, a.own()
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

// checkFrom returns an error if --from names no format. For an output form, as in --format json,
// the hint differs.
func (a *app) checkFrom() error {
	if a.from == "" {
		return nil
	}
	names := formatNames()
	for _, f := range a.own() {
		names = append(names, f.Name)
	}
	if slices.Contains(names, a.from) {
		return nil
	}
	err := unknown("--from", a.from, names)
	if a.from == "json" {
		return hinted{err, "--from and its former name --format name the format to read; --json prints JSON"}
	}
	if slices.Contains(outputForms(), a.from) {
		return hinted{err, "--from and its former name --format name the format to read; --to " + a.from + " writes that form"}
	}
	return err
}

func formatNames() []string {
	var names []string
	for _, f := range format.All() {
		names = append(names, f.Name)
	}
	return names
}

// ownFormats reads the formats in the user's folder. It reports invalid files and reads the others.
func (a *app) ownFormats() (own []*model.Format) {
	config := configHome()
	if config == "" {
		return nil
	}
	files, _ := filepath.Glob(filepath.Join(config, "turns", "formats", "*.toml")) // a valid pattern
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

// maxFormat limits the description of a format; the longest inferred by turns has 20 kB.
const maxFormat = 1 << 20

// limits returns the safety limits: the defaults, changed by --max. bodies is the default size of
// messages in memory.
func (a *app) limits(bodies int64) (model.Limits, error) {
	l := model.Limits{Bodies: bodies}
	for _, given := range a.max {
		if err := setLimit(&l, given); err != nil {
			return l, err
		}
	}
	return l, nil
}

func setLimit(l *model.Limits, given string) error {
	name, text, valued := strings.Cut(given, "=")
	var names []string
	for _, limit := range l.Table() {
		names = append(names, limit.Name)
		if limit.Name != name {
			continue
		}
		n, ok := limitValue(text, limit.Unit)
		if !valued {
			return hinted{fmt.Errorf("--max %q: a limit is NAME=VALUE", given), "write --max " + name + "=" + limitExamples[limit.Unit]}
		}
		if !ok {
			return hinted{fmt.Errorf("--max %q: not a limit", given), "write --max " + name + "=" + limitExamples[limit.Unit]}
		}
		*limit.Value = n
		return nil
	}
	if !valued {
		return hinted{fmt.Errorf("--max %q: a limit is NAME=VALUE", given), "write --max records=5M; names: " + strings.Join(names, ", ")}
	}
	return unknown("--max", name, names)
}

var limitExamples = [...]string{model.Pieces: "5000000 or 5M", model.Bytes: "2GB", model.Nanoseconds: "30s"}

// limitValue parses 5000000, 5M, 2GB or 30s.
func limitValue(text string, unit model.LimitUnit) (int64, bool) {
	if unit == model.Nanoseconds {
		d, err := time.ParseDuration(text)
		return int64(d), err == nil && d > 0
	}
	digits := strings.TrimRight(text, "kKMGTB")
	power, ok := map[string]float64{"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}[strings.TrimSuffix(strings.ToUpper(text[len(digits):]), "B")]
	n, err := strconv.ParseFloat(digits, 64)
	n *= power
	return int64(n), ok && err == nil && n >= 1 && n < math.MaxInt64/2
}

// errFolder returns the error for a folder instead of a transcript.
func errFolder(dir string) error {
	return hinted{fmt.Errorf("%q is a folder", dir), "turns ls " + dir + " lists its transcripts"}
}

// reportUnread explains why no session was recognised in a transcript, and what helps.
func (a *app) reportUnread(name string, snap *model.Snapshot) {
	if why := describe.Unread(snap); why != "" && a.from == "" {
		fmt.Fprintf(a.Err, "turns: %s: %s\nturns: hint: %s\n", name, why, describe.UnreadHint)
	}
}
