package query

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"turns/model"
)

// The messages of tests are made by short functions, so that a conversation reads
// as one.

func say(role model.Role, text string, blocks ...model.Content) model.Message {
	m := model.Message{Role: role, Blocks: []model.Content{{Kind: model.Words, Text: text}}}
	m.Blocks = append(m.Blocks, blocks...)
	return m
}

// null is a message without content, but for the blocks.
func null(role model.Role, blocks ...model.Content) model.Message {
	return model.Message{Role: role, Blocks: blocks}
}

func call(id, name, args string) model.Content {
	return model.Content{Kind: model.ToolCall, ID: id, Name: name, Text: args, JSON: true}
}

func result(id, text string) model.Content {
	return model.Content{Kind: model.ToolResult, ID: id, Text: text}
}

func failed(id, text string) model.Content {
	c := result(id, text)
	c.Outcome = model.Failure
	return c
}

func thinks(text string) model.Content { return model.Content{Kind: model.Reasoning, Text: text} }

func tool(blocks ...model.Content) model.Message { return null(model.Tool, blocks...) }

const t0 = 1_770_842_500_000 // 2026-02-11T20:41:40Z

// at sets the times of messages, in seconds after t0.
func at(msgs []model.Message, seconds ...float64) []model.Message {
	for i, s := range seconds {
		msgs[i].Time = t0 + int64(s*1000)
	}
	return msgs
}

// runMessages is a small run with everything in it.
func runMessages() []model.Message {
	injected := say(model.User, "<environment_context>cwd is /work/app</environment_context>")
	injected.Flags = model.Injected
	first := say(model.Assistant, "I'll read the test first.", thinks("The test sleeps."),
		call("c1", "Read", `{"file_path":"/work/app/watch_test.go","offset":40,"limit":81}`),
		call("c2", "Bash", `{"command":"cd /work/app && go test ./... 2>&1"}`))
	first.Model = "opus-4-6"
	first.Usage = &model.Usage{Input: 100, CacheRead: 0, CacheWrite: 900, Output: 50, Reasoning: 20, Cost: 0.25, HasCost: true}
	second := say(model.Assistant, "Fixed **it**.\nAll good.")
	second.Model = "opus-4-6"
	second.Usage = &model.Usage{Input: 10, CacheRead: 1000, CacheWrite: 60, Output: 30, Reasoning: 0, Cost: 0.5, HasCost: true}
	third := null(model.Assistant, call("c3", "Bash", `{"command":"go vet ./..."}`))
	third.Model = "haiku-4-5"
	third.Usage = &model.Usage{Input: 5, CacheRead: -1, CacheWrite: -1, Output: 7, Reasoning: -1}
	return at([]model.Message{
		say(model.System, "You are careful."), injected, say(model.User, "Fix the flaky test"),
		first, tool(result("c1", "a\nb\nc\n")), tool(failed("c2", "Exit code 1\n./x.go:1:2: undefined: waitFor\n")),
		second, say(model.User, "go on"), third, tool(result("c9", "late")),
	}, 0, 0, 1, 8, 9, 20, 25, 85, 90, 92)
}

// words counts tokens as words.
type words struct{}

func (words) Count(text []byte) int { return len(bytes.Fields(text)) }

func wordCounter() *Counter {
	return &Counter{New: func() TokenCounter { return words{} }, Encoding: "words"}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", "answers", name)
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs from its golden file; got:\n%s", name, got)
	}
}

