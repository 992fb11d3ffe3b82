package cli

import (
	"context"
	"fmt"
	"io"
	"iter"

	"github.com/spf13/cobra"

	"turns/model"
	"turns/query"
	"turns/query/answer"
	"turns/query/describe"
	"turns/query/summary"
	"turns/ui/mcp"
)

// command makes a command that answers about one transcript.
func (a *app) command(use, short, example string, run func(ctx context.Context, arg string) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Example: example, Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error { return run(cmd.Context(), args[0]) },
	}
}

// oneFile returns an error unless there is exactly one transcript.
func oneFile(cmd *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return hinted{fmt.Errorf("%s needs a transcript", cmd.CommandPath()), cmd.CommandPath() + " FILE, or - to read a pipe"}
	case 1:
		return nil
	}
	return hinted{fmt.Errorf("%d transcripts: %s reads one", len(args), cmd.CommandPath()), "quote a name with spaces"}
}

// someFiles returns an error if neither arguments nor flags select a session.
func (a *app) someFiles(cmd *cobra.Command, args []string) error {
	if len(args) == 0 && !a.asked {
		return hinted{fmt.Errorf("%s needs a transcript or a folder", cmd.CommandPath()), cmd.CommandPath() + " FILE or DIR; --since 7d asks about the sessions on this machine"}
	}
	return nil
}

// about opens a transcript and answers about the selected messages.
func (a *app) about(ctx context.Context, arg string, answer func(describe.View) error) error {
	c, view, err := a.selected(ctx, arg)
	if err != nil {
		return err
	}
	defer c.Close()
	return answer(view)
}

// of makes a command's run function from an answer about the selected messages.
func (a *app) of(answer func(context.Context, describe.View) error) func(context.Context, string) error {
	return func(ctx context.Context, arg string) error {
		return a.about(ctx, arg, func(view describe.View) error { return answer(ctx, view) })
	}
}

// costs returns the cost of the selected messages. turns may be nil.
func (a *app) costs(sel query.Selection, turns *query.TurnIndex) (*summary.CostAnswer, error) {
	prices, err := a.prices()
	if err != nil {
		return nil, err
	}
	if turns == nil {
		turns = query.NewTurnIndex(sel.Snap)
	}
	return summary.Costs(sel, turns, summary.CostOptions{Prices: prices}), nil
}

// tokenColumn counts the tokens of a selection; nil with --no-tokens.
func (a *app) tokenColumn(ctx context.Context, sel query.Selection) (*query.TokenColumn, error) {
	if a.noTokens {
		return nil, nil
	}
	return query.CountTokens(ctx, sel, a.counter(sel.Snap))
}

// printAnswer writes an answer as text, as Markdown, for agents or as JSON.
func (a *app) printAnswer(describe func() *answer.Doc, asJSON func(io.Writer) error) error {
	return a.writeAs(asJSON, func(w io.Writer) error { return a.draw(w, describe()) })
}

// draw writes an answer in the form that was requested.
func (a *app) draw(w io.Writer, d *answer.Doc) error {
	switch {
	case a.to == "markdown":
		return redacted(func(w io.Writer) error { _, err := io.WriteString(w, d.Markdown()); return err })(w)
	case a.ForAgents:
		_, err := io.WriteString(w, mcp.Draw(d))
		return err
	}
	p := answer.Page{Columns: a.columns(), Colours: a.coloured() && (a.out == "" || a.out == "-")}
	d.Print(&p)
	_, err := io.WriteString(w, p.String())
	return err
}

// writeJSONLines writes each value as a line of JSON.
func writeJSONLines[T any](w io.Writer, values iter.Seq[T]) error {
	for v := range values {
		if err := writeJSONLine(w, v); err != nil {
			return err
		}
	}
	return nil
}

func writeJSONLine(w io.Writer, v any) error {
	line, err := model.JSONOf(v)
	if err == nil {
		_, err = w.Write(append(line, '\n'))
	}
	return err
}
