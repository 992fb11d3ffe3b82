package cli

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"turns/model"
	"turns/query/human"
	"turns/query/many"
)

// A report in JUnit has a suite for each session, and in it a case for each rule that applies to
// the session. Consumers show one failure a case: further violations are lines of its text.
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

// violationPlace is the place of a violation as the command line takes it.
func violationPlace(v *many.Violation) string {
	place := model.CleanLine(v.Path)
	if v.Index >= 0 {
		place += fmt.Sprintf(" --at %d", v.Index)
	}
	return place
}
