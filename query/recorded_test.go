package query

import (
	"reflect"
	"testing"

	"turns/model"
)

// TestRecordedTexts reads each field that describes a conversation, in each of its forms.
func TestRecordedTexts(t *testing.T) {
	for _, c := range []struct {
		field, value string
		want         []string
	}{
		{"daily_summaries", `[{"date":"2026-02-01","summary_text":"a","key_moments":["b",{"moment":"c"},{"other":1},7]},{"summary_text":"d"}]`, []string{"a", "b", "c", `{"other":1}`, "d"}},
		{"daily_summary", `{"summary_text":"one","content":"two"}`, []string{"one", "two"}},
		{"conversation_threads", `["a", 7, {"content":"b","status":5}]`, []string{"a", "7", "b"}},
		{"open_threads", `plain words`, []string{"plain words"}},
		{"key_moments", `["a","b"]`, []string{"a", "b"}},
		{"conversation_summary", ` as it is `, []string{" as it is "}},
		{"conversation_summary", ` `, nil},
		{"summary", `another field`, nil},
	} {
		var got []string
		for _, text := range RecordedTexts(&model.Session{Fields: []model.KeyValue{{Name: c.field, Value: c.value}}}) {
			if got = append(got, text.Text); text.Field != c.field {
				t.Errorf("%s: a text is of %q", c.field, text.Field)
			}
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s %s: %q, want %q", c.field, c.value, got, c.want)
		}
	}
	for status, want := range map[string]bool{"resolved": true, "Closed": true, "done": true, "expired": true, "completed": true, "open": false, "": false} {
		if got := (&RecordedRow{Status: status}).Resolved(); got != want {
			t.Errorf("a thread that is %q is resolved: %v, want %v", status, got, want)
		}
	}
}

// TestRecordedOf: texts belong to the first message of their conversation, and those of a
// conversation without messages to the first message of all.
func TestRecordedOf(t *testing.T) {
	says := func(text string) []model.KeyValue {
		return []model.KeyValue{{Name: "conversation_summary", Value: text}}
	}
	snapshot := func(sessions []model.Session, threads ...uint32) *model.Snapshot {
		var ix model.Index
		ix.Sessions = sessions
		for i := range sessions {
			ix.Threads = append(ix.Threads, model.Thread{Session: uint32(i), Main: true, Call: model.CallID(model.NoRow)})
		}
		for _, thread := range threads {
			h := model.Head{Role: model.User, Thread: thread, Parent: model.NoID, LastCall: model.NoRow, LastPart: model.NoRow, Usage: model.NoRow}
			ix.Live = append(ix.Live, model.ID(ix.Heads.Append(h)))
		}
		return model.NewSnapshot(ix, nil)
	}
	three := []model.Session{{Fields: says("a")}, {Fields: says("b")}, {Fields: says("c")}}
	for _, c := range []struct {
		name string
		snap *model.Snapshot
		want map[model.ID][]string
	}{
		{"no texts", snapshot([]model.Session{{}}, 0), nil},
		{"each has messages", snapshot(three, 0, 0, 1, 2, 1), map[model.ID][]string{0: {"a"}, 2: {"b"}, 3: {"c"}}},
		{"the first two have none", snapshot(three, 2, 2), map[model.ID][]string{0: {"c", "a", "b"}}},
		{"no messages", snapshot(three), map[model.ID][]string{model.NoID: {"a", "b", "c"}}},
	} {
		got := map[model.ID][]string{}
		for id, texts := range RecordedOf(c.snap) {
			for _, text := range texts {
				got[id] = append(got[id], text.Text)
			}
		}
		if len(got)+len(c.want) > 0 && !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
