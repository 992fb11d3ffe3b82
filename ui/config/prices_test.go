package config

import (
	"reflect"
	"strings"
	"testing"

	"turns/query/summary"
)

func TestPrices(t *testing.T) {
	base := summary.Price{Input: 3e-6, Output: 15e-6, CacheRead: 0.3e-6, CacheWrite: 3.75e-6, CacheHour: 6e-6, HasCacheRead: true, HasCacheWrite: true, HasCacheHour: true}
	long := base
	long.Input, long.Output = 6e-6, 22.5e-6
	want := base
	want.Long = []summary.LongPrice{{Above: 200_000, Price: long}}
	for _, tt := range []struct {
		name  string
		parse func([]byte) (summary.PriceTable, error)
		data  string
		want  summary.PriceTable
		err   string
	}{
		{name: "TOML", parse: parsePrices, want: summary.PriceTable{"claude-sonnet-4": want, "free": {}}, data: `
[models."Claude-Sonnet-4"]
input = 3.0
output = 15
cache_read = 0.3
cache_write = 3.75
cache_write_1h = 6
[[models."Claude-Sonnet-4".long]]
above = 200000
input = 6
output = 22.5
[models.free]
`},
		{name: "LiteLLM", parse: parseLiteLLM, want: summary.PriceTable{"claude-sonnet-4": want}, data: `{
"sample_spec": {"input_cost_per_token": 1},
"dall-e": {"input_cost_per_pixel": 1},
"words": "none",
"claude-sonnet-4": {"max_tokens": 8192, "mode": "chat", "input_cost_per_token": 3e-06, "output_cost_per_token": 1.5e-05, "cache_read_input_token_cost": 3e-07,
 "cache_creation_input_token_cost": 3.75e-06, "cache_creation_input_token_cost_above_1hr": 6e-06, "supports_vision": true,
 "input_cost_per_token_above_200k_tokens": 6e-06, "output_cost_per_token_above_200k_tokens": 2.25e-05, "input_cost_per_image_above_9k_tokens": 1}}`},
		{name: "TOML with a field that is not known", parse: parsePrices, data: "[models.x]\ninputs = 1\n", err: `unknown field "models.x.inputs"`},
		{name: "TOML with a price below zero", parse: parsePrices, data: "[models.x]\ninput = -1\n", err: `"x": no model has`},
		{name: "TOML with no number", parse: parsePrices, data: "[models.x]\noutput = nan\n", err: `"x": no model has`},
		{name: "TOML without an end of the price", parse: parsePrices, data: "[models.x]\ncache_read = inf\n", err: `"x": no model has`},
		{name: "TOML with a long price below zero", parse: parsePrices, data: "[[models.x.long]]\nabove = 5\ninput = -inf\n", err: `"x": no model has`},
		{name: "TOML with an unfit name", parse: parsePrices, data: "[models.\"a\\u001b[2J\"]\ninput = 1\n", err: `"a\x1b[2J": no model has`},
		{name: "TOML without a name", parse: parsePrices, data: "[models.\"\"]\ninput = 1\n", err: `"": no model has`},
		{name: "no JSON", parse: parseLiteLLM, data: "[models.x]", err: "invalid character"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.parse([]byte(tt.data))
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %+v, %v\nwant %+v", got, err, tt.want)
			}
		})
	}
}
