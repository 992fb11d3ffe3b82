package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"turns/model"
	"turns/model/load"
	"turns/model/source/remote"
	"turns/model/token"
	"turns/query"
	"turns/query/describe"
	"turns/query/filter"
	"turns/query/label"
	"turns/query/lang"
	"turns/ui/config"
	"turns/ui/transcripts"
)

// app holds the flags of one run.
type app struct {
	IO

	// What is read, and which messages of it.
	format, session string
	formatFile      string                 // a description of the format
	own             func() []*model.Format // the user's own formats, read once; nil: there are none
	filter, slice   string
	first, last     int
	part            bool // messages were selected by their places
	cut             bool // first or last was given, be it as 0
	at              string
	agents, utc     bool
	whole           bool // a list reads long transcripts whole
	header, limit   []string
	encoding        string
	noTokens, json  bool

	// Where it goes.
	out    string
	force  bool
	inputs []string // transcripts that were opened, which out must not be
	asData bool     // what is written is an export for programs, with texts as they were recorded

	settings   *config.Config // nil until they are asked for
	labelsFile string
	noLabels   bool
	store      *transcripts.Labels             // nil until it is asked for
	opened     map[*model.Snapshot]string      // what was opened, and from where
	placed     map[*model.Snapshot]*label.Here // what is said of the one that was asked for last

	incomplete bool // something could not be read, which was said

	screen screenFlags
	many   manyFlags
	export exportFlags
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// columnsOf is how wide a terminal is, 0 where nobody knows.
func columnsOf(f *os.File) int {
	w, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return max(w, 0)
}

// released is the version of a release, which its build sets.
var released string

// version is that of the release, or of the module as it was built.
func version() string {
	if released != "" {
		return released
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// selectionFlags are the same on every command that answers about messages.
func (a *app) selectionFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&a.filter, "filter", "q", "", "only messages that match QUERY: role:user tool:read_* is:error text:\"…\" …")
	f.StringVar(&a.slice, "slice", "", "only messages A:B, as Python slices: 5:10, -3:")
	f.IntVar(&a.first, "first", 0, "only the first N messages")
	f.IntVar(&a.last, "last", 0, "only the last N messages")
	f.StringVar(&a.format, "format", "", "read as format NAME instead of detecting it (turns formats lists them)")
	f.StringVar(&a.formatFile, "format-file", "", "read as the format that FILE describes (turns formats --infer writes one)")
	f.StringVar(&a.session, "session", "", "of a source with many conversations only ID or number N")
	f.BoolVar(&a.agents, "agents", false, "count the messages of subagents whose transcripts are files of their own")
	f.BoolVar(&a.utc, "utc", false, "times in UTC instead of the local zone")
	f.StringArrayVar(&a.limit, "limit", nil, "read more or less than usual, as NAME=VALUE: records=5M, value=1GB (README lists all)")
	a.labelFlags(cmd)
	f.StringArrayVarP(&a.header, "header", "H", nil, "send HEADER (\"Name: value\") when FILE is a URL")
}

func (a *app) outputFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&a.out, "output", "o", "", "write to FILE, whole or not at all")
	f.BoolVar(&a.force, "force", false, "overwrite FILE")
}

func (a *app) answerFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&a.json, "json", false, "print JSON")
	f.BoolVar(&a.noTokens, "no-tokens", false, "do not count tokens")
	f.StringVar(&a.encoding, "encoding", "", "count with NAME: o200k, cl100k, p50k or r50k (default by model)")
}

// open opens the transcript and reads all of it.
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

// openOnly opens the transcript without reading it.
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
	return a.openAs(ctx, file, load.Options{Session: part, Stdin: a.In, Header: header, Agents: a.agents, Limits: limits, Progress: p.set})
}

