package config

import (
	"bufio"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"turns/export/outfile"
	"turns/query/summary"
)

//go:embed listprices.tsv
var listPricesText string

// listColumns are the columns of a table of list prices. A row may have several groups of the last
// four: prices of longer requests, those of the longest first.
const listColumns = "model\tinput\toutput\tcache_read\tcache_write_5m\tcache_write_1h\tlong_over\tlong_input\tlong_output\tlong_cache_read"

// shortFields and longFields are the numbers of fields in a row and in each further group.
const shortFields, longFields = 6, 4

// listTitle starts the first line of a table of list prices, followed by the day of the prices.
const listTitle = "# List prices in US dollars for a million tokens, as published on "

// ListPrices are published prices, for users without their own table.
type ListPrices struct {
	Prices summary.PriceTable
	Day    time.Time // when they were published, in UTC
	File   string    // file of the stored update; "": the built-in table
}

// builtInPrices returns the list prices that the program was built with.
func builtInPrices() (*ListPrices, error) {
	list, err := parseList(listPricesText)
	if err != nil {
		return nil, fmt.Errorf("reading the built-in list prices: %w", err)
	}
	return list, nil
}

// ListPrices returns the built-in list prices merged with those of the last update. If both have a
// price, the newer table wins.
func (c *Config) ListPrices() (*ListPrices, error) {
	list, err := builtInPrices()
	if err != nil || c.Path == "" {
		return list, err
	}
	stored, err := c.storedPrices()
	if stored == nil || err != nil {
		return list, err
	}
	if stored.Day.Before(list.Day) {
		maps.Copy(stored.Prices, list.Prices)
		list.Prices = stored.Prices
		return list, nil
	}
	maps.Copy(list.Prices, stored.Prices)
	list.Day, list.File = stored.Day, c.listFile()
	return list, nil
}

// storedPrices returns the prices of the last update, nil if there was none.
func (c *Config) storedPrices() (*ListPrices, error) {
	text, err := outfile.Read(c.listFile(), 64<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var stored *ListPrices
	if err == nil {
		stored, err = parseList(string(text))
	}
	if err != nil {
		return nil, fmt.Errorf("reading the updated list prices %q: %w", c.listFile(), err)
	}
	return stored, nil
}

// listFile returns the file of the stored update.
func (c *Config) listFile() string { return filepath.Join(filepath.Dir(c.Path), "listprices.tsv") }

func parseList(text string) (*ListPrices, error) {
	first, rest, _ := strings.Cut(text, "\n")
	date, ok := strings.CutPrefix(first, listTitle)
	if !ok || len(date) < len(time.DateOnly) {
		return nil, fmt.Errorf("its first line is not %q and a date", listTitle)
	}
	day, err := time.Parse(time.DateOnly, date[:len(time.DateOnly)])
	if err != nil {
		return nil, err
	}
	list := &ListPrices{Prices: summary.PriceTable{}, Day: day}
	for line := range strings.Lines(rest) {
		f := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if strings.HasPrefix(line, "#") || f[0] == "model" {
			continue
		}
		p, err := listPrice(f)
		if err != nil {
			return nil, fmt.Errorf("the price of %q: %w", f[0], err)
		}
		list.Prices[f[0]] = p
	}
	return list, nil
}

func listPrice(f []string) (summary.Price, error) {
	if len(f) < shortFields+longFields || (len(f)-shortFields)%longFields != 0 {
		return summary.Price{}, fmt.Errorf("%d fields", len(f))
	}
	n := make([]*float64, len(f))
	for i := 1; i < len(f); i++ {
		if f[i] == "" {
			continue
		}
		x, err := strconv.ParseFloat(f[i], 64)
		if err != nil {
			return summary.Price{}, err
		}
		n[i] = &x
	}
	short := tomlPrice{Input: n[1], Output: n[2], CacheRead: n[3], CacheWrite: n[4], CacheHour: n[5]}
	p := short.price(summary.Price{})
	for i := shortFields; i < len(n); i += longFields {
		if n[i] == nil {
			continue
		}
		long := tomlPrice{Input: n[i+1], Output: n[i+2], CacheRead: n[i+3]}
		p.Long = append(p.Long, summary.LongPrice{Above: int64(*n[i]), Price: long.price(p)})
	}
	return p, nil
}

// listRow formats a price as a table row, without the model name.
func listRow(p *summary.Price) string {
	var f []string
	add := func(n float64, has bool) {
		text := ""
		if has {
			text = strconv.FormatFloat(n, 'g', 10, 64)
		}
		f = append(f, text)
	}
	add(p.Input*aMillion, true)
	add(p.Output*aMillion, true)
	add(p.CacheRead*aMillion, p.HasCacheRead)
	add(p.CacheWrite*aMillion, p.HasCacheWrite)
	add(p.CacheHour*aMillion, p.HasCacheHour)
	for i := range p.Long {
		long := &p.Long[i]
		f = append(f, strconv.FormatInt(long.Above, 10))
		add(long.Price.Input*aMillion, long.Price.Input != p.Input)
		add(long.Price.Output*aMillion, long.Price.Output != p.Output)
		add(long.Price.CacheRead*aMillion, long.Price.HasCacheRead && long.Price.CacheRead != p.CacheRead)
	}
	if len(p.Long) == 0 {
		f = append(f, "", "", "", "")
	}
	return strings.Join(f, "\t")
}

// writeList writes a table for parseList.
func writeList(out io.Writer, prices summary.PriceTable, day time.Time) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "%s%s. An empty field is not given.\n", listTitle, day.Format(time.DateOnly))
	fmt.Fprintln(w, "# Requests with more tokens than long_over pay the long_ prices.")
	fmt.Fprintln(w, listColumns)
	for _, name := range slices.Sorted(maps.Keys(prices)) {
		p := prices[name]
		fmt.Fprintf(w, "%s\t%s\n", name, listRow(&p))
	}
	return w.Flush()
}

