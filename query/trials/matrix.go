package trials

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"turns/query/human"
)

// Verdict reports whether a trial passed.
type Verdict uint8

// The verdicts. The zero value means that the trial has no recorded verdict.
const (
	Missing Verdict = iota
	Running         // the session has not ended
	Failed
	Passed
)

var verdicts = [...]struct{ word, mark string }{
	Missing: {"missing", "?"}, Running: {"running", "…"}, Failed: {"failed", "✗"}, Passed: {"passed", "✓"},
}

// String returns the word for a verdict: missing, running, failed or passed.
func (v Verdict) String() string { return verdicts[min(int(v), len(verdicts)-1)].word }

// Mark returns the verdict as one cell: ? … ✗ ✓.
func (v Verdict) Mark() string { return verdicts[v].mark }

// MarshalText returns the word.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// Measure is a quantity of each trial.
type Measure uint8

// The measures.
const (
	Tokens  Measure = iota // recorded input and output, cached input included
	Cost                   // US dollars
	Seconds                // from the first record to the last
	Calls
	Errors
	measures
)

// Trial is one session of a task.
type Trial struct {
	Task          string           `json:"task"`
	Configuration string           `json:"configuration"`
	Trial         human.TextOrNull `json:"trial"` // number in the source, "" if it has none
	Path          string           `json:"path"`  // as the program opens it
	Session       human.TextOrNull `json:"session"`
	Title         human.TextOrNull `json:"title"`
	Verdict       Verdict          `json:"verdict"`
	// Score is as recorded; null: none.
	Score *float64 `json:"score"`

	values [measures]float64
	known  uint8
}

// Set records a measure of the trial. Medians leave out trials without the measure.
func (t *Trial) Set(m Measure, v float64) {
	t.values[m] = v
	t.known |= 1 << m
}

// Get returns a measure of the trial; ok is false if it is unknown.
func (t *Trial) Get(m Measure) (v float64, ok bool) { return t.values[m], t.known&(1<<m) != 0 }

// Cell has the trials of one task in one configuration, in the order of their numbers.
type Cell struct {
	Passed  int   `json:"passed"`
	Judged  int   `json:"judged"` // passed or failed
	Missing int   `json:"missing"`
	Running int   `json:"running"`
	Trials  []int `json:"trials"` // indexes of the answer's list of trials
}

// Count returns the numbers of passed and judged trials of the cell.
func (c *Cell) Count() Count { return Count{c.Passed, c.Judged} }

// Rate returns the share of the judged trials that passed; ok is false without judged trials.
func (c *Cell) Rate() (rate float64, ok bool) {
	return float64(c.Passed) / float64(max(c.Judged, 1)), c.Judged > 0
}

// Task is a row of the matrix: a cell for each configuration.
type Task struct {
	Name  string `json:"task"`
	Cells []Cell `json:"cells"`
	// Flip is the change in the share of passed trials from the first to the last configuration,
	// from -1 to 1; null: one of the two has no judged trial.
	Flip *float64 `json:"flip"`
}

// Configuration is a column of the matrix.
type Configuration struct {
	Name    string `json:"configuration"`
	Tasks   int    `json:"tasks"` // with a judged trial
	Trials  int    `json:"trials"`
	Passed  int    `json:"passed"`
	Failed  int    `json:"failed"`
	Missing int    `json:"missing"` // without a verdict, and not counted as failed
	Running int    `json:"running"`
	// Rate is null without a judged trial.
	Rate    *Interval `json:"pass_rate"`
	PassAt  []OfK     `json:"pass_at_k"`
	PassAll []OfK     `json:"pass_all_k"`
	// Medians over the means of tasks; null: not recorded.
	Tokens  *Median `json:"tokens"`
	Cost    *Median `json:"cost_usd"`
	Seconds *Median `json:"duration_seconds"`
	Calls   *Median `json:"tool_calls"`
	Errors  *Median `json:"tool_errors"`
}

// Comparison compares a configuration with the first one.
type Comparison struct {
	A string `json:"a"`
	B string `json:"b"`
	// Difference is over the common tasks; null: none.
	*Difference `json:"difference"`
}

// Answer has trials as a matrix of tasks and configurations.
type Answer struct {
	Tasks          []Task          `json:"tasks"`
	Configurations []Configuration `json:"configurations"`
	Comparisons    []Comparison    `json:"comparisons"`
	Trials         []Trial         `json:"trials"`
	// NoTask is the number of sessions left out because their task is unknown.
	NoTask int `json:"sessions_without_task"`
}

