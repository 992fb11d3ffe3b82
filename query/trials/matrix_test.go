package trials

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"turns/model/modeltest"
	"turns/query/answer"
	"turns/query/human"
)

// marks parses drawn trials: a line for each task, a word for each configuration.
func marks(order []string, lines ...string) []Trial {
	var list []Trial
	for _, line := range lines {
		words := strings.Fields(line)
		for i, cell := range words[1:] {
			for n, mark := range strings.Split(cell, "") {
				t := Trial{Task: words[0], Configuration: order[i], Trial: human.TextOrNull(strconv.Itoa(n)), Path: order[i] + "/" + words[0] + "/" + strconv.Itoa(n) + ".jsonl"}
				for v := range verdicts {
					if verdicts[v].mark == mark {
						t.Verdict = Verdict(v)
					}
				}
				if mark == "-" {
					continue
				}
				t.Set(Seconds, float64(60*(n+1)))
				t.Set(Calls, float64(len(list)%7))
				t.Set(Errors, 0)
				if order[i] != "old" {
					t.Set(Tokens, 12_000)
					t.Set(Cost, 0.25)
				}
				list = append(list, t)
			}
		}
	}
	return list
}

func small() *Answer {
	order := []string{"old", "new"}
	list := marks(order, "task-2 ✓✓✗✓ ✗✗✗✗", "task-10 ✗✗✗✗ ✓✓✓✓", "task-1 ✓✓✓✓ ✓✓✓✓", "task-3 ✓? ✓…", "task-4 ✗ -",
		"task-5 ✗✗ ✓✗", "task-6 ✗✗ ✓✓", "task-7 ✗✗ ✗✓")
	score := 0.25
	list[4].Score = &score
	return New(append(list, Trial{Path: "stray.jsonl"}), order)
}

func TestMatrix(t *testing.T) {
	a := small()
	var names, flips []string
	for i := range a.Tasks {
		names, flips = append(names, a.Tasks[i].Name), append(flips, a.Tasks[i].Flipped())
	}
	if want := []string{"task-1", "task-2", "task-3", "task-4", "task-5", "task-6", "task-7", "task-10"}; !slices.Equal(names, want) {
		t.Errorf("tasks are in the order %q", names)
	}
	if want := []string{"", "−3", "", "", "+1", "+2", "+1", "+4"}; !slices.Equal(flips, want) {
		t.Errorf("flips are %q, want %q", flips, want)
	}
	old, new := &a.Configurations[0], &a.Configurations[1]
	if old.Trials != 21 || old.Passed != 8 || old.Failed != 12 || old.Missing != 1 || old.Running != 0 || old.Tasks != 8 {
		t.Errorf("old is %+v", *old)
	}
	if new.Running != 1 || new.Missing != 0 || new.Tasks != 7 || new.Passed != 13 {
		t.Errorf("new is %+v", *new)
	}
	if a.NoTask != 1 || len(a.Trials) != 41 {
		t.Errorf("%d trials, %d without a task", len(a.Trials), a.NoTask)
	}
	if old.Tokens != nil || old.Cost != nil || new.Cost == nil || new.Cost.Known != 7 {
		t.Errorf("what was not recorded has a median: %+v, %+v", old.Cost, new.Cost)
	}
	if c := a.Comparisons; len(c) != 1 || c[0].Tasks != 7 || c[0].Better != 4 || c[0].Worse != 1 {
		t.Errorf("comparisons are %+v", c)
	}
}

func TestOrdersOfTasks(t *testing.T) {
	a := small()
	for by, want := range map[Order]string{ByFlips: "task-6", ByRate: "task-4", ByCost: "task-1", ByTask: "task-1"} {
		a.Sort(by)
		if a.Tasks[0].Name != want {
			t.Errorf("sorted by %s, %s is first, want %s", by, a.Tasks[0].Name, want)
		}
	}
	if len(Orders()) != 4 {
		t.Error("an order has no test")
	}
}

func TestNoTrials(t *testing.T) {
	a := New(nil, nil)
	if s := a.Doc().String(); !strings.HasPrefix(s, "0 tasks, 0 trials, 0 configurations") {
		t.Errorf("nothing is %q", s)
	}
	unjudged := New(marks([]string{"a"}, "t ??"), nil)
	if c := unjudged.Configurations[0]; c.Rate != nil || c.Failed != 0 || c.Missing != 2 {
		t.Errorf("trials without a verdict are %+v", c)
	}
	var b bytes.Buffer
	if err := unjudged.WriteJSON(&b); err != nil || !json.Valid(b.Bytes()) {
		t.Errorf("%v: %s", err, b.String())
	}
}

