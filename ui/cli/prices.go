package cli

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"turns/query"
	"turns/query/answer"
	"turns/query/human"
	"turns/query/summary"
)

// pricesCommand prints the prices for cost estimates, and updates the list prices.
type pricesCommand struct {
	app    *app
	update string
	dryRun bool
}

// pricesAnswer is the table of prices in JSON.
type pricesAnswer struct {
	List   summary.ListPrices `json:"list_prices"`
	Models []priceRow         `json:"models"`
}

// priceRow is a price in dollars for a million tokens. null: unknown.
type priceRow struct {
	Model      string         `json:"model"`
	Own        bool           `json:"own"` // from the user's table, not from the list prices
	Input      *float64       `json:"input"`
	CacheRead  *float64       `json:"cache_read"`
	CacheWrite *float64       `json:"cache_write"`
	CacheHour  *float64       `json:"cache_write_1h"`
	Output     *float64       `json:"output"`
	Long       []longPriceRow `json:"long"` // of longer requests, the longest first
}

// longPriceRow is the price of requests with more than some number of tokens.
type longPriceRow struct {
	Above     int64    `json:"above_tokens"`
	Input     *float64 `json:"input"`
	CacheRead *float64 `json:"cache_read"`
	Output    *float64 `json:"output"`
}

// priceUpdateAnswer is the result of --update in JSON.
type priceUpdateAnswer struct {
	Date      string           `json:"date"`   // of the new prices
	Stored    *string          `json:"stored"` // file with the new prices; null: --dry-run
	Same      int              `json:"same"`
	Elsewhere int              `json:"not_in_file"` // models whose price stays
	Refused   int              `json:"refused"`     // models with an implausible name or price
	Changes   []priceChangeRow `json:"changes"`
}

// priceChangeRow is a change of a price. Old is null for a new model.
type priceChangeRow struct {
	Model string    `json:"model"`
	Old   *priceRow `json:"old"`
	New   priceRow  `json:"new"`
}

func (a *app) pricesCommand() *cobra.Command {
	c := &pricesCommand{app: a}
	cmd := &cobra.Command{
		Use: "prices", Short: "Print the prices that estimate costs, or update the list prices", Args: noArgs,
		Long: "Print the prices by which turns estimates costs, in dollars per million tokens.\n\n" +
			"--update reads newer list prices from a file: LiteLLM's model_prices_and_context_window.json or models.dev's api.json. " +
			"turns stores them in its configuration folder and dates them by the file. Your own prices still have priority.",
		Example: "  turns prices\n  turns prices --update api.json --dry-run\n  turns prices --update model_prices_and_context_window.json",
		RunE: func(*cobra.Command, []string) error {
			switch {
			case c.update != "":
				return c.updates()
			case c.dryRun:
				return hinted{fmt.Errorf("--dry-run needs --update"), "turns prices --update FILE --dry-run"}
			}
			return c.list()
		},
	}
	f := cmd.Flags()
	f.StringVar(&c.update, "update", "", "Read newer list prices from `FILE`, the JSON of LiteLLM or models.dev")
	f.BoolVar(&c.dryRun, "dry-run", false, "With --update, print the changes without storing them")
	a.prints(cmd, textAndJSON...)
	return cmd
}

func (c *pricesCommand) list() error {
	list, err := c.app.settings().ListPrices()
	if err != nil {
		return hinted{err, "turns prices --update FILE writes the file again"}
	}
	all, err := c.app.prices()
	if err != nil {
		return err
	}
	prices := &pricesAnswer{List: *c.app.describeList(list), Models: []priceRow{}}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		p := all[name]
		row := newPriceRow(name, &p)
		_, listed := list.Prices[name]
		row.Own = !listed || !samePrice(&row, newPriceRow(name, new(list.Prices[name])))
		prices.Models = append(prices.Models, row)
	}
	return c.app.printAnswer(prices.doc, func(w io.Writer) error { return query.WriteJSON(w, prices) })
}

func (p *pricesAnswer) doc() *answer.Doc {
	d := &answer.Doc{}
	d.AddText(p.List.String())
	if p.List.File != "" {
		d.Sections[0].Text = append(d.Sections[0].Text, "from "+string(p.List.File))
	}
	t := answer.NewTable("model", ">input", ">cache read", ">cache write", ">for 1h", ">output", "longer requests", "")
	for i := range p.Models {
		t.Add(p.Models[i].cells()...)
	}
	d.AddTable("", t)
	return d
}

