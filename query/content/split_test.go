package content

import (
	"context"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"turns/model"
	"turns/model/load"
	"turns/model/modeltest"
	"turns/query"
	"turns/query/summary"
	"turns/query/window"
)

// samples opens every sample and, if there is a corpus, every transcript in it.
func samples(t *testing.T, look func(path string, s *model.Snapshot)) {
	t.Helper()
	roots := []string{filepath.Join("..", "..", "testdata", "formats")}
	t.Run("corpus", func(t *testing.T) { roots = append(roots, filepath.Join(modeltest.Corpus(t), "agents")) })
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			if info, err := d.Info(); err != nil || info.Size() > 8<<20 {
				return err
			}
			c, err := load.Open(t.Context(), path, load.Options{})
			if err != nil {
				return nil // no transcript
			}
			defer c.Close()
			if s, err := c.Load(t.Context()); err == nil {
				look(path, s)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// anyPrice returns a price for every model named in a transcript, with expensive writes and cheap
// reads.
func anyPrice(s *model.Snapshot) summary.PriceTable {
	table := summary.PriceTable{}
	for _, name := range s.Names() {
		if name != "" {
			p := summary.Price{Input: 3e-6, Output: 15e-6, CacheRead: .3e-6, HasCacheRead: true, CacheWrite: 3.75e-6, HasCacheWrite: true}
			p.Long = []summary.LongPrice{{Above: 200_000, Price: summary.Price{Input: 6e-6, Output: 22e-6}}}
			table[model.CleanLine(name)] = p
		}
	}
	return table
}

// TestSumIsTheWhole: for every key of --content-by, the groups add up to the total, to the cent.
// Each message costs the same as if each prompt were divided separately.
func TestSumIsTheWhole(t *testing.T) {
	priced := 0
	samples(t, func(path string, s *model.Snapshot) {
		prices := anyPrice(s)
		costs := summary.Costs(query.Everything(s), query.NewTurnIndex(s), summary.CostOptions{Prices: prices, Messages: true})
		x := window.NewIndex(s, nil)
		split := NewSplit(x, costs, prices)
		if s.Rows() < 600 {
			slowTwin(t, path, x, costs, prices, split)
		}
		for _, name := range Names() {
			a, err := split.By(t.Context(), name)
			if err != nil {
				t.Errorf("%s by %s: %v", path, name, err)
				continue
			}
			sum := 0.0
			for _, g := range a.Groups {
				sum += g.Dollars()
				if g.Prompts < -1e-9 || g.Output < -1e-9 || g.Key == "" {
					t.Errorf("%s by %s: %+v", path, name, g)
				}
			}
			if math.Abs(sum-costs.Total.Dollars) > 1e-6 {
				t.Errorf("%s by %s: $%f, the whole is $%f", path, name, sum, costs.Total.Dollars)
			}
		}
		if costs.Total.Dollars > 0 {
			priced++
		}
	})
	if priced < 20 {
		t.Errorf("%d samples with a cost", priced)
	}
}

// slowTwin compares the messages of a split with those of naive.
func slowTwin(t *testing.T, path string, x *window.Index, costs *summary.CostAnswer, prices summary.PriceTable, fast *Split) {
	slow := map[model.ID]Carried{}
	for i := range costs.Messages {
		naive(x, &costs.Messages[i], prices, slow)
	}
	for id := range model.ID(x.Snap.Rows()) {
		got, want := fast.Of(id), slow[id]
		if got.Sent != want.Sent || math.Abs(got.Dollars-want.Dollars) > 1e-9 {
			t.Errorf("%s: message %d: %+v, one by one %+v", path, id, got, want)
		}
	}
}

// naive divides the cost of one prompt by the tokens of its messages.
func naive(x *window.Index, m *summary.MessageCost, prices summary.PriceTable, into map[model.ID]Carried) {
	tokens, _ := x.Snap.Tokens(m.ID)
	all, ok := query.ContextSize(&tokens)
	parts := partsOf(&tokens, m.Model, prices)
	sum := 0.0
	for _, n := range parts {
		sum += n
	}
	if !ok || m.Dollars == 0 || sum == 0 {
		return
	}
	seen, weight := x.Seen(m.ID), x.SentWith(m.ID).Summary
	for _, id := range seen {
		weight += x.Weight(id)
	}
	if weight == 0 {
		return
	}
	read := float64(max(tokens.Usage().CacheRead, 0))
	price := func(from, to float64) float64 { // for a range of the prompt
		cached := max(min(to, read)-min(from, read), 0)
		dollars := 0.0
		if read > 0 {
			dollars += cached * parts[query.UsageCacheRead] / read
		}
		if fresh := to - from - cached; fresh > 0 && float64(all) > read {
			dollars += fresh * (parts[query.UsageInput] + parts[query.UsageCacheWrite]) / (float64(all) - read)
		}
		return dollars * m.Dollars / sum
	}
	scale := min(1, float64(all)/float64(weight))
	at := float64(max(all-weight, 0))
	sent := x.SentWith(m.ID)
	for i, id := range seen {
		if i == sent.Head {
			at += float64(sent.Summary) * scale
		}
		n := float64(x.Weight(id)) * scale
		c := into[id]
		into[id] = Carried{x.Weight(id), c.Sent + 1, c.Dollars + price(at, at+n)}
		at += n
	}
}

// TestCarried: a message is sent with every later request, first at the write price.
func TestCarried(t *testing.T) {
	use := func(input, read, write int64) *model.Usage {
		return &model.Usage{Input: input, CacheRead: read, CacheWrite: write, Output: 10, Reasoning: -1}
	}
	text := func(role model.Role, n int) model.Message {
		return model.Message{Role: role, Model: "m", Blocks: []model.Content{{Text: string(make([]byte, 4*n))}}}
	}
	answer := func(u *model.Usage) model.Message {
		m := text(model.Assistant, 10)
		m.Usage = u
		return m
	}
	s := model.FromMessages([]model.Message{
		text(model.User, 100), answer(use(150, 0, 0)), text(model.User, 50), answer(use(50, 150, 10)),
	})
	prices := summary.PriceTable{"m": {Input: 1, Output: 2, CacheRead: .1, HasCacheRead: true}}
	costs := summary.Costs(query.Everything(s), query.NewTurnIndex(s), summary.CostOptions{Prices: prices, Messages: true})
	split := NewSplit(window.NewIndex(s, nil), costs, prices)
	// each request begins with 50 tokens that are in no message; the second request reads them and
	// 100 more from the cache
	for id, want := range map[model.ID]Carried{0: {100, 2, 110}, 1: {10, 1, 10}, 2: {50, 1, 50}, 3: {10, 0, 0}} {
		if got := split.Of(id); got.Tokens != want.Tokens || got.Sent != want.Sent || math.Abs(got.Dollars-want.Dollars) > 1e-9 {
			t.Errorf("message %d: %+v, want %+v", id, got, want)
		}
	}
	if got, want := split.Lines(0, model.CallID(model.NoRow)), []string{"this message of 100 tokens was sent 2 times: ~$110.00"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := split.Lines(3, model.CallID(model.NoRow)), []string{"request ~$95.00: 60 new, 150 cached, 10 output"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := split.Lines(4, model.CallID(model.NoRow)); got != nil {
		t.Errorf("of a later message: %q", got)
	}
	a, err := split.By(context.Background(), "tool")
	if err != nil || math.Abs(*a.Total.USD-(150+20+60+15+20)) > 1e-9 {
		t.Errorf("%+v, %v", a.Total, err)
	}
}