func TestAnswersGolden(t *testing.T) {
	ctx := context.Background()
	sel := Everything(model.FromMessages(runMessages()))
	stats, err := Stats(ctx, sel, wordCounter())
	if err != nil {
		t.Fatal(err)
	}
	if err := stats.Describe(ctx); err != nil {
		t.Fatal(err)
	}
	golden(t, "stats.txt", []byte(stats.String()))
	var b bytes.Buffer
	if err := stats.WriteJSON(ctx, &b); err != nil {
		t.Fatal(err)
	}
	golden(t, "stats.json", b.Bytes())
	tokens, err := CountTokens(ctx, sel, wordCounter())
	if err != nil {
		t.Fatal(err)
	}
	tools := ToolSummary(sel, tokens)
	golden(t, "tools.txt", []byte(tools.String()))
	b.Reset()
	if err := tools.WriteJSON(ctx, &b); err != nil {
		t.Fatal(err)
	}
	golden(t, "tools.json", b.Bytes())
	line := Timeline(sel)
	b.Reset()
	if err := line.WriteTable(ctx, &b); err != nil {
		t.Fatal(err)
	}
	if b.String() != line.String() {
		t.Errorf("WriteTable and String differ")
	}
	golden(t, "timeline.txt", b.Bytes())
	b.Reset()
	if err := line.WriteJSON(ctx, &b); err != nil {
		t.Fatal(err)
	}
	if !json.Valid(b.Bytes()) {
		t.Error("timeline is no JSON")
	}
	golden(t, "timeline.json", b.Bytes())
	found := &SearchAnswer{Version: AnswerVersion, Query: "x", Messages: 2, Matches: []SearchMatch{
		{Index: 3, Role: "assistant", Line: "a \x1b[31mred\x1b[0m line"}, {Index: 1234, Role: "tool", Tool: "Bash", Line: "x"},
	}}
	golden(t, "search.txt", []byte(found.String()))
}

func TestEmptyConversation(t *testing.T) {
	ctx := context.Background()
	sel := Everything(model.FromMessages(nil))
	stats, err := Stats(ctx, sel, wordCounter())
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
			t.Errorf("%s is no empty list in %s", list, js)
		}
	}
	var b bytes.Buffer
	if err := ToolSummary(sel, nil).WriteJSON(ctx, &b); err != nil {
		t.Fatal(err)
	}
	if err := Timeline(sel).WriteJSON(ctx, &b); err != nil {
		t.Fatal(err)
	}
	want := "{\n  \"version\": 1,\n  \"tools\": [],\n  \"in_agents\": []\n}\n{\n  \"version\": 1,\n  \"turns\": []\n}\n"
	if b.String() != want {
		t.Errorf("got %s", b.String())
	}
	for _, s := range []fmt.Stringer{stats, ToolSummary(sel, nil), Timeline(sel)} {
		if s.String() == "" {
			t.Errorf("%T says nothing", s)
		}
	}
}

