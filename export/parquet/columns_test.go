package parquet

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"turns/model"
	"turns/query/label"
)

// TestEndOfARun: the row of a session has its score, its result and, only if it failed, its error.
func TestEndOfARun(t *testing.T) {
	for _, c := range []struct {
		end  model.Ending
		want string // score, success, outcome and error
	}{
		{model.Ending{State: model.RunFinished, Ended: true, Outcome: model.Success, Score: 0.25, Scored: true}, "0.25 true finished "},
		{model.Ending{State: model.RunFailed, Ended: true, Outcome: model.Failure, Scored: true}, "0 false failed score 0"},
		{model.Ending{State: model.RunFailed, Ended: true, Outcome: model.Failure, Reason: "no money"}, " null failed no money"},
		{model.Ending{State: model.RunFinished, Reason: "end_turn"}, " null finished "},
	} {
		dir, run := t.TempDir(), aRun(t, "a.jsonl", 1)
		run.Ending = c.end
		run.Session.At(time.Unix(1_900_000_000, 0))
		put(t, dir, Options{}, run)
		row, success := get[runRow](t, dir, "runs")[0], "null"
		if row.Success != nil {
			success = fmt.Sprint(*row.Success)
		}
		if got := strings.Join([]string{row.Score, success, row.Outcome, row.Error}, " "); got != c.want || row.Date != "2026-02-25T06:13:20.000Z" {
			t.Errorf("%+v: %q of %s, want %q", c.end, got, row.Date, c.want)
		}
	}
	dir, run := t.TempDir(), aRun(t, "a.jsonl", 1)
	run.Started = 0
	put(t, dir, Options{}, run)
	if row := get[runRow](t, dir, "runs")[0]; row.Date != "" {
		t.Errorf("a session without a time has the date %q", row.Date)
	}
}

// TestLabelsOfRows: a label is in the row of its session, message or call, and in the table of
// labels.
func TestLabelsOfRows(t *testing.T) {
	dir, run, none := t.TempDir(), aRun(t, "a.jsonl", 1), model.CallID(model.NoRow)
	mark := func(name string, scope label.Scope) label.Line {
		return label.Line{ID: name, Scope: scope, Mark: label.Mark{Kind: label.Label, Name: name}}
	}
	called := mark("flaky", label.OfCall)
	called.At = &label.Place{Call: "call_0"}
	score := label.Line{ID: "q", Scope: label.OfMessage, Mark: label.Mark{Kind: label.Score, Name: "quality", Value: "2"}}
	run.Labels = label.NewHere(run.Snap, []label.Placed{
		{Line: mark("lost", label.OfRun), ID: model.NoID, Call: none}, {Line: mark("whole", label.OfMessage), ID: model.NoID, Call: none},
		{Line: mark("elsewhere", label.OfRun), Session: 1, ID: model.NoID, Call: none},
		{Line: score, ID: run.Snap.At(1), Call: none}, {Line: called, ID: run.Snap.At(1), Call: 0},
	})
	if total := put(t, dir, Options{}, run); total.Labels != 4 {
		t.Errorf("%d labels are written, want 4", total.Labels)
	}
	messages, calls := get[messageRow](t, dir, "messages"), get[callRow](t, dir, "calls")
	got := []string{get[runRow](t, dir, "runs")[0].Labels, messages[0].Labels, messages[1].Labels, messages[2].Labels, calls[0].Labels}
	if want := []string{"#lost  #whole", "", "quality 2", "", "#flaky"}; !slices.Equal(got, want) {
		t.Errorf("the labels of the rows are %q, want %q", got, want)
	}
	var rows []string
	for _, row := range get[labelRow](t, dir, "labels") {
		value := "null"
		if row.Value != nil {
			value = fmt.Sprint(*row.Value)
		}
		rows = append(rows, fmt.Sprint(row.Name, " ", row.Scope, " ", row.MessageIndex, " ", row.ToolCallID, " ", value))
	}
	if want := []string{"lost run -1  null", "whole run -1  null", "quality message 1  2", "flaky call 1 call_0 null"}; !slices.Equal(rows, want) {
		t.Errorf("the rows of labels are %q, want %q", rows, want)
	}
}

// TestSourceAndDetailsOfMessages: a message has details only if its columns are insufficient.
func TestSourceAndDetailsOfMessages(t *testing.T) {
	words := func(texts ...string) (blocks []model.Content) {
		for _, text := range texts {
			blocks = append(blocks, model.Content{Kind: model.Words, Text: text})
		}
		return blocks
	}
	call := model.Content{Kind: model.ToolCall, ID: "c", Name: "ls", Text: "{}", JSON: true}
	result := model.Content{Kind: model.ToolResult, ID: "c", Name: "ls", Text: "ok", Outcome: model.Success}
	failed := result
	failed.Outcome = model.Failure
	image := model.Content{Kind: model.Media, Name: "image/png", Text: "iVBOR"}
	usage := &model.Usage{Scope: model.Each, Input: 1, CacheRead: -1, CacheWrite: -1, Output: -1, Reasoning: -1, Cost: 0.5, HasCost: true}
	run := aRun(t, "a.jsonl", 1)
	for _, c := range []struct {
		name     string
		messages []model.Message
		want     string // source, content and details of the last but one
	}{
		{"a prompt", []model.Message{{Role: model.User, Blocks: words("a")}}, "input a "},
		{"an answer", []model.Message{{Role: model.Assistant, Model: "m", Blocks: words("a")}}, "generate a "},
		{"a cost", []model.Message{{Role: model.Assistant, Model: "m", Usage: usage, Blocks: words("a")}}, "generate a  $0.5"},
		{"thoughts, words and a call", []model.Message{{Role: model.Assistant, Model: "m", Blocks: []model.Content{{Kind: model.Reasoning, Text: "r"}, words("a")[0], call}}}, "generate a "},
		{"words after a call", []model.Message{{Role: model.Assistant, Model: "m", Blocks: []model.Content{call, words("a")[0]}}}, `generate a {"blocks":[{"kind":"call"},{"kind":"text","n":1}]}`},
		{"two texts", []model.Message{{Role: model.User, Blocks: words("a", "bc")}}, `input a
bc {"blocks":[{"kind":"text","n":1},{"kind":"text","n":2}]}`},
		{"an image", []model.Message{{Role: model.User, Blocks: append(words("a"), image)}}, `input a {"blocks":[{"kind":"text","n":1},{"kind":"media","null":true,"name":"image/png"}]}`},
		{"a result", []model.Message{{Role: model.Assistant, Blocks: []model.Content{call}}, {Role: model.Tool, Blocks: []model.Content{result}}}, " ok "},
		{"a failed result", []model.Message{{Role: model.Assistant, Blocks: []model.Content{call}}, {Role: model.Tool, Blocks: []model.Content{failed}}},
			` ok {"blocks":[{"kind":"result","n":2,"id":"c","name":"ls","outcome":"failure"}]}`},
	} {
		dir, r := t.TempDir(), *run
		r.Selection.Snap = model.FromMessages(append(c.messages, model.Message{Role: model.User, Blocks: words("end")}))
		r.IDs = r.Snap.LiveIDs()
		put(t, dir, Options{}, &r)
		row := get[messageRow](t, dir, "messages")[len(c.messages)-1]
		got := row.Source + " " + *row.Content + " " + row.Details
		if row.Cost != nil {
			got += fmt.Sprint(" $", *row.Cost)
		}
		if got != c.want {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.want)
		}
	}
}
