package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"turns/query/summary"
)

func TestListPrices(t *testing.T) {
	list, err := builtInPrices()
	if err != nil || len(list.Prices) < 150 || list.File != "" {
		t.Fatalf("%d prices, %v", len(list.Prices), err)
	}
	table := overList(summary.PriceTable{"claude-3": {Input: 7}}, list.Prices)
	p, ok := table.Find("anthropic/claude-sonnet-4-5-20250929")
	if !ok || p.Input != 3.0/aMillion || p.Output != 15.0/aMillion || len(p.Long) != 1 || p.Long[0].Above != 200_000 || p.Long[0].Price.Output != 22.5/aMillion {
		t.Errorf("a listed model: %+v", p)
	}
	if p, _ := table.Find("claude-3-haiku-20240307"); p.Input != 7 { // by a prefix of its name
		t.Errorf("the reader's own price is not taken: %+v", p)
	}
}

// The rows are those of the published table of that day. A changed row changes the checksum, and
// then the date must change.
func TestListPricesAreThoseOfTheirDay(t *testing.T) {
	list, err := builtInPrices()
	if err != nil {
		t.Fatal(err)
	}
	var again strings.Builder
	if err := writeList(&again, list.Prices, list.Day); err != nil || again.String() != listPricesText {
		t.Errorf("writing the table changes it: %v", err)
	}
	sum := sha256.Sum256([]byte(again.String()))
	if got := list.Day.Format(time.DateOnly) + " " + hex.EncodeToString(sum[:8]); got != "2026-07-24 6495c4dce6753019" {
		t.Errorf("prices of %s: compare them with their source, and write this sum", got)
	}
}

