package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/filter"
	"turns/query/lang"
)

// filterCommand checks a filter and shows how turns reads it.
type filterCommand struct {
	app     *app
	explain bool
}

func (a *app) filterCommand() *cobra.Command {
	c := &filterCommand{app: a}
	cmd := &cobra.Command{
		Use:   "filter QUERY [FILE]",
		Short: "Check a filter and show how turns reads it",
		Long: "Check a filter and print it as turns reads it. --explain prints its tree, and for each term whether message heads " +
			"(in memory) or texts (on disk) decide it. With FILE, filter prints how many messages match.",
		Example: "  turns filter 'tool:Bash is:error'\n  turns filter --explain 'role:tool timeout' run.jsonl",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return hinted{errors.New("filter needs a query"), "turns filter 'is:error tool:Bash'"}
			case len(args) > 2:
				return hinted{fmt.Errorf("filter needs a query and at most one file, not %d arguments", len(args)), "quote the query: turns filter " + quoteThere(strings.Join(args, " "))}
			}
			f, err := lang.Parse(args[0])
			if err != nil {
				return located(err)
			}
			return c.check(cmd.Context(), f, args[1:])
		},
	}
	cmd.Flags().BoolVar(&c.explain, "explain", false, "Print the tree and the cost of its terms")
	a.reads(cmd)
	a.writes(cmd)
	return cmd
}

func (c *filterCommand) check(ctx context.Context, f *lang.Filter, files []string) error {
	snap := model.FromMessages(nil)
	if len(files) > 0 {
		conversation, s, err := c.app.open(ctx, files[0])
		if err != nil {
			return err
		}
		defer conversation.Close()
		snap = s
	}
	env, err := c.app.filterEnv(ctx, snap)
	if err != nil {
		return err
	}
	m, err := filter.NewMatcher(f, snap, env)
	if err != nil {
		return err
	}
	text := f.String() + "\n"
	if c.explain {
		text += "\n" + m.Explain()
	}
	if len(files) > 0 {
		res, err := m.Apply(ctx, query.Everything(snap).IDs)
		if err != nil {
			return err
		}
		if err := describe.CountRows(ctx, snap, &res); err != nil {
			return err
		}
		if c.explain {
			text += "\n" + res.Steps.String()
		}
		text += "\n" + res.String(snap.Len()) + "\n"
	}
	return c.app.write(func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}
