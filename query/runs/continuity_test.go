package runs

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/querytest"
	"turns/query/summary"
	"turns/query/window"
)

func conversationsOf(t *testing.T, source string, msgs []model.Message) []Conversation {
	t.Helper()
	list, err := Conversations(context.Background(), source, model.FromMessages(msgs), time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func openText(list []OpenThread) string {
	var b strings.Builder
	for _, o := range list {
		fmt.Fprintf(&b, "%s %d %s; ", o.Kind, o.Index, o.Text)
	}
	return strings.TrimSuffix(b.String(), "; ")
}

func TestOpenThreads(t *testing.T) {
	u, a := model.User, model.Assistant
	for _, tt := range []struct {
		name, want string
		msgs       []model.Message
	}{
		{"all is said", "", []model.Message{querytest.Message(u, "hi"), querytest.Message(a, "Done.")}},
		{"a question that nobody answered", "question 1 Shall I delete it?", []model.Message{querytest.Message(u, "hi"), querytest.Message(a, "I found it.\nShall I delete it?")}},
		{"a question that was answered", "", []model.Message{querytest.Message(u, "hi"), querytest.Message(a, "Which one?"), querytest.Message(u, "the first"), querytest.Message(a, "Done.")}},
		{"a prompt without an answer", "prompt 2 and now the docs", []model.Message{querytest.Message(u, "hi"), querytest.Message(a, "Done."), querytest.Message(u, "and now the docs")}},
		{"a call without a result", "call 1 Bash make", []model.Message{querytest.Message(u, "hi"), querytest.Null(a, querytest.Call("x", "Bash", `{"command":"make"}`))}},
		{"todo items", "todo 1 doing; todo 1 later", []model.Message{querytest.Message(u, "hi"),
			querytest.Null(a, querytest.Call("x", "TodoWrite", `{"todos":[{"content":"done","status":"completed"},{"content":"doing","status":"in_progress"},{"content":"later","status":"pending"}]}`)),
			querytest.Tool(querytest.Result("x", "ok")), querytest.Message(a, "Done.")}},
		{"only the last list counts", "", []model.Message{querytest.Message(u, "hi"),
			querytest.Null(a, querytest.Call("x", "TodoWrite", `{"todos":[{"content":"one","status":"pending"}]}`)), querytest.Tool(querytest.Result("x", "ok")),
			querytest.Null(a, querytest.Call("y", "TodoWrite", `{"todos":[{"content":"one","status":"completed"}]}`)), querytest.Tool(querytest.Result("y", "ok")), querytest.Message(a, "Done.")}},
		{"an error that stayed", "error 1 Bash go test ./...: exit 1", []model.Message{querytest.Message(u, "hi"),
			querytest.Null(a, querytest.Call("x", "Bash", `{"command":"go test ./..."}`)), querytest.Tool(querytest.Failed("x", "Exit code 1")), querytest.Message(a, "Done.")}},
		{"an error that was fixed", "", []model.Message{querytest.Message(u, "hi"),
			querytest.Null(a, querytest.Call("x", "Bash", `{"command":"go test ./..."}`)), querytest.Tool(querytest.Failed("x", "Exit code 1")),
			querytest.Null(a, querytest.Call("y", "Bash", `{"command":"go test ./query"}`)), querytest.Tool(querytest.Result("y", "ok")), querytest.Message(a, "Done.")}},
		{"a search without a hit", "", []model.Message{querytest.Message(u, "hi"),
			querytest.Null(a, querytest.Call("x", "Bash", `{"command":"rg prisma"}`)), querytest.Tool(querytest.Failed("x", "Exit code 1")), querytest.Message(a, "Done.")}},
		{"a search that failed", "error 1 Bash rg prisma: exit 2", []model.Message{querytest.Message(u, "hi"),
			querytest.Null(a, querytest.Call("x", "Bash", `{"command":"rg prisma"}`)), querytest.Tool(querytest.Failed("x", "Exit code 2")), querytest.Message(a, "Done.")}},
		{"what follows a search failed", "error 1 Bash rg -q x && make: exit 1", []model.Message{querytest.Message(u, "hi"),
			querytest.Null(a, querytest.Call("x", "Bash", `{"command":"rg -q x && make"}`)), querytest.Tool(querytest.Failed("x", "Exit code 1")), querytest.Message(a, "Done.")}},
		{"called off because another call failed", "error 1 Bash make: exit 2", []model.Message{querytest.Message(u, "hi"),
			querytest.Null(a, querytest.Call("x", "Bash", `{"command":"make"}`), querytest.Call("y", "Bash", `{"command":"ls"}`)), querytest.Tool(querytest.Failed("x", "Exit code 2")),
			querytest.Tool(model.Content{Kind: model.ToolResult, ID: "y", Text: "<tool_use_error>Sibling tool call errored</tool_use_error>", Outcome: model.Cancelled}), querytest.Message(a, "Done.")}},
		{"the same again in one message", "call 1 Bash make", []model.Message{querytest.Message(u, "hi"),
			querytest.Null(a, querytest.Call("x", "Bash", `{"command":"make"}`), querytest.Call("y", "Bash", `{"command":"make"}`))}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			open := Continuity(conversationsOf(t, "run", tt.msgs), ContinuityOptions{Now: querytest.T0}).Open
			if got := openText(open); got != tt.want {
				t.Errorf("open %q, want %q", got, tt.want)
			}
			for _, o := range open {
				want := map[string]float64{OpenQuestion: 5, OpenPrompt: 5, OpenCall: 3, OpenTodo: 3, OpenError: 2}[o.Kind]
				if o.Text == "doing" {
					want = 4
				}
				if o.Weight != want {
					t.Errorf("%s weighs %v, want %v", openText([]OpenThread{o}), o.Weight, want)
				}
			}
		})
	}
}

func TestContinuityByDay(t *testing.T) {
	day := 86400.0
	first := conversationsOf(t, "a", querytest.At([]model.Message{
		querytest.Message(model.User, "write the parser"), querytest.Null(model.Assistant, querytest.Call("x", "Write", `{"file_path":"/w/parse.go","content":"x"}`)), querytest.Tool(querytest.Failed("x", "no space")),
		querytest.Message(model.User, "no, somewhere else"), querytest.Message(model.Assistant, "Where to?"),
	}, 0, 1, 2, 3, 4))
	second := conversationsOf(t, "b", querytest.At([]model.Message{querytest.Message(model.User, "today's work"), querytest.Flagged(querytest.Message(model.Assistant, "well"), model.Interrupted)}, day, day+5))
	a := Continuity(append(second, first...), ContinuityOptions{Now: querytest.T0 + 86_400_000 + 60_000, Zone: time.UTC})
	if len(a.Days) != 2 || a.Days[0].Day != "2026-02-12" || a.Days[1].Day != "2026-02-11" {
		t.Fatalf("days %+v", a.Days)
	}
	if a.Today == nil || a.Today.Turns != 1 || a.Today.First != "today's work" || len(a.Today.Moments) != 1 || a.Today.Moments[0].Kind != "interruption" {
		t.Errorf("today %+v", a.Today)
	}
	d := a.Days[1]
	if d.Turns != 2 || d.Calls != 1 || d.Errors != 1 || strings.Join(d.Files, " ") != "/w/parse.go" || len(d.Moments) != 2 || d.Moments[1].Kind != "correction" {
		t.Errorf("yesterday %+v", d)
	}
	if a.Last == nil || a.Last.Source != "b" || a.Last.Outcome.State != model.RunInterrupted {
		t.Errorf("last %+v", a.Last)
	}
	if other := Continuity(append(second, first...), ContinuityOptions{Now: querytest.T0, Source: "b"}); other.Last == nil || other.Last.Source != "a" {
		t.Errorf("the conversation that goes on is the last one")
	}
	if before := Continuity(append(second, first...), ContinuityOptions{Now: querytest.T0 + 1000, Zone: time.UTC}); len(before.Days) != 1 || before.Last.Source != "a" || before.Today.Turns != 2 {
		t.Errorf("on the day before, the next one is known: %+v", before.Days)
	}
	east := conversationsInZone(t)
	if east != "2026-02-12" {
		t.Errorf("day %s in the east", east)
	}
	for _, want := range []string{"open", "Where to?", "last session", "2026-02-12"} {
		if !strings.Contains(a.Doc().String(), want) {
			t.Errorf("text lacks %q:\n%s", want, a.Doc())
		}
	}
}

// conversationsInZone returns the day of 20:41 UTC in a zone eight hours ahead.
func conversationsInZone(t *testing.T) string {
	t.Helper()
	s := model.FromMessages(querytest.At([]model.Message{querytest.Message(model.User, "hi")}, 0))
	list, err := Conversations(context.Background(), "x", s, time.FixedZone("east", 8*3600))
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	return string(list[0].Days[0].Day)
}

// TestTodayTellsWhatMatters: of many errors the text omits the oldest, and counts them.
func TestTodayTellsWhatMatters(t *testing.T) {
	d := &Day{}
	for i := range 30 {
		kind := momentError
		if i == 0 || i == 10 {
			kind = "correction"
		}
		d.Moments = append(d.Moments, KeyMoment{Kind: kind, Text: fmt.Sprint("m", i)})
	}
	a := &ContinuityAnswer{Today: d, zone: time.UTC}
	text := a.TodayText()
	for _, want := range []string{"correction: m0\n", "correction: m10\n", "error: m16\n", "error: m29\n", "and 14 errors before them\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if n := strings.Count(text, ": m"); n != 16 {
		t.Errorf("%d moments are listed, want 16", n)
	}
}

func TestPlacesOfConversations(t *testing.T) {
	a := &ContinuityAnswer{All: []Conversation{{Source: "/runs/a/x.jsonl"}, {Source: "/runs/ab/y.jsonl"}, {Source: "/runs/ab/y.jsonl", Session: 1}}, zone: time.UTC}
	if got := a.folder(); got != "/runs/" {
		t.Errorf("folder %q", got)
	}
	if got := below("/runs/ab/y.jsonl#1", "/runs/"); got != "ab/y.jsonl#1" {
		t.Errorf("below it %q", got)
	}
	long := strings.Repeat("é", 100) + ".jsonl"
	if got := []rune(below(long, "")); len(got) != 60 || !strings.HasSuffix(string(got), "é.jsonl") || got[0] != '…' {
		t.Errorf("a long one %q", string(got))
	}
	if got := (&Conversation{Source: "x.db", Session: 2, Several: true}).Place(); got != "x.db#2" {
		t.Errorf("place %q", got)
	}
}

func TestHostileTextIsCleaned(t *testing.T) {
	const evil = "x\x1b]52;c;YQ==\x07\u202ey"
	s := model.FromMessages([]model.Message{querytest.Message(model.User, evil), querytest.Null(model.Assistant, querytest.Call("a", evil, `{"`+evil+`":"`+evil+`"}`)), querytest.Message(model.Assistant, evil+"?")})
	ctx, turns := context.Background(), query.NewTurnIndex(s)
	log, err := summary.WorkLog(ctx, describe.NewView(query.Everything(s), nil), turns, summary.WorkLogOptions{})
	if err != nil {
		t.Fatal(err)
	}
	list, err := Conversations(ctx, evil, s, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	x := window.NewIndex(s, nil)
	c, err := x.Context(2, window.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Describe(ctx, s); err != nil {
		t.Fatal(err)
	}
	if c.Waste, err = x.Waste(ctx, query.Everything(s), nil); err != nil {
		t.Fatal(err)
	}
	var csv strings.Builder
	if err := log.WriteCSV(&csv); err != nil {
		t.Fatal(err)
	}
	d := diffOf(t, []model.Message{querytest.Message(model.User, evil)}, []model.Message{querytest.Message(model.User, evil+"z")})
	for name, text := range map[string]string{
		"log": log.Doc().String(), "markdown": log.Doc().Markdown(), "csv": csv.String(), "threads": Continuity(list, ContinuityOptions{Now: querytest.T0}).Doc().String(),
		"context": c.Doc().String(), "diff": d.Doc("a", "b").String(), "cost": summary.Costs(query.Everything(s), turns, summary.CostOptions{}).Doc().String(),
	} {
		if strings.ContainsAny(text, "\x1b\x07\u202e") {
			t.Errorf("%s: %q", name, text)
		}
	}
}
