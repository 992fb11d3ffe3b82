package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"turns/export"
	"turns/export/walk"
	"turns/model"
	"turns/model/load"
	"turns/model/modeltest"
	"turns/query"
	"turns/query/describe"
	"turns/query/filter"
	"turns/query/lang"
	"turns/query/runs"
	"turns/query/summary"
)

var askedFilters = []string{
	"has:image", "has:reasoning", "is:error", "-is:error", "role:tool", "role:assistant", "role:user", "tool:Read", "tool:re*", "role:tool tool:Read", "outcome:ok",
	"outcome:failed", "is:denied", "the", "is:pending", "has:file", "is:injected", "text:a", "reasoning:a", "args:a", "result:e", "-has:image", "is:compacted",
}

// TestFilterMeansOneThing: the messages counted by a filter are those shown, an export of the view
// contains the same, and every answer about the view counts the same.
func TestFilterMeansOneThing(t *testing.T) {
	n := 0
	for _, path := range transcriptFiles(t, "../../testdata/formats") {
		if !modeltest.SomeNamed(path, 1) {
			continue
		}
		withSnapshot(t, path, func(snap *model.Snapshot) {
			for _, query := range askedFilters {
				if n++; modeltest.Some(n, 3) || testing.Short() {
					filtered(t, path, query, snap)
				}
			}
		})
	}
}

// withSnapshot opens a transcript; it skips other files and empty ones.
func withSnapshot(t *testing.T, path string, f func(*model.Snapshot)) {
	ctx := t.Context()
	c, err := load.Open(ctx, path, load.Options{Workers: 1})
	if err != nil {
		return
	}
	defer c.Close()
	if snap, err := c.Load(ctx); err == nil && snap.Len() > 0 {
		f(snap)
	}
}

func filtered(t *testing.T, path, text string, snap *model.Snapshot) {
	ctx := t.Context()
	f, err := lang.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	r, err := filter.Apply(ctx, query.Everything(snap), f, filter.Env{})
	if err == nil {
		err = describe.CountRows(ctx, snap, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	view := describe.NewView(r.Selection(snap), &r)
	shown, calls := drawnRows(t, view)
	a := answered{}
	a.say("rows", "the bar", r.Rows)
	a.say("rows", "show", shown)
	a.say("calls and results", "the filter", calls)
	a.say("calls and results", "exports", exported(t, view))
	askCounts(ctx, t, a, view)
	a.differ(t, path+" "+text)
}

// drawnRows returns the number of printed rows, and of those about calls.
func drawnRows(t *testing.T, view describe.View) (rows, calls int) {
	var b bytes.Buffer
	l := lister{w: &b, res: view, read: query.NewPairs(view.Snap), zone: time.UTC}
	if err := l.all(t.Context()); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if !strings.HasPrefix(line, "──") && !strings.HasPrefix(line, "━━") {
			rows++
		}
	}
	for id := range view.Snap.CallCount() {
		if view.ShowsCall(model.CallID(id)) {
			calls++
		}
	}
	return rows, calls
}

// exported counts the calls, and the results without one, in exports for people.
func exported(t *testing.T, view describe.View) (calls int) {
	err := walk.New(view, &export.Options{}).Each(t.Context(), func(s *walk.Paired) error {
		for _, list := range [...]map[int]*walk.Call{s.Calls, s.Results} {
			for _, c := range list {
				if c.Known {
					calls++
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return calls
}

// askCounts records the calls and messages counted by every answer about a selection.
func askCounts(ctx context.Context, t *testing.T, a answered, view describe.View) {
	stats, err := summary.Stats(ctx, view.Selection, nil)
	if err != nil {
		t.Fatal(err)
	}
	a.calls("stats", stats.ToolCalls, stats.ToolErrors, stats.PendingCalls)
	calls, errors, pending := summary.ToolSummary(view.Selection, nil).Counted()
	a.calls("tools", calls, errors, pending)
	turns := query.NewTurnIndex(view.Snap)
	calls, errors, pending = 0, 0, 0
	for _, turn := range summary.Turns(view.Selection, turns).Turns {
		calls, errors, pending = calls+turn.Calls+turn.AgentCalls, errors+turn.Errors+turn.AgentErrs, pending+turn.Pending+turn.AgentPend
	}
	a.calls("timeline", calls, errors, pending)
	log, err := summary.WorkLog(ctx, view, turns, summary.WorkLogOptions{})
	if err != nil {
		t.Fatal(err)
	}
	a.calls("log", log.Len()-log.Copied-log.Orphans-scriptsOf(log), log.Failure, log.Pending)
	infos, err := runs.NewRunInfos(ctx, "", runs.DiffRun{Selection: view.Selection, Turns: turns})
	if err != nil {
		t.Fatal(err)
	}
	sum := query.CallCount{}
	for i := range infos {
		sum.Calls, sum.Errors = sum.Calls+infos[i].Totals.Calls, sum.Errors+infos[i].Totals.Errors
	}
	if view.Whole() { // it compares entire messages
		a.say("calls", "diff", sum.Calls)
		a.say("errors", "diff", sum.Errors)
	}
}

// TestCompactedIsFound: is:compacted finds the messages that the rule of a compaction and the
// context count as replaced.
func TestCompactedIsFound(t *testing.T) {
	_, out, errs := run(t, "", "filter", "is:compacted", "../../testdata/formats/claude-code/session.jsonl")
	if !strings.Contains(out, "22 of 33 messages") { // 21, and a failed request among them
		t.Errorf("%q, %q", out, errs)
	}
}
