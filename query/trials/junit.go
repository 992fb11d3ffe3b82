package trials

import (
	"encoding/xml"
	"io"
	"strconv"

	"turns/model"
)

// junitSuites is a report in JUnit's XML: a suite for each configuration, a case for each trial. A
// trial without a verdict is skipped, not failed.
type junitSuites struct {
	XMLName  xml.Name `xml:"testsuites"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Skipped  int      `xml:"skipped,attr"`
	Suites   []junitSuite
}

type junitSuite struct {
	XMLName  xml.Name `xml:"testsuite"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Skipped  int      `xml:"skipped,attr"`
	Cases    []junitCase
}

type junitCase struct {
	XMLName xml.Name      `xml:"testcase"`
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Time    string        `xml:"time,attr,omitempty"` // seconds
	Failure *junitMessage `xml:"failure"`
	Skipped *junitMessage `xml:"skipped"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes the trials as JUnit XML.
func (a *Answer) WriteJUnit(w io.Writer) error {
	out := junitSuites{}
	for i := range a.Configurations {
		s := junitSuite{Name: model.CleanLine(configName(a.Configurations[i].Name))}
		for j := range a.Tasks {
			for n, at := range a.Tasks[j].Cells[i].Trials {
				s.add(a.Tasks[j].Name, n, &a.Trials[at])
			}
		}
		out.Tests, out.Failures, out.Skipped = out.Tests+s.Tests, out.Failures+s.Failures, out.Skipped+s.Skipped
		out.Suites = append(out.Suites, s)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(out); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (s *junitSuite) add(task string, n int, t *Trial) {
	name := string(t.Trial)
	if name == "" {
		name = strconv.Itoa(n + 1)
	}
	c := junitCase{Class: model.CleanLine(task), Name: "trial " + model.CleanLine(name)}
	if v, ok := t.Get(Seconds); ok {
		c.Time = strconv.FormatFloat(v, 'f', 3, 64)
	}
	where := &junitMessage{Message: t.Verdict.String(), Text: model.CleanLine(t.Path)}
	switch s.Tests++; t.Verdict {
	case Passed:
	case Failed:
		c.Failure = where
		if s.Failures++; t.Score != nil {
			where.Message = "score " + strconv.FormatFloat(*t.Score, 'g', -1, 64)
		}
	default:
		s.Skipped++
		c.Skipped = where
	}
	s.Cases = append(s.Cases, c)
}
