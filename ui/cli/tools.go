package cli

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"turns/query/describe"
	"turns/query/summary"
)

// toolsCommand prints what each tool did, or the changes of each file.
type toolsCommand struct {
	app         *app
	files, long bool
}

func (a *app) toolsCommand() *cobra.Command {
	c := &toolsCommand{app: a}
	cmd := a.command("tools FILE", "Show the use of each tool: calls, errors, durations, tokens",
		"  turns tools run.jsonl -q is:error\n  turns tools run.jsonl --files\n  turns tools ~/.claude/projects --since 7d --by tool", a.of(c.answer))
	f := cmd.Flags()
	f.BoolVar(&c.files, "files", false, "List files instead, of one session: reads, edits, lines, tokens")
	f.BoolVarP(&c.long, "long", "l", false, "Show all calls with their ids, arguments and results")
	a.summed(cmd)
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if c.files && a.askedOfMany(cmd.Context(), args) {
			return hinted{errors.New("--files is about one session"), "turns tools FILE --files"}
		}
		return run(cmd, args)
	}
	a.limitFlag(cmd, "Print the first `N` tools or groups")
	a.selects(cmd)
	a.reads(cmd)
	a.prints(cmd, answerForms...)
	a.counts(cmd)
	return cmd
}

func (c *toolsCommand) answer(ctx context.Context, view describe.View) error {
	column, err := c.app.tokenColumn(ctx, view.Selection)
	if err != nil {
		return err
	}
	if c.files {
		answer, err := summary.Files(ctx, view.Selection, column)
		if err != nil {
			return err
		}
		return c.app.printAnswer(answer.Doc, answer.WriteJSON)
	}
	answer := summary.ToolSummary(view.Selection, column)
	answer.Tools = firstRows(c.app, answer.Tools)
	return c.app.writeAs(func(w io.Writer) error { return answer.WriteJSON(ctx, w) }, func(w io.Writer) error {
		for d, err := range answer.Docs(ctx, c.long) {
			if err == nil {
				err = c.app.draw(w, d)
			}
			if err != nil || c.app.to == "markdown" {
				return err
			}
		}
		return nil
	})
}
