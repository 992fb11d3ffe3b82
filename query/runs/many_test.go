package runs

import (
	"fmt"
	"strings"
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/answer"
	"turns/query/human"
	"turns/query/querytest"
)

// trials returns runs of one task with different calls; one of them fails.
func trials() (list []DiffRun) {
	bash := func(id, cmd string) model.Message {
		return querytest.Null(model.Assistant, querytest.Call(id, "Bash", fmt.Sprintf(`{"command":%q}`, cmd)))
	}
	ask, done := querytest.Message(model.User, "fix it"), querytest.Message(model.Assistant, "Done.")
	ok, bad := querytest.Result("1", "ok"), querytest.Failed("1", "Exit code 2")
	for _, msgs := range [][]model.Message{
		{ask, bash("1", "ls"), querytest.Tool(ok), done},
		{ask, bash("1", "ls"), querytest.Tool(bad), bash("2", "pwd"), done},
		{ask, bash("1", "cat x"), querytest.Tool(ok), bash("2", "pwd"), querytest.Message(model.Assistant, "Finished.")},
	} {
		list = append(list, DiffRun{Selection: query.Everything(model.FromMessages(msgs))})
	}
	return list
}

// TestDiffMany: matching items of three runs share a row, even if the first run lacks the item.
func TestDiffMany(t *testing.T) {
	d, err := DiffMany(t.Context(), []string{"a.jsonl", "b.jsonl", "c.jsonl"}, trials())
	if err != nil {
		t.Fatal(err)
	}
	var rows strings.Builder
	for _, r := range d.Rows {
		fmt.Fprint(&rows, r.Same)
		for _, side := range r.Sides {
			text := "–"
			if side != nil {
				text = side.Text
			}
			fmt.Fprint(&rows, " | "+text)
		}
		fmt.Fprintln(&rows)
	}
	if want := `true | fix it | fix it | fix it
false | Bash ls | Bash ls | Bash cat x
false | – | Bash pwd | Bash pwd
false | Done. | Done. | Finished.
`; rows.String() != want || d.Same != 1 {
		t.Errorf("%d the same of\n%s, want\n%s", d.Same, rows.String(), want)
	}
	for by, want := range map[string]bool{"calls": true, "text": true, "outcomes": true} {
		if got, err := d.Differs(by); got != want || err != nil {
			t.Errorf("by %s: %v, %v", by, got, err)
		}
	}
	if _, err := d.Differs("colour"); err == nil {
		t.Error("runs can be compared by colour")
	}
	same, err := DiffMany(t.Context(), []string{"a", "a"}, []DiffRun{trials()[0], trials()[0]})
	if err != nil || same.Same != len(same.Rows) {
		t.Errorf("%v, %d of %d rows are the same", err, same.Same, len(same.Rows))
	}
	if differs, err := same.Differs("calls,text,outcomes"); differs || err != nil {
		t.Errorf("a run differs from itself: %v", err)
	}
}

// TestDiffManyIsTold: the numbers and the differences, as text, Markdown and JSON.
func TestDiffManyIsTold(t *testing.T) {
	d, err := DiffMany(t.Context(), []string{"a_1.jsonl", "b.jsonl", "c.jsonl"}, trials())
	if err != nil {
		t.Fatal(err)
	}
	var js strings.Builder
	if err := d.WriteJSON(t.Context(), &js); err != nil {
		t.Fatal(err)
	}
	for text, wants := range map[string][]string{
		d.Doc().String():   {"a  a_1.jsonl\nb  b.jsonl\n", "\ncalls           1        2        2\n", "\nerrors          0        1        0\n", "\n1 item equal in all sessions, 3 different\n", "\n–                  Bash pwd · pending  Bash pwd · pending\n"},
		d.Doc().Markdown(): {"- a  a_1.jsonl\n", "| calls | 1 | 2 | 2 |\n", "\n1 item equal in all sessions, 3 different\n", "| – | Bash pwd · pending | Bash pwd · pending |\n"},
		js.String(): {`"a_1.jsonl",`, `"same": 1,`, `"sides": [
        null,`},
	} {
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%q is missing in\n%s", want, text)
			}
		}
	}
	if letter(0) != "a" || letter(25) != "z" || letter(26) != "27" {
		t.Error("runs are called by other letters")
	}
}