// New arranges trials in a matrix. Configurations follow order, then the remaining ones by
// name; tasks are sorted by name, numbers by value. Trials without a task are only counted, in
// Answer.NoTask.
func New(list []Trial, order []string) *Answer {
	a := &Answer{Tasks: []Task{}, Configurations: []Configuration{}, Comparisons: []Comparison{}, Trials: []Trial{}}
	for i := range list {
		if list[i].Task == "" {
			a.NoTask++
		} else {
			a.Trials = append(a.Trials, list[i])
		}
	}
	slices.SortStableFunc(a.Trials, func(x, y Trial) int {
		return cmp.Or(natural(x.Task, y.Task), rank(order, x.Configuration)-rank(order, y.Configuration),
			natural(x.Configuration, y.Configuration), natural(string(x.Trial), string(y.Trial)), strings.Compare(x.Path, y.Path))
	})
	columns := map[string]int{}
	for _, name := range a.columnNames(order) {
		columns[name] = len(a.Configurations)
		a.Configurations = append(a.Configurations, Configuration{Name: name})
	}
	for i := range a.Trials {
		t := &a.Trials[i]
		if n := len(a.Tasks); n == 0 || a.Tasks[n-1].Name != t.Task {
			a.Tasks = append(a.Tasks, Task{Name: t.Task, Cells: make([]Cell, len(columns))})
		}
		a.Tasks[len(a.Tasks)-1].Cells[columns[t.Configuration]].add(i, t.Verdict)
	}
	for i := range a.Tasks {
		a.Tasks[i].finish()
	}
	for i := range a.Configurations {
		a.configuration(i)
	}
	a.compare()
	return a
}

// columnNames returns the configurations with trials, in order.
func (a *Answer) columnNames(order []string) []string {
	var names []string
	for i := range a.Trials {
		if name := a.Trials[i].Configuration; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(x, y string) int { return cmp.Or(rank(order, x)-rank(order, y), natural(x, y)) })
	return names
}

// rank returns the index of a name in an order; other names come last.
func rank(order []string, name string) int {
	if i := slices.Index(order, name); i >= 0 {
		return i
	}
	return len(order)
}

func (c *Cell) add(i int, v Verdict) {
	c.Trials = append(c.Trials, i)
	switch v {
	case Passed:
		c.Passed, c.Judged = c.Passed+1, c.Judged+1
	case Failed:
		c.Judged++
	case Running:
		c.Running++
	default:
		c.Missing++
	}
}

func (t *Task) finish() {
	for i := range t.Cells {
		if t.Cells[i].Trials == nil {
			t.Cells[i].Trials = []int{}
		}
	}
	first, ok1 := t.Cells[0].Rate()
	last, ok2 := t.Cells[len(t.Cells)-1].Rate()
	if ok1 && ok2 && len(t.Cells) > 1 {
		flip := last - first
		t.Flip = &flip
	}
}

// counts returns the judged trials of one configuration, by task.
func (a *Answer) counts(column int) []Count {
	list := make([]Count, len(a.Tasks))
	for i := range a.Tasks {
		list[i] = a.Tasks[i].Cells[column].Count()
	}
	return list
}

func (a *Answer) configuration(column int) {
	c := &a.Configurations[column]
	for i := range a.Tasks {
		cell := &a.Tasks[i].Cells[column]
		if cell.Judged > 0 {
			c.Tasks++
		}
		c.Trials += len(cell.Trials)
		c.Passed += cell.Passed
		c.Failed += cell.Judged - cell.Passed
		c.Missing += cell.Missing
		c.Running += cell.Running
	}
	counts := a.counts(column)
	if c.Passed+c.Failed > 0 {
		rate := passRate(counts)
		c.Rate = &rate
	}
	c.PassAt, c.PassAll = overK(counts, PassAt), overK(counts, PassAll)
	for m, to := range map[Measure]**Median{Tokens: &c.Tokens, Cost: &c.Cost, Seconds: &c.Seconds, Calls: &c.Calls, Errors: &c.Errors} {
		*to = medianOf(a.means(column, m))
	}
}

// means returns a measure of each task: the mean over its finished trials with a known value.
func (a *Answer) means(column int, m Measure) []float64 {
	var list []float64
	for i := range a.Tasks {
		sum, n := 0.0, 0
		for _, at := range a.Tasks[i].Cells[column].Trials {
			if v, ok := a.Trials[at].Get(m); ok && a.Trials[at].Verdict != Running {
				sum, n = sum+v, n+1
			}
		}
		if n > 0 {
			list = append(list, sum/float64(n))
		}
	}
	return list
}

