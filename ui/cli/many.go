package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"turns/model"
	"turns/query"
	described "turns/query/answer"
	"turns/query/human"
	"turns/query/lang"
	"turns/query/many"
	"turns/query/session"
	"turns/query/summary"
	"turns/ui/cli/help"
	"turns/ui/transcripts"
)

// manyNames are the flags that make a query one about many sessions.
var manyNames = []string{"where", "since", "until", "by", "sort"}

// picks adds the flags that select sessions to a command.
func (a *app) picks(cmd *cobra.Command) {
	under(cmd, help.SelectSessions, func(f *pflag.FlagSet) {
		f.StringVar(&a.where, "where", "", "Only sessions that match `QUERY`, such as 'agent:codex end:failed' (turns help filters)")
		f.StringVar(&a.since, "since", "", "Only sessions since `TIME`: 7d, yesterday, 2026-02-11")
		f.StringVar(&a.until, "until", "", "Only sessions up to `TIME`")
	})
}

// ofMany extends a command about one session to many.
func (a *app) ofMany(cmd *cobra.Command, all func(ctx context.Context, names []string) error) {
	cmd.Use = strings.Replace(cmd.Use, "FILE", "FILE|DIR…", 1)
	cmd.Args = nil
	cmd.RunE = a.oneOrMany(cmd.RunE, all)
	a.picks(cmd)
}

// oneOrMany calls one or all, depending on whether the query is about many sessions.
func (a *app) oneOrMany(one func(*cobra.Command, []string) error, all func(ctx context.Context, names []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if !a.askedOfMany(cmd.Context(), args) {
			if err := oneFile(cmd, args); err != nil {
				return err
			}
			return one(cmd, args)
		}
		if err := a.checkMany(); err != nil {
			return err
		}
		return all(cmd.Context(), args)
	}
}

// checkMany returns an error if a flag for one transcript is used with many.
func (a *app) checkMany() error {
	if a.session == "" {
		return nil
	}
	return hinted{errors.New("--session selects a conversation of one file"), "--where 'session:" + a.session + "' selects it among many"}
}

// summed is ofMany for a command whose answers can be added up.
func (a *app) summed(cmd *cobra.Command) {
	name := cmd.Name()
	a.summedAs(cmd, func(ctx context.Context, names []string) error { return a.sum(ctx, name, names) })
}

// summedAs is summed with a custom function.
func (a *app) summedAs(cmd *cobra.Command, all func(ctx context.Context, names []string) error) {
	a.ofMany(cmd, all)
	f := cmd.Flags()
	oneOf(f, &a.by, "by", "", "Group sessions by `KEY`", many.Names)
	f.StringVar(&a.sort, "sort", "", "Sort groups by `COLUMN`, the largest first, or by key")
}

// askedOfMany reports whether a query is about many sessions.
func (a *app) askedOfMany(ctx context.Context, args []string) bool {
	return a.asked || len(args) > 1 || len(args) == 1 && transcripts.IsMany(ctx, args[0])
}

// wanted returns the filter of the flags that select sessions.
func (m *sessionFlags) wanted() (*lang.Filter, error) {
	query := m.where
	if strings.Contains(query, "|") {
		query = "(" + query + ")"
	}
	for _, bound := range [...]struct{ flag, key, value string }{{"--since", "after", m.since}, {"--until", "until", m.until}} {
		if bound.value == "" {
			continue
		}
		term := bound.key + ":" + lang.Quote(bound.value)
		if _, err := lang.Parse(term); err != nil {
			return nil, hinted{fmt.Errorf("%s %q is not a time", bound.flag, bound.value), "write 7d, 12h, yesterday, 22:41, 2026-02-11 or 2026-02-11T22:41"}
		}
		query += " " + term
	}
	f, err := lang.Parse(strings.TrimSpace(query))
	if err != nil {
		return nil, located(err)
	}
	return f, nil
}

// crowd is a query about many transcripts.
type crowd struct {
	app     *app
	lib     *transcripts.Store
	paths   []string
	wants   *lang.Filter
	shown   *progress
	read    int // queried transcripts
	unread  int // transcripts that could not be read in full
	failed  int // transcripts that were read but have no answer
	runs    int
	printed int  // printed answers
	bare    bool // without headings between the answers
	bad     bool // exit code 1
}

// crowd finds the transcripts for some names; without names, those of the agents on this machine.
func (a *app) crowd(ctx context.Context, names []string) (*crowd, error) {
	wants, err := a.sessionFlags.wanted()
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
	if len(c.paths) > 1 {
		a.goesOn()
	}
	if len(c.paths) == 0 && err == nil {
		lib.Close()
		return nil, nothingIn(names)
	}
	a.inputs = append(a.inputs, c.paths...)
	return c, nil
}

// chooseSome applies the flags that select messages to every transcript.
func (a *app) chooseSome() {
	if a.query != "" || a.cut() {
		a.chooses = a.chooseAlone()
	}
}

// chooseAlone selects messages in a worker. A message that cannot be read is an error, reported
// with its transcript.
func (a *app) chooseAlone() func(context.Context, *model.Snapshot) (query.Selection, error) {
	return func(ctx context.Context, snap *model.Snapshot) (query.Selection, error) {
		var stderr bytes.Buffer
		res, err := a.worker(nil, &stderr).choose(ctx, snap)
		if err == nil && stderr.Len() > 0 {
			err = errors.New(strings.TrimSpace(strings.TrimPrefix(stderr.String(), "turns: error: ")))
		}
		return res.Selection, err
	}
}

