package runs

import (
	"testing"
	"time"

	"turns/model"
	"turns/query/human"
)

// TestRecordedContinuity reads recorded summaries and threads, with values of any type.
func TestRecordedContinuity(t *testing.T) {
	s := model.Session{Fields: []model.KeyValue{
		{Name: "daily_summaries", Value: `[{"date":"2026-01-02T00:00:00Z","summary_text":"S1","key_moments":["m1",{"moment":"m2"},{"other":1},5]},{"date":"2026-01-03"},{"date":"2026-01-09","summary_text":"later"}]`},
		{Name: "daily_summary", Value: "only words"},
		{Name: "key_moments", Value: `["m3"]`},
		{Name: "conversation_threads", Value: `[{"status":"open","content":"one","created_at":"2026-01-01 10:00:00"},{"status":"Resolved","content":"done"},{"status":"open"},"two"]`},
	}}
	r := &Recorded{}
	recordedOf(r, &s, "x.json")
	now := time.Date(2026, 1, 3, 12, 0, 0, 0, time.UTC).UnixMilli()
	c := Conversation{Source: "x.json", Days: []DayShare{{Day: "2026-01-03", Start: human.Stamp(now)}}, Recorded: r}
	a := Continuity([]Conversation{c, {Recorded: &Recorded{}}}, ContinuityOptions{Now: now})
	if len(a.Days) != 2 || a.Today == nil || a.Today.Summary != "only words" || a.Days[1].Summary != "S1" {
		t.Fatalf("%+v", a.Days)
	}
	var moments []string
	for _, d := range a.Days {
		for _, m := range d.Moments {
			moments = append(moments, m.Text)
		}
	}
	if len(moments) != 4 || moments[0] != "m3" || moments[1] != "m1" || moments[2] != "m2" || moments[3] != `{"other":1}` {
		t.Errorf("moments %q", moments)
	}
	if len(a.Open) != 2 || a.Open[0].Text != "one" || a.Open[1].Text != "two" || a.Open[0].Kind != openRecorded || a.Open[0].Index != -1 || a.Open[0].Weight != 6 {
		t.Errorf("threads %+v", a.Open)
	}
}
