package cli

import (
	"context"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"turns/export/formats"
	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/window"
	"turns/ui/cli/help"
)

// contextCommand shows what the model was sent.
type contextCommand struct {
	at            string
	window        int64
	growth, waste bool
	trim          *trimCommand // for the former trim flags of this command
}

func (a *app) contextCommand() *cobra.Command {
	c := &contextCommand{trim: &trimCommand{}}
	cmd := a.command("context FILE", "Show what the model was sent",
		"  turns context run.jsonl\n  turns context run.jsonl --at 120 --growth\n  turns context run.jsonl --at -1 --json", nil)
	cmd.Long = "Show what the model was sent with a message: token counts by kind, measured against the recorded usage, the share read from cache, and the largest items. " +
		"turns trim cuts it to a budget."
	a.ofEach(cmd, c.answer, "no message matches")
	f := cmd.Flags()
	f.StringVar(&c.at, "at", "", atUsage)
	f.Int64Var(&c.window, "window", 0, "Use a window of `N` tokens (default: recorded, or by model name)")
	f.BoolVar(&c.growth, "growth", false, "Show the growth by turn")
	f.BoolVar(&c.waste, "waste", false, "Show repeated calls, and results that no later message refers to")
	c.former(a, cmd)
	a.selects(cmd)
	a.reads(cmd)
	under(cmd, help.Output, func(f *pflag.FlagSet) {
		oneOf(f, &a.to, "to", "t", "Print the answer as `FORM`", func() []string { return append(slices.Clone(textAndJSON), formats.Names()...) })
		annotate(f.Lookup("to"), help.FlagValues, textAndJSON...)
	})
	a.prints(cmd, textAndJSON...)
	a.counts(cmd)
	hide(f, rarelyRead...)
	return cmd
}

// former adds the flags of turns trim, which turns context had before.
func (c *contextCommand) former(a *app, cmd *cobra.Command) {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	c.trim.flags(f)
	f.VisitAll(func(flag *pflag.Flag) {
		if flag.Name == "at" {
			return // it has its own
		}
		flag.Hidden = true
		cmd.Flags().AddFlag(flag)
	})
	a.shapes(cmd)
	hide(cmd.Flags(), shapingFlags...)
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c.trim.at, c.trim.args = c.at, args
		if c.trim.trims() || !slices.Contains(textAndJSON, a.to) && a.to != "" {
			a.export.to, a.to = a.to, ""
			if a.export.to == "json" || a.export.to == "text" {
				a.export.to = ""
			}
			return c.trim.run(a, cmd, args)
		}
		if err := a.shapesNothing(); err != nil {
			return err
		}
		return run(cmd, args)
	}
}

func (c *contextCommand) answer(ctx context.Context, a *app, _ string, view describe.View) (bool, error) {
	if view.Len() == 0 && (c.at == "" || a.session == "") {
		return false, nothing("no message matches")
	}
	at, err := a.messageAt(view.Selection, c.at)
	if err != nil {
		return false, err
	}
	column, err := a.tokenColumn(ctx, query.Everything(view.Snap))
	if err != nil {
		return false, err
	}
	x := window.NewIndex(view.Snap, column)
	answer, err := x.Context(at, window.Options{Window: c.window})
	if err != nil {
		return false, err
	}
	if answer.InSession, err = a.inSession(view.Snap, at); err != nil {
		return false, err
	}
	if err := answer.Describe(ctx, view.Snap); err != nil {
		return false, err
	}
	if c.growth {
		answer.Growth = x.Growth(query.NewTurnIndex(view.Snap))
	}
	if c.waste {
		if answer.Waste, err = x.Waste(ctx, view.Selection, nil); err != nil {
			return false, err
		}
	}
	return true, a.printAnswer(answer.Doc, func(w io.Writer) error { return answer.WriteJSON(ctx, w) })
}

// inSession returns the number of a message in the session of --session, nil without that flag.
func (a *app) inSession(snap *model.Snapshot, id model.ID) (*int, error) {
	if a.session == "" {
		return nil, nil
	}
	all, err := a.numbered(snap)
	n := slices.Index(all.IDs, id)
	return &n, err
}
