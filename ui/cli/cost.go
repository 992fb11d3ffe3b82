package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"turns/query"
	"turns/query/cache"
	"turns/query/content"
	"turns/query/describe"
	"turns/query/session"
	"turns/query/summary"
	"turns/query/window"
)

// costCommand shows what sessions cost.
type costCommand struct {
	app             *app
	messages, cache bool
	contentBy       string
}

func (a *app) costCommand() *cobra.Command {
	c := &costCommand{app: a}
	cmd := a.command("cost FILE", "Show the cost of a session, recorded or estimated from list prices",
		"  turns cost run.jsonl\n  turns cost ~/.claude/projects --since 7d --by model\n  turns cost run.jsonl --prices model_prices_and_context_window.json", a.of(c.answer))
	cmd.Long = "Show the cost that the transcript recorded, or an estimate from list prices. turns prices shows these and updates them.\n\n" +
		"Your own prices override the list prices: prices.toml in the configuration folder of turns, in dollars per million tokens.\n\n" +
		"    [models.\"claude-opus-4\"]\n    input = 15.0\n    output = 75.0\n    cache_read = 1.5\n    cache_write = 18.75\n    cache_write_1h = 30.0\n\n" +
		"[[models.\"NAME\".long]] with above = TOKENS sets prices of longer requests. The JSON of LiteLLM or models.dev works as prices.json, and --prices reads any of them. " +
		"A name applies to all models whose names begin with it: claude-opus-4 also sets the price of claude-opus-4-6."
	cmd.Flags().StringVar(&a.priceFile, "prices", "", "Read prices from `FILE` (TOML, or the JSON of LiteLLM or models.dev)")
	cmd.Flags().BoolVar(&c.messages, "messages", false, "List each response")
	cmd.Flags().BoolVar(&c.cache, "cache", false, "Show why requests missed the prompt cache")
	oneOf(cmd.Flags(), &c.contentBy, "content-by", "", "Show the cost of the content in the context, by the `KEY` it came from", content.Names)
	a.summedAs(cmd, c.sums)
	a.limitFlag(cmd, "Print the first `N` responses or groups")
	a.selects(cmd)
	a.reads(cmd)
	a.prints(cmd, textAndJSON...)
	return cmd
}

// conflict returns an error if the flags request two answers.
func (c *costCommand) conflict() error {
	switch {
	case c.cache && c.messages:
		return hinted{errors.New("--cache and --messages are two answers"), "use one of them; --messages has a column with the causes"}
	case c.contentBy == "":
		return nil
	case c.cache || c.messages || c.app.by != "":
		return hinted{errors.New("--content-by does not combine with other breakdowns"), "leave out --cache, --messages and --by"}
	}
	return content.Known(c.contentBy)
}

// sums prints the cost of many sessions.
func (c *costCommand) sums(ctx context.Context, names []string) error {
	if err := c.conflict(); err != nil {
		return err
	}
	switch {
	case c.contentBy != "":
		return c.contents(ctx, names)
	case c.cache:
		return c.app.sum(ctx, "cause", names)
	}
	return c.app.sum(ctx, "cost", names)
}

func (c *costCommand) answer(ctx context.Context, view describe.View) error {
	if err := c.conflict(); err != nil {
		return err
	}
	prices, err := c.app.prices()
	if err != nil {
		return err
	}
	if c.contentBy != "" {
		answer, err := contentOf(ctx, view.Selection, prices, c.contentBy)
		if err != nil {
			return err
		}
		return c.printContent(ctx, answer)
	}
	turns := query.NewTurnIndex(view.Snap)
	if c.cache {
		return c.cacheAnswer(ctx, view, turns, prices)
	}
	answer := summary.Costs(view.Selection, turns, summary.CostOptions{Prices: prices, Messages: c.messages})
	if answer.List, err = c.app.listPrices(); err != nil {
		return err
	}
	if c.messages {
		requests, err := cache.Requests(ctx, view.Snap)
		if err != nil {
			return fmt.Errorf("reading the recorded prompts: %w", err)
		}
		answer.Explain(requests)
	}
	answer.Messages = firstRows(c.app, answer.Messages)
	return c.app.printAnswer(answer.Doc, func(w io.Writer) error { return answer.WriteJSON(ctx, w) })
}

// cacheAnswer shows how much of the requests came from the prompt cache.
func (c *costCommand) cacheAnswer(ctx context.Context, view describe.View, turns *query.TurnIndex, prices summary.PriceTable) error {
	answer, err := summary.Cache(ctx, view.Selection, turns, prices)
	if err != nil {
		return err
	}
	answer.Requests = firstRows(c.app, answer.Requests)
	return c.app.printAnswer(answer.Doc, func(w io.Writer) error { return answer.WriteJSON(ctx, w) })
}

// contentOf attributes the cost of a selection to the sources of its content.
func contentOf(ctx context.Context, sel query.Selection, prices summary.PriceTable, by string) (*content.Answer, error) {
	costs := summary.Costs(sel, query.NewTurnIndex(sel.Snap), summary.CostOptions{Prices: prices, Messages: true})
	return content.NewSplit(window.NewIndex(sel.Snap, nil), costs, prices).By(ctx, by)
}

func (c *costCommand) printContent(ctx context.Context, answer *content.Answer) error {
	answer.Groups = firstRows(c.app, answer.Groups)
	return c.app.printAnswer(answer.Doc, func(w io.Writer) error { return answer.WriteJSON(ctx, w) })
}

// contents is contentOf for many sessions together.
func (c *costCommand) contents(ctx context.Context, names []string) error {
	prices, err := c.app.prices()
	if err != nil {
		return err
	}
	c.app.chooseSome()
	all, err := c.app.crowd(ctx, names)
	if err != nil {
		return err
	}
	defer all.lib.Close()
	whole := content.NewAnswer(c.contentBy)
	ofRuns(ctx, all, func(ctx context.Context, sel query.Selection, _ *session.Session) ([]*content.Answer, error) {
		one, err := contentOf(ctx, sel, prices, c.contentBy)
		return []*content.Answer{one}, err
	}, func(one **content.Answer) {
		if *one != nil {
			whole.Join(*one)
		}
	})
	whole.Finish()
	if all.runs > 0 {
		err = c.printContent(ctx, whole)
	}
	return all.end(ctx, err)
}
