package trials

import (
	"fmt"
	"testing"

	"turns/query/answer"
)

// TestTrialColumns prints the trials of a cell, and sorts them by each column.
func TestTrialColumns(t *testing.T) {
	score := 0.25
	a := &Answer{Trials: []Trial{{Trial: "x"}, {Verdict: Passed, Score: &score, Title: "Fix it"}, {Verdict: Failed, Trial: "10"}}}
	for i, m := range [...]Measure{Calls, Errors, Tokens, Cost, Seconds} {
		a.Trials[1].Set(m, []float64{1234, 0, 1500, 0.5, 90}[i])
		a.Trials[2].Set(m, 2)
	}
	list := a.TrialsOf(&Cell{Trials: []int{2, 1}})
	want := "verdict   trial  score  calls  errors  tokens   cost   time  title\n" +
		"✗ failed  10         –      2       2       2  $2.00   2.0s\n" +
		"✓ passed  2       0.25  1,234       ·    1.5k  $0.50  1m30s  Fix it\n"
	if got := answer.Alone(answer.OfList(TrialColumns(), list)).String(); got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
	if a.Trials[1].Trial != "" {
		t.Error("the answer itself has a number that the source lacks")
	}
	got := ""
	for _, c := range TrialColumns() {
		got += fmt.Sprint(c.Order(&list[0], &list[1]), " ")
	}
	if want := "1 1 -1 -1 1 -1 1 -1 -1 "; got != want {
		t.Errorf("orders %s, want %s", got, want)
	}
	if c := TrialColumns()[0].Cell(&a.Trials[0]); c.Tone != answer.Dim {
		t.Errorf("a trial without a verdict is %+v", c)
	}
}
