package web

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"turns/model"
	"turns/model/source/spool"
)

// dialog is a server's history according to the endpoint's documentation: pages of limit messages
// before a number, the newest without one. Row 0 is a system message, which is never shown and
// shifts the numbers of its page.
type dialog struct {
	rows     int
	requests []string
	answer   func(before int) (status int, body string) // instead of a page; "" for the page
}

func (d *dialog) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.requests = append(d.requests, r.URL.RawQuery)
	q := r.URL.Query()
	end, limit := d.rows, 3
	if b := q.Get("before"); b != "" {
		end, _ = strconv.Atoi(b)
	}
	if l := q.Get("limit"); l != "" {
		limit, _ = strconv.Atoi(l)
	}
	if d.answer != nil {
		if status, body := d.answer(end); body != "" {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			fmt.Fprint(w, body)
			return
		}
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, d.page(end, limit))
}

func (d *dialog) page(end, limit int) string {
	from := max(end-limit, 0)
	shift := 0
	if from == 0 {
		shift = 1
	}
	events := []map[string]any{}
	first := -1
	for i := max(from, 1); i < end; i++ {
		kind := [...]string{"user", "chat"}[i%2]
		if first < 0 {
			first = i - shift
		}
		events = append(events, map[string]any{"type": kind, "idx": i - shift, "content": fmt.Sprint("message ", i)})
		if kind == "chat" {
			events = append(events, map[string]any{"type": "tool_call", "id": fmt.Sprint("call_", i), "name": "ls", "args": map[string]any{}})
		}
	}
	body, err := json.Marshal(map[string]any{
		"dialog_id": "d7", "events": events, "total_events": d.rows - 1, "has_more": from > 0, "first_idx": first, "last_idx": end - 1,
	})
	if err != nil {
		panic(err)
	}
	return string(body)
}

// answerOf is all that an address answers.
func answerOf(t *testing.T, address string, limits model.Limits) (string, error) {
	t.Helper()
	pages := spool.New(limits, t.TempDir())
	defer pages.Close()
	answer, err := Open(t.Context(), t.Context(), address, Options{Limits: limits}, pages)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Close()
	text, err := io.ReadAll(answer)
	return string(text), err
}

func history(t *testing.T, d *dialog, query string, limits model.Limits) (messages []string, doc map[string]any, err error) {
	t.Helper()
	server := httptest.NewServer(d)
	defer server.Close()
	text, err := answerOf(t, server.URL+"/api/dialogs/d7/history"+query, limits)
	if e := json.Unmarshal([]byte(text), &doc); e != nil {
		return nil, nil, fmt.Errorf("%w (%w)", err, e)
	}
	for _, v := range doc["events"].([]any) {
		if m := v.(map[string]any); m["content"] != nil {
			messages = append(messages, fmt.Sprint(m["content"]))
		}
	}
	return messages, doc, err
}

func TestPagesOfAHistoryAreOneDocument(t *testing.T) {
	for _, query := range []string{"", "?limit=1", "?limit=4&before=9", "?limit=100"} {
		d := &dialog{rows: 12}
		messages, doc, err := history(t, d, query, model.Limits{})
		if err != nil {
			t.Errorf("%q: %v", query, err)
			continue
		}
		want := 11
		if strings.Contains(query, "before=9") {
			want = 8
		}
		for i, m := range messages {
			if m != fmt.Sprint("message ", i+1) {
				t.Errorf("%q: message %d is %q", query, i, m)
			}
		}
		if len(messages) != want || doc["has_more"] != false {
			t.Errorf("%q: %d messages, want %d; has_more %v", query, len(messages), want, doc["has_more"])
		}
		for _, r := range d.requests {
			if q, _ := url.ParseQuery(r); strings.Contains(query, "limit") && q.Get("limit") == "" {
				t.Errorf("%q: a page was asked for with %q", query, r)
			}
		}
	}
}

