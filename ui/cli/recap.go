package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"turns/query/lang"
	"turns/query/runs"
)

// recapCommand lists the unfinished work of sessions.
type recapCommand struct {
	app *app
	now string
}

func (a *app) recapCommand() *cobra.Command {
	c := &recapCommand{app: a}
	cmd := &cobra.Command{
		Use: "recap FILE|DIR…", Short: "List unfinished business: open questions, unanswered prompts, failed calls",
		Long:    "List unfinished items, the last session, the work of today, and sessions by day.",
		Example: "  turns recap ~/.claude/projects/app\n  turns recap run.jsonl --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.someFiles(cmd, args); err != nil {
				return err
			}
			return c.run(cmd.Context(), args)
		},
	}
	cmd.Flags().StringVar(&c.now, "now", "", "Use `TIME` (RFC 3339) as the present")
	a.limitFlag(cmd, "Print the first `N` unfinished items")
	a.picks(cmd)
	a.readsAs(cmd)
	a.prints(cmd, textAndJSON...)
	return cmd
}

func (c *recapCommand) run(ctx context.Context, names []string) error {
	at, err := parseNow(c.now)
	if err != nil {
		return err
	}
	list, err := c.app.conversations(ctx, names, true)
	if err != nil {
		return err
	}
	answer := runs.Continuity(list, runs.ContinuityOptions{Now: at.UnixMilli(), Zone: c.app.zone(), Open: c.app.rows})
	err = c.app.printAnswer(answer.Doc, func(w io.Writer) error { return answer.WriteJSON(ctx, w) })
	if err == nil && len(list) == 0 {
		return nothing("no conversations found")
	}
	return err
}

// conversations returns the remembered sessions, all of them or those selected by the flags.
func (a *app) conversations(ctx context.Context, names []string, selected bool) (list []runs.Conversation, err error) {
	c, err := a.crowd(ctx, names)
	if err != nil {
		return nil, err
	}
	defer c.lib.Close()
	var wants *lang.Filter
	if selected {
		wants = c.wants
	}
	list = make([]runs.Conversation, 0, len(c.paths))
	for got := range c.lib.Recap(ctx, c.paths, wants) {
		if took(c, &got) {
			c.runs++
			list = append(list, got.Answer...)
		}
	}
	if err := c.end(ctx, nil); !isNothing(err) {
		return list, err
	}
	return list, nil
}