func TestSlice(t *testing.T) {
	msgs := make([]model.Message, 10)
	for i := range msgs {
		msgs[i] = say(model.User, fmt.Sprint(i))
	}
	sel := Everything(model.FromMessages(msgs))
	ids := func(s Selection) string {
		var b strings.Builder
		for _, id := range s.IDs {
			fmt.Fprint(&b, id)
		}
		return b.String()
	}
	for _, c := range []struct{ spec, want string }{
		{"5:10", "56789"}, {"-3:", "789"}, {":-8", "01"}, {":", "0123456789"}, {"8:100", "89"}, {"-100:2", "01"},
		{"5:3", ""}, {"0:0", ""}, {"3:-3", "3456"}, {" 2 : 4 ", "23"}, {"10:", ""}, {"-1:", "9"},
	} {
		spec, err := ParseSlice(c.spec)
		if err != nil {
			t.Errorf("%q: %v", c.spec, err)
			continue
		}
		if got := ids(sel.Slice(spec)); got != c.want {
			t.Errorf("%q gives %q, want %q", c.spec, got, c.want)
		}
		again, err := ParseSlice(spec.String())
		if err != nil || again != spec {
			t.Errorf("%q prints as %q", c.spec, spec)
		}
	}
	for _, c := range []struct {
		got  Selection
		want string
	}{
		{sel.First(3), "012"}, {sel.First(0), ""}, {sel.First(-8), "01"}, {sel.First(99), "0123456789"},
		{sel.Last(3), "789"}, {sel.Last(0), ""}, {sel.Last(-1), ""}, {sel.Last(99), "0123456789"},
	} {
		if got := ids(c.got); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	for _, c := range []struct{ spec, want string }{
		{"5", `slice "5", column 2: a colon is missing; one message is 5:6`},
		{"a:b", `slice "a:b", column 1: "a" is no whole number`},
		{"1:é2", `slice "1:é2", column 3: "é2" is no whole number`},
		{"1:2:3", `slice "1:2:3", column 4: a second colon; steps are not supported`},
		{"", `slice "", column 1: a colon is missing; write A:B, such as 5:10, -20: or :100`},
	} {
		if _, err := ParseSlice(c.spec); err == nil || err.Error() != c.want {
			t.Errorf("%q: %v", c.spec, err)
		}
	}
}

// turnOf is what a test looks at of a turn.
type turnOf struct {
	user, assistant, system any
	calls                   string
}

func turnsOf(t *testing.T, msgs []model.Message) []turnOf {
	t.Helper()
	var b bytes.Buffer
	if err := Timeline(Everything(model.FromMessages(msgs))).WriteJSON(context.Background(), &b); err != nil {
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
	user := func(s string) model.Message { return say(model.User, s) }
	ai := func(s string, calls ...model.Content) model.Message { return say(model.Assistant, s, calls...) }
	sys := func(s string) model.Message { return say(model.System, s) }
	c := func(id string) model.Content { return call(id, "ls", "{}") }
	for _, x := range []struct {
		name string
		msgs []model.Message
		want []turnOf
	}{
		{"one turn", []model.Message{user("q"), ai("a")}, []turnOf{{"q", "a", nil, ""}}},
		{"two users are two turns", []model.Message{user("q"), user("r"), ai("a")}, []turnOf{{"q", nil, nil, ""}, {"r", "a", nil, ""}}},
		{"a tool loop stays in its turn", []model.Message{user("q"), ai("a", c("1")), tool(result("1", "x")), ai("b")}, []turnOf{{"q", "a\nb", nil, "1=x"}}},
		{"an assistant on its own opens a turn", []model.Message{user("q"), ai("a"), ai("b")}, []turnOf{{"q", "a", nil, ""}, {nil, "b", nil, ""}}},
		{"empty text is text", []model.Message{user("q"), ai(""), ai("a")}, []turnOf{{"q", "", nil, ""}, {nil, "a", nil, ""}}},
		{"null is no text", []model.Message{user("q"), null(model.Assistant), ai("a")}, []turnOf{{"q", "a", nil, ""}}},
		{"a call without a result keeps the loop", []model.Message{user("q"), ai("a", c("1")), ai("b")}, []turnOf{{"q", "a\nb", nil, "1=<nil>"}}},
		{"empty text with calls, then text", []model.Message{user("q"), ai("", c("1")), tool(result("1", "x")), ai("b")}, []turnOf{{"q", "\nb", nil, "1=x"}}},
		{"a result after the next prompt", []model.Message{user("q"), ai("a", c("1")), user("r"), tool(result("1", "x"))}, []turnOf{{"q", "a", nil, "1=x"}, {"r", nil, nil, ""}}},
		{"results out of order", []model.Message{user("q"), ai("a", c("1"), c("2")), tool(result("2", "y")), tool(result("1", "x"))}, []turnOf{{"q", "a", nil, "1=x 2=y"}}},
		{"two results in one message", []model.Message{user("q"), ai("a", c("1"), c("2")), tool(result("2", "y"), result("1", "x"))}, []turnOf{{"q", "a", nil, "1=x 2=y"}}},
		{"an orphan result is visible", []model.Message{user("q"), tool(result("7", "x")), ai("a")}, []turnOf{{"q", "a", nil, "7=x!"}}},
		{"an orphan result alone", []model.Message{tool(result("7", "x"))}, []turnOf{{nil, nil, nil, "7=x!"}}},
		{"system at the start", []model.Message{sys("s"), user("q"), ai("a")}, []turnOf{{"q", "a", "s", ""}}},
		{"two systems at the start", []model.Message{sys("s"), sys("t"), user("q")}, []turnOf{{"q", nil, "s\nt", ""}}},
		{"system before the next prompt", []model.Message{user("q"), ai("a"), sys("s"), user("r")}, []turnOf{{"q", "a", nil, ""}, {"r", nil, "s", ""}}},
		{"system inside a loop", []model.Message{user("q"), ai("a", c("1")), sys("s"), tool(result("1", "x")), ai("b")}, []turnOf{{"q", "a\nb", "s", "1=x"}}},
		{"only system", []model.Message{sys("s"), sys("t")}, []turnOf{{nil, nil, "s\nt", ""}}},
		{"system at the end stands alone", []model.Message{user("q"), ai("a"), sys("s")}, []turnOf{{"q", "a", nil, ""}, {nil, nil, "s", ""}}},
		{"system before a lone assistant", []model.Message{sys("s"), ai("a")}, []turnOf{{nil, "a", "s", ""}}},
		{"the same id twice", []model.Message{user("q"), ai("a", c("1")), tool(result("1", "x")), ai("b", c("1")), tool(result("1", "y"))}, []turnOf{{"q", "a\nb", nil, "1=x 1=y"}}},
		{"nothing", nil, nil},
	} {
		if got := turnsOf(t, x.msgs); !reflect.DeepEqual(got, x.want) {
			t.Errorf("%s:\n got %v\nwant %v", x.name, got, x.want)
		}
	}
}

// TestStepsHaveTheirCalls: the calls of a turn are those of its steps, also where
// most messages are responses.
func TestStepsHaveTheirCalls(t *testing.T) {
	msgs := []model.Message{say(model.User, "go on")}
	for i := range 9 { // each pair is a turn
		id := fmt.Sprint("c", i)
		msgs = append(msgs, null(model.Assistant, call(id, "Bash", "{}"), result(id, "done")), say(model.Assistant, "done"))
	}
	for _, turn := range Timeline(Everything(model.FromMessages(msgs))).Turns {
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
		say(model.Assistant, "", call("1", "a", `{"x": 1}`), call("2", "b", `[1,2]`), call("3", "a", `{"x":`)),
		tool(result("3", "three")), tool(result("2", "two")),
		say(model.Assistant, "", call("4", "a", ``)), tool(failed("4", "four")), tool(result("9", "nine")),
	}
	a := ToolSummary(Everything(model.FromMessages(msgs)), nil)
	var b bytes.Buffer
	if err := a.WriteJSON(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Tools []struct {
			Name      string `json:"tool_name"`
			Calls     int    `json:"call_count"`
			Orphan    bool
			Errors    int
			Pending   int
			Arguments []any
			Results   []any
			IDs       []string `json:"tool_call_ids"`
		}
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	s := fmt.Sprintf("%v", got.Tools)
	want := `[{a 3 false 1 1 [map[x:1] {"x": map[]] [<nil> three four] [1 3 4]} {b 1 false 0 0 [[1 2]] [two] [2]} {unknown 0 true 0 0 [<nil>] [nine] [9]}]`
	if s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
}

func TestStatsOfSelection(t *testing.T) {
	ctx := context.Background()
	all := Everything(model.FromMessages(runMessages()))
	a, err := Stats(ctx, Selection{all.Snap, []model.ID{7, 8}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if a.TotalMessages != 2 || a.ToolCalls != 1 || a.PendingCalls != 1 || a.Turns != 1 || a.TotalTokens != nil || *a.Usage.Output != 7 {
		t.Errorf("got %+v", a)
	}
	if want := (TimeSplit{User: 60_000, Model: 5_000}); a.Time != want {
		t.Errorf("time %+v, want %+v", a.Time, want)
	}
}

func TestTimeSplit(t *testing.T) {
	msgs := at([]model.Message{
		say(model.User, "q"),
		say(model.Assistant, "", call("1", "a", "{}"), call("2", "b", "{}")), // 4 s of model
		tool(result("2", "")), tool(result("1", "")), // 6 s of tools together
		say(model.Assistant, "done"), // 5 s of model
		say(model.User, "r"),         // 100 s of user
		say(model.System, "s"),       // 3 s of nothing
	}, 0, 4, 7, 10, 15, 115, 118)
	a, err := Stats(context.Background(), Everything(model.FromMessages(msgs)), nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := (TimeSplit{Model: 9_000, Tools: 6_000, User: 100_000, Idle: 3_000}); a.Time != want {
		t.Errorf("got %+v, want %+v", a.Time, want)
	}
	if a.DurationSource != "derived" {
		t.Errorf("durations are %s", a.DurationSource)
	}
	if s := a.Slowest[0]; s.Kind != "call" || s.Name != "a" || s.Duration != 6000 || !s.Derived {
		t.Errorf("slowest is %+v", s)
	}
}

func TestRecordedDurationLeavesTheRestIdle(t *testing.T) {
	r := result("1", "")
	r.Took = 2 * time.Second // of 10: an approval came first
	msgs := at([]model.Message{say(model.User, "q"), say(model.Assistant, "", call("1", "a", "{}")), tool(r)}, 0, 1, 11)
	a, err := Stats(context.Background(), Everything(model.FromMessages(msgs)), nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := (TimeSplit{Model: 1_000, Tools: 2_000, Idle: 8_000}); a.Time != want || a.DurationSource != "recorded" {
		t.Errorf("got %+v %s", a.Time, a.DurationSource)
	}
}

func TestCountTokens(t *testing.T) {
	ctx := context.Background()
	sel := Everything(model.FromMessages(runMessages()))
	var last, total int64
	c := wordCounter()
	c.Workers = 3
	c.Progress = func(done, all int64) {
		if done < last {
			t.Errorf("progress went from %d to %d", last, done)
		}
		last, total = done, all
	}
	col, err := CountTokens(ctx, sel, c)
	if err != nil {
		t.Fatal(err)
	}
	if last != total || total == 0 {
		t.Errorf("progress ended at %d of %d", last, total)
	}
	if !col.Covers(sel) {
		t.Error("not everything is counted")
	}
	m, ok := col.Message(3)
	if want := (TextTokens{Content: 5, Reasoning: 3, Calls: 2 + 1 + 7}); !ok || m != want {
		t.Errorf("message has %+v, want %+v", m, want)
	}
	if n, ok := col.Call(1); !ok || n != (CallTokens{7, 6}) {
		t.Errorf("call has %+v", n)
	}
	part, err := CountTokens(ctx, Selection{sel.Snap, sel.IDs[3:4]}, wordCounter())
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := part.Call(0); n != (CallTokens{1, 3}) {
		t.Errorf("call of a selected message has %+v", n)
	}
	if _, ok := part.Message(0); ok {
		t.Error("what is not selected is counted")
	}
	c.Column, c.Progress = part, nil
	more, err := CountTokens(ctx, sel, c)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range sel.IDs {
		x, _ := more.Message(id)
		y, _ := col.Message(id)
		if x != y {
			t.Errorf("message %d: %+v counted later, %+v at once", id, x, y)
		}
	}
	if _, ok := part.Message(0); ok {
		t.Error("counting more changed the column before")
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := CountTokens(gone, sel, wordCounter()); err == nil {
		t.Error("counting goes on when stopped")
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Short(0), "0"}, {Short(15), "15"}, {Short(999), "999"}, {Short(1200), "1.2k"}, {Short(93_600), "93.6k"}, {Short(157_000), "157k"},
		{Short(999_600), "1.0M"}, {Short(15_700_000), "15.7M"}, {Short(260_000), "260k"}, {Short(-1500), "-1.5k"}, {Short(int64(1_200_000_000)), "1.2G"},
		{Count(0), "0"}, {Count(1134), "1,134"}, {Count(1_234_567), "1,234,567"}, {Count(-1134), "-1,134"}, {Count(999), "999"},
		{Took(0), "0.0s"}, {Took(400 * time.Millisecond), "0.4s"}, {Took(15200 * time.Millisecond), "15.2s"}, {Took(181 * time.Second), "3m01s"},
		{Took(59_960 * time.Millisecond), "59.9s"}, {Took(72 * time.Minute), "1h12m"}, {Took(51 * time.Hour), "2d03h"}, {Took(59*time.Minute + 59*time.Second), "59m59s"},
		{Clock(31 * time.Second), "0:31"}, {Clock(12*time.Minute + 5*time.Second), "12:05"}, {Clock(time.Hour + 2*time.Minute + 3*time.Second), "1:02:03"},
		{Percent(13, 177), "7.3 %"}, {Percent(17, 100), "17 %"}, {Percent(1, 0), "0 %"}, {Percent(100, 100), "100 %"}, {Percent(0, 5), "0 %"},
		{Money(0.14), "$0.14"}, {Money(30.33), "$30.33"}, {Money(0.0021), "$0.0021"}, {Money(0), "$0.00"},
		{Plural(1, "call"), "1 call"}, {Plural(1134, "event"), "1,134 events"}, {Plural(2, "match", "matches"), "2 matches"},
		{TimeOfDay(0, nil), "–"}, {TimeOfDay(t0, nil), "20:41:40"}, {DayAndTime(t0, time.FixedZone("", 3600)), "2026-02-11 21:41:40"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	js, err := json.Marshal([]any{Millis(12345), Stamp(t0), Stamp(0)})
	if err != nil || string(js) != `[12.345,"2026-02-11T20:41:40.000Z",null]` {
		t.Errorf("%s %v", js, err)
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
