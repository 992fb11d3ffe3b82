package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"turns/export/outfile"
	"turns/query/summary"
	"turns/themes/tomlfile"
)

// maxFile limits the size of the file: every key bound, every price set.
const maxFile = 1 << 20

// Config is the content of the file.
type Config struct {
	Path      string // of the file, even if it does not exist
	Found     bool
	Theme     string
	Time      string   // first form of the time column: one of Times
	Columns   []string // of session lists; none: all
	Labels    []string // of a team
	Follow    bool
	Anonymize bool               // in exports, archives and copies
	Patterns  []*regexp.Regexp   // of names to replace
	Prices    string             // file of a price table, "" for none
	Models    summary.PriceTable // prices in this file
	Keys      map[string][]string
	Commands  []OwnCommand // started by keys and from the palette
	Problems  []Problem    // in the order of the file

	set map[string]any // the parsed file
}

// Problem is a mistake in the file.
type Problem struct {
	File      string
	Line, Col int // 0: about the entire file
	Text      string
}

// Error returns the problem with its place.
func (p Problem) Error() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s", p.File, p.Text)
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Col, p.Text)
}

// Known holds the names that this package cannot know.
type Known struct {
	Columns  []string                // of session lists
	Commands []Command               // commands with their default keys
	Others   []Command               // commands of other keys, in panes and lists
	Theme    func(name string) error // returns an error for an unknown theme
}

// Times are the forms of the time column.
func Times() []string { return []string{"clock", "start", "before"} }

// setting is a top-level setting of the file.
type setting struct {
	name   string
	help   string // comment above it in the printed file
	normal string // default, as TOML
	take   func(c *Config, k *Known, value any) error
}

func settings() []setting {
	return []setting{
		{"theme", "Theme of the screen: auto (dark or light by the terminal), the name of one, or a path.", `"auto"`, takeTheme},
		{"time", "Time column of the screen: clock, start (since the start) or before (since the row before).", `"clock"`, takeTime},
		{"columns", "Columns of lists of sessions, on the screen and of turns ls.", "", takeColumns},
		{"labels", "Labels to suggest first: #flaky, #loop, quality=.", "[]", takeLabels},
		{"follow", "Follow every transcript that you open, like -f.", "false", takeFollow},
		{"anonymize", "Replace names of people, machines and private repositories in exports, archives and copies, like --anonymize.", "false", takeAnonymize},
		{"anonymize_patterns", "Further names to replace then, as regular expressions.", "[]", takePatterns},
		{"prices", "A table of prices: TOML as below, or the JSON of LiteLLM or models.dev. It overrides the built-in list prices.", `""`, takePrices},
	}
}

// tables are the tables of the file with user-defined names.
var tables = [...]string{"command", "keys", "models"}

// Path returns the path of the file in the configuration folder ($XDG_CONFIG_HOME or ~/.config).
func Path(configHome string) string { return filepath.Join(configHome, "turns", "config.toml") }

// Load reads the file. It returns mistakes as problems; the other settings apply.
func Load(path string, k Known) *Config {
	c := Default()
	c.Path = path
	text, err := outfile.Read(path, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c
	case err != nil:
		c.Problems = append(c.Problems, Problem{File: path, Text: err.Error()})
		return c
	}
	c.Found = true
	c.read(text, &k)
	return c
}

// Default returns the configuration without a file.
func Default() *Config { return &Config{Theme: "auto", Time: Times()[0]} }

func (c *Config) read(text []byte, k *Known) {
	if _, err := tomlfile.Decode(string(text), &c.set); err != nil {
		at, msg := tomlfile.Syntax(string(text), err)
		c.Problems = append(c.Problems, Problem{c.Path, at.Line, at.Col, "not TOML: " + msg})
		return
	}
	places := tomlfile.Places(string(text))
	fail := func(name, msg string) { c.problem(places, name, msg) }
	all := settings()
	for name, value := range c.set {
		i := slices.IndexFunc(all, func(s setting) bool { return s.name == name })
		switch {
		case i >= 0:
			if err := all[i].take(c, k, value); err != nil {
				fail(name, name+": "+err.Error())
			}
		case !slices.Contains(tables[:], name):
			fail(name, unknownSetting(name, all))
		}
	}
	if table, ok := c.table("keys", fail); ok {
		c.takeKeys(k, table, fail)
	}
	c.takeCommands(k, fail)
	if _, ok := c.table("models", fail); ok {
		c.takeModels(text, fail)
	}
	slices.SortStableFunc(c.Problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col), strings.Compare(a.Text, b.Text))
	})
}

// problem adds a mistake in a setting, at its place or that of its table.
func (c *Config) problem(places map[string]tomlfile.Place, name, msg string) {
	var at tomlfile.Place
	for n := name; n != "" && at.Line == 0; {
		at = places[n]
		n = n[:max(strings.LastIndexByte(n, '.'), 0)]
	}
	c.Problems = append(c.Problems, Problem{c.Path, at.Line, at.Col, msg})
}

