package runs

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"turns/model"
	"turns/query"
	"turns/query/answer"
	"turns/query/describe"
	"turns/query/human"
)

// RunInfo describes a session of a folder.
type RunInfo struct {
	Path    string           `json:"path"`
	Session human.TextOrNull `json:"session"` // in a file with several sessions: its id
	place   string           // the notation with which the program opens it
	Task    human.TextOrNull `json:"task"`  // id of its task, "" if not recorded
	Title   human.TextOrNull `json:"title"` // "" if it has none
	Prompt  human.TextOrNull `json:"prompt"`
	Totals  DiffTotals       `json:"totals"`
}

// key returns the name by which a session is paired: its task, title or first prompt; without all
// of them its file name.
func (r *RunInfo) key() string {
	switch {
	case r.Task != "":
		return string(r.Task)
	case r.Title != "":
		return string(r.Title)
	case r.Prompt != "":
		return string(r.Prompt)
	}
	return filepath.Base(r.Path)
}

// TrialMeans are the means over the trials of a task.
type TrialMeans struct {
	Trials   int          `json:"trials"`
	Passed   *float64     `json:"passed"` // share of the judged trials; null: none judged
	Score    *float64     `json:"score"`
	Calls    float64      `json:"tool_calls"`
	Errors   float64      `json:"tool_errors"`
	Tokens   float64      `json:"total_tokens"`
	Took     human.Millis `json:"duration_seconds"`
	Paths    []string     `json:"paths"`
	Sessions []string     `json:"sessions"` // by path: id in a file with several, "" in others
	// the paths with which the program opens them: with the number of the session after a #
	Places []string `json:"-"`
	judged int      // trials; of a sum, the tasks with any
	scored int      // trials with a score; of a sum, the tasks with any
}

// TaskDiff is a task in both folders.
type TaskDiff struct {
	Task human.TextOrNull `json:"task"`
	A    TrialMeans       `json:"a"`
	B    TrialMeans       `json:"b"`
	// fixed, broken, or "" if the outcome is the same or one is missing
	Flip string `json:"flip"`
}

// DirsAnswer compares two folders of sessions.
type DirsAnswer struct {
	Version int        `json:"version"`
	A       TrialMeans `json:"a"` // over the common tasks
	B       TrialMeans `json:"b"`
	Pairs   int        `json:"pairs"`
	Fixed   int        `json:"fixed"`
	Broken  int        `json:"broken"`
	OnlyA   int        `json:"only_a"`
	OnlyB   int        `json:"only_b"`
	Tasks   []TaskDiff `json:"tasks"`
}

// passed reports whether a session passed: by its score, or without a score by its end. A failed
// session did not pass. A finished one passed only if no session of the comparison has a score.
// judged is false if neither decides.
func (r *RunInfo) passed(scores bool) (passed, judged bool) {
	switch state := r.Totals.Outcome; {
	case r.Totals.Score != nil:
		return *r.Totals.Score > 0, true
	case state == model.RunUnknown, scores && state != model.RunFailed:
		return false, false
	default:
		return state == model.RunFinished, true
	}
}

func hasScore(r RunInfo) bool { return r.Totals.Score != nil }

// DiffDirs pairs the sessions of two folders and averages the trials of each task.
func DiffDirs(a, b []RunInfo) *DirsAnswer {
	d := &DirsAnswer{Version: human.AnswerVersion, Tasks: []TaskDiff{}}
	at := map[string]int{}
	scores := slices.ContainsFunc(a, hasScore) || slices.ContainsFunc(b, hasScore)
	gather := func(list []RunInfo, side func(*TaskDiff) *TrialMeans) {
		for i := range list {
			k, ok := at[list[i].key()]
			if !ok {
				k = len(d.Tasks)
				at[list[i].key()] = k
				d.Tasks = append(d.Tasks, TaskDiff{Task: human.TextOrNull(human.OneLine(list[i].key(), describe.LineMax))})
			}
			side(&d.Tasks[k]).add(&list[i], scores)
		}
	}
	gather(a, func(t *TaskDiff) *TrialMeans { return &t.A })
	gather(b, func(t *TaskDiff) *TrialMeans { return &t.B })
	for i := range d.Tasks {
		t := &d.Tasks[i]
		t.A.finish()
		t.B.finish()
		switch {
		case t.B.Trials == 0:
			d.OnlyA++
			continue
		case t.A.Trials == 0:
			d.OnlyB++
			continue
		case t.A.Passed == nil || t.B.Passed == nil:
		case *t.A.Passed < 0.5 && *t.B.Passed >= 0.5:
			t.Flip = "fixed"
			d.Fixed++
		case *t.A.Passed >= 0.5 && *t.B.Passed < 0.5:
			t.Flip = "broken"
			d.Broken++
		}
		d.Pairs++
		d.A.join(&t.A)
		d.B.join(&t.B)
	}
	d.A.mean(d.Pairs)
	d.B.mean(d.Pairs)
	slices.SortStableFunc(d.Tasks, func(x, y TaskDiff) int {
		return cmp.Or(flipRank(&x)-flipRank(&y), strings.Compare(string(x.Task), string(y.Task)))
	})
	return d
}

