package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"turns/export"
	"turns/export/outfile"
	"turns/query"
	"turns/query/lang"
	"turns/query/many"
	"turns/themes/tomlfile"
)

// rulesFile is a file of rules being parsed.
type rulesFile struct {
	path   string
	places map[string]tomlfile.Place
}

// readRules reads rules, one table per rule: [rules.NAME].
func readRules(path string) ([]many.Rule, error) {
	data, err := outfile.Read(path, 1<<20)
	if err != nil {
		return nil, fmt.Errorf("reading rules: %w", err)
	}
	text := string(data)
	f := rulesFile{path, tomlfile.Places(text)}
	var doc map[string]any
	if _, err := tomlfile.Decode(text, &doc); err != nil {
		at, msg := tomlfile.Syntax(text, err)
		return nil, fmt.Errorf("reading rules %q, line %d, column %d: %s", path, at.Line, at.Col, msg)
	}
	for _, name := range f.inOrder("", doc) {
		if name != "rules" {
			return nil, f.mistake(name, fmt.Sprintf("unknown table %q; rules are tables [rules.NAME]", name))
		}
	}
	tables, ok := doc["rules"].(map[string]any)
	if !ok || len(tables) == 0 {
		return nil, hinted{fmt.Errorf("reading rules %q: there are none", path), "write [rules.\"no force push\"] and below it no = 'args:\"push --force\"'"}
	}
	var rules []many.Rule
	for _, name := range f.inOrder("rules.", tables) {
		table, ok := tables[name].(map[string]any)
		if !ok {
			return nil, f.mistake("rules."+name, fmt.Sprintf("%q is not a table", name))
		}
		rule, err := f.rule(name, table)
		if err != nil {
			return nil, err
		}
		rules = append(rules, rule)
	}
	return rules, nil
}

// inOrder returns the keys of a table in the order of the file. prefix precedes them in places.
func (f *rulesFile) inOrder(prefix string, table map[string]any) []string {
	return slices.SortedFunc(maps.Keys(table), func(x, y string) int {
		a, b := f.at(prefix+x), f.at(prefix+y)
		return cmp.Or(a.Line-b.Line, a.Col-b.Col, strings.Compare(x, y))
	})
}

// at returns the place of a key; the names in places have no quotes and spaces.
func (f *rulesFile) at(key string) tomlfile.Place {
	return f.places[strings.NewReplacer(`"`, "", "'", "", " ", "", "\t", "").Replace(key)]
}

// mistake returns an error with its line and column.
func (f *rulesFile) mistake(key, msg string) error {
	at := f.at(key)
	return fmt.Errorf("reading rules %q, line %d, column %d: %s", f.path, max(at.Line, 1), max(at.Col, 1), msg)
}

// limits are the numbers that a rule may limit with max_.
var limits = map[string]many.Number{
	"max_errors": many.Errors, "max_calls": many.Calls, "max_turns": many.Turns, "max_messages": many.Messages, "max_pending": many.Pending, "max_denied": many.Denied,
}

// compared are the numbers that a rule limits with a comparison, and their filter keys.
var compared = map[string]struct {
	key    string
	number many.Number
}{"cost": {"cost", 0}, "duration": {"dur", many.Took}, "tokens": {"tokens", many.Output}}

var ruleKeys = []string{
	"no", "some", "filter", "min", "max", "after", "before", "sessions", "end", "loops", "secrets", "cost", "duration", "tokens", "unknown",
	"max_errors", "max_calls", "max_turns", "max_messages", "max_pending", "max_denied",
}

// rule parses one rule.
func (f *rulesFile) rule(name string, table map[string]any) (r many.Rule, err error) {
	r.Name = name
	for _, key := range f.inOrder("rules."+name+".", table) {
		full := "rules." + name + "." + key
		if !slices.Contains(ruleKeys, key) {
			msg := fmt.Sprintf("unknown field %q", key)
			if near := tomlfile.Nearest(key, ruleKeys); near != "" {
				msg += fmt.Sprintf("; did you mean %q", near)
			}
			return r, f.mistake(full, msg)
		}
		if err := field(&r, table, key, table[key]); err != nil {
			return r, f.mistake(full, fmt.Sprintf("%s: %v", key, err))
		}
	}
	if len(r.Messages)+len(r.Limits) == 0 && r.End == "" && r.Loops == nil && r.Secrets == nil {
		return r, f.mistake("rules."+name, fmt.Sprintf("the rule %q has no demand", name))
	}
	return r, nil
}

