package many

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"turns/model"
	"turns/model/modeltest"
	"turns/query"
	"turns/query/answer"
	"turns/query/label"
	"turns/query/lang"
	"turns/query/querytest"
	"turns/query/session"
	"turns/query/summary"
)

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	modeltest.Golden(t, path, got)
}

// circles returns a run that repeats a call, then calls a tool of a server that fails.
func circles() []model.Message {
	say, call, tool := querytest.Message, querytest.Call, querytest.Tool
	msgs := []model.Message{say(model.User, "Look at issue 7")}
	for i := range 3 {
		id := fmt.Sprint("b", i)
		msgs = append(msgs, querytest.Null(model.Assistant, call(id, "Bash", `{"command":"ls"}`)), tool(querytest.Result(id, "a\nb")))
	}
	for i := range 3 {
		id := fmt.Sprint("m", i)
		c := call(id, "mcp__github__get_issue", fmt.Sprintf(`{"number":%d}`, i))
		r := querytest.Failed(id, fmt.Sprintf("no issue %d in /srv/repo/a.git", i))
		r.Took = time.Duration(i+1) * time.Second
		msgs = append(msgs, querytest.Null(model.Assistant, c), tool(r))
	}
	for i := range msgs {
		msgs[i].Time = querytest.T0 + int64(i)*1000
	}
	return msgs
}

type told struct {
	sel query.Selection
	of  session.Session
}

func runsTold() []told {
	now := time.UnixMilli(querytest.T0 + 1000_000).UTC()
	row := func(s model.Summary, msgs []model.Message) told {
		return told{query.Everything(model.FromMessages(msgs)), session.Of(s, now)}
	}
	list := []told{
		row(model.Summary{Path: "/w/a.jsonl", Agent: "Claude Code", Project: "/w/app", Started: querytest.T0, Last: querytest.T0 + 92_000}, querytest.Run()),
		row(model.Summary{Path: "/w/b.jsonl", Agent: "Codex", Project: "/w/app", Started: querytest.T0, Last: querytest.T0 + 12_000,
			Ending: model.Ending{State: model.RunFailed}}, circles()),
		row(model.Summary{Path: "/w/c.jsonl"}, nil),
	}
	list[1].of.Labels = []label.Mark{{Kind: label.Label, Name: "loop"}, {Kind: label.Verdict, Name: label.Bad}}
	return list
}

// TestAnswersOverRuns: the sums of runs for each way of grouping. If each run is in a group, the
// groups add up to the total.
func TestAnswersOverRuns(t *testing.T) {
	var out strings.Builder
	for _, name := range Names() {
		by, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		a := NewAnswer(by, time.UTC)
		for _, r := range runsTold() {
			run, err := NewRun(t.Context(), r.sel, r.of, Options{Counter: querytest.WordCounter()})
			if err != nil {
				t.Fatal(err)
			}
			a.Add(run)
		}
		if _, err := a.Sort("tool_calls", 0); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "== %s: %s\n", name, a)
		out.WriteString(a.Doc(Shapes()["tools"].Columns).String())
		for _, g := range a.Groups {
			fmt.Fprintf(&out, "%s ", a.Term(g))
		}
		fmt.Fprintln(&out)
		if name != "mcp-server" && name != "label" && name != "cause" { // not every run or call is in these groups
			var calls, errors int64
			for _, g := range a.Groups {
				calls, errors = calls+g.N[Calls], errors+g.N[Errors]
			}
			if calls != a.All.N[Calls] || errors != a.All.N[Errors] {
				t.Errorf("by %s there are %d calls and %d errors, not %d and %d", name, calls, errors, a.All.N[Calls], a.All.N[Errors])
			}
		}
		if name == "project" {
			fmt.Fprint(&out, "all columns\n", a.Doc(columnNames()).String())
			text, _ := json.MarshalIndent(a.JSON(), "", " ")
			fmt.Fprintf(&out, "%s\n", text)
		}
	}
	golden(t, "answers.txt", out.String())
}

// TestOrderOfGroups: the largest come first, groups without a number are omitted, and an error
// about an unknown name lists the known ones.
func TestOrderOfGroups(t *testing.T) {
	a := NewAnswer(By{}, time.UTC)
	a.Groups = []*Group{{Key: "b"}, {Key: "c"}, {Key: "a"}}
	a.Groups[1].Add(Calls, 7)
	if left, err := a.Sort("calls", 2); err != nil || left != 1 || a.Groups[0].Key != "c" || a.Groups[1].Key != "a" {
		t.Errorf("%d left out, %v, first %+v", left, err, a.Groups[0])
	}
	if a.Keep(Calls); len(a.Groups) != 1 || a.Groups[0].Key != "c" {
		t.Errorf("%d groups have calls", len(a.Groups))
	}
	a.By.Name = "label"
	for key, want := range map[string]string{"#loop": "label:loop", "good": "verdict:good", "bad": "verdict:bad", "quality=": ""} {
		if got := a.Term(&Group{Key: key}); got != want {
			t.Errorf("the sessions with %s are found by %q, want %q", key, got, want)
		}
	}
	if _, err := a.Sort("speed", 0); err == nil || !strings.Contains(err.Error(), `no column "speed" to sort by; known are key, sessions`) {
		t.Error(err)
	}
	if _, err := Find("moon"); err == nil || !strings.Contains(err.Error(), `"moon"; known are tool, mcp-server`) {
		t.Error(err)
	}
	if got := a.Columns([]string{"runs", "nothing", "cost"}, "cost"); len(got) != 3 || got[2].JSON != "usd" || got[2].Drop != 0 {
		t.Errorf("columns %+v", got)
	}
}