// TestDirsDiffer: two folders are compared by each criterion, and shown in tables.
func TestDirsDiffer(t *testing.T) {
	one := 1.0
	info := func(task string, calls int, outcome model.RunState, score *float64) RunInfo {
		return RunInfo{Path: "/runs/" + task + ".jsonl", Task: human.TextOrNull(task), Totals: DiffTotals{Calls: calls, Outcome: outcome, Score: score}}
	}
	a := []RunInfo{info("x", 2, model.RunFailed, nil), info("y", 3, model.RunFinished, nil), info("old", 1, model.RunFinished, nil)}
	b := []RunInfo{info("x", 2, model.RunFinished, &one), info("y", 3, model.RunFailed, &one), info("new", 1, model.RunFailed, nil)}
	for _, c := range []struct {
		by      string
		a, b    []RunInfo
		differs bool
		err     string
	}{
		{"calls", a, b, true, ""}, {"calls", a[:2], b[:2], false, ""}, {"outcomes", a[:2], b[:2], true, ""}, {"outcomes", a[1:2], b[1:2], false, ""},
		{"outcomes", a[2:], b[2:], false, ""}, {"calls, outcomes", a[:1], b[:1], true, ""},
		{"text", a, b, false, `comparing folders by "text"`}, {"colour", a, b, false, `comparing by "colour"`},
	} {
		got, err := DiffDirs(c.a, c.b).Differs(c.by)
		if got != c.differs || (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("by %s: %v, %v", c.by, got, err)
		}
	}
	d := DiffDirs(a, b)
	var js strings.Builder
	doc := d.Doc("before_1", "after")
	if err := d.WriteJSON(t.Context(), &js); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(doc.String(), "2 tasks in both, 1 fixed, 1 only in a, 1 only in b\n\n") ||
		!strings.HasPrefix(doc.Markdown(), "# before_1 → after\n\n2 tasks in both, 1 fixed, 1 only in a, 1 only in b\n\n|") || !strings.Contains(js.String(), `"flip": "fixed"`) {
		t.Errorf("%s\n%s\n%s", doc, doc.Markdown(), &js)
	}
}

// TestTaskColumns prints the tasks of two folders and sorts them by their changes.
func TestTaskColumns(t *testing.T) {
	all, half := 1.0, 0.5
	tasks := []*TaskDiff{
		{Task: "a", A: TrialMeans{Trials: 2, Passed: &all, Calls: 2, Tokens: 1500, Took: 1000}, B: TrialMeans{Trials: 1, Passed: &half, Calls: 2.5, Errors: 1, Tokens: 900}, Flip: "broken"},
		{Task: "b", A: TrialMeans{Trials: 1, Passed: &half}, B: TrialMeans{Trials: 1, Passed: &all, Calls: 9}, Flip: "fixed"},
		{Task: "c", B: TrialMeans{Trials: 1}},
		{Task: "d", A: TrialMeans{Trials: 1}},
		{Task: "mean"},
	}
	columns := TaskColumns()
	want := "task  flip    trials        passed    calls  errors      tokens         time\n" +
		"a     broken   2 → 1  100 % → 50 %  2 → 2.5   0 → 1  1.5k → 900  1.0s → 0.0s\n" +
		"b     fixed    1 → 1  50 % → 100 %    0 → 9   0 → 0       0 → 0  0.0s → 0.0s\n" +
		"c     only b   – → 1         – → –    – → 0   – → 0       – → 0     – → 0.0s\n" +
		"d     only a   1 → –         – → –    0 → –   0 → –       0 → –     0.0s → –\n" +
		"mean           – → –         – → –    – → –   – → –       – → –        – → –\n"
	if got := answer.Alone(answer.Of(columns, tasks...)).String(); got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
	tones := ""
	for _, c := range columns {
		for _, task := range tasks[:3] {
			tones += fmt.Sprint(c.Cell(task).Tone)
		}
		tones += " "
	}
	if want := fmt.Sprintf("000 %d%d1 001 %d01 001 %d01 001 001 ", answer.Bad, answer.Good, answer.Bad, answer.Bad); tones != want {
		t.Errorf("tones %s, want %s", tones, want)
	}
	for i, want := range map[int]int{0: -1, 1: -1, 2: -1, 3: -1, 4: -1, 5: 1, 6: -1, 7: -1} {
		if got := columns[i].Order(tasks[0], tasks[1]); got != want {
			t.Errorf("%s sorts the first task by %d, want %d", columns[i].Name, got, want)
		}
	}
}

// TestSessionsWithoutScore: if other sessions have a score, a finished session without one has not
// passed; a session with an unknown end never has.
func TestSessionsWithoutScore(t *testing.T) {
	one := 1.0
	info := func(task string, outcome model.RunState, score *float64) RunInfo {
		return RunInfo{Task: human.TextOrNull(task), Totals: DiffTotals{Outcome: outcome, Score: score}}
	}
	d := DiffDirs(
		[]RunInfo{info("x", model.RunFinished, nil), info("y", model.RunFinished, &one), info("y", model.RunFinished, nil), info("z", model.RunUnknown, nil)},
		[]RunInfo{info("x", model.RunFailed, nil), info("y", model.RunFinished, &one), info("z", model.RunUnknown, nil)})
	got := ""
	for i := range d.Tasks {
		_, before := d.Tasks[i].A.passed()
		_, after := d.Tasks[i].B.passed()
		got += string(d.Tasks[i].Task) + " " + before + " " + after + d.Tasks[i].Flip + ", "
	}
	if got != "x – 0.0 %, y 100 % 100 %, z – –, " && got != "x – 0 %, y 100 % 100 %, z – –, " || d.Fixed+d.Broken != 0 {
		t.Error(got)
	}
	if d := DiffDirs([]RunInfo{info("x", model.RunUnknown, nil)}, []RunInfo{info("x", model.RunFailed, nil)}); d.Broken != 0 {
		t.Errorf("an unknown end is a pass: %s", d.Doc("a", "b"))
	}
}