func newPriceRow(name string, p *summary.Price) priceRow {
	million := func(n float64, has bool) *float64 {
		if !has {
			return nil
		}
		// prices are stored per token: round off the error of the multiplication
		n, _ = strconv.ParseFloat(strconv.FormatFloat(n*1e6, 'g', 10, 64), 64)
		return &n
	}
	row := priceRow{
		Model: name, Input: million(p.Input, true), CacheRead: million(p.CacheRead, p.HasCacheRead), CacheWrite: million(p.CacheWrite, p.HasCacheWrite),
		CacheHour: million(p.CacheHour, p.HasCacheHour), Output: million(p.Output, true), Long: []longPriceRow{},
	}
	for i := range p.Long {
		l := &p.Long[i].Price
		row.Long = append(row.Long, longPriceRow{p.Long[i].Above, million(l.Input, true), million(l.CacheRead, l.HasCacheRead), million(l.Output, true)})
	}
	return row
}

func samePrice(a *priceRow, b priceRow) bool { return slices.Equal(a.cells(), b.cells()) }

func perMillion(n *float64) string {
	return human.OrDash(n, func(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) })
}

// cells returns the cells of the table row.
func (r *priceRow) cells() []string {
	long := ""
	for i := range r.Long {
		l := &r.Long[i]
		if i > 0 {
			long += "; "
		}
		long += fmt.Sprintf("over %s: %s in, %s read, %s out", human.Count(l.Above), perMillion(l.Input), perMillion(l.CacheRead), perMillion(l.Output))
	}
	own := ""
	if r.Own {
		own = "your own"
	}
	return []string{r.Model, perMillion(r.Input), perMillion(r.CacheRead), perMillion(r.CacheWrite), perMillion(r.CacheHour), perMillion(r.Output), long, own}
}

// updates replaces the list prices with those of a file.
func (c *pricesCommand) updates() error {
	info, err := os.Stat(c.update)
	if err != nil {
		return fmt.Errorf("reading prices: %w", err)
	}
	plan, err := c.app.settings().PlanPrices(c.update, info.ModTime())
	if err != nil {
		return hinted{err, "turns accepts LiteLLM's model_prices_and_context_window.json and models.dev's api.json"}
	}
	update := &priceUpdateAnswer{Date: plan.Day.Format(time.DateOnly), Same: plan.Same, Elsewhere: plan.Elsewhere, Refused: plan.Refused, Changes: []priceChangeRow{}}
	for i := range plan.Changes {
		change := &plan.Changes[i]
		row := priceChangeRow{Model: change.Model, New: newPriceRow(change.Model, &change.New)}
		if !change.Added {
			old := newPriceRow(change.Model, &change.Old)
			row.Old = &old
		}
		update.Changes = append(update.Changes, row)
	}
	if !c.dryRun {
		if err := plan.Store(); err != nil {
			return err
		}
		update.Stored = &plan.File
	}
	return c.app.printAnswer(update.doc, func(w io.Writer) error { return query.WriteJSON(w, update) })
}

func (u *priceUpdateAnswer) doc() *answer.Doc {
	t := answer.NewTable("model", "change", ">input", ">cache read", ">cache write", ">for 1h", ">output", "longer requests")
	added := 0
	for i := range u.Changes {
		row := &u.Changes[i]
		cells, what := row.New.cells(), "changed"
		if row.Old == nil {
			what = "new"
			added++
		} else {
			for n, was := range row.Old.cells() {
				if was != cells[n] {
					cells[n] = was + " → " + cells[n]
				}
			}
		}
		t.Add(slices.Insert(cells[:7:7], 1, what)...)
	}
	notes := []string{fmt.Sprintf("list prices of %s: %s new, %s changed, %s the same; %s not in the file: price unchanged", u.Date,
		human.Count(added), human.Count(len(u.Changes)-added), human.Count(u.Same), human.Plural(u.Elsewhere, "model"))}
	if u.Refused > 0 {
		notes = append(notes, human.Plural(u.Refused, "model")+" refused: its name or price is not believable")
	}
	stored := "--dry-run: list prices not stored"
	if u.Stored != nil {
		stored = "stored in " + *u.Stored
	}
	return &answer.Doc{Sections: []answer.Section{{Table: t, Notes: append(notes, stored)}}}
}
