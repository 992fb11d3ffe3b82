package lanes_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"turns/export/exporttest"
	"turns/model"
	"turns/model/load"
	"turns/query"
	"turns/query/answer"
	"turns/query/human"
	"turns/query/lanes"
	"turns/query/querytest"
	"turns/query/summary"
)

func arranged(t *testing.T, snap *model.Snapshot) *lanes.Answer {
	t.Helper()
	a, err := lanes.Of(t.Context(), query.Everything(snap))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// at is a time of querytest.At.
func at(seconds float64) human.Stamp {
	m := querytest.At([]model.Message{querytest.Message(model.User, "")}, seconds)
	return human.Stamp(m[0].Time)
}

// twoTools is a turn with two parallel calls, then a response whose two calls ran one after the
// other.
func twoTools() []model.Message {
	long, short := querytest.Result("3", ""), querytest.Failed("4", "no")
	long.Took, short.Took = 20*time.Second, 6*time.Second
	return querytest.At([]model.Message{
		querytest.Message(model.User, "q"),
		querytest.Message(model.Assistant, "", querytest.Call("1", "a", "{}"), querytest.Call("2", "b", "{}")),
		querytest.Tool(querytest.Result("2", "")), querytest.Tool(querytest.Result("1", "")),
		querytest.Message(model.Assistant, "", querytest.Call("3", "c", "{}"), querytest.Call("4", "c", "{}")),
		querytest.Tool(long), querytest.Tool(short),
		querytest.Message(model.Assistant, "done"),
		querytest.Message(model.User, "r"),
	}, 0, 4, 7, 10, 15, 35, 41, 43, 343)
}

// A lane has the stretches of the time split, and parallel calls are in different rows.
func TestLaneOfATurn(t *testing.T) {
	a := arranged(t, model.FromMessages(twoTools()))
	if len(a.Lanes) != 1 || a.Lanes[0].Name != "main" {
		t.Fatalf("lanes %+v", a.Lanes)
	}
	lane := &a.Lanes[0]
	var got []string
	for _, s := range lane.Stretches {
		got = append(got, fmt.Sprintf("%s %s #%d", s.Kind, s.Took, s.Index))
	}
	want := "model 4.0s #1, tools 3.0s #2, tools 3.0s #3, model 5.0s #4, tools 20.0s #5, tools 6.0s #6, model 2.0s #7, user 5m00s #8"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("stretches\n%s, want\n%s", s, want)
	}
	if want := (lanes.TimeSplit{Model: 11_000, Tools: 32_000, User: 300_000}); lane.Time != want || a.Time != want {
		t.Errorf("time %+v, of all %+v", lane.Time, a.Time)
	}
	var rows []string
	for _, c := range lane.Calls {
		rows = append(rows, fmt.Sprintf("%s %d %v %v", c.Tool, c.Row, c.Outcome, c.Critical))
	}
	if s := strings.Join(rows, ", "); s != "a 0 success true, b 1 success false, c 0 success true, c 0 failure true" || lane.Rows != 2 || lane.Errors != 1 {
		t.Errorf("calls %s; %d rows, %d errors", s, lane.Rows, lane.Errors)
	}
	if len(a.Gaps) != 1 || a.Gaps[0].Took != 300_000 {
		t.Errorf("gaps %+v", a.Gaps)
	}
}

// The end waited for the longer of two parallel calls, and for both of the two that ran one
// after the other. In parallel, these would have taken as long as the longer one.
func TestCriticalPath(t *testing.T) {
	c := arranged(t, model.FromMessages(twoTools())).Critical
	if c.Time != 32_000 || c.Calls != 3 || c.Saved != 6_000 {
		t.Errorf("%+v", c)
	}
	if want := "critical path: 26.0s of c, 6.0s of a; 6.0s could run in parallel"; c.Line() != want {
		t.Errorf("%q", c.Line())
	}
	none := arranged(t, model.FromMessages(twoTools()[:1])).Critical
	if want := "critical path: the end waited for no tool call"; none.Line() != want {
		t.Errorf("%q", none.Line())
	}
}