// compare compares every configuration with the first.
func (a *Answer) compare() {
	var all []*Difference
	for i := 1; i < len(a.Configurations); i++ {
		d := Compare(a.counts(0), a.counts(i))
		all = append(all, d)
		a.Comparisons = append(a.Comparisons, Comparison{a.Configurations[0].Name, a.Configurations[i].Name, d})
	}
	if len(all) > 1 {
		Holm(all)
	}
}

// Pair returns the two most informative trials of a task: of the first and the last configuration,
// with different verdicts if possible; otherwise of one configuration that passed once and failed
// once; otherwise the first two. ok is false if there is only one trial.
func (a *Answer) Pair(t *Task) (x, y int, ok bool) {
	first, last := t.Cells[0].Trials, t.Cells[len(t.Cells)-1].Trials
	for _, lists := range [][2][]int{{first, last}, {first, first}, {last, last}} {
		if x, y, ok = a.differ(lists[0], lists[1]); ok {
			return x, y, true
		}
	}
	if len(t.Cells) > 1 && len(first) > 0 && len(last) > 0 {
		return first[0], last[0], true
	}
	var all []int
	for i := range t.Cells {
		all = append(all, t.Cells[i].Trials...)
	}
	if len(all) < 2 {
		return 0, 0, false
	}
	return all[0], all[1], true
}

// differ finds a trial of each list such that one passed and the other failed.
func (a *Answer) differ(xs, ys []int) (x, y int, ok bool) {
	for _, x := range xs {
		for _, y := range ys {
			if v, w := a.Trials[x].Verdict, a.Trials[y].Verdict; v+w == Passed+Failed && v != w && min(v, w) == Failed {
				return x, y, true
			}
		}
	}
	return 0, 0, false
}

// Order is the order of the rows of a matrix.
type Order string

// The orders: by name; by the size of the flip, largest first; by pass rate, smallest first; by
// the total cost of the trials, highest first.
const (
	ByTask  Order = "task"
	ByFlips Order = "flips"
	ByRate  Order = "rate"
	ByCost  Order = "cost"
)

// Orders returns all orders.
func Orders() []Order { return []Order{ByTask, ByFlips, ByRate, ByCost} }

// Sort sorts the tasks; equal ones are sorted by name.
func (a *Answer) Sort(by Order) {
	key := func(t *Task) float64 {
		switch by {
		case ByFlips:
			if t.Flip == nil {
				return 1
			}
			return -math.Abs(*t.Flip)
		case ByRate:
			if rate, ok := a.TaskRate(t); ok {
				return rate
			}
			return 2 // after all others
		case ByCost:
			cost, _ := a.TaskCost(t)
			return -cost
		}
		return 0
	}
	slices.SortStableFunc(a.Tasks, func(x, y Task) int {
		return cmp.Or(cmp.Compare(key(&x), key(&y)), natural(x.Name, y.Name))
	})
}

// TaskRate returns the share of all judged trials of a task that passed; ok is false without judged
// trials.
func (a *Answer) TaskRate(t *Task) (rate float64, ok bool) {
	passed, judged := 0, 0
	for i := range t.Cells {
		passed, judged = passed+t.Cells[i].Passed, judged+t.Cells[i].Judged
	}
	return float64(passed) / float64(max(judged, 1)), judged > 0
}

// TaskCost returns the total cost of a task's trials; ok is false if no cost is known.
func (a *Answer) TaskCost(t *Task) (sum float64, ok bool) {
	for i := range t.Cells {
		for _, at := range t.Cells[i].Trials {
			if v, known := a.Trials[at].Get(Cost); known {
				sum, ok = sum+v, true
			}
		}
	}
	return sum, ok
}

// natural compares names, with numbers by value: task 2 is before task 10.
func natural(a, b string) int {
	for a != "" && b != "" {
		x, y := digits(a), digits(b)
		if x > 0 && y > 0 {
			na, nb := strings.TrimLeft(a[:x], "0"), strings.TrimLeft(b[:y], "0")
			if c := cmp.Or(len(na)-len(nb), strings.Compare(na, nb)); c != 0 {
				return c
			}
			a, b = a[x:], b[y:]
			continue
		}
		if a[0] != b[0] {
			return int(a[0]) - int(b[0])
		}
		a, b = a[1:], b[1:]
	}
	return len(a) - len(b)
}

// digits returns the number of digits at the beginning of a text.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
