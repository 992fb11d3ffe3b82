package model

import (
	"fmt"
	"slices"
	"testing"
)

// TestQuotas reads the limits that agents record, in the forms of their versions.
func TestQuotas(t *testing.T) {
	const at = 1_700_000_000_000
	for _, c := range []struct{ kind, record, want string }{
		{"token_count", `{"payload":{"rate_limits":{"primary":{"used_percent":72.5,"window_minutes":300,"resets_at":1700009000},"secondary":{"used_percent":6,"window_minutes":10080,"resets_at":1700500000}}}}`,
			"[{72.5 300 1700009000000 1700000000000} {6 10080 1700500000000 1700000000000}]"},
		{"token_count", `{"payload":{"rate_limits":{"primary":{"used_percent":3,"window_minutes":10080,"resets_at":1700500000},"secondary":null}}}`,
			"[{3 10080 1700500000000 1700000000000} {0 0 0 0}]"},
		{"token_count", `{"payload":{"rate_limits":{"primary":{"used_percent":3,"window_minutes":300,"resets_in_seconds":60}}}}`, "[{3 300 1700000060000 1700000000000} {0 0 0 0}]"},
		{"token_count", `{"payload":{"rate_limits":{"primary_used_percent":5.0,"secondary_used_percent":12.0,"primary_window_minutes":299,"secondary_window_minutes":10079}}}`,
			"[{5 299 0 1700000000000} {12 10079 0 1700000000000}]"},
		{"token_count", `{"payload":{"rate_limits":{"primary":{"used_percent":180,"window_minutes":300,"resets_at":1700009000}}}}`, "[{100 300 1700009000000 1700000000000} {0 0 0 0}]"},
		{"token_count", `{"payload":{"rate_limits":{"primary":{"used_percent":-1,"window_minutes":300,"resets_at":1},"secondary":{"used_percent":1,"window_minutes":1e300,"resets_at":1}}}}`, "[{0 0 0 0} {0 0 0 0}]"},
		{"token_count", `{"payload":{"rate_limits":null}}`, "[{0 0 0 0} {0 0 0 0}]"},
		{"token_count", `{`, "[{0 0 0 0} {0 0 0 0}]"},
		{"rate_limit_event", `{"rate_limit_info":{"status":"allowed_warning","resetsAt":1700009000,"rateLimitType":"five_hour","utilization":0.72}}`, "[{72 300 1700009000000 1700000000000} {0 0 0 0}]"},
		{"rate_limit_event", `{"rate_limit_info":{"status":"rejected","resetsAt":1700009000,"rateLimitType":"seven_day"}}`, "[{100 10080 1700009000000 1700000000000} {0 0 0 0}]"},
		{"rate_limit_event", `{"rate_limit_info":{"status":"allowed","resetsAt":1700009000,"rateLimitType":"five_hour"}}`, "[{0 0 0 0} {0 0 0 0}]"},
		{"rate_limit_event", `{"rate_limit_info":{"status":"allowed","resetsAt":1700009000,"rateLimitType":"five_hour","unifiedWindows":{"seven_day":{"utilization":0.13,"resetsAt":1700500000},"five_hour":{"utilization":0.24,"resetsAt":1700009000}}}}`,
			"[{24 300 1700009000000 1700000000000} {13 10080 1700500000000 1700000000000}]"},
		{"rate_limit_event", `{"rate_limit_info":{"status":"rejected","resetsAt":1700009000,"rateLimitType":"five_hour","unifiedWindows":{"five_hour":{"utilization":0.99,"resetsAt":1700009000}}}}`,
			"[{100 300 1700009000000 1700000000000} {0 0 0 0}]"},
		{"other", `{"payload":{"rate_limits":{"primary":{"used_percent":72.5,"window_minutes":300,"resets_at":1700009000}}}}`, "[{0 0 0 0} {0 0 0 0}]"},
	} {
		if got := fmt.Sprint(QuotasOf(c.kind, []byte(c.record), at)); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.kind, c.record, got, c.want)
		}
	}
}

// TestLastQuotas: the limits are found behind seven notes without limits, but not behind eight.
func TestLastQuotas(t *testing.T) {
	note := func(limits string) Message {
		return Message{Op: Note, Name: "token_count", Time: 1, Records: []RecordText{{Data: []byte(`{"payload":{"rate_limits":` + limits + `}}`)}}}
	}
	first := note(`{"primary":{"used_percent":3,"window_minutes":300,"resets_at":1700009000}}`)
	for behind, want := range map[int]float64{0: 3, 7: 3, 8: 0} {
		messages := append([]Message{first}, slices.Repeat([]Message{note("null")}, behind)...)
		if got := FromMessages(messages).LastQuotas(t.Context()); got[0].Used != want {
			t.Errorf("behind %d notes: used %v %%, want %v", behind, got[0].Used, want)
		}
	}
}
