package runs

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"turns/model"
	"turns/query"
	"turns/query/human"
	"turns/query/querytest"
)

func diffOf(t testing.TB, a, b []model.Message) *DiffAnswer {
	t.Helper()
	d, err := Diff(context.Background(), DiffRun{Selection: query.Everything(model.FromMessages(a))}, DiffRun{Selection: query.Everything(model.FromMessages(b))})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func diffRows(d *DiffAnswer) string {
	var b strings.Builder
	for _, r := range d.Rows {
		side := func(s *DiffSide) string {
			if s == nil {
				return "–"
			}
			return s.Text
		}
		fmt.Fprintf(&b, "%s: %s | %s\n", r.How, side(r.A), side(r.B))
	}
	return b.String()
}

func TestDiff(t *testing.T) {
	bash := func(id, cmd string) model.Message {
		return querytest.Null(model.Assistant, querytest.Call(id, "Bash", fmt.Sprintf(`{"command":%q}`, cmd)))
	}
	a := []model.Message{
		querytest.Message(model.User, "fix it"), bash("1", "ls"), querytest.Tool(querytest.Result("1", "x")), bash("2", "go test ./a"), querytest.Tool(querytest.Failed("2", "Exit code 1")),
		querytest.Null(model.Assistant, querytest.Call("3", "Read", `{"file_path":"/w/x.go"}`)), querytest.Tool(querytest.Result("3", "t")), querytest.Message(model.Assistant, "Done."),
	}
	b := []model.Message{
		querytest.Message(model.User, "fix it"), bash("1", "ls"), querytest.Tool(querytest.Failed("1", "Exit code 2")), bash("2", "go test ./b"), querytest.Tool(querytest.Result("2", "ok")),
		querytest.Null(model.Assistant, querytest.Call("4", "Grep", `{"pattern":"x"}`)), querytest.Tool(querytest.Result("4", "t")), querytest.Message(model.Assistant, "All done."),
	}
	d := diffOf(t, a, b)
	want := `same: fix it | fix it
outcome: Bash ls | Bash ls
changed: Bash go test ./a | Bash go test ./b
missing: Read /w/x.go | –
added: – | Grep x
changed: Done. | All done.
`
	if got := diffRows(d); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if d.Added != 1 || d.Missing != 1 || d.Args != 1 || d.Flips != 2 || d.Texts != 1 || d.Part != 1 {
		t.Errorf("%s", d.Doc("a", "b").String())
	}
	for by, want := range map[string]bool{"calls": true, "text": true, "outcomes": true} {
		if got, err := d.Differs(by); got != want || err != nil {
			t.Errorf("by %s: %v, %v", by, got, err)
		}
		if got, err := diffOf(t, a, a).Differs(by); got || err != nil {
			t.Errorf("the same run differs by %s, %v", by, err)
		}
	}
	if _, err := d.Differs("colour"); err == nil {
		t.Error("runs can be compared by colour")
	}
	if text := d.Doc("a", "b").String(); !strings.Contains(text, "first difference at #1 / #1") || !strings.Contains(text, "+     #5  Grep") {
		t.Errorf("text:\n%s", text)
	}
}

func TestDiffDirs(t *testing.T) {
	run := func(path, task string, outcome model.RunState, calls int) RunInfo {
		return RunInfo{Path: path, Task: human.TextOrNull(task), Totals: DiffTotals{Outcome: outcome, Calls: calls, Took: 1000}}
	}
	d := DiffDirs(
		[]RunInfo{run("1", "x", model.RunFinished, 4), run("2", "x", model.RunFinished, 6), run("3", "y", model.RunFailed, 2), run("4", "z", model.RunFinished, 1), {Prompt: "by prompt", Totals: DiffTotals{Outcome: model.RunFinished}}},
		[]RunInfo{run("1", "x", model.RunFailed, 9), run("3", "y", model.RunFinished, 2), {Prompt: "by prompt", Totals: DiffTotals{Outcome: model.RunFinished}}})
	if d.Pairs != 3 || d.Fixed != 1 || d.Broken != 1 || d.OnlyA != 1 || d.OnlyB != 0 {
		t.Errorf("%s", d.Doc("a", "b"))
	}
	if x := d.Tasks[0]; x.Task != "x" || x.Flip != "broken" || x.A.Calls != 5 || x.A.Trials != 2 || x.B.Calls != 9 {
		t.Errorf("first task %+v", x)
	}
	if differs, _ := d.Differs("outcomes"); !differs {
		t.Error("outcomes do not differ")
	}
	d = DiffDirs([]RunInfo{{Path: "a/1.jsonl"}, {Path: "a/2.jsonl"}}, []RunInfo{{Path: "b/1.jsonl"}})
	if d.Pairs != 1 || d.OnlyA != 1 || d.Tasks[0].Task != "1.jsonl" {
		t.Errorf("runs without a name are paired by their files: %s", d.Doc("a", "b"))
	}
}

func TestDiffMarkdown(t *testing.T) {
	a := []model.Message{querytest.Message(model.User, "fix *it*"), querytest.Null(model.Assistant, querytest.Call("1", "Bash", `{"command":"ls | wc"}`)), querytest.Tool(querytest.Result("1", "x")), querytest.Message(model.Assistant, "Done.")}
	b := []model.Message{querytest.Message(model.User, "fix *it*"), querytest.Null(model.Assistant, querytest.Call("1", "Bash", `{"command":"ls | wc"}`)), querytest.Tool(querytest.Failed("1", "Exit code 2")), querytest.Message(model.Assistant, "Done."), querytest.Message(model.Assistant, "Really.")}
	text := diffOf(t, a, b).Doc("before_1.jsonl", "after.jsonl").Markdown()
	want := `# before_1.jsonl → after.jsonl

|  | a | b | difference |
| --- | ---: | ---: | ---: |
| outcome | finished | finished |  |
`
	if !strings.HasPrefix(strings.ReplaceAll(text, "unknown", "finished"), want) {
		t.Errorf("got\n%s\nwant it to begin with\n%s", text, want)
	}
	for _, want := range []string{
		"\n\n**tools**: Bash errors · → 1\n",
		", first difference at #1 / #1\n",
		"| same | #0 | prompt fix \\*it\\* | #0 | prompt fix \\*it\\* |\n",
		"| outcome | #1 | Bash ls \\| wc · success | #1 | Bash ls \\| wc · failure |\n",
		"| added |  |  | #4 | text Really. |\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if text = diffOf(t, a, a).Doc("a", "b").Markdown(); !strings.HasSuffix(text, "\nno differences\n") {
		t.Error(text)
	}
}

// TestRunsOfAFileHavePlaces: in a file of several runs the place of each has its number.
func TestRunsOfAFileHavePlaces(t *testing.T) {
	g := querytest.NewGrowing()
	g.Ix.Sessions = append(g.Ix.Sessions, model.Session{})
	g.Ix.Threads = append(g.Ix.Threads, model.Thread{Session: 1, Main: true, Call: model.CallID(model.NoRow)})
	g.Add(model.Head{Role: model.Assistant, Size: 4})
	g.Add(model.Head{Role: model.Assistant, Size: 4, Thread: 1})
	s := g.Snapshot()
	for _, tt := range []struct {
		ids  []model.ID
		want string
	}{{[]model.ID{0, 1}, "log.json#0 log.json#1"}, {[]model.ID{1}, "log.json"}} {
		list, err := NewRunInfos(context.Background(), "log.json", DiffRun{Selection: query.Selection{Snap: s, IDs: tt.ids}})
		if err != nil {
			t.Fatal(err)
		}
		d := DiffDirs(list, nil)
		var places []string
		for i := range d.Tasks {
			places = append(places, d.Tasks[i].A.Places...)
		}
		if got := strings.Join(places, " "); got != tt.want {
			t.Errorf("places %q, want %q", got, tt.want)
		}
	}
}

// longRun returns a run of n messages; every tenth call differs between the variants.
func longRun(n, variant int) []model.Message {
	var msgs []model.Message
	for i := 0; len(msgs) < n; i++ {
		if i%15 == 0 {
			msgs = append(msgs, querytest.Message(model.User, fmt.Sprintf("prompt %d", i)))
		}
		id, arg := fmt.Sprint("c", i), fmt.Sprint(i)
		if i%10 == 0 {
			arg = fmt.Sprint(i, variant)
		}
		msgs = append(msgs, querytest.Null(model.Assistant, querytest.Call(id, "Bash", `{"command":"`+arg+`"}`)), querytest.Tool(querytest.Result(id, "ok")))
	}
	return msgs
}

// BenchmarkDiff compares runs of 10,000 messages; the limit is a second.
func BenchmarkDiff(b *testing.B) {
	x, y := longRun(10_000, 1), longRun(10_000, 2)
	begin := time.Now()
	for b.Loop() {
		diffOf(b, x, y)
	}
	b.ReportMetric(float64(time.Since(begin).Milliseconds())/float64(b.N), "ms/diff")
}

func TestTaskOfPath(t *testing.T) {
	for _, tt := range []struct{ format, path, want string }{
		{"swe-agent", "runs/marshmallow-code__marshmallow-1867/marshmallow-code__marshmallow-1867.traj", "marshmallow-code__marshmallow-1867"},
		{"mini-swe-agent", `runs\fix__it-1.traj.json`, "fix__it-1"},
		{"mini-swe-agent", "runs/other.json", ""},
		{"atif", "jobs/2026-02-11/hello-world__aB3xYz9/agent/trajectory.json", "hello-world"},
		{"atif", "jobs/hello__worlds/agent/trajectory.json", ""},
		{"atif", "trajectory.json", ""},
		{"claude-code", "a__1234567/run.traj", ""},
	} {
		if got := taskOfPath(tt.format, tt.path); got != tt.want {
			t.Errorf("%s %q: task %q, want %q", tt.format, tt.path, got, tt.want)
		}
	}
}
