package trials

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"turns/model"
	"turns/query/human"
	"turns/query/label"
	"turns/query/many"
)

// Input is a session and its place.
type Input struct {
	*many.Run
	Root string // the folder or file as typed
	Rest string // the path of the transcript below it, with slashes
}

// Reading configures how sessions become trials.
type Reading struct {
	// Task is the source of the task's name: one of TaskNames, or a field of the transcript.
	Task string
	// By is the source of the configuration: one of ConfigurationNames, or a field of the
	// transcript.
	By string
	// Passes replaces the recorded verdicts; nil: they apply. ok is false for a session that it
	// cannot judge.
	Passes func(*many.Run) (passed, ok bool)
}

// named is a way to name a task or a configuration. The lists are in the order of the help.
type named struct {
	name, help string
	of         func(*Input) string
}

var taskWays = []named{
	{"recorded", "by the transcript, else its folder TASK/TRIAL", func(s *Input) string { return taskOf(s) }},
	{"folder", "the first folder below the given one", func(s *Input) string { return part(s, 0) }},
	{"prompt", "the title, else the first prompt", func(s *Input) string { return model.CleanLine(s.Title) }},
	{"label", "the first label of the session", labelOf},
	{"file", "the name of the file", func(s *Input) string { return stem(s.Rest) }},
}

var configurationWays = []named{
	{"model", "the model of the last response", func(s *Input) string { return model.CleanLine(s.Model) }},
	{"agent", "the agent", func(s *Input) string { return s.AgentName() }},
	{"folder", "the given folder or file", func(s *Input) string { return s.Root }},
	{"project", "the working folder", func(s *Input) string { return model.CleanLine(s.Project) }},
	{"label", "the first label of the session", labelOf},
}

// TaskNames returns the ways to name a task, each with its source.
func TaskNames() (names, help []string) { return list(taskWays) }

// ConfigurationNames returns the ways to name a configuration, each with its source.
func ConfigurationNames() (names, help []string) { return list(configurationWays) }

func list(ways []named) (names, help []string) {
	for _, w := range ways {
		names, help = append(names, w.name), append(help, w.help)
	}
	return names, help
}

// way returns the way with a name, otherwise the field with that name.
func way(ways []named, name string) func(*Input) string {
	if i := slices.IndexFunc(ways, func(w named) bool { return w.name == name }); i >= 0 {
		return ways[i].of
	}
	return func(s *Input) string { return model.CleanLine(s.Field(name)) }
}

// taskOf returns the recorded task, otherwise the folder of a transcript at TASK/TRIAL or deeper.
func taskOf(s *Input) string {
	if s.Task != "" {
		return s.Task
	}
	if strings.Count(s.Rest, "/") > 0 {
		return part(s, 0)
	}
	return ""
}

// part returns a component of the path below the root, without file extensions; "" if the path has
// fewer.
func part(s *Input, n int) string {
	parts := strings.Split(s.Rest, "/")
	if n >= len(parts) || n == 0 && len(parts) == 1 {
		return ""
	}
	if n == len(parts)-1 {
		return stem(s.Rest)
	}
	return parts[n]
}

// stem returns the name of a file without its extensions.
func stem(name string) string {
	base, _, _ := strings.Cut(path.Base(name), ".")
	return base
}

func labelOf(s *Input) string {
	for i := range s.Labels {
		if m := &s.Labels[i]; m.Kind == label.Label {
			return m.Name
		}
	}
	return ""
}

// Trial returns the trial of a session.
func (r *Reading) Trial(s *Input) Trial {
	t := Trial{
		Task: human.OneLine(way(taskWays, r.Task)(s), taskMost), Configuration: way(configurationWays, r.By)(s),
		Trial: human.TextOrNull(model.CleanLine(s.Field("trial"))), Path: s.Path, Session: human.TextOrNull(model.CleanLine(s.Session.Session)), Title: human.TextOrNull(s.Name()),
		Verdict: r.verdict(s.Run),
	}
	if t.Trial == "" && s.Task == "" {
		t.Trial = human.TextOrNull(part(s, 1))
	}
	if s.Scored {
		score := s.Score
		t.Score = &score
	}
	for m, n := range map[Measure]many.Number{Calls: many.Calls, Errors: many.Errors} {
		if s.Has(n) {
			t.Set(m, float64(s.N[n]))
		}
	}
	if s.Has(many.Took) {
		t.Set(Seconds, float64(s.N[many.Took])/1000)
	}
	if s.Has(many.Output) {
		t.Set(Tokens, float64(s.N[many.Input]+s.N[many.CacheRead]+s.N[many.CacheWrite]+s.N[many.Output]))
	}
	if s.N[many.Unpriced] == 0 && s.N[many.Responses] > 0 {
		t.Set(Cost, s.Dollars)
	}
	return t
}

// taskMost is the maximum number of columns of a task's name.
const taskMost = 200

// verdict reports whether a session passed: by the rule of the caller, otherwise by its label,
// otherwise by its recorded score.
func (r *Reading) verdict(s *many.Run) Verdict {
	if r.Passes != nil {
		if passed, ok := r.Passes(s); ok {
			return verdictOf(passed)
		}
	}
	switch {
	case s.Verdict != "":
		return verdictOf(s.Verdict == label.Good)
	case s.Scored:
		return verdictOf(s.Passes())
	case s.Live && !s.Ended:
		return Running
	}
	return Missing
}

func verdictOf(passed bool) Verdict {
	if passed {
		return Passed
	}
	return Failed
}

// CheckWays returns an error for an impossible name of a task or a configuration: field names
// have no spaces.
func (r *Reading) CheckWays() error {
	for _, way := range [...]struct{ flag, name string }{{"--task", r.Task}, {"--by", r.By}} {
		if way.name == "" || strings.ContainsAny(way.name, " \t/") {
			return fmt.Errorf("%s %q is neither a way to name one nor a field", way.flag, way.name)
		}
	}
	return nil
}
