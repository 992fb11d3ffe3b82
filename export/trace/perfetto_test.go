package trace_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"turns/export"
	"turns/export/exporttest"
	"turns/export/trace"
	"turns/model"
	"turns/model/load"
	"turns/query"
	"turns/query/describe"
	"turns/query/querytest"
)

// event has the fields of a trace event that a viewer reads.
type event struct {
	Name, Cat, Ph, Bp string
	Ts                int64
	Dur               *int64
	Pid, Tid          *int
	ID                int
	Args              map[string]any
}

func events(t *testing.T, snap *model.Snapshot, opts export.Options) ([]event, export.Report) {
	t.Helper()
	var b bytes.Buffer
	report, err := trace.WritePerfetto(t.Context(), &b, describe.NewView(query.Everything(snap), nil), opts)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct{ TraceEvents []event }
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	return doc.TraceEvents, report
}

// check enforces the rules of the format: each event has a phase, a process and a track,
// complete events have a duration, tracks have a name, and the events of a track nest.
func check(t *testing.T, list []event) {
	t.Helper()
	named, byTrack := map[[2]int]bool{}, map[[2]int][]event{}
	for _, e := range list {
		if e.Ph == "" || e.Name == "" || e.Pid == nil || e.Tid == nil {
			t.Fatalf("%+v is incomplete", e)
		}
		track := [2]int{*e.Pid, *e.Tid}
		switch e.Ph {
		case "M":
			named[track] = named[track] || e.Name == "thread_name" && e.Args["name"] != ""
		case "X":
			if e.Dur == nil || *e.Dur < 0 || e.Args["index"] == nil && *e.Tid == 1 {
				t.Fatalf("%+v has no duration or no index", e)
			}
			byTrack[track] = append(byTrack[track], e)
		}
	}
	checkArguments(t, list)
	checkArrows(t, list)
	for track, of := range byTrack {
		if !named[track] {
			t.Errorf("track %v has no name", track)
		}
		slices.SortStableFunc(of, func(x, y event) int { return cmp.Compare(x.Ts, y.Ts) })
		for i := range of[1:] {
			if of[i].Ts+*of[i].Dur > of[i+1].Ts {
				t.Errorf("%+v overlaps %+v", of[i], of[i+1])
			}
		}
	}
}

// checkArguments checks the arguments of metadata and counters that Perfetto reads: a name for each
// process and track, a number for each order and each series.
func checkArguments(t *testing.T, list []event) {
	t.Helper()
	processes, processOf := map[int]bool{}, map[int]int{}
	for _, e := range list {
		if pid, ok := processOf[*e.Tid]; ok && pid != *e.Pid {
			t.Fatalf("%+v has the number of a track of process %d", e, pid)
		}
		processOf[*e.Tid] = *e.Pid
		want := "number"
		switch {
		case e.Ph == "M" && (e.Name == "process_name" || e.Name == "thread_name"):
			want = "string"
			processes[*e.Pid] = processes[*e.Pid] || e.Name == "process_name"
		case e.Ph == "M" && e.Name == "thread_sort_index", e.Ph == "C":
		case e.Ph == "X" || e.Ph == "s" || e.Ph == "f":
			continue
		default:
			t.Fatalf("%+v is of a kind that Perfetto does not know", e)
		}
		if len(e.Args) == 0 {
			t.Errorf("%+v has no arguments", e)
		}
		for _, v := range e.Args {
			_, number := v.(float64)
			text, _ := v.(string)
			if want == "number" && !number || want == "string" && text == "" {
				t.Errorf("an argument of %+v is not %s", e, want)
			}
		}
	}
	for _, e := range list {
		if e.Ts < 0 || !processes[*e.Pid] || processOf[*e.Pid] != *e.Pid {
			t.Fatalf("%+v begins before 1970, or its process has no name or no first track", e)
		}
	}
}

// checkArrows follows the flow events as Perfetto does: by time, in the order of the file at the
// same time, both ends of an arrow need an open event around them, and an id has one arrow.
func checkArrows(t *testing.T, list []event) {
	t.Helper()
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(x, y event) int { return cmp.Compare(x.Ts, y.Ts) })
	open, arrows := map[[2]int]int64{}, map[string]string{}
	for _, e := range sorted {
		track := [2]int{*e.Pid, *e.Tid}
		id := fmt.Sprintf("%s %s %d", e.Cat, e.Name, e.ID)
		switch e.Ph {
		case "X":
			open[track] = e.Ts + *e.Dur
		case "s", "f":
			if end, ok := open[track]; !ok || end <= e.Ts {
				t.Errorf("no event around %+v", e)
			}
			if e.ID == 0 || e.Ph == "f" && e.Bp != "e" {
				t.Errorf("%+v is not bound to the event around it", e)
			}
			arrows[id] += e.Ph
		}
	}
	for id, ends := range arrows {
		if ends != "sf" {
			t.Errorf("the arrow %s has the ends %s", id, ends)
		}
	}
}