// overList merges the user's prices with list prices. A model that matches a name in the user's
// table, also by a prefix, never gets a list price.
func overList(own, list summary.PriceTable) summary.PriceTable {
	maps.DeleteFunc(list, func(name string, _ summary.Price) bool {
		_, ok := own.Find(name)
		return ok
	})
	maps.Copy(list, own)
	return list
}

// PriceChange is the change of one model's price by an update. A price is a row of the table,
// "" if the table had none.
type PriceChange struct {
	Model    string
	Old, New summary.Price
	Added    bool
}

// PriceUpdate is the difference between the prices that apply and those of a file.
type PriceUpdate struct {
	Day       time.Time // of the file
	Changes   []PriceChange
	Same      int // models whose price stays
	Elsewhere int // models missing in the file; their prices stay
	Refused   int // models in the file with an implausible name or price
	File      string

	table summary.PriceTable
}

// PlanPrices compares the list prices with those of a file from LiteLLM or models.dev. The day of
// the new prices is the day on which the file was last written.
func (c *Config) PlanPrices(path string, written time.Time) (*PriceUpdate, error) {
	if c.Path == "" {
		return nil, errors.New("storing list prices: turns has no configuration folder")
	}
	data, err := outfile.Read(path, 64<<20)
	if err != nil {
		return nil, fmt.Errorf("reading prices: %w", err)
	}
	table, refused, err := parsePublished(data)
	if err == nil && len(table) == 0 {
		err = errors.New("it has no prices of models")
	}
	if err != nil {
		return nil, fmt.Errorf("reading prices %q: %w", path, err)
	}
	list, err := c.ListPrices()
	if err != nil { // the update replaces a broken stored table
		if list, err = builtInPrices(); err != nil {
			return nil, err
		}
	}
	u := &PriceUpdate{Day: written.UTC().Truncate(24 * time.Hour), Refused: refused, File: c.listFile(), table: summary.PriceTable{}}
	if stored, err := c.storedPrices(); err == nil && stored != nil {
		maps.Copy(u.table, stored.Prices)
	}
	if maps.Copy(u.table, table); len(u.table) > mostModels {
		return nil, fmt.Errorf("reading prices %q: with the stored ones it has prices of %d models; the limit is %d", path, len(u.table), mostModels)
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		now := table[name]
		was, known := list.Prices[name]
		if known && listRow(&was) == listRow(&now) {
			u.Same++
			continue
		}
		u.Changes = append(u.Changes, PriceChange{Model: name, Old: was, New: now, Added: !known})
	}
	u.Elsewhere = len(list.Prices) - u.Same
	for i := range u.Changes {
		if !u.Changes[i].Added {
			u.Elsewhere--
		}
	}
	return u, nil
}

// Store writes the new prices into the configuration folder, over those of the last update.
func (u *PriceUpdate) Store() error {
	if err := os.MkdirAll(filepath.Dir(u.File), 0o700); err != nil {
		return fmt.Errorf("storing list prices: %w", err)
	}
	if _, err := outfile.Write(u.File, 0o600, true, func(w io.Writer) error { return writeList(w, u.table, u.Day) }); err != nil {
		return fmt.Errorf("storing list prices: %w", err)
	}
	return nil
}
