package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"turns/model"
	"turns/model/token"
	"turns/query"
	"turns/query/human"
	"turns/query/summary"
	"turns/ui/cli/help"
	"turns/ui/config"
)

// counts adds the flags of token counting to a command.
func (a *app) counts(cmd *cobra.Command) {
	under(cmd, help.Output, func(f *pflag.FlagSet) {
		f.BoolVar(&a.noTokens, "no-tokens", false, "Do not count tokens")
	})
	a.encodes(cmd)
}

// encodes adds the flag --encoding to a command.
func (a *app) encodes(cmd *cobra.Command) {
	under(cmd, help.Output, func(f *pflag.FlagSet) {
		f.StringVar(&a.encoding, "encoding", "", "Count tokens with encoding `NAME` (default by model)")
		annotate(f.Lookup("encoding"), help.FlagValues, token.Names()...)
	})
}

// tokens returns the encoding for counting tokens: the one of --encoding, otherwise that of the
// snapshot's first model.
func (c *countFlags) tokens(snap *model.Snapshot) token.Encoding {
	if e, err := token.ParseEncoding(c.encoding); err == nil && c.encoding != "" {
		return e
	}
	return token.ForModel(firstModel(snap))
}

// counter returns a counter of tokens that shows its progress.
func (a *app) counter(snap *model.Snapshot) *query.Counter {
	enc := a.tokens(snap)
	p := a.progress("counting tokens")
	return &query.Counter{
		New:      func() query.TokenCounter { return token.New(enc) },
		Encoding: enc.String(),
		Progress: func(done, total int64) {
			if p.set(done, total); done >= total {
				p.done()
			}
		},
	}
}

func firstModel(snap *model.Snapshot) string {
	for i := range snap.Sessions() {
		if m := snap.Sessions()[i].Field("model"); m != "" {
			return m
		}
	}
	return ""
}

// listPrices describes the current list prices.
func (a *app) listPrices() (*summary.ListPrices, error) {
	list, err := a.settings().ListPrices()
	if err != nil {
		return nil, err
	}
	return a.describeList(list), nil
}

func (a *app) describeList(list *config.ListPrices) *summary.ListPrices {
	days := max(int(a.time().Sub(list.Day)/(24*time.Hour)), 0)
	return &summary.ListPrices{Date: list.Day.Format(time.DateOnly), Days: days, File: human.TextOrNull(list.File)}
}

// prices returns the prices to estimate costs with: the user's own, then the list prices.
func (a *app) prices() (summary.PriceTable, error) { return a.settings().OpenPrices(a.priceFile) }

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