// TestCriticalPathWithOverlap: the end of a block did not wait for a call that continues in the
// background.
func TestCriticalPathWithOverlap(t *testing.T) {
	background, quick := querytest.Result("1", ""), querytest.Result("2", "")
	background.Took, quick.Took = 90*time.Second, 5*time.Second
	msgs := querytest.At([]model.Message{
		querytest.Message(model.User, "q"),
		querytest.Message(model.Assistant, "", querytest.Call("1", "slow", "{}"), querytest.Call("2", "quick", "{}")),
		querytest.Tool(quick),
		querytest.Message(model.Assistant, "go on", querytest.Call("3", "last", "{}")),
		querytest.Tool(querytest.Result("3", "")),
		querytest.Tool(background),
	}, 0, 1, 6, 8, 20, 91)
	a := arranged(t, model.FromMessages(msgs))
	if a.Critical.Time != a.Time.Tools {
		t.Errorf("critical path %s, time of the tools %s", a.Critical.Time, a.Time.Tools)
	}
	if !strings.Contains(a.Critical.Line(), "of slow") {
		t.Errorf("%q", a.Critical.Line())
	}
}

// Sessions one after another in a file may have the same times: the path is that of the first, as
// the time of the others is over.
func TestCriticalPathWhereTimesGoBack(t *testing.T) {
	once := twoTools()
	twice := once
	for n := range 3 {
		again := twoTools()
		for i := range again {
			for b := range again[i].Blocks {
				if id := &again[i].Blocks[b].ID; *id != "" {
					*id += fmt.Sprintf("-%d", n)
				}
			}
		}
		twice = append(twice[:len(twice):len(twice)], again...)
	}
	want, got := arranged(t, model.FromMessages(once)), arranged(t, model.FromMessages(twice))
	if got.Critical.Time != want.Critical.Time || got.Critical.Calls != want.Critical.Calls || got.Time != want.Time {
		t.Errorf("%+v, %+v; once %+v, %+v", got.Critical, got.Time, want.Critical, want.Time)
	}
}

// checkLanes arranges a session as lanes and checks that the stretches of each lane fill its
// time, and that the sums are those of stats.
func checkLanes(t *testing.T, name string, snap *model.Snapshot) {
	t.Helper()
	a := arranged(t, snap)
	stats, err := summary.Stats(t.Context(), query.Everything(snap), nil)
	if err != nil {
		t.Fatal(err)
	}
	var sum lanes.TimeSplit
	for i := range a.Lanes {
		lane := &a.Lanes[i]
		var split lanes.TimeSplit
		last := human.Stamp(0)
		for _, s := range lane.Stretches {
			if s.From < last || s.To <= s.From || human.Millis(s.To-s.From) != s.Took {
				t.Errorf("%s: lane %d has the stretch %+v after %d", name, i, s, last)
			}
			last = s.To
			switch s.Kind {
			case lanes.Model:
				split.Model += s.Took
			case lanes.Tools:
				split.Tools += s.Took
			case lanes.Asked:
				split.Asked += s.Took
			case lanes.User:
				split.User += s.Took
			default:
				split.Idle += s.Took
			}
		}
		if split != lane.Time {
			t.Errorf("%s: stretches of lane %d: %+v, the lane: %+v", name, i, split, lane.Time)
		}
		if lane.Parent != nil && *lane.Parent >= i {
			t.Errorf("%s: lane %d is above its parent %d", name, i, *lane.Parent)
		}
		if lane.Main() {
			sum.Model, sum.Tools, sum.Asked = sum.Model+split.Model, sum.Tools+split.Tools, sum.Asked+split.Asked
			sum.User, sum.Idle = sum.User+split.User, sum.Idle+split.Idle
		}
	}
	for _, x := range [][2]human.Millis{{sum.Model, stats.Time.Model}, {sum.Tools, stats.Time.Tools}, {sum.Asked, stats.Time.Asked}, {sum.User, stats.Time.User}, {sum.Idle, stats.Time.Idle}} {
		if math.Abs(float64(x[0]-x[1])) > 0.01*float64(x[1]) {
			t.Errorf("%s: lanes sum to %+v, stats says %+v", name, sum, stats.Time)
			break
		}
	}
	if a.Critical.Line() != stats.Critical.Line() || a.Critical.Time > a.Time.Tools || a.Critical.Saved > a.Critical.Time {
		t.Errorf("%s: critical path %+v, of stats %+v, tools took %s", name, a.Critical, stats.Critical, a.Time.Tools)
	}
}

