package trials

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"
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

// methodName returns the name of a method, its key if unknown.
func methodName(key string) string {
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
func (a *Answer) Text(c *Cell) string { return a.marks(c).Text }

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
	d.Sections = append(d.Sections, a.Summary().Sections...)
	d.AddTable("", a.medians())
	all := a.matrix()
	d.Add(answer.Section{Table: all, Only: answer.InText})
	d.Add(answer.Section{Table: a.flipped().matrix(), Only: answer.InMarkdown})
	d.Add(answer.Section{Head: "All tasks", Table: all, Only: answer.InMarkdown, Fold: true})
	d.AddText(a.methods())
	return d
}

// Summary describes the pass rates of the configurations, and how they differ.
func (a *Answer) Summary() *answer.Doc {
	d := answer.Alone(a.rates())
	for i := range a.Comparisons {
		c := &a.Comparisons[i]
		d.Add(answer.Section{Head: configName(c.A) + " → " + configName(c.B), Lead: true, Text: []string{c.Verdict()}})
	}
	return d
}

// rates returns a table with a row for each configuration: pass rate, pass@k and pass^k.
func (a *Answer) rates() *answer.Table {
	heads, most := []string{"configuration", ">tasks??", ">trials??", ">passed??", "=pass rate, 95 %"}, 0
	for i := range a.Configurations {
		most = max(most, len(a.Configurations[i].PassAt))
	}
	for k := 2; k <= most; k++ {
		heads = append(heads, fmt.Sprintf(">pass^%d?", k))
	}
	for k := 2; k <= most; k++ {
		heads = append(heads, fmt.Sprintf(">pass@%d???", k))
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
	return cmp.Or(name, "(not recorded)")
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
	n := len(a.Configurations)
	columns := a.Columns()[:1+n+min(n/2, 1)] // one configuration has no flips
	return answer.OfList(columns, a.Tasks)
}

// Columns returns the columns of the matrix: the task, its trials in each configuration, the change
// from the first to the last one, the share of passed trials and the cost.
func (a *Answer) Columns() []answer.Column[*Task] {
	type column = answer.Column[*Task]
	text := func(of func(*Task) string) func(*Task) answer.Cell {
		return func(t *Task) answer.Cell { return answer.Cell{Text: of(t)} }
	}
	name := func(t *Task) string { return t.Name }
	columns := []column{{Name: "task", Head: "task", Width: 16, Flex: 1, Asc: true, Cell: text(name), Order: func(x, y *Task) int { return natural(x.Name, y.Name) }}}
	for i := range a.Configurations {
		title := a.Configurations[i].Title()
		width := human.Width(title)
		for j := range a.Tasks {
			width = max(width, human.Width(a.Text(&a.Tasks[j].Cells[i])))
		}
		columns = append(columns, column{
			Name: title, Head: "  " + title, Kind: answer.Word, Width: min(width, 20) + 2, Gap: 1,
			Cell: func(t *Task) answer.Cell { return a.marks(&t.Cells[i]) }, Order: answer.By(func(t *Task) float64 { return known(-1)(t.Cells[i].Rate()) }),
		})
	}
	return append(columns,
		column{Name: "flips", Head: "flips", Kind: answer.Number, Width: 6, Gap: 2, Drop: 1, Stays: true, Cell: flips, Order: answer.By((*Task).size)},
		column{Name: "pass rate", Head: "passed", Kind: answer.Number, Width: 7, Gap: 2, Drop: 2, Asc: true, Cell: text(a.rateText),
			Order: answer.By(func(t *Task) float64 { return known(2)(a.TaskRate(t)) })},
		column{Name: "cost", Head: "cost", Kind: answer.Number, Width: 9, Gap: 2, Drop: 3, Cell: text(a.costText),
			Order: answer.By(func(t *Task) float64 { return known(0)(a.TaskCost(t)) })})
}

// TrialsOf returns the trials of a cell; those without a number get their position.
func (a *Answer) TrialsOf(c *Cell) []Trial {
	list := make([]Trial, len(c.Trials))
	for i, n := range c.Trials {
		list[i] = a.Trials[n]
		list[i].Trial = cmp.Or(list[i].Trial, human.TextOrNull(strconv.Itoa(i+1)))
	}
	return list
}

// TrialColumns returns the columns of trials of a task.
func TrialColumns() []answer.Column[*Trial] {
	type column = answer.Column[*Trial]
	number := func(c column, of func(*Trial) (float64, bool), say func(float64) string) column {
		c.Head, c.Kind, c.Gap, c.Order = c.Name, answer.Number, 1, answer.By(func(t *Trial) float64 { return known(-1)(of(t)) })
		c.Cell = func(t *Trial) answer.Cell {
			if v, ok := of(t); ok {
				return answer.Cell{Text: say(v)}
			}
			return answer.Unknown
		}
		return c
	}
	measure := func(c column, m Measure, say func(float64) string) column {
		return number(c, func(t *Trial) (float64, bool) { return t.Get(m) }, say)
	}
	score := func(t *Trial) (float64, bool) {
		if t.Score == nil {
			return 0, false
		}
		return *t.Score, true
	}
	return []column{
		{Name: "verdict", Head: "verdict", Width: 9, Asc: true, Order: answer.By(func(t *Trial) int { return -int(t.Verdict) }), Cell: func(t *Trial) answer.Cell {
			return answer.Cell{Text: t.Verdict.Mark() + " " + t.Verdict.String(), Tone: t.Verdict.Tone()}
		}},
		{Name: "trial", Head: "trial", Width: 6, Gap: 1, Asc: true, Order: func(x, y *Trial) int { return natural(string(x.Trial), string(y.Trial)) },
			Cell: func(t *Trial) answer.Cell { return answer.Cell{Text: string(t.Trial)} }},
		number(column{Name: "score", Width: 6, Drop: 2}, score, func(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }),
		measure(column{Name: "calls", Width: 6, Drop: 3}, Calls, func(x float64) string { return human.Count(int64(x)) }),
		measure(column{Name: "errors", Width: 6, Drop: 1}, Errors, func(x float64) string { return human.OrDot(int64(x), human.Count) }),
		measure(column{Name: "tokens", Width: 7, Drop: 5}, Tokens, func(x float64) string { return human.Short(int64(x)) }),
		measure(column{Name: "cost", Width: 8, Drop: 4}, Cost, human.Money),
		measure(column{Name: "time", Width: 8, Drop: 6}, Seconds, func(x float64) string { return human.Took(time.Duration(x * float64(time.Second))) }),
		answer.Texts(column{Name: "title", Head: "title", Width: 16, Gap: 2, Flex: 1}, func(t *Trial) string { return string(t.Title) }),
	}
}

// known returns a function that replaces an unknown value, for sorting.
func known(otherwise float64) func(float64, bool) float64 {
	return func(x float64, ok bool) float64 {
		if !ok {
			return otherwise
		}
		return x
	}
}

func (a *Answer) rateText(t *Task) string {
	if rate, ok := a.TaskRate(t); ok {
		return human.Percent(int(rate*1000), 1000)
	}
	return ""
}

func (a *Answer) costText(t *Task) string {
	if cost, ok := a.TaskCost(t); ok {
		return human.Money(cost)
	}
	return ""
}

// tones are those of the marks, which differ as well.
var tones = map[Verdict]answer.Tone{Passed: answer.Good, Failed: answer.Bad, Running: answer.Going, Missing: answer.Dim}

// Tone returns the tone of the mark of a verdict.
func (v Verdict) Tone() answer.Tone { return tones[v] }

// marks returns a table cell with a mark for each trial, or with their counts.
func (a *Answer) marks(c *Cell) answer.Cell {
	if n := len(c.Trials); n == 0 {
		return answer.Unknown
	} else if n > marksMost {
		s := fmt.Sprintf("%d of %d", c.Passed, c.Judged)
		if c.Running > 0 {
			s += fmt.Sprintf(" %d%s", c.Running, Running.Mark())
		}
		if c.Missing > 0 {
			s += fmt.Sprintf(" %d%s", c.Missing, Missing.Mark())
		}
		return answer.Cell{Text: s}
	}
	marks := make([]answer.Cell, len(c.Trials))
	for i, n := range c.Trials {
		v := a.Trials[n].Verdict
		marks[i] = answer.Cell{Text: v.Mark(), Tone: v.Tone()}
	}
	return answer.Join(marks...)
}

// size returns how much the task flipped, in either direction; -1 if that is unknown.
func (t *Task) size() float64 {
	if t.Flip == nil {
		return -1
	}
	return max(*t.Flip, -*t.Flip)
}

func flips(t *Task) answer.Cell {
	c := answer.Cell{Text: t.Flipped(), Tone: answer.Good}
	if t.Flip != nil && *t.Flip < 0 {
		c.Tone = answer.Bad
	}
	return c
}

// methods names the methods used for the numbers of the answer, "" without judged trials.
func (a *Answer) methods() string {
	var names []string
	seen := map[string]bool{}
	add := func(key string) {
		if key != "" && !seen[key] {
			seen[key] = true
			names = append(names, methodName(key))
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
