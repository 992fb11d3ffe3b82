package cli

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"turns/query"
	"turns/query/answer"
	"turns/query/many"
	"turns/query/session"
	"turns/ui/cli/help"
	"turns/ui/transcripts"
)

// failuresCommand groups failing calls and failed sessions by cause.
type failuresCommand struct {
	app          *app
	group, other string
}

func (a *app) failuresCommand() *cobra.Command {
	c := &failuresCommand{app: a, group: "failure"}
	cmd := a.overMany("failures FILE|DIR…", "Group failures by cause",
		"  turns failures ~/.claude/projects --since 7d\n  turns failures runs --by label\n  turns failures runs/today --diff runs/yesterday", c.run)
	cmd.Long = "Group failing tool calls and failed sessions by tool, by how they ended, and by the line with the reason, without its numbers, " +
		"paths and ids. --diff OTHER marks the groups that OTHER does not have, and the exit code is 1 if there are any. --by label counts labels instead."
	f := cmd.Flags()
	oneOf(f, &c.group, "by", "", "Group by `KEY`", choices("failure", "label"))
	f.StringVar(&c.other, "diff", "", "Mark the groups that the sessions of `OTHER` do not have")
	a.limitFlag(cmd, "Print the first `N` groups")
	cmd.Annotations = map[string]string{help.ExitOne: "With --diff: there are groups that OTHER does not have."}
	return a.overManyFlags(cmd)
}

// overMany makes a command that only answers about many sessions.
func (a *app) overMany(use, short, example string, run func(ctx context.Context, names []string) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Example: example,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.someFiles(cmd, args); err != nil {
				return err
			}
			a.chooseSome()
			return run(cmd.Context(), args)
		},
	}
}

// overManyFlags adds the shared flags to such a command, after its own.
func (a *app) overManyFlags(cmd *cobra.Command) *cobra.Command {
	a.selects(cmd)
	a.picks(cmd)
	a.reads(cmd)
	a.prints(cmd, answerForms...)
	return cmd
}

// grouped groups the failures or labels of sessions.
func (c *failuresCommand) grouped(ctx context.Context, names []string) (*many.Groups, *crowd, error) {
	all, err := c.app.crowd(ctx, names)
	if err != nil {
		return nil, nil, err
	}
	groups, question := many.NewGroups(c.group), transcripts.Failures()
	if c.group == "label" {
		question = transcripts.PerSession[many.Failure]{Ask: func(ctx context.Context, sel query.Selection, s *session.Session) ([]many.Failure, error) {
			here, err := c.app.labels().Own(ctx, sel.Snap, s.Path)
			return many.Labels(sel, s, here), err
		}}
	}
	askSessions(ctx, all, question, groups.Add)
	return groups, all, errors.Join(all.lib.Close())
}

func (c *failuresCommand) run(ctx context.Context, names []string) error {
	var before *many.Groups
	if c.other != "" {
		was, all, err := c.grouped(ctx, []string{c.other})
		if err != nil {
			return err
		}
		if err := all.end(ctx, nil); err != nil && !isNothing(err) {
			return err
		}
		before = was
	}
	groups, all, err := c.grouped(ctx, names)
	if err != nil {
		return err
	}
	fresh := groups.Finish(before)
	left := len(groups.List)
	groups.List = firstRows(c.app, groups.List)
	left -= len(groups.List)
	err = c.app.printAnswer(func() *answer.Doc { return groups.Doc(c.app.zone()).Rest(left) },
		func(w io.Writer) error { return writeJSONLines(w, slices.Values(groups.List)) })
	switch {
	case err != nil:
	case fresh > 0:
		err = no("")
	case groups.All == 0 && before == nil && all.runs > 0:
		err = nothing("no failures found")
	}
	return all.end(ctx, err)
}
