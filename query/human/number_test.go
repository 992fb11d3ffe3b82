package human

import (
	"encoding/json"
	"testing"
	"time"
)

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Short(0), "0"}, {Short(15), "15"}, {Short(999), "999"}, {Short(1200), "1.2k"}, {Short(93_600), "93.6k"}, {Short(157_000), "157k"},
		{Short(999_600), "1.0M"}, {Short(15_700_000), "15.7M"}, {Short(260_000), "260k"}, {Short(-1500), "-1.5k"}, {Short(int64(1_200_000_000)), "1.2G"},
		{Count(0), "0"}, {Count(1134), "1,134"}, {Count(1_234_567), "1,234,567"}, {Count(-1134), "-1,134"}, {Count(999), "999"},
		{Took(0), "0.0s"}, {Took(400 * time.Millisecond), "0.4s"}, {Took(15200 * time.Millisecond), "15.2s"}, {Took(181 * time.Second), "3m01s"},
		{Took(59_960 * time.Millisecond), "59.9s"}, {Millis(1 << 62).String(), "106751d"}, {Millis(-1 << 62).String(), "-106751d"}, {Took(72 * time.Minute), "1h12m"}, {Took(51 * time.Hour), "2d03h"}, {Took(59*time.Minute + 59*time.Second), "59m59s"},
		{Clock(31 * time.Second), "0:31"}, {Clock(12*time.Minute + 5*time.Second), "12:05"}, {Clock(time.Hour + 2*time.Minute + 3*time.Second), "1:02:03"}, {Clock(51 * time.Hour), "2d03h"},
		{Short(120_000_000), "120M"}, {Took(-2 * time.Second), "-2.0s"}, {Took(325 * 24 * time.Hour), "325d"},
		{Percent(13, 177), "7.3 %"}, {Percent(17, 100), "17 %"}, {Percent(1, 0), "0 %"}, {Percent(100, 100), "100 %"}, {Percent(0, 5), "0 %"},
		{Money(0.14), "$0.14"}, {Money(30.33), "$30.33"}, {Money(0.0021), "$0.0021"}, {Money(0), "$0.00"},
		{Plural(1, "call"), "1 call"}, {Plural(1134, "event"), "1,134 events"}, {Plural(2, "match", "matches"), "2 matches"},
		{TimeOfDay(0, nil), "–"}, {TimeOfDay(1_770_842_500_000, nil), "20:41:40"}, {DayAndTime(1_770_842_500_000, time.FixedZone("", 3600)), "2026-02-11 21:41:40"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	js, err := json.Marshal([]any{Millis(12345), Stamp(1_770_842_500_000), Stamp(0)})
	if err != nil || string(js) != `[12.345,"2026-02-11T20:41:40.000Z",null]` {
		t.Errorf("%s %v", js, err)
	}
}

// TestTimesAreReadAsTheyAreWritten: durations and times survive a round trip through JSON.
func TestTimesAreReadAsTheyAreWritten(t *testing.T) {
	type times struct {
		Took Millis
		At   Stamp
	}
	for _, c := range []struct {
		value times
		want  string
	}{
		{times{1500, 1_770_842_500_123}, `{"Took":1.5,"At":"2026-02-11T20:41:40.123Z"}`},
		{times{}, `{"Took":0,"At":null}`},
	} {
		b, err := json.Marshal(c.value)
		if err != nil || string(b) != c.want {
			t.Errorf("%+v is written %s, %v, want %s", c.value, b, err, c.want)
		}
		var got times
		if err := json.Unmarshal(b, &got); err != nil || got != c.value {
			t.Errorf("%s is read as %+v, %v", b, got, err)
		}
	}
	var got times
	if err := json.Unmarshal([]byte(`{"Took":null}`), &got); err != nil || got.Took != 0 {
		t.Errorf("a duration that is not known: %v, %v", got.Took, err)
	}
	if json.Unmarshal([]byte(`{"Took":"soon"}`), &got) == nil || json.Unmarshal([]byte(`{"At":"soon"}`), &got) == nil {
		t.Error("words are read as times")
	}
}

func TestSpan(t *testing.T) {
	const start, second, day = 1_770_800_000_000, 1000, 24 * 3600 * 1000
	for _, tt := range []struct {
		name     string
		from, to int64
		want     string
	}{
		{"unknown", 0, 0, ""},
		{"one moment", start, start + 400, "2026-02-11 08:53:20"},
		{"one day", start, start + 70*second, "2026-02-11 08:53:20 – 08:54:30"},
		{"two days", start, start + day, "2026-02-11 08:53:20 – 2026-02-12 08:53:20"},
	} {
		if got := Span(tt.from, tt.to, nil); got != tt.want {
			t.Errorf("%s: the span is %q, want %q", tt.name, got, tt.want)
		}
	}
}
