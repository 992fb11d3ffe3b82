package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"turns/query"
	"turns/query/summary"
	"turns/ui/config"
)

func (a *app) costCommand() *cobra.Command {
	var messages bool
	cmd := a.command("cost FILE", "Print what the run cost: as recorded, else estimated from list prices",
		"  turns cost run.jsonl\n  turns cost run.jsonl --prices model_prices_and_context_window.json",
		func(ctx context.Context, cmd *cobra.Command, arg string) error {
			table, err := a.prices(cmd)
			if err != nil {
				return err
			}
			c, res, err := a.selected(ctx, cmd, arg)
			if err != nil {
				return err
			}
			defer c.Close()
			answer := summary.Costs(res.Selection, query.NewTurnIndex(res.Snap), summary.CostOptions{Prices: table, Messages: messages})
			return a.print(res, answer, func(w io.Writer) error { return answer.WriteJSON(ctx, w) })
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