// An arrow leads from a call to its subagent, which may begin later. A subagent that did no timed
// work has none.
func TestArrows(t *testing.T) {
	const envelope = `"sessionId":"s","cwd":"/src","version":"2.1.0","timestamp":"2026-01-01T10:00:`
	call := func(id, at string) string {
		return `{"type":"assistant","uuid":"` + id + at + `","isSidechain":false,` + envelope + at + `Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"` + id + `","name":"Task","input":{}}],"id":"m` + id + `","type":"message"}}` + "\n"
	}
	result := func(id, at, agent string) string {
		return `{"type":"user","uuid":"r` + id + `","isSidechain":false,` + envelope + at + `Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"` + id + `","content":"ok"}]},"toolUseResult":{"status":"completed","agentId":"` + agent + `"}}` + "\n"
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"s.jsonl": `{"type":"user","uuid":"u","isSidechain":false,` + envelope + `00Z","message":{"role":"user","content":"go"}}` + "\n" +
			call("t1", "05") + result("t1", "20", "a") + call("t2", "25") + result("t2", "40", "b"),
		"s/subagents/agent-a.jsonl": `{"type":"user","uuid":"a1","isSidechain":true,"agentId":"a",` + envelope + `05Z","message":{"role":"user","content":"look"}}` + "\n" +
			`{"type":"assistant","uuid":"a2","isSidechain":true,"agentId":"a",` + envelope + `15Z","message":{"role":"assistant","content":[{"type":"text","text":"seen"}],"id":"ma","type":"message"}}` + "\n",
		"s/subagents/agent-b.jsonl": `{"type":"user","uuid":"b1","isSidechain":true,"agentId":"b",` + envelope + `30Z","message":{"role":"user","content":"look"}}` + "\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := load.Open(t.Context(), filepath.Join(dir, "s.jsonl"), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	snap, err := c.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	list, _ := events(t, snap, export.Options{})
	check(t, list)
	n := 0
	for _, e := range list {
		if e.Ph == "s" {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d arrows, want that to the subagent which worked for a time", n)
	}
}

func TestTraceOfATurn(t *testing.T) {
	const key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"
	snap := model.FromMessages(querytest.At([]model.Message{
		querytest.Message(model.User, "q"),
		querytest.Message(model.Assistant, "", querytest.Call("1", "Bash", `{"command":"curl -H `+key+`"}`), querytest.Call("2", "Read", `{"file_path":"a"}`)),
		querytest.Tool(querytest.Failed("2", "")), querytest.Tool(querytest.Result("1", "")),
		querytest.Message(model.Assistant, "done"),
	}, 0, 4, 7, 10, 15))
	list, _ := events(t, snap, export.Options{})
	check(t, list)
	var got []string
	start := list[slices.IndexFunc(list, func(e event) bool { return e.Ph == "X" })].Ts
	for _, e := range list {
		if e.Ph == "X" {
			got = append(got, fmt.Sprintf("%s/%s %d+%d @%d #%v", e.Name, e.Cat, (e.Ts-start)/1e6, *e.Dur/1e6, *e.Tid, e.Args["index"]))
		}
	}
	want := "model/model 0+4 @1 #1, tools/tools 4+3 @1 #2, tools/tools 7+3 @1 #3, model/model 10+5 @1 #4, Bash/tool 4+6 @2 #1, Read/tool,error 4+3 @3 #1"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("got\n%s\nwant\n%s", s, want)
	}
	if time.UnixMicro(start).UnixMilli() != snap.HeadRow(0).Time {
		t.Errorf("it begins at %d, the session at %d", start, snap.HeadRow(0).Time)
	}
	for _, redacts := range []bool{false, true} {
		list, report := events(t, snap, export.Options{Redact: redacts})
		if has := strings.Contains(fmt.Sprint(list), key); has == redacts || (report.Secrets == 0) == redacts {
			t.Errorf("redacting %v: the key is in it: %v; %d secrets", redacts, has, report.Secrets)
		}
	}
}

// A trace omits messages without a time, and the report counts them.
func TestWithoutTimes(t *testing.T) {
	list, report := events(t, model.FromMessages([]model.Message{querytest.Message(model.User, "q")}), export.Options{})
	if len(list) != 0 || len(report.Notes) != 1 || !strings.HasPrefix(report.Notes[0], "1 message left out") {
		t.Errorf("%v, %v", list, report.Notes)
	}
}

func TestErrors(t *testing.T) {
	view := describe.NewView(query.Everything(model.FromMessages(querytest.Run())), nil)
	if _, err := trace.WritePerfetto(t.Context(), full{}, view, export.Options{}); err == nil || err.Error() != "disk full" {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := trace.WritePerfetto(ctx, io.Discard, view, export.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// TestCorpus writes real transcripts as traces.
func TestCorpus(t *testing.T) {
	exporttest.EachOfCorpus(t, func(t *testing.T, snap *model.Snapshot) {
		list, _ := events(t, snap, export.Options{})
		check(t, list)
	})
}
