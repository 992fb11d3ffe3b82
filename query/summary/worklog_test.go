package summary

import (
	"context"
	"strings"
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/querytest"
)

func TestWorkLog(t *testing.T) {
	ctx := context.Background()
	rich := querytest.Null(model.Assistant, querytest.Thinks("Plan then act."), querytest.Call("t1", "update", `{"note":"n","task_id":"t-9","mode":"fast"}`))
	rich.Model = "claude"
	rich.Records = []model.RecordText{{Data: []byte(`{"content":[{"type":"thinking","reasoning_type":"planning","confidence_level":0.8},` +
		`{"type":"tool_use","tool_id":"t1","parameter_importance":{"task_id":8,"mode":7,"note":2}}]}`)}}
	answer := querytest.Tool(querytest.Result("t1", "fine"))
	answer.Blocks[0].Outcome = model.Half
	answer.Records = []model.RecordText{{Data: []byte(`{"content":[{"type":"tool_result","tool_id":"t1","outcome_status":"partial","impact_scope":["tasks"],"result_summary":"half of it"}]}`)}}
	msgs := append(querytest.Run(), rich, answer)
	s := model.FromMessages(msgs)
	a, err := WorkLog(ctx, describe.NewView(query.Everything(s), nil), query.NewTurnIndex(s), WorkLogOptions{Thoughts: true})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for i := range a.Entries {
		lines = append(lines, a.Entries[i].Line())
	}
	want := []string{
		"Read(file_path=/work/app/watch_test.go): success – 3 lines, 1.0s",
		"Bash(command=cd /work/app && go test ./... 2>&1): failure – exit 1 · undefined: waitFor, 12.0s",
		"Bash(command=go vet ./...): pending – no result",
		"unknown(tool_call_id=c9): success – late, result without a call",
		"update(task_id=t-9, mode=fast): partial – half of it → tasks",
	}
	if got := strings.Join(lines, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	if a.Success != 1 || a.Orphans != 1 || a.Failure != 1 || a.Partial != 1 || a.Pending != 1 {
		t.Errorf("%s", a.Headline())
	}
	thoughts := a.Interactions[len(a.Interactions)-1].Thoughts
	if len(thoughts) != 1 || thoughts[0].Line() != "[planning] Plan then act. (confidence 0.8) · claude" {
		t.Errorf("reasoning %+v", thoughts)
	}
	var csv strings.Builder
	if md := a.Doc().Markdown(); !strings.Contains(md, "## Turn 0: Fix the flaky test") || !strings.Contains(md, `file_path`) {
		t.Errorf("markdown:\n%s", md)
	}
	if err := a.WriteCSV(&csv); err != nil || strings.Count(csv.String(), "\n") != 8 || strings.Count(csv.String(), ",reasoning,") != 2 || strings.Count(csv.String(), ",call,") != 4 {
		t.Errorf("csv %v:\n%s", err, csv.String())
	}
}

// TestWorkLogOfASelection: the log shows a request whose message is not selected, and the place of
// an interaction without a call.
func TestWorkLogOfASelection(t *testing.T) {
	s := model.FromMessages([]model.Message{
		querytest.Flagged(querytest.Message(model.User, "one"), model.Prompt), querytest.Null(model.Assistant, querytest.Call("a", "f", `{"x":"1"}`)), querytest.Tool(querytest.Result("a", "r")),
		querytest.Flagged(querytest.Message(model.User, "two"), model.Prompt), querytest.Null(model.Assistant, querytest.Thinks("Hm.")), querytest.Message(model.Assistant, "Yes."),
		querytest.Flagged(querytest.Message(model.User, "three"), model.Prompt), querytest.Null(model.Assistant, querytest.Call("b", "f", `{"x":"2"}`)), querytest.Tool(querytest.Failed("b", "no")),
	})
	turns := query.NewTurnIndex(s)
	for _, tt := range []struct {
		ids  []model.ID
		want string
	}{
		{s.LiveIDs(), "## Turn 0: one\n\n- ✓ – f(x=1): success – r\n\n## Turn 1: two\n\n- \\~ \\[thinking] Hm.\n\n## Turn 2: three\n\n- ✗ – f(x=2): failure – error · no\n"},
		{[]model.ID{7, 8}, "## Turn 2: three\n\n- ✗ – f(x=2): failure – error · no\n"},
	} {
		a, err := WorkLog(context.Background(), describe.NewView(query.Selection{Snap: s, IDs: tt.ids}, nil), turns, WorkLogOptions{Thoughts: true})
		if err != nil {
			t.Fatal(err)
		}
		text := a.Doc().Markdown()
		if text = text[strings.Index(text, "\n## ")+1:]; text != tt.want {
			t.Errorf("got\n%q\nwant\n%q", text, tt.want)
		}
	}
}

func TestWorkLogByInteraction(t *testing.T) {
	tag := func(m model.Message, id string) model.Message {
		m.Extra = []model.KeyValue{{Name: "interaction_id", Value: id}}
		return m
	}
	s := model.FromMessages([]model.Message{
		tag(querytest.Message(model.User, "one"), "i1"), tag(querytest.Null(model.Assistant, querytest.Call("a", "f", "{}")), "i1"), tag(querytest.Tool(querytest.Result("a", "r")), "i1"),
		tag(querytest.Message(model.User, "two"), "i2"), tag(querytest.Null(model.Assistant, querytest.Call("b", "f", "{}")), "i2"),
	})
	a, err := WorkLog(context.Background(), describe.NewView(query.Everything(s), nil), query.NewTurnIndex(s), WorkLogOptions{})
	if err != nil || len(a.Interactions) != 2 || a.Interactions[1].ID != "i2" || a.Interactions[1].Calls != 1 || a.Interactions[0].Messages != 3 {
		t.Errorf("%+v, %v", a, err)
	}
}

// workEntry returns the only entry of a work log with a call and the given record.
func workEntry(t *testing.T, record string) WorkEntry {
	t.Helper()
	call := querytest.Null(model.Assistant, querytest.Call("t1", "update", `{"a":1,"b":2}`))
	answer := querytest.Tool(querytest.Result("t1", "fine"))
	call.Records = []model.RecordText{{Data: []byte(record)}}
	answer.Records = call.Records
	s := model.FromMessages([]model.Message{call, answer})
	a, err := WorkLog(t.Context(), describe.NewView(query.Everything(s), nil), query.NewTurnIndex(s), WorkLogOptions{})
	if err != nil || len(a.Entries) != 1 {
		t.Fatalf("%d entries, %v", len(a.Entries), err)
	}
	return a.Entries[0]
}

// TestWeightsOfParameters: words for the importance of parameters become numbers.
func TestWeightsOfParameters(t *testing.T) {
	for word, want := range map[string]int{"critical": 10, "high": 8, "medium": 5, "low": 3, "verbose": 1, "unheard": 0} {
		r := workRecord{Entry: "t1", Weights: map[string]string{"a": word}}
		if got := r.blocks(nil)[0].Importance["a"]; got != want {
			t.Errorf("%s weighs %d, want %d", word, got, want)
		}
	}
}

// TestWorkRecords: any single field of a work log is enough to read the record of a message.
func TestWorkRecords(t *testing.T) {
	for field, value := range map[string]string{
		"parameter_importance": `{"a":8}`, "reasoning_type": `"planning"`, "impact_scope": `["x"]`, "error_details": `"no"`, "result_summary": `"done"`,
		"action_category": `"edit"`,
	} {
		m := model.Message{Records: []model.RecordText{{Data: []byte(`{"content":[{"type":"tool_result","tool_id":"t1","` + field + `":` + value + `}]}`)}}}
		if len(newWorkExtra(&m).blocks) != 1 {
			t.Errorf("a record with %s is not read", field)
		}
	}
	m := model.Message{Records: []model.RecordText{{Data: []byte(`{"entry_id":"t1","parameter_metadata":{"a":"high"}}`)}}}
	if len(newWorkExtra(&m).blocks) != 2 {
		t.Error("a line of a work log is not read")
	}
	m.Records[0].Data = []byte(`{"content":[{"type":"tool_result","tool_id":"t1"}]}`)
	if len(newWorkExtra(&m).blocks) != 0 {
		t.Error("a record without the fields of a work log is decoded")
	}
}

// TestResultOfAWorkRecord: a result has its summary, its category and the touched resources (a list
// or a name); a failed one has its error.
func TestResultOfAWorkRecord(t *testing.T) {
	for record, want := range map[string]string{
		`{"content":[{"type":"tool_result","tool_id":"t1","result_summary":"half","action_category":"edit","impact_scope":["x","y"]}]}`: "half/edit/x y/",
		`{"content":[{"type":"tool_result","tool_id":"t1","error_details":"no","impact_scope":"x"}]}`:                                   "fine//x/no",
		`{"entry_id":"t1","impact_scope":"x","affected_resources":["y"],"outcome_details":"half"}`:                                      "half//x y/",
		`{"entry_id":"t1","impact_scope":"unknown","affected_resources":["y"],"outcome_details":"no","outcome_status":"failure"}`:       "fine//y/no",
	} {
		e := workEntry(t, record)
		got := string(e.Details) + "/" + string(e.Category) + "/" + strings.Join(e.Impact, " ") + "/" + string(e.Error)
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", record, got, want)
		}
	}
}
