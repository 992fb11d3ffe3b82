package cli

import (
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"turns/export/outfile"
	"turns/model"
	"turns/query"
	"turns/query/human"
	"turns/query/label"
	"turns/query/lang"
	"turns/query/many"
	"turns/query/session"
	"turns/query/summary"
	"turns/themes/tomlfile"
	"turns/ui/transcripts"
)

// rulesFile is a file of rules that is being read.
type rulesFile struct {
	path   string
	places map[string]tomlfile.Place
}

// readRules reads rules: a table for each, [rules.NAME].
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
	for name := range doc {
		if name != "rules" {
			return nil, f.mistake(name, fmt.Sprintf("unknown table %q; rules are tables [rules.NAME]", name))
		}
	}
	tables, ok := doc["rules"].(map[string]any)
	if !ok || len(tables) == 0 {
		return nil, hinted{fmt.Errorf("reading rules %q: there are none", path), "write [rules.\"no force push\"] and below it no = 'args:\"push --force\"'"}
	}
	var rules []many.Rule
	for name, v := range tables {
		table, ok := v.(map[string]any)
		if !ok {
			return nil, f.mistake("rules."+name, fmt.Sprintf("%q is not a table", name))
		}
		rule, err := f.rule(name, table)
		if err != nil {
			return nil, err
		}
		rules = append(rules, rule)
	}
	slices.SortFunc(rules, func(x, y many.Rule) int { // as they are written
		return f.at("rules."+x.Name).Line - f.at("rules."+y.Name).Line
	})
	return rules, nil
}

// at is the place of a key: places has names without their quotes and spaces.
func (f *rulesFile) at(key string) tomlfile.Place {
	return f.places[strings.NewReplacer(`"`, "", "'", "", " ", "", "\t", "").Replace(key)]
}

// mistake is an error with its line and column.
func (f *rulesFile) mistake(key, msg string) error {
	at := f.at(key)
	return fmt.Errorf("reading rules %q, line %d, column %d: %s", f.path, max(at.Line, 1), max(at.Col, 1), msg)
}

// limits are the numbers that a rule may bound with max_.
var limits = map[string]many.Number{
	"max_errors": many.Errors, "max_calls": many.Calls, "max_turns": many.Turns, "max_messages": many.Messages, "max_pending": many.Pending, "max_denied": many.Denied,
}

// compared are the numbers that a rule bounds as a filter does, and their keys there.
var compared = map[string]struct {
	key    string
	number many.Number
}{"cost": {"cost", 0}, "duration": {"dur", many.Took}, "tokens": {"tokens", many.Output}}

var ruleKeys = []string{
	"no", "some", "filter", "min", "max", "sessions", "end", "loops", "cost", "duration", "tokens",
	"max_errors", "max_calls", "max_turns", "max_messages", "max_pending", "max_denied",
}

// rule reads one rule.
func (f *rulesFile) rule(name string, table map[string]any) (r many.Rule, err error) {
	r.Name = name
	for key, v := range table {
		full := "rules." + name + "." + key
		if !slices.Contains(ruleKeys, key) {
			msg := fmt.Sprintf("unknown field %q", key)
			if near := tomlfile.Nearest(key, ruleKeys); near != "" {
				msg += fmt.Sprintf("; did you mean %q", near)
			}
			return r, f.mistake(full, msg)
		}
		if err := f.field(&r, table, key, v); err != nil {
			return r, f.mistake(full, fmt.Sprintf("%s: %v", key, err))
		}
	}
	if len(r.Messages)+len(r.Limits) == 0 && r.End == "" && r.Loops == nil {
		return r, f.mistake("rules."+name, fmt.Sprintf("the rule %q has no demand", name))
	}
	return r, nil
}

