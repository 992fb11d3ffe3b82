package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"turns/model"
	"turns/query"
	"turns/query/human"
	"turns/query/lang"
	"turns/query/many"
	"turns/query/summary"
	"turns/ui/transcripts"
)

// manyFlags say which of many runs are asked about, and how they are put together.
type manyFlags struct {
	sessions, since, until string
	by, sort               string
	top                    int
}

// manyNames are the flags that make a question one about many runs.
var manyNames = []string{"sessions", "since", "until", "by", "sort", "top"}

// ofMany lets a command that answers about one transcript answer about many, too.
func (a *app) ofMany(cmd *cobra.Command, all func(ctx context.Context, cmd *cobra.Command, names []string) error) *cobra.Command {
	one := cmd.RunE
	cmd.Use = strings.Replace(cmd.Use, "FILE", "FILE|DIR…", 1)
	cmd.Args = nil
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !askedOfMany(cmd, args) {
			if err := oneFile(cmd, args); err != nil {
				return err
			}
			return one(cmd, args)
		}
		if err := cmp.Or(a.checkFlags(), a.checkMany()); err != nil {
			return err
		}
		return all(cmd.Context(), cmd, args)
	}
	a.sessionFlags(cmd)
	return cmd
}

// checkMany is an error where a flag is about one transcript, and many are asked.
func (a *app) checkMany() error {
	if a.session == "" {
		return nil
	}
	return hinted{errors.New("--session picks a conversation of one transcript"), "--sessions 'session:" + a.session + "' picks among many"}
}

// sessionFlags say which of many runs are asked about.
func (a *app) sessionFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&a.many.sessions, "sessions", "", "of many runs only those that match `QUERY`, as turns ls -q takes it: agent:codex end:failed")
	f.StringVar(&a.many.since, "since", "", "of many runs only those from `TIME` on: 7d, yesterday, 2026-02-11")
	f.StringVar(&a.many.until, "until", "", "of many runs only those up to `TIME`")
}

// ofEach lets a command answer about one transcript, and about many one after another.
func (a *app) ofEach(cmd *cobra.Command, answer answerOne) {
	one := answer.one(a)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := a.checkFlags(); err != nil {
			return err
		}
		return one(cmd.Context(), cmd, args[0])
	}
	a.ofMany(cmd, answer.each(a))
}

// summed is ofMany for a command whose answers are added up.
func (a *app) summed(cmd *cobra.Command) *cobra.Command {
	a.ofMany(cmd, a.sum)
	f := cmd.Flags()
	f.StringVar(&a.many.by, "by", "", "put many runs together by `WHAT`: "+strings.Join(many.Names(), ", "))
	f.StringVar(&a.many.sort, "sort", "", "order them by `COLUMN`, the largest first, or by key")
	f.IntVar(&a.many.top, "top", 0, "print the first `N` of them")
	return cmd
}

func askedOfMany(cmd *cobra.Command, args []string) bool {
	for _, name := range manyNames {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			return true
		}
	}
	return len(args) > 1 || len(args) == 1 && transcripts.IsMany(cmd.Context(), args[0])
}

// sessionsAsked is the filter that the flags make together.
func (m *manyFlags) sessionsAsked() (*lang.Filter, error) {
	query := m.sessions
	if strings.Contains(query, "|") {
		query = "(" + query + ")"
	}
	for _, bound := range [...]struct{ key, value string }{{"after", m.since}, {"until", m.until}} {
		if bound.value != "" {
			query += " " + bound.key + ":" + lang.Quote(bound.value)
		}
	}
	f, err := lang.Parse(strings.TrimSpace(query))
	if err != nil {
		return nil, located(err)
	}
	return f, nil
}

// crowd is many transcripts that are asked the same.
type crowd struct {
	*app
	lib    *transcripts.Store
	paths  []string
	wants  *lang.Filter
	shown  *progress
	read   int // transcripts that were asked
	unread int // of them, those that could not be read, or in part
	failed int // of them, those that could be read and about which there is no answer
	runs   int
	bare   bool // nothing stands between the answers
	bad    bool // the exit code is that of nothing found
}