func TestManyTrialsAreCounted(t *testing.T) {
	a := New(marks([]string{"a"}, "t ✓✓✓✓✓✓✓✓✓✓✗…?"), nil)
	if got := a.Text(&a.Tasks[0].Cells[0]); got != "10 of 11 1… 1?" {
		t.Errorf("thirteen trials are drawn as %q", got)
	}
	for drawn, want := range map[string]string{"✓✓✓✓✓✓✓✓✓✗": "✓✓✓✓✓✓✓✓✓✗", "✓✓✓✓✓✓✓✓✓✓✗": "10 of 11"} {
		a := New(marks([]string{"a"}, "t "+drawn), nil)
		if got := a.Text(&a.Tasks[0].Cells[0]); got != want {
			t.Errorf("%s is drawn as %q, want %q", drawn, got, want)
		}
	}
}

func TestForms(t *testing.T) {
	a := small()
	for name, write := range map[string]func(*bytes.Buffer) error{
		"text.txt": func(b *bytes.Buffer) error { b.WriteString(a.Doc().String()); return nil },
		"narrow.txt": func(b *bytes.Buffer) error {
			p := answer.Page{Columns: 80}
			a.Doc().Print(&p)
			b.WriteString(p.String())
			return nil
		},
		"markdown.md": func(b *bytes.Buffer) error { b.WriteString(a.Doc().Markdown()); return nil },
		"junit.xml":   func(b *bytes.Buffer) error { return a.WriteJUnit(b) },
		"answer.json": func(b *bytes.Buffer) error { return a.WriteJSON(b) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", name)
		modeltest.Golden(t, golden, b.String())
	}
}

func TestJUnitCounts(t *testing.T) {
	var b bytes.Buffer
	if err := small().WriteJUnit(&b); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Skipped  int `xml:"skipped,attr"`
		Suites   []struct {
			Cases []struct {
				Failure *struct{} `xml:"failure"`
				Skipped *struct{} `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	cases, failures, skipped := 0, 0, 0
	for _, s := range got.Suites {
		for _, c := range s.Cases {
			cases++
			if c.Failure != nil {
				failures++
			}
			if c.Skipped != nil {
				skipped++
			}
		}
	}
	if cases != 41 || cases != got.Tests || failures != got.Failures || skipped != got.Skipped || skipped != 2 || failures != 18 {
		t.Errorf("%d cases, %d failures, %d skipped; the head says %d, %d, %d", cases, failures, skipped, got.Tests, got.Failures, got.Skipped)
	}
}

func TestEveryMethodIsNamed(t *testing.T) {
	for _, key := range []string{"wilson", "clustered", "paired-t", "bonett-price", "mcnemar", "swap", "holm", "pass@k", "pass^k", "median"} {
		if methodName(key) == key {
			t.Errorf("the method %q has no name", key)
		}
	}
	for _, m := range Methods() {
		if m.Name == "" || m.Source == "" {
			t.Errorf("the method %q has no source", m.Key)
		}
	}
}

func TestPairOfATask(t *testing.T) {
	for line, want := range map[string][2]string{
		"t ✓✓✗✓ ✗✗✗✗": {"old/t/0.jsonl", "new/t/0.jsonl"},
		"t ✗✗✓ ✗✗✗":   {"old/t/2.jsonl", "new/t/0.jsonl"},
		"t ✓✓ ✓✓":     {"old/t/0.jsonl", "new/t/0.jsonl"},
		"t ?✓ ??":     {"old/t/0.jsonl", "new/t/0.jsonl"},
		"t ✓✗ -":      {"old/t/0.jsonl", "old/t/1.jsonl"},
		"t - ✗✓":      {"new/t/0.jsonl", "new/t/1.jsonl"},
		"t ✓? -":      {"old/t/0.jsonl", "old/t/1.jsonl"},
	} {
		// the second task makes sure that both columns exist
		a := New(append(marks([]string{"old", "new"}, line), marks([]string{"old", "new"}, "z ✓ ✓")...), []string{"old", "new"})
		x, y, ok := a.Pair(&a.Tasks[0])
		if !ok || a.Trials[x].Path != want[0] || a.Trials[y].Path != want[1] {
			t.Errorf("%s: %v, %s and %s", line, ok, a.Trials[x].Path, a.Trials[y].Path)
		}
	}
	one := New(marks([]string{"old"}, "t ✓"), nil)
	if _, _, ok := one.Pair(&one.Tasks[0]); ok {
		t.Error("one trial is a pair")
	}
}
