package lanes

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/human"
	"turns/query/querytest"
)

// session is a conversation whose messages have times in seconds.
type session struct{ *querytest.Growing }

func (g session) add(seconds int64, h model.Head, calls ...model.Call) model.ID {
	id := model.ID(g.Ix.Heads.Len())
	last := model.NoRow
	for _, c := range calls {
		c.Msg, c.Prev, c.PrevResult = id, last, model.NoRow
		last = uint32(g.Ix.Calls.Append(c))
		h.Flags |= model.HasCalls
	}
	if seconds >= 0 {
		h.Time = querytest.T0 + 1000*seconds
	}
	g.Add(h)
	g.Ix.Heads.Amend(int(id)).LastCall = last
	return id
}

func (g session) arranged(t *testing.T) *Answer {
	t.Helper()
	a, err := Of(t.Context(), query.Everything(g.Snapshot()))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// stretched returns the kinds of a lane's stretches with their seconds.
func stretched(l *Lane) string {
	var out []string
	for _, s := range l.Stretches {
		out = append(out, fmt.Sprintf("%s %g", s.Kind, float64(s.Took)/1000))
	}
	return strings.Join(out, ", ")
}

// TestStretchesOfATurn divides the time of a turn whose response at 4 s makes calls.
func TestStretchesOfATurn(t *testing.T) {
	const ask, bash = 3, 2
	call := func(tool uint16, result model.ID, seconds uint32, flags model.CallFlags) model.Call {
		return model.Call{Tool: tool, Result: result, Took: 1000 * seconds, Flags: flags}
	}
	for _, c := range []struct {
		name    string
		calls   []model.Call
		results []int64 // times of the messages before the prompt at 100 s
		want    string
	}{
		{"no calls", nil, nil, "model 4, user 96"},
		{"a call", []model.Call{call(bash, 2, 6, 0)}, []int64{10}, "model 4, tools 6, user 90"},
		{"a question", []model.Call{call(ask, 2, 6, 0)}, []int64{10}, "model 4, asked 6, user 90"},
		{"a question during a call", []model.Call{call(ask, 2, 6, 0), call(bash, 3, 26, 0)}, []int64{10, 30}, "model 4, asked 6, tools 20, user 70"},
		{"a call during a question", []model.Call{call(ask, 3, 26, 0), call(bash, 2, 6, 0)}, []int64{10, 30}, "model 4, asked 6, asked 20, user 70"},
		{"a late question", []model.Call{call(ask, 2, 6, 0), call(bash, 2, 20, 0)}, []int64{30}, "model 4, idle 6, tools 14, asked 6, user 70"},
		{"a recorded duration", []model.Call{call(bash, 2, 6, 0)}, []int64{20}, "model 4, idle 10, tools 6, user 80"},
		{"a derived duration: the model wrote until then", []model.Call{call(bash, 2, 6, model.TookDerived)}, []int64{20}, "model 4, model 10, tools 6, user 80"},
		{"two derived durations", []model.Call{call(bash, 2, 6, model.TookDerived), call(bash, 2, 10, model.TookDerived)}, []int64{20}, "model 4, model 6, tools 10, user 80"},
		{"the first of them earlier", []model.Call{call(bash, 2, 10, model.TookDerived), call(bash, 2, 6, model.TookDerived)}, []int64{20}, "model 4, model 6, tools 10, user 80"},
		{"a pause between two calls", []model.Call{call(bash, 2, 4, 0), call(bash, 3, 4, 0)}, []int64{8, 20}, "model 4, tools 4, idle 8, tools 4, user 80"},
		{"no duration", []model.Call{{Tool: bash, Result: 2, Took: model.NoTook}}, []int64{20}, "model 4, idle 16, user 80"},
		{"a duration of 0", []model.Call{call(bash, 2, 0, model.TookDerived)}, []int64{20}, "model 4, idle 16, user 80"},
		{"a call that goes on", []model.Call{call(bash, model.NoID, 200, 0)}, nil, "model 4, tools 96"},
	} {
		g := session{querytest.NewGrowing()}
		g.Ix.Names = append(g.Ix.Names, "AskUserQuestion")
		g.add(0, model.Head{Role: model.User, Flags: model.Prompt | model.HasWords})
		g.add(4, model.Head{Role: model.Assistant}, c.calls...)
		for _, at := range c.results {
			g.add(at, model.Head{Role: model.Tool})
		}
		g.add(100, model.Head{Role: model.User, Flags: model.Prompt | model.HasWords})
		if got := stretched(&g.arranged(t).Lanes[0]); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestTimeOfAResponse: the clock returns the time from the message before a response of its thread.
func TestTimeOfAResponse(t *testing.T) {
	g := session{querytest.NewGrowing()}
	g.Ix.Threads = append(g.Ix.Threads, model.Thread{Call: model.CallID(model.NoRow)})
	for _, m := range []struct {
		at     int64
		thread uint32
		role   model.Role
	}{{5, 0, model.Assistant}, {9, 0, model.User}, {10, 1, model.Assistant}, {12, 0, model.Assistant}, {-1, 0, model.Assistant}, {11, 0, model.Assistant}, {14, 0, model.Assistant}, {17, 1, model.Assistant}} {
		g.add(m.at, model.Head{Role: m.role, Thread: m.thread})
	}
	s := g.Snapshot()
	c := NewClock(s)
	for id, want := range []int64{0, 0, 0, 3000, 0, 0, 2000, 7000} {
		if got := c.Next(s.HeadRow(model.ID(id)), true); got != want {
			t.Errorf("message %d came after %d ms, want %d", id, got, want)
		}
	}
}

// TestLanesOfThreads: main threads of a session share a lane, and a subagent has its own below it.
func TestLanesOfThreads(t *testing.T) {
	g := session{querytest.NewGrowing()}
	none := model.CallID(model.NoRow)
	g.Ix.Sessions = append(g.Ix.Sessions, model.Session{})
	g.Ix.Threads = []model.Thread{{Main: true, Call: none}, {Main: true, Call: none}, {Parent: 0, Call: 0}, {Main: true, Session: 1, Call: none}, {Parent: 2, Call: none, Name: "deep"}, {Parent: 5, Call: none}}
	g.add(0, model.Head{Role: model.User})
	g.add(1, model.Head{Role: model.Assistant}, model.Call{Tool: 2, Result: model.NoID, Took: model.NoTook, Child: 2, Flags: model.TookDerived, Outcome: model.Failure})
	for thread := uint32(1); thread <= 5; thread++ {
		g.add(2, model.Head{Role: model.Assistant, Thread: thread})
	}
	a := g.arranged(t)
	for thread, want := range map[uint32]int{0: 0, 1: 0, 2: 1, 3: 3, 4: 2, 5: -1, 6: -1, 99: -1} {
		if got := a.LaneOf(thread); got != want {
			t.Errorf("thread %d has lane %d, want %d", thread, got, want)
		}
	}
	var labels []string
	for i := range a.Lanes {
		labels = append(labels, fmt.Sprint(a.Label(i), "|", int(a.Lanes[i].StartedBy)))
	}
	if got, want := strings.Join(labels, ", "), "session 0|-1, └ subagent 2|1,   └ deep|-1, session 1|-1"; got != want {
		t.Errorf("lanes %q, want %q", got, want)
	}
	c := a.Lanes[0].Calls[0]
	if c.Lane == nil || *c.Lane != 1 || !c.Derived || c.Took != nil || c.End() != c.From || a.Lanes[0].Errors != 1 {
		t.Errorf("the call that started a subagent is %+v in a lane with %d errors", c, a.Lanes[0].Errors)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	one := model.FromMessages([]model.Message{querytest.Message(model.User, "q")})
	for _, s := range []*model.Snapshot{g.Snapshot(), one} {
		if _, err := Of(ctx, query.Everything(s)); !errors.Is(err, context.Canceled) {
			t.Errorf("stopped lanes of %d messages return %v", s.Len(), err)
		}
	}
}

// TestGapsBetweenWork: more than a minute without work is a gap.
func TestGapsBetweenWork(t *testing.T) {
	for pause, want := range map[int64]int{60: 0, 61: 1} {
		g := session{querytest.NewGrowing()}
		g.add(0, model.Head{Role: model.User, Flags: model.Prompt})
		g.add(90, model.Head{Role: model.Assistant})
		g.add(90+pause, model.Head{Role: model.User, Flags: model.Prompt})
		g.add(300, model.Head{Role: model.Assistant})
		if a := g.arranged(t); len(a.Gaps) != want {
			t.Errorf("%d s between two turns: gaps %+v, want %d", pause, a.Gaps, want)
		}
	}
}

// TestWidthOfTheChart: as wide as the terminal, and 120 columns elsewhere. The model writes until
// the last moment, so the last column is not blank.
func TestWidthOfTheChart(t *testing.T) {
	g := session{querytest.NewGrowing()}
	g.add(0, model.Head{Role: model.User, Flags: model.Prompt})
	g.add(40, model.Head{Role: model.Assistant})
	a := g.arranged(t)
	for columns, want := range map[int]int{0: 120, 80: 80, 121: 121} {
		widest := 0
		for line := range strings.Lines(a.chart(columns)) {
			widest = max(widest, human.Width(strings.TrimRight(line, "\n")))
		}
		if widest != want {
			t.Errorf("a chart for %d columns is %d wide, want %d", columns, widest, want)
		}
	}
}

// TestHeadOfTheText: the format and the line of the context only if they are known.
func TestHeadOfTheText(t *testing.T) {
	for tokens, want := range map[uint32]bool{model.NoTokens: false, 500: true} {
		g := session{querytest.NewGrowing()}
		g.add(0, model.Head{Role: model.User})
		id := g.add(4, model.Head{Role: model.Assistant})
		g.Ix.Heads.Amend(int(id)).Usage = uint32(g.Ix.Tokens.Append(model.Tokens{Input: tokens, CacheRead: model.NoTokens, CacheWrite: model.NoTokens}))
		a := g.arranged(t)
		if text := a.Doc().String(); !strings.HasPrefix(text, "Lanes   2026-02-11 ") {
			t.Errorf("without a format the text begins %.40q", text)
		}
		if chart := a.chart(80); strings.Contains(chart, "context") != want {
			t.Errorf("%d tokens: a line of the context: %v, want %v", tokens, !want, want)
		}
	}
}