func TestMissingPagesAreSaid(t *testing.T) {
	page := func(first any, more bool, dialog string) string {
		b, _ := json.Marshal(map[string]any{"dialog_id": dialog, "events": []any{map[string]any{"type": "user", "idx": first, "content": "again"}}, "has_more": more, "first_idx": first})
		return string(b)
	}
	at := func(n int, status int, body string) func(int) (int, string) {
		return func(before int) (int, string) {
			if before == n {
				return status, body
			}
			return 200, ""
		}
	}
	tests := []struct {
		name   string
		answer func(int) (int, string)
		limits model.Limits
		want   int // messages
		err    string
	}{
		{"cycle", at(9, 200, page(9, true, "d7")), model.Limits{}, 3, "asked for what is before message 9"},
		{"forwards", at(9, 200, page(11, true, "d7")), model.Limits{}, 3, "the messages before 9 are missing"},
		{"no cursor", at(9, 200, page(nil, true, "d7")), model.Limits{}, 4, "older messages are missing"},
		{"another dialog", at(9, 200, page(2, true, "d8")), model.Limits{}, 3, `answered with the dialog "d8"`},
		{"failure", at(6, 500, `{"detail":"disk full"}`), model.Limits{}, 6, `500 Internal Server Error: "disk full"`},
		{"no page", at(9, 200, `{"ok":true}`), model.Limits{}, 3, "not a page of a history"},
		{"broken off", at(9, 200, page(2, true, "d7")[:40]), model.Limits{}, 3, "not a page of a history"},
		{"too large", nil, model.Limits{Response: 700}, 6, "limit"},
		{"too many", nil, model.Limits{Records: 4}, 3, "too many events"},
	}
	for _, test := range tests {
		messages, doc, err := history(t, &dialog{rows: 12, answer: test.answer}, "", test.limits)
		if err == nil || !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.err)
		}
		if len(messages) != test.want || doc["has_more"] != true {
			t.Errorf("%s: messages %q, want %d; has_more %v", test.name, messages, test.want, doc["has_more"])
		}
	}
}

func TestPagesOverlapOnlyWhereTheyAreTheSame(t *testing.T) {
	lines := func(s string) (out [][]byte) {
		for l := range strings.FieldsSeq(s) {
			out = append(out, []byte(l))
		}
		return out
	}
	tests := []struct {
		older, newer string
		want         int
	}{
		{`{"idx":1,"content":"a"} {"idx":2,"content":"b"}`, `{"idx":2,"content":"b"} {"idx":3,"content":"c"}`, 1},
		{`{"idx":1,"content":"a"} {"idx":2,"content":"b"}`, `{"idx":2,"content":"other"}`, 0},
		{`{"idx":2,"content":"yes"}`, `{"idx":3,"content":"yes"}`, 0},
		{`{"type":"reasoning","content":"a"}`, `{"type":"reasoning","content":"a"}`, 0},
		{`{"idx":2,"content":"b"} {"type":"tool_call"}`, `{"idx":2,"content":"b"} {"type":"tool_call"} {"idx":3}`, 2},
		{``, `{"idx":2}`, 0},
	}
	for _, test := range tests {
		if got := overlap(lines(test.older), lines(test.newer)); got != test.want {
			t.Errorf("%s | %s: %d, want %d", test.older, test.newer, got, test.want)
		}
	}
}

func TestAnswersThatAreNoPagesArePassedOn(t *testing.T) {
	for _, body := range []string{
		`{"dialog_id":"d","messages":[],"total_messages":0}`, `{"dialog_id":"d","events":[],"has_more":true`,
		`{"dialog_id":"d","events":{},"has_more":true}`, `[1]`, "{\"a\":1}\n{\"a\":2}\n", `{"events":[1],"has_more":true}`, "x",
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, body) }))
		got, err := answerOf(t, server.URL+"/history", model.Limits{})
		server.Close()
		if got != body || err != nil {
			t.Errorf("%q became %q, %v", body, got, err)
		}
	}
}

// TestEventsOfAPage: a page has at most a million events.
func TestEventsOfAPage(t *testing.T) {
	for events, want := range map[int]bool{1 << 20: true, 1<<20 + 1: false} {
		data := `{"dialog_id":"d","events":[` + strings.Repeat("1,", events-1) + `1]}`
		if _, ok := parsePage([]byte(data)); ok != want {
			t.Errorf("a page of %d events is read: %v", events, ok)
		}
	}
}
