package summary

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"turns/model"
	"turns/model/modeltest"
	"turns/query"
	"turns/query/answer"
	"turns/query/lanes"
	"turns/query/querytest"
)

// Short functions build the messages of the tests, so that a test reads like a conversation.

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", "answers", name)
	modeltest.Golden(t, file, string(got))
}

func TestAnswersGolden(t *testing.T) {
	ctx := context.Background()
	sel := query.Everything(model.FromMessages(querytest.Run()))
	stats, err := Stats(ctx, sel, querytest.WordCounter())
	if err != nil {
		t.Fatal(err)
	}
	if err := stats.Describe(ctx); err != nil {
		t.Fatal(err)
	}
	golden(t, "stats.txt", []byte(stats.Doc().String()))
	var b bytes.Buffer
	if err := stats.WriteJSON(ctx, &b); err != nil {
		t.Fatal(err)
	}
	golden(t, "stats.json", b.Bytes())
	tokens, err := query.CountTokens(ctx, sel, querytest.WordCounter())
	if err != nil {
		t.Fatal(err)
	}
	tools := ToolSummary(sel, tokens)
	b.Reset()
	for d, err := range tools.Docs(ctx, false) {
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(d.String())
	}
	golden(t, "tools.txt", b.Bytes())
	b.Reset()
	if err := tools.WriteJSON(ctx, &b); err != nil {
		t.Fatal(err)
	}
	golden(t, "tools.json", b.Bytes())
	line := Timeline(sel)
	b.Reset()
	for d, err := range line.Docs(ctx, 2) {
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(d.String())
	}
	alone := line.Doc().String()
	if head, _, _ := strings.Cut(alone, "\n"); !strings.HasPrefix(b.String(), head) || strings.Count(alone, "\n") != len(line.Turns)+3 {
		t.Errorf("Doc has not the rows of Docs alone:\n%s", alone)
	}
	golden(t, "timeline.txt", b.Bytes())
	b.Reset()
	if err := line.WriteJSON(ctx, &b); err != nil {
		t.Fatal(err)
	}
	if !json.Valid(b.Bytes()) {
		t.Error("timeline is not JSON")
	}
	golden(t, "timeline.json", b.Bytes())
}

func TestEmptyConversation(t *testing.T) {
	ctx := context.Background()
	sel := query.Everything(model.FromMessages(nil))
	stats, err := Stats(ctx, sel, querytest.WordCounter())
	if err != nil {
		t.Fatal(err)
	}
	if stats.TotalMessages != 0 || *stats.TotalTokens != 0 || *stats.AvgTokensPerMessage != 0 || stats.Turns != 0 {
		t.Errorf("stats of nothing: %+v", stats)
	}
	js, err := json.Marshal(stats)
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range []string{"models", "slowest", "largest", "events"} {
		if !strings.Contains(string(js), `"`+list+`":[]`) {
			t.Errorf("%s is not an empty list in %s", list, js)
		}
	}
	var b bytes.Buffer
	if err := ToolSummary(sel, nil).WriteJSON(ctx, &b); err != nil {
		t.Fatal(err)
	}
	if err := Timeline(sel).WriteJSON(ctx, &b); err != nil {
		t.Fatal(err)
	}
	want := "{\n  \"version\": 1,\n  \"tools\": [],\n  \"in_subagents\": [],\n  \"in_other_files\": []\n}\n{\n  \"version\": 1,\n  \"turns\": []\n}\n"
	if b.String() != want {
		t.Errorf("got %s", b.String())
	}
	for _, s := range []*answer.Doc{stats.Doc(), ToolSummary(sel, nil).Doc(), Timeline(sel).Doc()} {
		if s.String() == "" {
			t.Errorf("%+v has no text", s)
		}
	}
}

// turnOf holds the tested fields of a turn.
type turnOf struct {
	user, assistant, system any
	calls                   string
}

