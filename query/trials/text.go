package trials

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"turns/query"
	"turns/query/answer"
	"turns/query/human"
)

// Method is a statistical method of an answer, with its source.
type Method struct{ Key, Name, Source string }

// Methods returns all methods that an answer may name.
func Methods() []Method {
	return []Method{
		{"wilson", "Wilson's score interval", "Wilson, JASA 22 (1927)"},
		{"clustered", "Wilson's interval for trials clustered by task", "Miller, Adding Error Bars to Evals (2024); Korn and Graubard, Survey Methodology 24 (1998)"},
		{"paired-t", "Student's interval of differences paired by task", "Student, Biometrika 6 (1908)"},
		{"bonett-price", "Bonett and Price's interval of paired proportions", "Bonett and Price, J. Educ. Behav. Stat. 37 (2012)"},
		{"mcnemar", "McNemar's exact test", "McNemar, Psychometrika 12 (1947)"},
		{"swap", "exact test that swaps configurations within tasks", "Fisher, The Design of Experiments (1935), section 21"},
		{"holm", "Holm's adjustment for several comparisons", "Holm, Scand. J. Statist. 6 (1979)"},
		{"pass@k", "unbiased chance that one of k trials passes", "Chen and others, Evaluating Large Language Models Trained on Code (2021)"},
		{"pass^k", "unbiased chance that all of k trials pass", "Yao and others, τ-bench (2024)"},
		{"median", "median with the interval of order statistics", "Conover, Practical Nonparametric Statistics, section 3.2"},
	}
}

// MethodName returns the name of a method, its key if unknown.
func MethodName(key string) string {
	for _, m := range Methods() {
		if m.Key == key {
			return m.Name
		}
	}
	return key
}

// marksMost is the maximum number of trials drawn one by one in a cell; more are counted.
const marksMost = 10

// Text returns a cell as marks (✓✓✗✓), as "12 of 20" for many trials, and as "–" for none.
func (a *Answer) Text(c *Cell) string {
	switch {
	case len(c.Trials) == 0:
		return human.NotSaid
	case len(c.Trials) > marksMost:
		s := fmt.Sprintf("%d of %d", c.Passed, c.Judged)
		if c.Running > 0 {
			s += fmt.Sprintf(" %d%s", c.Running, Running.Mark())
		}
		if c.Missing > 0 {
			s += fmt.Sprintf(" %d%s", c.Missing, Missing.Mark())
		}
		return s
	}
	var b strings.Builder
	for _, i := range c.Trials {
		b.WriteString(a.Trials[i].Verdict.Mark())
	}
	return b.String()
}

// share formats a proportion without its leading zero: .42, 1.00.
func share(x float64, digits int) string {
	return strings.Replace(fmt.Sprintf("%.*f", digits, x), "0.", ".", 1)
}

// signed formats a difference of proportions with its sign.
func signed(x float64) string {
	if x < 0 {
		return "−" + share(-x, 2)
	}
	return "+" + share(x, 2)
}

// Text formats the interval: .42 [.30, .55].
func (i *Interval) Text() string {
	if i == nil {
		return human.NotSaid
	}
	return share(i.Value, 2) + " [" + share(i.Low, 2) + ", " + share(i.High, 2) + "]"
}

// Flipped returns the change in passed trials of a task from the first to the last configuration:
// as a number if both have as many trials, otherwise as a share; "" without a difference.
func (t *Task) Flipped() string {
	if t.Flip == nil || *t.Flip == 0 {
		return ""
	}
	first, last := t.Cells[0], t.Cells[len(t.Cells)-1]
	if n := last.Passed - first.Passed; first.Judged == last.Judged {
		if n < 0 {
			return fmt.Sprintf("−%d", -n)
		}
		return fmt.Sprintf("+%d", n)
	}
	return signed(*t.Flip)
}

// Verdict describes in one sentence whether the two configurations differ.
func (c *Comparison) Verdict() string {
	if c.Difference == nil {
		return "no task in common"
	}
	d := c.Difference
	s := signed(d.Value) + " [" + signed(d.Low) + ", " + signed(d.High) + "]"
	switch {
	case !d.Apart:
		s += ": not told apart"
	case d.Value > 0:
		s += ": better"
	default:
		s += ": worse"
	}
	p := share(d.P, 3)
	if d.P < 0.001 {
		p = "below .001"
	}
	s += fmt.Sprintf(" (p %s; %d better, %d worse of %s", p, d.Better, d.Worse, human.Plural(d.Tasks, "task"))
	switch {
	case d.Detectable == nil:
	case *d.Detectable > 1:
		s += "; too few to show a difference"
	default:
		s += "; these trials can show a difference of " + share(*d.Detectable, 2)
	}
	return s + ")"
}

// Headline counts tasks, trials and configurations, and missing verdicts.
func (a *Answer) Headline() string {
	missing, running := 0, 0
	for i := range a.Configurations {
		missing, running = missing+a.Configurations[i].Missing, running+a.Configurations[i].Running
	}
	s := human.Plural(len(a.Tasks), "task") + ", " + human.Plural(len(a.Trials), "trial") + ", " + human.Plural(len(a.Configurations), "configuration")
	for _, more := range []struct {
		n    int
		text string
	}{{running, "running"}, {missing, "without a verdict"}} {
		if more.n > 0 {
			s += ", " + human.Count(more.n) + " " + more.text
		}
	}
	if a.NoTask > 0 {
		s += "; left out: " + human.Plural(a.NoTask, "session") + " without a task"
	}
	return s
}

