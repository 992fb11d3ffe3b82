package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"turns/query"
	"turns/query/describe"
	"turns/query/summary"
)

func (a *app) logCommand() *cobra.Command {
	as, thoughts := "text", false
	cmd := a.command("log FILE", "Print the work log: interactions, and a line per call", "  turns log run.jsonl -q is:error\n  turns log run.jsonl --as csv -o work.csv",
		nil)
	a.ofEach(cmd, func(ctx context.Context, a *app, _ *cobra.Command, _ string, view describe.View) (bool, error) {
		answer, err := summary.WorkLog(ctx, view, query.NewTurnIndex(view.Snap), summary.WorkLogOptions{Zone: a.zone(), Thoughts: thoughts})
		if err != nil {
			return false, err
		}
		switch {
		case a.json:
			err = a.write(func(w io.Writer) error { return answer.WriteJSON(ctx, w) })
		case as == "text":
			err = a.write(func(w io.Writer) error {
				_, err := io.WriteString(w, answer.String())
				return err
			})
		case as == "markdown":
			err = a.write(redacted(answer.WriteMarkdown))
		case as == "csv":
			err = a.write(redacted(answer.WriteCSV))
		default:
			return false, hinted{fmt.Errorf("no such form of the log: %q", as), "--as takes text, markdown, csv or json"}
		}
		if err == nil && answer.Len() == 0 && a.narrowed() {
			err = errNoMatch
		}
		return answer.Len() > 0, err
	})
	cmd.PreRun = func(*cobra.Command, []string) { a.json = a.json || as == "json" }
	cmd.Aliases = []string{"worklog"}
	cmd.Flags().StringVar(&as, "as", "text", "write `FORM`: text, markdown, csv, json")
	cmd.Flags().BoolVar(&thoughts, "reasoning", false, "list reasoning with its type, confidence and model")
	cmd.Flags().BoolVar(&a.json, "json", false, "print JSON")
	return cmd
}