// TestFailuresAndLoops: the failures and loops of each run, including one with a loop.
func TestFailuresAndLoops(t *testing.T) {
	var out strings.Builder
	for _, r := range runsTold() {
		groups := NewGroups("failure")
		failures, err := Failures(t.Context(), r.sel, &r.of)
		if err != nil {
			t.Fatal(err)
		}
		for i := range failures {
			groups.Add(&failures[i])
		}
		for _, before := range []*Groups{nil, NewGroups("failure")} {
			fresh := groups.Finish(before)
			fmt.Fprintf(&out, "== failures of %s, %d new\n", r.of.Path, fresh)
			out.WriteString(groups.Doc(time.UTC).String())
		}
		loops, err := Loops(t.Context(), r.sel, r.of.Path)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "== loops of %s\n", r.of.Path)
		out.WriteString(LoopsDoc(loops).String())
	}
	golden(t, "failures.txt", out.String())
}

// TestLabelsAreGrouped: the labels of a run and of its messages are grouped like failures.
func TestLabelsAreGrouped(t *testing.T) {
	r := runsTold()[1]
	said := func(id model.ID, m label.Mark) label.Placed {
		return label.Placed{Line: label.Line{ID: m.Name, Mark: m}, ID: id, Call: model.CallID(model.NoRow)}
	}
	loop := label.Mark{Kind: label.Label, Name: "loop"}
	here := label.NewHere(r.sel.Snap, []label.Placed{said(model.NoID, loop), said(3, loop), said(11, label.Mark{Kind: label.Score, Name: "q", Value: "2"})})
	r.sel.IDs = r.sel.IDs[:6]
	groups := NewGroups("label")
	list := Labels(r.sel, &r.of, here)
	for i := range list {
		groups.Add(&list[i])
	}
	groups.Finish(nil)
	if len(groups.List) != 1 || groups.List[0].Kind != "#loop" || groups.List[0].Count != 2 || groups.List[0].Examples[0].Index != -1 || groups.List[0].Examples[1].Index != 3 {
		t.Errorf("%+v", groups.List)
	}
	r.sel.IDs = nil
	if len(Labels(r.sel, &r.of, here)) > 0 {
		t.Error("no messages have an answer")
	}
}