func turnsOf(t *testing.T, msgs []model.Message) []turnOf {
	t.Helper()
	var b bytes.Buffer
	if err := Timeline(query.Everything(model.FromMessages(msgs))).WriteJSON(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Turns []struct {
			User      any `json:"user_content"`
			Assistant any `json:"assistant_content"`
			System    any `json:"system_context"`
			Calls     []struct {
				ID     any `json:"tool_call_id"`
				Result any
				Orphan bool
			} `json:"tool_interactions"`
		}
	}
	if err := json.Unmarshal(b.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	var out []turnOf
	for _, x := range answer.Turns {
		var calls []string
		for _, c := range x.Calls {
			s := fmt.Sprint(c.ID, "=", c.Result)
			if c.Orphan {
				s += "!"
			}
			calls = append(calls, s)
		}
		out = append(out, turnOf{x.User, x.Assistant, x.System, strings.Join(calls, " ")})
	}
	return out
}

func TestTimelineRules(t *testing.T) {
	user := func(s string) model.Message { return querytest.Message(model.User, s) }
	ai := func(s string, calls ...model.Content) model.Message {
		return querytest.Message(model.Assistant, s, calls...)
	}
	sys := func(s string) model.Message { return querytest.Message(model.System, s) }
	c := func(id string) model.Content { return querytest.Call(id, "ls", "{}") }
	for _, x := range []struct {
		name string
		msgs []model.Message
		want []turnOf
	}{
		{"one turn", []model.Message{user("q"), ai("a")}, []turnOf{{"q", "a", nil, ""}}},
		{"two users are two turns", []model.Message{user("q"), user("r"), ai("a")}, []turnOf{{"q", nil, nil, ""}, {"r", "a", nil, ""}}},
		{"a tool loop stays in its turn", []model.Message{user("q"), ai("a", c("1")), querytest.Tool(querytest.Result("1", "x")), ai("b")}, []turnOf{{"q", "a\nb", nil, "1=x"}}},
		{"an assistant on its own opens a turn", []model.Message{user("q"), ai("a"), ai("b")}, []turnOf{{"q", "a", nil, ""}, {nil, "b", nil, ""}}},
		{"empty text is text", []model.Message{user("q"), ai(""), ai("a")}, []turnOf{{"q", "", nil, ""}, {nil, "a", nil, ""}}},
		{"null is no text", []model.Message{user("q"), querytest.Null(model.Assistant), ai("a")}, []turnOf{{"q", "a", nil, ""}}},
		{"a call without a result keeps the loop", []model.Message{user("q"), ai("a", c("1")), ai("b")}, []turnOf{{"q", "a\nb", nil, "1=<nil>"}}},
		{"empty text with calls, then text", []model.Message{user("q"), ai("", c("1")), querytest.Tool(querytest.Result("1", "x")), ai("b")}, []turnOf{{"q", "b", nil, "1=x"}}},
		{"a result after the next prompt", []model.Message{user("q"), ai("a", c("1")), user("r"), querytest.Tool(querytest.Result("1", "x"))}, []turnOf{{"q", "a", nil, "1=x"}, {"r", nil, nil, ""}}},
		{"results out of order", []model.Message{user("q"), ai("a", c("1"), c("2")), querytest.Tool(querytest.Result("2", "y")), querytest.Tool(querytest.Result("1", "x"))}, []turnOf{{"q", "a", nil, "1=x 2=y"}}},
		{"two results in one message", []model.Message{user("q"), ai("a", c("1"), c("2")), querytest.Tool(querytest.Result("2", "y"), querytest.Result("1", "x"))}, []turnOf{{"q", "a", nil, "1=x 2=y"}}},
		{"an orphan result is visible", []model.Message{user("q"), querytest.Tool(querytest.Result("7", "x")), ai("a")}, []turnOf{{"q", "a", nil, "7=x!"}}},
		{"an orphan result alone", []model.Message{querytest.Tool(querytest.Result("7", "x"))}, []turnOf{{nil, nil, nil, "7=x!"}}},
		{"system at the start", []model.Message{sys("s"), user("q"), ai("a")}, []turnOf{{"q", "a", "s", ""}}},
		{"two systems at the start", []model.Message{sys("s"), sys("t"), user("q")}, []turnOf{{"q", nil, "s\nt", ""}}},
		{"system before the next prompt", []model.Message{user("q"), ai("a"), sys("s"), user("r")}, []turnOf{{"q", "a", nil, ""}, {"r", nil, "s", ""}}},
		{"system inside a loop", []model.Message{user("q"), ai("a", c("1")), sys("s"), querytest.Tool(querytest.Result("1", "x")), ai("b")}, []turnOf{{"q", "a\nb", "s", "1=x"}}},
		{"only system", []model.Message{sys("s"), sys("t")}, []turnOf{{nil, nil, "s\nt", ""}}},
		{"system at the end stands alone", []model.Message{user("q"), ai("a"), sys("s")}, []turnOf{{"q", "a", nil, ""}, {nil, nil, "s", ""}}},
		{"system before a lone assistant", []model.Message{sys("s"), ai("a")}, []turnOf{{nil, "a", "s", ""}}},
		{"the same id twice", []model.Message{user("q"), ai("a", c("1")), querytest.Tool(querytest.Result("1", "x")), ai("b", c("1")), querytest.Tool(querytest.Result("1", "y"))}, []turnOf{{"q", "a\nb", nil, "1=x 1=y"}}},
		{"nothing", nil, nil},
	} {
		if got := turnsOf(t, x.msgs); !reflect.DeepEqual(got, x.want) {
			t.Errorf("%s:\n got %v\nwant %v", x.name, got, x.want)
		}
	}
}

// TestStepsHaveTheirCalls: the calls of a turn are those of its steps, even if most messages are
// responses.
func TestStepsHaveTheirCalls(t *testing.T) {
	msgs := []model.Message{querytest.Message(model.User, "go on")}
	for i := range 9 { // each pair of messages is a turn
		id := fmt.Sprint("c", i)
		msgs = append(msgs, querytest.Null(model.Assistant, querytest.Call(id, "Bash", "{}"), querytest.Result(id, "done")), querytest.Message(model.Assistant, "done"))
	}
	for _, turn := range Timeline(query.Everything(model.FromMessages(msgs))).Turns {
		calls := 0
		for _, step := range turn.Steps {
			calls += step.Calls
		}
		if calls != turn.Calls {
			t.Errorf("turn %d has %d calls, its %d steps %d", turn.Number, turn.Calls, len(turn.Steps), calls)
		}
	}
}

func TestToolSummaryAligned(t *testing.T) {
	msgs := []model.Message{
		querytest.Message(model.Assistant, "", querytest.Call("1", "a", `{"x": 1}`), querytest.Call("2", "b", `[1,2]`), querytest.Call("3", "a", `{"x":`)),
		querytest.Tool(querytest.Result("3", "three")), querytest.Tool(querytest.Result("2", "two")),
		querytest.Message(model.Assistant, "", querytest.Call("4", "a", ``)), querytest.Tool(querytest.Failed("4", "four")), querytest.Tool(querytest.Result("9", "nine")),
	}
	a := ToolSummary(query.Everything(model.FromMessages(msgs)), nil)
	var b bytes.Buffer
	if err := a.WriteJSON(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Tools []struct {
			Name      string `json:"tool_name"`
			Calls     int    `json:"call_count"`
			Orphans   int    `json:"orphan_results"`
			Errors    int    `json:"tool_errors"`
			Pending   int    `json:"pending_calls"`
			Arguments []any
			Results   []any
			IDs       []string `json:"tool_call_ids"`
		}
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	s := fmt.Sprintf("%v", got.Tools)
	want := `[{a 3 0 1 1 [map[x:1] {"x": map[]] [<nil> three four] [1 3 4]} {b 1 0 0 0 [[1 2]] [two] [2]} {unknown 0 1 0 0 [<nil>] [nine] [9]}]`
	if s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
}

func TestStatsOfSelection(t *testing.T) {
	ctx := context.Background()
	all := query.Everything(model.FromMessages(querytest.Run()))
	a, err := Stats(ctx, query.Selection{Snap: all.Snap, IDs: []model.ID{7, 8}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if a.TotalMessages != 2 || a.ToolCalls != 1 || a.PendingCalls != 1 || a.Turns != 1 || a.TotalTokens != nil || *a.Usage.Output != 7 {
		t.Errorf("got %+v", a)
	}
	if want := (lanes.TimeSplit{User: 60_000, Model: 5_000}); a.Time != want {
		t.Errorf("time %+v, want %+v", a.Time, want)
	}
}

func TestTimeSplit(t *testing.T) {
	msgs := querytest.At([]model.Message{
		querytest.Message(model.User, "q"),
		// 4 s of model time
		querytest.Message(model.Assistant, "", querytest.Call("1", "a", "{}"), querytest.Call("2", "b", "{}")),
		// 6 s of tools in parallel
		querytest.Tool(querytest.Result("2", "")), querytest.Tool(querytest.Result("1", "")),
		querytest.Message(model.Assistant, "done"), // 5 s of model time
		querytest.Message(model.User, "r"),         // 100 s of user time
		querytest.Message(model.System, "s"),       // 3 s of idle time
	}, 0, 4, 7, 10, 15, 115, 118)
	a, err := Stats(context.Background(), query.Everything(model.FromMessages(msgs)), nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := (lanes.TimeSplit{Model: 9_000, Tools: 6_000, User: 100_000, Idle: 3_000}); a.Time != want {
		t.Errorf("got %+v, want %+v", a.Time, want)
	}
	if a.DurationSource != "derived" {
		t.Errorf("durations are %s", a.DurationSource)
	}
	if s := a.Slowest[0]; s.Kind != "call" || s.Name != "a" || s.Duration != 6000 || !s.Derived {
		t.Errorf("slowest is %+v", s)
	}
}

// TestAskingAHumanIsItsOwnTime: the time of a human's answer is neither tool time nor idle time,
// and its tool is not among the slowest.
func TestAskingAHumanIsItsOwnTime(t *testing.T) {
	msgs := querytest.At([]model.Message{
		querytest.Message(model.User, "q"),
		// 4 s of model time
		querytest.Message(model.Assistant, "", querytest.Call("1", "ExitPlanMode", "{}"), querytest.Call("2", "b", "{}")),
		// b runs for 3 of the 60 s
		querytest.Tool(querytest.Result("2", "")), querytest.Tool(querytest.Result("1", "")),
		// 5 s of model time
		querytest.Message(model.Assistant, "", querytest.Call("3", "AskUserQuestion", "{}")),
		querytest.Tool(querytest.Result("3", "")), // 31 s of asking
	}, 0, 4, 7, 64, 69, 100)
	sel := query.Everything(model.FromMessages(msgs))
	a, err := Stats(context.Background(), sel, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := (lanes.TimeSplit{Model: 9_000, Asked: 91_000}); a.Time != want {
		t.Errorf("got %+v, want %+v", a.Time, want)
	}
	for _, s := range a.Slowest {
		if s.Name == "ExitPlanMode" || s.Name == "AskUserQuestion" {
			t.Errorf("%s is among the slowest", s.Name)
		}
	}
	tools := ToolSummary(sel, nil)
	if tools.All.Calls != 3 || tools.All.Total != 3000 || tools.All.Max != 3000 {
		t.Errorf("all tools: %d calls took %v, at most %v", tools.All.Calls, tools.All.Total, tools.All.Max)
	}
	for _, tool := range tools.Tools {
		if tool.Asks != (tool.Name != "b") {
			t.Errorf("%s asks: %v", tool.Name, tool.Asks)
		}
	}
}

func TestRecordedDurationLeavesTheRestIdle(t *testing.T) {
	r := querytest.Result("1", "")
	r.Took = 2 * time.Second // of 10 s: the first 8 waited for an approval
	msgs := querytest.At([]model.Message{querytest.Message(model.User, "q"), querytest.Message(model.Assistant, "", querytest.Call("1", "a", "{}")), querytest.Tool(r)}, 0, 1, 11)
	a, err := Stats(context.Background(), query.Everything(model.FromMessages(msgs)), nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := (lanes.TimeSplit{Model: 1_000, Tools: 2_000, Idle: 8_000}); a.Time != want || a.DurationSource != "recorded" {
		t.Errorf("got %+v %s", a.Time, a.DurationSource)
	}
}

func TestNearestRank(t *testing.T) {
	for _, c := range []struct {
		n, p int
		want uint32
	}{{1, 50, 1}, {2, 50, 1}, {3, 50, 2}, {4, 50, 2}, {100, 95, 95}, {20, 95, 19}, {19, 95, 19}} {
		var list []uint32
		for i := range c.n {
			list = append(list, uint32(i+1))
		}
		if got := nearestRank(list, c.p); got != c.want {
			t.Errorf("p%d of 1..%d is %d, want %d", c.p, c.n, got, c.want)
		}
	}
}

func TestSortNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, most := range []uint32{1, 1000, 70_000, 1 << 31, 1<<32 - 1} {
		list := make([]uint32, 5000)
		for i := range list {
			list[i] = r.Uint32N(most)
		}
		want := slices.Clone(list)
		slices.Sort(want)
		if sortNumbers(list); !slices.Equal(list, want) {
			t.Errorf("numbers below %d are not sorted", most)
		}
	}
}