// flipRank sorts worse tasks first, and unpaired ones last.
func flipRank(t *TaskDiff) int {
	switch {
	case t.Flip == "broken":
		return 0
	case t.Flip == "fixed":
		return 1
	case t.A.Trials == 0 || t.B.Trials == 0:
		return 3
	}
	return 2
}

func (m *TrialMeans) add(r *RunInfo, scores bool) {
	m.Trials++
	if passed, judged := r.passed(scores); judged {
		m.judged++
		if m.Passed == nil {
			m.Passed = new(float64)
		}
		if passed {
			*m.Passed++
		}
	}
	m.Calls += float64(r.Totals.Calls)
	m.Errors += float64(r.Totals.Errors)
	m.Tokens += float64(r.Totals.Tokens)
	m.Took += r.Totals.Took
	if s := r.Totals.Score; s != nil {
		if m.Score == nil {
			m.Score = new(float64)
		}
		*m.Score += *s
		m.scored++
	}
	m.Paths, m.Sessions = append(m.Paths, r.Path), append(m.Sessions, string(r.Session))
	r.place = cmp.Or(r.place, r.Path)
	m.Places = append(m.Places, r.place)
}

// finish divides sums by the number of trials of the task.
func (m *TrialMeans) finish() {
	if m.Paths == nil {
		m.Paths, m.Sessions = []string{}, []string{}
	}
	m.mean(m.Trials)
}

func (m *TrialMeans) mean(n int) {
	if n == 0 {
		return
	}
	x := float64(n)
	m.Calls, m.Errors, m.Tokens, m.Took = m.Calls/x, m.Errors/x, m.Tokens/x, m.Took/human.Millis(n)
	if m.Passed != nil {
		*m.Passed /= float64(m.judged)
	}
	if m.Score != nil {
		*m.Score /= float64(m.scored)
	}
}

func (m *TrialMeans) join(o *TrialMeans) {
	m.Trials += o.Trials
	if o.Passed != nil {
		if m.Passed == nil {
			m.Passed = new(float64)
		}
		*m.Passed += *o.Passed
		m.judged++
	}
	m.Calls += o.Calls
	m.Errors += o.Errors
	m.Tokens += o.Tokens
	m.Took += o.Took
	if m.Paths == nil {
		m.Paths, m.Sessions = []string{}, []string{}
	}
	if o.Score != nil {
		if m.Score == nil {
			m.Score = new(float64)
		}
		*m.Score += *o.Score
		m.scored++
	}
}

// Differs reports whether the folders differ in the aspects in by: calls (their number, or a task
// that only one has), text (an error: not compared between folders), outcomes (the share of a
// task's trials that passed).
func (d *DirsAnswer) Differs(by string) (bool, error) {
	differs := false
	for name := range strings.SplitSeq(by, ",") {
		switch strings.TrimSpace(name) {
		case "calls":
			differs = differs || d.OnlyA+d.OnlyB > 0
			for i := range d.Tasks {
				differs = differs || d.Tasks[i].A.Calls != d.Tasks[i].B.Calls
			}
		case "text":
			return false, fmt.Errorf("comparing folders by %q: known are calls, outcomes", name)
		case "outcomes":
			for i := range d.Tasks {
				t := &d.Tasks[i]
				differs = differs || t.A.Trials > 0 && t.B.Trials > 0 && !samePassed(&t.A, &t.B)
			}
		default:
			return false, fmt.Errorf("comparing by %q: known are calls, outcomes", name)
		}
	}
	return differs, nil
}

// samePassed reports whether the shares are equal, or one is unknown.
func samePassed(a, b *TrialMeans) bool {
	return a.Passed == nil || b.Passed == nil || *a.Passed == *b.Passed
}

// WriteJSON writes the answer.
func (d *DirsAnswer) WriteJSON(_ context.Context, w io.Writer) error { return query.WriteJSON(w, d) }