// TestSumsAreThoseOfStats arranges every sample as lanes.
func TestSumsAreThoseOfStats(t *testing.T) {
	dir := filepath.Join("..", "..", "testdata", "formats")
	n := 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		c, err := load.Open(context.Background(), path, load.Options{})
		if err != nil {
			return nil // cannot be read as a transcript without its other files
		}
		defer c.Close()
		if snap, err := c.Load(context.Background()); err == nil {
			n++
			checkLanes(t, path, snap)
		}
		return nil
	})
	if err != nil || n < 50 {
		t.Errorf("%d samples, %v", n, err)
	}
}

// TestSumsAreThoseOfStatsInTheCorpus does so with real transcripts.
func TestSumsAreThoseOfStatsInTheCorpus(t *testing.T) {
	exporttest.EachOfCorpus(t, func(t *testing.T, snap *model.Snapshot) { checkLanes(t, t.Name(), snap) })
}

// A subagent has a lane below its parent, and its calls are on the path.
func TestSubagents(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s.jsonl")
	for name, text := range map[string]string{path: parent, filepath.Join(dir, "s", "subagents", "agent-a1.jsonl"): agent} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := load.Open(t.Context(), path, load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	snap, err := c.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a := arranged(t, snap)
	if err := a.Describe(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(a.Lanes) != 2 || a.Lanes[1].Parent == nil || *a.Lanes[1].Parent != 0 || a.Lanes[1].Depth != 1 {
		t.Fatalf("lanes %+v", a.Lanes)
	}
	if name := a.Lanes[1].Name; !strings.Contains(name, "Look around") {
		t.Errorf("the subagent is %q", name)
	}
	if a.Time.Whole() != 60_000 {
		t.Errorf("time of the main lane: %s", a.Time.Whole())
	}
	if line := a.Critical.Line(); !strings.Contains(line, "30.0s of Bash") || !strings.Contains(line, "20.0s of Task") {
		t.Errorf("%q", line)
	}
}

// parent and agent are a session whose call of Task runs for 50 s, 30 s of them in a command of its
// subagent.
const (
	parent = `{"type":"user","uuid":"u1","isSidechain":false,"sessionId":"s","cwd":"/src","version":"2.1.0","timestamp":"2026-01-01T10:00:00.000Z","message":{"role":"user","content":"go"}}
{"type":"assistant","uuid":"a1","parentUuid":"u1","isSidechain":false,"sessionId":"s","cwd":"/src","version":"2.1.0","timestamp":"2026-01-01T10:00:05.000Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Task","input":{"description":"Look around","prompt":"look"}}],"id":"m1","type":"message"}}
{"type":"user","uuid":"u2","parentUuid":"a1","isSidechain":false,"sessionId":"s","cwd":"/src","version":"2.1.0","timestamp":"2026-01-01T10:00:55.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"seen"}]},"toolUseResult":{"status":"completed","agentId":"a1"}}
{"type":"assistant","uuid":"a2","parentUuid":"u2","isSidechain":false,"sessionId":"s","cwd":"/src","version":"2.1.0","timestamp":"2026-01-01T10:01:00.000Z","message":{"role":"assistant","content":[{"type":"text","text":"done"}],"id":"m4","type":"message"}}
`
	agent = `{"type":"user","uuid":"b1","isSidechain":true,"sessionId":"s","cwd":"/src","version":"2.1.0","timestamp":"2026-01-01T10:00:05.000Z","agentId":"a1","message":{"role":"user","content":"look"}}
{"type":"assistant","uuid":"b2","parentUuid":"b1","isSidechain":true,"sessionId":"s","cwd":"/src","version":"2.1.0","timestamp":"2026-01-01T10:00:15.000Z","agentId":"a1","message":{"role":"assistant","content":[{"type":"tool_use","id":"t2","name":"Bash","input":{"command":"ls"}}],"id":"m2","type":"message"}}
{"type":"user","uuid":"b3","parentUuid":"b2","isSidechain":true,"sessionId":"s","cwd":"/src","version":"2.1.0","timestamp":"2026-01-01T10:00:45.000Z","agentId":"a1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":"a"}]}}
{"type":"assistant","uuid":"b4","parentUuid":"b3","isSidechain":true,"sessionId":"s","cwd":"/src","version":"2.1.0","timestamp":"2026-01-01T10:00:55.000Z","agentId":"a1","message":{"role":"assistant","content":[{"type":"text","text":"seen"}],"id":"m3","type":"message"}}
`
)

// Every column of the axis has a time, gaps are folded, and every moment has a column.
func TestAxis(t *testing.T) {
	a := arranged(t, model.FromMessages(twoTools()))
	for columns := 1; columns <= 200; columns++ {
		x := a.Axis(columns, 0, 0)
		if len(x.Slots) != columns {
			t.Fatalf("%d columns of %d", len(x.Slots), columns)
		}
		for i, s := range x.Slots {
			if i > 0 && s.From != x.Slots[i-1].To {
				t.Fatalf("%d columns: %d begins at %d", columns, i, s.From)
			}
			if s.From < s.To && x.Column(s.From) != i {
				t.Fatalf("%d columns: the column of the begin of %d is %d", columns, i, x.Column(s.From))
			}
		}
		if x.Column(a.From) < 0 || x.Column(a.To) != columns-1 || x.Column(a.To+1) != -1 {
			t.Fatalf("%d columns: the ends are in %d and %d", columns, x.Column(a.From), x.Column(a.To))
		}
	}
	x := a.Axis(60, 0, 0)
	if len(x.Folded()) != 1 || !strings.Contains(string(x.Labels(func(human.Stamp) string { return "10:00" })), "⋯5m⋯") {
		t.Errorf("labels %q", string(x.Labels(func(human.Stamp) string { return "10:00" })))
	}
	if part := a.Axis(40, at(0), at(43)); len(part.Folded()) != 0 || part.Column(at(44)) != -1 {
		t.Errorf("a part has %d gaps", len(part.Folded()))
	}
}

// The picture of a turn, without colour.
func TestPicture(t *testing.T) {
	a := arranged(t, model.FromMessages(twoTools()))
	page := answer.Page{Columns: 60}
	a.Doc().Print(&page)
	var got []string
	for line := range strings.Lines(page.String()) {
		if strings.ContainsAny(line, "▓█✗") && !strings.Contains(line, "model") {
			got = append(got, strings.TrimRight(line, "\n"))
		}
	}
	want := []string{
		"main       ▓▓▓▓██████▓▓▓▓▓█████████████████████████✗▓▓······",
		"               ███",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if !strings.Contains(page.String(), lanes.Legend[:10]) {
		t.Errorf("no legend in\n%s", page.String())
	}
}

// JSON has times of RFC 3339 and durations in seconds.
func TestJSON(t *testing.T) {
	var b bytes.Buffer
	if err := arranged(t, model.FromMessages(twoTools())).WriteJSON(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Time struct {
			Tools float64 `json:"tools_seconds"`
		}
		Lanes []struct {
			Stretches []struct {
				Start    time.Time
				Duration float64 `json:"duration_seconds"`
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Time.Tools != 32 || got.Lanes[0].Stretches[0].Duration != 4 || got.Lanes[0].Stretches[0].Start.UnixMilli() != int64(at(0)) {
		t.Errorf("%s", b.String())
	}
}

// Without times there are no lanes, and the text reports that.
func TestWithoutTimes(t *testing.T) {
	a := arranged(t, model.FromMessages([]model.Message{querytest.Message(model.User, "q"), querytest.Message(model.Assistant, "a")}))
	if len(a.Lanes) != 0 || !strings.Contains(a.Doc().String(), "no message has a time") || len(a.Axis(20, 0, 0).Slots) != 0 {
		t.Errorf("%+v\n%s", a.Lanes, a.Doc())
	}
}

// TestParallelCallsBelowALane: three rows of parallel calls are below a lane; the last one has the
// others.
func TestParallelCallsBelowALane(t *testing.T) {
	for n, want := range map[int]int{2: 1, 4: 3, 5: 3, 7: 3} {
		m := querytest.Message(model.Assistant, "")
		msgs := []model.Message{querytest.Message(model.User, "q"), m}
		times := []float64{0, 4}
		for i := range n {
			id := fmt.Sprint(i)
			msgs[1].Blocks = append(msgs[1].Blocks, querytest.Call(id, "tool", "{}"))
			msgs, times = append(msgs, querytest.Tool(querytest.Result(id, ""))), append(times, float64(20+i))
		}
		a := arranged(t, model.FromMessages(querytest.At(msgs, times...)))
		got := 0
		for _, s := range a.Doc().Sections {
			if s.Chart == nil {
				continue
			}
			for _, line := range strings.Split(s.Chart(100), "\n")[2:] {
				if strings.Contains(line, "█") {
					got++
				}
			}
		}
		if got != want {
			t.Errorf("%d parallel calls have %d rows below the lane, want %d", n, got, want)
		}
	}
}

// TestFoldedGaps: with 12 columns for each, gaps have 6 columns and their length, otherwise one
// column, and there is at most one in three columns.
func TestFoldedGaps(t *testing.T) {
	const minute = 60_000 // the shortest folded gap
	for _, c := range []struct{ gaps, columns, folded, width int }{{3, 36, 3, 6}, {3, 35, 3, 1}, {10, 30, 10, 1}, {10, 29, 9, 1}} {
		a := lanes.Answer{From: 1, To: human.Stamp(1 + 2*c.gaps*minute)}
		for i := range c.gaps {
			from := a.From + human.Stamp(2*i*minute)
			a.Gaps = append(a.Gaps, lanes.Gap{From: from, To: from + minute + 1})
		}
		x := a.Axis(c.columns, 0, 0)
		width := 0
		for _, s := range x.Slots {
			if s.Gap == 0 {
				width++
			}
		}
		if len(x.Folded()) != c.folded || width != c.width || len(x.Slots) != c.columns {
			t.Errorf("%d gaps on %d columns: %d are folded, with %d columns, on %d", c.gaps, c.columns, len(x.Folded()), width, len(x.Slots))
		}
	}
}

// TestTimesOfAnAxis: a time is above every 14th column.
func TestTimesOfAnAxis(t *testing.T) {
	a := lanes.Answer{From: 1, To: 1001}
	labels := a.Axis(40, 0, 0).Labels(func(human.Stamp) string { return "10:30" })
	if want := "10:30         10:30         10:30       "; string(labels) != want {
		t.Errorf("%q, want %q", string(labels), want)
	}
}

// TestShortSavings: the line of the critical path reports a saving from a tenth of a second on.
func TestShortSavings(t *testing.T) {
	for saved, want := range map[human.Millis]bool{99: false, 100: true} {
		c := lanes.Critical{Calls: 1, Saved: saved}
		if line := c.Line(); strings.HasSuffix(line, "nothing more could run in parallel") == want {
			t.Errorf("%d ms: %s", saved, line)
		}
	}
}
