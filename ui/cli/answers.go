package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/spf13/cobra"

	"turns/query"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/summary"
	"turns/ui/config"
)

// command makes a command that answers about one transcript.
func (a *app) command(use, short, example string, run func(ctx context.Context, cmd *cobra.Command, arg string) error) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Example: example, Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.checkFlags(); err != nil {
				return err
			}
			return run(cmd.Context(), cmd, args[0])
		},
	}
	a.selectionFlags(cmd)
	a.outputFlags(cmd)
	return cmd
}

func oneFile(cmd *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return hinted{fmt.Errorf("no transcript given"), fmt.Sprintf("turns %s FILE, or - to read a pipe", cmd.Name())}
	case 1:
		return nil
	}
	return hinted{fmt.Errorf("%d transcripts given, one is read", len(args)), "quote a name that has spaces"}
}

// about opens a transcript and answers about what is selected of it.
func (a *app) about(ctx context.Context, cmd *cobra.Command, arg string, answer func(describe.View) error) error {
	c, view, err := a.selected(ctx, cmd, arg)
	if err != nil {
		return err
	}
	defer c.Close()
	return answer(view)
}

// of makes an answer about one transcript what a command runs.
func (a *app) of(answer func(context.Context, describe.View) error) func(context.Context, *cobra.Command, string) error {
	return func(ctx context.Context, cmd *cobra.Command, arg string) error {
		return a.about(ctx, cmd, arg, func(view describe.View) error { return answer(ctx, view) })
	}
}

func (a *app) statsCommand() *cobra.Command {
	cmd := a.command("stats FILE", "Print messages, tokens, calls, errors, usage and time", "  turns stats run.jsonl --json",
		a.of(func(ctx context.Context, res describe.View) (err error) {
			var counter *query.Counter
			if !a.noTokens {
				counter = a.counter(res.Snap)
			}
			answer, err := summary.Stats(ctx, res.Selection, counter)
			if err != nil {
				return err
			}
			here, err := a.here(ctx, res.Snap)
			if err != nil {
				return err
			}
			answer.Labels = here.Counts(res.Snap, res.IDs)
			answer.Zone = a.zone()
			costs, err := a.costs(res.Selection, nil)
			if err != nil {
				return err
			}
			answer.Price(costs)
			if err := answer.Describe(ctx); err != nil {
				return err
			}
			return a.print(res, answer, func(w io.Writer) error { return writeJSON(w, answer) })
		}))
	a.answerFlags(cmd)
	return a.summed(cmd)
}

func (a *app) toolsCommand() *cobra.Command {
	files, long := false, false
	cmd := a.command("tools FILE", "Print what each tool did: calls, errors, durations, tokens", "  turns tools run.jsonl -q is:error\n  turns tools run.jsonl --files",
		a.of(func(ctx context.Context, res describe.View) (err error) {
			var column *query.TokenColumn
			if !a.noTokens {
				if column, err = query.CountTokens(ctx, res.Selection, a.counter(res.Snap)); err != nil {
					return err
				}
			}
			if files {
				answer, err := summary.Files(ctx, res.Selection, column)
				if err != nil {
					return err
				}
				return a.print(res, answer, answer.WriteJSON)
			}
			answer := summary.ToolSummary(res.Selection, column)
			return a.told(res, func(w io.Writer) error { return answer.WriteJSON(ctx, w) },
				func(w io.Writer) error { return answer.WriteText(ctx, w, a.columns(), long) })
		}))
	cmd.Flags().BoolVar(&files, "files", false, "print what was done to each file of one run instead: reads, edits, lines, tokens")
	cmd.Flags().BoolVar(&long, "long", false, "tell all calls, and more of their arguments and results")
	a.answerFlags(cmd)
	a.summed(cmd)
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if files && askedOfMany(cmd, args) {
			return hinted{errors.New("--files is about one run"), "turns tools FILE --files"}
		}
		return run(cmd, args)
	}
	return cmd
}

