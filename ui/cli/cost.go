package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"

	"turns/query"
)

func (a *app) costCommand() *cobra.Command {
	var prices string
	cmd := a.command("cost FILE", "Print what the run cost: as recorded, else estimated from your price table",
		"  turns cost run.jsonl\n  turns cost run.jsonl --prices model_prices_and_context_window.json",
		func(ctx context.Context, cmd *cobra.Command, arg string) error {
			table, err := openPrices(prices)
			if err != nil {
				return err
			}
			c, res, err := a.selected(ctx, cmd, arg)
			if err != nil {
				return err
			}
			defer c.Close()
			answer := query.Costs(res.Selection, query.NewTurnIndex(res.Snap), table)
			return a.print(res, answer, func(w io.Writer) error { return answer.WriteJSON(ctx, w) })
		})
	cmd.Long = "Print what the run cost: as the transcript recorded it, else estimated from a price table. The table is prices.toml in the\n" +
		"configuration folder of turns, dollars per million tokens:\n\n" +
		"  [models.\"claude-opus-4\"]\n  input = 15.0\n  output = 75.0\n  cache_read = 1.5\n  cache_write = 18.75\n\n" +
		"or LiteLLM's JSON there as prices.json, or either given with --prices."
	cmd.Flags().StringVar(&prices, "prices", "", "read prices from `FILE` (TOML, or LiteLLM's JSON)")
	cmd.Flags().BoolVar(&a.json, "json", false, "print JSON")
	return cmd
}

// openPrices reads the price table that was given, else the user's own, else none.
func openPrices(path string) (query.PriceTable, error) {
	if path != "" {
		return readPrices(path)
	}
	config, err := os.UserConfigDir()
	if err != nil {
		return nil, nil // then nobody has a table
	}
	for _, name := range [...]string{"prices.toml", "prices.json"} {
		table, err := readPrices(filepath.Join(config, "turns", name))
		if !errors.Is(err, fs.ErrNotExist) {
			return table, err
		}
	}
	return nil, nil
}

func readPrices(path string) (query.PriceTable, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading prices: %w", err)
	}
	parse := parsePrices
	if strings.HasSuffix(path, ".json") {
		parse = parseLiteLLM
	}
	table, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("reading prices %q: %w", path, err)
	}
	return table, nil
}

// aMillion is the number of tokens that prices in TOML are for.
const aMillion = 1e6

// parsePrices reads prices in TOML.
func parsePrices(data []byte) (query.PriceTable, error) {
	var doc struct {
		Models map[string]struct {
			Input      float64  `toml:"input"`
			Output     float64  `toml:"output"`
			CacheRead  *float64 `toml:"cache_read"`
			CacheWrite *float64 `toml:"cache_write"`
		} `toml:"models"`
	}
	meta, err := toml.Decode(string(data), &doc)
	if err != nil {
		return nil, err
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("unknown field %q", unknown[0].String())
	}
	table := query.PriceTable{}
	for name, m := range doc.Models {
		p := query.Price{Input: m.Input / aMillion, Output: m.Output / aMillion}
		if m.CacheRead != nil {
			p.CacheRead, p.HasCacheRead = *m.CacheRead/aMillion, true
		}
		if m.CacheWrite != nil {
			p.CacheWrite, p.HasCacheWrite = *m.CacheWrite/aMillion, true
		}
		table[strings.ToLower(name)] = p
	}
	return table, nil
}

// parseLiteLLM reads LiteLLM's table of models, whose prices are for one token.
// Models without a price for tokens are passed over.
func parseLiteLLM(data []byte) (query.PriceTable, error) {
	var doc map[string]json.RawMessage
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	table := query.PriceTable{}
	for name, raw := range doc {
		var m struct {
			Input      *float64 `json:"input_cost_per_token"`
			Output     *float64 `json:"output_cost_per_token"`
			CacheRead  *float64 `json:"cache_read_input_token_cost"`
			CacheWrite *float64 `json:"cache_creation_input_token_cost"`
		}
		if name == "sample_spec" || json.Unmarshal(raw, &m) != nil || m.Input == nil && m.Output == nil {
			continue
		}
		var p query.Price
		if m.Input != nil {
			p.Input = *m.Input
		}
		if m.Output != nil {
			p.Output = *m.Output
		}
		if m.CacheRead != nil {
			p.CacheRead, p.HasCacheRead = *m.CacheRead, true
		}
		if m.CacheWrite != nil {
			p.CacheWrite, p.HasCacheWrite = *m.CacheWrite, true
		}
		table[strings.ToLower(name)] = p
	}
	return table, nil
}
