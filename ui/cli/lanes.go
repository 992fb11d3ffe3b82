package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"turns/query/describe"
	"turns/query/lanes"
)

// lanesCommand prints the timeline of a session.
type lanesCommand struct{ *app }

func (a *app) lanesCommand() *cobra.Command {
	c := &lanesCommand{app: a}
	cmd := a.command("lanes FILE", "Show when what ran: model, tools and waiting, for each agent",
		"  turns lanes run.jsonl\n  turns lanes run.jsonl --slice :100 --json\n  turns lanes run.jsonl --to perfetto -o run.trace.json", a.of(c.answer))
	a.selects(cmd)
	a.reads(cmd)
	a.prints(cmd, laneForms...)
	return cmd
}

func (c *lanesCommand) answer(ctx context.Context, view describe.View) error {
	if c.app.to == "perfetto" {
		return c.app.exportResult(ctx, view, c.app.to)
	}
	answer, err := lanes.Of(ctx, view.Selection)
	if err != nil {
		return err
	}
	if err := answer.Describe(ctx); err != nil {
		return err
	}
	answer.Zone = c.app.zone()
	c.app.reportUnread(view.Snap.Sources()[0].Path, view.Snap)
	return c.app.printAnswer(answer.Doc, func(w io.Writer) error { return answer.WriteJSON(ctx, w) })
}
