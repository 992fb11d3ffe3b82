package board

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"turns/model"
	"turns/query/session"
)

// The alerts of a session second by second: a held-back alert that no longer applies is dropped,
// another question is reported immediately, and the errors in a reported loop are not.
func TestAlertsOverTime(t *testing.T) {
	plan := asks
	plan.Running, plan.Tools = "ExitPlanMode", "ExitPlanMode"
	gone := model.Ending{State: model.RunFinished, Ended: true}
	for _, c := range []struct {
		name, on string
		steps    []step
		want     string
	}{
		{"a turn that ended again and went on", "idle",
			[]step{{0, bash, 0}, {1, turned, 0}, {2, bash, 0}, {3, turned, 0}, {4, bash, 0}}, "1 idle prompt"},
		{"a run that has ended since", "idle,ended",
			[]step{{0, bash, 0}, {1, turned, 0}, {2, bash, 0}, {3, turned, 0}, {4, gone, 0}}, "1 idle prompt; 4 ended end"},
		{"one that waits still", "idle",
			[]step{{0, bash, 0}, {1, turned, 0}, {2, bash, 0}, {3, turned, 0}}, "1 idle prompt; 11 idle prompt"},
		{"one that waits again", "idle",
			[]step{{0, bash, 0}, {1, turned, 0}, {2, bash, 0}, {3, turned, 0}, {4, bash, 0}, {5, turned, 0}}, "1 idle prompt; 11 idle prompt x2"},
		{"questions after the end of a turn", "idle,waiting",
			[]step{{0, bash, 0}, {1, turned, 0}, {3, asks, 0}, {5, plan, 0}}, "1 idle prompt; 3 waiting question; 5 waiting plan"},
		{"a loop that was left", "stuck,loop",
			[]step{{0, bash, 0}, {1, circles, 0}, {2, bash, 0}, {3, circles, 0}, {4, bash, 0}}, "1 stuck loop; 1 loop loop"},
		{"a loop of calls that fail", "error,stuck,loop",
			[]step{{0, bash, 0}, {1, bash, 1}, {2, bash, 2}, {3, circles, 3}, {4, circles, 4}, {14, circles, 5}, {24, circles, 6}}, "1 error tool; 3 stuck loop; 3 loop loop"},
		{"an error after it", "error,loop",
			[]step{{0, bash, 0}, {3, circles, 3}, {4, circles, 4}, {20, bash, 4}, {21, bash, 5}}, "3 loop loop; 21 error tool"},
		{"a loop that nobody asked for", "error",
			[]step{{0, bash, 0}, {3, circles, 3}, {4, circles, 4}, {14, circles, 5}}, "3 error loop; 13 error loop; 23 error loop"},
		{"a failure after an error", "error",
			[]step{{0, bash, 0}, {1, bash, 1}, {2, broken, 1}}, "1 error tool; 2 error error"},
	} {
		if got := toldOverTime(t, c.on, c.steps); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// step is the state of a session after some seconds, and the number of its failed calls.
type step struct {
	at     int
	ending model.Ending
	errors int
}

// toldOverTime returns the alerts of a session during some steps and a while after them.
func toldOverTime(t *testing.T, on string, steps []step) string {
	t.Helper()
	triggers, err := ParseTriggers(on)
	if err != nil {
		t.Fatal(err)
	}
	b := New(all)
	a := NewAlerts(triggers, b.At, Costs{})
	var told []string
	for second := range steps[len(steps)-1].at + 30 {
		now := began.Add(time.Duration(second) * time.Second)
		changes := b.Tick(now)
		if len(steps) > 0 && steps[0].at == second {
			s := run("/r", now.Sub(began), steps[0].ending)
			s.Errors = steps[0].errors
			changes, steps = b.Take([]session.Session{s}, nil, now), steps[1:]
		}
		for _, alert := range a.Of(changes, now) {
			text := fmt.Sprint(second, " ", alert.On, " ", alert.For)
			if alert.Times > 1 {
				text += fmt.Sprint(" x", alert.Times)
			}
			told = append(told, text)
		}
	}
	return strings.Join(told, "; ")
}