// TestRules: the violations of a run, one rule at a time.
func TestRules(t *testing.T) {
	filterOf := func(src string) *lang.Filter {
		f, err := lang.Parse(src)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	term := func(src string) *lang.Term {
		for term := range filterOf(src).Terms {
			return term
		}
		return nil
	}
	none, one, two := 0, 1, 2
	r := runsTold()[1]
	c := Checker{Ref: lang.TimeRef{Now: time.UnixMilli(querytest.T0), Loc: time.UTC}, Options: Options{Counter: querytest.WordCounter()}}
	c.Secrets = func(context.Context, query.Selection) ([]SecretAt, error) {
		return []SecretAt{{3, "a key in the result"}}, nil
	}
	c.LabelsOf = func(context.Context, *model.Snapshot, string) (*label.Here, error) {
		return nil, fmt.Errorf("no labels here")
	}
	for _, x := range []struct {
		rule Rule
		want string
	}{
		{Rule{Messages: []Demand{{Filter: filterOf("tool:Bash")}}}, "1: there should be no tool:Bash; 3: there should be no tool:Bash; 5: there should be no tool:Bash"},
		{Rule{Messages: []Demand{{Filter: filterOf("tool:Bash"), Max: 2}}}, "5: 3 messages of tool:Bash, and the limit is 2"},
		{Rule{Messages: []Demand{{Filter: filterOf("tool:Bash"), Min: 4, Max: -1}}}, "-1: 3 messages of tool:Bash, and there should be 4"},
		{Rule{Messages: []Demand{{Filter: filterOf("tool:Bash"), Min: 3, Max: 3}}}, ""},
		{Rule{Messages: []Demand{{Filter: filterOf("label:x")}}}, "error no labels here"},
		{Rule{Sessions: filterOf("agent:claude*"), Loops: &none}, ""},
		{Rule{Sessions: filterOf("agent:codex"), Loops: &none}, "1: repeat, 3 times: Bash ls; 7: retry, 3 times: get_issue github: number=0"},
		{Rule{Loops: &two}, ""},
		{Rule{End: "finished"}, "-1: the session ended failed; the rule wants finished"},
		{Rule{End: "failed"}, ""},
		{Rule{Limits: []Limit{{Number: Errors, Max: 2, Text: "2"}}}, "-1: 3 errors, and the limit is 2"},
		{Rule{Limits: []Limit{{Number: Errors, Max: 3, Text: "3"}}}, ""},
		{Rule{Limits: []Limit{{Number: Took, Term: term("dur:<5s"), Text: "<5s"}}}, "-1: it took 12.0s, and the limit is <5s"},
		{Rule{Limits: []Limit{{Number: Output, Term: term("tokens:>1"), Text: ">1"}}}, "-1: its output tokens are not known, and the limit is >1 (unknown = \"allow\" lets it pass)"},
		{Rule{Limits: []Limit{{Cost: true, Term: term("cost:<1"), Text: "<1"}}}, "-1: its cost is not known, and the limit is <1 (unknown = \"allow\" lets it pass)"},
		{Rule{Unknown: true, Limits: []Limit{{Cost: true, Term: term("cost:<1"), Text: "<1"}, {Number: Output, Term: term("tokens:<1"), Text: "<1"}}}, ""},
		{Rule{Messages: []Demand{{Filter: filterOf("tool:Bash"), Min: 1, Max: -1, After: filterOf("index:3")}}}, ""},
		{Rule{Messages: []Demand{{Filter: filterOf("tool:Bash"), Min: 1, Max: -1, After: filterOf("index:5")}}},
			"-1: 0 messages of tool:Bash after the last index:5 (message 5), and there should be 1"},
		{Rule{Messages: []Demand{{Filter: filterOf("tool:Bash"), After: filterOf("index:3")}}}, "5: there should be no tool:Bash after the last index:3 (message 3)"},
		{Rule{Messages: []Demand{{Filter: filterOf("tool:Bash"), Before: filterOf("index:3")}}}, "1: there should be no tool:Bash before the first index:3 (message 3)"},
		{Rule{Messages: []Demand{{Filter: filterOf("tool:Bash"), Min: 1, Max: -1, After: filterOf("tool:nothing")}}}, ""},
		{Rule{Messages: []Demand{{Filter: filterOf("does:shell"), Max: 2}}}, "5: 3 messages of does:shell, and the limit is 2"},
		{Rule{Secrets: &none}, "3: a key in the result"},
		{Rule{Secrets: &one}, ""},
		{Rule{Secrets: &two}, ""},
	} {
		c.Rules = []Rule{x.rule}
		checked, err := c.Check(t.Context(), r.sel, &r.of)
		var got []string
		for _, v := range checked.Violations {
			got = append(got, fmt.Sprintf("%d: %s", v.Index, v.Message))
		}
		if err != nil {
			got = append(got, "error "+err.Error())
		}
		if checked.Applied[0] != (x.rule.Sessions == nil || x.want != "") {
			t.Errorf("%+v applies: %v", x.rule, checked.Applied)
		}
		if s := strings.Join(got, "; "); s != x.want {
			t.Errorf("%+v\n got %s\nwant %s", x.rule, s, x.want)
		}
	}
}

// TestMissingOutput: if an agent recorded a placeholder as the output, the turns, the requests and
// the sums have the estimate of the statistics.
func TestMissingOutput(t *testing.T) {
	long := querytest.Message(model.Assistant, strings.Repeat("word ", 400))
	long.Usage, long.Model = &model.Usage{Input: 9, CacheRead: -1, CacheWrite: -1, Output: 1, Reasoning: -1}, "claude"
	sel := query.Everything(model.FromMessages([]model.Message{querytest.Message(model.User, "Go on"), long}))
	stats, err := summary.Stats(t.Context(), sel, nil)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := stats.OutputText()
	if !strings.HasPrefix(want, "~") {
		t.Fatalf("the statistics have the output %s", want)
	}

	turns, index := summary.Timeline(sel), query.NewTurnIndex(sel.Snap)
	costs := summary.Costs(sel, index, summary.CostOptions{Messages: true})
	got := map[string]string{
		"turns":    answer.Alone(answer.OfList(answer.Pick(turns.Columns(), "output"), turns.Turns)).String(),
		"requests": answer.Alone(answer.OfList(answer.Pick(summary.RequestColumns(nil), "output"), turns.Turns[0].Requests(sel.Snap, index, costs))).String(),
	}
	for _, by := range []string{"session", "model"} {
		how, err := Find(by)
		if err != nil {
			t.Fatal(err)
		}
		run, err := NewRun(t.Context(), sel, session.Session{}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		a := NewAnswer(how, time.UTC)
		a.Add(run)
		got["by "+by] = a.Doc([]string{"output_tokens"}).String()
	}
	for name, text := range got {
		if !strings.Contains(text, want) {
			t.Errorf("%s have the output\n%s, the statistics %s", name, text, want)
		}
	}
}