// table returns a table of the file; false if there is none.
func (c *Config) table(name string, fail func(name, msg string)) (map[string]any, bool) {
	v, ok := c.set[name]
	if !ok {
		return nil, false
	}
	table, ok := v.(map[string]any)
	if !ok {
		fail(name, fmt.Sprintf("%s is a table: [%s]", name, name))
	}
	return table, ok
}

func unknownSetting(name string, all []setting) string {
	names := tables[:]
	for _, s := range all {
		names = append(names, s.name)
	}
	slices.Sort(names)
	if near := tomlfile.Nearest(name, names); near != "" {
		return fmt.Sprintf("unknown setting %q, did you mean %q?", name, near)
	}
	return fmt.Sprintf("unknown setting %q; valid: %s", name, strings.Join(names, ", "))
}

// textOf returns a value that must be a text.
func textOf(v any) (string, error) {
	s, ok := v.(string)
	if !ok {
		return "", fmt.Errorf("want a text in quotes, not %v", v)
	}
	return s, nil
}

// textsOf returns a value that must be a text or a list of texts.
func textsOf(v any) ([]string, error) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	out := make([]string, 0, len(list))
	for _, e := range list {
		s, err := textOf(e)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// oneOf returns an error for an unknown name, with a suggestion.
func oneOf(name string, names []string) error {
	if slices.Contains(names, name) {
		return nil
	}
	if near := tomlfile.Nearest(name, names); near != "" {
		return fmt.Errorf("unknown %q, did you mean %q?", name, near)
	}
	return fmt.Errorf("unknown %q; valid: %s", name, strings.Join(names, ", "))
}

func takeTheme(c *Config, k *Known, v any) error {
	return takeName(v, &c.Theme, func(name string) error {
		if name == "auto" || k.Theme == nil {
			return nil
		}
		return k.Theme(name)
	})
}

func takeTime(c *Config, _ *Known, v any) error {
	return takeName(v, &c.Time, func(name string) error { return oneOf(name, Times()) })
}

// takeName sets a name that check accepts.
func takeName(v any, into *string, check func(string) error) error {
	name, err := textOf(v)
	if err == nil {
		err = check(name)
	}
	if err == nil {
		*into = name
	}
	return err
}

func takeColumns(c *Config, k *Known, v any) error {
	names, err := textsOf(v)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := oneOf(name, k.Columns); err != nil {
			return err
		}
	}
	c.Columns = names
	return nil
}

func takeLabels(c *Config, _ *Known, v any) error {
	words, err := textsOf(v)
	for i, w := range words {
		if !strings.HasPrefix(w, "#") && !strings.HasSuffix(w, "=") {
			words[i] = "#" + w
		}
	}
	c.Labels = words
	return err
}

func takeFollow(c *Config, _ *Known, v any) error {
	on, ok := v.(bool)
	if !ok {
		return fmt.Errorf("want true or false, not %v", v)
	}
	c.Follow = on
	return nil
}

func takeAnonymize(c *Config, _ *Known, v any) error {
	on, ok := v.(bool)
	if !ok {
		return fmt.Errorf("want true or false, not %v", v)
	}
	c.Anonymize = on
	return nil
}

// takePatterns compiles the expressions; invalid ones are problems.
func takePatterns(c *Config, _ *Known, v any) error {
	texts, err := textsOf(v)
	for _, text := range texts {
		p, perr := regexp.Compile(text)
		switch {
		case perr != nil:
			err = cmp.Or(err, perr)
		case p.MatchString(""):
			err = cmp.Or(err, fmt.Errorf("%q matches everywhere", text))
		default:
			c.Patterns = append(c.Patterns, p)
		}
	}
	return err
}

func takePrices(c *Config, _ *Known, v any) error {
	path, err := textOf(v)
	if err != nil || path == "" {
		return err
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			path = filepath.Join(home, rest)
		}
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(c.Path), path)
	}
	c.Prices = path
	return nil
}

func (c *Config) takeModels(text []byte, fail func(name, msg string)) {
	table, unknown, refused, err := modelPrices(text)
	if err != nil {
		at, msg := tomlfile.Syntax(string(text), err)
		c.Problems = append(c.Problems, Problem{c.Path, at.Line, at.Col, msg})
		return
	}
	for _, name := range unknown {
		if strings.HasPrefix(name, "models.") {
			fail(name, fmt.Sprintf("unknown field %q of a price", name[strings.LastIndexByte(name, '.')+1:]))
		}
	}
	for _, name := range refused {
		fail("models."+name, fmt.Sprintf("%.100q: %s", name, noPrice))
	}
	c.Models = table
}
