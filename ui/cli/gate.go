package cli

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"turns/model"
	"turns/query"
	"turns/query/human"
	"turns/query/label"
	"turns/query/lang"
	"turns/query/many"
	"turns/query/session"
	"turns/ui/library"
)

// gate is what runs were held against rules.
type gate struct {
	rules []many.Rule
	found []many.Violation
	runs  int
}

// gateForms are the forms in which it is written.
var gateForms = map[string]func(*gate, io.Writer) error{
	"text": (*gate).text, "json": (*gate).json, "junit": (*gate).junit, "sarif": (*gate).sarif,
}

// checkRules holds many runs against rules; the exit code is 1 where one is not kept.
func (a *app) checkRules(ctx context.Context, names []string, path, as string) error {
	write, ok := gateForms[as]
	if !ok {
		return hinted{fmt.Errorf("no such form of the answer: %q", as), "--as takes text, json, junit or sarif"}
	}
	g := gate{}
	var err error
	if g.rules, err = readRules(path); err != nil {
		return err
	}
	prices, err := a.prices(nil)
	if err != nil {
		return err
	}
	c, err := a.crowd(ctx, names)
	if err != nil {
		return err
	}
	defer c.lib.Close()
	said := a.labels()
	checker := many.Checker{Rules: g.rules, Ref: lang.TimeRef{Now: time.Now(), Loc: a.zone()}, Options: many.Options{Prices: prices}}
	checker.Said = func(ctx context.Context, s *model.Snapshot, path string) (*label.Here, error) {
		file, _ := library.PartOf(path)
		return said.Find(ctx, s, file)
	}
	type checkedRun struct{ violations []many.Violation }
	ofRuns(ctx, c, func(ctx context.Context, sel query.Selection, s *session.Session) ([]checkedRun, error) {
		found, err := checker.Check(ctx, sel, s)
		return []checkedRun{{found}}, err
	}, func(r *checkedRun) {
		g.runs++
		g.found = append(g.found, r.violations...)
	})
	err = a.write(func(w io.Writer) error { return write(&g, w) })
	if err == nil && len(g.found) > 0 {
		err = errNoMatch // exit code 1
	}
	return c.end(ctx, err)
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
	_, err := fmt.Fprintf(w, "%s against %s: %s\n", human.Plural(g.runs, "run"), human.Plural(len(g.rules), "rule"), human.Plural(len(g.found), "violation"))
	return err
}

func (g *gate) json(w io.Writer) error {
	for i := range g.found {
		if err := writeJSONLine(w, &g.found[i]); err != nil {
			return err
		}
	}
	return writeJSONLine(w, map[string]any{"total": true, "runs": g.runs, "rules": len(g.rules), "violations": len(g.found)})
}

// junit has a test case for each rule, which fails where it is not kept.
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

// sarif is SARIF 2.1.0. A message has no line there: its number is a property.
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
