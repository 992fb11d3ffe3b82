package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"turns/query"
	"turns/query/human"
	"turns/query/many"
	"turns/query/session"
	"turns/ui/transcripts"
)

func (a *app) failuresCommand() *cobra.Command {
	by, other := "failure", ""
	cmd := a.overMany("failures FILE|DIR…", "Group failures by cause",
		"  turns failures runs --by failure\n  turns failures runs --by label\n  turns failures runs/today --diff runs/yesterday",
		func(ctx context.Context, names []string) error {
			if !slices.Contains(waysOf("failures"), by) {
				return hinted{fmt.Errorf("no way to group: %q", by), "--by takes " + strings.Join(waysOf("failures"), " and ") + "; turns tools, stats and cost put runs together otherwise"}
			}
			return a.groups(ctx, names, by, other)
		})
	cmd.Long = "Put failing calls and failed runs of a kind together: by tool, how they ended, and the line that tells why without its\n" +
		"numbers, paths and ids. With --diff OTHER it says which kinds are not in those, and the exit code is 1 where there are any.\n" +
		"With --by label it counts what people said of runs and in them."
	cmd.Flags().StringVar(&by, "by", by, "group by `WHAT`: "+strings.Join(waysOf("failures"), ", "))
	cmd.Flags().StringVar(&other, "diff", "", "say which kinds are new, compared with the runs of `OTHER`")
	cmd.Flags().IntVar(&a.many.top, "top", 0, "print the first `N` of them")
	return cmd
}

// overMany makes a command that answers about many runs only.
func (a *app) overMany(use, short, example string, run func(ctx context.Context, names []string) error) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Example: example,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && !askedOfMany(cmd, args) {
				return hinted{errors.New("no transcript given"), "turns " + cmd.Name() + " DIR"}
			}
			if err := a.checkFlags(); err != nil {
				return err
			}
			a.chooseSome(cmd)
			return run(cmd.Context(), args)
		},
	}
	a.selectionFlags(cmd)
	a.sessionFlags(cmd)
	a.outputFlags(cmd)
	cmd.Flags().BoolVar(&a.json, "json", false, "print JSON, a line each")
	return cmd
}

// ofRuns asks each run of many, in order.
func ofRuns[T any](ctx context.Context, c *crowd, ask func(ctx context.Context, sel query.Selection, s *session.Session) ([]T, error), take func(*T)) {
	for got := range transcripts.Map(ctx, c.lib, c.paths, transcripts.Query[[]T]{Ask: func(ctx context.Context, t *transcripts.Loaded) (list []T, err error) {
		return list, c.lib.Each(ctx, t, c.wants, func(sel query.Selection, s *session.Session) error {
			found, err := ask(ctx, sel, s)
			list = append(list, found...)
			return err
		})
	}}) {
		if asked(c, &got) {
			c.runs++
			for i := range got.Answer {
				take(&got.Answer[i])
			}
		}
	}
	c.shown.done()
}

// grouped puts together what some runs have.
func (a *app) grouped(ctx context.Context, names []string, by string) (*many.Groups, *crowd, error) {
	c, err := a.crowd(ctx, names)
	if err != nil {
		return nil, nil, err
	}
	groups, ask := many.NewGroups(by), many.Failures
	if by == "label" {
		ask = func(ctx context.Context, sel query.Selection, s *session.Session) ([]many.Failure, error) {
			here, err := a.labels().Own(ctx, sel.Snap, s.Path)
			return many.Labels(sel, s, here), err
		}
	}
	ofRuns(ctx, c, ask, groups.Add)
	return groups, c, errors.Join(c.lib.Close())
}

func (a *app) groups(ctx context.Context, names []string, by, other string) error {
	var before *many.Groups
	if other != "" {
		was, c, err := a.grouped(ctx, []string{other}, by)
		if err != nil {
			return err
		}
		if err := c.end(ctx, nil); err != nil && !errors.Is(err, errNoMatch) {
			return err
		}
		before = was
	}
	groups, c, err := a.grouped(ctx, names, by)
	if err != nil {
		return err
	}
	fresh := groups.Finish(before)
	left := 0
	if a.many.top > 0 && a.many.top < len(groups.List) {
		left = len(groups.List) - a.many.top
		groups.List = groups.List[:a.many.top]
	}
	err = a.writeAs(func(w io.Writer) error { return writeJSONLines(w, slices.Values(groups.List)) }, a.paged(func(p *human.Page) {
		groups.Print(p, a.zone())
		if left > 0 {
			fmt.Fprintf(p, "%d more are left out by --top\n", left)
		}
	}))
	if err == nil && (groups.All == 0 && before == nil || fresh > 0) {
		err = errNoMatch
	}
	return c.end(ctx, err)
}

func (a *app) loopsCommand() *cobra.Command {
	cmd := a.overMany("loops FILE|DIR…", "List where agents go round in circles: equal calls, two in turn, retries", "  turns loops ~/.claude --since 7d", func(ctx context.Context, names []string) error {
		c, err := a.crowd(ctx, names)
		if err != nil {
			return err
		}
		defer c.lib.Close()
		var loops []many.Loop
		ofRuns(ctx, c, func(ctx context.Context, sel query.Selection, s *session.Session) ([]many.Loop, error) {
			return many.Loops(ctx, sel, s.Path)
		}, func(l *many.Loop) { loops = append(loops, *l) })
		if len(loops) == 0 {
			return c.end(ctx, errNoMatch)
		}
		err = a.writeAs(func(w io.Writer) error { return writeJSONLines(w, slices.Values(loops)) },
			a.paged(func(p *human.Page) { many.PrintLoops(p, loops) }))
		return c.end(ctx, err)
	})
	cmd.Long = "List where agents go round in circles: a call that is made three times and more one after another with the same arguments,\n" +
		"two calls in turn, and a failing call again and again with other numbers. Exit code 1 where there is none."
	return cmd
}
