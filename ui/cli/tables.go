package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"turns/export/parquet"
	"turns/model/source/remote"
	"turns/model/source/web"
	"turns/query"
	"turns/query/human"
	"turns/query/many"
	"turns/query/session"
	"turns/ui/transcripts"
)

// tablesHelp describes the tables format in one line.
const tablesHelp = "tables for DuckDB, Spark, ClickHouse: sessions, messages, calls, labels; -o names their folder"

// exportTables writes the tables of many sessions into the folder of -o, or appends to existing
// ones.
func (a *app) exportTables(ctx context.Context, names []string, appends bool) error {
	c, err := a.crowd(ctx, names)
	if err != nil {
		return err
	}
	defer c.lib.Close()
	e := &a.export
	set, err := parquet.Create(a.out, parquet.Options{
		Append: appends, Force: a.force, Redact: e.redact, Names: a.replacing(), NoReasoning: e.noReasoning, NoResults: e.noResult, Zone: a.zone(),
	})
	if errors.Is(err, parquet.ErrExist) {
		return hinted{err, "--append adds new sessions, --force replaces all"}
	}
	if err != nil {
		return err
	}
	defer set.Abort()
	a.chooseSome()
	if names := a.replacing(); names != nil {
		learnFiles(ctx, names, c.paths)
	}
	if err := a.writeTables(ctx, c, set, appends); err != nil && ctx.Err() == nil {
		return err
	}
	c.shown.done()
	if !set.Complete() { // only after an interrupt
		fmt.Fprintln(a.Err, "turns: interrupted in the middle of a long session: no tables written")
		return ctx.Err()
	}
	total, err := set.Commit()
	if err != nil {
		return err
	}
	c.runs = int(total.Runs + total.Known)
	c.reportTables(&total)
	return c.end(ctx, nil)
}

// writeTables writes the sessions of all transcripts, grouping those of a day as far as file times
// show it.
func (a *app) writeTables(ctx context.Context, c *crowd, set *parquet.Set, appends bool) error {
	prices, err := c.app.prices()
	if err != nil {
		return err
	}
	c.app.goesOn() // rows accumulate, and each garbage collection would scan them all
	written := make(map[string]int64, len(c.paths))
	for _, path := range c.paths {
		if info, err := remote.Stat(ctx, path); err == nil {
			written[path] = info.ModTime().Unix()
		}
	}
	slices.SortStableFunc(c.paths, func(a, b string) int { return cmp.Compare(written[a], written[b]) })
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	q := transcripts.Query[struct{}]{Ask: func(ctx context.Context, t *transcripts.Loaded) (none struct{}, err error) {
		labels, err := c.app.labels().Find(ctx, t.Chosen.Snap, t.Path)
		if err != nil {
			return none, err
		}
		err = c.lib.Each(ctx, t, c.wants, func(sel query.Selection, s *session.Session) error {
			run, err := many.NewRun(ctx, sel, *s, many.Options{Prices: prices})
			if err != nil {
				return err
			}
			if err = set.Run(ctx, &parquet.Run{Run: run, Selection: sel, Labels: labels, File: t.File()}); err != nil && ctx.Err() == nil {
				stop(err) // of writing, so there is no point in reading on
			}
			return err
		})
		return none, err
	}}
	if appends {
		q.Known = func(path string) (transcripts.Known[struct{}], bool) {
			return transcripts.Known[struct{}]{Moves: true}, set.Has(path)
		}
	}
	for got := range transcripts.Map(ctx, c.lib, c.paths, q) {
		took(c, &got)
	}
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return ctx.Err()
}

// reportTables reports on stderr how much was written.
func (c *crowd) reportTables(t *parquet.Totals) {
	fmt.Fprintf(c.app.Err, "turns: wrote %s, %s and %s to %s\n", human.Plural(int(t.Runs), "session"), human.Plural(int(t.Messages), "message"), human.Plural(int(t.Calls), "call"),
		web.Shown(c.app.out))
	if t.Orphans > 0 {
		fmt.Fprintf(c.app.Err, "turns: %s without a call: in the table orphans\n", countWas(t.Orphans, "result"))
	}
	if t.Known > 0 {
		fmt.Fprintf(c.app.Err, "turns: %s there already\n", countWas(t.Known, "session"))
	}
	if t.Grown > 0 {
		fmt.Fprintf(c.app.Err, "turns: %s grown since, and the tables have the former state; --force writes all again\n", countHave(t.Grown, "of them"))
	}
	if t.Secrets > 0 {
		fmt.Fprintf(c.app.Err, "turns: %s redacted\n", countWas(t.Secrets, "secret"))
	}
	if t.Unread > 0 {
		c.unread++
		fmt.Fprintf(c.app.Err, "turns: %s could not be read (reasons are in the column unread)\n", human.Plural(int(t.Unread), "message"))
	}
}

func countWas(n int64, what string) string {
	if n == 1 {
		return "1 " + what + " was"
	}
	return human.Plural(int(n), what) + " were"
}

func countHave(n int64, what string) string {
	if n == 1 {
		return "1 " + what + " has"
	}
	return human.Count(int(n)) + " " + what + " have"
}
