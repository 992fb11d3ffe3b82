package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"turns/query"
	"turns/query/describe"
	"turns/query/summary"
)

func (a *app) statsCommand() *cobra.Command {
	cmd := a.command("stats FILE", "Count messages, tokens, tool calls, errors, cost and time",
		"  turns stats run.jsonl --json\n  turns stats ~/.claude/projects --since 7d --by model", a.of(a.stats))
	a.summed(cmd)
	a.limitFlag(cmd, "Print the first `N` groups of many sessions")
	a.selects(cmd)
	a.reads(cmd)
	a.prints(cmd, answerForms...)
	a.counts(cmd)
	return cmd
}

func (a *app) stats(ctx context.Context, view describe.View) error {
	var counter *query.Counter
	if !a.noTokens {
		counter = a.counter(view.Snap)
	}
	answer, err := summary.Stats(ctx, view.Selection, counter)
	if err != nil {
		return err
	}
	here, err := a.here(ctx, view.Snap)
	if err != nil {
		return err
	}
	answer.Labels, answer.Zone = append(answer.Labels, here.Counts(view.Snap, view.IDs)...), a.zone()
	costs, err := a.costs(view.Selection, nil)
	if err != nil {
		return err
	}
	answer.Price(costs)
	if err := answer.Describe(ctx); err != nil {
		return err
	}
	a.reportUnread(view.Snap.Sources()[0].Path, view.Snap)
	return a.printAnswer(answer.Doc, func(w io.Writer) error { return query.WriteJSON(w, answer) })
}