// Counts returns the numbers of tasks and flips; a and b are names of the folders.
func (d *DirsAnswer) Counts(a, b string) []answer.Line {
	both, _ := strings.CutPrefix(human.Plural(d.Pairs, "task in both", "tasks in both"), human.Count(d.Pairs)+" ")
	return append([]answer.Line{{Number: human.Count(d.Pairs), Note: both}}, answer.Counted(
		answer.Line{Number: human.Count(d.Broken), Tone: answer.Bad, Note: "broken"}, answer.Line{Number: human.Count(d.Fixed), Tone: answer.Good, Note: "fixed"},
		answer.Line{Number: human.Count(d.OnlyA), Note: "only in " + a}, answer.Line{Number: human.Count(d.OnlyB), Note: "only in " + b})...)
}

// Doc describes the totals, with a row per task. Both names are those of the folders.
func (d *DirsAnswer) Doc(nameA, nameB string) *answer.Doc {
	doc := &answer.Doc{Title: twoNames(nameA, nameB)}
	doc.AddText(answer.Facts(d.Counts("a", "b")...))
	doc.AddTable("", answer.OfList(TaskColumns(), append([]TaskDiff{*d.Mean()}, d.Tasks...)))
	return doc
}

// Mean returns the row of the means over the tasks in both folders.
func (d *DirsAnswer) Mean() *TaskDiff {
	return &TaskDiff{Task: "mean of the tasks in both", A: d.A, B: d.B}
}

// TaskColumns returns the columns of the tasks of two folders. Numbers sort by their change.
func TaskColumns() []answer.Column[*TaskDiff] {
	type column = answer.Column[*TaskDiff]
	return []column{
		{Name: "task", Head: "task", Room: 50, Width: 14, Flex: 1, Asc: true, Cell: func(t *TaskDiff) answer.Cell { return answer.Cell{Text: string(t.Task)} },
			Order: answer.By(func(t *TaskDiff) string { return string(t.Task) })},
		{Name: "flip", Head: "flip", Kind: answer.Word, Width: 6, Gap: 1, Asc: true, Cell: (*TaskDiff).flip, Order: answer.By(flipRank)},
		sides(column{Name: "trials", Head: "trials ", Width: 7, Drop: 6}, 0, func(m *TrialMeans) (float64, string) { return float64(m.Trials), human.Count(m.Trials) }),
		sides(column{Name: "passed", Head: "passed  ", Width: 13, Drop: 3}, -1, (*TrialMeans).passed),
		sides(column{Name: "calls", Head: "calls   ", Width: 13}, 0, func(m *TrialMeans) (float64, string) { return m.Calls, meanText(m.Calls) }),
		sides(column{Name: "errors", Head: "errors  ", Width: 13, Drop: 4}, 1, func(m *TrialMeans) (float64, string) { return m.Errors, meanText(m.Errors) }),
		sides(column{Name: "tokens", Head: "tokens   ", Width: 15, Drop: 5}, 0, func(m *TrialMeans) (float64, string) { return m.Tokens, human.Short(int64(m.Tokens)) }),
		sides(column{Name: "time", Head: "time    ", Width: 15, Drop: 7}, 0, func(m *TrialMeans) (float64, string) { return float64(m.Took), m.Took.String() }),
	}
}

// sides completes a column of a number of both folders; worse is the sign of a change for the worse.
func sides(c answer.Column[*TaskDiff], worse float64, of func(*TrialMeans) (float64, string)) answer.Column[*TaskDiff] {
	change := func(t *TaskDiff) float64 {
		a, _ := of(&t.A)
		b, _ := of(&t.B)
		return b - a
	}
	text := func(m *TrialMeans) string {
		if m.Trials == 0 {
			return human.NotSaid
		}
		_, s := of(m)
		return s
	}
	c.Kind, c.Gap, c.Order = answer.Pair, 1, answer.By(change)
	c.Cell = func(t *TaskDiff) answer.Cell {
		cell := answer.Cell{Text: text(&t.A) + answer.Both + text(&t.B)}
		switch {
		case t.A.Trials == 0 || t.B.Trials == 0:
			cell.Tone = answer.Dim
		case worse*change(t) > 0:
			cell.Tone = answer.Bad
		}
		return cell
	}
	return c
}

func meanText(x float64) string { return strings.TrimSuffix(human.ShortFloat(x, 1), ".0") }