// crowd finds the transcripts that names stand for; none stand for those of this
// machine's agents.
func (a *app) crowd(ctx context.Context, names []string) (*crowd, error) {
	wants, err := a.many.sessionsAsked()
	if err != nil {
		return nil, err
	}
	lib, err := a.library(names...)
	if err != nil {
		return nil, err
	}
	c := &crowd{app: a, lib: lib, wants: wants, shown: a.progress("reading")}
	c.paths, err = lib.Transcripts(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	a.complainEach(err)
	if len(c.paths) == 0 && err == nil && len(names) > 0 {
		lib.Close()
		return nil, nothingIn(names)
	}
	a.inputs = append(a.inputs, c.paths...)
	return c, nil
}

// alone is the app in a worker, which asks about one of many transcripts.
func (a *app) alone(out, said io.Writer) *app {
	b := *a
	b.Columns = a.columns()
	b.Out, b.Err, b.Terminal, b.ErrTerm, b.out = out, said, false, false, ""
	return &b
}

// chooseSome has the selection flags, where there are any, choose of every run.
func (a *app) chooseSome(cmd *cobra.Command) {
	if a.filter != "" || a.slice != "" || cmd.Flags().Changed("first") || cmd.Flags().Changed("last") {
		a.screen.choose = a.chooseAlone(cmd)
	}
}

// chooseAlone applies the selection flags in a worker: what could not be read is an
// error, and is said in its turn.
func (a *app) chooseAlone(cmd *cobra.Command) func(context.Context, *model.Snapshot) (query.Selection, error) {
	a.labels()  // one store for all copies, read once
	still := *a // what is noted of the run is not copied while it is written
	return func(ctx context.Context, snap *model.Snapshot) (query.Selection, error) {
		var said bytes.Buffer
		alone := still.alone(nil, &said)
		res, err := alone.choose(ctx, cmd, snap)
		if err == nil && said.Len() > 0 {
			err = errors.New(strings.TrimSpace(strings.TrimPrefix(said.String(), "turns: error: ")))
		}
		return res.Selection, err
	}
}

// asked takes note of a transcript that was asked, and reports whether there is an
// answer.
func asked[T any](c *crowd, a *transcripts.Answer[T]) bool {
	c.read++
	c.shown.set(int64(c.read), int64(len(c.paths)))
	for _, err := range [...]error{a.Err, a.Unread} {
		if err == nil {
			continue
		}
		if a.Failed && err == a.Err {
			c.failed++
		} else {
			c.unread++
		}
		c.shown.done()
		c.complain(err)
	}
	return a.Err == nil && !a.None
}

// end says what the answer does not hold, and gives the error of the command.
func (c *crowd) end(ctx context.Context, err error) error {
	c.shown.done()
	if c.unread > 0 {
		fmt.Fprintf(c.Err, "turns: %s of %s could not be read as a whole\n", human.Count(c.unread), human.Plural(len(c.paths), "transcript"))
	}
	if c.failed > 0 {
		fmt.Fprintf(c.Err, "turns: nothing came of %s of %s\n", human.Count(c.failed), human.Plural(len(c.paths), "transcript"))
	}
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		fmt.Fprintf(c.Err, "turns: interrupted: this is of %s of %s\n", human.Count(c.read), human.Plural(len(c.paths), "transcript"))
		return ctx.Err()
	case c.runs == 0:
		return errNoMatch
	}
	return nil
}

// endOf is end for a command where it is an answer that there are no runs.
func (c *crowd) endOf(ctx context.Context) error {
	if err := c.end(ctx, nil); !errors.Is(err, errNoMatch) {
		return err
	}
	return nil
}

// sum answers by adding up what is said of each run.
func (a *app) sum(ctx context.Context, cmd *cobra.Command, names []string) error {
	shape := many.Shapes()[cmd.Name()]
	if cmd.Flags().Changed("by") {
		shape.By = a.many.by
	}
	if a.many.sort != "" {
		shape.Sort = a.many.sort
	}
	var by many.By
	if shape.By != "" {
		var err error
		if by, err = many.Find(shape.By); err != nil {
			return err
		}
	}
	answer := many.NewAnswer(by, a.zone())
	if _, err := answer.Sort(shape.Sort, 0); err != nil { // before anything is read
		return err
	}
	prices, err := a.prices(cmd)
	if err != nil {
		return err
	}
	a.chooseSome(cmd)
	c, err := a.crowd(ctx, names)
	if err != nil {
		return err
	}
	defer c.lib.Close()
	for got := range c.lib.Totals(ctx, c.paths, transcripts.TotalsOptions{Sessions: c.wants, Prices: prices, Tokens: a.encoding != ""}) {
		if asked(c, &got) {
			c.runs += len(got.Answer)
			for _, run := range got.Answer {
				answer.Add(run)
			}
		}
	}
	c.shown.done()
	answer.Keep(shape.Needs)
	left, err := answer.Sort(shape.Sort, a.many.top)
	if err == nil && c.runs > 0 {
		err = a.writeSums(answer, shape.Columns, left)
	}
	return c.end(ctx, err)
}

func (a *app) writeSums(answer *many.Answer, columns []string, left int) error {
	if a.encoding != "" {
		columns = append(columns, "total_tokens")
	}
	return a.writeAs(func(w io.Writer) error { return writeJSONLines(w, answer.Rows) }, a.paged(func(p *human.Page) {
		answer.Print(p, columns)
		if left > 0 {
			fmt.Fprintf(p, "%s more are left out by --top\n", human.Count(left))
		}
	}))
}

// prices are those that a command estimates costs by: the user's own before the list's.
func (a *app) prices(cmd *cobra.Command) (summary.PriceTable, error) {
	path := ""
	if cmd != nil && cmd.Flags().Lookup("prices") != nil {
		path = cmd.Flags().Lookup("prices").Value.String()
	}
	return a.config().OpenPrices(path)
}
