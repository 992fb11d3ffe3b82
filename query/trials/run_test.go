package trials

import (
	"strings"
	"testing"

	"turns/model"
	"turns/query/label"
	"turns/query/many"
)

func input(rest string, change func(*Input)) *Input {
	s := &Input{Run: &many.Run{}, Root: "runs", Rest: rest}
	s.Path = "runs/" + rest
	if change != nil {
		change(s)
	}
	return s
}

func TestTaskOfATrial(t *testing.T) {
	recorded := input("task-9/trial-2.jsonl", func(s *Input) { s.Task = "17" })
	for _, c := range []struct {
		way, want, trial string
		s                *Input
	}{
		{"recorded", "17", "", recorded},
		{"recorded", "task-9", "trial-2", input("task-9/trial-2.jsonl", nil)},
		{"recorded", "task-9", "a", input("task-9/a/agent/session.jsonl", nil)},
		{"recorded", "", "", input("session.jsonl", nil)},
		{"folder", "task-9", "", recorded},
		{"folder", "", "", input("session.jsonl", nil)},
		{"file", "session", "", input("session.jsonl", nil)},
		{"prompt", "Fix the test", "trial-2", input("task-9/trial-2.jsonl", func(s *Input) { s.Title = "Fix the test" })},
		{"label", "flaky", "", input("x.jsonl", func(s *Input) {
			s.Labels = []label.Mark{{Kind: label.Note, Text: "n"}, {Kind: label.Label, Name: "flaky"}}
		})},
		{"instance", "a-1", "", input("x.jsonl", func(s *Input) { s.Fields = []model.KeyValue{{Name: "instance", Value: "a-1"}} })},
	} {
		r := Reading{Task: c.way, By: "model"}
		if got := r.Trial(c.s); got.Task != c.want || string(got.Trial) != c.trial {
			t.Errorf("--task %s of %s: task %q, trial %q, want %q and %q", c.way, c.s.Path, got.Task, got.Trial, c.want, c.trial)
		}
	}
	for columns, want := range map[int]string{200: strings.Repeat("é", 200), 201: strings.Repeat("é", 199) + "…"} {
		long := input("x.jsonl", func(s *Input) { s.Task = strings.Repeat("é", columns) })
		if got := (&Reading{Task: "recorded", By: "model"}).Trial(long); got.Task != want {
			t.Errorf("a task of %d columns is called %q", columns, got.Task)
		}
	}
	numbered := input("x.jsonl", func(s *Input) { s.Task, s.Fields = "1", []model.KeyValue{{Name: "trial", Value: "3"}} })
	if got := (&Reading{Task: "recorded", By: "model"}).Trial(numbered); got.Trial != "3" {
		t.Errorf("the recorded trial is %q", got.Trial)
	}
}

func TestConfigurationOfATrial(t *testing.T) {
	s := input("x.jsonl", func(s *Input) {
		s.Model, s.Agent, s.Project, s.Fields = "gpt-5", "Codex", "/home/me/shop", []model.KeyValue{{Name: "version", Value: "1.2"}}
		s.Labels = []label.Mark{{Kind: label.Label, Name: "new"}}
	})
	for by, want := range map[string]string{
		"model": "gpt-5", "agent": s.AgentName(), "folder": "runs", "project": "/home/me/shop", "version": "1.2", "label": "new", "nothing": "",
	} {
		if got := (&Reading{Task: "recorded", By: by}).Trial(s); got.Configuration != want {
			t.Errorf("--by %s: %q, want %q", by, got.Configuration, want)
		}
	}
}

func TestVerdictOfATrial(t *testing.T) {
	scored := func(outcome model.Outcome) *Input {
		return input("x", func(s *Input) { s.Scored, s.Outcome, s.Score = true, outcome, 0.5 })
	}
	labelled := func(verdict string) *Input {
		s := scored(model.Success)
		s.Verdict = verdict
		return s
	}
	never := func(*many.Run) (bool, bool) { return false, true }
	cannot := func(*many.Run) (bool, bool) { return true, false }
	for _, c := range []struct {
		what   string
		s      *Input
		passes func(*many.Run) (bool, bool)
		want   Verdict
	}{
		{"a good score", scored(model.Success), nil, Passed},
		{"a bad score", scored(model.Failure), nil, Failed},
		{"half a score", scored(model.Half), nil, Failed},
		{"nothing recorded", input("x", nil), nil, Missing},
		{"an end without a score", input("x", func(s *Input) { s.Ended, s.Outcome = true, model.Failure }), nil, Missing},
		{"a session that runs", input("x", func(s *Input) { s.Live = true }), nil, Running},
		{"a label against a score", labelled(label.Bad), nil, Failed},
		{"a rule against all", labelled(label.Good), never, Failed},
		{"a rule that cannot tell", labelled(label.Good), cannot, Passed},
	} {
		r := Reading{Task: "recorded", By: "model", Passes: c.passes}
		if got := r.Trial(c.s).Verdict; got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}

func TestMeasuresOfATrial(t *testing.T) {
	s := input("x", func(s *Input) {
		s.Add(many.Input, 100)
		s.Add(many.CacheRead, 30)
		s.Add(many.CacheWrite, 7)
		s.Add(many.Output, 5)
		s.Add(many.Calls, 4)
		s.Add(many.Errors, 1)
		s.Add(many.Took, 2500)
		s.Add(many.Responses, 2)
		s.Dollars = 0.25
	})
	r := Reading{Task: "recorded", By: "model"}
	got := r.Trial(s)
	for m, want := range map[Measure]float64{Tokens: 142, Cost: 0.25, Seconds: 2.5, Calls: 4, Errors: 1} {
		if v, ok := got.Get(m); !ok || v != want {
			t.Errorf("measure %d is %v, %v; want %v", m, v, ok, want)
		}
	}
	s.Add(many.Unpriced, 1)
	unpriced, bare := r.Trial(s), r.Trial(input("y", nil))
	if _, ok := unpriced.Get(Cost); ok {
		t.Error("a partly unknown cost is shown as complete")
	}
	for m := range measures {
		if _, ok := bare.Get(m); ok {
			t.Errorf("measure %d of an empty session is known", m)
		}
	}
}

func TestReadingIsChecked(t *testing.T) {
	for _, r := range []Reading{{Task: "", By: "model"}, {Task: "recorded", By: "no such"}, {Task: "a/b", By: "model"}} {
		if r.CheckWays() == nil {
			t.Errorf("%+v is accepted", r)
		}
	}
	if err := (&Reading{Task: "recorded", By: "version"}).CheckWays(); err != nil {
		t.Error(err)
	}
}
