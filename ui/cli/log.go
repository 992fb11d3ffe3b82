package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"turns/query"
	"turns/query/answer"
	"turns/query/describe"
	"turns/query/summary"
)

// logCommand lists the tool calls of a session.
type logCommand struct{ thoughts bool }

func (a *app) logCommand() *cobra.Command {
	var c logCommand
	cmd := a.command("log FILE", "List every tool call, one per line, below its prompt",
		"  turns log run.jsonl -q is:error\n  turns log run.jsonl --to csv -o work.csv", nil)
	a.ofEach(cmd, c.answer, "no tool calls")
	cmd.Flags().BoolVar(&c.thoughts, "reasoning", false, "List reasoning with its type, confidence and model")
	a.limitFlag(cmd, "Print the first `N` calls of each session")
	a.selects(cmd)
	a.reads(cmd)
	a.prints(cmd, logForms...)
	cmd.PreRun = func(*cobra.Command, []string) { a.Redact = a.Redact || a.to == "markdown" || a.to == "csv" }
	return cmd
}

func (c *logCommand) answer(ctx context.Context, a *app, _ string, view describe.View) (bool, error) {
	work, err := summary.WorkLog(ctx, view, query.NewTurnIndex(view.Snap), summary.WorkLogOptions{Zone: a.zone(), Thoughts: c.thoughts})
	if err != nil {
		return false, err
	}
	all := work.Len()
	if a.rows > 0 {
		work.First(a.rows)
	}
	if a.to == "csv" {
		err = a.write(redacted(work.WriteCSV))
	} else {
		err = a.printAnswer(func() *answer.Doc { return work.Doc().Rest(all - work.Len()) }, func(w io.Writer) error { return work.WriteJSON(ctx, w) })
	}
	if err == nil && work.Len() == 0 {
		err = nothing("no tool calls")
	}
	return work.Len() > 0, err
}
