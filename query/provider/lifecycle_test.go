package provider

import (
	"slices"
	"strings"
	"testing"

	"turns/model"
)

// TestLifecycle: problems in the states, replacements and calls of Agent C's messages. Each case
// lists its records, and the problems with the index of their record.
func TestLifecycle(t *testing.T) {
	const head = `"role":"assistant","interaction_id":"i","content":`
	for _, tt := range []struct {
		name    string
		records []string
		want    []string
	}{
		{"all is well", []string{
			`{"id":"a","validity_state":"superseded","superseded_by":"b",` + head + `[{"type":"thinking","thought":"x","confidence_level":0.5}]}`,
			`{"id":"b","validity_state":"active","tool_context":{"a":1},"created_at":"2025-08-06T14:00:00Z","updated_at":"2025-08-06T14:00:01Z",` + head + `[{"type":"tool_use","parameters":{"p":1},"parameter_importance":{"p":10},"work_log_metadata":{}}]}`,
			`{"id":"c",` + head + `[{"type":"tool_result","outcome_status":"failure","error_details":"E","execution_time":1.5}]}`,
			`{"id":"d",` + head + `[{"type":"thinking","confidence_level":0},{"type":"thinking","confidence_level":1},{"type":"tool_result","execution_time":0},
				{"type":"tool_use","parameters":{"p":1},"parameter_importance":{"p":1}}]}`,
		}, nil},
		{"older messages name no interaction", []string{`{"id":"a","role":"user","content":[]}`, `{"id":"b","role":"assistant","content":[]}`}, nil},
		{"interaction ids", []string{`{"role":"user","content":[]}`, `{"role":"user","interaction_id":5,"content":[]}`, `{"role":"user","interaction_id":" ","content":[]}`, `{"id":"a",` + head + `[]}`},
			[]string{"1 the interaction id 5 is not one word", `2 the interaction id " " is not one word`, "0 the message names no interaction"}},
		{"roles and states", []string{`{"role":"robot","interaction_id":"i"}`, `{"validity_state":"deleted",` + head + `[]}`, `{"validity_state":1,` + head + `[]}`},
			[]string{`0 the role "robot" is unknown`, `1 the validity state "deleted" is unknown`, "2 the validity state 1 is unknown"}},
		{"a state and what ended it", []string{
			`{"validity_state":"active","invalidated_by":"t",` + head + `[]}`, `{"superseded_by":"c","id":"b",` + head + `[]}`,
			`{"validity_state":"invalidated","id":"c",` + head + `[]}`, `{"validity_state":"superseded",` + head + `[]}`,
		}, []string{`0 the message is active and was invalidated by "t"`, `1 the message is active and was superseded by "c"`,
			"2 the message is invalidated, and nothing says by what", "3 the message is superseded, and nothing says by what"}},
		{"transitions", []string{
			`{"id":"a","validity_state":"active",` + head + `[]}`, `{"id":"a","validity_state":"archived",` + head + `[]}`,
			`{"id":"a","validity_state":"invalidated","invalidated_by":"t",` + head + `[]}`,
		}, []string{`2 the message with the id "a" was archived in message 1, and is invalidated now`}},
		{"chains", []string{
			`{"id":"a","validity_state":"superseded","superseded_by":"b",` + head + `[]}`, `{"id":"b","validity_state":"superseded","superseded_by":"gone",` + head + `[]}`,
			`{"id":"c","validity_state":"superseded","superseded_by":"d",` + head + `[]}`, `{"id":"d","validity_state":"superseded","superseded_by":"c",` + head + `[]}`,
			`{"id":"e","validity_state":"superseded","superseded_by":"e",` + head + `[]}`,
		}, []string{`1 the message is superseded by "gone", and no message has that id`,
			`2 the message is superseded by "d", and the chain from there goes in a circle`, `3 the message is superseded by "c", and the chain from there goes in a circle`,
			`4 the message is superseded by "e", and the chain from there goes in a circle`}},
		{"context and times", []string{`{"tool_context":"words","created_at":"2025-08-06T14:00:00","updated_at":"2025-08-06T13:00:00",` + head + `"words"}`},
			[]string{`0 tool_context is no object: "words"`, "0 the message was updated before it was created"}},
		{"blocks", []string{`{` + head + `[
			{"type":"thinking","confidence_level":1.7},{"type":"tool_result","outcome_status":"exploded","execution_time":-1},
			{"type":"tool_result","error_details":"E"},
			{"type":"tool_use","parameters":{"p":1},"parameter_importance":{"p":11,"q":2},"work_log_metadata":[],"execution_context":"x"}]}`},
			[]string{"0 the confidence of the reasoning is 1.7", `0 the outcome "exploded" is unknown`, "0 the execution time is -1",
				`0 the result is a success with error details: "E"`, `0 the importance of the parameter "p" is 11`,
				`0 an importance is told of the parameter "q", which is not there`, "0 the metadata of a call is no object: []", `0 the metadata of a call is no object: "x"`}},
		{"the work log", []string{`{"entry_id":"w","outcome_status":"soon","parameter_metadata":{"p":"huge","q":"critical"}}`},
			[]string{`0 the outcome "soon" is unknown`, `0 the importance of the parameter "p" is "huge"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newLifecycle()
			for i, r := range tt.records {
				l.add(&model.Message{Pos: i, Records: []model.RecordText{{Data: []byte(r)}}})
			}
			var got []string
			for _, p := range l.finish() {
				if !p.Refused(Lifecycle) || p.General() || p.Hint == "" {
					t.Errorf("%+v", p)
				}
				got = append(got, strings.Join([]string{string(rune('0' + p.Index)), p.Problem}, " "))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}