// load reads all of the transcript, and closes it where nothing can be read.
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
	if why != nil { // what could be read is shown, and what is missing is said
		a.complain(transcripts.UnreadAt(c.Path(), why))
	}
	if path := c.Path(); err == nil && snap.Rows() == 0 {
		if info, serr := remote.Stat(ctx, path); serr == nil && info.Mode().IsRegular() && info.Size() == 0 {
			a.complain(fmt.Errorf("%q is empty", path))
		}
	}
	return snap, nil
}

// selected opens the transcript and applies the selection flags: filter, slice,
// first, last, in this order.
func (a *app) selected(ctx context.Context, cmd *cobra.Command, arg string) (*load.Conversation, describe.View, error) {
	c, snap, err := a.open(ctx, arg)
	if err != nil {
		return nil, describe.View{}, err
	}
	res, err := a.choose(ctx, cmd, snap)
	if err != nil {
		c.Close()
		return nil, describe.View{}, err
	}
	return c, res, nil
}

func (a *app) choose(ctx context.Context, cmd *cobra.Command, snap *model.Snapshot) (describe.View, error) {
	sel := query.Everything(snap)
	var err error
	if a.session != "" {
		if sel, err = ofSession(sel, a.session); err != nil {
			return describe.View{}, err
		}
	}
	var match *filter.Result
	if a.filter != "" {
		if match, err = a.match(ctx, sel); err != nil {
			return describe.View{}, err
		}
		sel = match.Selection(snap)
	}
	if a.slice != "" {
		spec, err := query.ParseSlice(a.slice)
		if err != nil {
			return describe.View{}, located(err)
		}
		sel, a.part = sel.Slice(spec), true
	}
	if cmd.Flags().Changed("first") {
		sel, a.cut = sel.First(a.first), true
	}
	if cmd.Flags().Changed("last") {
		sel, a.cut = sel.Last(a.last), true
	}
	a.part = a.part || a.cut
	return describe.NewView(sel, match), nil
}

// filterEnv is what filters ask beside a snapshot, with what people said of it.
func (a *app) filterEnv(ctx context.Context, s *model.Snapshot) (env filter.Env, err error) {
	env = filter.Env{Now: time.Now(), Loc: a.zone()}
	env.Labels, err = a.here(ctx, s)
	return env, err
}

// match applies the filter.
func (a *app) match(ctx context.Context, sel query.Selection) (*filter.Result, error) {
	f, err := lang.Parse(a.filter)
	if err != nil {
		return nil, located(err)
	}
	env := filter.Env{Now: time.Now(), Loc: a.zone()}
	if filter.AsksLabels(f) {
		if env, err = a.filterEnv(ctx, sel.Snap); err != nil {
			return nil, err
		}
	}
	if f.Uses(lang.KeyTokens) {
		if env.Tokens, err = query.CountTokens(ctx, sel, a.counter(sel.Snap)); err != nil {
			return nil, err
		}
	}
	p := a.progress("filtering")
	defer p.done()
	env.Progress = func(done, total int) { p.set(int64(done), int64(total)) }
	res, err := filter.Apply(ctx, sel, f, env)
	if err != nil {
		return nil, err
	}
	if res.Err != nil {
		a.complain(fmt.Errorf("%d messages could not be read: %w", res.Unread, res.Err))
	}
	return &res, nil
}

// narrowed reports whether any flag can leave messages out, once choose has run.
func (a *app) narrowed() bool {
	return a.filter != "" || a.slice != "" || a.cut || a.session != ""
}

// ofSession keeps the messages of one conversation, named by its recorded id or
// its number.
func ofSession(sel query.Selection, name string) (query.Selection, error) {
	n, err := sessionNumber(sel.Snap, name)
	if err != nil {
		return sel, err
	}
	return sessionMessages(sel, n), nil
}

// sessionNumber is the number of a conversation.
func sessionNumber(snap *model.Snapshot, name string) (int, error) {
	sessions := snap.Sessions()
	for i := len(sessions) - 1; i >= 0; i-- {
		if sessions[i].Field("session") == name {
			return i, nil
		}
	}
	n, err := strconv.Atoi(name)
	if err != nil || n < 0 || n >= len(sessions) {
		return 0, hinted{fmt.Errorf("no session %q among %d", name, len(sessions)),
			fmt.Sprintf("--session takes a recorded id or a number from 0 to %d", len(sessions)-1)}
	}
	return n, nil
}

