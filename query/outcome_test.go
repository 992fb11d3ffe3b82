package query_test

import (
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/querytest"
)

func TestOutcome(t *testing.T) {
	user, words := model.Head{Role: model.User, Flags: model.Prompt | model.HasWords}, model.Head{Role: model.Assistant, Flags: model.HasWords}
	score := 0.5
	for _, c := range []struct {
		name    string
		session model.Session
		heads   []model.Head
		want    query.RunOutcome
	}{
		{"nothing", model.Session{}, nil, query.RunOutcome{State: model.RunUnknown}},
		{"the format's end", model.Session{Ended: true, Outcome: model.Failure, Reason: "max iterations (50)", Score: 0.5, Scored: true}, []model.Head{words}, query.RunOutcome{model.RunFailed, "max iterations (50)", &score}},
		{"finished", model.Session{Ended: true, Outcome: model.Success, Reason: "success"}, nil, query.RunOutcome{State: model.RunFinished, Reason: "success"}},
		{"stopped", model.Session{Ended: true, Outcome: model.Stopped}, nil, query.RunOutcome{State: model.RunInterrupted}},
		{"end of turn", model.Session{Stop: model.StopEnd}, []model.Head{user, words}, query.RunOutcome{State: model.RunFinished, Reason: "end of turn"}},
		{"output limit", model.Session{Stop: model.StopLength}, []model.Head{user, words}, query.RunOutcome{State: model.RunFailed, Reason: "output limit"}},
		{"no answer", model.Session{Stop: model.StopEnd}, []model.Head{words, user}, query.RunOutcome{State: model.RunOpen, Reason: "the model has not answered"}},
		{"interrupted", model.Session{}, []model.Head{user, {Role: model.Assistant, Flags: model.Interrupted}}, query.RunOutcome{State: model.RunInterrupted, Reason: "interrupted"}},
		{"open call", model.Session{}, []model.Head{user, {Role: model.Assistant, Flags: model.HasOpenCall}}, query.RunOutcome{State: model.RunOpen, Reason: "a call has no result"}},
		{"the file just stops", model.Session{}, []model.Head{user, words}, query.RunOutcome{State: model.RunUnknown}},
	} {
		g := querytest.NewGrowing()
		g.Ix.Sessions[0] = c.session
		for _, h := range c.heads {
			g.Add(h)
		}
		s := g.Snapshot()
		got := query.Outcome(s, 0)
		if got.State != c.want.State || got.Reason != c.want.Reason || (got.Score == nil) != (c.want.Score == nil) {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
	if got := query.Outcome(querytest.NewGrowing().Snapshot(), 7); got.State != model.RunUnknown {
		t.Errorf("a session that is not there: %+v", got)
	}
}