func (a *app) timelineCommand() *cobra.Command {
	long := false
	cmd := a.command("timeline FILE", "Print the turns: prompt, steps, calls, errors, time", "  turns timeline run.jsonl --json",
		a.of(func(ctx context.Context, res describe.View) (err error) {
			answer := summary.Timeline(res.Selection)
			costs, err := a.costs(res.Selection, answer.Index)
			if err != nil {
				return err
			}
			answer.Price(costs)
			answer.Zone, answer.Long = a.zone(), long
			return a.told(res, func(w io.Writer) error { return answer.WriteJSON(ctx, w) },
				func(w io.Writer) error { return answer.WriteTable(ctx, w, a.columns()) })
		}))
	cmd.Flags().BoolVar(&long, "long", false, "tell all calls of a turn, and more of their texts and of the answer")
	a.answerFlags(cmd)
	return a.summed(cmd)
}

// costs are what a selection cost: as recorded, else by prices. Turns may be nil.
func (a *app) costs(sel query.Selection, turns *query.TurnIndex) (*summary.CostAnswer, error) {
	prices, err := a.prices(nil)
	if err != nil {
		return nil, err
	}
	if turns == nil {
		turns = query.NewTurnIndex(sel.Snap)
	}
	return summary.Costs(sel, turns, summary.CostOptions{Prices: prices}), nil
}

// print writes an answer as a table, or as JSON where that was asked for.
func (a *app) print(res describe.View, answer human.Printer, asJSON func(io.Writer) error) error {
	return a.told(res, asJSON, a.paged(answer.Print))
}

// told writes an answer about a selection, in one of two forms.
func (a *app) told(res describe.View, asJSON, asText func(io.Writer) error) error {
	if err := a.writeAs(asJSON, asText); err != nil {
		return err
	}
	return a.matched(res)
}

// matched is errNoMatch if a selection was asked for and left nothing.
func (a *app) matched(res describe.View) error {
	if res.Len() == 0 && a.narrowed() {
		return errNoMatch
	}
	return nil
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

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

func (a *app) costCommand() *cobra.Command {
	var messages bool
	cmd := a.command("cost FILE", "Print what the run cost: as recorded, else estimated from list prices",
		"  turns cost run.jsonl\n  turns cost run.jsonl --prices model_prices_and_context_window.json",
		func(ctx context.Context, cmd *cobra.Command, arg string) error {
			table, err := a.prices(cmd)
			if err != nil {
				return err
			}
			return a.about(ctx, cmd, arg, func(res describe.View) error {
				answer := summary.Costs(res.Selection, query.NewTurnIndex(res.Snap), summary.CostOptions{Prices: table, Messages: messages})
				return a.print(res, answer, func(w io.Writer) error { return answer.WriteJSON(ctx, w) })
			})
		})
	cmd.Long = "Print what the run cost: as the transcript recorded it, else estimated from the list prices of " + config.ListPricesOf + "\n" +
		"that are built in. Your own prices go before them: prices.toml in the configuration folder of turns, dollars per million tokens:\n\n" +
		"  [models.\"claude-opus-4\"]\n  input = 15.0\n  output = 75.0\n  cache_read = 1.5\n  cache_write = 18.75\n  cache_write_1h = 30.0\n\n" +
		"with [[models.\"NAME\".long]], above = TOKENS and prices of their own for longer requests; or LiteLLM's JSON there as prices.json, or\n" +
		"either given with --prices. A name stands for all that begin with it: claude-opus-4 for claude-opus-4-6."
	cmd.Flags().String("prices", "", "read prices from `FILE` (TOML, or LiteLLM's JSON)")
	cmd.Flags().BoolVar(&messages, "messages", false, "list every response, too")
	cmd.Flags().BoolVar(&a.json, "json", false, "print JSON")
	return a.summed(cmd)
}

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
			err = a.write(a.paged(func(p *human.Page) { p.WriteString(answer.String()) }))
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