func field(r *many.Rule, table map[string]any, key string, v any) (err error) {
	switch key {
	case "no", "some", "filter":
		return demand(r, table, key, v)
	case "min", "max":
		if table["filter"] == nil {
			return fmt.Errorf("it goes with filter = '…'")
		}
		return nil
	case "after", "before":
		if table["no"] == nil && table["some"] == nil && table["filter"] == nil {
			return fmt.Errorf("it goes with some = '…', no = '…' or filter = '…'")
		}
		_, err = filterText(v)
		return err
	case "secrets":
		n, err := number(v, 0)
		r.Secrets = &n
		return err
	case "unknown":
		if v != "allow" {
			return fmt.Errorf("%v is not valid; write \"allow\" to let unknown numbers pass", v)
		}
		r.Unknown = true
		return nil
	case "sessions":
		r.Sessions, err = filterText(v)
		return err
	case "end":
		f, err := filterText("end:" + fmt.Sprint(v))
		if err != nil {
			return err
		}
		r.End = f.Root().(*lang.Term).Values[0].Text
		return nil
	case "loops":
		n, err := number(v, 0)
		r.Loops = &n
		return err
	}
	if _, ok := compared[key]; ok {
		return compare(r, key, v)
	}
	n, err := number(v, 0)
	r.Limits = append(r.Limits, many.Limit{Number: limits[key], Max: int64(n), Text: fmt.Sprint(v)})
	return err
}

// demand parses how many messages a filter may match.
func demand(r *many.Rule, table map[string]any, key string, v any) (err error) {
	d := many.Demand{Max: -1}
	switch key {
	case "no":
		d.Max = 0
	case "some":
		d.Min = 1
	default:
		if d.Min, err = number(table["min"], 0); err != nil {
			return err
		}
		if d.Max, err = number(table["max"], -1); err != nil {
			return err
		}
		if table["min"] == nil && table["max"] == nil {
			return fmt.Errorf("write how many: min = 1, or max = 3")
		}
	}
	if d.Filter, err = filterText(v); err != nil {
		return err
	}
	if d.After, err = filterOr(table["after"], nil); err != nil {
		return nil // its own key reports it
	}
	if d.Before, err = filterOr(table["before"], nil); err != nil {
		return nil
	}
	r.Messages = append(r.Messages, d)
	return nil
}

// compare parses a limit in the form of a comparison.
func compare(r *many.Rule, key string, v any) error {
	c := compared[key]
	f, err := filterText(c.key + ":" + fmt.Sprint(v))
	if err != nil {
		return err
	}
	term, ok := f.Root().(*lang.Term)
	if !ok {
		return fmt.Errorf("%q is not a comparison such as \"<=5\"", v)
	}
	if term.Op == lang.OpEq && term.Values[0].Form == lang.FormScalar {
		return fmt.Errorf("%v means exactly %[1]v; for a limit, write %q", v, "<="+strings.TrimPrefix(fmt.Sprint(v), "="))
	}
	r.Limits = append(r.Limits, many.Limit{Number: c.number, Cost: key == "cost", Term: term, Text: fmt.Sprint(v)})
	return nil
}

// filterOr parses an optional filter.
func filterOr(v any, none *lang.Filter) (*lang.Filter, error) {
	if v == nil {
		return none, nil
	}
	return filterText(v)
}

func filterText(v any) (*lang.Filter, error) {
	text, ok := v.(string)
	if !ok || strings.TrimSpace(text) == "" {
		return nil, fmt.Errorf("%v is not a filter in quotes", v)
	}
	f, err := lang.Parse(text)
	if err == nil && f.Empty() {
		err = fmt.Errorf("%q finds everything", text)
	}
	return f, err
}

func number(v any, none int) (int, error) {
	if v == nil {
		return none, nil
	}
	n, ok := v.(int64)
	if !ok || n < 0 || n > math.MaxInt32 {
		return 0, fmt.Errorf("%v is not a whole number", v)
	}
	return int(n), nil
}

// rulesHelp explains how to write rules.
const rulesHelp = `--rules checks sessions against rules instead, as a gate in CI. Rules are tables in TOML:

    [rules."no force push"]
    no = 'tool:Bash args:"push --force"'   # no such message
    [rules.tested]
    some = 'does:shell args:"go test"'     # at least one
    after = 'does:edit'                    # behind the last edit
    [rules.modest]
    max_errors = 5                         # in each session
    cost = "<=5"                           # in dollars; an unknown cost violates it
    secrets = 0                            # places with secrets
    loops = 0                              # as turns loops counts them
    end = "finished"
    sessions = 'agent:codex'               # only for these sessions

Further limits are max_calls, max_turns, max_messages, max_pending, max_denied, duration = "<10m" and tokens = "<1M" (output, as recorded). filter = '…' with min and max counts messages. unknown = "allow" lets unknown numbers pass. turns help rules has ten rules to copy.`

// secretPlaces returns the places with secrets for rules.
func secretPlaces(ctx context.Context, sel query.Selection) (places []many.SecretAt, err error) {
	found, err := export.Secrets(ctx, sel)
	for _, s := range found {
		places = append(places, many.SecretAt{Index: s.Index, Text: "secret (" + s.Rule + ") in the " + s.Where})
	}
	return places, err
}

// rulesTotal is the last line of check --rules in JSON.
type rulesTotal struct {
	Total      bool `json:"total"` // true: this is the last line
	Sessions   int  `json:"sessions"`
	Rules      int  `json:"rules"`
	Violations int  `json:"violations"`
}
