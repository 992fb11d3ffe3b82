package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"turns/export"
	"turns/export/people"
	exportshape "turns/export/shape"
	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/summary"
)

// askRows compares the roles, calls and results in the rows of a CSV with those in the messages of
// a JSON export, with the tool of each, and the failed results. JSON contains recorded messages
// unchanged: a note counts the failures without a field.
func askRows(t *testing.T, a answered, sel query.Selection) {
	t.Helper()
	view := describe.NewView(sel, nil)
	var table, list bytes.Buffer
	if _, err := people.WriteCSV(t.Context(), &table, view, export.Options{Columns: []string{"outcome"}}); err != nil {
		t.Fatal(err)
	}
	report, err := exportshape.WriteJSONL(t.Context(), &list, view, export.Options{})
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]exportedRows{"csv": csvRows(t, &table), "json": jsonRows(t, &list)}
	for who, rows := range of {
		a.say("calls by row", who, rows.calls.anyOrder())
		a.say("results by row", who, rows.results.anyOrder())
		a.say("roles by row", who, rows.roles.anyOrder())
	}
	noted := 0
	for _, note := range report.Notes {
		if strings.Contains(note, "without is_error") {
			if _, err := fmt.Sscan(note, &noted); err != nil {
				t.Fatal(note, err)
			}
		}
	}
	if noted > 0 { // the note has their number
		a.say("failed results", "csv", len(of["csv"].failed))
		a.say("failed results", "json", len(of["json"].failed)+noted)
		return
	}
	for who, rows := range of {
		a.say("failed results by row", who, rows.failed.anyOrder())
	}
}

// exportedRows are the tools of the calls, results and failed results of an export.
type exportedRows struct{ calls, results, failed, roles toolNames }

type toolNames []string

// anyOrder returns the tools in an order that does not depend on the export.
func (t toolNames) anyOrder() string {
	slices.Sort(t)
	return strings.Join(t, ", ")
}

func (r *exportedRows) result(tool string, failed bool) {
	r.results = append(r.results, tool)
	if failed {
		r.failed = append(r.failed, tool)
	}
}

func csvRows(t *testing.T, text *bytes.Buffer) (out exportedRows) {
	rows, err := csv.NewReader(text).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	failed := map[string]bool{}
	for o := model.Unknown; o <= model.Background; o++ {
		failed[o.String()] = o.Failed()
	}
	of := map[[2]string]bool{} // messages and their roles
	for _, row := range rows[1:] {
		if key := [2]string(row[:2]); row[1] != model.Tool.String() && !of[key] {
			out.roles, of[key] = append(out.roles, row[1]), true
		}
		switch role, tool, outcome := row[1], row[3], row[6]; {
		case role == model.Tool.String():
			out.result(tool, failed[outcome])
		case tool != "":
			out.calls = append(out.calls, tool)
		}
	}
	return out
}

// inventedID matches the ids that JSON exports invent for calls without one.
var inventedID = regexp.MustCompile(`^call_\d+_\d+$`)

func jsonRows(t *testing.T, text *bytes.Buffer) (out exportedRows) {
	type made struct{ session, id, tool string }
	var open []made // calls without a result so far
	names := map[made]string{}
	type element struct{ of, role string }
	parts := map[element]bool{}
	for line := range bytes.Lines(text.Bytes()) {
		type function struct{ Name string }
		var m struct {
			Role, Name string
			ID         string   `json:"tool_call_id"`
			Failed     bool     `json:"is_error"`
			Former     function `json:"function_call"`
			Calls      []struct {
				ID       string
				Function function
			} `json:"tool_calls"`
			Added struct {
				Session string
				Part    string `json:"part_of"`
			} `json:"_turns"`
		}
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatal(err)
		}
		of := m.Added.Session
		for _, c := range m.Calls {
			if tool := c.Function.Name; tool != "" {
				open, out.calls, names[made{of, c.ID, ""}] = append(open, made{of, c.ID, tool}), append(out.calls, tool), tool
			}
		}
		if m.Former.Name != "" {
			out.calls = append(out.calls, m.Former.Name)
		}
		if m.Role != model.Tool.String() && m.Role != "function" {
			if part := (element{m.Added.Part, m.Role}); part.of == "" || !parts[part] { // an element of a message
				out.roles, parts[part] = append(out.roles, m.Role), true
			}
			continue
		}
		// the call names the tool: the first one without a result that has the id, or one
		// without a recorded id if the result has none; of further results, the last one with the
		// id
		i := slices.IndexFunc(open, func(c made) bool {
			return c.session == of && (c.id == m.ID || m.ID == "" && m.Name == "" && inventedID.MatchString(c.id))
		})
		switch name := names[made{of, m.ID, ""}]; {
		case i >= 0:
			m.Name = open[i].tool
			open = slices.Delete(open, i, i+1)
		case name != "":
			m.Name = name
		}
		out.result(m.Name, m.Failed)
	}
	return out
}

// shownRow matches a row with a call or result in the lines of show: its sign, its first word, and
// the label of a result without a call row.
var shownRow = regexp.MustCompile(`(?m)^.{16}([?✓✗⊘■◌½]) (\S+)(?: +(result without a call|the same result again|another result)\b)?`)

// askShow records the failures, the calls without a result, the results without a call and the
// repeated results as show draws them. It draws scripts, copied calls and those of other branches
// too, which stats counts apart.
func askShow(t *testing.T, a answered, sel query.Selection, stats *summary.StatsAnswer) {
	var b bytes.Buffer
	view := describe.NewView(sel, nil)
	l := lister{w: &b, res: view, read: query.NewPairs(view.Snap), zone: time.UTC}
	if err := l.all(t.Context()); err != nil {
		t.Fatal(err)
	}
	failed, pending, orphans := 0, 0, 0
	for _, row := range shownRow.FindAllStringSubmatch(b.String(), -1) {
		switch {
		case row[2] == model.Assistant.String() || row[2] == "unreadable":
			continue
		case strings.Contains("✗⊘■", row[1]):
			failed++
		case row[1] == "◌":
			pending++
		}
		if row[3] != "" {
			orphans++
		}
	}
	a.say("failures drawn", "show", failed)
	a.say("failures drawn", "stats", stats.ToolErrors+stats.Scripts.Errors+stats.Inherited.Errors+stats.Branches.Errors)
	a.say("pending drawn", "show", pending)
	a.say("pending drawn", "stats", stats.PendingCalls)
	a.say("orphans drawn", "show", orphans)
	a.say("orphans drawn", "stats", stats.OrphanResults)
}
