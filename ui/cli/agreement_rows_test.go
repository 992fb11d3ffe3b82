package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
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
)

// askRows compares the calls and results in the rows of a CSV with those in the messages of a JSON
// export, each with its tool, and the failed ones. JSON keeps recorded messages as they were: one
// without the fields that turns adds has no failure that turns concludes from its text, and each of
// several results of a call has its recorded status, not the outcome of the call.
func askRows(t *testing.T, a answered, sel query.Selection) {
	t.Helper()
	view := describe.NewView(sel, nil)
	var table, list bytes.Buffer
	if _, err := people.WriteCSV(t.Context(), &table, view, export.Options{Columns: []string{"outcome"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := exportshape.WriteJSONL(t.Context(), &list, view, export.Options{}); err != nil {
		t.Fatal(err)
	}
	added := bytes.Contains(list.Bytes(), []byte(`"_turns"`)) && !bytes.Contains(list.Bytes(), []byte(`"again"`)) && !bytes.Contains(list.Bytes(), []byte(`"function_call"`))
	for who, rows := range map[string]exportedRows{"csv": csvRows(t, &table), "json": jsonRows(t, &list)} {
		a.say("calls by row", who, rows.calls.anyOrder())
		a.say("results by row", who, rows.results.anyOrder())
		if added {
			a.say("failed results by row", who, rows.failed.anyOrder())
		}
	}
}

// exportedRows are the tools of the calls, results and failed results of an export.
type exportedRows struct{ calls, results, failed toolNames }

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
	for _, row := range rows[1:] {
		switch role, tool, outcome := row[1], row[3], row[6]; {
		case role == model.Tool.String():
			out.result(tool, failed[outcome])
		case tool != "":
			out.calls = append(out.calls, tool)
		}
	}
	return out
}

// inventedID matches the ids that JSON exports give to calls without one.
var inventedID = regexp.MustCompile(`^call_\d+_\d+$`)

func jsonRows(t *testing.T, text *bytes.Buffer) (out exportedRows) {
	type made struct{ session, id, tool string }
	var open []made // calls without a result so far
	names := map[made]string{}
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
			Added struct{ Session string } `json:"_turns"`
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

// shownOrphans matches the results without a call in the lines of show.
var shownOrphans = regexp.MustCompile(`(?m)^.{16}\? .* result without a call`)

// askShow records the results without a call as show draws them.
func askShow(t *testing.T, a answered, sel query.Selection) {
	var b bytes.Buffer
	view := describe.NewView(sel, nil)
	l := lister{w: &b, res: view, read: query.NewPairs(view.Snap), zone: time.UTC}
	if err := l.all(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.say("orphans", "show", len(shownOrphans.FindAllString(b.String(), -1)))
}
