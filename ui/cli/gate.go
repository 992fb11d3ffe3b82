package cli

import (
	"encoding/xml"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"turns/model"
	"turns/query"
	"turns/query/human"
	"turns/query/many"
)

// gate is the result of checking sessions against rules.
type gate struct {
	rules []many.Rule
	found []many.Violation
	runs  int
	each  []many.Checked
}

// gateForms writes a gate in each of checkForms.
var gateForms = map[string]func(*gate, io.Writer) error{
	"text": (*gate).text, "json": (*gate).json, "junit": (*gate).junit, "sarif": (*gate).sarif,
}

func (g *gate) text(w io.Writer) error {
	for i := range g.found {
		v := &g.found[i]
		if _, err := fmt.Fprintf(w, "%s: %s: %s\n", violationPlace(v), model.CleanLine(v.Rule), model.CleanLine(v.Message)); err != nil {
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

// sarif writes SARIF 2.1.0. It has no line numbers for messages: the message number is a property.
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
	return query.WriteJSON(w, object{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []object{{"tool": object{"driver": object{"name": "turns", "rules": rules}}, "results": results}},
	})
}

// A JUnit report has a suite per session, with a case for each rule that applies to the session.
// Consumers show one failure per case, so further violations are lines of its text.
type (
	junitReport struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Failure *junitFailure `xml:"failure"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

func (g *gate) junit(w io.Writer) error {
	report := junitReport{Name: "turns check"}
	for i := range g.each {
		s := g.junitSuite(&g.each[i])
		report.Suites = append(report.Suites, s)
		report.Tests += s.Tests
		report.Failures += s.Failures
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(report); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (g *gate) junitSuite(checked *many.Checked) junitSuite {
	path := model.CleanLine(checked.Path)
	s := junitSuite{Name: path}
	for i := range g.rules {
		if !checked.Applied[i] {
			continue
		}
		c := junitCase{Name: model.CleanLine(g.rules[i].Name), Class: path}
		var lines []string
		for _, v := range checked.Violations {
			if v.Rule == g.rules[i].Name {
				lines = append(lines, violationPlace(&v)+": "+model.CleanLine(v.Message))
			}
		}
		if len(lines) > 0 {
			first := strings.TrimPrefix(lines[0], path+": ")
			if len(lines) > 1 {
				first += fmt.Sprintf(" (and %s)", human.Plural(len(lines)-1, "more violation"))
			}
			c.Failure = &junitFailure{first, strings.Join(lines, "\n")}
			s.Failures++
		}
		s.Cases = append(s.Cases, c)
	}
	s.Tests = len(s.Cases)
	return s
}

// violationPlace returns the place of a violation as an argument for the command line.
func violationPlace(v *many.Violation) string {
	place := model.CleanLine(v.Path)
	if v.Index >= 0 {
		place += fmt.Sprintf(" --at %d", v.Index)
	}
	return place
}