func published(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "published.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const modelsDevText = `{
 "reseller": {"id": "reseller", "models": {"claude-opus-9": {"id": "claude-opus-9", "cost": {"input": 50, "output": 50}}, "shared": {"cost": {"input": 1, "output": 2}}, "contested": {"cost": {"input": 1}}}},
 "anthropic": {"id": "anthropic", "models": {"claude-opus-9": {"id": "claude-opus-9", "limit": {"context": 1000000},
  "cost": {"input": 4, "output": 20, "cache_read": 0.4, "cache_write": 5, "context_over_200k": {"input": 8, "output": 30}}}}},
 "other": {"models": {"shared": {"cost": {"input": 1, "output": 2}}, "contested": {"cost": {"input": 3}}, "free of a price": {"id": "x"}}},
 "openai": {"models": {"GPT-9": {"cost": {"input": 1, "output": 2, "tiers": [{"input": 2, "output": 3, "tier": {"type": "context", "size": 272000}}]}}}}}`

func TestModelsDev(t *testing.T) {
	got, _, err := parsePublished([]byte(modelsDevText))
	if err != nil {
		t.Fatal(err)
	}
	opus := "4\t20\t0.4\t5\t\t200000\t8\t30\t"
	gpt := "1\t2\t\t\t\t272000\t2\t3\t"
	want := map[string]string{
		"anthropic/claude-opus-9": opus, "claude-opus-9": opus, "reseller/claude-opus-9": "50\t50\t\t\t\t\t\t\t", "openai/gpt-9": gpt, "gpt-9": gpt,
		"reseller/shared": "1\t2\t\t\t\t\t\t\t", "other/shared": "1\t2\t\t\t\t\t\t\t", "shared": "1\t2\t\t\t\t\t\t\t",
		"reseller/contested": "1\t0\t\t\t\t\t\t\t", "other/contested": "3\t0\t\t\t\t\t\t\t",
	}
	rows := map[string]string{}
	for name, p := range got {
		rows[name] = listRow(&p)
	}
	if !maps.Equal(rows, want) {
		t.Errorf("got  %q\nwant %q", rows, want)
	}
}

func TestUpdatedPrices(t *testing.T) {
	c := &Config{Path: filepath.Join(t.TempDir(), "turns", "config.toml")}
	day := time.Date(2026, 11, 20, 15, 4, 5, 0, time.UTC)
	update := func(text string, day time.Time) *PriceUpdate {
		t.Helper()
		u, err := c.PlanPrices(published(t, text), day)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	builtIn, _ := builtInPrices()
	u := update(`{"claude-sonnet-4-5": {"input_cost_per_token": 0.000002, "output_cost_per_token": 0.00001}, "claude-opus-9": {"input_cost_per_token": 0.000001, "output_cost_per_token": 0.000003}}`, day)
	if len(u.Changes) != 2 || !u.Changes[0].Added || u.Changes[1].Model != "claude-sonnet-4-5" || u.Changes[1].Old.Input != 3.0/aMillion || u.Same != 0 || u.Elsewhere != len(builtIn.Prices)-1 {
		t.Errorf("the plan is %+v", u)
	}
	if list, err := c.ListPrices(); err != nil || !list.Day.Equal(builtIn.Day) {
		t.Errorf("a plan stored prices: %v, %v", list, err)
	}
	if err := u.Store(); err != nil {
		t.Fatal(err)
	}
	list, err := c.ListPrices()
	if err != nil || list.Day.Format(time.DateOnly) != "2026-11-20" || list.File == "" || len(list.Prices) != len(builtIn.Prices)+1 {
		t.Fatalf("the list is %v, %v", list, err)
	}
	table, err := c.OpenPrices("")
	if p, _ := table.Find("claude-sonnet-4-5"); err != nil || p.Input != 2.0/aMillion || p.HasCacheRead {
		t.Errorf("the program uses %+v, %v", p, err)
	}
	// The next file has other models: those of the first one stay.
	u = update(modelsDevText, day.AddDate(0, 0, 1))
	if err := u.Store(); err != nil {
		t.Fatal(err)
	}
	if list, err = c.ListPrices(); err != nil || list.Prices["claude-sonnet-4-5"].Input != 2.0/aMillion || list.Prices["gpt-9"].Long[0].Above != 272_000 {
		t.Errorf("after the second update: %v", err)
	}
	if again := update(modelsDevText, day); len(again.Changes) != 0 || again.Same != 10 {
		t.Errorf("the same file again changes %+v", again.Changes)
	}
	// A newer program has priority over an old update.
	u = update(`{"gpt-4o": {"input_cost_per_token": 1, "output_cost_per_token": 1}}`, time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC))
	if err := u.Store(); err != nil {
		t.Fatal(err)
	}
	if list, err = c.ListPrices(); err != nil || !list.Day.Equal(builtIn.Day) || !reflect.DeepEqual(list.Prices["gpt-4o"], builtIn.Prices["gpt-4o"]) || list.Prices["gpt-9"].Input == 0 {
		t.Errorf("an old update prevails: %v", err)
	}
}

func TestUpdatesThatFail(t *testing.T) {
	c := &Config{Path: filepath.Join(t.TempDir(), "config.toml")}
	for text, want := range map[string]string{"[models]": "invalid character", "{}": "no prices", `{"a": {"models": {}}}`: "no prices"} {
		if _, err := c.PlanPrices(published(t, text), time.Time{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if err := os.WriteFile(c.listFile(), []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.ListPrices(); err == nil || !strings.Contains(err.Error(), "listprices.tsv") {
		t.Errorf("a damaged table: %v", err)
	}
	if u, err := c.PlanPrices(published(t, modelsDevText), time.Now()); err != nil || u.Store() != nil {
		t.Errorf("an update does not repair it: %v", err)
	}
	if _, err := c.ListPrices(); err != nil {
		t.Error(err)
	}
}

// Price files may be from strangers: implausible prices are not stored.
func TestHostilePrices(t *testing.T) {
	const good = `, "gpt-10": {"input_cost_per_token": 0.000002, "output_cost_per_token": 0.00001}}`
	name := func(name string) string {
		text, _ := json.Marshal(name)
		return "{" + string(text) + `: {"input_cost_per_token": 0.000001}`
	}
	for _, text := range []string{
		name("\x1b]0;title\a"), name("a\u202eb"), name("a\nb"), name("a\tb\t1"), name("#a"), name("model"), name(strings.Repeat("m", 5_000_000)), name(""), name("a\x00"),
		`{"a": {"input_cost_per_token": -1}`, `{"a": {"output_cost_per_token": 1e300}`, `{"a": {"input_cost_per_token": 1, "cache_read_input_token_cost": -0.1}`,
		`{"a": {"input_cost_per_token": 1, "input_cost_per_token_above_200k_tokens": -1}`,
	} {
		c := &Config{Path: filepath.Join(t.TempDir(), "config.toml")}
		u, err := c.PlanPrices(published(t, text+good), time.Now())
		if err != nil || u.Refused != 1 || len(u.Changes) != 1 || u.Changes[0].Model != "gpt-10" {
			t.Errorf("%.60q: %+v, %v", text, u, err)
			continue
		}
		if err := u.Store(); err != nil {
			t.Fatal(err)
		}
		if _, err := c.ListPrices(); err != nil {
			t.Errorf("%.60q: the stored table: %v", text, err)
		}
	}
	c := &Config{Path: filepath.Join(t.TempDir(), "config.toml")}
	if u, err := c.PlanPrices(published(t, "{"+strings.TrimPrefix(good, ", ")), time.Now()); err != nil || u.Store() != nil {
		t.Fatal(err)
	}
	var many strings.Builder
	for i := range mostModels {
		fmt.Fprintf(&many, `"m%d": {"input_cost_per_token": 0.000001},`, i)
	}
	_, err := c.PlanPrices(published(t, "{"+many.String()+`"one": {"input_cost_per_token": 1}}`), time.Now())
	if err == nil || !strings.Contains(err.Error(), "20001 models; the limit is 20000") {
		t.Errorf("too many models: %v", err)
	}
	_, err = c.PlanPrices(published(t, "{"+strings.TrimSuffix(many.String(), ",")+"}"), time.Now())
	if err == nil || !strings.Contains(err.Error(), "with the stored ones") {
		t.Errorf("too many models with those of earlier updates: %v", err)
	}
}
