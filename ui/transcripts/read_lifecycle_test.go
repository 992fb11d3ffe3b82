package transcripts_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/filter"
	"turns/query/lang"
)

// fated is a conversation with invalidated, superseded, archived and redacted messages. m3 answers
// the calls of m2.
const fated = `[{"id":"m1","role":"user","content":[{"type":"text","text":"Update"}],"interaction_id":"i-1","validity_state":"active"},
{"id":"m2","role":"assistant","content":[{"type":"thinking","thought":"Plan."},
 {"type":"tool_use","tool_name":"upd","tool_id":"t1","parameters":{"id":9}},{"type":"tool_use","tool_name":"note","tool_id":"t2","parameters":{}}],
 "interaction_id":"i-1","validity_state":"invalidated","invalidated_by":"upd","superseded_by":"m6","invalidation_reason":"retry"},
{"id":"m3","role":"tool","content":[{"type":"tool_result","tool_name":"upd","tool_id":"t1","result":null,"outcome_status":"failure","error_details":"task locked"},
 {"type":"tool_result","tool_name":"note","tool_id":"t2","result":"half","outcome_status":"partial"},
 {"type":"tool_result","tool_name":"sync","tool_id":"t3","result":null,"outcome_status":"pending"}],
 "interaction_id":"i-1","validity_state":"superseded","superseded_by":"m6"},
{"id":"m4","role":"assistant","content":[{"type":"text","text":"Locked."}],"interaction_id":"i-1","validity_state":"archived"},
{"id":"m5","role":"user","content":[{"type":"text","text":"Again"}],"interaction_id":"i-2","validity_state":"active"},
{"id":"m6","role":"assistant","content":[{"type":"thinking","thought":"","redacted":true},{"type":"text","text":"Updated."}],"interaction_id":"i-2","validity_state":"active"}]`

// TestRowsTellWhatBecameOfTheirMessage: each row of a message shows its fate, and a call's row
// shows also its result's.
func TestRowsTellWhatBecameOfTheirMessage(t *testing.T) {
	s := loaded(t, "messages.json", fated)
	const gone = "invalidated by upd"
	want := [][]string{
		{""},
		{gone, "error · task locked · result superseded by m6 · " + gone, "partly · half · result superseded by m6 · " + gone},
		{"superseded by m6"},
		{"archived"},
		{""},
		{"", ""},
	}
	pairs := query.NewPairs(s)
	for pos := range s.Len() {
		lines, err := describe.NewDescriber(&s.Sessions()[0]).Message(context.Background(), pairs, s.At(pos))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range lines {
			if got = append(got, l.Outcome); l.Kind == describe.LineReasoning && pos == 5 && l.About != "redacted" {
				t.Errorf("redacted reasoning is %q", l.About)
			}
		}
		if !slices.Equal(got, want[pos]) {
			t.Errorf("message %d: %q, want %q", pos, got, want[pos])
		}
	}
}

// TestClearedResultsAreTold: the cleared part is the result, in a separate message.
func TestClearedResultsAreTold(t *testing.T) {
	s := loaded(t, "messages.json", `[{"role":"user","content":[{"type":"text","text":"ls"}]},
{"role":"assistant","content":null,"toolCalls":[{"id":"c1","type":"function","function":{"name":"bash","arguments":"{\"command\":\"ls\"}"}}]},
{"role":"tool","toolCallId":"c1","name":"bash","content":[{"type":"text","text":"a b"}],"success":true,"compactedAt":1767605500000}]`)
	lines, err := describe.Describer{}.Message(context.Background(), query.NewPairs(s), s.At(1))
	if err != nil || len(lines) != 1 || !strings.HasSuffix(lines[0].Outcome, "result cleared to save context") {
		t.Errorf("%+v, %v", lines, err)
	}
}

// TestLifecycleFilters: several filters ask for the fate of a message.
func TestLifecycleFilters(t *testing.T) {
	s := loaded(t, "messages.json", fated)
	for _, c := range []struct {
		filter string
		want   []int
	}{
		{"is:superseded", []int{2}}, {"validity:superseded", []int{2}}, {"is:invalidated", []int{1}}, {"validity:invalidated", []int{1}},
		{"is:archived", []int{3}}, {"validity:archived", []int{3}}, {"validity:active", []int{0, 4, 5}}, {"-validity:active", []int{1, 2, 3}},
		{"validity:superseded,archived", []int{2, 3}}, {"outcome:partial", []int{1, 2}}, {"outcome:pending", []int{2}}, {"outcome:failure", []int{1, 2}},
		{"interaction:i-2", []int{4, 5}}, {"interaction:i-*", []int{0, 1, 2, 3, 4, 5}}, {"interaction:i", nil}, {"id:m6", []int{5}},
		{"is:redacted", []int{5}}, {"interaction:i-1 validity:active", []int{0}}, {"outcome:partial validity:superseded", []int{2}},
	} {
		f, err := lang.Parse(c.filter)
		if err != nil {
			t.Errorf("%s: %v", c.filter, err)
			continue
		}
		r, err := filter.Apply(context.Background(), query.Everything(s), f, filter.Env{})
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, id := range r.IDs {
			if pos := s.Pos(id); pos >= 0 {
				got = append(got, pos)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.filter, got, c.want)
		}
	}
}

// TestOrphansBesideCallsAreTold: a message may make calls and also have results that answer no
// call.
func TestOrphansBesideCallsAreTold(t *testing.T) {
	s := loaded(t, "messages.json", `[{"role":"user","content":"go"},
{"role":"assistant","content":[{"type":"server_tool_use","id":"s1","name":"web_search","input":{}},
 {"type":"web_search_tool_result","tool_use_id":"s1","content":[]},
 {"type":"web_search_tool_result","tool_use_id":"s2","content":{"type":"web_search_tool_result_error","error_code":"max_uses_exceeded"}},
 {"type":"mcp_tool_result","tool_use_id":"m1","content":[{"type":"text","text":"late"}]},
 {"type":"text","text":"Done"}]}]`)
	lines, err := describe.Describer{}.Message(context.Background(), query.NewPairs(s), s.At(1))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range lines {
		if got = append(got, l.Kind.String()+" "+l.About); l.Kind == describe.LineOrphan && s.Call(l.Call).Msg != model.NoID {
			t.Errorf("%q is the row of a call", l.About)
		}
	}
	want := []string{"call ", "result result without a call, s2", "result result without a call, m1", "assistant Done"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for _, c := range []struct {
		filter string
		want   int
	}{{"is:orphan", 1}, {"is:orphan is:error", 1}, {"is:orphan result:late", 1}, {"is:orphan result:max_uses", 1}, {"is:orphan result:Done", 0}, {"tool:web_search is:error", 0}} {
		f, err := lang.Parse(c.filter)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := filter.Apply(context.Background(), query.Everything(s), f, filter.Env{}); err != nil || len(r.IDs) != c.want {
			t.Errorf("%s: %v, %v", c.filter, r.IDs, err)
		}
	}
}