func (f *rulesFile) field(r *many.Rule, table map[string]any, key string, v any) (err error) {
	switch key {
	case "no", "some", "filter":
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
		d.Filter, err = filterText(v)
		r.Messages = append(r.Messages, d)
		return err
	case "min", "max":
		if table["filter"] == nil {
			return fmt.Errorf("it goes with filter = '…'")
		}
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
	if c, ok := compared[key]; ok {
		f, err := filterText(c.key + ":" + fmt.Sprint(v))
		if err != nil {
			return err
		}
		term, ok := f.Root().(*lang.Term)
		if !ok {
			return fmt.Errorf("%q is not a comparison such as \"<5\"", v)
		}
		r.Limits = append(r.Limits, many.Limit{Number: c.number, Cost: key == "cost", Term: term, Text: fmt.Sprint(v)})
		return nil
	}
	n, err := number(v, 0)
	r.Limits = append(r.Limits, many.Limit{Number: limits[key], Max: int64(n), Text: fmt.Sprint(v)})
	return err
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

// rulesHelp shows how to write rules.
const rulesHelp = `--rules checks sessions against rules instead, as a gate in CI. Rules are tables in TOML:

    [rules."no force push"]
    no = 'tool:Bash args:"push --force"'   # no such message
    [rules.tested]
    some = 'tool:Bash args:"go test"'      # at least one
    [rules.modest]
    max_errors = 5                         # in each session
    cost = "<5"                            # in dollars
    loops = 0                              # as turns loops counts them
    end = "finished"
    sessions = 'agent:codex'               # only for these sessions

Further limits are max_calls, max_turns, max_messages, max_pending, max_denied, duration = "<10m" and tokens = "<1M" (output, as recorded). filter = '…' with min and max counts messages.`

// gate is the result of checking sessions against rules.
type gate struct {
	rules []many.Rule
	found []many.Violation
	runs  int
}

// gateForms write it in the forms of checkForms.
var gateForms = map[string]func(*gate, io.Writer) error{
	"text": (*gate).text, "json": (*gate).json, "junit": (*gate).junit, "sarif": (*gate).sarif,
}

// checkRules checks many sessions against rules.
func (a *checkCommand) checkRules(ctx context.Context, names []string) error {
	write := gateForms[cmp.Or(a.to, map[bool]string{true: "json", false: "text"}[a.json])]
	a.asData = a.to != "" && a.to != "text"
	g := gate{}
	var err error
	if g.rules, err = readRules(a.rules); err != nil {
		return err
	}
	prices, err := a.prices()
	if err != nil {
		return err
	}
	c, err := a.crowd(ctx, names)
	if errors.Is(err, errNoSessions) {
		printError(a.Err, err)
		return no("")
	}
	if err != nil {
		return err
	}
	defer c.lib.Close()
	a.checkEach(ctx, c, g.rules, prices, func(r *checkedSession) {
		g.runs++
		g.found = append(g.found, r.violations...)
	})
	err = a.write(func(w io.Writer) error { return write(&g, w) })
	if err == nil && len(g.found) > 0 {
		err = no("")
	}
	if err = c.end(ctx, err); isNothing(err) {
		err = no(err.Error()) // a gate without sessions is shut
	}
	return err
}

// checkedSession is a session and the rules that it violates.
type checkedSession struct {
	path       string
	violations []many.Violation
}

// checkEach checks many sessions against rules, in order.
func (a *app) checkEach(ctx context.Context, c *crowd, rules []many.Rule, prices summary.PriceTable, take func(*checkedSession)) {
	said := a.labels()
	checker := many.Checker{Rules: rules, Ref: lang.TimeRef{Now: time.Now(), Loc: a.zone()}, Options: many.Options{Prices: prices}}
	checker.Said = func(ctx context.Context, s *model.Snapshot, path string) (*label.Here, error) {
		file, _ := transcripts.PartOf(path)
		return said.Find(ctx, s, file)
	}
	ofRuns(ctx, c, func(ctx context.Context, sel query.Selection, s *session.Session) ([]checkedSession, error) {
		found, err := checker.Check(ctx, sel, s)
		return []checkedSession{{s.Path, found}}, err
	}, take)
}

func (g *gate) text(w io.Writer) error {
	for i := range g.found {
		v := &g.found[i]
		place := model.CleanLine(v.Path)
		if v.Index >= 0 {
			place += fmt.Sprintf(" --at %d", v.Index)
		}
		if _, err := fmt.Fprintf(w, "%s: %s: %s\n", place, model.CleanLine(v.Rule), model.CleanLine(v.Message)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%s against %s: %s\n", human.Plural(g.runs, "session"), human.Plural(len(g.rules), "rule"), human.Plural(len(g.found), "violation"))
	return err
}

func (g *gate) json(w io.Writer) error {
	if err := writeJSONLines(w, slices.Values(g.found)); err != nil {
		return err
	}
	return writeJSONLine(w, rulesTotal{Total: true, Sessions: g.runs, Rules: len(g.rules), Violations: len(g.found)})
}

// rulesTotal is the last line of check --rules in JSON.
type rulesTotal struct {
	Total      bool `json:"total"` // true: this is the last line
	Sessions   int  `json:"sessions"`
	Rules      int  `json:"rules"`
	Violations int  `json:"violations"`
}

// junit has a test case for each rule, which fails if the rule is violated.
func (g *gate) junit(w io.Writer) error {
	type failure struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	type testCase struct {
		Name     string    `xml:"name,attr"`
		Class    string    `xml:"classname,attr"`
		Failures []failure `xml:"failure"`
	}
	type suite struct {
		XMLName  xml.Name   `xml:"testsuite"`
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Cases    []testCase `xml:"testcase"`
	}
	s := suite{Name: "turns check", Tests: len(g.rules)}
	for i := range g.rules {
		c := testCase{Name: model.CleanLine(g.rules[i].Name), Class: "turns.check"}
		for _, v := range g.found {
			if v.Rule == g.rules[i].Name {
				c.Failures = append(c.Failures, failure{model.CleanLine(v.Message), fmt.Sprintf("%s, message %d", model.CleanLine(v.Path), v.Index)})
			}
		}
		if len(c.Failures) > 0 {
			s.Failures++
		}
		s.Cases = append(s.Cases, c)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(s); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// sarif is SARIF 2.1.0. A message has no line in it: its number is a property.
func (g *gate) sarif(w io.Writer) error {
	type object = map[string]any
	rules, results := []object{}, []object{}
	for i := range g.rules {
		rules = append(rules, object{"id": g.rules[i].Name})
	}
	for _, v := range g.found {
		place := object{"physicalLocation": object{"artifactLocation": object{"uri": filepath.ToSlash(v.Path)}}}
		if v.Index >= 0 {
			place["logicalLocations"] = []object{{"name": fmt.Sprintf("message %d", v.Index)}}
		}
		results = append(results, object{
			"ruleId": v.Rule, "ruleIndex": slices.IndexFunc(g.rules, func(r many.Rule) bool { return r.Name == v.Rule }), "level": "error",
			"message": object{"text": v.Message}, "locations": []object{place}, "properties": object{"index": v.Index},
		})
	}
	return writeJSON(w, object{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []object{{"tool": object{"driver": object{"name": "turns", "rules": rules}}, "results": results}},
	})
}