// Doc describes the answer: rates, differences and medians, then the matrix of all tasks. Markdown
// is for a pull request: it has the tasks that flipped, and all others folded.
func (a *Answer) Doc() *answer.Doc {
	d := &answer.Doc{Title: "Trials: " + a.Headline(), Level: 2}
	d.Add(answer.Section{Text: []string{a.Headline()}, Only: answer.InText})
	d.AddTable("", a.rates())
	for i := range a.Comparisons {
		c := &a.Comparisons[i]
		d.Add(answer.Section{Head: configName(c.A) + " → " + configName(c.B), Lead: true, Text: []string{c.Verdict()}})
	}
	d.AddTable("", a.medians())
	all := a.matrix()
	d.Add(answer.Section{Table: all, Only: answer.InText})
	d.Add(answer.Section{Table: a.flipped().matrix(), Only: answer.InMarkdown})
	d.Add(answer.Section{Head: "All tasks", Table: all, Only: answer.InMarkdown, Fold: true})
	d.AddText(a.methods())
	return d
}

// rates returns a table with a row for each configuration: pass rate, pass@k and pass^k.
func (a *Answer) rates() *answer.Table {
	heads, most := []string{"configuration", ">tasks", ">trials", ">passed", "=pass rate, 95 %"}, 0
	for i := range a.Configurations {
		most = max(most, len(a.Configurations[i].PassAt))
	}
	for k := 2; k <= most; k++ {
		heads = append(heads, fmt.Sprintf(">pass^%d", k))
	}
	for k := 2; k <= most; k++ {
		heads = append(heads, fmt.Sprintf(">pass@%d?", k))
	}
	t := answer.NewTable(heads...)
	for i := range a.Configurations {
		c := &a.Configurations[i]
		row := []string{configName(c.Name), human.Count(c.Tasks), human.Count(c.Trials), human.Count(c.Passed), c.Rate.Text()}
		for _, list := range [][]OfK{c.PassAll, c.PassAt} { // (3): of three such tasks
			for k := 2; k <= most; k++ {
				if k > len(list) {
					row = append(row, human.NotSaid)
					continue
				}
				s := share(list[k-1].Value, 3)
				if list[k-1].Tasks < c.Tasks {
					s += " (" + human.Count(list[k-1].Tasks) + ")"
				}
				row = append(row, s)
			}
		}
		t.Add(row...)
	}
	return t
}

// configName returns the name of a configuration in a table.
func configName(name string) string {
	if name == "" {
		return "(not recorded)"
	}
	return name
}

// Title returns the name of the configuration for people: "(not recorded)" if it has none.
func (c *Configuration) Title() string { return configName(c.Name) }

// medians returns a table with a row for each configuration: the measures of its tasks.
func (a *Answer) medians() *answer.Table {
	t := answer.NewTable("median of tasks", "=tokens", "=cost", "=time?", "=calls??", "=errors???")
	number := func(x float64) string { return strings.TrimSuffix(human.ShortFloat(x, 1), ".0") }
	for i := range a.Configurations {
		c := &a.Configurations[i]
		t.Add(configName(c.Name),
			c.Tokens.Text(func(x float64) string { return human.Short(int64(math.Round(x))) }),
			c.Cost.Text(human.Money),
			c.Seconds.Text(func(x float64) string { return human.Took(time.Duration(x * float64(time.Second))) }),
			c.Calls.Text(number), c.Errors.Text(number))
	}
	return t
}

// Text formats the median with its interval, "–" without a value.
func (m *Median) Text(number func(float64) string) string {
	if m == nil {
		return human.NotSaid
	}
	s := number(m.Value)
	if m.Low != nil {
		s += " [" + number(*m.Low) + ", " + number(*m.High) + "]"
	}
	return s
}

// matrix returns a table with a row for each task.
func (a *Answer) matrix() *answer.Table {
	heads := []string{"task"}
	for i := range a.Configurations {
		heads = append(heads, "="+configName(a.Configurations[i].Name))
	}
	if len(a.Configurations) > 1 {
		heads = append(heads, ">flips")
	}
	t := answer.NewTable(heads...).Cut(60, 0)
	for i := range a.Tasks {
		task := &a.Tasks[i]
		row := []string{task.Name}
		for j := range task.Cells {
			row = append(row, a.Text(&task.Cells[j]))
		}
		if len(a.Configurations) > 1 {
			row = append(row, task.Flipped())
		}
		t.Add(row...)
	}
	return t
}

// methods names the methods used for the numbers of the answer, "" without judged trials.
func (a *Answer) methods() string {
	var names []string
	seen := map[string]bool{}
	add := func(key string) {
		if key != "" && !seen[key] {
			seen[key] = true
			names = append(names, MethodName(key))
		}
	}
	for i := range a.Configurations {
		if r := a.Configurations[i].Rate; r != nil {
			add(r.Method)
		}
	}
	for i := range a.Comparisons {
		if d := a.Comparisons[i].Difference; d != nil {
			add(d.Method)
			add(d.Test)
		}
	}
	if len(a.Comparisons) > 1 {
		add("holm")
	}
	if len(names) == 0 {
		return ""
	}
	return "Methods: " + strings.Join(names, "; ")
}

// WriteJSON writes the answer as JSON.
func (a *Answer) WriteJSON(w io.Writer) error { return query.WriteJSON(w, a) }

// flipped returns the answer with the tasks that flipped, largest flips first.
func (a *Answer) flipped() *Answer {
	out := *a
	out.Tasks = nil
	for i := range a.Tasks {
		if a.Tasks[i].Flipped() != "" {
			out.Tasks = append(out.Tasks, a.Tasks[i])
		}
	}
	out.Sort(ByFlips)
	return &out
}