// sessionMessages are the messages of one conversation, by its number.
func sessionMessages(sel query.Selection, n int) query.Selection {
	threads := sel.Snap.Threads()
	kept := query.Selection{Snap: sel.Snap}
	for _, id := range sel.IDs {
		if int(threads[sel.Snap.HeadRow(id).Thread].Session) == n {
			kept.IDs = append(kept.IDs, id)
		}
	}
	return kept
}

func (a *app) zone() *time.Location {
	if a.utc {
		return time.UTC
	}
	return time.Local
}

// counter counts with the encoding that was asked for, else with that of the
// first model that answers.
func (a *app) counter(snap *model.Snapshot) *query.Counter {
	enc := token.ForModel(firstModel(snap))
	if a.encoding != "" {
		if e, err := token.ParseEncoding(a.encoding); err == nil {
			enc = e
		}
	}
	p := a.progress("counting tokens")
	return &query.Counter{
		New:      func() query.TokenCounter { return token.New(enc) },
		Encoding: enc.String(),
		Progress: func(done, total int64) {
			if p.set(done, total); done >= total {
				p.done()
			}
		},
	}
}

func firstModel(snap *model.Snapshot) string {
	for i := range snap.Sessions() {
		if m := snap.Sessions()[i].Field("model"); m != "" {
			return m
		}
	}
	return ""
}

// checkFlags finds mistakes before anything is read: a gigabyte is not read to
// learn of one.
func (a *app) checkFlags() error {
	if a.encoding != "" {
		if _, err := token.ParseEncoding(a.encoding); err != nil {
			return err
		}
	}
	switch a.export.paths {
	case "", "relative", "absolute":
	default:
		return fmt.Errorf("unknown --paths %q; known are relative, absolute", a.export.paths)
	}
	if _, err := lang.Parse(a.filter); err != nil {
		return located(err)
	}
	if a.slice != "" {
		if _, err := query.ParseSlice(a.slice); err != nil {
			return located(err)
		}
	}
	return nil
}

// located is a mistake in a filter or a slice, which name themselves and the
// column, with what to write instead as a hint.
func located(err error) error {
	var filter *lang.SyntaxError
	if errors.As(err, &filter) {
		bare := *filter
		bare.Hint = ""
		return hinted{&bare, filter.Hint}
	}
	var slice *query.SliceError
	if errors.As(err, &slice) {
		bare := *slice
		bare.Hint = ""
		return hinted{&bare, slice.Hint}
	}
	return err
}

// limits are those that hold where no flag says otherwise, with what the flags say.
// bodies is how much of messages is kept in memory, where that is not asked for.
func (a *app) limits(bodies int64) (model.Limits, error) {
	l := model.Limits{Bodies: bodies}
	for _, given := range a.limit {
		if err := setLimit(&l, given); err != nil {
			return l, err
		}
	}
	return l, nil
}

func setLimit(l *model.Limits, given string) error {
	name, text, _ := strings.Cut(given, "=")
	var names []string
	for _, limit := range l.Table() {
		names = append(names, limit.Name)
		if limit.Name != name {
			continue
		}
		n, ok := limitValue(text, limit.Unit)
		if !ok {
			return hinted{fmt.Errorf("--limit %q: not a limit", given), "as in --limit " + name + "=" + limitExamples[limit.Unit]}
		}
		*limit.Value = n
		return nil
	}
	return hinted{fmt.Errorf("--limit %q: there is no limit of that name", given), "limits are " + strings.Join(names, ", ")}
}

var limitExamples = [...]string{model.Pieces: "5000000 or 5M", model.Bytes: "2GB", model.Nanoseconds: "30s"}

// limitValue reads 5000000, 5M, 2GB or 30s.
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