// took records a queried transcript, and reports whether it has an answer.
func took[T any](c *crowd, a *transcripts.Answer[T]) bool {
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
		c.app.complain(err)
	}
	return a.Err == nil && !a.None
}

// end reports the transcripts missing in the answer, and returns the error of the command.
func (c *crowd) end(ctx context.Context, err error) error {
	c.shown.done()
	if c.unread > 0 {
		fmt.Fprintf(c.app.Err, "turns: %s of %s could not be read as a whole\n", human.Count(c.unread), human.Plural(len(c.paths), "transcript"))
	}
	if c.failed > 0 {
		fmt.Fprintf(c.app.Err, "turns: no answer about %s of %s\n", human.Count(c.failed), human.Plural(len(c.paths), "transcript"))
	}
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		fmt.Fprintf(c.app.Err, "turns: interrupted: this is of %s of %s\n", human.Count(c.read), human.Plural(len(c.paths), "transcript"))
		return ctx.Err()
	case c.runs == 0:
		return nothing("no sessions match")
	}
	return nil
}

// sum adds up the numbers of the sessions.
func (a *app) sum(ctx context.Context, command string, names []string) error {
	if a.by == "cause" {
		command = "cause"
	}
	shape := many.Shapes()[command]
	shape.By, shape.Sort = cmp.Or(a.by, shape.By), cmp.Or(a.sort, shape.Sort)
	var by many.By
	if shape.By != "" {
		var err error
		if by, err = many.Find(shape.By); err != nil {
			return err
		}
	}
	answer := many.NewAnswer(by, a.zone())
	if _, err := answer.Sort(shape.Sort, 0); err != nil { // before reading transcripts
		return err
	}
	prices, err := a.prices()
	if err != nil {
		return err
	}
	a.chooseSome()
	c, err := a.crowd(ctx, names)
	if err != nil {
		return err
	}
	defer c.lib.Close()
	for got := range c.lib.Totals(ctx, c.paths, transcripts.TotalsOptions{Sessions: c.wants, Prices: prices, Tokens: a.encoding != ""}) {
		if took(c, &got) {
			c.runs += len(got.Answer)
			for _, run := range got.Answer {
				answer.Add(run)
			}
		}
	}
	c.shown.done()
	answer.Keep(shape.Needs)
	left, err := answer.Sort(shape.Sort, a.rows)
	if err == nil && c.runs > 0 {
		var list *summary.ListPrices
		if command == "cost" || command == "cause" {
			if list, err = a.listPrices(); err != nil {
				return err
			}
		}
		err = a.writeSums(answer, shape.Columns, left, command == "tools", list)
	}
	return c.end(ctx, err)
}

// writeSums prints sums. list describes the prices in answers about cost; nil for other answers.
func (a *app) writeSums(answer *many.Answer, columns []string, left int, tools bool, list *summary.ListPrices) error {
	if a.encoding != "" {
		columns = append(columns, "total_tokens")
	}
	var week *many.Week
	if list != nil {
		week = answer.Week(a.time())
	}
	asJSON := func(w io.Writer) error {
		if tools && answer.By.Name == "tool" {
			return query.WriteJSON(w, answer.ToolsJSON())
		}
		totals := answer.JSON()
		totals.Week = week
		return query.WriteJSON(w, totals)
	}
	return a.printAnswer(func() *described.Doc {
		d := answer.Doc(columns)
		if list != nil && answer.All.Estimated > 0 {
			d.Note(list.String())
		}
		if week != nil {
			d.Note(week.Words(answer.All.Estimated > 0))
		}
		return d.Rest(left)
	}, asJSON)
}

// errNoSessions is the error for folders without transcripts.
var errNoSessions = errors.New("no sessions")

// nothingIn returns the error for folders without transcripts.
func nothingIn(dirs []string) error {
	if len(dirs) == 0 {
		return hinted{fmt.Errorf("%w on this machine", errNoSessions), "turns ls DIR lists a folder; turns formats shows the folders of agents"}
	}
	return hinted{fmt.Errorf("%w in %q, nor in the folders below", errNoSessions, strings.Join(dirs, ", ")), "turns formats lists the formats that turns reads; turns ls lists the sessions on this machine"}
}

// parseNow parses the time of --now, by default the current time.
func parseNow(s string) (time.Time, error) {
	if s == "" {
		return time.Now(), nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return t, hinted{fmt.Errorf("reading the time %q: %w", s, err), "write 2026-02-11T22:41:00Z"}
	}
	return t, nil
}

// hintless adds a hint to an error if no folder was given.
func hintless(dirs []string, err error) error {
	if len(dirs) > 0 {
		return err
	}
	return hinted{err, "turns ls DIR lists a folder"}
}

// ofRuns queries each of many sessions in order. It passes the results on without storing them.
func ofRuns[T any](ctx context.Context, c *crowd, ask func(context.Context, query.Selection, *session.Session) ([]T, error), take func(*T)) {
	askSessions(ctx, c, transcripts.PerSession[T]{Ask: ask}, take)
}

// askSessions queries each of many sessions, in order.
func askSessions[T any](ctx context.Context, c *crowd, q transcripts.PerSession[T], take func(*T)) {
	for got := range transcripts.AskSessions(ctx, c.lib, c.paths, c.wants, q) {
		if took(c, &got) {
			c.runs++
			for i := range got.Answer {
				take(&got.Answer[i])
			}
		}
	}
	c.shown.done()
}
