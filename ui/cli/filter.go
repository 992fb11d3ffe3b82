package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/filter"
	"turns/query/lang"
)

// filterCommand checks a filter and tells how it is answered.
func (a *app) filterCommand() *cobra.Command {
	var explain bool
	cmd := &cobra.Command{
		Use:   "filter QUERY [FILE]",
		Short: "Check a filter, and say how it is answered",
		Long: "Check a filter and print it as it is understood. With --explain its tree, and from what each term\n" +
			"is decided: heads of messages, which are in memory, or texts, which have to be read. With FILE how\n" +
			"many messages of it each of these decided, and how many match.",
		Example: "  turns filter 'tool:Bash is:error'\n  turns filter --explain 'role:tool timeout' run.jsonl",
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := lang.Parse(args[0])
			if err != nil {
				return located(err)
			}
			return a.explainFilter(cmd.Context(), f, explain, args[1:])
		},
	}
	cmd.Flags().BoolVar(&explain, "explain", false, "print the tree and what its terms need")
	a.outputFlags(cmd)
	return cmd
}

func (a *app) explainFilter(ctx context.Context, f *lang.Filter, explain bool, files []string) error {
	snap := model.FromMessages(nil)
	if len(files) > 0 {
		c, s, err := a.open(ctx, files[0])
		if err != nil {
			return err
		}
		defer c.Close()
		snap = s
	}
	env, err := a.filterEnv(ctx, snap)
	if err != nil {
		return err
	}
	m, err := filter.NewMatcher(f, snap, env)
	if err != nil {
		return err
	}
	text := f.String() + "\n"
	if explain {
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
		if explain {
			text += "\n" + res.Steps.String()
		}
		text += "\n" + res.String(snap.Len()) + "\n"
	}
	return a.write(func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}
