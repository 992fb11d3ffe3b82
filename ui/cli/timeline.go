package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"turns/query/describe"
	"turns/query/summary"
)

// timelineCommand lists the turns of a session.
type timelineCommand struct {
	app  *app
	long bool
}

func (a *app) timelineCommand() *cobra.Command {
	c := &timelineCommand{app: a}
	cmd := a.command("timeline FILE", "List turns: prompt, steps, tool calls, errors, time",
		"  turns timeline run.jsonl\n  turns timeline ~/.claude/projects --since 7d --by day", a.of(c.answer))
	cmd.Flags().BoolVarP(&c.long, "long", "l", false, "Show all calls of a turn with their ids, arguments and results, and more of the prompt and the answer")
	a.summed(cmd)
	a.limitFlag(cmd, "Print the first `N` turns or groups")
	a.selects(cmd)
	a.reads(cmd)
	a.prints(cmd, answerForms...)
	a.counts(cmd)
	return cmd
}

func (c *timelineCommand) answer(ctx context.Context, view describe.View) error {
	answer := summary.Timeline(view.Selection)
	costs, err := c.app.costs(view.Selection, answer.Index)
	if err != nil {
		return err
	}
	answer.Price(costs)
	stats, err := summary.Stats(ctx, view.Selection, nil)
	if err != nil {
		return err
	}
	answer.Compare(stats)
	answer.Zone, answer.Long = c.app.zone(), c.long
	answer.Turns = firstRows(c.app, answer.Turns)
	return c.app.writeAs(func(w io.Writer) error { return answer.WriteJSON(ctx, w) },
		func(w io.Writer) error { return c.turns(ctx, w, answer) })
}

// batch is how many turns are described at a time: that reads their calls.
const batch = 1024

// turns writes the turns. Markdown has all of them in one table.
func (c *timelineCommand) turns(ctx context.Context, w io.Writer, answer *summary.TimelineAnswer) error {
	n := batch
	if c.app.to == "markdown" {
		n = 0
	}
	for d, err := range answer.Docs(ctx, n) {
		if err == nil {
			err = c.app.draw(w, d)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