// flip returns the change of the outcome, or which folder lacks the task.
func (t *TaskDiff) flip() answer.Cell {
	switch {
	case t.Flip == "broken":
		return answer.Cell{Text: t.Flip, Tone: answer.Bad}
	case t.Flip != "":
		return answer.Cell{Text: t.Flip, Tone: answer.Good}
	case t.A.Trials > 0 && t.B.Trials == 0:
		return answer.Cell{Text: "only a", Tone: answer.Dim}
	case t.B.Trials > 0 && t.A.Trials == 0:
		return answer.Cell{Text: "only b", Tone: answer.Dim}
	}
	return answer.Cell{}
}

// passed returns the share that passed, 0 and – if no trial was judged.
func (m *TrialMeans) passed() (float64, string) {
	if m.Passed == nil {
		return 0, human.NotSaid
	}
	return *m.Passed, human.Percent(int(1000**m.Passed), 1000)
}

// taskNames are the fields of transcripts with the name of their task.
var taskNames = []string{"task_id", "instance_id", "sample_id", "problem_id"}

// NewRunInfos describes the sessions of a file: one for each conversation with selected messages.
// An evaluation's log has one for each sample.
func NewRunInfos(ctx context.Context, path string, run DiffRun) ([]RunInfo, error) {
	if run.Turns == nil {
		run.Turns = query.NewTurnIndex(run.Snap)
	}
	s := run.Snap
	parts := make([][]model.ID, len(s.Sessions()))
	for _, id := range run.IDs {
		n := s.Threads()[s.HeadRow(id).Thread].Session
		parts[n] = append(parts[n], id)
	}
	several := len(slices.DeleteFunc(slices.Clone(parts), func(ids []model.ID) bool { return len(ids) == 0 })) > 1
	var list []RunInfo
	for n, ids := range parts {
		if len(ids) == 0 {
			continue
		}
		info, err := runInfo(ctx, path, DiffRun{query.Selection{Snap: s, IDs: ids}, run.Tokens, run.Turns, run.Prices})
		if err != nil {
			return list, err
		}
		info.place = placeOf(path, n, several)
		if several {
			if info.Session = human.TextOrNull(s.Sessions()[n].Field("session")); info.Session == "" {
				info.Session = human.TextOrNull(strconv.Itoa(n))
			}
		}
		list = append(list, info)
	}
	return list, nil
}

// Task returns the recorded task of a session, or the task in a file name of evaluation tools; ""
// if there is none.
func Task(snap *model.Snapshot, se *model.Session, path string) string {
	for _, name := range taskNames {
		task := human.OneLine(se.Field(name), describe.LineMax)
		if task == "" {
			continue
		}
		// samples of different evaluations share numbers
		if whole := &snap.Sessions()[0]; se != whole && whole.Count == 0 && whole.Field("title") != "" {
			task = human.OneLine(whole.Field("title"), describe.LineMax) + " " + task
		}
		return task
	}
	return taskOfPath(snap.Format(), path)
}

// runInfo describes a session.
func runInfo(ctx context.Context, path string, run DiffRun) (RunInfo, error) {
	info := RunInfo{Path: path}
	var err error
	if info.Totals, err = run.totals(ctx); err != nil {
		return info, err
	}
	se := run.Snap.Session(run.IDs[0])
	info.Title = human.TextOrNull(human.OneLine(se.Field("title"), describe.LineMax))
	info.Task = human.TextOrNull(Task(run.Snap, se, path))
	for _, id := range run.IDs {
		h := run.Snap.HeadRow(id)
		if h.Role != model.User || h.Flags&model.Prompt == 0 {
			continue
		}
		m, err := run.Snap.Body(ctx, id)
		if err != nil {
			return info, err
		}
		info.Prompt = human.TextOrNull(describe.FirstWords(m))
		break
	}
	return info, nil
}

// taskOfPath returns the task in a file name: SWE-agent and mini-swe-agent write INSTANCE.traj,
// Harbor puts its trajectories below TASK__TRIAL.
func taskOfPath(format, name string) string {
	parts := strings.Split(strings.ReplaceAll(name, `\`, "/"), "/")
	switch format {
	case "swe-agent", "mini-swe-agent":
		base, ok := strings.CutSuffix(strings.TrimSuffix(parts[len(parts)-1], ".json"), ".traj")
		if ok {
			return base
		}
	case "atif":
		for _, part := range slices.Backward(parts[:len(parts)-1]) {
			if i := strings.LastIndex(part, "__"); i > 0 && len(part)-i-2 == harborTrial {
				return part[:i]
			}
		}
	}
	return ""
}

// harborTrial is the length of Harbor's names for trials.
const harborTrial = 7
