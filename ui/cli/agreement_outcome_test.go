package cli

import (
	"regexp"
	"strings"
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/runs"
	"turns/query/summary"
)

// TestOutcomesAreCountedAlike checks the common rule for counting calls: a tool's failure, a denial
// and an interruption are errors; a user's answer to the model's question is not, nor is a waiting
// call.
func TestOutcomesAreCountedAlike(t *testing.T) {
	for _, tt := range []struct {
		name, tool      string
		outcome         model.Outcome
		none            bool // without a result
		errors, pending int
	}{
		{name: "success", tool: "Bash", outcome: model.Success},
		{name: "nothing said", tool: "Bash"},
		{name: "a tool's failure", tool: "Bash", outcome: model.Failure, errors: 1},
		{name: "denied", tool: "Bash", outcome: model.Denied, errors: 1},
		{name: "interrupted", tool: "Bash", outcome: model.Stopped, errors: 1},
		{name: "cancelled", tool: "Bash", outcome: model.Cancelled, errors: 1},
		{name: "timed out", tool: "Bash", outcome: model.TimedOut, errors: 1},
		{name: "partly", tool: "Bash", outcome: model.Half},
		{name: "in the background", tool: "Bash", outcome: model.Background},
		{name: "waits", tool: "Bash", none: true, pending: 1},
		{name: "a human's answer", tool: "AskUserQuestion", outcome: model.Success},
		{name: "a human's refusal to answer", tool: "AskUserQuestion", outcome: model.Denied, errors: 1},
		{name: "a question that waits", tool: "AskUserQuestion", none: true, pending: 1},
	} {
		msgs := []model.Message{
			{Role: model.User, Blocks: []model.Content{{Kind: model.Words, Text: "do"}}},
			{Role: model.Assistant, Blocks: []model.Content{{Kind: model.ToolCall, ID: "a", Name: tt.tool, Text: "{}"}}},
		}
		if !tt.none {
			msgs = append(msgs, model.Message{Role: model.Tool, Blocks: []model.Content{{Kind: model.ToolResult, ID: "a", Text: "out", Outcome: tt.outcome}}})
		}
		snap, a := model.FromMessages(msgs), answered{}
		a.calls("the rule", 1, tt.errors, tt.pending)
		coverage := query.NewCoverage(query.Everything(snap))
		header := coverage.Count()
		a.calls("screen", header.Calls, header.Errors, header.Pending)
		var row model.Summary
		row.Count(snap.Call(0))
		a.calls("list", row.Calls, row.Errors, row.Pending)
		askAnswers(t.Context(), t, a, snap)
		askSigns(t, a, snap)
		a.differ(t, tt.name)
	}
}

// callSign matches the sign of a call in a list of calls.
var callSign = regexp.MustCompile(`(?m)^ +#\d.*? ([?✓✗⊘■◌½]) `)

// askSigns records the sign of the only call in each list of calls.
func askSigns(t *testing.T, a answered, snap *model.Snapshot) {
	sign := func(by, text string) {
		m := callSign.FindAllStringSubmatch(text, -1)
		if len(m) != 1 {
			t.Fatalf("%s has not one call:\n%s", by, text)
		}
		a.say("sign", by, m[0][1])
	}
	view := describe.NewView(query.Everything(snap), nil)
	call, err := query.NewPairs(snap).Read(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	line := describe.NewDescriber(snap.Session(call.Row.Msg)).Row(&call)
	a.say("sign", "show", line.Glyph())
	work, err := summary.WorkLog(t.Context(), view, query.NewTurnIndex(snap), summary.WorkLogOptions{})
	if err != nil {
		t.Fatal(err)
	}
	sign("log", work.Doc().String())
	var tools strings.Builder
	for d, err := range summary.ToolSummary(view.Selection, nil).Docs(t.Context(), false) {
		if err != nil {
			t.Fatal(err)
		}
		tools.WriteString(d.String())
	}
	sign("tools", tools.String())
	diff, err := runs.Diff(t.Context(), runs.DiffRun{Selection: view.Selection}, runs.DiffRun{Selection: view.Selection})
	if err != nil {
		t.Fatal(err)
	}
	a.say("sign", "diff", describe.OutcomeGlyph(diff.Rows[1].A.State))
	if partial := work.Entries[0].Outcome == summary.WorkPartial; partial != (call.Row.Outcome == model.Half) {
		t.Errorf("the log has %q for %v", work.Entries[0].Outcome, call.Row.Outcome)
	}
}
